use super::{Store, StoreError};
use crate::sql::{Row, query};

/// A server that works on the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRecord {
    /// Random text, the same for as long as its data folder is.
    pub id: String,
    /// What its operator calls it.
    pub name: String,
    /// What it does: `all`, `api` or `worker`.
    pub role: String,
    /// The release of the program.
    pub release: String,
    /// The kinds of job that it runs.
    pub queues: Vec<String>,
    /// Since when it runs.
    pub started_at_us: i64,
    /// When it was last heard of.
    pub seen_at_us: i64,
}

impl Store {
    /// Notes that a server is there, and forgets those that were last heard of before `forget_before_us`.
    pub async fn node_is_there(
        &self,
        node: &NodeRecord,
        forget_before_us: i64,
    ) -> Result<(), StoreError> {
        query(
            "INSERT INTO nodes (id, name, role, release, queues, started_at_us, seen_at_us) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) \
             ON CONFLICT (id) DO UPDATE SET name = $2, role = $3, release = $4, queues = $5, \
             started_at_us = $6, seen_at_us = $7",
        )
        .bind(&node.id)
        .bind(&node.name)
        .bind(&node.role)
        .bind(&node.release)
        .bind(node.queues.join(" "))
        .bind(node.started_at_us)
        .bind(node.seen_at_us)
        .execute(self.writers())
        .await?;
        query("DELETE FROM nodes WHERE seen_at_us < $1")
            .bind(forget_before_us)
            .execute(self.writers())
            .await?;
        Ok(())
    }

    /// Notes that a server ends.
    pub async fn node_is_gone(&self, id: &str) -> Result<(), StoreError> {
        query("DELETE FROM nodes WHERE id = $1")
            .bind(id)
            .execute(self.writers())
            .await?;
        Ok(())
    }

    /// The servers that were heard of, in the order of their names.
    pub async fn nodes(&self) -> Result<Vec<NodeRecord>, StoreError> {
        let rows = query(
            "SELECT id, name, role, release, queues, started_at_us, seen_at_us FROM nodes \
             ORDER BY name, id",
        )
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(node_record).collect()
    }
}

fn node_record(row: &Row) -> Result<NodeRecord, StoreError> {
    let queues: String = row.try_get("queues")?;
    Ok(NodeRecord {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        role: row.try_get("role")?,
        release: row.try_get("release")?,
        queues: queues.split_whitespace().map(str::to_owned).collect(),
        started_at_us: row.try_get("started_at_us")?,
        seen_at_us: row.try_get("seen_at_us")?,
    })
}
