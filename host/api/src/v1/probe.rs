use std::path::Path;

use crate::Api;
use crate::rules::problem::{FieldError, Problem};
use vocalhost_audio::{AudioLimits, InputFormat};
use vocalhost_work::worker::probe::{ProbeError, Seen, probe_in_child};

/// Has a child with limits look at an upload. What is wrong with the recording is a mistake of `field`, and so is a
/// format that is not among `accepted`.
pub async fn look_at(
    api: &Api,
    field: &str,
    path: &Path,
    accepted: &[InputFormat],
) -> Result<Result<Seen, FieldError>, Problem> {
    let slot = api.probe_slots.acquire().await;
    let _slot = slot.map_err(|closed| Problem::internal(&closed))?;
    let limits = AudioLimits {
        max_duration_s: api.settings.max_duration_s,
    };
    match probe_in_child(&api.program, path, &limits).await {
        Ok(seen) if accepted.contains(&seen.info.format) => Ok(Ok(seen)),
        Ok(Seen { info, .. }) => Ok(Err(other_format(field, info.format, accepted))),
        Err(ProbeError::Rejected { rule, message, .. }) if rule == "format" => {
            Ok(Err(wrong_format(field, &message, accepted)))
        }
        Err(ProbeError::Rejected {
            format: Some(format),
            ..
        }) if !accepted.contains(&format) => Ok(Err(other_format(field, format, accepted))),
        Err(ProbeError::Rejected { rule, message, .. }) => {
            Ok(Err(FieldError::new(field, rule_name(&rule), message)))
        }
        Err(error @ ProbeError::Broken(_)) => Err(Problem::internal(&error)),
    }
}

/// The mistake of a file in a format that others accept.
fn other_format(field: &str, format: InputFormat, accepted: &[InputFormat]) -> FieldError {
    let found = format!("the file is {}", format.as_str());
    wrong_format(field, &found, accepted)
}

/// The mistake of a file in another format than `accepted`, with what was found.
fn wrong_format(field: &str, found: &str, accepted: &[InputFormat]) -> FieldError {
    let names: Vec<&str> = accepted.iter().map(|format| format.as_str()).collect();
    let list = match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    let message = format!("{found}; accepted are {list}");
    FieldError::new(field, "format", message).with("formats", names)
}

/// The other rules that a recording can break, as the child names them.
const RULES: [&str; 5] = ["empty", "channels", "sampleRate", "duration", "decode"];

fn rule_name(rule: &str) -> &'static str {
    let known = RULES.into_iter().find(|known| *known == rule);
    known.unwrap_or("decode")
}
