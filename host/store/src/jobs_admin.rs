use super::again::again;
use super::audit::note_done;
use super::change::{Held, held_columns};
use super::job_rows::{job_columns, job_record};
use super::jobs::push_kind_and_status;
use super::page::{listing, page_of};
use super::{Actor, JobRecord, Page, Store, StoreError};
use crate::sql::{Alone, Row, Statement, Transaction, query};
use vocalhost_job::{Event, JobKind, JobStatus, next};

/// A job as an operator sees one.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedJob {
    /// The job; its position in the queue is not worked out.
    pub job: JobRecord,
    /// Whose it is.
    pub user: String,
    /// How often it was claimed.
    pub attempts: u32,
    /// How often it failed by a fault of ours.
    pub failures: u32,
    /// How often a worker died under it.
    pub deaths: u32,
}

/// Which jobs an operator lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllJobsQuery {
    /// Of this user only.
    pub user_id: Option<i64>,
    /// Of this kind only.
    pub kind: Option<JobKind>,
    /// With this status only.
    pub status: Option<JobStatus>,
    /// Newest first.
    pub descending: bool,
    /// Counts from 1.
    pub page: u64,
    /// Rows on a page.
    pub per_page: u64,
}

/// The outcome of an operator's action.
#[derive(Debug, Clone, PartialEq)]
pub enum JobHandled<T> {
    /// There is no such job.
    Unknown,
    /// The job is not in a state that this can be done in.
    WrongState,
    /// It is done.
    Done(T),
}

/// What `listed` reads.
macro_rules! listed_columns {
    () => {
        concat!(
            "SELECT ",
            job_columns!(),
            ", u.name AS user_name FROM jobs j JOIN users u ON u.id = j.user_id "
        )
    };
}

impl Store {
    /// A page of the jobs of all users, in the order of acceptance.
    pub async fn all_jobs(&self, query: &AllJobsQuery) -> Result<Page<ListedJob>, StoreError> {
        let mut transaction = self.reading().await?;
        let heads = ["SELECT COUNT(*) FROM jobs j ", listed_columns!()];
        let place = ("j.id", query.descending, (query.page, query.per_page));
        let statements = listing(heads, |one| push_filter(one, query), place);
        page_of(&mut transaction, statements, listed).await
    }

    /// The job with this number, of any kind and whoever owns it.
    pub async fn listed_job(&self, id: i64) -> Result<Option<ListedJob>, StoreError> {
        let mut transaction = self.reading().await?;
        read_listed(&mut transaction, id).await
    }

    /// Takes a running job from its worker and puts it back into the queue, as if it had never been claimed.
    pub async fn requeue_job(
        &self,
        id: i64,
        actor: &Actor,
        now_us: i64,
    ) -> Result<JobHandled<Box<ListedJob>>, StoreError> {
        let handled = again!(self.requeue_job_once(id, actor, now_us))?;
        if matches!(handled, JobHandled::Done(_)) {
            self.announce_change(id);
            self.announce_due_job();
        }
        Ok(handled)
    }

    async fn requeue_job_once(
        &self,
        id: i64,
        actor: &Actor,
        now_us: i64,
    ) -> Result<JobHandled<Box<ListedJob>>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let row = query(concat!(
            "SELECT ",
            held_columns!(),
            " FROM jobs WHERE id = $1"
        ))
        .locking(&transaction)
        .bind(id)
        .fetch_optional(&mut transaction)
        .await?;
        let Some(row) = row else {
            return Ok(JobHandled::Unknown);
        };
        let held = Held::read(&row)?;
        let Ok(state) = next(&held.state, Event::HandedBack { at_us: now_us }) else {
            return Ok(JobHandled::WrongState);
        };
        held.change_to(&mut transaction, &state, now_us).await?;
        note_done(
            &mut transaction,
            actor,
            ("requeueJob", &id.to_string()),
            now_us,
        )
        .await?;
        let after = read_listed(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(after.map_or(JobHandled::Unknown, |after| {
            JobHandled::Done(Box::new(after))
        }))
    }
}

async fn read_listed(
    transaction: &mut Transaction,
    id: i64,
) -> Result<Option<ListedJob>, StoreError> {
    let row = query(concat!(listed_columns!(), "WHERE j.id = $1"))
        .bind(id)
        .fetch_optional(transaction)
        .await?;
    row.as_ref().map(listed).transpose()
}

fn push_filter(builder: &mut Statement, query: &AllJobsQuery) {
    builder.push("WHERE TRUE");
    if let Some(user_id) = query.user_id {
        builder.push(" AND j.user_id = ").push_bind(user_id);
    }
    push_kind_and_status(builder, query.kind, query.status);
}

fn listed(row: &Row) -> Result<ListedJob, StoreError> {
    Ok(ListedJob {
        job: job_record(row)?,
        user: row.try_get("user_name")?,
        attempts: row.try_get("attempt")?,
        failures: row.try_get("failures")?,
        deaths: row.try_get("deaths")?,
    })
}
