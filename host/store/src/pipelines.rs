use super::page::{listing, page_of};
use super::rows::{from_sql, json};
use super::{Page, Store, StoreError};
use crate::sql::{Alone, Row, Statement, Transaction, query};

macro_rules! pipeline_columns {
    () => {
        "p.id, p.owner_id, u.name AS owner, p.name, p.shared, p.chain, p.created_at_us, p.updated_at_us \
         FROM pipelines p JOIN users u ON u.id = p.owner_id"
    };
}

/// A pipeline to be saved.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPipeline {
    /// Whose it is.
    pub owner_id: i64,
    /// Its name, which is its owner's only once.
    pub name: String,
    /// Whether everybody may use it.
    pub shared: bool,
    /// The chain as it was given: a JSON array of effects with their parameters.
    pub chain: serde_json::Value,
}

/// A chain of effects under a name.
#[derive(Debug, Clone, PartialEq)]
pub struct PipelineRecord {
    /// Its number; never given twice.
    pub id: i64,
    /// Whose it is.
    pub owner_id: i64,
    /// Its owner's name.
    pub owner: String,
    /// Its name.
    pub name: String,
    /// Whether everybody may use it.
    pub shared: bool,
    /// The chain as it was written.
    pub chain: serde_json::Value,
    /// When the name was first saved.
    pub created_at_us: i64,
    /// When it was last saved.
    pub updated_at_us: i64,
}

/// Which pipelines to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PipelineQuery {
    /// Who asks.
    pub user_id: i64,
    /// Only the user's own.
    pub mine: bool,
    /// Newest first.
    pub descending: bool,
    /// Counts from 1.
    pub page: u64,
    /// Rows on a page.
    pub per_page: u64,
}

impl Store {
    /// Saves a pipeline under a name that its owner does not have yet; a user may have `max_per_user`.
    pub async fn create_pipeline(
        &self,
        new: &NewPipeline,
        max_per_user: u64,
        now_us: i64,
    ) -> Result<PipelineRecord, StoreError> {
        let mut transaction = self.writing(Alone::User(new.owner_id)).await?;
        if own(&mut transaction, new.owner_id, &new.name)
            .await?
            .is_some()
        {
            return Err(StoreError::PipelineExists);
        }
        let record = insert(&mut transaction, new, max_per_user, now_us).await?;
        transaction.commit().await?;
        Ok(record)
    }

    /// Replaces the pipeline of the same name and owner. `None` when there is none.
    pub async fn replace_pipeline(
        &self,
        new: &NewPipeline,
        now_us: i64,
    ) -> Result<Option<PipelineRecord>, StoreError> {
        let mut transaction = self.writing(Alone::User(new.owner_id)).await?;
        let record = update(&mut transaction, new, now_us).await?;
        transaction.commit().await?;
        Ok(record)
    }

    /// Saves a pipeline, whether or not its owner has one of this name; a user may have `max_per_user`.
    pub async fn save_pipeline(
        &self,
        new: &NewPipeline,
        max_per_user: u64,
        now_us: i64,
    ) -> Result<PipelineRecord, StoreError> {
        let mut transaction = self.writing(Alone::User(new.owner_id)).await?;
        let record = match update(&mut transaction, new, now_us).await? {
            Some(record) => record,
            None => insert(&mut transaction, new, max_per_user, now_us).await?,
        };
        transaction.commit().await?;
        Ok(record)
    }

    /// Forgets a user's own pipeline. `false` when there is none of this name.
    pub async fn delete_pipeline(&self, owner_id: i64, name: &str) -> Result<bool, StoreError> {
        let deleted = query("DELETE FROM pipelines WHERE owner_id = $1 AND name = $2")
            .bind(owner_id)
            .bind(name)
            .execute(self.writers())
            .await?;
        Ok(deleted > 0)
    }

    /// The pipeline that a name means for this user: the user's own, else the oldest shared one.
    pub async fn pipeline(
        &self,
        user_id: i64,
        name: &str,
    ) -> Result<Option<PipelineRecord>, StoreError> {
        let mut transaction = self.reading().await?;
        if let Some(record) = own(&mut transaction, user_id, name).await? {
            return Ok(Some(record));
        }
        shared(&mut transaction, name).await
    }

    /// The pipeline that a name means without a user: the oldest shared one.
    pub async fn shared_pipeline(&self, name: &str) -> Result<Option<PipelineRecord>, StoreError> {
        shared(&mut self.reading().await?, name).await
    }

    /// A page of the pipelines that a user can name, in the order in which they were first saved.
    pub async fn pipelines(
        &self,
        query: &PipelineQuery,
    ) -> Result<Page<PipelineRecord>, StoreError> {
        let mut transaction = self.reading().await?;
        let heads = [
            "SELECT COUNT(*) FROM pipelines p WHERE ",
            concat!("SELECT ", pipeline_columns!(), " WHERE "),
        ];
        let place = ("p.id", query.descending, (query.page, query.per_page));
        let statements = listing(heads, |one| push_filter(one, query), place);
        page_of(&mut transaction, statements, record).await
    }

    /// Every user's pipelines, oldest first.
    pub async fn list_pipelines(&self) -> Result<Vec<PipelineRecord>, StoreError> {
        let rows = query(concat!("SELECT ", pipeline_columns!(), " ORDER BY p.id"))
            .fetch_all(self.readers())
            .await?;
        rows.iter().map(record).collect()
    }
}

/// The user's own pipelines, and for all other names the shared one. Two searches, each along an index of its own; one
/// condition for both would walk through everybody's pipelines.
fn push_filter(builder: &mut Statement, query: &PipelineQuery) {
    builder.push("p.id IN (SELECT id FROM pipelines WHERE owner_id = ");
    builder.push_bind(query.user_id);
    if !query.mine {
        builder.push(
            " UNION ALL SELECT MIN(s.id) FROM pipelines s WHERE s.shared \
             AND NOT EXISTS (SELECT 1 FROM pipelines o WHERE o.name = s.name AND o.owner_id = ",
        );
        builder.push_bind(query.user_id);
        builder.push(") GROUP BY s.name");
    }
    builder.push(")");
}

async fn own(
    transaction: &mut Transaction,
    owner_id: i64,
    name: &str,
) -> Result<Option<PipelineRecord>, StoreError> {
    let row = query(concat!(
        "SELECT ",
        pipeline_columns!(),
        " WHERE p.owner_id = $1 AND p.name = $2"
    ))
    .bind(owner_id)
    .bind(name)
    .fetch_optional(transaction)
    .await?;
    row.as_ref().map(record).transpose()
}

async fn shared(
    transaction: &mut Transaction,
    name: &str,
) -> Result<Option<PipelineRecord>, StoreError> {
    let row = query(concat!(
        "SELECT ",
        pipeline_columns!(),
        " WHERE p.shared AND p.name = $1 ORDER BY p.id LIMIT 1"
    ))
    .bind(name)
    .fetch_optional(transaction)
    .await?;
    row.as_ref().map(record).transpose()
}

async fn insert(
    transaction: &mut Transaction,
    new: &NewPipeline,
    max_per_user: u64,
    now_us: i64,
) -> Result<PipelineRecord, StoreError> {
    let count: i64 = query("SELECT COUNT(*) FROM pipelines WHERE owner_id = $1")
        .bind(new.owner_id)
        .value(&mut *transaction)
        .await?;
    if from_sql(count) >= max_per_user {
        return Err(StoreError::TooManyPipelines);
    }
    query(
        "INSERT INTO pipelines (owner_id, name, shared, chain, created_at_us, updated_at_us) \
         VALUES ($1, $2, $3, $4, $5, $5)",
    )
    .bind(new.owner_id)
    .bind(&new.name)
    .bind(new.shared)
    .bind(serde_json::to_string(&new.chain)?)
    .bind(now_us)
    .execute(&mut *transaction)
    .await?;
    let made = own(transaction, new.owner_id, &new.name).await?;
    Ok(made.ok_or(sqlx::Error::RowNotFound)?)
}

async fn update(
    transaction: &mut Transaction,
    new: &NewPipeline,
    now_us: i64,
) -> Result<Option<PipelineRecord>, StoreError> {
    query(
        "UPDATE pipelines SET shared = $1, chain = $2, updated_at_us = $3 WHERE owner_id = $4 AND name = $5",
    )
    .bind(new.shared)
    .bind(serde_json::to_string(&new.chain)?)
    .bind(now_us)
    .bind(new.owner_id)
    .bind(&new.name)
    .execute(&mut *transaction)
    .await?;
    own(transaction, new.owner_id, &new.name).await
}

fn record(row: &Row) -> Result<PipelineRecord, StoreError> {
    let id = row.try_get("id")?;
    Ok(PipelineRecord {
        id,
        owner_id: row.try_get("owner_id")?,
        owner: row.try_get("owner")?,
        name: row.try_get("name")?,
        shared: row.try_get("shared")?,
        chain: json(row, "chain", "pipelines", id)?,
        created_at_us: row.try_get("created_at_us")?,
        updated_at_us: row.try_get("updated_at_us")?,
    })
}
