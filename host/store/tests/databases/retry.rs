use vocalhost_job::JobKind;
use vocalhost_store::{CancelOutcome, JobHandled, NewJob, StoreError};

use super::{Bench, S, lease, new_job, result};

const KIND: JobKind = JobKind::VoiceConversion;

fn again(user_id: i64, of: i64) -> NewJob {
    NewJob {
        retry_of: Some(of),
        ..new_job(user_id)
    }
}

#[tokio::test]
async fn only_a_job_that_has_ended_and_has_its_recording_is_tried_again() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let id = bench.job(user, S).await.id;
    let running = bench.store.create_job(&again(user, id), S).await;
    assert!(
        matches!(running, Err(StoreError::RetryRunning)),
        "{running:?}"
    );
    let cancelled = bench
        .store
        .cancel(KIND, id, 2 * S)
        .await
        .expect("the store answers");
    assert!(matches!(cancelled, CancelOutcome::Accepted(_)));
    let second = bench.store.create_job(&again(user, id), 3 * S).await;
    let second = second.expect("it is tried again");
    assert_eq!(second.retry_of, Some(id));
    bench
        .store
        .expire_inputs(3 * S, 100, 4 * S)
        .await
        .expect("the store answers");
    let gone = bench.store.create_job(&again(user, id), 5 * S).await;
    assert!(
        matches!(gone, Err(StoreError::RetryWithoutInput)),
        "{gone:?}"
    );
    let unknown = bench.store.create_job(&again(user, 999), 5 * S).await;
    assert!(
        matches!(unknown, Err(StoreError::RetryUnknown)),
        "{unknown:?}"
    );
}

#[tokio::test]
async fn a_job_is_removed_with_its_history_once_it_has_ended() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let id = bench.job(user, S).await.id;
    let remove = || bench.store.remove_job((id, Some(KIND)), None, 3 * S);
    assert_eq!(
        remove().await.expect("the store answers"),
        JobHandled::WrongState
    );
    bench.claim("a", S).await.expect("a job is due");
    assert_eq!(
        remove().await.expect("the store answers"),
        JobHandled::WrongState
    );
    let lease = lease(id, "a");
    let done = bench.store.complete(&lease, &result(&lease), 2 * S).await;
    done.expect("the store answers");
    let other_kind = bench
        .store
        .remove_job((id, Some(JobKind::StemSplit)), None, 3 * S)
        .await;
    assert_eq!(other_kind.expect("the store answers"), JobHandled::Unknown);
    let JobHandled::Done(removed) = remove().await.expect("the store answers") else {
        panic!("it has ended");
    };
    assert_eq!(removed.job_id, id);
    assert!(!removed.input_keys.is_empty());
    assert_eq!(
        remove().await.expect("the store answers"),
        JobHandled::Unknown
    );
    assert!(
        bench
            .store
            .events(id, 0, 10)
            .await
            .expect("the store answers")
            .is_empty()
    );
    assert!(!bench.store.goes_on(id).await.expect("the store answers"));
}
