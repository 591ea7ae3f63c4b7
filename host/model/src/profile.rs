use std::collections::BTreeMap;

use serde::Deserialize;

use super::provider::Provider;

/// An event of the profile that ONNX Runtime writes in the format of Chrome's traces.
#[derive(Deserialize)]
struct Event {
    /// Category; that of operators is `Node`.
    #[serde(default)]
    cat: String,
    /// Duration in microseconds.
    #[serde(default)]
    dur: f64,
    #[serde(default)]
    args: Arguments,
}

#[derive(Default, Deserialize)]
struct Arguments {
    /// What ran the operator, such as `CPUExecutionProvider`.
    provider: Option<String>,
}

/// What a graph did most of its work on, by the profile of a run: the provider whose operators took longest in total, since those that
/// only compute lengths run on the processor whatever is chosen. `None` when the profile names no known provider.
pub(super) fn main_provider(profile: &str) -> Option<Provider> {
    let events: Vec<Event> = serde_json::from_str(profile).ok()?;
    let mut spent_us: BTreeMap<Provider, f64> = BTreeMap::new();
    for event in events.iter().filter(|event| event.cat == "Node") {
        let name = event.args.provider.as_deref();
        if let Some(provider) = name.and_then(Provider::named_by_runtime) {
            *spent_us.entry(provider).or_default() += event.dur;
        }
    }
    let longest = spent_us.iter().max_by(|a, b| a.1.total_cmp(b.1));
    longest.map(|(provider, _)| *provider)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_provider_that_worked_longest_is_the_main_one() {
        let profile = r#"[
            {"cat":"Session","dur":900,"name":"model_run","args":{}},
            {"cat":"Node","dur":4,"name":"Shape_kernel_time","args":{"op_name":"Shape","provider":"CPUExecutionProvider"}},
            {"cat":"Node","dur":5,"name":"Gather_kernel_time","args":{"provider":"CPUExecutionProvider"}},
            {"cat":"Node","dur":30,"name":"Conv_kernel_time","args":{"provider":"CUDAExecutionProvider"}},
            {"cat":"Node","dur":1,"name":"Conv_fence_before","args":{"op_name":"Conv"}}
        ]"#;
        assert_eq!(main_provider(profile), Some(Provider::Cuda));
    }

    #[test]
    fn what_is_no_profile_says_nothing() {
        for text in [
            "",
            "{}",
            "[]",
            r#"[{"cat":"Node","dur":1,"args":{"provider":"Other"}}]"#,
        ] {
            assert_eq!(main_provider(text), None, "{text}");
        }
    }
}
