use vocalhost_store::{
    Actor, ImportedVoice, ModelQuery, NewVoice, OwnVoice, OwnVoiceChange, StoreError,
    StoredPackageFile, UserChange, UserLimits, VoiceOwner,
};

use super::{Bench, S};

fn file(package: &str, name: &str, bytes: u64) -> StoredPackageFile {
    StoredPackageFile {
        name: name.to_owned(),
        key: format!("imports/{package}/{name}"),
        bytes,
        sha256: "0".repeat(64),
    }
}

pub(super) fn voice(package: &str, owner: VoiceOwner) -> ImportedVoice {
    ImportedVoice {
        voice: NewVoice {
            package_id: package.to_owned(),
            title: "Änna".to_owned(),
            tags: vec!["Warm".to_owned()],
            instrument: false,
        },
        owner,
        fault: None,
        package: vec![
            file(package, "graph.onnx", 900),
            file(package, "package.toml", 100),
        ],
        picture: Some(file(package, "picture.png", 50)),
        demo: None,
        storage_quota_bytes: 0,
    }
}

async fn stored_bytes(bench: &Bench, user: i64) -> u64 {
    let usage = bench.store.usage(user, 2 * S).await;
    usage.expect("the store answers").storage_bytes
}

#[tokio::test]
async fn an_imported_voice_is_found_counts_and_goes_with_all_its_keys() {
    let bench = Bench::new().await;
    let (anna, otto) = (bench.user("anna").await, bench.user("otto").await);
    let (store, actor) = (&bench.store, Actor::server());
    let new = voice("import.1", VoiceOwner::User(anna));
    let made = store.create_imported(&new, None, &actor, S).await;
    let made = made.expect("there is room");
    assert_eq!((made.owner_id, made.usable), (Some(anna), true));
    assert_eq!((&made.package, &made.picture), (&new.package, &new.picture));
    assert_eq!(stored_bytes(&bench, anna).await, 1_050);
    let query = ModelQuery {
        user_id: anna,
        q: Some("ÄNNA".to_owned()),
        tag: Some("warm".to_owned()),
        page: 1,
        per_page: 10,
        ..ModelQuery::default()
    };
    assert_eq!(store.models(&query).await.expect("answers").total, 1);
    // The public voices of the folders come and go beside it.
    store.sync_models(&[], S).await.expect("answers");
    let after = store.model(made.id).await.expect("answers");
    assert!(after.is_some_and(|voice| voice.usable));

    for (key, needed) in [
        ("imports/import.1/graph.onnx", true),
        ("imports/import.1/picture.png", true),
        ("imports/import.1/other.onnx", false),
    ] {
        let found = store.needs_voice_file("import.1", key).await;
        assert_eq!(found.expect("answers"), needed, "{key}");
    }
    let removing = store.remove_voice(made.id, Some(otto), &actor, S).await;
    assert_eq!(removing.expect("answers"), OwnVoice::NotOwn);
    let removing = store.remove_voice(made.id, Some(anna), &actor, S).await;
    let OwnVoice::Done(_, keys) = removing.expect("answers") else {
        panic!("it is anna's");
    };
    assert_eq!(keys.len(), 3, "{keys:?}");
    assert_eq!(store.model(made.id).await.expect("answers"), None);
    assert_eq!(stored_bytes(&bench, anna).await, 0);
    let again = store.remove_voice(made.id, Some(anna), &actor, S).await;
    assert_eq!(again.expect("answers"), OwnVoice::Unknown);
}

#[tokio::test]
async fn a_change_replaces_what_is_given_and_keeps_the_rest_within_the_quota() {
    let bench = Bench::new().await;
    let anna = bench.user("anna").await;
    let (store, actor) = (&bench.store, Actor::server());
    let new = voice("import.1", VoiceOwner::User(anna));
    let made = store.create_imported(&new, None, &actor, S).await;
    let id = made.expect("there is room").id;
    let change = OwnVoiceChange {
        tags: Some(vec!["cool".to_owned()]),
        picture: Some(file("import.1", "other.png", 70)),
        ..OwnVoiceChange::default()
    };
    let changed = store
        .change_voice((id, Some(anna)), &change, &actor, 2 * S)
        .await;
    let OwnVoice::Done(voice_now, needless) = changed.expect("answers") else {
        panic!("it is anna's");
    };
    assert_eq!(
        (voice_now.title.as_str(), &voice_now.tags[..]),
        ("Änna", &["cool".to_owned()][..])
    );
    assert_eq!(needless, ["imports/import.1/picture.png"]);
    assert_eq!(stored_bytes(&bench, anna).await, 1_070);

    let limits = UserLimits {
        storage_quota_bytes: Some(1_100),
        ..UserLimits::default()
    };
    let limited = UserChange {
        limits: Some(limits),
        ..UserChange::default()
    };
    store
        .change_user(anna, &limited, &actor, 3 * S)
        .await
        .expect("answers");
    let large = OwnVoiceChange {
        demo: Some(file("import.1", "demo.wav", 100)),
        ..OwnVoiceChange::default()
    };
    let refused = store
        .change_voice((id, Some(anna)), &large, &actor, 4 * S)
        .await;
    assert!(
        matches!(refused, Err(StoreError::StorageQuota { .. })),
        "{refused:?}"
    );
    let second = voice("import.2", VoiceOwner::User(anna));
    let refused = store.create_imported(&second, None, &actor, 4 * S).await;
    assert!(
        matches!(refused, Err(StoreError::StorageQuota { .. })),
        "{refused:?}"
    );
    assert!(!store.knows_package("import.2").await.expect("answers"));
    // What is everybody's is nobody's storage.
    let public = voice("import.2", VoiceOwner::Everybody(Some(anna)));
    let made = store.create_imported(&public, None, &actor, 4 * S).await;
    assert_eq!(made.expect("there is room").owner_id, None);
}

#[tokio::test]
async fn a_voice_of_a_model_folder_is_not_for_anybody_to_remove() {
    let bench = Bench::new().await;
    let (store, actor) = (&bench.store, Actor::server());
    let folder = vocalhost_store::CatalogModel {
        package_id: "a.alto".to_owned(),
        title: "Alto".to_owned(),
        tags: Vec::new(),
        instrument: false,
        fault: None,
        links: vocalhost_store::ModelLinks::default(),
    };
    store.sync_models(&[folder], S).await.expect("answers");
    let removing = store.remove_voice(1, None, &actor, S).await;
    assert_eq!(removing.expect("answers"), OwnVoice::NotOwn);
    // Once its package is gone from there, nothing brings it back.
    store.sync_models(&[], S).await.expect("answers");
    let removing = store.remove_voice(1, None, &actor, S).await;
    assert!(matches!(removing.expect("answers"), OwnVoice::Done(..)));
    assert_eq!(store.model(1).await.expect("answers"), None);
}
