use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use super::catalogue::{Seen, faults_of, look};
use super::places::Places;
use super::{LibraryError, usable};
use vocalhost_files::FileStore;
use vocalhost_model::{Catalog, Manifest, Package, Stamp, Task};
use vocalhost_store::{FOLDER_GONE, ListedModel, ModelRecord, Store};

/// What the library needs to know.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LibrarySettings {
    /// This program, which is started again to look at models.
    pub program: PathBuf,
    /// Folders with model packages that are the operator's to fill.
    pub folders: Vec<PathBuf>,
    /// The folder of packages that were imported.
    pub imported: PathBuf,
    /// Where models lie while they are looked at; in the same file system as `imported`.
    pub imports: PathBuf,
    /// The ONNX Runtime library; `None` looks in the usual places.
    pub onnxruntime: Option<PathBuf>,
    /// The most memory that a worker may hold: an import says when a model takes more.
    pub worker_memory_bytes: u64,
    /// What a user may store unless a limit of the user's own says otherwise; 0 for no limit.
    pub storage_quota_bytes: u64,
    /// Ids of the separators that the settings name for their tasks.
    pub separators: Vec<String>,
    /// Ids of the encoders and F0 estimators that the settings name for voices.
    pub voice_parts: Vec<String>,
    /// Whether this process notes in the database which voices can be used. The server does; a command does not, since its folders may be
    /// others than the server's.
    pub keeps_voices: bool,
}

impl LibrarySettings {
    /// The setting that names a package, if one does.
    pub(super) fn naming(&self, id: &str) -> Option<&'static str> {
        let named = [
            ("separators", &self.separators),
            ("voice_parts", &self.voice_parts),
        ];
        let mut names = named
            .iter()
            .filter(|(_, ids)| ids.iter().any(|named| named == id));
        names.next().map(|(setting, _)| *setting)
    }

    /// Every folder with packages.
    #[must_use]
    pub(crate) fn all_folders(&self) -> Vec<PathBuf> {
        let imported = self.imported.is_dir().then(|| self.imported.clone());
        self.folders.iter().cloned().chain(imported).collect()
    }
}

/// The models of an installation. Cheap to clone.
#[derive(Clone)]
pub struct Library(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) store: Store,
    pub(super) files: FileStore,
    pub(super) settings: LibrarySettings,
    /// Models are inspected one at a time: trying one takes memory.
    pub(super) imports: Arc<Semaphore>,
    pub(super) places: Places,
    seen: Mutex<Arc<Seen>>,
    /// Pictures and demos of voices are changed one after the other: the next change may bring back a file that this one has replaced.
    pub(super) changing: tokio::sync::Mutex<()>,
    /// Held while the models are looked at again.
    pub(super) looking: tokio::sync::Mutex<()>,
}

impl Library {
    /// Opens the library and reads every package once.
    pub async fn open(
        store: Store,
        files: FileStore,
        settings: LibrarySettings,
        now_us: i64,
    ) -> Result<Self, LibraryError> {
        let library = Self(Arc::new(Inner {
            store,
            files,
            settings,
            imports: Arc::new(Semaphore::new(1)),
            places: Places::default(),
            seen: Mutex::default(),
            changing: tokio::sync::Mutex::new(()),
            looking: tokio::sync::Mutex::new(()),
        }));
        library.look_again(now_us).await?;
        Ok(library)
    }

    /// The packages as of the last look.
    #[must_use]
    pub fn known(&self) -> Arc<Catalog> {
        self.seen().models.clone()
    }

    /// The task that jobs use a package for: a separator's task, unless they use another package for it.
    #[must_use]
    pub fn used_for(&self, models: &Catalog, package: &Package) -> Option<Task> {
        models.used_for(package, &self.0.settings.separators)
    }

    /// Ids of separators that are preferred to newer ones.
    #[must_use]
    pub fn named_separators(&self) -> &[String] {
        &self.0.settings.separators
    }

    /// The packages as they are now, whoever has changed them. Without changes it only checks the ages of the manifests; otherwise it also
    /// notes which voices can be used.
    pub async fn current(&self, now_us: i64) -> Result<Arc<Catalog>, LibraryError> {
        let folders = self.0.settings.all_folders();
        let seen = self.seen();
        let is_new = move || *seen != Stamp::of(&folders);
        if tokio::task::spawn_blocking(is_new).await? {
            self.look_again(now_us).await?;
        }
        Ok(self.known())
    }

    async fn look_again(&self, now_us: i64) -> Result<(), LibraryError> {
        let _alone = self.0.looking.lock().await;
        let folders = self.0.settings.all_folders();
        let before = self.seen();
        let verifies = self.0.settings.keeps_voices;
        let work = move || look(&folders, &before, verifies);
        let Some(now) = tokio::task::spawn_blocking(work).await? else {
            // Another task was faster.
            return Ok(());
        };
        if self.0.settings.keeps_voices {
            let Inner { store, files, .. } = &*self.0;
            store.sync_models(&now.voices(), now_us).await?;
            usable::sync(store, files, &now).await?;
        }
        *self.0.seen.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(now);
        Ok(())
    }

    /// Checks the voices as the server does, but does not note the result: what a command says of them is true at that moment, whether or
    /// not a server runs.
    pub async fn look_at_voices(&self, voices: &mut [ListedModel]) -> Result<(), LibraryError> {
        let folders = self.0.settings.all_folders();
        let (mut ids, mut stored) = (Vec::new(), BTreeMap::new());
        for ListedModel { voice, .. } in voices.iter() {
            let id = voice.package_id.clone();
            if voice.package.is_empty() {
                ids.push(id);
            } else {
                let whole = usable::whole(&self.0.files, voice).await;
                stored.insert(id, whole.map_err(usable::Unusable::into_fault));
            }
        }
        let work = move || faults_of(&Catalog::open(&folders), &ids, stored);
        let faults = tokio::task::spawn_blocking(work).await?;
        for ListedModel { voice, enabled, .. } in voices {
            if voice.is_in_the_making() {
                continue;
            }
            let found = faults.get(&voice.package_id).cloned();
            voice.fault = found.unwrap_or_else(|| Some(FOLDER_GONE.to_owned()));
            voice.usable = *enabled && voice.fault.is_none();
        }
        Ok(())
    }

    /// What the package of a voice says about itself, be it in a model folder or in the file store.
    pub async fn manifest(&self, voice: &ModelRecord) -> Result<Manifest, LibraryError> {
        let id = &voice.package_id;
        if let Some(package) = self.known().find(id) {
            return Ok(package.manifest().clone());
        }
        let stored = usable::manifest_of(&self.0.files, voice).await?;
        Ok(stored.ok_or_else(|| LibraryError::Missing(id.clone()))??)
    }

    pub(super) fn seen(&self) -> Arc<Seen> {
        let seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.clone()
    }
}
