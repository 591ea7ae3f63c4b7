//! Installed effects on their way to a worker, and what is left of them when nobody needs them any more.

use std::collections::BTreeMap;
use std::sync::Arc;

use vocalhost_files::component_key;
use vocalhost_job::{ChainItem, FailureCode, JobState};
use vocalhost_store::{EffectOverrides, NewEffect, SignedBy};
use vocalhost_system::clock;
use vocalhost_work::scheduler::{AttemptEnd, clean_up};

use super::HONEST;
use super::attempt::Server;

const HOUR_US: i64 = 3_600_000_000;

fn effect() -> NewEffect {
    NewEffect {
        digest: "ab".repeat(32),
        effect_id: "org.example.echo".to_owned(),
        version: "1.0.0".to_owned(),
        vendor: "Example".to_owned(),
        descriptor: serde_json::json!({}),
        bytes: 4,
        overrides: EffectOverrides {
            memory_bytes: Some(70_000),
            work_per_audio: None,
        },
    }
}

/// Installs it, and makes a job that pins it.
async fn job_with_effect(server: &Server) -> i64 {
    let new = effect();
    let local = server.folder.path().join("local");
    let key = component_key(&new.digest);
    let published = server.bench.files.publish(&local, &key).await;
    published.expect("it is published");
    let installed = server
        .bench
        .store
        .install_effect(&new, SignedBy::default(), None, 0)
        .await;
    installed.expect("the store answers");
    let item = ChainItem {
        id: new.effect_id,
        version: new.version,
        digest: new.digest,
        settings: BTreeMap::new(),
    };
    server.job_with(1, vec![item]).await
}

async fn remove(server: &Server) {
    let digest = effect().digest;
    let store = &server.bench.store;
    let removed = store.remove_effect(&digest, clock::now_us());
    assert!(removed.await.expect("the store answers"));
}

#[tokio::test]
async fn a_worker_finds_the_components_of_its_job_in_its_scratch_folder_even_of_removed_effects() {
    let digest = effect().digest;
    // Does the job only when the component is where the order says, with the limit that the effect has.
    let script = format!(
        r#"
ready
order
[ "$(cat "$scratch/{digest}.wasm")" = RIFF ] || exit 3
printf %s "$order" | grep -q '"component":"'"$scratch/{digest}.wasm"'","memory_bytes":70000' || exit 4
printf sound > "$scratch/output.wav"
done_with output.wav
"#
    );
    let server = Server::new(&script).await;
    let id = job_with_effect(&server).await;
    remove(&server).await;
    let job = server.claim("token", clock::now_us()).await;
    assert_eq!(server.attempt(job).await, AttemptEnd::Completed);
    assert!(matches!(
        server.read(id).await.state,
        JobState::Succeeded { .. }
    ));
}

#[tokio::test]
async fn an_effect_whose_component_is_gone_fails_the_job_by_name() {
    let server = Server::new(HONEST).await;
    let id = job_with_effect(&server).await;
    let key = component_key(&effect().digest);
    let deleted = server.bench.files.delete(&key).await;
    deleted.expect("it can be deleted");
    let failure = server.failure(id).await;
    assert_eq!(failure.code, FailureCode::EffectFailed);
    assert_eq!(
        failure.message,
        "effect org.example.echo 1.0.0 is not installed any more"
    );
}

#[tokio::test]
async fn the_bytes_of_a_removed_effect_go_when_no_job_needs_them() {
    let mut server = Server::new(HONEST).await;
    let cache = server.folder.path().join("effect-cache");
    std::fs::create_dir(&cache).expect("it can be made");
    let old = std::time::SystemTime::UNIX_EPOCH;
    let compiled = |digest: &str| cache.join(format!("{digest}-0000.effect"));
    let digest = effect().digest;
    for digest in [digest.as_str(), "unknown"] {
        let file = std::fs::File::create(compiled(digest)).expect("it can be made");
        file.set_modified(old).expect("it can be dated");
    }
    let mut settings = (*server.bench.settings).clone();
    settings.effect_cache = Some(cache.clone());
    server.bench.settings = Arc::new(settings);

    let id = job_with_effect(&server).await;
    let key = component_key(&digest);
    let present = async || server.bench.files.size(&key).await.is_ok();
    let clean = async |now_us: i64| clean_up(&server.bench, now_us).await.expect("it works");
    let now_us = clock::now_us();
    clean(now_us + 12 * HOUR_US).await;
    assert!(present().await, "it is installed");
    assert!(compiled(&digest).exists() && !compiled("unknown").exists());
    remove(&server).await;
    clean(now_us + HOUR_US).await;
    assert!(present().await, "a request may still be under way");
    clean(now_us + 12 * HOUR_US).await;
    assert!(present().await, "a job waits for it");
    let job = server.claim("token", clock::now_us()).await;
    assert_eq!(server.attempt(job).await, AttemptEnd::Completed);
    assert!(matches!(
        server.read(id).await.state,
        JobState::Succeeded { .. }
    ));
    clean(now_us + 12 * HOUR_US).await;
    assert!(!present().await);
    assert!(!compiled(&digest).exists());
}

#[tokio::test]
async fn a_built_in_effect_of_another_release_is_brought_and_one_of_this_program_is_not() {
    let own = vocalhost_effects::Catalog::builtin_components().next();
    let own = vocalhost_effects::EffectHost::digest(own.expect("there are some"));
    let others = "cd".repeat(32);
    let builtin = |id: &str, digest: &str| NewEffect {
        digest: digest.to_owned(),
        effect_id: id.to_owned(),
        ..effect()
    };
    let effects = [
        builtin("vocalhost.of-another", &others),
        builtin("vocalhost.own", &own),
    ];
    // Does the job only when the one component is there, and the other is left to the worker.
    let script = format!(
        r#"
ready
order
[ "$(cat "$scratch/{others}.wasm")" = RIFF ] || exit 3
[ ! -e "$scratch/{own}.wasm" ] || exit 4
printf sound > "$scratch/output.wav"
done_with output.wav
"#
    );
    let server = Server::new(&script).await;
    let local = server.folder.path().join("local");
    let key = component_key(&others);
    let published = server.bench.files.publish(&local, &key).await;
    published.expect("it is published");
    let synced = server.bench.store.sync_builtin_effects(&effects, 0).await;
    synced.expect("the store answers");
    let pin = |effect: &NewEffect| ChainItem {
        id: effect.effect_id.clone(),
        version: effect.version.clone(),
        digest: effect.digest.clone(),
        settings: BTreeMap::new(),
    };
    let id = server.job_with(1, effects.iter().map(pin).collect()).await;
    let job = server.claim("token", clock::now_us()).await;
    assert_eq!(server.attempt(job).await, AttemptEnd::Completed);
    assert!(matches!(
        server.read(id).await.state,
        JobState::Succeeded { .. }
    ));
}
