use serde_json::json;
use vocalhost_job::{ChainItem, JobKind, JobSpec};
use vocalhost_store::{
    Claim, Distrust, EffectChange, EffectOrigin, EffectOverrides, InstallOutcome, NewEffect,
    NewJob, SignedBy,
};

use super::{Bench, LEASE_US, S, lease, new_job, opened};

fn effect(id: &str, version: &str, digest: &str) -> NewEffect {
    NewEffect {
        digest: digest.repeat(64),
        effect_id: id.to_owned(),
        version: version.to_owned(),
        vendor: "Example".to_owned(),
        descriptor: json!({ "id": id, "version": version }),
        bytes: 1_000,
        overrides: EffectOverrides::default(),
    }
}

async fn install(bench: &Bench, new: &NewEffect, now_us: i64) -> InstallOutcome {
    signed(bench, new, SignedBy::default(), now_us).await
}

async fn signed(bench: &Bench, new: &NewEffect, by: SignedBy<'_>, now_us: i64) -> InstallOutcome {
    let outcome = bench
        .store
        .install_effect(new, by, Some("anna"), now_us)
        .await;
    outcome.expect("the store answers")
}

async fn names(bench: &Bench) -> Vec<String> {
    let (_, effects) = bench.store.effects().await.expect("the store answers");
    effects
        .iter()
        .map(|one| format!("{} {}", one.effect.effect_id, one.effect.version))
        .collect()
}

async fn revision(bench: &Bench) -> i64 {
    let revision = bench.store.effects_revision().await;
    revision.expect("the store answers")
}

/// A job through the effect with this digest.
fn job_with(user_id: i64, effect: &NewEffect) -> NewJob {
    let mut new = new_job(user_id);
    let JobSpec::VoiceConversion(spec) = &mut new.spec else {
        panic!("it is a conversion");
    };
    spec.pre.push(ChainItem {
        id: effect.effect_id.clone(),
        version: effect.version.clone(),
        digest: effect.digest.clone(),
        settings: std::collections::BTreeMap::new(),
    });
    new
}

#[tokio::test]
async fn an_installed_effect_is_there_with_all_that_was_said() {
    let bench = Bench::new().await;
    let mut new = effect("org.example.echo", "1.0.0", "a");
    new.overrides.memory_bytes = Some(1 << 20);
    let InstallOutcome::Installed(record) = install(&bench, &new, 5 * S).await else {
        panic!("it is new");
    };
    assert_eq!(record.effect, new);
    assert_eq!(record.origin, EffectOrigin::Installed);
    assert!(record.enabled);
    assert_eq!(record.installed_at_us, 5 * S);
    assert_eq!(record.installed_by.as_deref(), Some("anna"));
    let bench = bench.reopen().await;
    let (_, effects) = bench.store.effects().await.expect("the store answers");
    assert_eq!(effects, std::slice::from_ref(&record));

    let before = revision(&bench).await;
    let again = install(&bench, &new, 9 * S).await;
    assert_eq!(again, InstallOutcome::AlreadyThere(record));
    assert_eq!(revision(&bench).await, before);
}

#[tokio::test]
async fn a_name_that_is_taken_is_not_given_again() {
    let bench = Bench::new().await;
    install(&bench, &effect("org.example.echo", "1.0.0", "a"), 0).await;
    let other = NewEffect {
        vendor: "Another".to_owned(),
        ..effect("org.example.echo", "2.0.0", "b")
    };
    let vendor = "Example".to_owned();
    assert_eq!(
        install(&bench, &other, S).await,
        InstallOutcome::IdTaken { vendor }
    );
    let digest = "a".repeat(64);
    assert_eq!(
        install(&bench, &effect("org.example.echo", "1.0.0", "c"), S).await,
        InstallOutcome::VersionTaken { digest }
    );
    install(&bench, &effect("org.example.echo", "2.0.0", "d"), S).await;
    assert_eq!(
        names(&bench).await,
        ["org.example.echo 1.0.0", "org.example.echo 2.0.0"]
    );
}

/// Whose the ids are.
async fn keys(bench: &Bench) -> Vec<(String, String)> {
    let keys = bench.store.effect_keys().await.expect("the store answers");
    keys.into_iter()
        .map(|one| (one.effect_id, one.public_key))
        .collect()
}

#[tokio::test]
async fn an_id_belongs_to_the_key_that_signed_it_first() {
    let bench = Bench::new().await;
    let by = |key| SignedBy {
        key,
        is_trusted: false,
    };
    let echo = |version, digest| effect("org.example.echo", version, digest);
    let first = signed(&bench, &echo("1.0.0", "a"), by(Some("anna")), S).await;
    assert!(matches!(first, InstallOutcome::Installed(_)), "{first:?}");
    let hers = [("org.example.echo".to_owned(), "anna".to_owned())];
    assert_eq!(keys(&bench).await, hers);
    let belongs = InstallOutcome::Distrusted(Distrust::BelongsTo {
        key: "anna".to_owned(),
    });
    for key in [Some("ben"), None] {
        let refused = signed(&bench, &echo("1.1.0", "b"), by(key), 2 * S).await;
        assert_eq!(refused, belongs, "{key:?}");
    }
    // It stays hers when nothing of it is left.
    let removed = bench.store.remove_effect(&"a".repeat(64), 3 * S).await;
    assert!(removed.expect("the store answers"));
    let refused = signed(&bench, &echo("1.1.0", "b"), by(Some("ben")), 4 * S).await;
    assert_eq!(refused, belongs);
    let next = signed(&bench, &echo("1.1.0", "b"), by(Some("anna")), 5 * S).await;
    assert!(matches!(next, InstallOutcome::Installed(_)), "{next:?}");
    // Who is trusted unsigned is no owner.
    let trusted = |key| SignedBy {
        key,
        is_trusted: true,
    };
    let next = signed(&bench, &echo("1.2.0", "c"), trusted(None), 6 * S).await;
    assert!(matches!(next, InstallOutcome::Installed(_)), "{next:?}");
    assert_eq!(keys(&bench).await, hers);
    let next = signed(&bench, &echo("1.3.0", "d"), trusted(Some("ben")), 7 * S).await;
    assert!(matches!(next, InstallOutcome::Installed(_)), "{next:?}");
    assert_eq!(keys(&bench).await[0].1, "ben");
}

#[tokio::test]
async fn what_nobody_signed_is_not_taken_over_by_a_key() {
    let bench = Bench::new().await;
    let one = effect("org.example.echo", "1.0.0", "a");
    install(&bench, &one, S).await;
    let other = effect("org.example.echo", "1.1.0", "b");
    let mut by = SignedBy {
        key: Some("ben"),
        is_trusted: false,
    };
    let refused = signed(&bench, &other, by, 2 * S).await;
    assert_eq!(refused, InstallOutcome::Distrusted(Distrust::Unsigned));
    assert!(keys(&bench).await.is_empty());
    by.is_trusted = true;
    // The same component, signed later on.
    let there = signed(&bench, &one, by, 3 * S).await;
    assert!(
        matches!(there, InstallOutcome::AlreadyThere(_)),
        "{there:?}"
    );
    assert_eq!(keys(&bench).await.len(), 1);
}

#[tokio::test]
async fn every_change_raises_the_revision_for_other_processes_too() {
    let bench = Bench::new().await;
    let other = opened(&bench.address).await;
    let new = effect("org.example.echo", "1.0.0", "a");
    let mut seen = vec![revision(&bench).await];
    let outcome = other
        .install_effect(&new, SignedBy::default(), None, 0)
        .await;
    outcome.expect("the store answers");
    seen.push(revision(&bench).await);
    let change = EffectChange {
        enabled: Some(false),
        ..EffectChange::default()
    };
    let changed = other.change_effect(&new.digest, &change).await;
    assert!(!changed.expect("it answers").expect("it is there").enabled);
    seen.push(revision(&bench).await);
    assert!(
        other
            .remove_effect(&new.digest, S)
            .await
            .expect("it answers")
    );
    seen.push(revision(&bench).await);
    assert!(seen.is_sorted_by(|one, next| one < next), "{seen:?}");
}

#[tokio::test]
async fn limits_are_set_and_taken_back_one_by_one() {
    let bench = Bench::new().await;
    let new = effect("org.example.echo", "1.0.0", "a");
    install(&bench, &new, 0).await;
    let limits = async |change: EffectChange| {
        let changed = bench.store.change_effect(&new.digest, &change).await;
        changed
            .expect("it answers")
            .expect("it is there")
            .effect
            .overrides
    };
    let mut expected = EffectOverrides {
        memory_bytes: Some(70_000),
        work_per_audio: None,
    };
    let memory = EffectChange {
        memory_bytes: Some(Some(70_000)),
        ..EffectChange::default()
    };
    assert_eq!(limits(memory).await, expected);
    let work = EffectChange {
        work_per_audio: Some(Some(2.5)),
        ..EffectChange::default()
    };
    expected.work_per_audio = Some(2.5);
    assert_eq!(limits(work).await, expected);
    let back = EffectChange {
        memory_bytes: Some(None),
        ..EffectChange::default()
    };
    expected.memory_bytes = None;
    assert_eq!(limits(back).await, expected);
}

#[tokio::test]
async fn a_removed_effect_is_forgotten_only_after_the_jobs_that_pinned_it() {
    let bench = Bench::new().await;
    let user = bench.user("anna").await;
    let new = effect("org.example.echo", "1.0.0", "a");
    install(&bench, &new, 0).await;
    let job = bench.store.create_job(&job_with(user, &new), S).await;
    let job = job.expect("the queue has room");
    let removed = bench.store.remove_effect(&new.digest, 2 * S).await;
    assert!(removed.expect("it answers"));
    assert!(names(&bench).await.is_empty());

    let forget = async |before_us| {
        let forgotten = bench.store.forget_removed_effects(before_us).await;
        forgotten.expect("the store answers")
    };
    assert_eq!(forget(9 * S).await, 0, "the job waits");
    let claim = Claim {
        kind: JobKind::VoiceConversion,
        lease_token: "token".to_owned(),
        lease_us: LEASE_US,
        max_running_per_user: 2,
    };
    let claimed = bench.store.claim(&claim, 3 * S).await;
    claimed.expect("it answers").expect("the job is due");
    assert_eq!(forget(9 * S).await, 0, "the job runs");
    let pinned = bench.store.pinned_effects(&[&new.digest]).await;
    assert_eq!(pinned.expect("it answers").len(), 1);

    let lease = lease(job.id, "token");
    let result = super::result(&lease);
    let done = bench.store.complete(&lease, &result, 4 * S);
    done.await.expect("it answers");
    assert_eq!(forget(2 * S).await, 0, "it was not removed before that");
    assert_eq!(forget(9 * S).await, 1);
    assert!(
        !bench
            .store
            .knows_effect(&new.digest)
            .await
            .expect("it answers")
    );
}

#[tokio::test]
async fn a_component_that_was_removed_can_come_back_and_its_name_be_given_anew() {
    let bench = Bench::new().await;
    let first = effect("org.example.echo", "1.0.0", "a");
    install(&bench, &first, 0).await;
    bench
        .store
        .remove_effect(&first.digest, S)
        .await
        .expect("it answers");
    let second = effect("org.example.echo", "1.0.0", "b");
    let outcome = install(&bench, &second, 2 * S).await;
    assert!(matches!(outcome, InstallOutcome::Installed(_)));
    bench
        .store
        .remove_effect(&second.digest, 3 * S)
        .await
        .expect("it answers");
    let InstallOutcome::Installed(record) = install(&bench, &first, 4 * S).await else {
        panic!("it comes back");
    };
    assert!(record.enabled);
    assert_eq!(names(&bench).await, ["org.example.echo 1.0.0"]);
}

/// A day and a bit, after which a release that nobody spoke for is not in use any more.
const LATER: i64 = 25 * 3_600 * S;

async fn sync(bench: &Bench, effects: &[NewEffect], now_us: i64) {
    let synced = bench.store.sync_builtin_effects(effects, now_us).await;
    synced.expect("the store answers");
}

#[tokio::test]
async fn built_in_effects_follow_the_program_and_keep_what_operators_decided() {
    let bench = Bench::new().await;
    let reverb = effect("vocalhost.reverb", "1.0.0", "a");
    let gain = effect("vocalhost.gain", "1.0.0", "b");
    sync(&bench, &[reverb.clone(), gain.clone()], S).await;
    let before = revision(&bench).await;
    sync(&bench, &[reverb.clone(), gain], S).await;
    assert_eq!(revision(&bench).await, before, "nothing changed");

    let change = EffectChange {
        enabled: Some(false),
        work_per_audio: Some(Some(3.0)),
        ..EffectChange::default()
    };
    let changed = bench.store.change_effect(&reverb.digest, &change).await;
    changed.expect("it answers").expect("it is there");
    let newer = effect("vocalhost.reverb", "1.1.0", "c");
    sync(&bench, std::slice::from_ref(&newer), LATER).await;
    let (_, effects) = bench.store.effects().await.expect("the store answers");
    assert_eq!(effects.len(), 1);
    assert_eq!(effects[0].effect.version, "1.1.0");
    assert!(!effects[0].enabled);
    assert_eq!(effects[0].effect.overrides.work_per_audio, Some(3.0));
    let removed = bench.store.remove_effect(&newer.digest, S).await;
    assert!(!removed.expect("it answers"), "it is part of the program");
    // The program of before may come back, which reads less out of it.
    let older = NewEffect {
        descriptor: json!({ "id": "vocalhost.reverb" }),
        ..reverb
    };
    sync(&bench, std::slice::from_ref(&older), 2 * LATER).await;
    let (_, effects) = bench.store.effects().await.expect("the store answers");
    assert_eq!(effects.len(), 1);
    assert_eq!(effects[0].effect.descriptor, older.descriptor);
    assert!(!effects[0].enabled);
}

#[tokio::test]
async fn built_in_effects_of_two_releases_are_side_by_side_where_both_may_be_in_use() {
    let bench = Bench::new().await;
    let store = &bench.store;
    // The same version in other bytes, as another compiler makes them.
    let one = [effect("vocalhost.reverb", "1.0.0", "a")];
    let other = [
        effect("vocalhost.reverb", "1.0.0", "b"),
        effect("vocalhost.gain", "1.0.0", "c"),
    ];
    sync(&bench, &one, S).await;
    sync(&bench, &other, 2 * S).await;
    let digests = async || {
        let (_, effects) = store.effects().await.expect("the store answers");
        let digests = effects.iter().map(|one| one.effect.digest[..1].to_owned());
        digests.collect::<Vec<_>>()
    };
    if !store.is_shared() {
        assert_eq!(digests().await, ["c", "b"], "there is one program");
        return;
    }
    // That last which was spoken for last.
    assert_eq!(digests().await, ["c", "a", "b"]);
    let before = revision(&bench).await;
    let carried = store.carry_builtin_effects(&one, 3 * S).await;
    carried.expect("the store answers");
    assert_eq!(digests().await, ["c", "b", "a"]);
    assert_eq!(revision(&bench).await, before, "the same are offered");

    // What an operator decides holds at every server.
    let change = EffectChange {
        enabled: Some(false),
        ..EffectChange::default()
    };
    let changed = store.change_effect(&other[0].digest, &change).await;
    changed.expect("it answers").expect("it is there");
    let (_, effects) = store.effects().await.expect("the store answers");
    let disabled = effects.iter().filter(|one| !one.enabled);
    assert_eq!(disabled.count(), 2);

    // A release that nobody speaks for any more goes, but not from a job that pinned it, and not for good.
    let user = bench.user("anna").await;
    let job = store.create_job(&job_with(user, &one[0]), S).await;
    job.expect("there is room");
    sync(&bench, &other, LATER).await;
    assert_eq!(digests().await, ["c", "b"]);
    let forgotten = store.forget_removed_effects(2 * LATER).await;
    assert_eq!(forgotten.expect("it answers"), 0);
    let pinned = store.pinned_effects(&[&one[0].digest]).await;
    assert_eq!(pinned.expect("it answers").len(), 1);
    let carried = store.carry_builtin_effects(&one, LATER + S).await;
    carried.expect("the store answers");
    assert_eq!(digests().await, ["c", "b", "a"]);
    let (_, effects) = store.effects().await.expect("the store answers");
    assert!(!effects[2].enabled, "it is still off");
}
