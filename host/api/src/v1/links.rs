use std::collections::BTreeMap;
use std::time::Duration;

use super::names::{download_name, files_of, result_target};
use super::served::media_type;
use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_files::Download;
use vocalhost_job::{JobKind, ResultFile};
use vocalhost_store::JobRecord;

/// Links to those files of a job that the file store serves itself, by key, all signed at one moment. Links to other files lead to
/// this server.
#[derive(Debug, Default)]
pub struct Links(BTreeMap<String, String>);

impl Links {
    /// Signs links to what a job has in the file store.
    pub async fn of(api: &Api, job: &JobRecord) -> Result<Self, Problem> {
        let mut links = BTreeMap::new();
        if api.settings.files_proxy {
            return Ok(Self(links));
        }
        let lasts = Duration::from_secs(api.settings.result_url_ttl_s);
        for (_, file) in files_of(job) {
            // One that is made when it is first asked for has to be asked for here.
            if file.content.is_none() {
                continue;
            }
            let name = download_name(job.kind, job.id, file);
            let download = Download {
                name: &name,
                media_type: media_type(&name),
            };
            match api.files.link(&file.key, &download, lasts).await? {
                Some(link) => links.insert(file.key.clone(), link),
                // The store is a folder.
                None => break,
            };
        }
        Ok(Self(links))
    }

    /// The link to one of the files.
    pub fn to(&self, api: &Api, (kind, job_id): (JobKind, i64), file: &ResultFile) -> String {
        match self.0.get(&file.key) {
            Some(link) => link.clone(),
            None => api.result_link(&result_target(kind, job_id, file)),
        }
    }
}
