use futures_util::future::join_all;
use vocalhost_store::{Arrival, Store, UploadPiece, UploadRecord};

use super::{Bench, opened};

fn upload(id: &str, user_id: i64) -> UploadRecord {
    UploadRecord {
        id: id.to_owned(),
        user_id,
        bytes: 100,
        metadata: None,
        created_at_us: 10,
        expires_at_us: 20,
        arrived: 0,
    }
}

#[tokio::test]
async fn an_upload_is_there_until_it_expires_and_a_user_has_only_so_many() {
    let bench = Bench::new().await;
    let store = &bench.store;
    let user = bench.user("anna").await;
    let first = upload("a", user);
    assert!(store.create_upload(&first, 1, 0).await.expect("it answers"));
    let second = upload("b", user);
    assert!(
        !store
            .create_upload(&second, 1, 0)
            .await
            .expect("it answers")
    );
    assert_eq!(
        store.upload("a", 19).await.expect("it answers"),
        Some(first)
    );
    assert_eq!(store.upload("a", 20).await.expect("it answers"), None);
    let expired = store.expire_uploads(19).await.expect("it answers");
    assert_eq!(expired, [""; 0]);
    assert_eq!(store.expire_uploads(20).await.expect("it answers"), ["a"]);
    assert!(
        store
            .create_upload(&second, 1, 0)
            .await
            .expect("it answers")
    );
    assert!(store.delete_upload("b").await.expect("it answers"));
    assert!(!store.delete_upload("b").await.expect("it answers"));
}

fn piece(begins_at: u64, bytes: u64, name: &str) -> UploadPiece {
    UploadPiece {
        begins_at,
        bytes,
        key: format!("uploads/a/{name}"),
    }
}

/// A store with the upload `a` of 100 bytes.
async fn announced() -> Bench {
    let bench = Bench::new().await;
    let user = bench.user("anna").await;
    let made = bench.store.create_upload(&upload("a", user), 1, 0).await;
    assert!(made.expect("it answers"));
    bench
}

async fn note(store: &Store, (arrived, token): (u64, &str), piece: &UploadPiece) -> bool {
    let arrival = Arrival {
        upload_id: "a",
        token,
        arrived,
        piece,
        held_until_us: Some(18),
    };
    store.note_arrival(&arrival).await.expect("it answers")
}

async fn lock(store: &Store, token: &str, now_us: i64) -> Option<u64> {
    let locked = store.lock_upload("a", token, (now_us, now_us + 2)).await;
    locked.expect("it answers")
}

#[tokio::test]
async fn an_upload_is_one_requests_until_that_lets_go_or_is_silent_for_too_long() {
    let bench = announced().await;
    let store = &bench.store;
    assert_eq!(lock(store, "one", 11).await, Some(0));
    assert_eq!(lock(store, "two", 12).await, None);
    assert!(store.hold_upload("a", "one", 14).await.expect("it answers"));
    assert_eq!(lock(store, "two", 13).await, None);
    assert_eq!(lock(store, "two", 14).await, Some(0));
    // Whoever comes back late has nothing to say any more.
    assert!(!store.hold_upload("a", "one", 19).await.expect("it answers"));
    store.release_upload("a", "one").await.expect("it answers");
    assert!(!note(store, (0, "one"), &piece(0, 10, "late")).await);
    assert_eq!(lock(store, "one", 15).await, None);
    store.release_upload("a", "two").await.expect("it answers");
    assert_eq!(lock(store, "one", 15).await, Some(0));
    store.release_uploads().await.expect("it answers");
    assert_eq!(lock(store, "two", 15).await, Some(0));
    // It has expired.
    store.release_upload("a", "two").await.expect("it answers");
    assert_eq!(lock(store, "one", 20).await, None);
}

#[tokio::test]
async fn pieces_count_one_behind_the_other_and_each_once() {
    let bench = announced().await;
    let store = &bench.store;
    assert_eq!(lock(store, "one", 11).await, Some(0));
    let (first, second) = (piece(0, 30, "first"), piece(30, 10, "small"));
    assert!(note(store, (0, "one"), &first).await);
    assert!(!note(store, (0, "one"), &piece(0, 40, "again")).await);
    assert!(note(store, (30, "one"), &second).await);
    // A small one goes on in a larger one.
    let larger = piece(30, 70, "larger");
    assert!(note(store, (40, "one"), &larger).await);
    assert!(!note(store, (100, "one"), &piece(100, 1, "too-much")).await);
    let pieces = store.upload_pieces("a").await.expect("it answers");
    assert_eq!(pieces, [first, larger.clone()]);
    let last = store.last_upload_piece("a").await.expect("it answers");
    assert_eq!(last, Some(larger.clone()));
    let record = store.upload("a", 19).await.expect("it answers");
    assert_eq!(record.map(|record| record.arrived), Some(100));
    for (key, needed) in [(&larger.key, true), (&second.key, false)] {
        let needs = store.needs_upload_piece("a", key).await;
        assert_eq!(needs.expect("it answers"), needed, "{key}");
    }
    assert!(store.delete_upload("a").await.expect("it answers"));
    let pieces = store.upload_pieces("a").await.expect("it answers");
    assert_eq!(pieces, []);
    assert!(!note(store, (100, "one"), &piece(100, 0, "gone")).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_servers_that_take_a_piece_at_the_same_time_one_has_it() {
    let bench = announced().await;
    let servers: Vec<Store> = join_all((0..6).map(|_| opened(&bench.address))).await;
    let tokens: Vec<String> = (0..6).map(|number| number.to_string()).collect();
    let locks = servers.iter().zip(&tokens);
    let locked = join_all(locks.map(|(store, token)| lock(store, token, 11))).await;
    assert_eq!(locked.iter().filter(|one| one.is_some()).count(), 1);
    let holder = locked.iter().position(Option::is_some).expect("one has it");
    // Sent twice by the one that has it, it counts once.
    let token = &tokens[holder];
    let names = [piece(0, 10, "one"), piece(0, 10, "two")];
    let noted = names
        .iter()
        .map(|name| note(&servers[holder], (0, token), name));
    let noted = join_all(noted).await;
    assert_eq!(noted.iter().filter(|noted| **noted).count(), 1);
}
