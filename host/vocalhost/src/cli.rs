//! The command line: `vocalhost <noun> <verb>`, `--json` on everything that lists or shows, exit status 0, 1 (failed)
//! or 2 (wrong usage). The only place that prints to standard output.

/// Answers on standard output, as `print!` does, but without a panic when nobody reads or the disk is full.
macro_rules! say {
    ($($part:tt)*) => { $crate::cli::output::write(format_args!($($part)*)) };
}

/// The same with the end of the line.
macro_rules! say_line {
    ($($part:tt)*) => { $crate::cli::output::write_line(format_args!($($part)*)) };
}

mod actor;
mod audit;
mod backup;
mod bench;
mod children;
mod chosen;
mod database;
mod doctor;
#[cfg(test)]
mod documented;
mod effect;
mod error;
mod health;
mod help;
mod here;
mod jobs;
mod keys;
mod manual;
mod migrate_store;
mod models;
mod output;
mod pipeline;
mod progress;
mod providers;
mod runtime;
mod scratch;
mod separate;
mod sessions;
mod train;
mod users;
mod warnings;
mod webhooks;

pub use error::CliError;
pub use output::to_its_end;

use std::pin::pin;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use tokio::signal::unix::{SignalKind, signal};

use self::chosen::Chosen;
use self::output::print_json;
use self::runtime::runtime;
use crate::app::{App, supervisor};
use vocalhost_config::LogFormat;
use vocalhost_observe::log::{self, Lines};

/// Self-hosted voice processing: voice models between WebAssembly effects, behind a job API.
#[derive(Debug, Parser)]
#[command(name = "vocalhost", version, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server until it is told to stop (Ctrl-C or SIGTERM).
    Serve(Chosen),
    /// Show the settings in force and where each comes from.
    Config {
        /// As JSON rather than TOML.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        chosen: Chosen,
    },
    /// Make, list, limit, enable, disable and delete users.
    #[command(subcommand, visible_alias = "user")]
    Users(users::UsersCommand),
    /// Make, list, replace and revoke API keys.
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// List and end sign-ins to the console.
    #[command(subcommand, visible_alias = "session")]
    Sessions(sessions::SessionsCommand),
    /// Import models, look at packages and at the voices of all users, export and remove them.
    #[command(subcommand, visible_alias = "model")]
    Models(models::ModelsCommand),
    /// List what models can run on here: the execution providers of the ONNX Runtime library, each tried out.
    Providers(providers::ProvidersArguments),
    /// Look at what a server needs here, and say what is wrong.
    Doctor(doctor::DoctorArguments),
    /// Ask the server of the settings whether it is ready.
    Health(health::HealthArguments),
    /// Look at effects, try them, and write new ones.
    #[command(subcommand, visible_alias = "effects")]
    Effect(effect::EffectCommand),
    /// Save chains of effects under names, look at them and remove them.
    #[command(subcommand, visible_alias = "pipelines")]
    Pipeline(pipeline::PipelineCommand),
    /// Convert a recording to another voice, here and now.
    Convert(here::ConvertArguments),
    /// Convert raw sound from standard input to another voice while it comes, and write it to standard output.
    Live(here::LiveArguments),
    /// Split a recording into its instruments, here and now.
    Split(here::SplitArguments),
    /// Take a recording apart with a separator, here and now.
    Separate(separate::SeparateArguments),
    /// Train a voice from recordings of it, here and now.
    Train(train::TrainArguments),
    /// Measure what this machine does with each kind of job, and say what limits it.
    Bench(bench::BenchArguments),
    /// Look at the jobs of all users, stop them, requeue them, delete them.
    #[command(subcommand, visible_alias = "job")]
    Jobs(jobs::JobsCommand),
    /// Make, list and delete users' webhooks, look at what was delivered, deliver it once more.
    #[command(subcommand, visible_alias = "webhook")]
    Webhooks(webhooks::WebhooksCommand),
    /// Look at what was done, by whom.
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    /// Make a backup of the data folder; the server may be running.
    Backup(backup::BackupArguments),
    /// Put a backup into an empty data folder.
    Restore(backup::RestoreArguments),
    /// Move the database to a server or the files to a bucket, or back; no server may run.
    MigrateStore(migrate_store::MigrateStoreArguments),
    /// Write a script that has a shell complete commands.
    Completions(manual::CompletionsArguments),
    /// Write the pages of the manual, one for each command.
    #[command(hide = true)]
    Manual(manual::ManualArguments),
    /// Do jobs for a server at the other end of the pipes.
    #[command(hide = true)]
    Worker(children::WorkerArguments),
    /// Look at a recording for a server.
    #[command(hide = true)]
    Probe(children::ProbeArguments),
    /// Measure what a recording looks like for a server.
    #[command(hide = true)]
    Portray(children::PortrayArguments),
    /// Make the MP3 that goes along with a file of a result for a server.
    #[command(hide = true)]
    MakeLossy(children::MakeLossyArguments),
    /// Look at a component that is to be installed.
    #[command(hide = true)]
    InspectEffect(children::InspectArguments),
    /// Raise the walls of a child and say which stand.
    #[command(hide = true)]
    CheckWalls,
    /// Look at a model that is to be imported.
    #[command(hide = true)]
    ImportModel(children::ImportArguments),
    /// See what a file is that may be a model.
    #[command(hide = true)]
    GlanceAtModel(children::GlanceArguments),
}

impl Cli {
    /// What the program was called with. Wrong usage ends it here with status 2, and so does a call for help, with 0.
    #[must_use]
    pub fn of_this_process() -> Self {
        let command = help::with_settings_in_their_place(Self::command());
        let found = Self::from_arg_matches(&command.get_matches());
        found.unwrap_or_else(|error| error.exit())
    }
}

/// Runs a command to its end.
pub fn run(cli: Cli) -> Result<(), CliError> {
    match cli.command {
        Command::Serve(chosen) => serve(&chosen),
        Command::Config { json, chosen } => {
            let in_force = chosen.load()?;
            if json {
                print_json(&in_force.to_json());
            } else {
                say!("{}", in_force.to_toml());
            }
            Ok(())
        }
        Command::Users(command) => users::run(&command),
        Command::Jobs(command) => jobs::run(&command),
        Command::Webhooks(command) => webhooks::run(&command),
        Command::Audit(command) => audit::run(&command),
        Command::Backup(arguments) => backup::back_up(&arguments),
        Command::Restore(arguments) => backup::restore(&arguments),
        Command::MigrateStore(arguments) => migrate_store::run(&arguments),
        Command::Keys(command) => keys::run(command),
        Command::Sessions(command) => sessions::run(command),
        Command::Models(command) => models::run(command),
        Command::Providers(arguments) => providers::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Health(arguments) => health::run(&arguments),
        Command::Effect(command) => effect::run(command),
        Command::Pipeline(command) => pipeline::run(command),
        Command::Convert(arguments) => here::convert(&arguments),
        Command::Live(arguments) => here::live(&arguments),
        Command::Split(arguments) => here::split(&arguments),
        Command::Separate(arguments) => separate::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Completions(arguments) => {
            manual::complete(&arguments);
            Ok(())
        }
        Command::Manual(arguments) => manual::write_manual(&arguments),
        Command::Worker(arguments) => children::work(arguments),
        Command::Probe(arguments) => {
            children::look_at_recording(&arguments);
            Ok(())
        }
        Command::Portray(arguments) => {
            children::portray_recording(&arguments);
            Ok(())
        }
        Command::MakeLossy(arguments) => {
            children::make_lossy_file(&arguments);
            Ok(())
        }
        Command::InspectEffect(arguments) => {
            children::look_at_component(arguments);
            Ok(())
        }
        Command::CheckWalls => {
            children::check_walls();
            Ok(())
        }
        Command::ImportModel(arguments) => {
            children::look_at_model(&arguments);
            Ok(())
        }
        Command::GlanceAtModel(arguments) => {
            children::glance_at_model(&arguments);
            Ok(())
        }
    }
}

fn serve(chosen: &Chosen) -> Result<(), CliError> {
    let settings = chosen.load()?.settings;
    let lines = match settings.log_format {
        LogFormat::Text => Lines::Text,
        LogFormat::Json => Lines::Json,
    };
    log::start(&settings.log, lines)?;
    let runtime = runtime()?;
    let was_open = runtime.block_on(async {
        // Before anything that takes time, so that a signal during the start is not lost.
        let mut stop = pin!(stop_signal()?);
        let app = tokio::select! {
            opened = App::open(settings) => opened?,
            () = &mut stop => {
                tracing::info!("told to stop before all was open");
                return Ok::<_, CliError>(false);
            }
        };
        if let Some(key) = app.first_key() {
            say_line!("api key: {key}");
        }
        supervisor::run(app, stop).await;
        Ok(true)
    })?;
    if !was_open {
        // Effects may still be compiling, which nothing interrupts.
        runtime.shutdown_background();
    }
    Ok(())
}

/// Done at the first Ctrl-C or SIGTERM; at the second one the process ends at once.
fn stop_signal() -> Result<impl Future<Output = ()>, CliError> {
    let failed = |source| CliError::System {
        what: "cannot listen for signals",
        source,
    };
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut next = async move || {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    };
    Ok(async move {
        next().await;
        tokio::spawn(async move {
            next().await;
            tracing::warn!("told to stop twice: ending at once");
            std::process::exit(1);
        });
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn settings_are_flags_of_the_same_name() {
        let cli = Cli::try_parse_from(["vocalhost", "serve", "--data-dir", "x", "--workers", "2"]);
        let Command::Serve(chosen) = cli.unwrap().command else {
            panic!("another command");
        };
        let settings = chosen.load().unwrap().settings;
        assert_eq!(settings.data_dir, PathBuf::from("x"));
        assert_eq!(settings.workers, 2);
    }

    #[test]
    fn wrong_usage_has_the_exit_status_2() {
        for wrong in [
            vec!["vocalhost"],
            vec!["vocalhost", "keys"],
            vec!["vocalhost", "serve", "--x"],
        ] {
            assert_eq!(Cli::try_parse_from(wrong).unwrap_err().exit_code(), 2);
        }
    }
}
