use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use clap::Args;

use super::registry;
use super::shelf::with_shelf;
use super::{Chosen, CliError};
use crate::cli::actor::note;
use crate::cli::output::print_json;
use vocalhost_api::v1::admin_effects::admin_record;
use vocalhost_catalogues::shelf::{InstallRequest, ListedEffect, ShelfError};
use vocalhost_effects::EffectLimits;
use vocalhost_store::{EffectOverrides, SignedBy};
use vocalhost_system::clock;

/// `vocalhost effect install`.
#[derive(Debug, Args)]
pub struct InstallArguments {
    /// The component: a `.wasm` file, or what it is called in a registry, such as `oci://registry.example/effects/robot:1.0.0`. With
    /// `@sha256:…` behind it nothing but the artifact with this digest is taken.
    #[arg(value_name = "FILE_OR_NAME")]
    component: PathBuf,
    /// Trust whoever signed it, or nobody, from now on, though the id belongs to another key.
    #[arg(long)]
    trust: bool,
    /// Ask the registry without encryption, also when it is another machine.
    #[arg(long)]
    plain_http: bool,
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
    let (copy, signer) = component_of(arguments)?;
    let name = with_shelf(&arguments.chosen, async |shelf, settings| {
        let request = InstallRequest {
            component: copy.path(),
            overrides: EffectOverrides {
                memory_bytes: arguments.memory_bytes,
                work_per_audio: arguments.work_per_audio,
            },
            signed: SignedBy {
                key: signer.as_deref(),
                is_trusted: arguments.trust,
            },
            installed_by: None,
        };
        let installed = shelf.install(&request, clock::now_us()).await?;
        if arguments.json {
            let keys = shelf.keys().await?;
            print_json(&admin_record((shelf, &keys), &installed.effect));
        } else if installed.is_new {
            say_line!("installed {}", installed.effect.full_name());
        } else {
            say_line!(
                "{} was here already{}",
                installed.effect.full_name(),
                as_it_was(&installed.effect)
            );
        }
        if let Some(signer) = &signer {
            eprintln!("vocalhost: signed by {signer}");
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

/// The component, and the key that signed it. What a registry has must be signed, unless the operator trusts it as it is.
fn component_of(
    arguments: &InstallArguments,
) -> Result<(tempfile::NamedTempFile, Option<String>), CliError> {
    let Some(name) = registry::named(&arguments.component) else {
        // The author may build anew while this one is looked at.
        let copy = copy_of(arguments).map_err(|error| {
            ShelfError::Rejected(format!(
                "cannot read {}: {error}",
                arguments.component.display()
            ))
        })?;
        return Ok((copy, None));
    };
    let taken = registry::take(name, arguments.plain_http)?;
    let signer = taken.signer.map(|key| key.to_string());
    if signer.is_none() && !arguments.trust {
        return Err(CliError::Usage(format!(
            "nobody has signed {name}: `--trust` installs it all the same"
        )));
    }
    let unwritten = |source| CliError::System {
        what: "cannot write a temporary file",
        source,
    };
    let mut copy = tempfile::NamedTempFile::new().map_err(unwritten)?;
    copy.write_all(&taken.component).map_err(unwritten)?;
    eprintln!("vocalhost: taken from {name}, {}", taken.digest);
    Ok((copy, signer))
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
