use serde_json::json;

use super::events::{EventKind, standing};
use super::job_rows::job_columns;
use super::rows::to_sql;
use super::{Claim, StoreError};
use crate::sql::{On, Statement, query};
use vocalhost_job::{JobStage, JobState, Progress, Run};

/// The users with waiting jobs of a kind. This and the following parts are joined with values between them.
const WAITING: &str = "WITH waiting AS MATERIALIZED (SELECT l.user_id, l.began_with, u.last_served_at_us AS served_at_us \
     FROM lines l JOIN users u ON u.id = l.user_id WHERE l.waiting > 0 AND l.kind = ";

/// The choice between them: the user with the fewest jobs running, then the one not served for the longest time, then the one whose line
/// began first. When others claim at the same time, a user whom they have just served is skipped.
const TURN: &str = "), turn AS MATERIALIZED (SELECT u.id FROM waiting w \
     JOIN users u ON u.id = w.user_id AND u.last_served_at_us = w.served_at_us WHERE u.running < COALESCE(u.max_running, ";
const ROOM: &str = ")";
const DUE: &str =
    " AND EXISTS (SELECT 1 FROM jobs d WHERE d.user_id = u.id AND d.state = 'queued' AND d.kind = ";
const DUE_BY: &str = " AND d.not_before_us <= ";
/// Without the limit, `SQLite` (3.51 and later) turns it into a join and goes through all of each user's jobs: with 100,000 waiting a claim
/// took 30 ms.
const ONE_DUE: &str = " LIMIT 1)";
const FIRST: &str = " ORDER BY u.running, u.last_served_at_us, w.began_with LIMIT 1";

/// Whoever holds a user's row has that user's turn. The lock is weak enough that a new job of the user need not wait.
const HOLD_USER: &str = " FOR NO KEY UPDATE OF u SKIP LOCKED";

const TAKE: &str = ") UPDATE jobs SET ";
/// On a shared database the choice, the claim and its event are one statement: nobody waits for a user's row during round trips.
const TAKE_AND_TELL: &str = "), taken AS (UPDATE jobs SET ";
const RUNNING: &str = "state = 'running', attempt = attempt + 1, stage = 'decoding', percent = 0.0, \
     lease_token = ";
const UNTIL: &str = ", lease_until_us = ";
const NODE: &str = ", node = ";
const STARTED: &str = ", started_at_us = ";
const NEXT: &str = " WHERE state = 'queued' AND id = (SELECT q.id FROM jobs q \
     WHERE q.user_id = (SELECT id FROM turn) AND q.state = 'queued' AND q.kind = ";
const NEXT_BY: &str = " AND q.not_before_us <= ";
const FIRST_OWN: &str = " ORDER BY q.priority DESC, q.id LIMIT 1";

/// A job that is being cancelled is skipped: whoever cancels it waits for the user's row.
const HOLD_JOB: &str = " FOR UPDATE SKIP LOCKED";
const TAKEN: &str = concat!(") RETURNING ", job_columns!(""));
const TOLD: &str = "), told AS (INSERT INTO job_events (job_id, kind, at_us, detail) SELECT id, ";
const TOLD_OF: &str = concat!(" FROM taken) SELECT ", job_columns!(""), " FROM taken");

/// Whether a job is due of a user who may have one more at work.
const IS_DUE: &str = "SELECT EXISTS (SELECT 1 FROM lines l JOIN users u ON u.id = l.user_id \
     WHERE l.kind = $1 AND l.waiting > 0 AND u.running < COALESCE(u.max_running, $2) \
     AND EXISTS (SELECT 1 FROM jobs q WHERE q.user_id = l.user_id AND q.kind = $1 AND q.state = 'queued' \
     AND q.not_before_us <= $3))";

/// How a claim looks for its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// The user whose turn it is, even if all of that user's jobs turn out to be in a pause: it reads the least.
    Quick,
    /// The user whose turn it is among those with a job that is due.
    Thorough,
}

/// Takes the next job of the user whose turn it is, in one statement.
pub(super) fn taking(
    claim: &Claim,
    node: &str,
    (look, is_shared): (Look, bool),
    now_us: i64,
) -> Statement {
    let mut take = query(WAITING);
    take.push_bind(claim.kind.as_str()).push(TURN);
    take.push_bind(to_sql(claim.max_running_per_user))
        .push(ROOM);
    if look == Look::Thorough {
        take.push(DUE).push_bind(claim.kind.as_str());
        take.push(DUE_BY).push_bind(now_us).push(ONE_DUE);
    }
    take.push(FIRST)
        .push(if is_shared { HOLD_USER } else { "" });
    take.push(if is_shared { TAKE_AND_TELL } else { TAKE });
    take.push(RUNNING).push_bind(&claim.lease_token);
    take.push(UNTIL).push_bind(now_us + claim.lease_us);
    take.push(NODE).push_bind(node);
    take.push(STARTED).push_bind(now_us);
    take.push(NEXT).push_bind(claim.kind.as_str());
    take.push(NEXT_BY).push_bind(now_us).push(FIRST_OWN);
    take.push(if is_shared { HOLD_JOB } else { "" }).push(TAKEN);
    if is_shared {
        let [before, behind] = started();
        take.push(TOLD).push_bind(EventKind::Started.as_str());
        take.push(", ").push_bind(now_us).push(", ");
        take.push_bind(before).push(" || attempt || ");
        take.push_bind(behind).push(TOLD_OF);
    }
    take
}

/// The detail of the event that a job was started, before and after the number of the attempt.
fn started() -> [String; 2] {
    let run = JobState::Running(Run {
        attempt: 0,
        lease_token: String::new(),
        lease_until_us: 0,
    });
    let begun = Progress {
        stage: JobStage::Decoding,
        percent: 0.0,
    };
    // A placeholder for the number, which is no other member's value.
    let detail = standing(&run, begun, json!({ "attempt": "attempt" })).to_string();
    let (before, behind) = detail.split_once(":\"attempt\"").unwrap_or_default();
    [format!("{before}:"), behind.to_owned()]
}

/// Whether there is anything to claim. Rows that others hold are skipped, so a claim that finds nothing does not mean that nothing waits.
pub(super) async fn is_due(
    on: impl Into<On<'_>>,
    claim: &Claim,
    now_us: i64,
) -> Result<bool, StoreError> {
    Ok(query(IS_DUE)
        .bind(claim.kind.as_str())
        .bind(to_sql(claim.max_running_per_user))
        .bind(now_us)
        .value(on)
        .await?)
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
        let plan = plan(taking(&claim, "node", (Look::Thorough, false), 0)).await;
        // The lines of the kind, the jobs of each of their users, and those of the user whose turn it is.
        for (part, index) in [
            ("l", "INDEX sqlite_autoindex_lines_1"),
            ("d", "INDEX jobs_"),
            ("q", "INDEX jobs_waiting_by_kind (kind=? AND user_id=?)"),
        ] {
            let reads: Vec<_> = plan
                .iter()
                .filter(|step| step.split(' ').nth(1) == Some(part))
                .collect();
            assert!(!reads.is_empty(), "{part}: {plan:#?}");
            for step in reads {
                assert!(step.contains(index), "{step}");
            }
        }
    }
}
