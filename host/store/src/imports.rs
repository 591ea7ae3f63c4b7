use super::audit::note_done;
use super::blends::insert_voice;
use super::idempotency::answered;
use super::models::{FOLDER_GONE, ModelRecord, model_columns, model_record, put_tags};
use super::rows::to_sql;
use super::usage::check_storage;
use super::users::limits_of;
use super::{Actor, AnswerOf, Completion, NewVoice, Store, StoreError, StoredPackageFile};
use crate::sql::{Alone, Transaction, query};

/// The owner of an imported voice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoiceOwner {
    /// This user's alone, until an operator makes it everybody's.
    User(i64),
    /// Everybody. The user, if there is one, gets it back when it is no longer public.
    Everybody(Option<i64>),
}

/// A voice whose package lies in the file store already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedVoice {
    /// What it is.
    pub voice: NewVoice,
    /// Whose it is.
    pub owner: VoiceOwner,
    /// Why it cannot be used yet; `None` when the packages that it needs are there.
    pub fault: Option<String>,
    /// The files of its package.
    pub package: Vec<StoredPackageFile>,
    /// A picture beside the package's.
    pub picture: Option<StoredPackageFile>,
    /// A demo beside the package's.
    pub demo: Option<StoredPackageFile>,
    /// What its owner may store unless a limit of the user's own says otherwise; 0 for no limit.
    pub storage_quota_bytes: u64,
}

impl ImportedVoice {
    fn bytes(&self) -> u64 {
        let beside = self.picture.iter().chain(&self.demo);
        self.package
            .iter()
            .chain(beside)
            .map(|file| file.bytes)
            .sum()
    }
}

/// What an owner changes of a voice; what is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnVoiceChange {
    /// The title.
    pub title: Option<String>,
    /// The tags.
    pub tags: Option<Vec<String>>,
    /// The picture.
    pub picture: Option<StoredPackageFile>,
    /// The demo.
    pub demo: Option<StoredPackageFile>,
    /// What the owner may store unless a limit of the user's own says otherwise; 0 for no limit.
    pub storage_quota_bytes: u64,
}

/// The outcome of changing or removing a voice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnVoice {
    /// There is no such voice.
    Unknown,
    /// It belongs to somebody else, or to everybody.
    NotOwn,
    /// A job is still making it.
    InTheMaking,
    /// It was changed or removed. Its state now, or before the removal, and the keys of files that are no longer needed.
    Done(Box<ModelRecord>, Vec<String>),
}

impl Store {
    /// Gives an imported voice its number, unless its owner would then store more than the quota. The same transaction completes the
    /// request for the import, with its answer.
    pub async fn create_imported(
        &self,
        new: &ImportedVoice,
        request: Option<(&Completion, &AnswerOf<'_, ModelRecord>)>,
        actor: &Actor,
        now_us: i64,
    ) -> Result<ModelRecord, StoreError> {
        let (owner, published_from) = match new.owner {
            VoiceOwner::User(id) => (Some(id), None),
            VoiceOwner::Everybody(from) => (None, from),
        };
        let alone = owner.map_or(Alone::No, Alone::User);
        let mut transaction = self.writing(alone).await?;
        if let Some(owner) = owner {
            let own = limits_of(&mut transaction, owner).await?;
            let bytes = (new.bytes(), new.storage_quota_bytes);
            check_storage(&mut transaction, (owner, now_us), &own, bytes).await?;
        }
        let id = insert_voice(&mut transaction, owner, &new.voice, now_us).await?;
        query(
            "UPDATE voice_models SET usable = $1, package = $2, package_bytes = $3, picture = $4, demo = $5, \
             published_from = $6, fault = $7 WHERE id = $8",
        )
        .bind(new.fault.is_none())
        .bind(serde_json::to_string(&new.package)?)
        .bind(to_sql(new.bytes()))
        .bind(optional(new.picture.as_ref())?)
        .bind(optional(new.demo.as_ref())?)
        .bind(published_from)
        .bind(&new.fault)
        .bind(id)
        .execute(&mut transaction)
        .await?;
        note_done(
            &mut transaction,
            actor,
            ("importModel", &id.to_string()),
            now_us,
        )
        .await?;
        let record = read(&mut transaction, id)
            .await?
            .ok_or(sqlx::Error::RowNotFound)?;
        if let Some((done, answer)) = request {
            answered(&mut transaction, done, &answer(&record), now_us).await?;
        }
        transaction.commit().await?;
        Ok(record)
    }

    /// Whether a voice's owner may store what a change adds to it; [`Self::change_voice`] checks again.
    pub async fn check_room_for(
        &self,
        voice: &ModelRecord,
        change: &OwnVoiceChange,
        now_us: i64,
    ) -> Result<(), StoreError> {
        let mut transaction = self.reading().await?;
        check_room(&mut transaction, change, voice, now_us).await
    }

    /// Changes a voice: of the user's own, or with `None` one of everybody's that was imported or blended.
    pub async fn change_voice(
        &self,
        (id, user_id): (i64, Option<i64>),
        change: &OwnVoiceChange,
        actor: &Actor,
        now_us: i64,
    ) -> Result<OwnVoice, StoreError> {
        let alone = user_id.map_or(Alone::No, Alone::User);
        let mut transaction = self.writing(alone).await?;
        let before = match own(&mut transaction, (id, user_id)).await? {
            // The next look at the folder would undo changes of its voice.
            Ok(voice) if user_id.is_none() && voice.package.is_empty() => {
                return Ok(OwnVoice::NotOwn);
            }
            Ok(voice) => voice,
            Err(refusal) => return Ok(refusal),
        };
        let mut needless = Vec::new();
        if let Some(title) = &change.title {
            query(
                "UPDATE voice_models SET title = $2, title_folded = $3, renamed = TRUE WHERE id = $1",
            )
            .bind(id)
            .bind(title)
            .bind(title.to_lowercase())
            .execute(&mut transaction)
            .await?;
        }
        if let Some(tags) = &change.tags {
            set_tags(&mut transaction, id, tags).await?;
        }
        check_room(&mut transaction, change, &before, now_us).await?;
        let pictures = (&change.picture, &before.picture);
        let demos = (&change.demo, &before.demo);
        for (column, (new, old)) in [(Beside::Picture, pictures), (Beside::Demo, demos)] {
            if let Some(new) = new {
                set_beside(&mut transaction, id, column, (new, old.as_ref())).await?;
                // The same file again has the same key.
                let replaced = old.iter().filter(|old| old.key != new.key);
                needless.extend(replaced.map(|old| old.key.clone()));
            }
        }
        let target = id.to_string();
        note_done(&mut transaction, actor, ("changeOwnModel", &target), now_us).await?;
        let after = read(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(after.map_or(OwnVoice::Unknown, |after| {
            OwnVoice::Done(Box::new(after), needless)
        }))
    }

    /// Removes a voice: of the user's own, or with `None` any that was imported or blended. Whoever has its record may
    /// delete its files.
    pub async fn remove_voice(
        &self,
        id: i64,
        user_id: Option<i64>,
        actor: &Actor,
        now_us: i64,
    ) -> Result<OwnVoice, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let found = match user_id {
            Some(_) => own(&mut transaction, (id, user_id)).await?,
            None => match read(&mut transaction, id).await? {
                None => Err(OwnVoice::Unknown),
                // The next look at the model folder would bring its voice back, unless its package is gone from there.
                Some(voice)
                    if voice.package.is_empty()
                        && !voice.is_in_the_making()
                        && voice.fault.as_deref() != Some(FOLDER_GONE) =>
                {
                    Err(OwnVoice::NotOwn)
                }
                Some(voice) => Ok(voice),
            },
        };
        let voice = match found {
            Ok(voice) => voice,
            Err(refusal) => return Ok(refusal),
        };
        if voice.is_in_the_making() {
            return Ok(OwnVoice::InTheMaking);
        }
        query("DELETE FROM voice_models WHERE id = $1")
            .bind(id)
            .execute(&mut transaction)
            .await?;
        let target = id.to_string();
        note_done(&mut transaction, actor, ("removeModel", &target), now_us).await?;
        transaction.commit().await?;
        let keys = voice.file_keys().collect();
        Ok(OwnVoice::Done(Box::new(voice), keys))
    }

    /// Whether the file `key` belongs to the voice of this package.
    pub async fn needs_voice_file(&self, package_id: &str, key: &str) -> Result<bool, StoreError> {
        let row = query(concat!(
            "SELECT ",
            model_columns!(),
            " FROM voice_models m WHERE m.package_id = $1"
        ))
        .bind(package_id)
        .fetch_optional(self.readers())
        .await?;
        let voice = row.as_ref().map(model_record).transpose()?;
        Ok(voice.is_some_and(|voice| voice.file_keys().any(|own| own == key)))
    }
}

async fn check_room(
    transaction: &mut Transaction,
    change: &OwnVoiceChange,
    before: &ModelRecord,
    now_us: i64,
) -> Result<(), StoreError> {
    // A public voice counts for nobody.
    let Some(user_id) = before.owner_id else {
        return Ok(());
    };
    let sides = [
        (&change.picture, &before.picture),
        (&change.demo, &before.demo),
    ];
    let bytes = |file: &Option<StoredPackageFile>| file.as_ref().map_or(0, |file| file.bytes);
    let grown = sides.into_iter().filter(|(new, _)| new.is_some());
    let (new, old) = grown.fold((0, 0), |(new, old), side| {
        (new + bytes(side.0), old + bytes(side.1))
    });
    if new <= old {
        return Ok(());
    }
    let own = limits_of(transaction, user_id).await?;
    let more = (new - old, change.storage_quota_bytes);
    check_storage(transaction, (user_id, now_us), &own, more).await
}

/// A file that a voice has beside its package.
#[derive(Debug, Clone, Copy)]
enum Beside {
    Picture,
    Demo,
}

async fn set_beside(
    transaction: &mut Transaction,
    id: i64,
    column: Beside,
    (new, old): (&StoredPackageFile, Option<&StoredPackageFile>),
) -> Result<(), StoreError> {
    let statement = match column {
        Beside::Picture => {
            "UPDATE voice_models SET picture = $2, package_bytes = COALESCE(package_bytes, 0) + $3 WHERE id = $1"
        }
        Beside::Demo => {
            "UPDATE voice_models SET demo = $2, package_bytes = COALESCE(package_bytes, 0) + $3 WHERE id = $1"
        }
    };
    let more = to_sql(new.bytes) - old.map_or(0, |old| to_sql(old.bytes));
    query(statement)
        .bind(id)
        .bind(serde_json::to_string(new)?)
        .bind(more)
        .execute(transaction)
        .await?;
    Ok(())
}

async fn set_tags(
    transaction: &mut Transaction,
    id: i64,
    tags: &[String],
) -> Result<(), StoreError> {
    query("UPDATE voice_models SET tags = $2 WHERE id = $1")
        .bind(id)
        .bind(serde_json::to_string(tags)?)
        .execute(&mut *transaction)
        .await?;
    query("DELETE FROM voice_model_tags WHERE model_id = $1")
        .bind(id)
        .execute(&mut *transaction)
        .await?;
    put_tags(transaction, id, tags).await
}

/// The voice, if it is this user's.
async fn own(
    transaction: &mut Transaction,
    (id, user_id): (i64, Option<i64>),
) -> Result<Result<ModelRecord, OwnVoice>, StoreError> {
    Ok(match read(transaction, id).await? {
        None => Err(OwnVoice::Unknown),
        Some(voice) if voice.owner_id == user_id => Ok(voice),
        Some(_) => Err(OwnVoice::NotOwn),
    })
}

async fn read(transaction: &mut Transaction, id: i64) -> Result<Option<ModelRecord>, StoreError> {
    let row = query(concat!(
        "SELECT ",
        model_columns!(),
        " FROM voice_models m WHERE m.id = $1"
    ))
    .bind(id)
    .fetch_optional(transaction)
    .await?;
    row.as_ref().map(model_record).transpose()
}

fn optional(file: Option<&StoredPackageFile>) -> Result<Option<String>, StoreError> {
    Ok(file.map(serde_json::to_string).transpose()?)
}
