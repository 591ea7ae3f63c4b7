use super::change::{Held, held_columns};
use super::{Lease, Store, StoreError};
use crate::sql::{Alone, Row, Transaction, query};
use vocalhost_job::next;

impl Store {
    /// Takes the jobs whose lease has run out from their workers. Returns the leases that are void now: what was made
    /// under them is to be deleted.
    pub async fn rescue(&self, now_us: i64) -> Result<Vec<Lease>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let rows = query(concat!(
            "SELECT ",
            held_columns!(),
            " FROM jobs WHERE state IN ('running', 'cancelling') AND lease_until_us <= $1"
        ))
        .locking_free(&transaction)
        .bind(now_us)
        .fetch_all(&mut transaction)
        .await?;
        let taken = take(&mut transaction, &rows, now_us).await?;
        transaction.commit().await?;
        self.announce_taken(&taken);
        Ok(taken)
    }

    /// Takes every running job from its worker: for a server that has just started and knows that it is the only one,
    /// so that whoever had them is dead. Otherwise like `rescue`.
    pub async fn release_all(&self, now_us: i64) -> Result<Vec<Lease>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let rows = query(concat!(
            "SELECT ",
            held_columns!(),
            " FROM jobs WHERE state IN ('running', 'cancelling')"
        ))
        .locking_free(&transaction)
        .fetch_all(&mut transaction)
        .await?;
        let taken = take(&mut transaction, &rows, now_us).await?;
        transaction.commit().await?;
        self.announce_taken(&taken);
        Ok(taken)
    }

    fn announce_taken(&self, taken: &[Lease]) {
        for lease in taken {
            self.announce_change(lease.job_id);
        }
        if !taken.is_empty() {
            self.announce_due_job();
            self.announce_news();
        }
    }
}

async fn take(
    transaction: &mut Transaction,
    rows: &[Row],
    now_us: i64,
) -> Result<Vec<Lease>, StoreError> {
    let mut taken = Vec::with_capacity(rows.len());
    for row in rows {
        let mut held = Held::read(row)?;
        let event = held.died(now_us);
        let Ok(state) = next(&held.state, event) else {
            continue;
        };
        if held.change_to(transaction, &state, now_us).await?
            && let Some(run) = held.state.run()
        {
            taken.push(Lease {
                job_id: held.id,
                token: run.lease_token.clone(),
            });
        }
    }
    Ok(taken)
}
