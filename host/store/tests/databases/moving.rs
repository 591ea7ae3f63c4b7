//! A database that grows from a file to a server, and comes back. Without a server for the tests both are files.

use vocalhost_job::{JobStage, Progress};
use vocalhost_store::{Handled, MoveError, NewPipeline, NewWebhook, Store};

use super::{Bench, S, lease, new_job, result};

/// Jobs in many states, of which the last is deleted again, and other things with odd values in them.
async fn used() -> (Bench, i64) {
    let bench = Bench::of_file().await;
    let (ann, ben) = (bench.user("ann").await, bench.user("Bén\u{1f3a4}").await);
    let ended = bench.job(ann, S).await.id;
    let running = bench.job(ben, 2 * S).await.id;
    bench.claim("a", 3 * S).await.expect("a job is due");
    bench.claim("b", 3 * S).await.expect("a job is due");
    let store = &bench.store;
    let progress = Progress {
        stage: JobStage::Inference,
        percent: 100.0 / 3.0,
    };
    let told = store
        .report_progress(&lease(running, "b"), &progress, 4 * S)
        .await;
    assert_eq!(told.expect("it answers"), Handled::Recorded);
    let lease = lease(ended, "a");
    let completed = store.complete(&lease, &result(&lease), 5 * S).await;
    assert_eq!(completed.expect("it answers"), Handled::Recorded);
    // More than two pages.
    bench
        .execute(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1200) \
             INSERT INTO job_events (job_id, kind, at_us, detail) SELECT 1, 'progress', n, '{}' FROM numbers",
        )
        .await;
    let pipeline = NewPipeline {
        owner_id: ann,
        name: "bright".to_owned(),
        shared: true,
        chain: serde_json::json!([{ "id": "a'b\"c", "parameters": {} }]),
    };
    store
        .create_pipeline(&pipeline, 10, S)
        .await
        .expect("it is new");
    let webhook = NewWebhook {
        user_id: ben,
        url: Some("https://example.net/é".to_owned()),
        events: Vec::new(),
        description: String::new(),
    };
    store
        .create_webhook(&webhook, 10, S)
        .await
        .expect("it is new");
    let last = bench.job(ben, 1_000 * S).await.id;
    bench
        .execute("DELETE FROM jobs WHERE id = (SELECT MAX(id) FROM jobs)")
        .await;
    (bench, last)
}

async fn copied(from: &Store, to: &Store) -> Result<usize, MoveError> {
    let moved = from.copy_rows_to(to, |_| {}).await?;
    Ok(moved.iter().filter(|table| table.rows > 0).count())
}

#[tokio::test]
async fn a_database_goes_to_a_server_and_back_with_every_row_and_number() {
    let (home, last) = used().await;
    let (away, back) = (Bench::new().await, Bench::of_file().await);
    assert!(away.store.is_unused().await.expect("it answers"));
    assert!(!home.store.is_unused().await.expect("it answers"));
    let filled = copied(&home.store, &away.store)
        .await
        .expect("it is copied");
    assert!(filled >= 8, "{filled} tables");
    assert!(!away.store.is_unused().await.expect("it answers"));
    // What is there may be copied once more: it takes the place of what was.
    copied(&home.store, &away.store)
        .await
        .expect("it is copied");
    copied(&away.store, &back.store)
        .await
        .expect("it is copied");
    let same = home.store.compare_rows_with(&back.store).await;
    let same = same.expect("nothing was lost");
    let rows_of = |name| {
        same.iter()
            .find(|table| table.name == name)
            .map(|table| table.rows)
    };
    assert_eq!(rows_of("jobs"), Some(2));
    assert!(rows_of("job_events") > Some(1_200), "{same:?}");

    // Whatever goes on there goes on with new numbers, and the workers' leases hold.
    for bench in [&away, &back] {
        let ann = bench.store.user_id("ann").await.expect("it answers");
        let job = new_job(ann.expect("she is there"));
        let job = bench.store.create_job(&job, S).await;
        let job = job.expect("there is room");
        assert!(job.id > last, "{} was given before", job.id);
        let ends = lease(2, "b");
        let completed = bench.store.complete(&ends, &result(&ends), 5 * S).await;
        assert_eq!(completed.expect("it answers"), Handled::Recorded);
    }
}

#[tokio::test]
async fn databases_that_differ_in_a_row_are_not_the_same() {
    let (home, _) = used().await;
    let away = Bench::new().await;
    copied(&home.store, &away.store)
        .await
        .expect("it is copied");
    home.execute("UPDATE jobs SET percent = percent + 0.0000001 WHERE id = 2")
        .await;
    let differs = home.store.compare_rows_with(&away.store).await;
    assert!(
        matches!(&differs, Err(MoveError::Differs { table, .. }) if table == "jobs"),
        "{differs:?}"
    );
}

#[tokio::test]
async fn what_the_other_database_has_no_place_for_is_not_left_behind_without_a_word() {
    let (home, _) = used().await;
    let away = Bench::new().await;
    home.execute("ALTER TABLE webhooks ADD COLUMN colour TEXT")
        .await;
    let refused = copied(&home.store, &away.store).await;
    let refused = refused.expect_err("colours would be lost").to_string();
    assert!(refused.contains("webhooks.colour"), "{refused}");
    assert!(away.store.is_unused().await.expect("it answers"));
}
