use serde::{Deserialize, Serialize};

use super::page::{listing, page_of};
use super::rows::{json, optional_json};
use super::{Page, Store, StoreError, StoredPackageFile};
use crate::sql::{Alone, Row, Statement, Transaction, query};
use vocalhost_job::{JobKind, Succession};

macro_rules! model_columns {
    () => {
        "m.id, m.package_id, m.owner_id, m.title, m.tags, m.instrument, (m.usable AND m.enabled) AS usable, m.fault, m.links, \
         m.created_at_us, m.package, m.picture, m.demo, m.earlier_package_id"
    };
}

pub(super) use model_columns;

/// A voice package as the catalogue on disk has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogModel {
    /// The package's id.
    pub package_id: String,
    /// The title shown to people.
    pub title: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Whether it is an instrument rather than a voice.
    pub instrument: bool,
    /// Why it cannot be used; `None` when the package is verified and its files are there.
    pub fault: Option<String>,
    /// Where its maker can be found.
    pub links: ModelLinks,
}

/// Where the maker of a voice can be found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelLinks {
    /// Twitter.
    pub twitter: Option<String>,
    /// Instagram.
    pub instagram: Option<String>,
    /// `TikTok`.
    pub tiktok: Option<String>,
    /// Spotify.
    pub spotify: Option<String>,
    /// `YouTube`.
    pub youtube: Option<String>,
}

/// A voice with its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRecord {
    /// Its number, which stays the same for good.
    pub id: i64,
    /// The package's id.
    pub package_id: String,
    /// The id of the package whose number this one has taken over; `None` where there was none.
    pub earlier_package_id: Option<String>,
    /// Its owner; `None` for a public voice.
    pub owner_id: Option<i64>,
    /// The title shown to people.
    pub title: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Whether it is an instrument rather than a voice.
    pub instrument: bool,
    /// Whether it can be used now.
    pub usable: bool,
    /// What is wrong with its files or with those that it needs; `None` when nothing is.
    pub fault: Option<String>,
    /// Where its maker can be found.
    pub links: ModelLinks,
    /// When it was first seen.
    pub created_at_us: i64,
    /// The files of its package in the file store; empty for a package in a model folder and for a voice in the making.
    pub package: Vec<StoredPackageFile>,
    /// A picture in the file store, used instead of the package's.
    pub picture: Option<StoredPackageFile>,
    /// A demo in the file store, used instead of the package's.
    pub demo: Option<StoredPackageFile>,
}

/// The highest generation number: no voice is replaced so often.
const MOST_GENERATIONS: u32 = 99;

/// The fault of a voice whose package lay in a model folder.
pub const FOLDER_GONE: &str = "its package is gone from the model folders, or refused there";

/// The fault of a voice that a job of this kind is still making.
pub(super) fn in_the_making(kind: JobKind) -> &'static str {
    match kind {
        JobKind::VoiceTraining => "a training is still making it",
        _ => "a blend is still making it",
    }
}

impl ModelRecord {
    /// Whether a job is still making it: it belongs to somebody, and has no package yet.
    #[must_use]
    pub fn is_in_the_making(&self) -> bool {
        self.owner_id.is_some() && self.package.is_empty()
    }

    /// The earlier voice that the number stood for, if there was one.
    #[must_use]
    pub fn succession(&self) -> Option<Succession> {
        let earlier = self.earlier_package_id.clone();
        earlier.map(|earlier| Succession {
            model_id: self.id,
            earlier,
            later: self.package_id.clone(),
        })
    }

    /// Why it cannot be used, if it cannot.
    #[must_use]
    pub fn unusable_reason(&self) -> Option<&str> {
        if self.usable {
            return None;
        }
        // Without a fault, the only reason is that an operator disabled it.
        Some(
            self.fault
                .as_deref()
                .unwrap_or("an operator has disabled it, or has not let it be used yet"),
        )
    }

    /// The keys of all files that it has in the file store.
    pub(crate) fn file_keys(&self) -> impl Iterator<Item = String> {
        let beside = self.picture.iter().chain(&self.demo);
        let files = self.package.iter().chain(beside);
        files.map(|file| file.key.clone())
    }
}

/// Which voices to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelQuery {
    /// Who asks: public voices and this user's own are visible.
    pub user_id: i64,
    /// Only the user's own.
    pub mine: bool,
    /// Only instruments.
    pub instruments: bool,
    /// Part of the title, in any letter case.
    pub q: Option<String>,
    /// A tag, in any letter case.
    pub tag: Option<String>,
    /// Newest first.
    pub descending: bool,
    /// Counts from 1.
    pub page: u64,
    /// Rows on a page.
    pub per_page: u64,
}

impl Store {
    /// Brings the table of public voices in line with the catalogue on disk. A package keeps its number for good. If a package is gone, its
    /// voice stays and cannot be used; if a later generation is there, that takes the number over.
    pub async fn sync_models(
        &self,
        models: &[CatalogModel],
        now_us: i64,
    ) -> Result<(), StoreError> {
        let mut transaction = self.writing(Alone::Everybody).await?;
        query(
            "UPDATE voice_models SET usable = FALSE, fault = $1 WHERE owner_id IS NULL AND package IS NULL",
        )
        .bind(FOLDER_GONE)
        .execute(&mut transaction)
        .await?;
        for model in models {
            take_place(&mut transaction, model, models).await?;
            put_model(&mut transaction, model, now_us).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// The voice with this number, whoever owns it.
    pub async fn model(&self, id: i64) -> Result<Option<ModelRecord>, StoreError> {
        let row = query(concat!(
            "SELECT ",
            model_columns!(),
            " FROM voice_models m WHERE m.id = $1"
        ))
        .bind(id)
        .fetch_optional(self.readers())
        .await?;
        row.as_ref().map(model_record).transpose()
    }

    /// A page of the voices that the caller may see.
    pub async fn models(&self, query: &ModelQuery) -> Result<Page<ModelRecord>, StoreError> {
        let mut transaction = self.reading().await?;
        let heads = [
            "SELECT COUNT(*) FROM voice_models m WHERE ",
            concat!("SELECT ", model_columns!(), " FROM voice_models m WHERE "),
        ];
        let place = ("m.id", query.descending, (query.page, query.per_page));
        let statements = listing(heads, |one| push_filter(one, query), place);
        page_of(&mut transaction, statements, model_record).await
    }
}

fn push_filter(builder: &mut Statement, query: &ModelQuery) {
    builder.push("(m.owner_id = ");
    builder.push_bind(query.user_id);
    builder.push(if query.mine {
        ")"
    } else {
        " OR m.owner_id IS NULL)"
    });
    if query.instruments {
        builder.push(" AND m.instrument");
    }
    if let Some(part) = &query.q {
        builder.push(" AND m.title_folded LIKE ");
        builder.push_bind(format!("%{}%", escape_like(&part.to_lowercase())));
        builder.push(" ESCAPE '\\'");
    }
    if let Some(tag) = &query.tag {
        builder
            .push(" AND m.id IN (SELECT t.model_id FROM voice_model_tags t WHERE t.tag_folded = ");
        builder.push_bind(tag.to_lowercase());
        builder.push(")");
    }
}

/// Escapes the characters that have a meaning in LIKE.
fn escape_like(part: &str) -> String {
    let mut escaped = String::with_capacity(part.len());
    for character in part.chars() {
        if matches!(character, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Gives a voice the number of the latest earlier generation that is gone. Ids that differ only in a number after the last hyphen are
/// generations of one voice.
async fn take_place(
    transaction: &mut Transaction,
    model: &CatalogModel,
    present: &[CatalogModel],
) -> Result<(), StoreError> {
    for earlier in earlier_generations(&model.package_id) {
        if present.iter().any(|other| other.package_id == earlier) {
            return Ok(());
        }
        let taken = query(
            "UPDATE voice_models SET package_id = $1, earlier_package_id = $2 \
             WHERE package_id = $2 AND owner_id IS NULL AND package IS NULL \
             AND NOT EXISTS (SELECT 1 FROM voice_models WHERE package_id = $1)",
        )
        .bind(&model.package_id)
        .bind(earlier)
        .execute(&mut *transaction)
        .await?;
        if taken > 0 {
            return Ok(());
        }
    }
    Ok(())
}

/// The ids of the generations before an id, the latest first; none for an id without such a number.
fn earlier_generations(id: &str) -> Vec<String> {
    let named = id.rsplit_once('-').and_then(|(name, number)| {
        let number: u32 = number.parse().ok()?;
        (number <= MOST_GENERATIONS).then_some((name, number))
    });
    let Some((name, number)) = named else {
        return Vec::new();
    };
    let earlier = (1..number).rev();
    earlier.map(|number| format!("{name}-{number}")).collect()
}

async fn put_model(
    transaction: &mut Transaction,
    model: &CatalogModel,
    now_us: i64,
) -> Result<(), StoreError> {
    // An insert that turns into an update would use up a number at every start.
    query(
        "INSERT INTO voice_models \
         (package_id, title, title_folded, tags, instrument, usable, links, created_at_us) \
         SELECT $1, '', '', '[]', FALSE, FALSE, '{}', $2 \
         WHERE NOT EXISTS (SELECT 1 FROM voice_models WHERE package_id = $1)",
    )
    .bind(&model.package_id)
    .bind(now_us)
    .execute(&mut *transaction)
    .await?;
    let id: i64 = query(
        "UPDATE voice_models SET title = CASE WHEN renamed THEN title ELSE $2 END, \
         title_folded = CASE WHEN renamed THEN title_folded ELSE $3 END, tags = $4, instrument = $5, usable = $6, links = $7, \
         fault = $8 \
         WHERE package_id = $1 RETURNING id",
    )
    .bind(&model.package_id)
    .bind(&model.title)
    .bind(model.title.to_lowercase())
    .bind(serde_json::to_string(&model.tags)?)
    .bind(model.instrument)
    .bind(model.fault.is_none())
    .bind(serde_json::to_string(&model.links)?)
    .bind(&model.fault)
    .value(&mut *transaction)
    .await?;
    query("DELETE FROM voice_model_tags WHERE model_id = $1")
        .bind(id)
        .execute(&mut *transaction)
        .await?;
    put_tags(transaction, id, &model.tags).await
}

/// Enters the tags of a voice to search by.
pub(super) async fn put_tags(
    transaction: &mut Transaction,
    id: i64,
    tags: &[String],
) -> Result<(), StoreError> {
    for tag in tags {
        query(
            "INSERT INTO voice_model_tags (tag_folded, model_id) VALUES ($1, $2) \
             ON CONFLICT (tag_folded, model_id) DO NOTHING",
        )
        .bind(tag.to_lowercase())
        .bind(id)
        .execute(&mut *transaction)
        .await?;
    }
    Ok(())
}

pub(super) fn model_record(row: &Row) -> Result<ModelRecord, StoreError> {
    let id = row.try_get("id")?;
    Ok(ModelRecord {
        id,
        package_id: row.try_get("package_id")?,
        earlier_package_id: row.try_get("earlier_package_id")?,
        owner_id: row.try_get("owner_id")?,
        title: row.try_get("title")?,
        tags: json(row, "tags", "voice_models", id)?,
        instrument: row.try_get("instrument")?,
        usable: row.try_get("usable")?,
        fault: row.try_get("fault")?,
        links: json(row, "links", "voice_models", id)?,
        created_at_us: row.try_get("created_at_us")?,
        package: optional_json(row, "package", "voice_models", id)?.unwrap_or_default(),
        picture: optional_json(row, "picture", "voice_models", id)?,
        demo: optional_json(row, "demo", "voice_models", id)?,
    })
}
