//! `vocalhost train`: a voice of one's own, here and now.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::here::{check_place, check_recording, find_voice};
use super::models::library::with_library;
use super::models::made::Made;
use super::models::taking::{owner, say_where, take_in};
use super::output::print_json;
use super::progress::Progress;
use super::{Chosen, CliError, database, keys, scratch, warnings};
use vocalhost_audio::AudioLimits;
use vocalhost_config::Settings;
use vocalhost_job::{By, CleanStep, Consent, JobResult, Preset, TrainingSpec, TrainingStep};
use vocalhost_model::{Catalog, Family, Runtime, has_id_letters, is_tag, is_title, title_rule};
use vocalhost_pipeline::{
    PipelineError, Recording, Train, TrainingReport, is_checkpoint, protected_recordings, train,
};
use vocalhost_store::Store;
use vocalhost_work::worker::WorkerSeparators;
use vocalhost_work::worker::import::Answers;

/// `vocalhost train`.
#[derive(Debug, Args)]
pub struct TrainArguments {
    /// Recordings of one voice: wav, mp3, flac or webm; half a minute of sound in all is needed, a minute or more is good.
    #[arg(value_name = "RECORDING", required = true)]
    recordings: Vec<PathBuf>,
    /// The title of the new voice.
    #[arg(long, value_parser = title)]
    title: String,
    /// A tag of the voice; may be repeated.
    #[arg(long = "tag", value_name = "TAG", value_parser = tag)]
    tags: Vec<String>,
    /// The voice to start from: its number, title or package id, the folder of a package, or auto for the nearest of the model folders.
    #[arg(long, value_name = "VOICE", default_value = "auto")]
    base: String,
    /// How long it learns: quick (100 steps), standard (300) or long (1000).
    #[arg(long, default_value = "quick", value_parser = preset)]
    preset: Preset,
    /// Another seed, another order in which it learns.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The recordings are songs: the voice is what is sung in them.
    #[arg(long)]
    isolate_vocals: bool,
    /// What to take out of the recordings first: lead (the voices behind it), dereverb, deecho, denoise; a list with commas.
    #[arg(long, value_name = "STEPS", value_delimiter = ',', value_parser = step)]
    clean: Vec<CleanStep>,
    /// Who agreed to what `vocalhost train` declares about the voice: self, owner-agreed or licence. Without it the declaration is
    /// printed and nothing is trained.
    #[arg(long, value_parser = consent)]
    consent: Option<By>,
    /// Whose voice it is; kept in the package.
    #[arg(long, value_name = "WHO")]
    name: Option<String>,
    /// Where the package goes, a folder that is not there yet; without it the voice goes into the library of the data folder.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// The voice in the library is this user's alone; everybody's without it.
    #[arg(long, value_name = "NAME", value_parser = keys::user_name, conflicts_with = "out")]
    user: Option<String>,
    /// Where it stands every minute; a training that was broken off goes on from there.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Threads that look at the recordings, 1 to 64; it learns on one.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: u8,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

fn title(text: &str) -> Result<String, String> {
    let text = text.trim();
    is_title(text)
        .then(|| text.to_owned())
        .ok_or_else(title_rule)
}

fn tag(text: &str) -> Result<String, String> {
    let is_one = !text.is_empty() && is_tag(text);
    is_one
        .then(|| text.to_owned())
        .ok_or_else(|| "is no tag".to_owned())
}

fn step(word: &str) -> Result<CleanStep, String> {
    let all = CleanStep::ALL.map(CleanStep::as_str);
    let mut steps = CleanStep::ALL.into_iter();
    let found = steps.find(|step| step.as_str().eq_ignore_ascii_case(word.trim()));
    found.ok_or_else(|| format!("must be one of {}", all.join(", ")))
}

fn preset(word: &str) -> Result<Preset, String> {
    let all = Preset::ALL.map(Preset::as_str).join(", ");
    Preset::parse(word).ok_or_else(|| format!("must be one of {all}"))
}

fn consent(word: &str) -> Result<By, String> {
    let all = By::ALL.map(By::as_str).join(", ");
    By::parse(word).ok_or_else(|| format!("must be one of {all}"))
}

/// Trains a voice here and now, without a server.
pub fn run(arguments: &TrainArguments) -> Result<(), CliError> {
    let recordings = recordings(&arguments.recordings)?;
    let Some(by) = arguments.consent else {
        let what = format!(
            "nothing is trained without --consent, which declares:\n{}\nsay who agreed: --consent self, --consent owner-agreed or --consent licence",
            Consent::STATEMENT
        );
        return Err(CliError::Usage(what));
    };
    if let Some(out) = arguments.out.as_ref().filter(|out| out.exists()) {
        let what = format!("{} is there already: name another place", out.display());
        return Err(CliError::WrongState(what));
    }
    if let Some(checkpoint) = &arguments.checkpoint {
        check_checkpoint(checkpoint)?;
    }
    if let Some(user) = &arguments.user {
        let known = async |store: &Store| database::user_id(store, user).await;
        database::with_existing_store(&arguments.chosen, known)?;
    }
    let settings = arguments.chosen.load()?.settings;
    let scratch = scratch::folder()?;
    let consent = Consent::to_statement(by, arguments.name.clone());
    let made = work(
        arguments,
        &settings,
        (&recordings, &consent),
        scratch.path(),
    )?;
    warnings::warn(&made.warnings, &[]);
    match &arguments.out {
        Some(out) => put(&made, scratch.path(), out, arguments.json),
        None => keep(&made, scratch.path(), arguments, &settings),
    }
}

/// Looks whether a checkpoint can be where it is wanted: it is written over what is there.
fn check_checkpoint(path: &Path) -> Result<(), CliError> {
    check_place(path)?;
    let shown = path.display();
    if path.is_dir() {
        return Err(CliError::WrongState(format!("{shown} is a folder")));
    }
    let is_one =
        !path.exists() || is_checkpoint(path).map_err(CliError::of_file("cannot read", path))?;
    if is_one {
        return Ok(());
    }
    let what = format!("{shown} is no checkpoint and would be written over: name another place");
    Err(CliError::WrongState(what))
}

/// The recordings that are named, looked for before anything is loaded.
fn recordings(paths: &[PathBuf]) -> Result<Vec<Recording>, CliError> {
    if paths.len() > TrainingSpec::MAX_RECORDINGS {
        let what = format!(
            "at most {} recordings, and here are {}",
            TrainingSpec::MAX_RECORDINGS,
            paths.len()
        );
        return Err(CliError::Usage(what));
    }
    let named = paths.iter().map(|path| {
        check_recording(path)?;
        let name = path.file_name().unwrap_or(path.as_os_str());
        Ok(Recording {
            path: path.clone(),
            name: name.to_string_lossy().into_owned(),
        })
    });
    named.collect()
}

/// Trains the voice into the scratch folder.
fn work(
    arguments: &TrainArguments,
    settings: &Settings,
    (recordings, consent): (&[Recording], &Consent),
    scratch: &Path,
) -> Result<JobResult, CliError> {
    let catalog = Catalog::open(&settings.model_folders()).preferring(&settings.voice_parts);
    let (bases, base) = bases(arguments, settings, &catalog, scratch)?;
    let runtime = Runtime::load(settings.onnxruntime.as_deref())?
        .on(settings.provider_choice())
        .keeping(settings.model_memory());
    let package_id = package_id(&arguments.title);
    let wanted = |step: &CleanStep| arguments.clean.contains(step);
    let clean: Vec<CleanStep> = CleanStep::ALL.into_iter().filter(wanted).collect();
    let steps = (arguments.isolate_vocals, &clean[..]);
    let threads = usize::from(arguments.threads);
    let mut separators = WorkerSeparators::new(&settings.separators);
    separators.load_steps(steps, (&runtime, &catalog), threads)?;
    let (isolating, cleaning) = separators.steps(steps, &catalog)?;
    let protected = match settings.protected_voices.as_deref() {
        Some(folder) => protected_recordings(folder).map_err(CliError::of_file(
            "cannot read the protected voices",
            folder,
        ))?,
        None => Vec::new(),
    };
    let job = Train {
        title: &arguments.title,
        tags: &arguments.tags,
        package_id: &package_id,
        base,
        bases: &bases,
        recordings,
        isolating,
        cleaning: &cleaning,
        preset: arguments.preset,
        seed: arguments.seed,
        consent,
        protected: &protected,
        spoken: None,
        checkpoint: arguments
            .checkpoint
            .as_deref()
            .filter(|path| path.is_file()),
        // What another training has learned is not written over.
        goes_on_only: true,
        scratch,
        runtime: &runtime,
        models: &catalog,
        threads,
        limits: AudioLimits {
            max_duration_s: settings.max_duration_s,
        },
        most_minutes: settings.max_training_minutes,
    };
    let mut progress = Progress::new();
    let trained = train(&job, &mut |report| match report {
        TrainingReport::Progress(now) => progress.tell(now.percent / 100.0),
        TrainingReport::Step(step) => progress.say(&shown(step)),
        TrainingReport::Checkpoint(path) => {
            let kept = arguments.checkpoint.as_ref().map(|to| fs::copy(path, to));
            if let Some(Err(error)) = kept {
                progress.say(&format!("the checkpoint cannot be written: {error}"));
            }
            // Nothing else needs it.
            let _ = fs::remove_file(path);
        }
        TrainingReport::Heard { .. } => {}
    });
    drop(progress);
    trained.map_err(in_lines)
}

/// What is in the way of a training, a line each.
fn in_lines(error: PipelineError) -> CliError {
    let findings = match error {
        PipelineError::Unfit(findings) => findings,
        PipelineError::Checkpoint => {
            return CliError::WrongState(format!(
                "{error}; name another place, or delete it to begin anew"
            ));
        }
        error => return error.into(),
    };
    let lines = findings.iter().map(|finding| {
        let kind = if finding.code.is_warning() {
            "to know"
        } else {
            "in the way"
        };
        format!("  {kind}: {}", finding.message)
    });
    let lines: Vec<String> = lines.collect();
    CliError::WrongState(format!(
        "no voice can be trained on this:\n{}",
        lines.join("\n")
    ))
}

fn shown(step: TrainingStep) -> String {
    let held_out = step
        .held_out_loss
        .map(|loss| format!(", {loss:.3} on what is held out"));
    format!(
        "step {} of {}: error {:.3}{}, {:.0} s left",
        step.step,
        step.steps,
        step.loss,
        held_out.unwrap_or_default(),
        step.eta_s
    )
}

/// The voices that it may start from, and which of them if one is named.
fn bases(
    arguments: &TrainArguments,
    settings: &Settings,
    catalog: &Catalog,
    scratch: &Path,
) -> Result<(BTreeMap<i64, PathBuf>, Option<i64>), CliError> {
    if arguments.base != "auto" {
        let folder = find_voice(&arguments.chosen, settings, &arguments.base, scratch)?;
        return Ok((BTreeMap::from([(1, folder)]), Some(1)));
    }
    let ours = catalog.voices().filter(|voice| {
        let manifest = voice.manifest();
        manifest.family == Family::DdspRvc && manifest.blended.is_empty()
    });
    let bases: BTreeMap<i64, PathBuf> = (1..)
        .zip(ours.map(|voice| voice.folder().to_owned()))
        .collect();
    if bases.is_empty() {
        return Err(CliError::Missing(
            "voice to start from in the model folders".to_owned(),
        ));
    }
    Ok((bases, None))
}

/// The id of the package in a folder; in the library the voice gets another.
fn package_id(title: &str) -> String {
    let letters = title.to_lowercase();
    let letters = letters.chars().map(|letter| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '-'
        }
    });
    let id = format!(
        "trained.{}",
        letters.take(60).collect::<String>().trim_matches('-')
    );
    if has_id_letters(&id) && !id.ends_with('.') {
        return id;
    }
    "trained.voice".to_owned()
}

/// Moves the package to where it is wanted.
fn put(made: &JobResult, scratch: &Path, out: &Path, as_json: bool) -> Result<(), CliError> {
    copy(made, scratch, out).map_err(CliError::of_file("cannot write", out))?;
    if as_json {
        print_json(&json!({
            "package": out,
            "from": made.models,
            "warnings": warnings::records(&made.warnings, &[]),
        }));
    } else {
        say_line!("{}", out.display());
    }
    Ok(())
}

fn copy(made: &JobResult, scratch: &Path, out: &Path) -> std::io::Result<()> {
    fs::create_dir_all(out)?;
    for file in &made.files {
        fs::copy(scratch.join(&file.key), out.join(&file.key))?;
    }
    Ok(())
}

/// Takes the package into the library.
fn keep(
    trained: &JobResult,
    scratch: &Path,
    arguments: &TrainArguments,
    settings: &Settings,
) -> Result<(), CliError> {
    let folder = scratch.join("package");
    copy(trained, scratch, &folder).map_err(CliError::of_file("cannot write", &folder))?;
    say_where(settings);
    with_library(&arguments.chosen, async |opened| {
        let owner = owner(&opened.store, arguments.user.as_deref()).await?;
        let answers = Answers {
            title: Some(arguments.title.clone()),
            ..Answers::default()
        };
        let imported = take_in(opened, (vec![folder], answers), owner).await??;
        let made = Made::of(&arguments.chosen, &imported, opened).await?;
        if arguments.json {
            let mut record = made.record;
            record["warnings"] = json!(warnings::records(&trained.warnings, &[]));
            print_json(&record);
        } else {
            made.said.iter().for_each(|line| say_line!("{line}"));
        }
        Ok(())
    })
}
