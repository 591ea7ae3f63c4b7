use super::rows::optional_json;
use super::usage::set_result_bytes;
use super::{Store, StoreError};
use crate::sql::{Alone, query};
use vocalhost_job::{FileContent, JobResult};

/// The outcome of noting a file that was made after its job had ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMade {
    /// It belongs to the result.
    Kept,
    /// The job, or its result, is gone: nobody will ask for the file.
    Unwanted,
}

impl Store {
    /// Notes the content of a file of a result that was still to be made, and counts it towards the storage of the job's user. If somebody
    /// else has made it meanwhile, that entry stays.
    pub async fn file_made(
        &self,
        job_id: i64,
        key: &str,
        content: &FileContent,
    ) -> Result<FileMade, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let row = query("SELECT id, result FROM jobs WHERE id = $1")
            .locking(&transaction)
            .bind(job_id)
            .fetch_optional(&mut transaction)
            .await?;
        let result = match &row {
            Some(row) => optional_json::<JobResult>(row, "result", "jobs", row.try_get("id")?)?,
            None => None,
        };
        let Some(mut result) = result else {
            return Ok(FileMade::Unwanted);
        };
        // A sound that is both a whole file and a stem has two entries for one file.
        let mut named = result.files.iter_mut().filter(|file| file.key == key);
        let Some(first) = named.next() else {
            return Ok(FileMade::Unwanted);
        };
        for file in std::iter::once(first).chain(named) {
            file.content.get_or_insert_with(|| content.clone());
        }
        query("UPDATE jobs SET result = $1 WHERE id = $2")
            .bind(serde_json::to_string(&result)?)
            .bind(job_id)
            .execute(&mut transaction)
            .await?;
        set_result_bytes(&mut transaction, job_id, &result).await?;
        transaction.commit().await?;
        Ok(FileMade::Kept)
    }
}
