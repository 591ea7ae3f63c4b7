use std::borrow::Cow;

use crate::sql::NulInText;

/// What can go wrong with the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database was written by a newer release.
    #[error(
        "the database {database} has schema version {found}, but this release only knows versions up to {known}: run the newer release, or restore a backup made before it"
    )]
    Newer {
        /// Where the database is.
        database: String,
        /// The newest migration that the database has had.
        found: i64,
        /// The newest migration that this release has.
        known: i64,
    },
    /// The database is no file, as what was asked for needs it.
    #[error("the database is on a server: use its own means for a backup")]
    NoFile,
    /// The schema could not be brought up to date.
    #[error("cannot bring the database's schema up to date: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The queue of all users is full.
    #[error("the queue is full")]
    QueueFull,
    /// The user has as many waiting jobs as one user may have.
    #[error("the user has too many jobs waiting")]
    UserQueueFull,
    /// The job that is to be tried again is not there.
    #[error("the job to try again is gone")]
    RetryUnknown,
    /// The job that is to be tried again has not ended.
    #[error("the job to try again has not ended")]
    RetryRunning,
    /// What the job that is to be tried again worked on was deleted.
    #[error("the recording of the job to try again was deleted")]
    RetryWithoutInput,
    /// The key of the request was taken over by another one.
    #[error("the idempotency key was given to another request")]
    ReservationLost,
    /// The user's files would take up more than they may.
    #[error("the user's files take up {used} of {quota} bytes, and {more} more are needed")]
    StorageQuota {
        /// Bytes now.
        used: u64,
        /// Bytes that come.
        more: u64,
        /// Bytes that there may be.
        quota: u64,
    },
    /// The user would have given in more audio than one user may.
    #[error(
        "the user has given in {used_ms} ms of {minutes} minutes of audio, and {more_ms} ms more come"
    )]
    AudioQuota {
        /// Milliseconds so far.
        used_ms: u64,
        /// Milliseconds that come.
        more_ms: u64,
        /// Minutes that there may be.
        minutes: u64,
    },
    /// The user has begun as many trainings of voices on this day as one user may.
    #[error("the user has begun {most} trainings today")]
    TrainingQuota {
        /// As many as there may be.
        most: u64,
    },
    /// The user has as many live conversions at a time as one user may have.
    #[error("the user has {most} live conversions open")]
    LiveQuota {
        /// As many as there may be.
        most: u64,
    },
    /// Nobody else could manage the server.
    #[error("nobody else has a key with the scope `admin`")]
    LastAdmin,
    /// The user has a pipeline of this name already.
    #[error("the user has a pipeline of this name already")]
    PipelineExists,
    /// The user has as many pipelines as one user may have.
    #[error("the user has as many pipelines as one user may have")]
    TooManyPipelines,
    /// The user has as many webhooks as one user may have.
    #[error("the user has as many webhooks as one user may have")]
    TooManyWebhooks,
    /// The user has a webhook for the addresses of jobs already.
    #[error("the user has a webhook for the addresses of jobs already")]
    WebhookExists,
    /// A stored row holds something that this release does not understand.
    #[error("row {row} of table {table} is damaged: {reason}")]
    Damaged {
        /// The table.
        table: &'static str,
        /// The row's id.
        row: i64,
        /// What is wrong.
        reason: String,
    },
    /// The system has no random numbers to make a key from.
    #[error("the system gives no random numbers: {0}")]
    Randomness(String),
    /// A record could not be written as JSON.
    #[error("cannot write a record as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The database itself failed.
    #[error("the database failed: {0}")]
    Database(#[from] sqlx::Error),
}

/// `SQLITE_FULL` of <https://www.sqlite.org/rescode.html>, and `disk_full` of `PostgreSQL`, in
/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
const FULL: [&str; 2] = ["13", "53100"];

/// Temporary errors of a `PostgreSQL` server: it takes no more connections, is being stopped or started, a lock was not available in time,
/// or another transaction stood in the way.
const PASSING: [&str; 9] = [
    "53300", "57P01", "57P02", "57P03", "57P05", "57014", "55P03", "40001", "40P01",
];

/// A transaction that was rolled back because of others, and can be repeated: a conflict of serialisation, or a deadlock.
const CONFLICTS: [&str; 2] = ["40001", "40P01"];

/// The class of errors of connections.
const OF_CONNECTIONS: &str = "08";

impl StoreError {
    /// Whether the disk of the database is full.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.code().is_some_and(|code| FULL.contains(&&*code))
    }

    /// Whether the database is unavailable for now, so that the same call may succeed later.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        let Self::Database(error) = self else {
            return false;
        };
        match error {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => true,
            _ => self
                .code()
                .is_some_and(|code| PASSING.contains(&&*code) || code.starts_with(OF_CONNECTIONS)),
        }
    }

    /// Whether a text contains the character NUL, which no database here stores or searches for.
    #[must_use]
    pub fn is_bad_text(&self) -> bool {
        matches!(self, Self::Database(sqlx::Error::Encode(cause)) if cause.is::<NulInText>())
    }

    /// Whether the database rolled back a transaction that can be repeated at once.
    pub(crate) fn is_conflict(&self) -> bool {
        self.code().is_some_and(|code| CONFLICTS.contains(&&*code))
    }

    /// What the database calls what went wrong.
    fn code(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Database(sqlx::Error::Database(error)) => error.code(),
            _ => None,
        }
    }
}
