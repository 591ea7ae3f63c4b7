use std::path::PathBuf;

use clap::Args;

use super::shelf::with_shelf;
use super::{Chosen, CliError};
use crate::api::v1::admin_effects::admin_record;
use crate::cli::print_json;
use crate::clock;
use crate::config::Settings;
use crate::shelf::{InstallRequest, ShelfError};
use crate::store::EffectOverrides;

/// `vocalhost effect install`.
#[derive(Debug, Args)]
pub struct InstallArguments {
    /// The component: a `.wasm` file.
    #[arg(value_name = "FILE")]
    component: PathBuf,
    /// Memory that this effect may use, in bytes; without it the setting holds.
    #[arg(long, value_name = "BYTES")]
    memory_bytes: Option<u64>,
    /// Seconds of work that this effect may take per second of audio; without it the setting holds.
    #[arg(long, value_name = "SECONDS")]
    work_per_audio: Option<f64>,
    /// Say what was installed in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Installs an effect and prints its id with its version; a running server has it at once.
pub fn run(arguments: &InstallArguments) -> Result<(), CliError> {
    with_shelf(&arguments.chosen, async |shelf, settings| {
        // The author may build anew while this one is looked at.
        let copy = copy_of(arguments, settings)
            .map_err(|error| ShelfError::Rejected(format!("cannot read it: {error}")))?;
        let request = InstallRequest {
            component: copy.path(),
            overrides: EffectOverrides {
                memory_bytes: arguments.memory_bytes,
                work_per_audio: arguments.work_per_audio,
            },
            installed_by: None,
        };
        let installed = shelf.install(&request, clock::now_us()).await?;
        if arguments.json {
            print_json(&admin_record(shelf, &installed.effect));
        } else if installed.is_new {
            println!("installed {}", installed.effect.full_name());
        } else {
            println!("{} was here already", installed.effect.full_name());
        }
        // A server with another data folder would not have it.
        eprintln!(
            "vocalhost: in the data folder {}",
            settings.data_dir.display()
        );
        Ok(())
    })
}

fn copy_of(
    arguments: &InstallArguments,
    settings: &Settings,
) -> std::io::Result<tempfile::NamedTempFile> {
    let copy = tempfile::Builder::new()
        .prefix("upload-")
        .tempfile_in(settings.uploads_path())?;
    std::fs::copy(&arguments.component, copy.path())?;
    Ok(copy)
}
