use vocalhost_job::{Failure, FailureCode, JobKind, JobState, JobStatus};
use vocalhost_store::{EventKind, JobQuery, QueueLimits, StoreError};

use super::{Bench, S, lease, new_job, result};

fn list(user_id: i64) -> JobQuery {
    JobQuery {
        user_id,
        kind: Some(JobKind::VoiceConversion),
        status: None,
        descending: false,
        page: 1,
        per_page: 10,
    }
}

#[tokio::test]
async fn an_accepted_job_reads_back_as_it_was_given() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let made = bench.job(user, 7 * S).await;
    assert_eq!(bench.read(made.id).await, made);
    assert_eq!(made.spec, new_job(user).spec);
    assert_eq!(made.input, new_job(user).input);
    assert_eq!(made.metadata, new_job(user).metadata);
    assert_eq!((made.created_at_us, made.started_at_us), (7 * S, 7 * S));
    assert_eq!(made.state.status(), JobStatus::Running);
    assert_eq!(made.queue_position, Some(1));
}

#[tokio::test]
async fn an_accepted_job_survives_a_restart() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let made = bench.job(user, S).await;
    let bench = bench.reopen().await;
    assert_eq!(bench.read(made.id).await, made);
}

#[tokio::test]
async fn the_position_in_the_queue_counts_down_as_jobs_start() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let first = bench.job(user, S).await;
    let second = bench.job(user, S).await;
    assert_eq!(second.queue_position, Some(2));
    bench.claim("token", 2 * S).await.expect("a job is due");
    assert_eq!(bench.read(first.id).await.queue_position, None);
    assert_eq!(bench.read(second.id).await.queue_position, Some(1));
}

#[tokio::test]
async fn lists_show_a_user_their_own_jobs_page_by_page() {
    let bench = Bench::new().await;
    let (ann, ben) = (bench.user("ann").await, bench.user("ben").await);
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(bench.job(ann, S).await.id);
        bench.job(ben, S).await;
    }
    let page = |page, descending| JobQuery {
        page,
        descending,
        per_page: 2,
        ..list(ann)
    };
    let shown = async |query: JobQuery| {
        let page = bench.store.jobs(&query).await.expect("the store answers");
        assert_eq!(page.total, 5);
        page.rows.iter().map(|job| job.id).collect::<Vec<_>>()
    };
    assert_eq!(shown(page(1, false)).await, ids[0..2]);
    assert_eq!(shown(page(3, false)).await, ids[4..5]);
    assert_eq!(shown(page(4, false)).await, [0; 0]);
    assert_eq!(shown(page(1, true)).await, [ids[4], ids[3]]);
}

#[tokio::test]
async fn lists_can_be_cut_down_to_a_status() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let good = bench.job(user, S).await.id;
    let bad = bench.job(user, S).await.id;
    let waiting = bench.job(user, S).await.id;
    bench.claim("a", S).await.expect("a job is due");
    bench.claim("b", S).await.expect("a job is due");
    let lease_of_good = lease(good, "a");
    bench
        .store
        .complete(&lease_of_good, &result(&lease_of_good), 2 * S)
        .await
        .expect("the store answers");
    let failure = Failure::new(FailureCode::InputDamaged, "Damaged at 3 s.");
    bench
        .store
        .fail(&lease(bad, "b"), &failure, 2 * S)
        .await
        .expect("the store answers");
    for (status, id) in [
        (JobStatus::Success, Some(good)),
        (JobStatus::Error, Some(bad)),
        (JobStatus::Running, Some(waiting)),
        (JobStatus::Cancelled, None),
    ] {
        let query = JobQuery {
            status: Some(status),
            ..list(user)
        };
        let page = bench.store.jobs(&query).await.expect("the store answers");
        assert_eq!(page.rows.first().map(|job| job.id), id, "{status:?}");
        assert_eq!(page.total, u64::from(id.is_some()), "{status:?}");
    }
    let failed = bench.read(bad).await;
    assert_eq!(
        failed.state,
        JobState::Failed {
            failure,
            at_us: 2 * S
        }
    );
    assert_eq!(failed.ended_at_us, Some(2 * S));
}

#[tokio::test]
async fn a_user_may_not_fill_the_queue_for_the_others() {
    let bench = Bench::new().await;
    let (ann, ben) = (bench.user("ann").await, bench.user("ben").await);
    let limits = QueueLimits {
        max_queued_per_user: 2,
        max_queue: 3,
        ..QueueLimits::default()
    };
    let job = |user| {
        let mut job = new_job(user);
        job.limits = limits;
        job
    };
    for _ in 0..2 {
        let made = bench.store.create_job(&job(ann), S).await;
        made.expect("there is room");
    }
    let over = bench.store.create_job(&job(ann), S).await;
    assert!(matches!(over, Err(StoreError::UserQueueFull)), "{over:?}");
    let made = bench.store.create_job(&job(ben), S).await;
    made.expect("there is room");
    let over = bench.store.create_job(&job(ben), S).await;
    assert!(matches!(over, Err(StoreError::QueueFull)), "{over:?}");
}

#[tokio::test]
async fn the_history_of_a_job_tells_every_change_in_order() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let id = bench.job(user, S).await.id;
    bench.claim("a", S).await.expect("a job is due");
    bench
        .store
        .worker_died(&lease(id, "a"), S)
        .await
        .expect("the store answers");
    bench.claim("b", 10 * S).await.expect("the pause is over");
    bench
        .store
        .complete(&lease(id, "b"), &result(&lease(id, "b")), 11 * S)
        .await
        .expect("the store answers");
    let events = bench.store.events(id, 0, 100).await.expect("events");
    let kinds: Vec<_> = events.iter().map(|event| event.kind).collect();
    assert_eq!(
        kinds,
        [
            EventKind::Created,
            EventKind::Started,
            EventKind::Requeued,
            EventKind::Started,
            EventKind::Ended
        ]
    );
    assert_eq!(events[3].detail["attempt"], 2);
    assert_eq!(events[4].detail["status"], "success");
    let rest = bench.store.events(id, events[3].id, 100).await;
    assert_eq!(rest.expect("events"), events[4..]);
}
