//! The outbox: what is to be told is written with what makes it true.

use vocalhost_job::JobKind;
use vocalhost_store::{
    AfterAttempt, CancelOutcome, DeliveryAttempt, DeliveryClaim, DeliveryState, DueDelivery,
    Handled, JobTies, NewJob, NewWebhook, Store, WebhookChange, WebhookRecord,
};

use super::{Bench, S, lease, new_job, result};

async fn webhook(bench: &Bench, user_id: i64, events: &[&str]) -> (WebhookRecord, String) {
    let new = NewWebhook {
        user_id,
        url: Some("http://hooks.example/".to_owned()),
        events: events.iter().map(|event| (*event).to_owned()).collect(),
        description: String::new(),
    };
    let made = bench.store.create_webhook(&new, 16, S).await;
    made.expect("there is room")
}

/// A claim of at most two of a webhook.
fn two_each(token: &str, for_us: i64) -> DeliveryClaim<'_> {
    DeliveryClaim {
        token,
        for_us,
        per_webhook: 2,
        limit: 100,
    }
}

/// A claim of no duration can be claimed again at once; results are recorded under the last claim only.
const LOOK: &str = "look";

async fn due(bench: &Bench, now_us: i64) -> Vec<DueDelivery> {
    claimed(&bench.store, two_each(LOOK, 0), now_us).await
}

async fn claimed(store: &Store, claim: DeliveryClaim<'_>, now_us: i64) -> Vec<DueDelivery> {
    let claimed = store.claim_deliveries(&claim, now_us).await;
    claimed.expect("the store answers")
}

async fn record(bench: &Bench, id: i64, after: AfterAttempt, now_us: i64) {
    record_as(bench, (id, LOOK), after, now_us).await;
}

async fn record_as(bench: &Bench, claimed: (i64, &str), after: AfterAttempt, now_us: i64) {
    let attempt = DeliveryAttempt::default();
    let recorded = bench
        .store
        .record_attempt(claimed, &attempt, &after, now_us);
    recorded.await.expect("the store answers");
}

async fn cancelled(bench: &Bench, user_id: i64, now_us: i64) -> i64 {
    let id = bench.job(user_id, now_us).await.id;
    let cancelled = bench
        .store
        .cancel(JobKind::VoiceConversion, id, now_us)
        .await;
    let cancelled = cancelled.expect("the store answers");
    assert!(matches!(cancelled, CancelOutcome::Accepted(_)));
    id
}

#[tokio::test]
async fn every_end_is_told_once_to_those_who_want_it() {
    let bench = Bench::new().await;
    let (ann, bob) = (bench.user("ann").await, bench.user("bob").await);
    let (all, secret) = webhook(&bench, ann, &[]).await;
    webhook(&bench, ann, &["job.error"]).await;
    webhook(&bench, bob, &[]).await;
    let new = NewJob {
        ties: JobTies {
            webhook_url: Some("http://own.example/".to_owned()),
            trace_parent: Some("trace".to_owned()),
        },
        ..new_job(ann)
    };
    let id = bench.store.create_job(&new, S).await.expect("room").id;
    bench.claim("one", 2 * S).await.expect("a job is due");
    assert_eq!(due(&bench, 9 * S).await, []);

    // A report that comes too late tells nobody anything.
    let stale = lease(id, "zero");
    let handled = bench.store.complete(&stale, &result(&stale), 3 * S).await;
    assert_eq!(handled.expect("the store answers"), Handled::LeaseLost);
    assert_eq!(due(&bench, 9 * S).await, []);
    let held = lease(id, "one");
    for wanted in [Handled::Recorded, Handled::LeaseLost] {
        let handled = bench.store.complete(&held, &result(&held), 4 * S).await;
        assert_eq!(handled.expect("the store answers"), wanted);
    }
    let told = due(&bench, 9 * S).await;
    let urls: Vec<&str> = told.iter().map(|one| one.url.as_str()).collect();
    assert_eq!(urls, ["http://hooks.example/", "http://own.example/"]);
    assert_eq!(told[0].message_id, told[1].message_id);
    assert_eq!(told[0].secrets, [secret]);
    for one in &told {
        assert_eq!((one.event.as_str(), one.job_id), ("job.success", Some(id)));
        assert_eq!(one.trace_parent.as_deref(), Some("trace"));
        assert_eq!(one.payload["status"], "success");
    }
    let bench = bench.reopen().await;
    assert_eq!(due(&bench, 9 * S).await, told);

    let job = cancelled(&bench, ann, 5 * S).await;
    let told = due(&bench, 9 * S).await;
    let last = told.last().expect("there is one more");
    assert_eq!(
        (last.event.as_str(), last.job_id),
        ("job.cancelled", Some(job))
    );
    let page = bench
        .store
        .deliveries(all.id, true, (1, 1))
        .await
        .expect("it answers");
    assert_eq!((page.total, page.rows[0].job_id), (2, Some(job)));
}

#[tokio::test]
async fn one_webhook_never_takes_all_places() {
    let bench = Bench::new().await;
    let (ann, bob) = (bench.user("ann").await, bench.user("bob").await);
    let (anns, _) = webhook(&bench, ann, &[]).await;
    webhook(&bench, bob, &[]).await;
    for at in 0..5 {
        cancelled(&bench, ann, at * S).await;
    }
    let bobs = cancelled(&bench, bob, 6 * S).await;
    let told = due(&bench, 9 * S).await;
    assert_eq!(told.len(), 3);
    assert_eq!(told[2].job_id, Some(bobs));
    assert_eq!(bench.store.webhook_backlog().await.expect("it answers"), 6);

    // What is to be tried later gives way.
    let again = AfterAttempt::Again { at_us: 20 * S };
    record(&bench, told[0].id, again, 9 * S).await;
    let then = due(&bench, 9 * S).await;
    assert!(then.iter().all(|one| one.id != told[0].id) && then.len() == 3);
    let record = bench.store.delivery(anns.id, told[0].id).await;
    let record = record.expect("it answers").expect("it is there");
    assert_eq!(
        (record.state, record.attempts.len()),
        (DeliveryState::Pending, 1)
    );
    assert_eq!(record.next_attempt_us, 20 * S);
}

#[tokio::test]
async fn an_endpoint_is_given_up_only_when_nothing_came_through() {
    let bench = Bench::new().await;
    let ann = bench.user("ann").await;
    let (webhook, _) = webhook(&bench, ann, &[]).await;
    for at in 1..5 {
        cancelled(&bench, ann, at * S).await;
    }
    let enabled = async || {
        let read = bench.store.webhook(webhook.id).await;
        read.expect("it answers").expect("it is there").enabled
    };
    let dead = || AfterAttempt::EndpointDead {
        reason: "It is.".to_owned(),
    };
    let first = due(&bench, 9 * S).await;
    record(&bench, first[0].id, AfterAttempt::Delivered, 10 * S).await;
    record(&bench, first[1].id, dead(), 11 * S).await;
    assert!(enabled().await);
    // One that happened after the last success.
    cancelled(&bench, ann, 12 * S).await;
    let page = bench
        .store
        .deliveries(webhook.id, true, (1, 9))
        .await
        .expect("it answers");
    let all = DeliveryClaim {
        per_webhook: 100,
        ..two_each(LOOK, 0)
    };
    assert_eq!(claimed(&bench.store, all, 13 * S).await.len(), 3);
    record(&bench, page.rows[0].id, dead(), 13 * S).await;
    assert!(!enabled().await);
    assert_eq!(due(&bench, 99 * S).await, []);
    assert_eq!(bench.store.webhook_backlog().await.expect("it answers"), 0);
    cancelled(&bench, ann, 14 * S).await;
    assert_eq!(due(&bench, 99 * S).await, []);

    let change = WebhookChange {
        enabled: Some(true),
        ..WebhookChange::default()
    };
    let changed = bench
        .store
        .change_webhook(webhook.id, &change, 15 * S)
        .await;
    let changed = changed.expect("it answers").expect("it is there");
    assert_eq!((changed.enabled, changed.disabled_reason), (true, None));
    let replayed = bench
        .store
        .replay_delivery(webhook.id, first[1].id, 16 * S)
        .await;
    assert!(replayed.expect("it answers").is_some());
    assert_eq!(due(&bench, 16 * S).await.len(), 1);
    let forgotten = bench.store.forget_deliveries(99 * S, 100).await;
    assert_eq!(forgotten.expect("it answers"), 4);
    assert_eq!(due(&bench, 16 * S).await.len(), 1);
}

#[tokio::test]
async fn a_former_secret_signs_for_a_day() {
    const DAY: i64 = 24 * 3_600 * S;
    let bench = Bench::new().await;
    let ann = bench.user("ann").await;
    let (webhook, old) = webhook(&bench, ann, &[]).await;
    let new = bench.store.rotate_webhook(webhook.id, 5 * S).await;
    let new = new.expect("it answers").expect("it is there");
    cancelled(&bench, ann, 6 * S).await;
    let secrets = async |now_us| due(&bench, now_us).await[0].secrets.clone();
    assert_eq!(secrets(7 * S).await, [new.clone(), old]);
    assert_eq!(secrets(5 * S + DAY).await, [new]);
    assert!(
        bench
            .store
            .delete_webhook(webhook.id)
            .await
            .expect("it answers")
    );
    assert_eq!(due(&bench, 7 * S).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_make_each_delivery_once_and_two_to_a_webhook_at_a_time() {
    let bench = Bench::new().await;
    let (ann, bob) = (bench.user("ann").await, bench.user("bob").await);
    let (anns, _) = webhook(&bench, ann, &[]).await;
    webhook(&bench, bob, &[]).await;
    for at in 1..=8 {
        cancelled(&bench, ann, at * S).await;
    }
    cancelled(&bench, bob, 9 * S).await;
    let tokens = ["one", "two", "three", "four"];
    let mut made = Vec::new();
    // Each round makes two of ann's; bob's is made in the first.
    for round in 0..4 {
        let claims = tokens.map(|token| {
            let store = bench.store.clone();
            tokio::spawn(async move {
                let due = claimed(&store, two_each(token, 30 * S), 20 * S).await;
                due.into_iter().map(move |one| (one, token))
            })
        });
        let mut claimed = Vec::new();
        for claim in claims {
            claimed.extend(claim.await.expect("it does not panic"));
        }
        let of_ann = claimed.iter().filter(|(one, _)| one.webhook_id == anns.id);
        assert_eq!(of_ann.count(), 2, "round {round}");
        for (one, token) in claimed {
            record_as(&bench, (one.id, token), AfterAttempt::Delivered, 21 * S).await;
            made.push(one.id);
        }
    }
    made.sort_unstable();
    let all = made.len();
    made.dedup();
    assert_eq!((made.len(), all), (9, 9));
    assert_eq!(bench.store.webhook_backlog().await.expect("it answers"), 0);
}

#[tokio::test]
async fn what_a_server_claimed_that_is_gone_is_made_by_another_whose_word_counts() {
    let bench = Bench::new().await;
    let ann = bench.user("ann").await;
    let (webhook, _) = webhook(&bench, ann, &[]).await;
    cancelled(&bench, ann, S).await;
    let [first] = &claimed(&bench.store, two_each("gone", 30 * S), 2 * S).await[..] else {
        panic!("one is due")
    };
    assert_eq!(
        claimed(&bench.store, two_each("next", 30 * S), 31 * S).await,
        []
    );
    let again = claimed(&bench.store, two_each("next", 30 * S), 32 * S).await;
    assert_eq!(
        again.iter().map(|one| one.id).collect::<Vec<_>>(),
        [first.id]
    );
    // The first was only slow, and comes back.
    record_as(&bench, (first.id, "gone"), AfterAttempt::GivenUp, 33 * S).await;
    let state = async || {
        let read = bench.store.delivery(webhook.id, first.id).await;
        let read = read.expect("it answers").expect("it is there");
        (read.state, read.attempts.len())
    };
    assert_eq!(state().await, (DeliveryState::Pending, 0));
    record_as(&bench, (first.id, "next"), AfterAttempt::Delivered, 34 * S).await;
    assert_eq!(state().await, (DeliveryState::Delivered, 1));
}

#[tokio::test]
async fn what_was_claimed_can_be_given_back() {
    let bench = Bench::new().await;
    let ann = bench.user("ann").await;
    webhook(&bench, ann, &[]).await;
    cancelled(&bench, ann, S).await;
    for (token, given_back, found) in [("a", None, 0), ("a", Some("b"), 0), ("b", Some("a"), 1)] {
        if given_back.is_some() {
            let released = bench.store.release_deliveries(given_back).await;
            released.expect("it answers");
        } else {
            assert_eq!(
                claimed(&bench.store, two_each(token, 30 * S), 2 * S)
                    .await
                    .len(),
                1
            );
        }
        assert_eq!(due(&bench, 3 * S).await.len(), found, "{given_back:?}");
    }
}
