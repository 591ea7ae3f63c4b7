//! Advice for the author of an effect about an error of the host.

use vocalhost_effects::PluginError;

/// Where it happened, what happened, and what to fix. The place may be empty.
pub(super) fn sentence(place: &str, error: &PluginError) -> String {
    let what = reason(error);
    let advice = advice(error);
    let lead = if place.is_empty() {
        String::new()
    } else {
        format!("{place}: ")
    };
    if advice.is_empty() {
        format!("{lead}{what}")
    } else {
        format!("{lead}{what}; {advice}")
    }
}

/// The error without the name of the effect, which the report says once.
fn reason(error: &PluginError) -> String {
    let sentence = error.to_string();
    let rest = error
        .effect()
        .and_then(|effect| sentence.strip_prefix(effect));
    rest.map_or_else(
        || sentence.clone(),
        |rest| rest.trim_start_matches([':', ' ']).to_owned(),
    )
}

fn advice(error: &PluginError) -> &'static str {
    match error {
        PluginError::TooLarge { .. } => {
            "build it optimised and stripped, and move large tables into code that computes them"
        }
        PluginError::NotAComponent { .. } => {
            "the guide docs/plugins.md says how each language makes a component"
        }
        PluginError::UnknownImport { .. } => {
            "leave out what needs it: only WASI 0.2 without HTTP is linked, and answers emptily"
        }
        PluginError::NotAnEffect { .. } => {
            "build it for the world `plugin` of this host's wit/effect.wit"
        }
        PluginError::Descriptor { .. } => "mend what `describe` answers",
        PluginError::Setting { .. } => "make presets of legal values",
        PluginError::Channels { .. } => "offer the layout (1, 1) or (2, 2)",
        PluginError::SampleRate { .. } | PluginError::Poisoned { .. } => "",
        PluginError::Latency { .. } => {
            "lag less, or alike in every processor: the host makes up for two seconds"
        }
        PluginError::Refused { .. } => "defaults and presets must run at every rate and layout",
        PluginError::OutOfTime { .. } => "it loops for ever, or does far too much work in one call",
        PluginError::OutOfMemory { .. } => {
            "allocate when constructing, no more than the settings need, and free it again"
        }
        PluginError::Waited { .. } => "take sleeping and polling out: an effect only computes",
        PluginError::Exited { .. } => "take `exit` and `abort` out",
        PluginError::Trapped { reason, .. } => advice_on_trap(reason),
        PluginError::WrongLength { .. } => {
            "answer as many frames as came in, for every channel of the layout's outputs"
        }
        PluginError::NotFinite { .. } | PluginError::TooLoud { .. } => {
            "limit what comes in, and guard divisions, roots, logarithms and feedback"
        }
        PluginError::Engine(_) | PluginError::Cache(_) => "the machine is at fault, not the effect",
    }
}

/// Words of traps that are not panics of the effect itself, and what to do about them: wasmtime's `Trap::StackOverflow` and its limit on
/// what a call passes, and Rust's `println!` without a standard output.
const TRAPS: [(&str, &str); 3] = [
    (
        "call stack exhausted",
        "recurse less deep, and keep large arrays off the stack",
    ),
    (
        "fuel allocated for hostcalls",
        "one call hands over 16 MiB at most",
    ),
    (
        "printing to stdout",
        "standard output is closed: leave `println!` out, or write with `eprintln!`",
    ),
];

fn advice_on_trap(reason: &str) -> &'static str {
    let known = TRAPS.iter().find(|(words, _)| reason.contains(words));
    known.map_or(
        "no input and no legal setting may make it panic",
        |(_, advice)| *advice,
    )
}
