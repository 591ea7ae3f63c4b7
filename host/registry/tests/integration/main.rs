//! Publishing in a registry and taking from it, over HTTP: one that keeps to the distribution specification, and one that lies.

mod support;

use support::{Fake, Fault, LAYER_BYTES, contents, options, reference};
use vocalhost_registry::{
    Access, Options, Reference, Registry, RegistryError, SigningKey, Taken, digest,
};

const MOST: u64 = 1 << 20;

fn key() -> SigningKey {
    let folder = tempfile::tempdir().expect("a folder");
    SigningKey::make(&folder.path().join("key.pem")).expect("it is made")
}

async fn take_as(reference: Reference, options: Options) -> Result<Taken, RegistryError> {
    let mut registry = Registry::open(reference, Access::Read, options)?;
    registry.take(MOST).await
}

async fn take(fake: &Fake) -> Result<Taken, RegistryError> {
    take_as(reference(fake, "anna/robot:1.0.0"), Options::default()).await
}

/// A registry with a signed effect in it, which then fails in this way.
async fn failing(fault: Fault) -> Fake {
    let fake = Fake::start().await;
    publish(&fake, Some(&key())).await.expect("it is published");
    fake.fail(fault);
    fake
}

async fn publish(fake: &Fake, key: Option<&SigningKey>) -> Result<String, RegistryError> {
    let name = reference(fake, "anna/robot:1.0.0");
    let mut registry = Registry::open(name, Access::Write, Options::default())?;
    let published = registry.publish(&contents(LAYER_BYTES), key).await?;
    Ok(published.digest)
}

#[tokio::test]
async fn what_was_published_is_taken_with_who_signed_it() {
    let fake = Fake::start().await;
    let key = key();
    let published = publish(&fake, Some(&key)).await.expect("it is published");
    let taken = take(&fake).await.expect("it is taken");
    assert_eq!(taken.component, LAYER_BYTES);
    assert_eq!(taken.digest, published);
    assert_eq!(taken.signer, Some(key.public()));
    // By its digest alone, too.
    let pinned = reference(&fake, &format!("anna/robot@{published}"));
    assert_eq!(
        take_as(pinned, Options::default())
            .await
            .expect("it is taken"),
        taken
    );
    let missing = take_as(reference(&fake, "anna/robot:2.0.0"), Options::default()).await;
    assert!(
        matches!(missing, Err(RegistryError::Missing(_))),
        "{missing:?}"
    );
    let unnamed = take_as(reference(&fake, "anna/robot"), Options::default()).await;
    assert!(
        matches!(unnamed, Err(RegistryError::Reference(_))),
        "{unnamed:?}"
    );
}

#[tokio::test]
async fn the_layout_is_that_of_wkg() {
    let fake = Fake::start().await;
    publish(&fake, Some(&key())).await.expect("it is published");
    let manifest = fake.manifest("1.0.0");
    assert_eq!(manifest["schemaVersion"], 2);
    assert_eq!(
        manifest["mediaType"],
        "application/vnd.oci.image.manifest.v1+json"
    );
    assert_eq!(
        manifest["config"]["mediaType"],
        "application/vnd.wasm.config.v0+json"
    );
    let layers = manifest["layers"].as_array().expect("a list");
    assert_eq!(layers.len(), 1, "wkg refuses a second one");
    assert_eq!(layers[0]["mediaType"], "application/wasm");
    assert_eq!(layers[0]["digest"], digest(LAYER_BYTES));
    assert_eq!(layers[0]["size"], LAYER_BYTES.len());
    let config = fake.blob(manifest["config"]["digest"].as_str().expect("a text"));
    let config: serde_json::Value = serde_json::from_slice(&config).expect("JSON");
    assert_eq!(config["architecture"], "wasm");
    assert_eq!(config["os"], "wasip2");
    assert_eq!(
        config["layerDigests"],
        serde_json::json!([digest(LAYER_BYTES)])
    );
    assert_eq!(
        config["component"]["exports"],
        serde_json::json!(["vocalhost:effect/effect@0.1.0"])
    );
    assert_eq!(config["component"]["imports"], serde_json::json!([]));
}

#[tokio::test]
async fn a_version_never_changes_but_can_be_signed_later() {
    let fake = Fake::start().await;
    let unsigned = publish(&fake, None).await.expect("it is published");
    assert_eq!(take(&fake).await.expect("it is taken").signer, None);
    assert_eq!(publish(&fake, None).await.expect("it is there"), unsigned);
    let key = key();
    publish(&fake, Some(&key)).await.expect("it is signed");
    assert_eq!(
        take(&fake).await.expect("it is taken").signer,
        Some(key.public())
    );
    let name = reference(&fake, "anna/robot:1.0.0");
    let mut registry = Registry::open(name, Access::Write, Options::default()).expect("it opens");
    let other = registry.publish(&contents(b"another"), Some(&key)).await;
    assert!(
        matches!(other, Err(RegistryError::Taken { .. })),
        "{other:?}"
    );
    assert_eq!(
        take(&fake).await.expect("it is taken").component,
        LAYER_BYTES
    );
}

#[tokio::test]
async fn other_bytes_are_refused() {
    for fault in [Fault::OtherLayer, Fault::OtherConfig, Fault::ShortLayer] {
        let taken = take(&failing(fault.clone()).await).await;
        assert!(
            matches!(taken, Err(RegistryError::OtherBytes { .. })),
            "{fault:?}: {taken:?}"
        );
    }
    let fake = failing(Fault::OtherManifest).await;
    let name = format!("anna/robot@{}", digest(b"what was said"));
    let taken = take_as(reference(&fake, &name), Options::default()).await;
    assert!(
        matches!(taken, Err(RegistryError::OtherBytes { .. })),
        "{taken:?}"
    );
}

#[tokio::test]
async fn what_is_too_large_is_not_read() {
    for fault in [
        Fault::EndlessManifest,
        Fault::EndlessLayer,
        Fault::LargeLayer,
    ] {
        let taken = take(&failing(fault.clone()).await).await;
        assert!(
            matches!(taken, Err(RegistryError::TooLarge { .. })),
            "{fault:?}: {taken:?}"
        );
    }
}

#[tokio::test]
async fn another_layout_is_refused() {
    for fault in [Fault::TwoLayers, Fault::NoManifest, Fault::ConfigOfAnother] {
        let taken = take(&failing(fault.clone()).await).await;
        assert!(
            matches!(taken, Err(RegistryError::Layout(_))),
            "{fault:?}: {taken:?}"
        );
    }
}

#[tokio::test]
async fn a_signature_that_does_not_hold_is_none_the_less_an_error() {
    for fault in [Fault::OtherKey, Fault::OtherSignature, Fault::NoSignature] {
        let taken = take(&failing(fault.clone()).await).await;
        assert!(
            matches!(taken, Err(RegistryError::Signature(_))),
            "{fault:?}: {taken:?}"
        );
    }
}

#[tokio::test]
async fn redirects_end_and_lead_to_nothing_unencrypted() {
    let taken = take(&failing(Fault::Loop).await).await;
    assert!(
        matches!(taken, Err(RegistryError::Lead { .. })),
        "{taken:?}"
    );
    let taken =
        take(&failing(Fault::LeadAway("http://registry.example/blob".to_owned())).await).await;
    let Err(RegistryError::Lead { why, .. }) = taken else {
        panic!("{taken:?}")
    };
    assert!(why.contains("not encrypted"), "{why}");
}

#[tokio::test]
async fn a_token_is_asked_for_and_goes_to_no_other_host() {
    let fake = Fake::start().await;
    fake.want_token("anna", "secret");
    let denied = publish(&fake, Some(&key())).await;
    assert!(
        matches!(denied, Err(RegistryError::Denied { .. })),
        "{denied:?}"
    );
    let open = |access, password| {
        Registry::open(
            reference(&fake, "anna/robot:1.0.0"),
            access,
            options("anna", password),
        )
    };
    let mut wrong = open(Access::Write, "wrong").expect("it opens");
    let denied = wrong.publish(&contents(LAYER_BYTES), None).await;
    assert!(
        matches!(denied, Err(RegistryError::Denied { .. })),
        "{denied:?}"
    );
    let mut right = open(Access::Write, "secret").expect("it opens");
    right
        .publish(&contents(LAYER_BYTES), None)
        .await
        .expect("it is published");
    assert_eq!(
        fake.scopes().last().map(String::as_str),
        Some("repository:anna/robot:pull,push")
    );
    // Another host has the blobs, as with registries that keep them in a bucket.
    let bucket = Fake::start().await;
    bucket.keep(LAYER_BYTES);
    fake.fail(Fault::LeadAway(bucket.blob_address(LAYER_BYTES)));
    let taken = open(Access::Read, "secret")
        .expect("it opens")
        .take(MOST)
        .await;
    assert_eq!(taken.expect("it is taken").component, LAYER_BYTES);
    assert_eq!(
        fake.scopes().last().map(String::as_str),
        Some("repository:anna/robot:pull")
    );
    assert!(bucket.asked() > 0);
    assert_eq!(bucket.authorizations(), Vec::<String>::new());
    assert!(
        fake.authorizations()
            .iter()
            .any(|value| value.starts_with("Bearer "))
    );
}

#[tokio::test]
async fn a_name_and_password_will_do_where_they_are_asked_for() {
    let fake = Fake::start().await;
    publish(&fake, None).await.expect("it is published");
    fake.want_basic("anna", "secret");
    let name = || reference(&fake, "anna/robot:1.0.0");
    let denied = take_as(name(), options("anna", "wrong")).await;
    assert!(
        matches!(denied, Err(RegistryError::Denied { .. })),
        "{denied:?}"
    );
    take_as(name(), options("anna", "secret"))
        .await
        .expect("it is taken");
}
