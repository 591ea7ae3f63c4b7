//! `vocalhost effect`: the effects that are installed, and the author's kit.

mod list;
mod new;
mod wrap;

use std::path::Path;

use clap::Subcommand;

use super::{Chosen, CliError};
use crate::config::Settings;
use crate::plugin::{Catalog, Effect, EffectHost, EffectLimits, PluginError};

/// `vocalhost effect`.
#[derive(Debug, Subcommand)]
pub enum EffectCommand {
    /// List the installed effects.
    List(list::ListArguments),
    /// Begin an effect: a folder with a small one that works, its tests, and all that it needs of vocalhost.
    New(new::NewArguments),
    /// Make a component of a core module, for languages whose compilers stop there.
    Wrap(wrap::WrapArguments),
}

/// Runs `vocalhost effect`.
pub fn run(command: EffectCommand) -> Result<(), CliError> {
    match command {
        EffectCommand::List(arguments) => list::run(&arguments),
        EffectCommand::New(arguments) => new::run(arguments),
        EffectCommand::Wrap(arguments) => wrap::run(&arguments),
    }
}

/// A host with the settings' limits. The server's cache is used when there is one; looking at effects makes no data
/// folder.
fn host(settings: &Settings) -> Result<EffectHost, PluginError> {
    let limits = EffectLimits {
        memory_bytes: settings.effect_memory_bytes as usize,
        ..EffectLimits::default()
    };
    let cache = settings.effect_cache_path();
    EffectHost::open(cache.is_dir().then_some(cache.as_path()), limits)
}

/// The effect that a command is about: the component in the file `name`, or else the built-in effect of this name.
fn find(host: &EffectHost, name: &str) -> Result<Effect, CliError> {
    let path = Path::new(name);
    if path.is_file() {
        let component = std::fs::read(path).map_err(|source| CliError::System {
            what: "cannot read the component",
            source,
        })?;
        return Ok(host.load(&component)?);
    }
    let catalog = Catalog::builtin(host)?;
    let entry = catalog.find(name);
    entry
        .map(|entry| entry.effect.clone())
        .ok_or_else(|| CliError::Missing(format!("file or built-in effect {name:?}")))
}
