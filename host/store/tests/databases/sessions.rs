use vocalhost_store::{
    Actor, Caller, IssuedKey, IssuedSession, NewKey, NewSession, Scope, Store, UserChange,
};

use super::{Bench, S};

/// A key of that user that works until second 100.
async fn issue(store: &Store, user: &str) -> IssuedKey {
    let new = NewKey {
        user: user.to_owned(),
        label: String::new(),
        scopes: vec![Scope::Read, Scope::Write],
        expires_at_us: Some(100 * S),
    };
    let issued = store.create_key(&new, &Actor::server(), S).await;
    issued.expect("a key can be made")
}

/// Opens a session at second 1 that is to last until `expires_at_us`.
async fn open(store: &Store, key: &IssuedKey, expires_at_us: i64) -> IssuedSession {
    let new = NewSession {
        key_id: key.id.clone(),
        expires_at_us,
        user_agent: Some("a browser".repeat(100)),
    };
    let actor = Actor {
        address: Some("192.0.2.1".to_owned()),
        ..Actor::server()
    };
    let opened = store.open_session(&new, &actor, S).await;
    opened.expect("the store answers").expect("the key works")
}

async fn caller(store: &Store, token: &str, now_us: i64) -> Option<Caller> {
    let found = store.authenticate_session(token, now_us).await;
    found.expect("the store answers").map(|(caller, _)| caller)
}

#[tokio::test]
async fn a_session_is_who_its_key_is_until_its_end() {
    let bench = Bench::new().await;
    let key = issue(&bench.store, "ann").await;
    let session = open(&bench.store, &key, 50 * S).await;
    assert_eq!(session.expires_at_us, 50 * S);
    let by_key = bench.store.authenticate(&key.key, S).await;
    let by_key = by_key.expect("the store answers").expect("the key is good");
    let by_session = caller(&bench.store, &session.token, S).await;
    let by_session = by_session.expect("the session is good");
    assert_eq!(by_session.session_id.as_ref(), Some(&session.id));
    assert_eq!(
        by_session,
        Caller {
            session_id: Some(session.id),
            ..by_key
        }
    );
    assert!(
        caller(&bench.store, &session.token, 50 * S - 1)
            .await
            .is_some()
    );
    assert!(caller(&bench.store, &session.token, 50 * S).await.is_none());
}

#[tokio::test]
async fn only_the_very_token_is_good_and_a_key_is_none() {
    let bench = Bench::new().await;
    let key = issue(&bench.store, "ann").await;
    let session = open(&bench.store, &key, 50 * S).await;
    let other = open(&bench.store, &key, 50 * S).await;
    let (_, other_secret) = other.token.split_once('.').expect("two parts");
    for wrong in [
        String::new(),
        ".".to_owned(),
        session.id.clone(),
        format!("{}.", session.id),
        format!("{}.{other_secret}", session.id),
        format!("{}x", session.token),
        key.key.clone(),
    ] {
        assert!(caller(&bench.store, &wrong, S).await.is_none(), "{wrong:?}");
    }
    // Nor is a session's token a key.
    let as_key = bench.store.authenticate(&session.token, S).await;
    assert_eq!(as_key.expect("the store answers"), None);
}

#[tokio::test]
async fn a_session_ends_with_its_key_and_with_its_user() {
    let bench = Bench::new().await;
    let store = &bench.store;
    let key = issue(store, "ann").await;
    let session = open(store, &key, 1_000 * S).await;
    assert_eq!(session.expires_at_us, 100 * S, "the key ends earlier");

    let user = store.user_id("ann").await.expect("the store answers");
    let user = user.expect("there is ann");
    for enabled in [false, true] {
        let change = UserChange {
            enabled: Some(enabled),
            ..UserChange::default()
        };
        let changed = store.change_user(user, &change, &Actor::server(), S).await;
        changed.expect("the store answers");
        let good = caller(store, &session.token, S).await.is_some();
        assert_eq!(good, enabled);
    }

    let revoked = store.revoke_key(&key.id, &Actor::server(), S).await;
    assert!(revoked.expect("the store answers"));
    assert!(caller(store, &session.token, S).await.is_none());
    let listed = store.list_sessions(None, S).await;
    assert_eq!(listed.expect("the store answers"), []);
    let new = NewSession {
        key_id: key.id,
        expires_at_us: 50 * S,
        user_agent: None,
    };
    let opened = store.open_session(&new, &Actor::server(), S).await;
    assert_eq!(opened.expect("the store answers"), None);
}

#[tokio::test]
async fn sessions_are_listed_and_ended_by_their_user_alone() {
    let bench = Bench::new().await;
    let store = &bench.store;
    let ann = issue(store, "ann").await;
    let ben = issue(store, "ben").await;
    let of_ann = open(store, &ann, 50 * S).await;
    let of_ben = open(store, &ben, 50 * S).await;
    let user = store.user_id("ann").await.expect("the store answers");
    let listed = store.list_sessions(user, 2 * S).await;
    let listed = listed.expect("the store answers");
    assert_eq!(listed.len(), 1);
    let record = &listed[0];
    assert_eq!(
        (&record.id, &record.key_id, record.user.as_str()),
        (&of_ann.id, &ann.id, "ann")
    );
    assert_eq!(record.address.as_deref(), Some("192.0.2.1"));
    assert_eq!(record.user_agent.as_ref().map(String::len), Some(256));
    let all = store.list_sessions(None, 2 * S).await;
    assert_eq!(all.expect("the store answers").len(), 2);

    let close = async |id: &str, user| {
        let actor = Actor::server();
        let closed = store.close_session((id, user), "revokeSession", &actor, 2 * S);
        closed.await.expect("the store answers")
    };
    assert!(!close(&of_ben.id, user).await, "it is another's");
    assert!(close(&of_ann.id, user).await);
    assert!(!close(&of_ann.id, user).await, "it has ended");
    assert!(caller(store, &of_ann.token, 2 * S).await.is_none());
    assert!(close(&of_ben.id, None).await, "an operator may");
}

#[tokio::test]
async fn the_hundred_and_first_session_ends_the_oldest() {
    let bench = Bench::new().await;
    let key = issue(&bench.store, "ann").await;
    let mut sessions = Vec::new();
    for _ in 0..101 {
        sessions.push(open(&bench.store, &key, 50 * S).await);
    }
    let listed = bench.store.list_sessions(None, 2 * S).await;
    assert_eq!(listed.expect("the store answers").len(), 100);
}

#[tokio::test]
async fn the_database_never_holds_a_session_s_secret() {
    let bench = Bench::of_file().await;
    let key = issue(&bench.store, "ann").await;
    let session = open(&bench.store, &key, 50 * S).await;
    let (_, secret) = session.token.split_once('.').expect("two parts");
    for entry in std::fs::read_dir(bench.folder.path()).expect("the folder is there") {
        let bytes = std::fs::read(entry.expect("a file").path()).expect("it can be read");
        let holds = bytes
            .windows(secret.len())
            .any(|window| window == secret.as_bytes());
        assert!(!holds);
    }
}

#[tokio::test]
async fn an_installation_is_untouched_until_a_key_is_used() {
    let bench = Bench::new().await;
    let first = bench.store.bootstrap(S).await.expect("the store answers");
    let first = first.expect("the database was empty");
    assert!(bench.store.is_untouched().await.expect("the store answers"));
    let used = bench.store.authenticate(&first.key, 2 * S).await;
    assert!(used.expect("the store answers").is_some());
    assert!(!bench.store.is_untouched().await.expect("the store answers"));
}
