use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use super::here::{check_apart, check_recording};
use super::output::print_json;
use super::progress::Progress;
use super::{Chosen, CliError, scratch, warnings};
use crate::app::check_named;
use vocalhost_audio::AudioLimits;
use vocalhost_model::{Catalog, Package, Runtime, Separator, Task};
use vocalhost_pipeline::{TakeApart, take_apart};

/// `vocalhost separate`.
#[derive(Debug, Args)]
pub struct SeparateArguments {
    /// Recording: wav, mp3, flac or webm.
    #[arg(value_name = "RECORDING")]
    input: PathBuf,
    /// Folder for the stems, a WAV file of 32-bit floats each; made when it is not there.
    #[arg(value_name = "FOLDER")]
    output: PathBuf,
    /// What to separate: vocals (from the backing), stems (vocals, drums, bass, other), lead (of the singing, from its
    /// harmonies and its reverb), karaoke (the lead from music and other voices), dereverb or deecho (what is dry from its
    /// reverb or echo), denoise or crowd (what is clean from noise or from an audience).
    #[arg(long, value_parser = task, default_value = "vocals", conflicts_with = "package")]
    task: Task,
    /// The separator: the id of an installed package, or the folder of one that is not; otherwise the one that jobs of the
    /// task use.
    #[arg(long, value_name = "ID_OR_FOLDER")]
    package: Option<String>,
    /// Pieces to work on side by side, 1 to 64.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: u8,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

fn task(word: &str) -> Result<Task, String> {
    Task::parse(word)
        .ok_or_else(|| format!("must be one of {}", Task::ALL.map(Task::as_str).join(", ")))
}

/// Takes a recording apart here and now, without a server.
pub fn run(arguments: &SeparateArguments) -> Result<(), CliError> {
    let settings = arguments.chosen.load()?.settings;
    let catalog = Catalog::open(&settings.model_folders());
    let stranger;
    let package = match &arguments.package {
        None => {
            check_named(&catalog, &settings.separators).map_err(CliError::Usage)?;
            let found = catalog.separator(arguments.task, &settings.separators);
            let task = arguments.task.as_str();
            found.ok_or_else(|| CliError::Missing(format!("separator for {task}")))?
        }
        Some(name) => match catalog.find(name) {
            Some(package) => package,
            None if PathBuf::from(name).is_dir() => {
                stranger = Package::open(&PathBuf::from(name))?;
                &stranger
            }
            None => return Err(CliError::Missing(format!("package {name}"))),
        },
    };
    check_places(arguments)?;
    let began = Instant::now();
    let runtime = Runtime::load(settings.onnxruntime.as_deref())?.on(settings.provider_choice());
    let threads = usize::from(arguments.threads);
    let separator = Separator::load(&runtime, package, &catalog, threads)?;
    let loading = began.elapsed();
    let stems = separator.estimated().iter().copied();
    for stem in stems.chain([separator.residual()]) {
        check_apart(
            &arguments.input,
            &arguments.output.join(format!("{stem}.wav")),
        )?;
    }
    let scratch = scratch::folder()?;
    let job = TakeApart {
        separator: &separator,
        input: &arguments.input,
        scratch: scratch.path(),
        output: &arguments.output,
        limits: AudioLimits {
            max_duration_s: settings.max_duration_s,
        },
        threads,
    };
    let began = Instant::now();
    let stems = {
        let mut progress = Progress::new();
        take_apart(&job, &mut |share| progress.tell(share))?
    };
    warnings::warn(&stems.warnings, &[]);
    if arguments.json {
        let seconds = |time: Duration| (time.as_secs_f64() * 1e3).round() / 1e3;
        print_json(&json!({
            "separator": package.manifest().id,
            "files": stems.files,
            "warnings": warnings::records(&stems.warnings, &[]),
            "seconds": { "loading": seconds(loading), "separating": seconds(began.elapsed()) },
        }));
        return Ok(());
    }
    for file in stems.files {
        say_line!("{}", file.display());
    }
    Ok(())
}

/// Looks whether there is a recording and whether a folder can be where the stems are to lie, before anything is loaded.
fn check_places(arguments: &SeparateArguments) -> Result<(), CliError> {
    check_recording(&arguments.input)?;
    let output = &arguments.output;
    if output.exists() && !output.is_dir() {
        let what = format!("{} is no folder: name another place", output.display());
        return Err(CliError::WrongState(what));
    }
    Ok(())
}
