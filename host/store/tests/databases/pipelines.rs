use serde_json::json;
use vocalhost_store::{NewPipeline, PipelineQuery, StoreError};

use super::{Bench, S};

fn pipeline(owner_id: i64, name: &str, shared: bool) -> NewPipeline {
    NewPipeline {
        owner_id,
        name: name.to_owned(),
        shared,
        chain: json!([{"effect": "reverb", "params": {"width": 1.0}}]),
    }
}

async fn save(bench: &Bench, new: &NewPipeline) -> i64 {
    let saved = bench.store.create_pipeline(new, 10, S).await;
    saved.expect("there is room").id
}

/// What the names stand for that a user can say, as `name/owner`.
async fn names(bench: &Bench, user_id: i64, mine: bool) -> Vec<String> {
    let query = PipelineQuery {
        user_id,
        mine,
        page: 1,
        per_page: 100,
        ..PipelineQuery::default()
    };
    let page = bench.store.pipelines(&query).await.expect("answers");
    assert_eq!(page.total, page.rows.len() as u64);
    let rows = page.rows.into_iter();
    rows.map(|row| format!("{}/{}", row.name, row.owner))
        .collect()
}

#[tokio::test]
async fn a_pipeline_is_kept_as_it_was_written() {
    let bench = Bench::new().await;
    let ann = bench.user("ann").await;
    let new = NewPipeline {
        chain: json!(["b", {"params": {"z": 1.0, "a": "2"}, "effect": "c"}]),
        ..pipeline(ann, "warm", false)
    };
    let made = bench.store.create_pipeline(&new, 10, S).await;
    let made = made.expect("there is room");
    assert_eq!(made.chain.to_string(), new.chain.to_string());
    assert_eq!((made.created_at_us, made.updated_at_us), (S, S));
    let bench = bench.reopen().await;
    let read = bench.store.pipeline(ann, "warm").await.expect("answers");
    assert_eq!(read, Some(made));
}

#[tokio::test]
async fn a_name_is_its_owners_once_and_everybody_elses_too() {
    let bench = Bench::new().await;
    let (ann, ben) = (bench.user("ann").await, bench.user("ben").await);
    save(&bench, &pipeline(ann, "warm", false)).await;
    let second = pipeline(ann, "warm", true);
    let again = bench.store.create_pipeline(&second, 10, S).await;
    assert!(matches!(again, Err(StoreError::PipelineExists)));
    save(&bench, &pipeline(ben, "warm", false)).await;
    assert_eq!(names(&bench, ann, false).await, ["warm/ann"]);
    let deleted = bench.store.delete_pipeline(ann, "warm").await;
    assert!(deleted.expect("answers"));
    assert!(names(&bench, ann, false).await.is_empty());
    assert_eq!(names(&bench, ben, false).await, ["warm/ben"]);
}

#[tokio::test]
async fn a_name_leads_to_ones_own_then_to_the_oldest_shared_pipeline() {
    let bench = Bench::new().await;
    let mut users = Vec::new();
    for name in ["ann", "ben", "cat", "dan"] {
        users.push(bench.user(name).await);
    }
    let [ann, ben, cat, dan] = users[..] else {
        panic!("four users");
    };
    save(&bench, &pipeline(ann, "warm", false)).await;
    save(&bench, &pipeline(ben, "warm", true)).await;
    save(&bench, &pipeline(cat, "warm", true)).await;
    save(&bench, &pipeline(cat, "cold", true)).await;
    for (user, owner) in [(ann, "ann"), (ben, "ben"), (cat, "cat"), (dan, "ben")] {
        let found = bench.store.pipeline(user, "warm").await.expect("answers");
        assert_eq!(found.expect("it is shared").owner, owner);
        let listed = names(&bench, user, false).await;
        assert_eq!(listed, [format!("warm/{owner}"), "cold/cat".to_owned()]);
    }
    assert_eq!(names(&bench, cat, true).await, ["warm/cat", "cold/cat"]);
    let found = bench.store.shared_pipeline("warm").await.expect("answers");
    assert_eq!(found.expect("it is shared").owner, "ben");
    assert_eq!(
        bench.store.pipeline(dan, "hot").await.expect("answers"),
        None
    );
}

#[tokio::test]
async fn a_replaced_pipeline_keeps_its_number_and_its_birthday() {
    let bench = Bench::new().await;
    let ann = bench.user("ann").await;
    let id = save(&bench, &pipeline(ann, "warm", false)).await;
    let changed = NewPipeline {
        chain: json!(["delay"]),
        ..pipeline(ann, "warm", true)
    };
    let replaced = bench.store.replace_pipeline(&changed, 2 * S).await;
    let replaced = replaced.expect("answers").expect("it was there");
    assert_eq!((replaced.id, replaced.shared), (id, true));
    assert_eq!((replaced.created_at_us, replaced.updated_at_us), (S, 2 * S));
    let other = pipeline(ann, "cold", false);
    let none = bench.store.replace_pipeline(&other, 3 * S).await;
    assert_eq!(none.expect("answers"), None);
    let saved = bench.store.save_pipeline(&other, 10, 3 * S).await;
    assert_eq!(saved.expect("there is room").created_at_us, 3 * S);
    let saved = bench.store.save_pipeline(&changed, 10, 4 * S).await;
    assert_eq!(saved.expect("it was there").id, id);
}

#[tokio::test]
async fn a_user_has_no_more_pipelines_than_one_user_may() {
    let bench = Bench::new().await;
    let (ann, ben) = (bench.user("ann").await, bench.user("ben").await);
    for name in ["a", "b"] {
        save(&bench, &pipeline(ann, name, false)).await;
    }
    let (third, store) = (pipeline(ann, "c", false), &bench.store);
    let refused = store.create_pipeline(&third, 2, S).await;
    assert!(matches!(refused, Err(StoreError::TooManyPipelines)));
    let refused = store.save_pipeline(&third, 2, S).await;
    assert!(matches!(refused, Err(StoreError::TooManyPipelines)));
    let replaced = store.save_pipeline(&pipeline(ann, "a", true), 2, S).await;
    assert!(replaced.is_ok());
    assert!(
        store
            .create_pipeline(&pipeline(ben, "c", false), 2, S)
            .await
            .is_ok()
    );
    assert_eq!(names(&bench, ann, true).await, ["a/ann", "b/ann"]);
}

#[tokio::test]
async fn a_database_from_before_there_were_pipelines_gets_room_for_them() {
    let bench = Bench::new().await;
    let ann = bench.user("ann").await;
    for statement in [
        "DROP TABLE pipelines",
        "DELETE FROM _sqlx_migrations WHERE version = 3",
    ] {
        bench.execute(statement).await;
    }
    let bench = bench.reopen().await;
    let saved = bench
        .store
        .create_pipeline(&pipeline(ann, "warm", false), 10, S)
        .await;
    assert_eq!(saved.expect("there is room").owner, "ann");
}
