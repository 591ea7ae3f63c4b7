use serde::{Deserialize, Serialize};

use super::again::again;
use super::jobs::{accept, read_job};
use super::models::{ModelRecord, in_the_making, model_columns, model_record, put_tags};
use super::rows::to_sql;
use super::{JobRecord, NewJob, Store, StoreError};
use crate::sql::{Alone, Transaction, query};
use vocalhost_job::{FileRole, JobSpec, JobState, ResultFile};

/// A voice that a job is going to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVoice {
    /// The id that its package will have.
    pub package_id: String,
    /// The title shown to people.
    pub title: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Whether it is an instrument rather than a voice.
    pub instrument: bool,
}

/// A file of a package in the file store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPackageFile {
    /// Its name in the package.
    pub name: String,
    /// Where it lies in the file store.
    pub key: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its content, lower-case hex.
    pub sha256: String,
}

impl Store {
    /// Accepts a job that makes a voice and gives the voice a number, in one transaction. The voice belongs to the job's user. It cannot be
    /// used until the job ends in `success`, or later if an operator has to review it; if the job ends otherwise, the voice is deleted. The
    /// job's specification gets the number.
    pub async fn create_voice(
        &self,
        new: &NewJob,
        voice: &NewVoice,
        now_us: i64,
    ) -> Result<JobRecord, StoreError> {
        let record = again!(self.create_blend_once(new, voice, now_us))?;
        self.announce_due_job();
        self.announce_change(record.id);
        Ok(record)
    }

    async fn create_blend_once(
        &self,
        new: &NewJob,
        voice: &NewVoice,
        now_us: i64,
    ) -> Result<JobRecord, StoreError> {
        let mut new = new.clone();
        let mut transaction = self.writing(Alone::User(new.user_id)).await?;
        let voice_id = insert_voice(&mut transaction, Some(new.user_id), voice, now_us).await?;
        new.spec.set_made_voice(voice_id);
        let id = accept(&mut transaction, &new, now_us).await?;
        query("UPDATE voice_models SET made_by = $1, fault = $2, enabled = $4 WHERE id = $3")
            .bind(id)
            .bind(in_the_making(new.spec.kind()))
            .bind(voice_id)
            .bind(!matches!(&new.spec, JobSpec::VoiceTraining(spec) if spec.review))
            .execute(&mut transaction)
            .await?;
        let record = read_job(&mut transaction, id)
            .await?
            .ok_or(sqlx::Error::RowNotFound)?;
        transaction.commit().await?;
        Ok(record)
    }

    /// Every voice whose package lies in the file store.
    pub async fn stored_voices(&self) -> Result<Vec<ModelRecord>, StoreError> {
        let rows = query(concat!(
            "SELECT ",
            model_columns!(),
            " FROM voice_models m WHERE m.package IS NOT NULL ORDER BY m.id"
        ))
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(model_record).collect()
    }

    /// Notes why a voice cannot be used, or with `None` that it can be.
    pub async fn set_fault(&self, id: i64, fault: Option<&str>) -> Result<(), StoreError> {
        query("UPDATE voice_models SET usable = $1, fault = $2 WHERE id = $3")
            .bind(fault.is_none())
            .bind(fault)
            .bind(id)
            .execute(self.writers())
            .await?;
        Ok(())
    }

    /// Whether no worker has a job.
    pub async fn runs_nothing(&self) -> Result<bool, StoreError> {
        let nothing =
            "SELECT NOT EXISTS (SELECT 1 FROM jobs WHERE state IN ('running', 'cancelling'))";
        Ok(query(nothing).value(self.readers()).await?)
    }

    /// Whether a voice of the catalogue has this package.
    pub async fn knows_package(&self, package_id: &str) -> Result<bool, StoreError> {
        let known = "SELECT EXISTS (SELECT 1 FROM voice_models WHERE package_id = $1)";
        let asked = query(known).bind(package_id);
        Ok(asked.value(self.readers()).await?)
    }

    /// Whether the file `key` belongs to the package of the voice that the job made, or was made under the job's current lease.
    pub async fn needs_package_file(&self, job_id: i64, key: &str) -> Result<bool, StoreError> {
        let token: Option<Option<String>> = query("SELECT lease_token FROM jobs WHERE id = $1")
            .bind(job_id)
            .optional_value(self.readers())
            .await?;
        if let Some(token) = token.flatten() {
            return Ok(key.split('/').any(|segment| segment == token));
        }
        let row = query("SELECT id, package FROM voice_models WHERE made_by = $1")
            .bind(job_id)
            .fetch_optional(self.readers())
            .await?;
        let Some(row) = row else {
            return Ok(false);
        };
        let id = row.try_get("id")?;
        let files: Option<Vec<StoredPackageFile>> =
            super::rows::optional_json(&row, "package", "voice_models", id)?;
        Ok(files.is_some_and(|files| files.iter().any(|file| file.key == key)))
    }
}

/// Settles the voice that an ending job was to make, if there is one: with a result it gets its package and can be used, otherwise it is
/// deleted. Within the transaction that ends the job.
pub(super) async fn settle_voice(
    transaction: &mut Transaction,
    job_id: i64,
    state: &JobState,
) -> Result<(), StoreError> {
    match state {
        JobState::Succeeded { result, .. } => {
            let files: Vec<StoredPackageFile> =
                result.files.iter().filter_map(package_file).collect();
            if !files.is_empty() {
                query(
                    "UPDATE voice_models SET usable = TRUE, fault = NULL, package = $1, \
                     package_bytes = $3 + COALESCE(package_bytes, 0) WHERE made_by = $2",
                )
                .bind(serde_json::to_string(&files)?)
                .bind(job_id)
                .bind(to_sql(files.iter().map(|file| file.bytes).sum()))
                .execute(transaction)
                .await?;
            }
        }
        JobState::Failed { .. } | JobState::Cancelled { .. } => {
            query("DELETE FROM voice_models WHERE made_by = $1 AND NOT usable")
                .bind(job_id)
                .execute(transaction)
                .await?;
        }
        JobState::Queued { .. } | JobState::Running(_) | JobState::Cancelling(_) => {}
    }
    Ok(())
}

fn package_file(file: &ResultFile) -> Option<StoredPackageFile> {
    if file.role != FileRole::Package {
        return None;
    }
    let (_, name) = file.key.rsplit_once('/')?;
    let content = file.content.as_ref()?;
    Some(StoredPackageFile {
        name: name.to_owned(),
        key: file.key.clone(),
        bytes: content.bytes,
        sha256: content.sha256.clone(),
    })
}

pub(super) async fn insert_voice(
    transaction: &mut Transaction,
    owner_id: Option<i64>,
    voice: &NewVoice,
    now_us: i64,
) -> Result<i64, StoreError> {
    let id = query(
        "INSERT INTO voice_models \
         (package_id, owner_id, title, title_folded, tags, instrument, usable, links, created_at_us) \
         VALUES ($1, $2, $3, $4, $5, $6, FALSE, '{}', $7) RETURNING id",
    )
    .bind(&voice.package_id)
    .bind(owner_id)
    .bind(&voice.title)
    .bind(voice.title.to_lowercase())
    .bind(serde_json::to_string(&voice.tags)?)
    .bind(voice.instrument)
    .bind(now_us)
    .value(&mut *transaction)
    .await?;
    put_tags(transaction, id, &voice.tags).await?;
    Ok(id)
}
