use vocalhost_store::{Actor, IssuedKey, NewKey, Scope, Store};

use super::{Bench, S};

fn new_key(user: &str) -> NewKey {
    NewKey {
        user: user.to_owned(),
        label: "studio".to_owned(),
        scopes: vec![Scope::Read],
        expires_at_us: Some(100 * S),
    }
}

/// A key of that user, made at the first second.
async fn issue(bench: &Bench, user: &str) -> IssuedKey {
    let (new, actor) = (new_key(user), Actor::server());
    let issued = bench.store.create_key(&new, &actor, S).await;
    issued.expect("a key can be made")
}

async fn is_good(store: &Store, key: &str, now_us: i64) -> bool {
    store
        .authenticate(key, now_us)
        .await
        .expect("the store answers")
        .is_some()
}

#[tokio::test]
async fn the_first_start_makes_one_key_with_every_scope_and_later_ones_none() {
    let bench = Bench::new().await;
    let first = bench.store.bootstrap(S).await.expect("the store answers");
    let first = first.expect("the database was empty");
    let caller = bench.store.authenticate(&first.key, S).await;
    let caller = caller.expect("the store answers").expect("the key is good");
    assert_eq!(caller.user_name, "admin");
    assert!(Scope::ALL.into_iter().all(|scope| caller.may(scope)));
    let bench = bench.reopen().await;
    let again = bench.store.bootstrap(S).await.expect("the store answers");
    assert_eq!(again, None);
    assert!(is_good(&bench.store, &first.key, S).await);
}

#[tokio::test]
async fn a_key_has_a_short_public_part_and_a_long_secret() {
    let bench = Bench::new().await;
    let issued = issue(&bench, "ann").await;
    let (id, secret) = issued.key.split_once('.').expect("two parts");
    assert_eq!(id, issued.id);
    assert!(id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    // 192 bits in characters of 6 bits each.
    assert!(secret.len() >= 32, "{}", secret.len());
}

#[tokio::test]
async fn only_the_very_key_is_good() {
    let bench = Bench::new().await;
    let key = issue(&bench, "ann").await.key;
    let other = issue(&bench, "ann").await.key;
    let (id, secret) = key.split_once('.').expect("two parts");
    let (_, other_secret) = other.split_once('.').expect("two parts");
    assert!(is_good(&bench.store, &key, S).await);
    for wrong in [
        String::new(),
        ".".to_owned(),
        id.to_owned(),
        format!("{id}."),
        format!("{id}.{other_secret}"),
        format!("{id}.{secret}x"),
        format!("{id}.{}", &secret[1..]),
        format!("unknown1.{secret}"),
        format!(".{secret}"),
    ] {
        assert!(!is_good(&bench.store, &wrong, S).await, "{wrong:?}");
    }
}

#[tokio::test]
async fn the_database_never_holds_a_secret() {
    let bench = Bench::of_file().await;
    let issued = issue(&bench, "ann").await;
    let (_, secret) = issued.key.split_once('.').expect("two parts");
    for entry in std::fs::read_dir(bench.folder.path()).expect("the folder is there") {
        let bytes = std::fs::read(entry.expect("a file").path()).expect("it can be read");
        assert!(
            !bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes())
        );
    }
}

#[tokio::test]
async fn an_expired_key_is_good_no_more() {
    let bench = Bench::new().await;
    let key = issue(&bench, "ann").await.key;
    assert!(is_good(&bench.store, &key, 100 * S - 1).await);
    assert!(!is_good(&bench.store, &key, 100 * S).await);
}

#[tokio::test]
async fn a_revoked_key_is_good_no_more() {
    let bench = Bench::new().await;
    let issued = issue(&bench, "ann").await;
    let store = &bench.store;
    assert!(
        store
            .revoke_key(&issued.id, &Actor::server(), 2 * S)
            .await
            .expect("answers")
    );
    assert!(!is_good(store, &issued.key, 3 * S).await);
    assert!(
        !store
            .revoke_key(&issued.id, &Actor::server(), 4 * S)
            .await
            .expect("answers")
    );
    assert!(
        !store
            .revoke_key("unknown1", &Actor::server(), 4 * S)
            .await
            .expect("answers")
    );
    let listed = store.list_keys().await.expect("answers");
    assert_eq!(listed[0].revoked_at_us, Some(2 * S));
}

#[tokio::test]
async fn keys_of_one_name_belong_to_one_user() {
    let bench = Bench::new().await;
    let first = bench.user("ann").await;
    assert_eq!(bench.user("ann").await, first);
    assert_ne!(bench.user("ben").await, first);
}

#[tokio::test]
async fn a_list_of_keys_shows_their_last_use_to_the_minute() {
    let bench = Bench::new().await;
    let issued = issue(&bench, "ann").await;
    let last_use = async || {
        let listed = bench.store.list_keys().await.expect("the store answers");
        assert_eq!(listed.len(), 1);
        assert_eq!(
            (listed[0].user.as_str(), listed[0].label.as_str()),
            ("ann", "studio")
        );
        assert_eq!(listed[0].scopes, [Scope::Read]);
        listed[0].last_used_at_us
    };
    assert_eq!(last_use().await, None);
    for (now_us, shown) in [(2 * S, 2 * S), (61 * S, 2 * S), (62 * S, 62 * S)] {
        assert!(is_good(&bench.store, &issued.key, now_us).await);
        assert_eq!(last_use().await, Some(shown));
    }
}
