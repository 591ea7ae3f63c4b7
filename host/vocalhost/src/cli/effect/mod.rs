//! `vocalhost effect`: the effects that are installed, and the author's kit.

mod bench;
mod change;
mod check;
pub(super) mod host;
mod index;
mod install;
mod key;
mod list;
mod new;
mod plot;
mod publish;
mod registry;
mod run;
pub(super) mod shelf;
mod show;
mod subject;
mod tuning;
mod wrap;

use clap::Subcommand;

use super::{Chosen, CliError};

pub use shelf::listing;

/// Private writable memory of a command that runs an effect.
const MEMORY_BYTES: u64 = 2 << 30;

/// `vocalhost effect`.
#[derive(Debug, Subcommand)]
pub enum EffectCommand {
    /// Begin an effect: a folder with a small one that works, its tests, and all that it needs of vocalhost.
    New(new::NewArguments),
    /// Make a component of a core module, for languages whose compilers stop there.
    Wrap(wrap::WrapArguments),
    /// Check that a component keeps the rules of the interface.
    Check(check::CheckArguments),
    /// Send a recording through an effect, and draw a picture of before and after.
    Run(run::RunArguments),
    /// Measure how an effect answers, and draw it.
    Plot(plot::PlotArguments),
    /// Measure how fast an effect is.
    Bench(bench::BenchArguments),
    /// Publish an effect in a registry, signed.
    Publish(publish::PublishArguments),
    /// The key that signs what you publish, and the keys that installed effects belong to.
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Write a page, and the same as JSON, that lists the effects in a folder.
    Index(index::IndexArguments),
    /// Install an effect, from a file or a registry: a component from anybody, looked at before it is taken.
    Install(install::InstallArguments),
    /// List the installed effects.
    List(list::ListArguments),
    /// Show all there is to know about an installed effect.
    Show(show::ShowArguments),
    /// Have new jobs find an effect again.
    Enable(change::ChangeArguments),
    /// Have new jobs find an effect no more; jobs that were accepted keep it.
    Disable(change::ChangeArguments),
    /// Give an effect limits of its own.
    Limit(change::LimitArguments),
    /// Remove an installed effect; jobs that were accepted keep it.
    Remove(change::ChangeArguments),
}

/// Runs `vocalhost effect`.
pub fn run(command: EffectCommand) -> Result<(), CliError> {
    match command {
        EffectCommand::Check(_)
        | EffectCommand::Run(_)
        | EffectCommand::Plot(_)
        | EffectCommand::Bench(_)
        | EffectCommand::Publish(_)
        | EffectCommand::Index(_) => limit_memory()?,
        EffectCommand::New(_)
        | EffectCommand::Wrap(_)
        | EffectCommand::Key(_)
        | EffectCommand::Install(_)
        | EffectCommand::List(_)
        | EffectCommand::Show(_)
        | EffectCommand::Enable(_)
        | EffectCommand::Disable(_)
        | EffectCommand::Limit(_)
        | EffectCommand::Remove(_) => {}
    }
    match command {
        EffectCommand::Publish(arguments) => publish::run(&arguments),
        EffectCommand::Key(command) => key::run(&command),
        EffectCommand::Index(arguments) => index::run(&arguments),
        EffectCommand::Install(arguments) => install::run(&arguments),
        EffectCommand::List(arguments) => list::run(&arguments),
        EffectCommand::Show(arguments) => show::run(&arguments),
        EffectCommand::Enable(arguments) => change::enable(&arguments, true),
        EffectCommand::Disable(arguments) => change::enable(&arguments, false),
        EffectCommand::Remove(arguments) => change::remove(&arguments),
        EffectCommand::Limit(arguments) => change::limit(&arguments),
        EffectCommand::Check(arguments) => check::run(&arguments),
        EffectCommand::Run(arguments) => run::run(&arguments),
        EffectCommand::Plot(arguments) => plot::run(&arguments),
        EffectCommand::Bench(arguments) => bench::run(&arguments),
        EffectCommand::New(arguments) => new::run(arguments),
        EffectCommand::Wrap(arguments) => wrap::run(&arguments),
    }
}

/// Bounds what compiling a stranger's component in this process may take: a file made for it would otherwise fill the
/// memory of the machine. A server's own look at a component has the same bound.
fn limit_memory() -> Result<(), CliError> {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let limit = Rlimit {
        current: Some(MEMORY_BYTES),
        maximum: Some(MEMORY_BYTES),
    };
    setrlimit(Resource::Data, limit).map_err(|error| CliError::System {
        what: "cannot limit the memory of this command",
        source: error.into(),
    })
}
