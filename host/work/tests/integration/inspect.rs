use serde_json::json;
use vocalhost_effects::EffectHost;
use vocalhost_work::worker::inspect::{InspectError, InspectOptions, Inspection, inspect_in_child};

use super::probe::program;

/// Enough for the program here, which does not look at it.
const COMPONENT: &str = "a component";

/// What comes of a look whose child answers with these lines of shell.
async fn inspect(lines: &str) -> Result<Inspection, InspectError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = InspectOptions {
        effect_cache: folder.path().join("cache"),
        memory_bytes: 70_000,
        work_per_audio: 2.5,
    };
    let component = folder.path().join("component.wasm");
    std::fs::write(&component, COMPONENT).expect("written");
    inspect_in_child(&program(&folder, lines), &component, &options).await
}

#[tokio::test]
async fn a_component_is_looked_at_by_a_child_under_the_limits_that_it_will_have() {
    let answer = json!({ "ok": {
        "descriptor": {
            "id": "org.example.echo", "name": "Echo", "version": "1.0.0", "vendor": "Example",
            "summary": "", "tags": [], "layouts": [], "parameters": [], "presets": []
        },
        "digest": EffectHost::digest(COMPONENT.as_bytes()), "bytes": 4
    }});
    let lines = format!(
        r#"[ "$1" = inspect-effect ] && [ "$5 $6 $7 $8" = "--effect-memory-bytes 70000 --effect-work-per-audio 2.5" ] && echo '{answer}'"#
    );
    let inspection = inspect(&lines).await.expect("it answers");
    assert_eq!(inspection.descriptor.id, "org.example.echo");
    assert_eq!(inspection.bytes, 4);

    let lines = lines.replace("\"digest\":\"", "\"digest\":\"0");
    let error = inspect(&lines).await;
    let Err(InspectError::Broken(reason)) = error else {
        panic!("the child names another component: {error:?}");
    };
    assert!(reason.contains("another component"), "{reason}");
}

#[tokio::test]
async fn a_component_that_ends_its_child_is_refused() {
    for signal in ["KILL", "XCPU", "ABRT", "XFSZ"] {
        let error = inspect(&format!("kill -{signal} $$")).await;
        let Err(InspectError::Rejected(reason)) = error else {
            panic!("{signal}: {error:?}");
        };
        assert!(reason.contains("more time or memory"), "{reason}");
    }
}

#[tokio::test]
async fn a_child_that_cannot_look_says_nothing_about_the_component() {
    for lines in ["exit 3", "echo nonsense", r#"echo '{"broken":"a disk"}'"#] {
        let error = inspect(lines).await;
        assert!(matches!(error, Err(InspectError::Broken(_))), "{error:?}");
    }
}

#[tokio::test]
async fn a_child_that_talks_without_end_is_cut_short() {
    let error = inspect("exec yes").await;
    assert!(error.is_err(), "{error:?}");
}
