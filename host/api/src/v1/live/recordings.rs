//! Recordings of live conversions: links to them, where the links lead, and deletion.

use std::time::Duration;

use crate::Api;
use crate::rules::problem::Problem;
use crate::v1::served::{Served, Source, media_type};
use vocalhost_files::Download;
use vocalhost_job::LiveSide;
use vocalhost_store::LiveRecord;

/// The path of live conversions, under each root of the API.
pub(crate) const COLLECTION: &str = "live-conversions";

/// The link to the recording of a side, while there is one.
pub(super) async fn link(
    api: &Api,
    live: &LiveRecord,
    side: LiveSide,
) -> Result<Option<String>, Problem> {
    let Some(file) = live.recorded.of(side) else {
        return Ok(None);
    };
    if !api.settings.files_proxy {
        let name = download_name(live.id, side);
        let download = Download {
            name: &name,
            media_type: media_type(&name),
        };
        let lasts = Duration::from_secs(api.settings.result_url_ttl_s);
        if let Some(link) = api.files.link(&file.key, &download, lasts).await? {
            return Ok(Some(link));
        }
    }
    let target = format!("{COLLECTION}/{}/{}.wav", live.id, side.as_str());
    Ok(Some(api.result_link(&target)))
}

/// What a browser calls the file that it saves.
fn download_name(id: i64, side: LiveSide) -> String {
    format!("live-{id}-{}.wav", side.as_str())
}

/// The file that a link to a recording leads to.
pub(crate) async fn served(api: &Api, id: i64, name: &str) -> Result<Option<Served>, Problem> {
    let called = |side: &LiveSide| name.strip_suffix(".wav") == Some(side.as_str());
    let Some(side) = LiveSide::ALL.into_iter().find(called) else {
        return Ok(None);
    };
    let live = api.store.live(id).await?;
    let file = live.and_then(|live| live.recorded.of(side).cloned());
    Ok(file.map(|file| Served {
        source: Source::Stored(file.key),
        size_bytes: file.bytes,
        sha256: file.sha256,
        name: download_name(id, side),
        inline: false,
    }))
}

/// Deletes recordings that nothing names any more. Those that cannot be deleted now are found by the cleanup.
pub(super) async fn delete_files(api: &Api, id: i64, keys: &[String]) {
    for key in keys {
        if let Err(error) = api.files.delete(key).await {
            tracing::warn!(live = id, %error, "a recording of a live conversion is left");
        }
    }
}
