use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use vocalhost_catalogues::library::Library;
use vocalhost_config::{LogFormat, Settings};
use vocalhost_system::disk::Reserve;
use vocalhost_work::lossy::LossySettings;
use vocalhost_work::scheduler::{Retention, SchedulerSettings, VoiceFolders};
use vocalhost_work::worker::{SupervisorSettings, WorkerCommand};

/// A worker is replaced after this many jobs, so that nothing that leaks can grow for ever.
const JOBS_PER_WORKER: u32 = 200;

/// A worker loads the inference library and the effects, and may compile those first on a slow machine.
const WORKER_START_LIMIT: Duration = Duration::from_mins(2);

/// The settings of the scheduler; `program` is this one.
pub(super) fn scheduler_settings(
    settings: &Settings,
    program: &Path,
    library: Library,
) -> SchedulerSettings {
    let voice_folders = VoiceFolders::new(move |id| {
        let models = library.known();
        models.find(id).map(|package| package.folder().to_owned())
    });
    SchedulerSettings {
        workers: settings.jobs_at_a_time(),
        queues: settings.kinds(),
        training_workers: settings.training_workers,
        in_turn: gpu_arguments(&settings.gpu_ids),
        supervisor: SupervisorSettings {
            command: worker_command(settings, program),
            memory_bytes: settings.worker_memory_bytes,
            free_bytes: settings.min_free_bytes,
            jobs_per_worker: JOBS_PER_WORKER,
            gives_way: settings.live_workers > 0,
        },
        voice_folders,
        voice_cache: settings.voice_cache_path(),
        voice_cache_bytes: settings.model_cache_bytes,
        scratch_folder: scratch_folder(settings),
        protected_voices: settings.protected_voices.clone(),
        upload_folder: Some(settings.uploads_path()),
        import_folder: Some(settings.imports_path()),
        resumable_folder: Some(settings.resumable_path()),
        effect_cache: Some(settings.effect_cache_path()),
        max_running_per_user: settings.max_running_per_user,
        max_duration_s: settings.max_duration_s,
        job_timeout: Duration::from_secs_f64(settings.job_timeout_s),
        job_timeout_per_audio: settings.job_timeout_per_audio,
        grace_period: Duration::from_secs_f64(settings.grace_period_s),
        lease: Duration::from_secs_f64(settings.lease_s),
        poll: SchedulerSettings::POLL,
        retention: Retention {
            results: Duration::from_secs(settings.result_retention_s),
            inputs: Duration::from_secs(settings.input_retention_s),
            records: Duration::from_secs(settings.record_retention_s),
            audit: Duration::from_secs(settings.audit_retention_s),
        },
    }
}

/// The settings of what makes lossy files: as many at a time as jobs.
pub(super) fn lossy_settings(settings: &Settings, program: &Path) -> LossySettings {
    LossySettings {
        program: program.to_owned(),
        folder: settings.uploads_path(),
        reserve: Reserve::new(&settings.data_dir, settings.min_free_bytes),
        at_a_time: settings.worker_count(),
    }
}

/// What the workers are told of GPUs, one after the other.
fn gpu_arguments(gpu_ids: &[u64]) -> Vec<Vec<OsString>> {
    let of_one = |id: &u64| vec!["--gpu".into(), id.to_string().into()];
    gpu_ids.iter().map(of_one).collect()
}

fn scratch_folder(settings: &Settings) -> PathBuf {
    settings.data_dir.join("scratch")
}

/// How a worker is started: this program with the settings that a worker needs.
fn worker_command(settings: &Settings, program: &Path) -> WorkerCommand {
    let mut arguments: Vec<OsString> = vec!["worker".into()];
    let mut flag = |name: &str, value: OsString| arguments.extend([name.into(), value]);
    for folder in settings.model_folders() {
        flag("--models-dir", folder.into());
    }
    for id in &settings.separators {
        flag("--separator", id.into());
    }
    for id in &settings.voice_parts {
        flag("--voice-part", id.into());
    }
    flag("--effect-cache", settings.effect_cache_path().into());
    flag("--voice-cache", settings.voice_cache_path().into());
    if let Some(library) = &settings.onnxruntime {
        flag("--onnxruntime", library.into());
    }
    for provider in &settings.providers {
        flag("--provider", provider.as_str().into());
    }
    flag(
        "--model-memory-bytes",
        settings.model_memory().to_string().into(),
    );
    flag(
        "--threads",
        settings.threads_per_worker().to_string().into(),
    );
    flag(
        "--effect-memory-bytes",
        settings.effect_memory_bytes.to_string().into(),
    );
    flag(
        "--effect-work-per-audio",
        settings.effect_work_per_audio.to_string().into(),
    );
    flag(
        "--max-duration-s",
        settings.max_duration_s.to_string().into(),
    );
    flag(
        "--max-training-minutes",
        settings.max_training_minutes.to_string().into(),
    );
    flag(
        "--min-free-bytes",
        settings.min_free_bytes.to_string().into(),
    );
    flag("--log", settings.log.clone().into());
    if settings.provider_strict {
        arguments.push("--provider-strict".into());
    }
    if settings.log_format == LogFormat::Json {
        arguments.push("--log-json".into());
    }
    WorkerCommand {
        program: program.to_owned(),
        arguments,
        temporary: scratch_folder(settings),
        start_limit: WORKER_START_LIMIT,
    }
}
