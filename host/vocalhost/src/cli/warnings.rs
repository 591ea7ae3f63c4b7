//! What a command says of a job beside its result.

use serde_json::{Value, json};

use vocalhost_job::{InputWarning, Succession};

/// Says on standard error what was wrong with recordings that were taken all the same, and which voices took the places of others.
pub fn warn(warnings: &[InputWarning], successions: &[Succession]) {
    for warning in warnings {
        let which = if warning.of_backing {
            "the backing"
        } else {
            "the recording"
        };
        let code = warning.code.as_str();
        eprintln!(
            "warning: {which}, at {:.3} s: {} ({code})",
            warning.at_s, warning.message
        );
    }
    for succession in successions {
        eprintln!("warning: {} ({})", succession.message(), Succession::CODE);
    }
}

/// The same as JSON.
pub fn records(warnings: &[InputWarning], successions: &[Succession]) -> Vec<Value> {
    let of_recordings = warnings.iter().map(|warning| {
        json!({
            "code": warning.code.as_str(),
            "message": warning.message,
            "atSeconds": warning.at_s,
            "seconds": warning.duration_s,
        })
    });
    let of_voices = successions.iter().map(|succession| {
        json!({
            "code": Succession::CODE,
            "message": succession.message(),
            "atSeconds": null,
            "seconds": null,
        })
    });
    of_recordings.chain(of_voices).collect()
}
