use std::cmp::Reverse;

use super::rows::from_sql;
use super::{JobRecord, StoreError};
use crate::sql::{Row, Transaction, query};
use vocalhost_job::{JobKind, JobState};

/// The users with waiting jobs of a kind, each with the values that a claim compares.
const LINES: &str = "SELECT l.user_id, l.waiting, l.began_with, u.last_served_at_us, u.running \
     FROM lines l JOIN users u ON u.id = l.user_id WHERE l.kind = $1 AND l.waiting > 0";

/// A user's waiting jobs of a kind in the order in which they are claimed.
const OWN_LINE: &str = "SELECT id FROM jobs WHERE kind = $1 AND user_id = $2 AND state = 'queued' \
     ORDER BY priority DESC, id";

/// The waiting jobs of one user and kind, as a claim sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    user_id: i64,
    waiting: u64,
    running: u64,
    last_served_at_us: i64,
    began_with: i64,
}

impl Line {
    fn read(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            user_id: row.try_get("user_id")?,
            waiting: from_sql(row.try_get("waiting")?),
            running: from_sql(row.try_get("running")?),
            last_served_at_us: row.try_get("last_served_at_us")?,
            began_with: row.try_get("began_with")?,
        })
    }

    /// The order between users with equally many jobs running. A user who had more of them at the start was served less
    /// in this round, and so has waited longer; after that, the claim's own order.
    fn turn(&self) -> (Reverse<u64>, i64, i64) {
        let served_less = Reverse(self.running);
        (served_less, self.last_served_at_us, self.began_with)
    }

    /// How many jobs of this line are claimed before the job of `own` that is claimed when `own`'s user has `level`
    /// jobs running.
    fn before(&self, own: &Self, level: u64) -> u64 {
        let at_lower_levels = level.saturating_sub(self.running);
        let at_this_level = self.running <= level && self.turn() < own.turn();
        (at_lower_levels + u64::from(at_this_level)).min(self.waiting)
    }
}

/// Fills in how many claims of that kind away one user's waiting jobs are, counted from 1 for the next one.
///
/// The order is that in which `claim` would take everything that waits if nothing ended meanwhile and no user reached
/// the limit of running jobs: always a user with the fewest jobs running. So the `n`-th job of a user with `r` jobs
/// running is claimed together with the `n - k`-th of a user with `r + k`. Jobs that are not due yet count as well.
pub(super) async fn fill_in(
    transaction: &mut Transaction,
    records: &mut [JobRecord],
) -> Result<(), StoreError> {
    for kind in JobKind::ALL {
        let waiting = |record: &&mut JobRecord| {
            record.kind == kind && matches!(record.state, JobState::Queued { .. })
        };
        let mut of_kind: Vec<&mut JobRecord> = records.iter_mut().filter(waiting).collect();
        if let Some(user_id) = of_kind.first().map(|record| record.user_id) {
            fill_in_kind(transaction, &mut of_kind, (kind, user_id)).await?;
        }
    }
    Ok(())
}

/// The same for waiting jobs of one kind.
async fn fill_in_kind(
    transaction: &mut Transaction,
    records: &mut [&mut JobRecord],
    (kind, user_id): (JobKind, i64),
) -> Result<(), StoreError> {
    let own_ids: Vec<i64> = query(OWN_LINE)
        .bind(kind.as_str())
        .bind(user_id)
        .all_values(&mut *transaction)
        .await?;
    let rows = query(LINES)
        .bind(kind.as_str())
        .fetch_all(transaction)
        .await?;
    let lines: Vec<Line> = rows.iter().map(Line::read).collect::<Result<_, _>>()?;
    let Some(own) = lines.iter().find(|line| line.user_id == user_id) else {
        return Ok(());
    };
    for record in records {
        let place = own_ids.iter().position(|id| *id == record.id);
        record.queue_position = place.map(|place| {
            let level = own.running + place as u64;
            let before = lines.iter().map(|line| line.before(own, level));
            before.sum::<u64>() + 1
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::plan;

    #[tokio::test]
    async fn positions_are_read_from_indexes_only() {
        for statement in [LINES, OWN_LINE] {
            for step in plan(query(statement)).await {
                let reads_many = ["jobs", "l"].contains(&step.split(' ').nth(1).unwrap_or(""));
                assert!(!reads_many || step.contains("INDEX"), "{step}");
                assert!(!step.contains("TEMP B-TREE"), "{step}");
            }
        }
    }
}
