use super::Store;
use crate::sql::Statement;

/// The query plan of a statement in the database of an empty installation.
pub(super) async fn plan(statement: Statement) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(&folder.path().join("vocalhost.db"))
        .await
        .expect("an empty folder opens");
    let steps = statement.explained().fetch_all(store.readers()).await;
    let steps = steps.expect("the plan can be explained");
    assert!(!steps.is_empty());
    let details = steps.iter().map(|step| step.try_get("detail"));
    details.collect::<Result<_, _>>().expect("each says what")
}
