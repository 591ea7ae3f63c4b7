use vocalhost_job::{FileRole, JobState, ResultFile};
use vocalhost_store::FileMade;

use super::{Bench, S, content, lease, new_job, result};

#[tokio::test]
async fn a_file_that_is_made_later_belongs_to_its_result_as_long_as_there_is_one() {
    let bench = Bench::new().await;
    let (store, user) = (&bench.store, bench.user("ann").await);
    let key_of = |id: i64| format!("results/{id}/a/output.mp3");
    let mut ids = Vec::new();
    for _ in 0..2 {
        let created = store.create_job(&new_job(user), S).await;
        let id = created.expect("is accepted").id;
        bench.claim("a", S).await.expect("a job is due");
        let lease = lease(id, "a");
        let mut made = result(&lease);
        // One file in two roles.
        for role in [FileRole::LossyOutput, FileRole::LossyVocal] {
            made.files.push(ResultFile {
                role,
                key: key_of(id),
                content: None,
            });
        }
        let completed = store.complete(&lease, &made, S).await;
        completed.expect("the store answers");
        ids.push(id);
    }
    let [first, second] = ids[..] else {
        panic!("two jobs");
    };
    let stored = async || {
        let usage = store.usage(user, 2 * S).await;
        usage.expect("the store answers").storage_bytes
    };
    let before = stored().await;
    assert!(
        store
            .needs_result(first, &key_of(first))
            .await
            .expect("answers")
    );
    // Who comes second has made the same file.
    for bytes in [7, 8] {
        let kept = store
            .file_made(first, &key_of(first), &content(bytes, "33"))
            .await;
        assert_eq!(kept.expect("answers"), FileMade::Kept);
    }
    assert_eq!(stored().await, before + 7);
    let JobState::Succeeded { result, .. } = bench.read(first).await.state else {
        panic!("it succeeded");
    };
    assert_eq!(result.files[1].content, Some(content(7, "33")));
    assert_eq!(result.files[2].content, Some(content(7, "33")));
    let unwanted = async |id: i64, key: &str| {
        let kept = store.file_made(id, key, &content(7, "33")).await;
        assert_eq!(kept.expect("answers"), FileMade::Unwanted, "{key}");
    };
    unwanted(first, "results/1/a/other.mp3").await;
    unwanted(99, &key_of(99)).await;
    let running = bench.job(user, S).await.id;
    unwanted(running, &key_of(running)).await;
    let expired = store.expire_results(2 * S, 100, 3 * S).await;
    assert_eq!(expired.expect("answers").len(), 2);
    unwanted(second, &key_of(second)).await;
}
