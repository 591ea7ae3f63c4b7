use super::rows::from_sql;
use super::{Store, StoreError};
use crate::sql::{Row, query};

/// A server that works on the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRecord {
    /// Random text that stays the same as long as its data folder exists: [`Store::node`].
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
    /// Whether it was told to stop and only finishes its running jobs.
    pub draining: bool,
}

/// A server with what it is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedNode {
    /// What it says of itself.
    pub node: NodeRecord,
    /// The jobs that its workers have.
    pub running_jobs: u64,
}

impl Store {
    /// Notes that a server is there.
    pub async fn node_is_there(&self, node: &NodeRecord) -> Result<(), StoreError> {
        query(
            "INSERT INTO nodes (id, name, role, release, queues, started_at_us, seen_at_us, draining) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
             ON CONFLICT (id) DO UPDATE SET name = $2, role = $3, release = $4, queues = $5, \
             started_at_us = $6, seen_at_us = $7, draining = $8",
        )
        .bind(&node.id)
        .bind(&node.name)
        .bind(&node.role)
        .bind(&node.release)
        .bind(node.queues.join(" "))
        .bind(node.started_at_us)
        .bind(node.seen_at_us)
        .bind(node.draining)
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

    /// Forgets the servers that were last heard of before `before_us`, and says how many.
    pub async fn forget_nodes(&self, before_us: i64) -> Result<u64, StoreError> {
        Ok(query("DELETE FROM nodes WHERE seen_at_us < $1")
            .bind(before_us)
            .execute(self.writers())
            .await?)
    }

    /// The servers that were heard of, in the order of their names.
    pub async fn nodes(&self) -> Result<Vec<ListedNode>, StoreError> {
        let rows = query(
            "SELECT n.id, n.name, n.role, n.release, n.queues, n.started_at_us, n.seen_at_us, n.draining, \
             (SELECT COUNT(*) FROM jobs j WHERE j.state IN ('running', 'cancelling') AND j.node = n.id) \
             AS running_jobs FROM nodes n ORDER BY n.name, n.id",
        )
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(listed_node).collect()
    }
}

fn listed_node(row: &Row) -> Result<ListedNode, StoreError> {
    let queues: String = row.try_get("queues")?;
    Ok(ListedNode {
        node: NodeRecord {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            role: row.try_get("role")?,
            release: row.try_get("release")?,
            queues: queues.split_whitespace().map(str::to_owned).collect(),
            started_at_us: row.try_get("started_at_us")?,
            seen_at_us: row.try_get("seen_at_us")?,
            draining: row.try_get("draining")?,
        },
        running_jobs: from_sql(row.try_get("running_jobs")?),
    })
}
