use std::path::Path;

use super::Api;
use super::problem::{FieldError, Problem};
use crate::audio::{AudioInfo, AudioLimits};
use crate::worker::probe::{ProbeError, probe_in_child};

/// Has a child with limits look at an upload. What is wrong with the recording is a mistake of `field`.
pub async fn look_at(
    api: &Api,
    field: &str,
    path: &Path,
) -> Result<Result<AudioInfo, FieldError>, Problem> {
    let slot = api.probe_slots.acquire().await;
    let _slot = slot.map_err(|closed| Problem::internal(&closed))?;
    let limits = AudioLimits {
        max_duration_s: api.settings.max_duration_s,
    };
    match probe_in_child(&api.program, path, &limits).await {
        Ok(info) => Ok(Ok(info)),
        Err(ProbeError::Rejected { rule, message }) => {
            Ok(Err(FieldError::new(field, rule_name(&rule), message)))
        }
        Err(error @ ProbeError::Broken(_)) => Err(Problem::internal(&error)),
    }
}

/// The rules that a recording can break, as the child names them.
const RULES: [&str; 6] = [
    "empty",
    "format",
    "channels",
    "sampleRate",
    "duration",
    "decode",
];

fn rule_name(rule: &str) -> &'static str {
    let known = RULES.into_iter().find(|known| *known == rule);
    known.unwrap_or("decode")
}
