use std::fs::Permissions;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::CliError;

/// `vocalhost effect wrap`.
#[derive(Debug, Args)]
pub struct WrapArguments {
    /// The core module, with the interface's functions as its exports.
    module: PathBuf,
    /// Where the component goes; replaced when it is there.
    component: PathBuf,
}

/// Makes the component.
pub fn run(arguments: &WrapArguments) -> Result<(), CliError> {
    let refused = |what| move |source| CliError::System { what, source };
    let module = std::fs::read(&arguments.module).map_err(refused("cannot read the module"))?;
    let component = vocalhost_kit::wrap::wrap(&module)?;
    write(&arguments.component, &component).map_err(refused("cannot write the component"))
}

/// Written aside and renamed, so that a build that fails leaves no half of a component.
fn write(path: &Path, component: &[u8]) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(component)?;
    file.persist(path)?;
    Ok(())
}
