use vocalhost_job::{FileRole, JobState, ResultFile};
use vocalhost_store::{
    Actor, AuditQuery, JobHandled, JobRecord, ModelChange, ModelChanged, NewJob, QueueLimits,
    Scope, StoreError, UserChange, UserLimits,
};

use super::{Bench, S, lease, new_job, result};

const DAY: i64 = 86_400 * S;

fn somebody() -> Actor {
    Actor::command_line(Some("operator".to_owned()))
}

async fn actions(bench: &Bench) -> Vec<String> {
    let query = AuditQuery {
        page: 1,
        per_page: 100,
        ..AuditQuery::default()
    };
    let log = bench.store.audit_log(&query).await.expect("it answers");
    assert_eq!(log.total, log.rows.len() as u64);
    let lines = log.rows.into_iter();
    lines
        .map(|line| {
            format!(
                "{} {} {}",
                line.actor.name.unwrap_or_default(),
                line.action,
                line.outcome
            )
        })
        .collect()
}

/// Asks for a job under these limits.
async fn create(
    bench: &Bench,
    user: i64,
    limits: QueueLimits,
    at_us: i64,
) -> Result<JobRecord, StoreError> {
    let job = NewJob {
        limits,
        ..new_job(user)
    };
    bench.store.create_job(&job, at_us).await
}

#[tokio::test]
async fn audio_counts_for_thirty_days_unless_the_job_failed() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    // Each recording has 1.5 seconds: 40 are a minute.
    let limits = QueueLimits {
        audio_minutes_quota: 1,
        ..QueueLimits::default()
    };
    let make = async |at_us| create(&bench, user, limits, at_us).await;
    let mut first = 0;
    for _ in 0..40 {
        first = make(S).await.expect("there is room").id;
    }
    let refused = make(2 * S).await;
    assert!(
        matches!(refused, Err(StoreError::AudioQuota { .. })),
        "{refused:?}"
    );
    assert!(
        (bench
            .store
            .usage(user, 2 * S)
            .await
            .expect("answers")
            .audio_s
            - 60.0)
            .abs()
            < 1e-9
    );
    // Cancelled before it started: it counts no more, and there is room for one.
    let kind = vocalhost_job::JobKind::VoiceConversion;
    bench
        .store
        .cancel(kind, first, 3 * S)
        .await
        .expect("answers");
    make(4 * S).await.expect("there is room");
    assert!(make(5 * S).await.is_err());
    assert!(make(30 * DAY - 1).await.is_err());
    make(30 * DAY).await.expect("a month is over");
}

#[tokio::test]
async fn files_count_until_they_are_gone() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let limits = QueueLimits {
        storage_quota_bytes: 1_010,
        ..QueueLimits::default()
    };
    let make = async |at_us| create(&bench, user, limits, at_us).await;
    let id = make(S).await.expect("there is room").id;
    bench.claim("a", 2 * S).await.expect("a job is due");
    let lease = lease(id, "a");
    // One file in two roles, as the vocal file of a split is a stem, too.
    let mut made = result(&lease);
    let again = ResultFile {
        role: FileRole::LossyOutput,
        ..made.files[0].clone()
    };
    made.files.push(again);
    let completed = bench.store.complete(&lease, &made, 3 * S).await;
    completed.expect("answers");
    let stored = async || {
        bench
            .store
            .usage(user, 4 * S)
            .await
            .expect("answers")
            .storage_bytes
    };
    assert_eq!(stored().await, 1_010);
    let refused = make(5 * S).await;
    assert!(
        matches!(refused, Err(StoreError::StorageQuota { .. })),
        "{refused:?}"
    );
    // What is tried again shares the recording.
    let retry = NewJob {
        limits,
        retry_of: Some(id),
        ..new_job(user)
    };
    let retried = bench.store.create_job(&retry, 5 * S).await;
    let retried = retried.expect("it takes up no more").id;
    assert_eq!(stored().await, 1_010);
    let kind = retry.spec.kind();
    let cancelled = bench.store.cancel(kind, retried, 5 * S).await;
    cancelled.expect("answers");
    bench
        .store
        .expire_inputs(6 * S, 10, 6 * S)
        .await
        .expect("answers");
    assert_eq!(stored().await, 10);
    bench
        .store
        .expire_results(4 * S, 10, 7 * S)
        .await
        .expect("answers");
    assert_eq!(stored().await, 0);
    make(8 * S).await.expect("there is room");
}

#[tokio::test]
async fn a_users_own_limits_win_over_the_settings() {
    let bench = Bench::new().await;
    let (ann, ben) = (bench.user("ann").await, bench.user("ben").await);
    let change = UserChange {
        enabled: None,
        limits: Some(UserLimits {
            max_running: Some(1),
            max_queued: Some(3),
            ..UserLimits::default()
        }),
        seen: None,
    };
    let changed = bench.store.change_user(ann, &change, &somebody(), S).await;
    assert_eq!(
        changed
            .expect("answers")
            .expect("there is one")
            .limits
            .max_queued,
        Some(3)
    );
    for _ in 0..3 {
        bench.job(ann, S).await;
    }
    let refused = bench.store.create_job(&new_job(ann), S).await;
    assert!(
        matches!(refused, Err(StoreError::UserQueueFull)),
        "{refused:?}"
    );
    assert_eq!(bench.claim("a", S).await.expect("due").record.user_id, ann);
    // The settings would let her run two.
    assert_eq!(bench.claim("b", S).await, None);
    bench.job(ben, S).await;
    assert_eq!(bench.claim("c", S).await.expect("due").record.user_id, ben);
}

#[tokio::test]
async fn a_disabled_users_keys_do_not_work() {
    let bench = Bench::new().await;
    let first = bench
        .store
        .bootstrap(0)
        .await
        .expect("answers")
        .expect("it is the first");
    // The last one who may manage the server is not disabled.
    bench.user("ann").await;
    let works = async || {
        bench
            .store
            .authenticate(&first.key, S)
            .await
            .expect("answers")
            .is_some()
    };
    let user = bench
        .store
        .user_id("admin")
        .await
        .expect("answers")
        .expect("it is there");
    for enabled in [false, true] {
        let change = UserChange {
            enabled: Some(enabled),
            ..UserChange::default()
        };
        bench
            .store
            .change_user(user, &change, &somebody(), S)
            .await
            .expect("answers");
        assert_eq!(works().await, enabled);
    }
    assert_eq!(
        actions(&bench).await,
        [
            " createKey ok",
            " createKey ok",
            "operator disableUser ok",
            "operator enableUser ok"
        ]
    );
}

#[tokio::test]
async fn a_key_is_replaced_at_once_or_after_a_while() {
    let bench = Bench::new().await;
    let first = bench
        .store
        .bootstrap(0)
        .await
        .expect("answers")
        .expect("it is the first");
    let good = async |key: &str, now_us| {
        bench
            .store
            .authenticate(key, now_us)
            .await
            .expect("answers")
    };
    let second = bench
        .store
        .rotate_key(&first.id, 10 * S, &somebody(), S)
        .await;
    let second = second.expect("answers").expect("it works");
    assert!(good(&first.key, 10 * S).await.is_some());
    assert!(good(&first.key, 11 * S).await.is_none());
    let caller = good(&second.key, 11 * S).await.expect("the new one works");
    assert_eq!(
        (caller.user_name.as_str(), caller.scopes.len()),
        ("admin", Scope::ALL.len())
    );
    let third = bench
        .store
        .rotate_key(&second.id, 0, &somebody(), 12 * S)
        .await;
    assert!(third.expect("answers").is_some());
    assert!(good(&second.key, 12 * S).await.is_none());
    let again = bench
        .store
        .rotate_key(&second.id, 0, &somebody(), 13 * S)
        .await;
    assert_eq!(again.expect("answers"), None);
}

#[tokio::test]
async fn a_running_job_is_taken_from_its_worker() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let id = bench.job(user, S).await.id;
    let waits = bench.store.requeue_job(id, &somebody(), S).await;
    assert_eq!(waits.expect("answers"), JobHandled::WrongState);
    bench.claim("a", S).await.expect("it is due");
    let done = bench.store.requeue_job(id, &somebody(), 2 * S).await;
    assert!(matches!(done.expect("answers"), JobHandled::Done(_)));
    let lease_a = lease(id, "a");
    let late = bench
        .store
        .complete(&lease_a, &result(&lease_a), 3 * S)
        .await;
    assert_eq!(late.expect("answers"), vocalhost_store::Handled::LeaseLost);
    assert!(matches!(
        bench.read(id).await.state,
        JobState::Queued { .. }
    ));
    let early = bench
        .store
        .remove_job((id, None), Some(&somebody()), 4 * S)
        .await;
    assert_eq!(early.expect("answers"), JobHandled::WrongState);
    assert_eq!(
        bench
            .store
            .requeue_job(999, &somebody(), S)
            .await
            .expect("answers"),
        JobHandled::Unknown
    );
}

#[tokio::test]
async fn a_voice_of_a_model_folder_is_renamed_and_disabled_but_not_taken_back() {
    let bench = Bench::new().await;
    let package = vocalhost_store::CatalogModel {
        package_id: "example.voice".to_owned(),
        title: "Example".to_owned(),
        tags: Vec::new(),
        instrument: false,
        fault: None,
        links: vocalhost_store::ModelLinks::default(),
    };
    let sync = async |now_us| {
        bench
            .store
            .sync_models(std::slice::from_ref(&package), now_us)
            .await
            .expect("answers");
    };
    sync(0).await;
    let change = async |changes: &[ModelChange]| {
        bench
            .store
            .change_model(1, changes, &somebody(), S)
            .await
            .expect("answers")
    };
    let both = [
        ModelChange::Rename("Other".to_owned()),
        ModelChange::Enable(false),
    ];
    assert!(matches!(change(&both).await, ModelChanged::Done(_)));
    // A restart reads the package again.
    sync(2 * S).await;
    let voice = bench
        .store
        .model(1)
        .await
        .expect("answers")
        .expect("it is there");
    assert_eq!((voice.title.as_str(), voice.usable), ("Other", false));
    assert_eq!(
        change(&[ModelChange::Publish(false)]).await,
        ModelChanged::NeverOwned
    );
    change(&[ModelChange::Enable(true)]).await;
    assert!(
        bench
            .store
            .model(1)
            .await
            .expect("answers")
            .expect("it is there")
            .usable
    );
    let missing = bench
        .store
        .change_model(9, &[ModelChange::Enable(true)], &somebody(), S)
        .await;
    assert_eq!(missing.expect("answers"), ModelChanged::Unknown);
}

#[tokio::test]
async fn the_audit_log_is_narrowed_and_forgets_what_is_old() {
    let bench = Bench::new().await;
    for (action, at_us) in [("one", S), ("two", 2 * S), ("one", 3 * S)] {
        let noted = bench
            .store
            .note(&somebody(), (action, "x"), "403", at_us)
            .await;
        noted.expect("it can be written");
    }
    let count = async |actor: Option<&str>, action: Option<&str>| {
        let query = AuditQuery {
            actor: actor.map(str::to_owned),
            action: action.map(str::to_owned),
            descending: true,
            page: 1,
            per_page: 1,
        };
        bench.store.audit_log(&query).await.expect("answers").total
    };
    assert_eq!(count(None, Some("one")).await, 2);
    assert_eq!(count(Some("operator"), Some("two")).await, 1);
    assert_eq!(count(Some("nobody"), None).await, 0);
    assert_eq!(
        bench.store.expire_audit(3 * S, 1).await.expect("answers"),
        1
    );
    assert_eq!(
        bench.store.expire_audit(3 * S, 9).await.expect("answers"),
        1
    );
    assert_eq!(count(None, None).await, 1);
}

/// Two operators look at the same limits, and each changes another one.
#[tokio::test]
async fn a_change_of_one_limit_leaves_what_another_has_changed_since() {
    let bench = Bench::new().await;
    let ann = bench.user("ann").await;
    let seen = UserLimits::default();
    let running = UserLimits {
        max_running: Some(5),
        ..seen
    };
    let queued = UserLimits {
        max_queued: Some(6),
        ..seen
    };
    for limits in [running, queued] {
        let change = UserChange {
            enabled: Some(true),
            limits: Some(limits),
            seen: Some(seen),
        };
        let changed = bench.store.change_user(ann, &change, &somebody(), S).await;
        changed.expect("answers").expect("there is one");
    }
    let user = bench.store.user(ann).await.expect("answers");
    let both = UserLimits {
        max_queued: Some(6),
        ..running
    };
    assert_eq!(user.expect("there is one").limits, both);
}

#[tokio::test]
async fn no_database_takes_a_text_with_the_character_nul() {
    let bench = Bench::new().await;
    let made = bench.store.create_user("an\0na", &somebody(), S).await;
    let refused = made.expect_err("no text may have it");
    assert!(refused.is_bad_text() && !refused.may_pass(), "{refused}");
    let made = bench.store.create_user("anna", &somebody(), S).await;
    assert!(made.expect("it answers").is_some());
}
