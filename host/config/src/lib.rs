#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod beside;
mod check;
mod duties;
mod files;
mod load;
mod log_format;
mod machine;
mod network;
mod role;
mod settings;
mod text;
mod training;

use std::path::PathBuf;

use vocalhost_model::ProviderChoice;

pub use load::{InForce, LoadError, load};
pub use log_format::LogFormat;
pub use network::{Network, NetworkError};
pub use role::Role;
pub use settings::{SettingFlags, Settings};
pub use text::TextError;
pub use training::Training;

use machine::Machine;

impl Settings {
    /// How many workers there are.
    #[must_use]
    pub fn worker_count(&self) -> usize {
        if self.workers > 0 {
            return self.workers;
        }
        self.machine().workers(self.worker_memory_bytes)
    }

    /// How many threads each worker has.
    #[must_use]
    pub fn threads_per_worker(&self) -> usize {
        if self.worker_threads > 0 {
            return self.worker_threads;
        }
        self.machine().threads(self.worker_count())
    }

    /// What this machine has for workers. GPUs count only where models are to run on one in preference to the processor.
    fn machine(&self) -> Machine {
        let on_gpu = self.providers.first().is_some_and(|first| first.is_gpu());
        Machine::here(if on_gpu { self.gpu_ids.len().max(1) } else { 0 })
    }

    /// Where models run, on the first GPU that workers take.
    #[must_use]
    pub fn provider_choice(&self) -> ProviderChoice {
        let gpu = self.gpu_ids.first();
        ProviderChoice {
            providers: self.providers.clone(),
            gpu: gpu.and_then(|id| u32::try_from(*id).ok()),
            strict: self.provider_strict,
        }
    }

    /// How much memory a worker may hold between jobs. Half of its limit leaves the other half for the next job's models.
    #[must_use]
    pub fn model_memory(&self) -> u64 {
        if self.model_memory_bytes > 0 {
            return self.model_memory_bytes;
        }
        self.worker_memory_bytes / 2
    }

    /// The database file, unless `database` names a server.
    #[must_use]
    pub fn database_path(&self) -> PathBuf {
        self.data_dir.join("vocalhost.sqlite")
    }

    /// Where voices of the file store are brought before jobs.
    #[must_use]
    pub fn voice_cache_path(&self) -> PathBuf {
        self.data_dir.join("voice-cache")
    }

    /// Where compiled effects are kept.
    #[must_use]
    pub fn effect_cache_path(&self) -> PathBuf {
        self.data_dir.join("effect-cache")
    }

    /// The folder of imported models, except voices, which lie in the file store.
    #[must_use]
    pub fn imported_models_path(&self) -> PathBuf {
        self.data_dir.join("models")
    }

    /// Where models lie while they are looked at.
    #[must_use]
    pub fn imports_path(&self) -> PathBuf {
        self.data_dir.join("imports")
    }

    /// Every folder with model packages: those of the settings, and the folder of imported models once it exists.
    #[must_use]
    pub fn model_folders(&self) -> Vec<PathBuf> {
        let imported = self.imported_models_path();
        let imported = imported.is_dir().then_some(imported);
        self.models_dir.iter().cloned().chain(imported).collect()
    }

    /// Where earlier versions kept resumable uploads, which are files of the store now.
    #[must_use]
    pub fn resumable_path(&self) -> PathBuf {
        self.data_dir.join("resumable")
    }

    /// Where uploads lie until they are accepted.
    #[must_use]
    pub fn uploads_path(&self) -> PathBuf {
        self.data_dir.join("uploads")
    }
}
