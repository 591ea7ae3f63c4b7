//! What callers may use of what a server has: voices, pipelines and effects.

use std::collections::BTreeMap;

use serde_json::Value;

use super::chain;
use super::common::no_such_voice;
use crate::Api;
use crate::rules::problem::{FieldError, Problem};
use vocalhost_job::ChainItem;
use vocalhost_store::{Caller, ModelRecord};
use vocalhost_system::clock;

/// Whether the caller may see this voice: public voices are everyone's.
pub fn is_visible(voice: &ModelRecord, caller: &Caller) -> bool {
    voice.owner_id.is_none_or(|owner| owner == caller.user_id)
}

/// The voice of a request. One that is unknown, somebody else's or unusable is one and the same mistake.
pub async fn usable_voice(
    api: &Api,
    id: i64,
    caller: &Caller,
    mistakes: &mut Vec<FieldError>,
) -> Result<Option<ModelRecord>, Problem> {
    // 0 stands for a mistake that is reported already.
    if id == 0 {
        return Ok(None);
    }
    // Models that were removed since the last look take the voices that need them with them.
    api.library.current(clock::now_us()).await?;
    let voice = api.store.model(id).await?;
    let voice = voice.filter(|voice| voice.usable && is_visible(voice, caller));
    if voice.is_none() {
        mistakes.push(no_such_voice("voiceModelId"));
    }
    Ok(voice)
}

/// The pipelines that a request names and its caller may use, by name.
pub async fn named_in(
    api: &Api,
    user_id: i64,
    fields: &[(String, String)],
) -> Result<BTreeMap<String, Value>, Problem> {
    let mut found = BTreeMap::new();
    for name in chain::pipeline_names(fields) {
        if let Some(pipeline) = api.store.pipeline(user_id, &name).await? {
            found.insert(name, pipeline.chain);
        }
    }
    Ok(found)
}

/// Effects are pinned: a job made from an earlier one runs the same components, which may have been removed since.
pub async fn check_effects(
    api: &Api,
    effects: impl IntoIterator<Item = &ChainItem>,
) -> Result<(), Problem> {
    for item in effects {
        if !api.store.knows_effect(&item.digest).await? {
            return Err(Problem::Gone {
                detail: format!(
                    "The effect {} {} that was used is not installed any more.",
                    item.id, item.version
                ),
            });
        }
    }
    Ok(())
}
