use serde::{Deserialize, Serialize};

use super::{Page, Store, StoreError};

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
    /// Whether the package is verified and its files are there.
    pub usable: bool,
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
    /// TikTok.
    pub tiktok: Option<String>,
    /// Spotify.
    pub spotify: Option<String>,
    /// YouTube.
    pub youtube: Option<String>,
}

/// A voice with its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRecord {
    /// Its number, which stays the same for good.
    pub id: i64,
    /// The package's id.
    pub package_id: String,
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
    /// Where its maker can be found.
    pub links: ModelLinks,
    /// When it was first seen.
    pub created_at_us: i64,
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
    /// Brings the table of public voices in line with the catalogue on disk. A package keeps its number for good; one
    /// that is gone stays as an unusable voice.
    pub async fn sync_models(
        &self,
        models: &[CatalogModel],
        now_us: i64,
    ) -> Result<(), StoreError> {
        let _ = (models, now_us);
        unimplemented!()
    }

    /// The voice with this number, whoever owns it.
    pub async fn model(&self, id: i64) -> Result<Option<ModelRecord>, StoreError> {
        let _ = id;
        unimplemented!()
    }

    /// A page of the voices that the caller may see.
    pub async fn models(&self, query: &ModelQuery) -> Result<Page<ModelRecord>, StoreError> {
        let _ = query;
        unimplemented!()
    }
}
