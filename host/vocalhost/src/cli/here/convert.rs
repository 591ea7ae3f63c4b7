use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;

use super::job::{order_of, work};
use super::places::{check_apart, check_place, check_recording};
use super::result::{put, tell};
use super::voice::{self, HERE};
use super::wishes::{Wishes, given, refused};
use crate::cli::{CliError, scratch};
use vocalhost_api::v1::here;
use vocalhost_config::Settings;
use vocalhost_job::{ConversionSpec, FileRole, JobResult, JobSpec};
use vocalhost_model::{Catalog, Package};
use vocalhost_work::worker::protocol::WorkOrder;
use vocalhost_work::worker::step_task;

/// `vocalhost convert`.
#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// Recording: wav, mp3, flac or webm.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Result, written over what is there: a file, or a folder that is there for every file of the result. A file gets the whole song
    /// where there is one, else the voice.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The voice: its number, title or package id, or the folder of a package.
    #[arg(long, value_name = "VOICE")]
    voice: String,
    /// Semitones that the pitch is raised by, fractions allowed.
    #[arg(long, value_name = "SEMITONES", allow_hyphen_values = true)]
    pitch: Option<String>,
    /// How much of the model's accent is taken, 0 to 1.
    #[arg(long, value_name = "SHARE")]
    strength: Option<String>,
    /// 0 keeps the recording's dynamics, 1 takes the model's loudness.
    #[arg(long, value_name = "SHARE")]
    volume_mix: Option<String>,
    /// Another seed, other breath.
    #[arg(long)]
    seed: Option<String>,
    /// Take what is sung out of the song, convert that, and put it over the rest again.
    #[arg(long)]
    isolate_vocals: bool,
    /// Take out of the voice first what is in its way, with commas: lead (the voices behind it), dereverb, deecho, denoise.
    #[arg(long, value_name = "STEPS")]
    clean: Option<String>,
    /// A recording that goes under the converted voice.
    #[arg(long, value_name = "FILE", conflicts_with = "isolate_vocals")]
    backing: Option<PathBuf>,
    /// How the pitch is found: auto, pyin or the id of an F0 estimator.
    #[arg(long, value_name = "METHOD")]
    f0_method: Option<String>,
    /// Of voices of RVC: how much retrieval reaches unvoiced frames, 0 to 0.5.
    #[arg(long, value_name = "SHARE")]
    protect: Option<String>,
    /// Of voices of RVC: the number of the speaker.
    #[arg(long, value_name = "NUMBER")]
    speaker: Option<String>,
    /// Whether the voice is shut off where the recording is silent: true or false.
    #[arg(long, value_name = "BOOL")]
    silence_gate: Option<String>,
    #[command(flatten)]
    wishes: Wishes,
}

/// Converts a recording here and now.
pub fn run(arguments: &ConvertArguments) -> Result<(), CliError> {
    let wishes = &arguments.wishes;
    check_recording(&arguments.input)?;
    if let Some(backing) = &arguments.backing {
        check_recording(backing)?;
    }
    let recordings: Vec<&Path> = [Some(&arguments.input), arguments.backing.as_ref()]
        .into_iter()
        .flatten()
        .map(PathBuf::as_path)
        .collect();
    let settings = wishes.chosen.load()?.settings;
    let into_folder = arguments.output.is_dir();
    for recording in &recordings {
        check_apart(recording, &arguments.output)?;
    }
    let format = if into_folder {
        None
    } else {
        check_place(&arguments.output)?;
        wishes.format_for(&arguments.output)?
    };
    let fields = given([
        ("voiceModelId", Some(HERE.to_string())),
        ("pitchShift", arguments.pitch.clone()),
        ("conversionStrength", arguments.strength.clone()),
        ("modelVolumeMix", arguments.volume_mix.clone()),
        ("seed", arguments.seed.clone()),
        (
            "isolateVocals",
            arguments.isolate_vocals.then(|| "true".to_owned()),
        ),
        ("clean", arguments.clean.clone()),
        ("f0Method", arguments.f0_method.clone()),
        ("protect", arguments.protect.clone()),
        ("speakerId", arguments.speaker.clone()),
        ("silenceGate", arguments.silence_gate.clone()),
    ]);
    let fields = [fields, wishes.fields(format)].concat();
    let effects = wishes.effects()?;
    let mut spec = here::conversion(fields, &effects).map_err(|mistakes| refused(&mistakes))?;
    let scratch = scratch::folder()?;
    let voice = voice::find(&wishes.chosen, &settings, &arguments.voice, scratch.path())?;
    voice::check(&voice.folder, &spec)?;
    check_models(&settings, &spec)?;
    spec.successions = voice.succession.into_iter().collect();
    let spec = JobSpec::VoiceConversion(spec);
    let order = WorkOrder {
        backing: arguments.backing.clone(),
        voices: BTreeMap::from([(HERE, voice.folder)]),
        ..order_of(wishes, spec, (&arguments.input, scratch.path()))?
    };
    let result = work(&settings, wishes.threads, &order)?;
    let from = (scratch.path(), &recordings[..]);
    let files = put_files(&result, from, (&arguments.output, into_folder))?;
    tell(wishes, &result, &files);
    Ok(())
}

/// Refuses a way to find the pitch that is not installed, and a step that no installed model can do, before anything is loaded.
fn check_models(settings: &Settings, spec: &ConversionSpec) -> Result<(), CliError> {
    if spec.clean.is_empty() && spec.f0_method.is_none() {
        return Ok(());
    }
    let models = Catalog::open(&settings.model_folders());
    if let Some(method) = &spec.f0_method {
        let estimators = models.packages().iter().map(Package::manifest);
        let estimators = estimators.filter(|manifest| manifest.is_estimator());
        let ids = estimators.map(|manifest| manifest.id.as_str());
        let words: Vec<&str> = ["auto", "pyin"].into_iter().chain(ids).collect();
        if !words.contains(&method.as_str()) {
            let what = format!("--f0-method must be one of {}", words.join(", "));
            return Err(CliError::Usage(what));
        }
    }
    let lacking = spec.clean.iter().find(|step| {
        let task = step_task(**step, &models, &settings.separators);
        models.separator(task, &settings.separators).is_none()
    });
    match lacking {
        None => Ok(()),
        Some(step) => Err(CliError::Missing(format!("model for {}", step.as_str()))),
    }
}

/// Puts the files into their places: the best one under its name, or all into a folder.
fn put_files(
    result: &JobResult,
    from: (&Path, &[&Path]),
    (output, into_folder): (&Path, bool),
) -> Result<Vec<PathBuf>, CliError> {
    let named = |role| result.files.iter().find(|file| file.role == role);
    if !into_folder {
        let whole = named(FileRole::Recombined).or_else(|| named(FileRole::Output));
        let whole = whole.ok_or_else(|| CliError::Missing("result".to_owned()))?;
        put(from, &whole.key, output)?;
        return Ok(vec![output.to_owned()]);
    }
    let roles = [
        FileRole::Output,
        FileRole::Recombined,
        FileRole::Vocal,
        FileRole::Backing,
    ];
    let mut files = Vec::new();
    for file in roles.into_iter().filter_map(named) {
        let target = output.join(&file.key);
        put(from, &file.key, &target)?;
        files.push(target);
    }
    Ok(files)
}
