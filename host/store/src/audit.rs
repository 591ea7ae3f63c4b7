use super::page::{listing, page_of};
use super::rows::to_sql;
use super::{Page, Store, StoreError};
use crate::sql::{Alone, Row, Statement, Transaction, query};

/// The outcome of what was done.
const DONE: &str = "ok";

/// Who does something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Actor {
    /// The user's name; on the command line, that of the system's user. `None` for the server itself.
    pub name: Option<String>,
    /// The public part of the key; `None` on the command line.
    pub key_id: Option<String>,
    /// The request.
    pub request_id: Option<String>,
    /// Where it came from.
    pub address: Option<String>,
}

impl Actor {
    /// The server by itself.
    #[must_use]
    pub fn server() -> Self {
        Self::default()
    }

    /// Somebody on the command line; `name` is the system's user.
    #[must_use]
    pub fn command_line(name: Option<String>) -> Self {
        Self {
            name: Some(name.unwrap_or_else(|| "command line".to_owned())),
            ..Self::default()
        }
    }
}

/// A line of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its number; grows with time.
    pub id: i64,
    /// When.
    pub at_us: i64,
    /// Who.
    pub actor: Actor,
    /// What, as the API names its operations.
    pub action: String,
    /// To what.
    pub target: String,
    /// `ok`, or the status of the answer that refused it.
    pub outcome: String,
}

/// Which lines of the audit log to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// Of this actor only.
    pub actor: Option<String>,
    /// Of this action only.
    pub action: Option<String>,
    /// Newest first.
    pub descending: bool,
    /// Counts from 1.
    pub page: u64,
    /// Rows on a page.
    pub per_page: u64,
}

impl Store {
    /// Notes an action that was done outside of any transaction of the store, or was refused.
    pub async fn note(
        &self,
        actor: &Actor,
        (action, target): (&str, &str),
        outcome: &str,
        now_us: i64,
    ) -> Result<(), StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        insert(&mut transaction, actor, (action, target, outcome), now_us).await?;
        Ok(transaction.commit().await?)
    }

    /// A page of the audit log.
    pub async fn audit_log(&self, query: &AuditQuery) -> Result<Page<AuditRecord>, StoreError> {
        let mut transaction = self.reading().await?;
        let heads = [
            "SELECT COUNT(*) FROM audit_log",
            "SELECT id, at_us, actor, key_id, request_id, address, action, target, outcome FROM audit_log",
        ];
        let place = ("id", query.descending, (query.page, query.per_page));
        let statements = listing(heads, |one| push_filter(one, query), place);
        page_of(&mut transaction, statements, record).await
    }

    /// Forgets at most `limit` lines from before `before_us`, and says how many.
    pub async fn expire_audit(&self, before_us: i64, limit: u64) -> Result<u64, StoreError> {
        let deleted = query(
            "DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE at_us < $1 LIMIT $2)",
        )
        .bind(before_us)
        .bind(to_sql(limit))
        .execute(self.writers())
        .await?;
        Ok(deleted)
    }
}

/// Notes an action within the transaction that does it.
pub(super) async fn note_done(
    transaction: &mut Transaction,
    actor: &Actor,
    (action, target): (&str, &str),
    now_us: i64,
) -> Result<(), StoreError> {
    insert(transaction, actor, (action, target, DONE), now_us).await
}

async fn insert(
    transaction: &mut Transaction,
    actor: &Actor,
    (action, target, outcome): (&str, &str, &str),
    now_us: i64,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO audit_log (at_us, actor, key_id, request_id, address, action, target, outcome) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(now_us)
    .bind(&actor.name)
    .bind(&actor.key_id)
    .bind(&actor.request_id)
    .bind(&actor.address)
    .bind(action)
    .bind(target)
    .bind(outcome)
    .execute(transaction)
    .await?;
    Ok(())
}

fn push_filter(builder: &mut Statement, query: &AuditQuery) {
    builder.push(" WHERE TRUE");
    if let Some(actor) = &query.actor {
        builder.push(" AND actor = ").push_bind(actor.clone());
    }
    if let Some(action) = &query.action {
        builder.push(" AND action = ").push_bind(action.clone());
    }
}

fn record(row: &Row) -> Result<AuditRecord, StoreError> {
    Ok(AuditRecord {
        id: row.try_get("id")?,
        at_us: row.try_get("at_us")?,
        actor: Actor {
            name: row.try_get("actor")?,
            key_id: row.try_get("key_id")?,
            request_id: row.try_get("request_id")?,
            address: row.try_get("address")?,
        },
        action: row.try_get("action")?,
        target: row.try_get("target")?,
        outcome: row.try_get("outcome")?,
    })
}
