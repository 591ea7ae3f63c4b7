use serde_json::Value;

use super::{blender, conversions, records};
use crate::api::Api;
use crate::api::problem::Problem;
use crate::job::JobKind;

/// The record of a job as its own resource shows it, whoever owns it; `None` when there is no such job.
pub async fn record(api: &Api, kind: JobKind, id: i64) -> Result<Option<Value>, Problem> {
    let Some(job) = api.store.job(kind, id).await? else {
        return Ok(None);
    };
    Ok(match kind {
        JobKind::VoiceConversion => Some(conversions::record(api, &job).await?),
        JobKind::VocalSeparation | JobKind::StemSplit => Some(records::separation(api, &job)),
        JobKind::VoiceBlend => blender::record(&job),
    })
}
