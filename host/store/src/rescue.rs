use super::again::again;
use super::change::{Held, held_columns};
use super::{Lease, Store, StoreError};
use crate::sql::{Alone, Statement, query};
use vocalhost_job::{Event, next};

/// What is told of a job that is taken from its worker.
type Mishap = fn(&mut Held, i64) -> Event;

/// Jobs that workers have, always locked in the same order, so that there is no deadlock.
const HELD: &str = concat!(
    "SELECT ",
    held_columns!(),
    " FROM jobs WHERE state IN ('running', 'cancelling')"
);
const IN_ORDER: &str = " ORDER BY id";

impl Store {
    /// Takes the jobs whose lease has run out from their workers. Returns the void leases, whose files are to be deleted.
    pub async fn rescue(&self, now_us: i64) -> Result<Vec<Lease>, StoreError> {
        let mut held = query(HELD);
        held.push(" AND lease_until_us <= ").push_bind(now_us);
        self.take(held, Held::expired, now_us).await
    }

    /// Takes every running job from its worker: for a server that has just started and knows that it is the only one, so that the workers
    /// are dead. Otherwise like `rescue`, but it counts as a death, since the job may have killed the server.
    pub async fn release_all(&self, now_us: i64) -> Result<Vec<Lease>, StoreError> {
        self.take(query(HELD), Held::died, now_us).await
    }

    /// Takes the running jobs of a server of this name from its workers: for a server that has just started, so that the workers are dead.
    /// Otherwise like `rescue`.
    pub async fn release_own(&self, now_us: i64) -> Result<Vec<Lease>, StoreError> {
        let mut held = query(HELD);
        held.push(" AND node = ").push_bind(self.node());
        self.take(held, Held::expired, now_us).await
    }

    async fn take(
        &self,
        mut held: Statement,
        mishap: Mishap,
        now_us: i64,
    ) -> Result<Vec<Lease>, StoreError> {
        held.push(IN_ORDER);
        let taken = again!(self.take_once(held.clone(), mishap, now_us))?;
        self.announce_taken(&taken);
        Ok(taken)
    }

    async fn take_once(
        &self,
        held: Statement,
        mishap: Mishap,
        now_us: i64,
    ) -> Result<Vec<Lease>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let rows = held
            .locking_free(&transaction)
            .fetch_all(&mut transaction)
            .await?;
        let mut taken = Vec::with_capacity(rows.len());
        for row in &rows {
            let mut held = Held::read(row)?;
            let event = mishap(&mut held, now_us);
            let Ok(state) = next(&held.state, event) else {
                continue;
            };
            if held.change_to(&mut transaction, &state, now_us).await?
                && let Some(run) = held.state.run()
            {
                taken.push(Lease {
                    job_id: held.id,
                    token: run.lease_token.clone(),
                });
            }
        }
        transaction.commit().await?;
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
