//! `vocalhost convert`, `vocalhost live` and `vocalhost split`: the server's jobs here and now, without a server.

mod convert;
mod ear;
mod job;
mod live;
mod places;
mod result;
mod split;
mod voice;
mod wishes;

use std::path::{Path, PathBuf};

pub use convert::{ConvertArguments, run as convert};
pub use job::options;
pub use live::{LiveArguments, run as live};
pub use places::{check_apart, check_place, check_recording};
pub use split::{SplitArguments, run as split};
pub use voice::model_folders;
pub use wishes::{effects, refused};

use super::{Chosen, CliError};
use vocalhost_config::Settings;

/// The folder of the voice that is named, as [`ConvertArguments`] have it; one of the file store is brought into the scratch folder.
pub fn find_voice(
    chosen: &Chosen,
    settings: &Settings,
    named: &str,
    scratch: &Path,
) -> Result<PathBuf, CliError> {
    Ok(voice::find(chosen, settings, named, scratch)?.folder)
}
