//! `vocalhost bench`: what this machine does with the jobs of the server.

mod jobs;
mod recording;
mod report;

use std::path::Path;

use clap::Args;

use super::output::print_json;
use super::progress::Progress;
use super::{Chosen, CliError, scratch};
use jobs::{Jobs, Kind};
use report::{Measured, Report};
use vocalhost_config::Settings;
use vocalhost_model::{Provider, ProviderChoice, Runtime};
use vocalhost_system::memory;
use vocalhost_work::worker::WorkerHere;

/// `vocalhost bench`.
#[derive(Debug, Args)]
pub struct BenchArguments {
    /// Seconds of the made recording, 5 to 3600.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(5..=3600))]
    seconds: u32,
    /// Numbers of threads to try, with commas between; one and all cores without it.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: Vec<u8>,
    /// Kinds of job, with commas between; all without it.
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    kinds: Vec<Kind>,
    /// Jobs of each kind that are measured, of which the fastest counts; one more before them loads the models.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=20))]
    runs: u8,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Measures and tells.
pub fn run(arguments: &BenchArguments) -> Result<(), CliError> {
    let settings = arguments.chosen.load()?.settings;
    let system = |source| CliError::System {
        what: "cannot make the recording",
        source,
    };
    let folder = scratch::folder()?;
    let song = folder.path().join("song.wav");
    recording::write(&song, f64::from(arguments.seconds))
        .map_err(|error| system(std::io::Error::other(error)))?;
    let jobs = Jobs::new(&arguments.chosen, &settings)?;
    let kinds = if arguments.kinds.is_empty() {
        Kind::ALL.to_vec()
    } else {
        arguments.kinds.clone()
    };
    let threads = threads_to_try(&arguments.threads);
    let providers = providers_here(&settings)?;
    let mut report = Report::new(&settings, arguments.seconds);
    let mut progress = Progress::new();
    let steps = providers.len() * threads.len() * kinds.len();
    let mut done = 0;
    for provider in &providers {
        for threads in &threads {
            let options = super::here::options(
                &settings,
                ProviderChoice {
                    providers: vec![*provider],
                    ..settings.provider_choice()
                },
                usize::from(*threads),
            );
            let mut worker = WorkerHere::open(&options)?;
            for kind in &kinds {
                for run in 0..=arguments.runs {
                    if let Some(measured) = measure(&mut worker, &jobs, (*kind, &song))?
                        && run > 0
                    {
                        report.add((*kind, *provider, *threads), measured);
                    }
                }
                done += 1;
                progress.tell(f64::from(done) / steps as f64);
            }
        }
    }
    drop(progress);
    if report.is_empty() {
        let folders = super::here::model_folders(&settings);
        let what = format!("voice to measure with in {folders}");
        return Err(CliError::Missing(what));
    }
    if arguments.json {
        print_json(&report.to_json());
    } else {
        say!("{}", report.to_text());
    }
    Ok(())
}

/// Does a job and says what it took; nothing where there are no voices for it.
fn measure(
    worker: &mut WorkerHere,
    jobs: &Jobs,
    (kind, song): (Kind, &Path),
) -> Result<Option<Measured>, CliError> {
    let scratch = scratch::folder()?;
    let Some(order) = jobs.order(kind, song, scratch.path()) else {
        return Ok(None);
    };
    memory::forget_peak();
    let result = worker.perform(&order, &mut |_| {})?;
    Ok(result.timings.map(|timings| Measured {
        timings: *timings,
        provider: result.provider,
        peak_bytes: memory::peak_resident_bytes(),
    }))
}

/// One thread and all cores, where nothing else is asked for.
fn threads_to_try(asked: &[u8]) -> Vec<u8> {
    if !asked.is_empty() {
        return asked.to_vec();
    }
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut threads = vec![1, u8::try_from(cores.min(64)).unwrap_or(64)];
    threads.dedup();
    threads
}

/// The processor, and every GPU that works here.
fn providers_here(settings: &Settings) -> Result<Vec<Provider>, CliError> {
    let runtime = Runtime::load(settings.onnxruntime.as_deref())?.on(ProviderChoice {
        gpu: settings.provider_choice().gpu,
        ..ProviderChoice::default()
    });
    let works = |provider: &Provider| {
        provider.is_gpu() && runtime.offers(*provider) && runtime.try_out(*provider).is_ok()
    };
    let gpus = Provider::ALL.into_iter().filter(works);
    Ok(std::iter::once(Provider::Cpu).chain(gpus).collect())
}
