//! Small loops that move jobs along: the tick gives them to workers, an attempt takes one to its end, the rescue takes
//! jobs from workers that are gone, the cleanup deletes what is old. The store decides; nothing here is remembered.

mod attempt;
mod cleanup;
mod files_watch;
mod lock;
mod rescue;
mod settings;
mod staging;
mod tick;
mod training;
mod voice_cache;
mod voices;
mod watch_over;
mod workbench;

pub use attempt::AttemptEnd;
pub use cleanup::{CleanupError, clean_up};
pub use lock::{FolderLock, LockError};
pub use settings::{Retention, SchedulerSettings, VoiceFolders};
pub(crate) use staging::{StagingError, order_effects};
pub use tick::Scheduler;
pub(crate) use voice_cache::VoicesInUse;
pub(crate) use voices::stage_voice;
pub use workbench::Workbench;
