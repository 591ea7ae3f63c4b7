use vocalhost_job::JobState;
use vocalhost_store::StoredInput;

use super::{Bench, S, lease, new_job, result};

async fn ended(bench: &Bench, token: &str, now_us: i64) -> i64 {
    let user = bench.user("ann").await;
    let id = bench.job(user, now_us).await.id;
    bench.claim(token, now_us).await.expect("a job is due");
    let lease = lease(id, token);
    bench
        .store
        .complete(&lease, &result(&lease), now_us)
        .await
        .expect("the store answers");
    id
}

#[tokio::test]
async fn old_results_are_forgotten_once_and_the_record_stays() {
    let bench = Bench::new().await;
    let old = ended(&bench, "a", S).await;
    let fresh = ended(&bench, "b", 50 * S).await;
    let store = &bench.store;
    let key = format!("results/{old}/a/output.wav");
    assert!(store.needs_result(old, &key).await.expect("answers"));
    let expired = store.expire_results(10 * S, 100, 60 * S).await;
    let ids: Vec<_> = expired
        .expect("answers")
        .iter()
        .map(|one| one.job_id)
        .collect();
    assert_eq!(ids, [old]);
    assert!(!store.needs_result(old, &key).await.expect("answers"));
    let again = store.expire_results(10 * S, 100, 61 * S).await;
    assert_eq!(again.expect("answers"), []);
    for (id, files) in [(old, 0), (fresh, 1)] {
        let JobState::Succeeded { result, .. } = bench.read(id).await.state else {
            panic!("it still succeeded");
        };
        assert_eq!(result.files.len(), files);
    }
}

#[tokio::test]
async fn a_recording_is_kept_as_long_as_any_job_needs_it() {
    let bench = Bench::new().await;
    let first = ended(&bench, "a", S).await;
    let second = ended(&bench, "b", 50 * S).await;
    let key = bench.read(first).await.input.expect("it has one").key;
    let of_the_second = bench.read(second).await.input.expect("it has one");
    assert_eq!(key, of_the_second.key);
    let store = &bench.store;
    let none = store.expire_inputs(10 * S, 100, 60 * S).await;
    assert_eq!(none.expect("answers").0, []);
    assert!(store.needs_input(&key).await.expect("answers"));
    let expired = store.expire_inputs(60 * S, 100, 70 * S).await;
    let keys: Vec<_> = expired
        .expect("answers")
        .0
        .into_iter()
        .flat_map(|one| one.input_keys)
        .collect();
    assert_eq!(keys, [key.as_str()]);
    assert!(!store.needs_input(&key).await.expect("answers"));
}

#[tokio::test]
async fn a_backing_lives_and_goes_with_its_recording() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let mut new = new_job(user);
    let input = new.input.as_mut().expect("it has one");
    let backing = StoredInput {
        key: "inputs/backing.flac".to_owned(),
        format: "flac".to_owned(),
        ..input.clone()
    };
    input.backing = Some(Box::new(backing.clone()));
    let store = &bench.store;
    let id = store.create_job(&new, S).await.expect("is accepted").id;
    let stored = bench.read(id).await.input.expect("it has one");
    assert_eq!(stored.backing.as_deref(), Some(&backing));
    bench.claim("a", S).await.expect("a job is due");
    let lease = lease(id, "a");
    let completed = store.complete(&lease, &result(&lease), S).await;
    completed.expect("the store answers");
    for key in [&stored.key, &backing.key] {
        assert!(store.needs_input(key).await.expect("answers"), "{key}");
    }
    let (expired, _) = store
        .expire_inputs(60 * S, 100, 70 * S)
        .await
        .expect("answers");
    assert_eq!(
        expired[0].input_keys,
        [stored.key.clone(), backing.key.clone()]
    );
    for key in [&stored.key, &backing.key] {
        assert!(!store.needs_input(key).await.expect("answers"), "{key}");
    }
    let forgotten = store.expire_records(60 * S, 100).await.expect("answers");
    assert_eq!(forgotten[0].input_keys, [stored.key, backing.key]);
}

#[tokio::test]
async fn a_record_goes_with_its_history_and_its_number_is_never_given_again() {
    let bench = Bench::new().await;
    let id = ended(&bench, "a", S).await;
    let user = bench.user("ann").await;
    let gone = bench.store.expire_records(10 * S, 100).await;
    assert_eq!(gone.expect("answers").len(), 1);
    let events = bench.store.events(id, 0, 100).await.expect("answers");
    assert_eq!(events, []);
    let bench = bench.reopen().await;
    assert!(bench.job(user, 20 * S).await.id > id);
}

#[tokio::test]
async fn waiting_and_running_jobs_never_expire() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let running = bench.job(user, S).await.id;
    let waiting = bench.job(user, S).await.id;
    bench.claim("a", S).await.expect("a job is due");
    let far_us = i64::MAX / 2;
    let store = &bench.store;
    assert_eq!(
        store
            .expire_results(far_us, 9, far_us)
            .await
            .expect("answers"),
        []
    );
    assert_eq!(
        store
            .expire_inputs(far_us, 9, far_us)
            .await
            .expect("answers"),
        (Vec::new(), false)
    );
    assert_eq!(store.expire_records(far_us, 9).await.expect("answers"), []);
    bench.read(running).await;
    bench.read(waiting).await;
    let under_way = format!("results/{running}/a/output.wav");
    let stale = format!("results/{running}/b/output.wav");
    assert!(
        store
            .needs_result(running, &under_way)
            .await
            .expect("answers")
    );
    assert!(!store.needs_result(running, &stale).await.expect("answers"));
}
