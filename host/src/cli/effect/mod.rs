//! `vocalhost effect`: the effects that are installed, and the author's kit.

mod change;
mod check;
mod install;
mod list;
mod shelf;
mod show;

pub use shelf::listing;

use std::path::Path;

use clap::Subcommand;

use super::{Chosen, CliError};
use crate::config::Settings;
use crate::plugin::{Catalog, Effect, EffectHost, EffectLimits, PluginError};

/// `vocalhost effect`.
#[derive(Debug, Subcommand)]
pub enum EffectCommand {
    /// Install an effect: a component from anybody, looked at before it is taken.
    Install(install::InstallArguments),
    /// List the installed effects.
    List(list::ListArguments),
    /// Show all there is to know about an installed effect.
    Show(show::ShowArguments),
    /// Have new jobs find an effect again.
    Enable(change::ChangeArguments),
    /// Have new jobs find an effect no more; jobs that were accepted keep it.
    Disable(change::ChangeArguments),
    /// Remove an installed effect; jobs that were accepted keep it.
    Remove(change::ChangeArguments),
    /// Give an effect limits of its own.
    Limit(change::LimitArguments),
    /// Check that a component keeps the rules of the interface.
    Check(check::CheckArguments),
}

/// Runs `vocalhost effect`.
pub fn run(command: EffectCommand) -> Result<(), CliError> {
    match command {
        EffectCommand::Install(arguments) => install::run(&arguments),
        EffectCommand::List(arguments) => list::run(&arguments),
        EffectCommand::Show(arguments) => show::run(&arguments),
        EffectCommand::Enable(arguments) => change::enable(&arguments, true),
        EffectCommand::Disable(arguments) => change::enable(&arguments, false),
        EffectCommand::Remove(arguments) => change::remove(&arguments),
        EffectCommand::Limit(arguments) => change::limit(&arguments),
        EffectCommand::Check(arguments) => check::run(&arguments),
    }
}

/// A host with the settings' limits. The server's cache is used when there is one; looking at effects makes no data
/// folder.
fn host(settings: &Settings) -> Result<EffectHost, PluginError> {
    let cache = settings.effect_cache_path();
    EffectHost::open(cache.is_dir().then_some(cache.as_path()), limits(settings))
}

/// What effects may use.
fn limits(settings: &Settings) -> EffectLimits {
    EffectLimits::of(
        settings.effect_memory_bytes as usize,
        settings.effect_work_per_audio,
    )
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
