//! Several servers on one database: what one transaction reads before it writes, another may be about to change.

use std::time::Duration;

use futures_util::future::join_all;
use vocalhost_store::{Actor, QueueLimits, SharedStanding, Store, StoreError, UserChange};

use super::{Bench, S, claim, new_job, opened};

/// A store for each of so many servers.
async fn servers(bench: &Bench, count: usize) -> Vec<Store> {
    join_all((0..count).map(|_| opened(&bench.address))).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_that_start_together_make_one_first_key() {
    let bench = Bench::new().await;
    let servers = servers(&bench, 6).await;
    let made = join_all(servers.iter().map(|store| store.bootstrap(S))).await;
    let keys = made
        .into_iter()
        .filter_map(|made| made.expect("it answers"));
    assert_eq!(keys.count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn requests_at_the_same_time_do_not_pass_a_limit_together() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let servers = servers(&bench, 6).await;
    let mut job = new_job(user);
    job.limits = QueueLimits {
        max_queued_per_user: 1,
        ..QueueLimits::default()
    };
    let made = join_all(servers.iter().map(|store| store.create_job(&job, S))).await;
    let (accepted, refused): (Vec<_>, Vec<_>) = made.into_iter().partition(Result::is_ok);
    assert_eq!(accepted.len(), 1);
    for refused in refused {
        assert!(
            matches!(refused, Err(StoreError::UserQueueFull)),
            "{refused:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_let_through_together_what_one_would() {
    let bench = Bench::new().await;
    let servers = servers(&bench, 4).await;
    let minute = Duration::from_mins(1);
    let let_through = async |name: &str, now_us| {
        let asked = servers.iter().cycle().take(24);
        let taken = asked.map(|store| store.take_request(name, (6, minute), now_us));
        let taken = join_all(taken).await.into_iter();
        let taken = taken.map(|taken| taken.expect("it answers"));
        taken.collect::<Option<Vec<_>>>()
    };
    let granted = |of: &[SharedStanding]| of.iter().filter(|one| one.granted).count();
    let Some(at_once) = let_through("read 1", 100 * S).await else {
        // On a file there is one server, which counts in its memory.
        assert!(!bench.store.is_shared());
        return;
    };
    assert_eq!(granted(&at_once), 6);
    let mut refused = at_once.iter().filter(|one| !one.granted);
    assert!(refused.all(|one| one.tokens < 1.0), "{at_once:?}");
    // Six a minute is one in ten seconds; another name has its own.
    let later = let_through("read 1", 125 * S).await.expect("as before");
    assert_eq!(granted(&later), 2);
    let alone = bench.store.take_request("read 1", (6, minute), 125 * S);
    let alone = alone.await.expect("it answers").expect("as before");
    assert!(!alone.granted && (alone.tokens - 0.5).abs() < 1e-9);
    let other = let_through("read 2", 125 * S).await.expect("as before");
    assert_eq!(granted(&other), 6);
    // The first is full after 55 s, the other after 60.
    for (at_s, forgotten) in [(180, 0), (184, 1), (186, 1)] {
        let gone = bench.store.forget_request_limits(at_s * S).await;
        assert_eq!(gone.expect("it answers"), forgotten, "at {at_s} s");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_administrators_cannot_disable_each_other() {
    let bench = Bench::new().await;
    let both = [bench.user("ann").await, bench.user("ben").await];
    let servers = servers(&bench, 2).await;
    let change = UserChange {
        enabled: Some(false),
        ..UserChange::default()
    };
    let actor = Actor::server();
    let disable = |(store, id): (&Store, i64)| {
        let (store, change, actor) = (store.clone(), change, actor.clone());
        async move { store.change_user(id, &change, &actor, S).await }
    };
    let done = join_all(servers.iter().zip(both).map(disable)).await;
    let (disabled, refused): (Vec<_>, Vec<_>) = done.into_iter().partition(Result::is_ok);
    assert_eq!((disabled.len(), refused.len()), (1, 1));
    assert!(
        matches!(refused[0], Err(StoreError::LastAdmin)),
        "{refused:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn claims_of_several_servers_find_all_that_is_due_and_pass_no_limit() {
    let bench = Bench::new().await;
    let (ann, ben) = (bench.user("ann").await, bench.user("ben").await);
    for _ in 0..8 {
        bench.job(ann, S).await;
    }
    let servers = servers(&bench, 8).await;
    let claim_once = async |max_running_per_user, round: usize| {
        let claims = servers.iter().enumerate().map(|(number, store)| {
            let mut claim = claim(&format!("token {round} {number}"));
            claim.max_running_per_user = max_running_per_user;
            async move { store.claim(&claim, 4 * S).await }
        });
        let claimed = join_all(claims).await.into_iter();
        let claimed = claimed.filter_map(|claimed| claimed.expect("it answers"));
        let mut ids: Vec<i64> = claimed.map(|job| job.record.id).collect();
        ids.sort_unstable();
        ids
    };
    // All jobs are one user's, who is claimed for by one server at a time.
    assert_eq!(claim_once(3, 1).await.len(), 3);
    assert_eq!(claim_once(8, 2).await.len(), 5);
    assert_eq!(claim_once(8, 3).await.len(), 0);
    for user in [ann, ben, ann, ben] {
        bench.job(user, 3 * S).await;
    }
    let mut ids = claim_once(100, 4).await;
    ids.dedup();
    assert_eq!(ids.len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn requests_that_are_given_up_half_way_leave_nothing_open() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let mut job = new_job(user);
    job.limits.max_queued_per_user = 1_000;
    for moment in 0..200 {
        let (store, job) = (bench.store.clone(), job.clone());
        let request = async move { store.create_job(&job, S).await.map(drop) };
        // Whether it came to its end does not matter.
        let _ = tokio::time::timeout(Duration::from_micros(moment * 20), request).await;
    }
    // What a connection had open would be seen by nobody else, and gone with it.
    let [other] = &servers(&bench, 1).await[..] else {
        panic!("one was asked for")
    };
    for _ in 0..40 {
        let made = bench.store.create_job(&job, 2 * S).await;
        let made = made.expect("the queue has room");
        let found = other.any_job(made.id).await.expect("it answers");
        assert_eq!(found.map(|job| job.id), Some(made.id));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_the_servers_does_a_chore_until_it_is_due_again() {
    let bench = Bench::new().await;
    let hour = Duration::from_hours(1);
    let servers = servers(&bench, 4).await;
    let named = |(number, store): (usize, Store)| store.named(&format!("server {number}"));
    let servers: Vec<Store> = servers.into_iter().enumerate().map(named).collect();
    let takers = async |now_us| {
        let takes = servers
            .iter()
            .map(|store| store.take_chore("cleanup", hour, now_us));
        let taken = join_all(takes).await.into_iter();
        taken
            .filter(|taken| *taken.as_ref().expect("it answers"))
            .count()
    };
    // On a file there is one server, and it is always its turn.
    let [at_once, in_between] = if bench.store.is_shared() {
        [1, 0]
    } else {
        [4, 4]
    };
    assert_eq!(takers(S).await, at_once);
    assert_eq!(takers(2 * S).await, in_between);
    assert_eq!(takers(3_600 * S).await, at_once);
    let other = bench.store.take_chore("another", hour, 2 * S).await;
    assert!(other.expect("it answers"));
}

#[tokio::test]
async fn a_server_that_was_just_reached_says_of_nobody_that_they_are_gone() {
    let bench = Bench::new().await;
    let reached = |span| bench.store.has_been_reached_for(span);
    assert!(reached(Duration::ZERO));
    assert_eq!(reached(Duration::from_mins(1)), !bench.store.is_shared());
}
