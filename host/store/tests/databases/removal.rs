use vocalhost_job::JobState;
use vocalhost_store::{
    Actor, AuditQuery, JobDeed, JobHandled, NewJob, QueueLimits, RemovedUser, StoreError,
    StoredInput, UploadRecord, UserChange, UserRemoval,
};

use super::{Bench, S, lease, new_job, result};

fn operator() -> Actor {
    Actor::command_line(Some("operator".to_owned()))
}

/// Who did what to what, oldest first.
async fn log(bench: &Bench) -> Vec<String> {
    let query = AuditQuery {
        page: 1,
        per_page: 100,
        ..AuditQuery::default()
    };
    let log = bench.store.audit_log(&query).await.expect("it answers");
    let lines = log.rows.into_iter().map(|line| {
        let who = line.actor.name.unwrap_or_default();
        format!("{who} {} {}", line.action, line.target)
    });
    lines.filter(|line| !line.contains("createKey")).collect()
}

fn upload(user_id: i64) -> UploadRecord {
    UploadRecord {
        id: "a".to_owned(),
        user_id,
        bytes: 300,
        metadata: None,
        created_at_us: S,
        expires_at_us: 100 * S,
        arrived: 0,
    }
}

fn with_backing(user_id: i64) -> NewJob {
    let mut job = new_job(user_id);
    if let Some(input) = &mut job.input {
        input.backing = Some(Box::new(StoredInput {
            key: "inputs/backing.wav".to_owned(),
            bytes: 50,
            ..input.clone()
        }));
    }
    job
}

#[tokio::test]
async fn a_user_goes_with_everything_and_says_whose_files_may_go() {
    let bench = Bench::new().await;
    let (ann, ben) = (bench.user("ann").await, bench.user("ben").await);
    let store = &bench.store;
    let job = store.create_job(&with_backing(ann), S).await;
    let job = job.expect("the queue has room").id;
    let others = bench.job(ben, S).await.id;
    let new = upload(ann);
    assert!(store.create_upload(&new, 9, 0).await.expect("it answers"));
    let removal = store.remove_user(ann, &operator(), 2 * S).await;
    let UserRemoval::Removed(removed) = removal.expect("it answers") else {
        panic!("nothing is at work");
    };
    let RemovedUser {
        jobs,
        keys,
        uploads,
    } = removed;
    assert_eq!((jobs.len(), jobs[0].job_id), (1, job));
    let mine = format!("inputs/of-user-{ann}.wav");
    assert_eq!(jobs[0].input_keys, [mine, "inputs/backing.wav".to_owned()]);
    assert_eq!((keys.len(), uploads), (0, vec!["a".to_owned()]));
    assert_eq!(store.user(ann).await.expect("it answers"), None);
    assert_eq!(store.user_id("ann").await.expect("it answers"), None);
    assert!(store.any_job(job).await.expect("it answers").is_none());
    assert!(store.any_job(others).await.expect("it answers").is_some());
    assert_eq!(log(&bench).await, ["operator deleteUser ann"]);
    let again = store.remove_user(ann, &operator(), 3 * S).await;
    assert_eq!(again.expect("it answers"), UserRemoval::Unknown);
}

#[tokio::test]
async fn jobs_at_work_are_stopped_before_their_user_goes() {
    let bench = Bench::new().await;
    let (ann, _) = (bench.user("ann").await, bench.user("ben").await);
    let (first, second) = (bench.job(ann, S).await.id, bench.job(ann, S).await.id);
    bench.claim("a", S).await.expect("a job is due");
    for now_us in [2 * S, 3 * S] {
        let removal = bench.store.remove_user(ann, &operator(), now_us).await;
        assert_eq!(removal.expect("it answers"), UserRemoval::Stopping);
    }
    let state = bench.read(first).await.state;
    assert!(matches!(state, JobState::Cancelling(_)), "{state:?}");
    let state = bench.read(second).await.state;
    assert!(matches!(state, JobState::Cancelled { .. }), "{state:?}");
    let user = bench.store.user(ann).await.expect("it answers");
    assert!(user.expect("is there").disabled_at_us.is_some());
    let stopped = bench.store.stopped(&lease(first, "a"), 4 * S).await;
    stopped.expect("it answers");
    let removal = bench.store.remove_user(ann, &operator(), 5 * S).await;
    let removal = removal.expect("it answers");
    assert!(matches!(removal, UserRemoval::Removed(_)), "{removal:?}");
    assert_eq!(
        log(&bench).await,
        ["operator disableUser ann", "operator deleteUser ann"]
    );
}

#[tokio::test]
async fn the_last_one_who_may_manage_the_server_stays() {
    let bench = Bench::new().await;
    let (ann, ben) = (bench.user("ann").await, bench.user("ben").await);
    let disabled = UserChange {
        enabled: Some(false),
        ..UserChange::default()
    };
    let changed = bench
        .store
        .change_user(ben, &disabled, &operator(), S)
        .await;
    changed.expect("it answers");
    let removal = bench.store.remove_user(ann, &operator(), 2 * S).await;
    let refused = removal.expect_err("is refused");
    assert!(matches!(refused, StoreError::LastAdmin), "{refused:?}");
    let changed = bench
        .store
        .change_user(ann, &disabled, &operator(), S)
        .await;
    let refused = changed.expect_err("is refused");
    assert!(matches!(refused, StoreError::LastAdmin), "{refused:?}");
    let keys = bench.store.list_keys().await.expect("it answers");
    let key = keys.iter().find(|key| key.user == "ann").expect("a key");
    let by_herself = Actor {
        key_id: Some(key.id.clone()),
        ..operator()
    };
    let revoked = bench.store.revoke_key(&key.id, &by_herself, S).await;
    let refused = revoked.expect_err("is refused");
    assert!(matches!(refused, StoreError::LastAdmin), "{refused:?}");
    // What was refused did not happen; who sits at the machine may do it.
    let revoked = bench.store.revoke_key(&key.id, &operator(), S).await;
    assert!(revoked.expect("it answers"));
    // One whose keys do not work any more may go.
    let removal = bench.store.remove_user(ben, &operator(), 2 * S).await;
    let removal = removal.expect("it answers");
    assert!(matches!(removal, UserRemoval::Removed(_)), "{removal:?}");
}

#[tokio::test]
async fn backings_and_uploads_count_for_the_storage_quota() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let store = &bench.store;
    let stored = async |now_us| {
        let usage = store.usage(user, now_us).await;
        usage.expect("it answers").storage_bytes
    };
    let mut job = with_backing(user);
    job.limits = QueueLimits {
        storage_quota_bytes: 1_049,
        ..QueueLimits::default()
    };
    let refused = store.create_job(&job, S).await;
    let refused = refused.expect_err("the backing counts");
    assert!(
        matches!(refused, StoreError::StorageQuota { .. }),
        "{refused:?}"
    );
    job.limits.storage_quota_bytes = 1_050;
    store.create_job(&job, S).await.expect("there is room");
    assert_eq!(stored(S).await, 1_050);
    let refused = store.create_upload(&upload(user), 9, 1_349).await;
    let refused = refused.expect_err("there is no room");
    assert!(
        matches!(refused, StoreError::StorageQuota { .. }),
        "{refused:?}"
    );
    let room = store.create_upload(&upload(user), 9, 1_350).await;
    assert!(room.expect("there is room"));
    assert_eq!(stored(2 * S).await, 1_350);
    // It expires.
    assert_eq!(stored(100 * S).await, 1_050);
}

#[tokio::test]
async fn what_is_done_with_jobs_is_noted_by_what_does_it() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let new = NewJob {
        deed: Some(JobDeed {
            actor: operator(),
            operation: "createIt",
            collection: "https://x.example/things".to_owned(),
        }),
        ..new_job(user)
    };
    let id = bench.store.create_job(&new, S).await;
    let id = id.expect("the queue has room").id;
    let cancelled = bench.store.cancel_any(id, &operator(), 2 * S).await;
    cancelled.expect("it answers");
    let again = bench.store.cancel_any(id, &operator(), 3 * S).await;
    again.expect("it answers");
    let removed = bench
        .store
        .remove_job((id, None), Some(&operator()), 4 * S)
        .await;
    let removed = removed.expect("it answers");
    assert!(matches!(removed, JobHandled::Done(_)), "{removed:?}");
    let deeds = [
        format!("operator createIt https://x.example/things/{id}"),
        format!("operator cancelAnyJob {id}"),
        format!("operator deleteJob {id}"),
    ];
    assert_eq!(log(&bench).await, deeds);
}

#[tokio::test]
async fn a_removed_job_leaves_recordings_to_those_that_need_them() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    // Both work on one recording.
    let (first, second) = (bench.job(user, S).await.id, bench.job(user, S).await.id);
    for (id, token) in [(first, "a"), (second, "b")] {
        bench.claim(token, 2 * S).await.expect("a job is due");
        let lease = lease(id, token);
        let done = bench.store.complete(&lease, &result(&lease), 3 * S).await;
        done.expect("it answers");
    }
    for (id, keys) in [(first, 0), (second, 1)] {
        let removed = bench.store.remove_job((id, None), None, 4 * S).await;
        let JobHandled::Done(removed) = removed.expect("it answers") else {
            panic!("it has ended");
        };
        assert_eq!(removed.input_keys.len(), keys);
    }
}
