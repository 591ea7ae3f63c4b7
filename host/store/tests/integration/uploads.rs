use vocalhost_store::UploadRecord;

use super::Bench;

fn upload(id: &str, user_id: i64) -> UploadRecord {
    UploadRecord {
        id: id.to_owned(),
        user_id,
        bytes: 100,
        metadata: None,
        created_at_us: 10,
        expires_at_us: 20,
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
    assert_eq!(store.expire_uploads(19).await.expect("it answers"), 0);
    assert_eq!(store.expire_uploads(20).await.expect("it answers"), 1);
    assert!(
        store
            .create_upload(&second, 1, 0)
            .await
            .expect("it answers")
    );
    assert!(store.delete_upload("b").await.expect("it answers"));
    assert!(!store.delete_upload("b").await.expect("it answers"));
}
