//! Turns the errors of the areas below into answers.

use vocalhost_catalogues::shelf::ShelfError;
use vocalhost_files::FilesError;
use vocalhost_http::Refusal;
use vocalhost_store::StoreError;
use vocalhost_system::disk;
use vocalhost_work::lossy::LossyError;

use super::problem::Problem;

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::MediaType { wanted } => Self::UnsupportedMediaType { wanted },
            Refusal::Invalid(mistakes) => Self::Invalid(mistakes),
            Refusal::TooSlow => Self::RequestTimeout,
            Refusal::Conflict { code, detail } => Self::Conflict { code, detail },
            Refusal::Upload {
                status,
                code,
                detail,
            } => Self::Upload {
                status,
                code,
                detail,
            },
            Refusal::Failed(error) => error.into(),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::UserQueueFull => Self::QuotaExceeded {
                detail: "You have as many jobs waiting as one user may have.".to_owned(),
            },
            StoreError::StorageQuota { used, more, quota } => {
                Self::storage_used_up(used, more, quota)
            }
            StoreError::AudioQuota {
                used_ms,
                more_ms,
                minutes,
            } => Self::UsedUp {
                detail: format!(
                    "You have given in {:.1} of {minutes} minutes of audio over 30 days, and this has {:.1} more.",
                    used_ms as f64 / 60_000.0,
                    more_ms as f64 / 60_000.0
                ),
            },
            StoreError::TrainingQuota { most } => Self::UsedUp {
                detail: format!(
                    "You have begun {most} trainings today, which is as many as one user may: go on tomorrow."
                ),
            },
            StoreError::LiveQuota { most } => Self::QuotaExceeded {
                detail: format!(
                    "You have {most} live conversions open, which is as many as one user may have."
                ),
            },
            StoreError::LastAdmin => Self::Conflict {
                code: "E_LAST_ADMIN",
                detail: "Nobody else has a key with the scope `admin`.".to_owned(),
            },
            StoreError::QueueFull => Self::Unavailable {
                detail: "The queue is full; try again later.".to_owned(),
            },
            StoreError::RetryUnknown => Self::RowNotFound,
            StoreError::RetryRunning => Self::job_running(),
            StoreError::RetryWithoutInput => Self::Gone {
                detail: "The recording of this job was deleted: upload it again.".to_owned(),
            },
            StoreError::ReservationLost => Self::key_in_progress(),
            StoreError::PipelineExists => Self::field(
                "name",
                "unique",
                "You have a pipeline of this name already.",
            ),
            StoreError::TooManyPipelines => Self::QuotaExceeded {
                detail: "You have as many pipelines as one user may have.".to_owned(),
            },
            StoreError::WebhookExists => Self::field(
                "url",
                "unique",
                "You have a webhook for the addresses that jobs name already.",
            ),
            StoreError::TooManyWebhooks => Self::QuotaExceeded {
                detail: "You have as many webhooks as one user may have.".to_owned(),
            },
            // Bodies are looked at when they come; what is left is in addresses.
            StoreError::Database(_) if error.is_bad_text() => Self::field(
                "address",
                "text",
                "The address has the character NUL, which no text may have.",
            ),
            StoreError::Database(_) if error.may_pass() => Self::database_away(&error),
            StoreError::Newer { .. }
            | StoreError::NoFile
            | StoreError::Migration(_)
            | StoreError::Damaged { .. }
            | StoreError::Randomness(_)
            | StoreError::Json(_)
            | StoreError::Database(_) => Self::failed(&error, error.is_full()),
        }
    }
}

impl From<ShelfError> for Problem {
    fn from(error: ShelfError) -> Self {
        let detail = || format!("{error}.");
        let conflict = |code| Self::Conflict {
            code,
            detail: detail(),
        };
        match &error {
            ShelfError::Missing(_) => Self::RowNotFound,
            ShelfError::SeveralVersions { .. } => Self::field("id", "version", detail()),
            ShelfError::Rejected(_) => Self::field("component", "effect", detail()),
            ShelfError::Reserved { .. }
            | ShelfError::IdTaken { .. }
            | ShelfError::Distrusted(_) => conflict("E_EFFECT_ID_TAKEN"),
            ShelfError::VersionTaken { .. } => conflict("E_EFFECT_VERSION_TAKEN"),
            ShelfError::BuiltIn { .. } => conflict("E_EFFECT_BUILT_IN"),
            ShelfError::Limit { limit, wanted } => {
                let name = limit.as_str();
                Self::field(name, "range", format!("`{name}` must be {wanted}."))
            }
            ShelfError::Store(cause) if cause.may_pass() => Self::database_away(&error),
            ShelfError::Store(cause) => Self::failed(&error, cause.is_full()),
            ShelfError::Files(cause) if cause.may_pass() => Self::files_failed(&error),
            ShelfError::Inspection(_) | ShelfError::Files(_) => {
                Self::failed(&error, disk::is_full(&error))
            }
        }
    }
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Self {
        Self::failed(&error, disk::is_full(&error))
    }
}

impl From<LossyError> for Problem {
    fn from(error: LossyError) -> Self {
        match error {
            // The record's link outlived its result.
            LossyError::Gone => Self::RowNotFound,
            LossyError::NoRoom => Self::no_room(),
            LossyError::NoFiles => Self::no_files(),
            LossyError::NoDatabase => Self::no_database(),
            LossyError::Failed(_) => Self::internal(&error),
        }
    }
}

impl From<FilesError> for Problem {
    fn from(error: FilesError) -> Self {
        match error {
            // The record's link outlived its file.
            FilesError::NotFound { .. } => Self::RowNotFound,
            FilesError::Unavailable { .. } | FilesError::Cut { .. } => Self::files_failed(&error),
            FilesError::Key { .. }
            | FilesError::Local { .. }
            | FilesError::Unusable { .. }
            | FilesError::Store(_) => Self::failed(&error, disk::is_full(&error)),
        }
    }
}
