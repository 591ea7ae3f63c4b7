use super::rows::to_sql;
use super::{Claim, StoreError};
use crate::sql::{Statement, Transaction, query};

/// The choice between users: whoever has the fewest jobs running comes first, then whoever was not served for the
/// longest time; each with their own first job of the kind by priority and acceptance. The parts go around the values.
const USERS: &str = "WITH candidates AS (SELECT u.id AS user_id, u.last_served_at_us, u.max_running, \
     (SELECT COUNT(*) FROM jobs r WHERE r.user_id = u.id AND r.state IN ('running', 'cancelling')) AS running, \
     (SELECT q.id FROM jobs q WHERE q.user_id = u.id AND q.state = 'queued' AND q.not_before_us <= ";
const KIND: &str = " AND q.kind = ";
const ORDER: &str = " ORDER BY q.priority DESC, q.id LIMIT 1) AS job_id \
     FROM users u WHERE u.id IN (SELECT DISTINCT w.user_id FROM jobs w WHERE w.state = 'queued' AND w.kind = ";
const CANDIDATES: &str = ")) SELECT c.user_id, c.job_id FROM candidates c";
const ROOM: &str = " WHERE c.job_id IS NOT NULL AND c.running < COALESCE(c.max_running, ";
const FIRST: &str = ") ORDER BY c.running, c.last_served_at_us, c.job_id LIMIT 1";

/// Where others claim at the same time: the user is theirs whose row they hold, and one whom they have just served is passed over.
const UNSERVED: &str =
    " JOIN users u ON u.id = c.user_id AND u.last_served_at_us = c.last_served_at_us";
const HOLD_USER: &str = " FOR NO KEY UPDATE OF u SKIP LOCKED";

/// The next job of a user whom nobody else serves now, as it is by now. One that is being cancelled is passed over.
const OWN_NEXT: &str = "SELECT q.id FROM jobs q WHERE q.user_id = $1 AND q.kind = $2 AND q.state = 'queued' \
     AND q.not_before_us <= $3 AND (SELECT COUNT(*) FROM jobs r WHERE r.user_id = $1 \
     AND r.state IN ('running', 'cancelling')) < COALESCE((SELECT max_running FROM users WHERE id = $1), $4) \
     ORDER BY q.priority DESC, q.id LIMIT 1 FOR UPDATE SKIP LOCKED";

/// What there is to claim.
pub(super) enum Choice {
    /// The job that is next, which nobody else can take before the transaction has ended.
    Job { user_id: i64, job_id: i64 },
    /// No job is due.
    Nothing,
    /// One is due, but others are about to take it, or another one of its user's.
    Taken,
}

/// The user whose turn it is, and that user's next job.
pub(super) async fn choose(
    transaction: &mut Transaction,
    claim: &Claim,
    now_us: i64,
) -> Result<Choice, StoreError> {
    let is_shared = transaction.is_shared();
    let choice = choice(claim, now_us, is_shared);
    if let Some(row) = choice.fetch_optional(&mut *transaction).await? {
        let user_id = row.try_get("user_id")?;
        if !is_shared {
            let job_id = row.try_get("job_id")?;
            return Ok(Choice::Job { user_id, job_id });
        }
        let next = query(OWN_NEXT)
            .bind(user_id)
            .bind(claim.kind.as_str())
            .bind(now_us)
            .bind(to_sql(claim.max_running_per_user));
        let next = next.optional_value(transaction).await?;
        return Ok(next.map_or(Choice::Taken, |job_id| Choice::Job { user_id, job_id }));
    }
    // What others hold is passed over, so that nothing found does not mean that nothing waits.
    let is_due = is_shared
        && self::choice(claim, now_us, false)
            .fetch_optional(transaction)
            .await?
            .is_some();
    Ok(if is_due {
        Choice::Taken
    } else {
        Choice::Nothing
    })
}

fn choice(claim: &Claim, now_us: i64, hold: bool) -> Statement {
    let mut choice = query(USERS);
    choice.push_bind(now_us).push(KIND);
    choice.push_bind(claim.kind.as_str()).push(ORDER);
    choice.push_bind(claim.kind.as_str()).push(CANDIDATES);
    choice.push(if hold { UNSERVED } else { "" }).push(ROOM);
    choice.push_bind(to_sql(claim.max_running_per_user));
    choice.push(FIRST).push(if hold { HOLD_USER } else { "" });
    choice
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::plan;
    use vocalhost_job::JobKind;

    #[tokio::test]
    async fn the_choice_of_the_next_job_reads_indexes_only() {
        let claim = Claim {
            kind: JobKind::VoiceConversion,
            lease_token: "token".to_owned(),
            lease_us: 1,
            max_running_per_user: 1,
        };
        let plan = plan(choice(&claim, 0, false)).await;
        for part in ["q", "r", "w"] {
            let reads: Vec<_> = plan
                .iter()
                .filter(|step| step.split(' ').nth(1) == Some(part))
                .collect();
            assert!(!reads.is_empty(), "{plan:#?}");
            for step in reads {
                assert!(step.contains("INDEX jobs_"), "{step}");
            }
        }
    }
}
