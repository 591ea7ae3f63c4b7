use std::path::PathBuf;

use clap::Args;

use super::CliError;
use vocalhost_audio::AudioLimits;
use vocalhost_model::{Provider, ProviderChoice};
use vocalhost_observe::log::{self, Lines};
use vocalhost_work::worker::inspect::InspectOptions;
use vocalhost_work::worker::portrait::PortraitFiles;
use vocalhost_work::worker::{
    WorkerOptions, glance, import, inspect, lossy, portrait, probe, run, walls,
};

/// What a server starts a worker with.
#[derive(Debug, Args)]
pub struct WorkerArguments {
    /// Folders of model packages.
    #[arg(long)]
    models_dir: Vec<PathBuf>,
    /// Ids of separator packages that go before newer ones for their task.
    #[arg(long)]
    separator: Vec<String>,
    /// Ids of content encoders and F0 estimators that go before newer ones for voices that name none.
    #[arg(long)]
    voice_part: Vec<String>,
    /// Where compiled effects are kept.
    #[arg(long)]
    effect_cache: Option<PathBuf>,
    /// Where voices of the file store are brought before jobs.
    #[arg(long)]
    voice_cache: Option<PathBuf>,
    /// The ONNX Runtime library.
    #[arg(long)]
    onnxruntime: Option<PathBuf>,
    /// What models run on, in the order of preference.
    #[arg(long, default_value = "cpu")]
    provider: Vec<Provider>,
    /// Fail rather than run models on anything else.
    #[arg(long)]
    provider_strict: bool,
    /// The number of the GPU.
    #[arg(long)]
    gpu: Option<u32>,
    /// Memory that may be held between jobs with models that are loaded.
    #[arg(long, default_value_t = 1 << 30)]
    model_memory_bytes: u64,
    /// Threads of one model run.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Memory that one effect may use.
    #[arg(long, default_value_t = 64 << 20)]
    effect_memory_bytes: usize,
    /// Seconds of work that one effect may take per second of audio.
    #[arg(long, default_value_t = 10.0)]
    effect_work_per_audio: f64,
    /// The longest recording.
    #[arg(long, default_value_t = 7_200.0)]
    max_duration_s: f64,
    /// Minutes of sound that are used of a training's recordings.
    #[arg(long, default_value_t = 20)]
    max_training_minutes: u64,
    /// Bytes that have to stay free on the disk of the scratch folders; 0 is no limit.
    #[arg(long, default_value_t = 0)]
    min_free_bytes: u64,
    /// What is logged.
    #[arg(long, default_value = "info")]
    log: String,
    /// Write the log as JSON.
    #[arg(long)]
    log_json: bool,
}

/// Runs a worker until its server closes the pipes.
pub fn work(arguments: WorkerArguments) -> Result<(), CliError> {
    let lines = if arguments.log_json {
        Lines::Json
    } else {
        Lines::Text
    };
    log::start(&arguments.log, lines)?;
    let options = WorkerOptions {
        models_dirs: arguments.models_dir,
        separators: arguments.separator,
        voice_parts: arguments.voice_part,
        effect_cache: arguments.effect_cache,
        voice_cache: arguments.voice_cache,
        onnxruntime: arguments.onnxruntime,
        providers: ProviderChoice {
            providers: arguments.provider,
            gpu: arguments.gpu,
            strict: arguments.provider_strict,
        },
        model_memory_bytes: arguments.model_memory_bytes,
        threads: arguments.threads,
        effect_memory_bytes: arguments.effect_memory_bytes,
        effect_work_per_audio: arguments.effect_work_per_audio,
        max_duration_s: arguments.max_duration_s,
        max_training_minutes: arguments.max_training_minutes,
        min_free_bytes: arguments.min_free_bytes,
    };
    Ok(run(&options)?)
}

/// What a server starts a probe with.
#[derive(Debug, Args)]
pub struct ProbeArguments {
    /// The recording.
    path: PathBuf,
    /// The longest recording.
    #[arg(long, default_value_t = 7_200.0)]
    max_duration_s: f64,
}

/// Looks at a recording and prints one line of JSON about it.
pub fn look_at_recording(arguments: &ProbeArguments) {
    let limits = AudioLimits {
        max_duration_s: arguments.max_duration_s,
    };
    say_line!("{}", probe::answer(&arguments.path, &limits));
}

/// What a server has a recording portrayed with.
#[derive(Debug, Args)]
pub struct PortrayArguments {
    /// The recording.
    sound: PathBuf,
    /// Where the table of peaks goes.
    peaks: PathBuf,
    /// Where the spectrogram goes.
    spectrogram: PathBuf,
    /// The longest recording.
    #[arg(long, default_value_t = 7_200.0)]
    max_duration_s: f64,
}

/// Measures what a recording looks like, writes two files, and prints one line of JSON.
pub fn portray_recording(arguments: &PortrayArguments) {
    let limits = AudioLimits {
        max_duration_s: arguments.max_duration_s,
    };
    let files = PortraitFiles {
        sound: &arguments.sound,
        peaks: &arguments.peaks,
        spectrogram: &arguments.spectrogram,
    };
    say_line!("{}", portrait::answer(files, &limits));
}

/// What a server has a lossy file made with.
#[derive(Debug, Args)]
pub struct MakeLossyArguments {
    /// The file of the same sound without loss.
    source: PathBuf,
    /// Where the lossy file goes.
    target: PathBuf,
}

/// Makes the MP3 that goes along with a file of a result, and prints one line of JSON.
pub fn make_lossy_file(arguments: &MakeLossyArguments) {
    say_line!("{}", lossy::answer(&arguments.source, &arguments.target));
}

/// What a component is inspected with.
#[derive(Debug, Args)]
pub struct InspectArguments {
    /// The component.
    path: PathBuf,
    /// Where compiled effects are kept.
    #[arg(long)]
    effect_cache: PathBuf,
    /// Memory that the effect may use.
    #[arg(long)]
    effect_memory_bytes: u64,
    /// Seconds of work that it may take per second of audio.
    #[arg(long)]
    effect_work_per_audio: f64,
}

/// Looks at a component and prints one line of JSON about it.
pub fn look_at_component(arguments: InspectArguments) {
    let options = InspectOptions {
        effect_cache: arguments.effect_cache,
        memory_bytes: arguments.effect_memory_bytes,
        work_per_audio: arguments.effect_work_per_audio,
    };
    say_line!("{}", inspect::answer(&arguments.path, &options));
}

/// Raises the walls of a child and prints one line of JSON about them.
pub fn check_walls() {
    say_line!("{}", walls::answer());
}

/// What a model is imported with.
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// The file that says what to do.
    order: PathBuf,
}

/// Makes a package of a model, tries it out, and prints one line of JSON about it.
pub fn look_at_model(arguments: &ImportArguments) {
    say_line!("{}", import::answer(&arguments.order));
}

/// What a file that may be a model is looked at with.
#[derive(Debug, Args)]
pub struct GlanceArguments {
    /// The file.
    file: PathBuf,
    /// Files that may hold its weights.
    beside: Vec<PathBuf>,
}

/// Sees what a file is, and prints one line of JSON about it.
pub fn glance_at_model(arguments: &GlanceArguments) {
    say_line!("{}", glance::answer(&arguments.file, &arguments.beside));
}
