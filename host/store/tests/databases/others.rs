//! Several servers on one database.

use std::time::Duration;

use futures_util::future::join_all;
use vocalhost_store::{DatabaseAddress, NodeRecord, Store};

use super::{Bench, S, claim, opened};

/// Announcements arrive within this time; a server's own look takes longer.
const SOON: Duration = Duration::from_secs(4);

/// How long what does not come by itself is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// Another server's store on the same database.
async fn beside(bench: &Bench) -> Store {
    opened(&bench.address).await
}

fn is_on_server(bench: &Bench) -> bool {
    matches!(bench.address, DatabaseAddress::Server(_))
}

async fn comes(what: &str, happens: impl Future<Output = ()>) {
    let happened = tokio::time::timeout(PATIENCE, happens).await;
    happened.unwrap_or_else(|_| panic!("{what} in time"));
}

#[tokio::test]
async fn what_one_server_does_the_other_hears() {
    let bench = Bench::new().await;
    let user = bench.user("anna").await;
    let other = beside(&bench).await;
    if !is_on_server(&bench) {
        // There are no others.
        comes("it is over", other.hear_others()).await;
        return;
    }
    let hearing = other.clone();
    let hearing = tokio::spawn(async move { hearing.hear_others().await });
    // Whoever begins to listen looks at everything.
    comes("it listens", other.job_due()).await;
    // A busy machine may be late with one.
    let mut heard = false;
    for _ in 0..3 {
        let mut changes = other.changes();
        let job = bench.job(user, 0).await;
        comes("the job is due", other.job_due()).await;
        heard = tokio::time::timeout(SOON, changes.of(job.id)).await.is_ok();
        if heard {
            break;
        }
    }
    assert!(heard, "no job has changed in time");

    // Notices only make it sooner.
    bench
        .execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE application_name = 'vocalhost-listen'",
        )
        .await;
    bench.job(user, 0).await;
    comes("the last job is due", other.job_due()).await;
    hearing.abort();
}

#[tokio::test]
async fn a_server_is_listed_with_its_jobs_until_it_ends_or_is_not_heard_of() {
    let bench = Bench::new().await;
    let store = bench.store.clone().named("1");
    let node = |id: &str, name: &str, seen_at_us| NodeRecord {
        id: id.to_owned(),
        name: name.to_owned(),
        role: "worker".to_owned(),
        release: "1.0.0".to_owned(),
        queues: vec!["voice-blend".to_owned(), "stem-split".to_owned()],
        started_at_us: S,
        seen_at_us,
        draining: false,
    };
    let listed = async || store.nodes().await.expect("the store answers");
    for node in [node("1", "b", 2 * S), node("2", "a", 3 * S)] {
        let there = store.node_is_there(&node).await;
        there.expect("the store answers");
    }
    let user = bench.user("anna").await;
    bench.job(user, 0).await;
    let claimed = store
        .claim(&claim("token"), S)
        .await
        .expect("the store answers");
    assert!(claimed.is_some());
    let busy: Vec<(String, u64)> = listed()
        .await
        .into_iter()
        .map(|listed| (listed.node.id, listed.running_jobs))
        .collect();
    assert_eq!(busy, [("2".to_owned(), 0), ("1".to_owned(), 1)]);
    let again = NodeRecord {
        draining: true,
        ..node("1", "c", 9 * S)
    };
    let there = store.node_is_there(&again).await;
    there.expect("the store answers");
    let forgotten = store.forget_nodes(4 * S).await;
    assert_eq!(forgotten.expect("the store answers"), 1);
    let left: Vec<NodeRecord> = listed().await.into_iter().map(|one| one.node).collect();
    assert_eq!(left, [again]);
    let gone = store.node_is_gone("1").await;
    gone.expect("the store answers");
    assert!(listed().await.is_empty());
}

#[tokio::test]
async fn of_all_who_bring_a_secret_the_first_is_believed() {
    let bench = Bench::new().await;
    let asked = (0..6).map(|number| {
        let store = bench.store.clone();
        async move {
            let candidate = format!("{number:064x}");
            let secret = store.shared_secret("links", &candidate, 0).await;
            secret.expect("the store answers")
        }
    });
    let secrets = join_all(asked).await;
    assert_eq!(secrets[0].len(), 64);
    assert!(
        secrets.iter().all(|secret| *secret == secrets[0]),
        "{secrets:?}"
    );
    let other = bench.store.shared_secret("another", "ab", 0).await;
    assert_eq!(other.expect("the store answers"), "ab");
}
