use sqlx::{AssertSqlSafe, Row as _};

use super::Store;

/// The steps in which the database of an empty installation does a statement.
pub(super) async fn plan(statement: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(&folder.path().join("vocalhost.db"))
        .await
        .expect("an empty folder opens");
    let explained = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
    let steps = sqlx::query(explained).fetch_all(store.readers()).await;
    let steps = steps.expect("the plan can be explained");
    assert!(!steps.is_empty());
    steps.iter().map(|step| step.get("detail")).collect()
}
