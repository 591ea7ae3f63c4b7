use vocalhost_store::{
    Actor, Completion, KeptAnswer, ModelRecord, NewJob, Reservation, Reserved, StoreError,
    VoiceOwner,
};

use super::imports::voice;
use super::{Bench, S, new_job};

const DAY: i64 = 24 * 60 * 60 * S;

fn reservation(user_id: i64, token: &str) -> Reservation {
    Reservation {
        user_id,
        operation: "createVoiceConversion".to_owned(),
        key: "key".to_owned(),
        token: token.to_owned(),
    }
}

fn completion(user_id: i64, token: &str) -> Completion {
    Completion {
        reservation: reservation(user_id, token),
        fingerprint: "print".to_owned(),
    }
}

async fn reserve(bench: &Bench, user_id: i64, token: &str, now_us: i64) -> Reserved {
    bench
        .store
        .reserve(&reservation(user_id, token), now_us, now_us + 60 * S)
        .await
        .expect("the store answers")
}

async fn release(bench: &Bench, user_id: i64, token: &str) {
    let released = bench.store.release(&reservation(user_id, token)).await;
    released.expect("the store answers");
}

#[tokio::test]
async fn a_key_is_one_requests_until_it_is_done_released_or_too_old() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let other = bench.user("ben").await;
    assert_eq!(reserve(&bench, user, "a", S).await, Reserved::Ours);
    assert_eq!(reserve(&bench, user, "b", S).await, Reserved::InProgress);
    assert_eq!(reserve(&bench, other, "c", S).await, Reserved::Ours);
    // Only whoever has it can give it back.
    release(&bench, user, "b").await;
    assert_eq!(reserve(&bench, user, "b", S).await, Reserved::InProgress);
    release(&bench, user, "a").await;
    assert_eq!(reserve(&bench, user, "b", S).await, Reserved::Ours);
    assert_eq!(reserve(&bench, user, "d", 61 * S).await, Reserved::Ours);
    // A server that starts knows that nobody is at work.
    bench
        .store
        .forget_reservations()
        .await
        .expect("the store answers");
    assert_eq!(reserve(&bench, user, "e", 61 * S).await, Reserved::Ours);
}

#[tokio::test]
async fn a_request_is_completed_by_the_transaction_that_makes_its_job() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let new = |token| NewJob {
        completes: Some(completion(user, token)),
        ..new_job(user)
    };
    reserve(&bench, user, "a", S).await;
    // The key went to another request meanwhile: no job.
    let lost = bench.store.create_job(&new("b"), S).await;
    assert!(matches!(lost, Err(StoreError::ReservationLost)), "{lost:?}");
    let job = bench.store.create_job(&new("a"), S).await.expect("a job");
    let Reserved::Done(done) = reserve(&bench, user, "c", 2 * S).await else {
        panic!("the request is done");
    };
    assert_eq!(
        (done.fingerprint.as_str(), done.job_id),
        ("print", Some(job.id))
    );
    assert_eq!(done.answer, None);
    // A completed request is not released, and survives a restart.
    release(&bench, user, "a").await;
    bench
        .store
        .forget_reservations()
        .await
        .expect("the store answers");
    let answer = KeptAnswer {
        status: 201,
        location: Some("somewhere".to_owned()),
        body: "{}".to_owned(),
    };
    let done = completion(user, "a");
    let kept = bench.store.keep_answer(&done, &answer, 2 * S).await;
    kept.expect("the store answers");
    let Reserved::Done(done) = reserve(&bench, user, "c", 3 * S).await else {
        panic!("the request is done");
    };
    assert_eq!(done.answer, Some(answer));
    let twice = bench.store.create_job(&new("a"), 3 * S).await;
    assert!(
        matches!(twice, Err(StoreError::ReservationLost)),
        "{twice:?}"
    );
    assert!(
        bench
            .store
            .any_job(job.id + 1)
            .await
            .expect("answers")
            .is_none()
    );
    // After a day the key is free.
    bench
        .store
        .forget_requests(DAY)
        .await
        .expect("the store answers");
    let Reserved::Done(_) = reserve(&bench, user, "d", DAY).await else {
        panic!("it is kept for a day");
    };
    assert_eq!(
        reserve(&bench, user, "d", 2 * S + DAY).await,
        Reserved::Ours
    );
}

#[tokio::test]
async fn a_request_for_a_voice_is_completed_with_its_answer_by_the_transaction_that_makes_it() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let (store, actor) = (&bench.store, Actor::server());
    let answer = |voice: &ModelRecord| KeptAnswer {
        status: 201,
        location: None,
        body: format!("voice {}", voice.id),
    };
    let done = completion(user, "a");
    let new = voice("import.1", VoiceOwner::User(user));
    let lost = store
        .create_imported(&new, Some((&done, &answer)), &actor, S)
        .await;
    assert!(
        matches!(lost, Err(StoreError::ReservationLost)),
        "there is none: {lost:?}"
    );
    assert_eq!(reserve(&bench, user, "a", S).await, Reserved::Ours);
    let made = store
        .create_imported(&new, Some((&done, &answer)), &actor, S)
        .await;
    let made = made.expect("what was refused left nothing");
    // A server that ended just then, and its successor.
    store.forget_reservations().await.expect("answers");
    let Reserved::Done(again) = reserve(&bench, user, "b", 2 * S).await else {
        panic!("it was done");
    };
    assert_eq!(again.answer, Some(answer(&made)));
}
