use super::super::walls;
use super::{WorkerError, WorkerOptions};
use vocalhost_sandbox::Walls;

/// Bytes per second of the largest sound that is ever written (frames, channels, bytes of a sample), doubled.
const MAX_BYTES_PER_S: f64 = 192_000.0 * 8.0 * 4.0 * 2.0;

/// The least that the limit of a file's size is, however short recordings must be: a blend writes models.
const LEAST_LARGEST_FILE: u64 = 8 << 30;

/// What a worker may reach. The files of a job are moved into the worker's own folder.
pub(super) fn walls_of(options: &WorkerOptions) -> Result<Walls, WorkerError> {
    let own = std::env::current_dir().map_err(WorkerError::Folder)?;
    let mut providers = options.providers.providers.iter();
    let on_gpu = providers.any(|provider| provider.is_gpu());
    let largest = (options.max_duration_s * MAX_BYTES_PER_S) as u64;
    let walls = Walls::new()
        .writing(&own)
        .with_devices(on_gpu)
        .largest_file(largest.max(LEAST_LARGEST_FILE));
    let walls = walls::reading_models(walls, &options.models_dirs);
    let walls = walls::reading_library(walls, options.onnxruntime.as_deref());
    // Compiled code is read, not written: other processes run it, too.
    let folders = options.effect_cache.iter().chain(&options.voice_cache);
    Ok(folders.fold(walls, |walls, folder| walls.reading(folder)))
}
