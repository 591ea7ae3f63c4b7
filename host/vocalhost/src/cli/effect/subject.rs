use std::borrow::Cow;
use std::path::Path;

use super::CliError;
use super::shelf::with_shelf_of;
use crate::cli::database::has_database;
use vocalhost_config::Settings;
use vocalhost_effects::Catalog;

/// The bytes of the component that a command is about: those in the file `name`, of the built-in effect of this name, or
/// of the effect of this name that is installed in the data folder in force.
pub fn component(settings: &Settings, name: &str) -> Result<Cow<'static, [u8]>, CliError> {
    let path = Path::new(name);
    if path.is_file() {
        let component = std::fs::read(path).map_err(CliError::of_file("cannot read", path))?;
        return Ok(Cow::Owned(component));
    }
    if let Some(component) = Catalog::builtin_component(name) {
        return Ok(Cow::Borrowed(component));
    }
    if !has_database(settings)? {
        let what = format!("file, built-in or installed effect {name:?}");
        return Err(CliError::Missing(what));
    }
    with_shelf_of(settings, async |shelf, _| shelf.component(name).await).map(Cow::Owned)
}
