use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use clap::Args;

use super::shelf::with_shelf;
use super::{Chosen, CliError};
use crate::cli::actor::note;
use crate::cli::print_json;
use vocalhost_api::v1::admin_effects::admin_record;
use vocalhost_catalogues::shelf::{InstallRequest, ListedEffect, ShelfError};
use vocalhost_effects::EffectLimits;
use vocalhost_store::EffectOverrides;
use vocalhost_system::clock;

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
    let name = with_shelf(&arguments.chosen, async |shelf, settings| {
        // The author may build anew while this one is looked at.
        let copy = copy_of(arguments).map_err(|error| {
            ShelfError::Rejected(format!(
                "cannot read {}: {error}",
                arguments.component.display()
            ))
        })?;
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
            say_line!("installed {}", installed.effect.full_name());
        } else {
            say_line!(
                "{} was here already{}",
                installed.effect.full_name(),
                as_it_was(&installed.effect)
            );
        }
        // A server with another data folder would not have it.
        eprintln!(
            "vocalhost: in the data folder {}",
            settings.data_dir.display()
        );
        Ok(installed.effect.full_name())
    })?;
    note(&arguments.chosen, "installEffect", &name)
}

/// What installing again leaves as it was.
fn as_it_was(effect: &ListedEffect) -> &'static str {
    if effect.record.enabled {
        "; its limits are as they were"
    } else {
        "; it is disabled, and its limits are as they were"
    }
}

/// A copy outside of the data folder, whose uploads a server that starts would clear away. It is cut where it is too large to
/// be taken in any case.
fn copy_of(arguments: &InstallArguments) -> std::io::Result<tempfile::NamedTempFile> {
    let mut copy = tempfile::NamedTempFile::new()?;
    let most_bytes = EffectLimits::default().component_bytes as u64 + 1;
    let component = File::open(&arguments.component)?;
    std::io::copy(&mut component.take(most_bytes), &mut copy)?;
    Ok(copy)
}
