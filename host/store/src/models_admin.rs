use super::audit::note_done;
use super::models::{ModelRecord, model_columns, model_record};
use super::page::{listing, page_of};
use super::{Actor, Page, Store, StoreError, StoredPackageFile};
use crate::sql::{Alone, Row, Transaction, query};

/// A voice as an operator sees one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// The voice; it is usable when its files are there and it is enabled.
    pub voice: ModelRecord,
    /// Its owner's name; `None` for a public voice.
    pub owner: Option<String>,
    /// Whether the operator lets it be used.
    pub enabled: bool,
    /// Whose it was before it was made public.
    pub published_from: Option<String>,
}

/// A change of a voice by an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelChange {
    /// New jobs may use it, or may not.
    Enable(bool),
    /// It gets another title, which stays when its package is read again.
    Rename(String),
    /// It becomes everybody's, or its owner's again.
    Publish(bool),
    /// Its package has these files, with a manifest that names another content encoder.
    Rebind(Vec<StoredPackageFile>),
}

/// What became of a change of a voice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelChanged {
    /// There is no such voice.
    Unknown,
    /// It never belonged to a user, so there is nobody to give it back to.
    NeverOwned,
    /// A job is still making it, so that it cannot be published yet.
    InTheMaking,
    /// The voice after the change.
    Done(Box<ListedModel>),
}

/// What `listed` reads.
macro_rules! listed_columns {
    () => {
        concat!(
            "SELECT ",
            model_columns!(),
            ", m.enabled, o.name AS owner_name, p.name AS published_from_name FROM voice_models m \
             LEFT JOIN users o ON o.id = m.owner_id LEFT JOIN users p ON p.id = m.published_from "
        )
    };
}

impl Store {
    /// A page of all voices, whoever owns them.
    pub async fn all_models(
        &self,
        descending: bool,
        place: (u64, u64),
    ) -> Result<Page<ListedModel>, StoreError> {
        let mut transaction = self.reading().await?;
        let heads = ["SELECT COUNT(*) FROM voice_models", listed_columns!()];
        let statements = listing(heads, |_| (), ("m.id", descending, place));
        page_of(&mut transaction, statements, listed).await
    }

    /// The voice with this number, as an operator sees it.
    pub async fn listed_model(&self, id: i64) -> Result<Option<ListedModel>, StoreError> {
        let mut transaction = self.reading().await?;
        read_listed(&mut transaction, id).await
    }

    /// Makes all `changes` to a voice, or none.
    pub async fn change_model(
        &self,
        id: i64,
        changes: &[ModelChange],
        actor: &Actor,
        now_us: i64,
    ) -> Result<ModelChanged, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let Some(before) = read_listed(&mut transaction, id).await? else {
            return Ok(ModelChanged::Unknown);
        };
        for change in changes {
            let is_public = before.voice.owner_id.is_none();
            let action = match change {
                ModelChange::Publish(false) if is_public && before.published_from.is_none() => {
                    return Ok(ModelChanged::NeverOwned);
                }
                // When the job that makes it or its owner is removed, it is looked for among the owner's voices.
                ModelChange::Publish(_) if before.voice.is_in_the_making() => {
                    return Ok(ModelChanged::InTheMaking);
                }
                ModelChange::Publish(true) => "publishModel",
                ModelChange::Publish(false) => "unpublishModel",
                ModelChange::Enable(true) => "enableModel",
                ModelChange::Enable(false) => "disableModel",
                ModelChange::Rename(_) => "renameModel",
                ModelChange::Rebind(_) => "rebindModel",
            };
            apply(&mut transaction, id, change).await?;
            note_done(&mut transaction, actor, (action, &id.to_string()), now_us).await?;
        }
        let after = read_listed(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(after.map_or(ModelChanged::Unknown, |after| {
            ModelChanged::Done(Box::new(after))
        }))
    }
}

async fn apply(
    transaction: &mut Transaction,
    id: i64,
    change: &ModelChange,
) -> Result<(), StoreError> {
    let statement = match change {
        ModelChange::Enable(enabled) => {
            query("UPDATE voice_models SET enabled = $2 WHERE id = $1")
                .bind(id)
                .bind(*enabled)
        }
        ModelChange::Rename(title) => query(
            "UPDATE voice_models SET title = $2, title_folded = $3, renamed = TRUE WHERE id = $1",
        )
        .bind(id)
        .bind(title.clone())
        .bind(title.to_lowercase()),
        ModelChange::Rebind(package) => {
            query("UPDATE voice_models SET package = $2 WHERE id = $1")
                .bind(id)
                .bind(serde_json::to_string(package)?)
        }
        ModelChange::Publish(true) => query(
            "UPDATE voice_models SET published_from = COALESCE(owner_id, published_from), owner_id = NULL \
             WHERE id = $1",
        )
        .bind(id),
        ModelChange::Publish(false) => query(
            "UPDATE voice_models SET owner_id = COALESCE(owner_id, published_from), published_from = NULL \
             WHERE id = $1",
        )
        .bind(id),
    };
    statement.execute(transaction).await?;
    Ok(())
}

async fn read_listed(
    transaction: &mut Transaction,
    id: i64,
) -> Result<Option<ListedModel>, StoreError> {
    let row = query(concat!(listed_columns!(), "WHERE m.id = $1"))
        .bind(id)
        .fetch_optional(transaction)
        .await?;
    row.as_ref().map(listed).transpose()
}

fn listed(row: &Row) -> Result<ListedModel, StoreError> {
    Ok(ListedModel {
        voice: model_record(row)?,
        owner: row.try_get("owner_name")?,
        enabled: row.try_get("enabled")?,
        published_from: row.try_get("published_from_name")?,
    })
}
