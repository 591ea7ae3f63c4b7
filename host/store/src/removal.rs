use super::again::again;
use super::audit::note_done;
use super::{Actor, Expired, JobHandled, Store, StoreError};
use crate::sql::{Alone, query};
use vocalhost_job::JobKind;

impl Store {
    /// Forgets an ended job with its events, and returns which of its files may be deleted. A voice that it made stays.
    ///
    /// With a `kind`, jobs of other kinds count as missing. With an `actor`, the action is noted in the audit log.
    pub async fn remove_job(
        &self,
        (id, kind): (i64, Option<JobKind>),
        actor: Option<&Actor>,
        now_us: i64,
    ) -> Result<JobHandled<Expired>, StoreError> {
        let handled = again!(self.remove_job_once((id, kind), actor, now_us))?;
        if matches!(handled, JobHandled::Done(_)) {
            self.announce_change(id);
        }
        Ok(handled)
    }

    async fn remove_job_once(
        &self,
        (id, kind): (i64, Option<JobKind>),
        actor: Option<&Actor>,
        now_us: i64,
    ) -> Result<JobHandled<Expired>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let row = query(
            "SELECT id, input_key, backing_key, recordings, ended_at_us IS NOT NULL AS ended FROM jobs \
             WHERE id = $1 AND kind = COALESCE($2, kind)",
        )
        .locking(&transaction)
        .bind(id)
        .bind(kind.map(JobKind::as_str))
        .fetch_optional(&mut transaction)
        .await?;
        let Some(row) = row else {
            return Ok(JobHandled::Unknown);
        };
        if !row.try_get::<bool>("ended")? {
            return Ok(JobHandled::WrongState);
        }
        let mut removed = Expired::of(&row)?;
        query("DELETE FROM jobs WHERE id = $1")
            .bind(id)
            .execute(&mut transaction)
            .await?;
        removed.keep_unneeded(&mut transaction).await?;
        if let Some(actor) = actor {
            note_done(
                &mut transaction,
                actor,
                ("deleteJob", &id.to_string()),
                now_us,
            )
            .await?;
        }
        transaction.commit().await?;
        Ok(JobHandled::Done(removed))
    }
}
