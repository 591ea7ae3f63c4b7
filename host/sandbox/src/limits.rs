//! Resource limits of the process, which it can lower but not raise again.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Open files: a worker has some dozens. Each takes kernel memory that is not counted.
const MAX_OPEN_FILES: u64 = 1_024;

/// Processes and threads of the user, of all programs together, since the system counts them so. Far more than workers need, but few enough
/// that the machine can still be used. It does not apply to root.
const MAX_TASKS: u64 = 16_384;

/// Lowers the limits.
pub fn raise(max_file_bytes: Option<u64>) -> Result<String, String> {
    // What a process held in memory is people's sound.
    lower(Resource::Core, 0)?;
    lower(Resource::Nofile, MAX_OPEN_FILES)?;
    lower(Resource::Nproc, MAX_TASKS)?;
    // Memory of the kernel's that sound has no use for.
    lower(Resource::Msgqueue, 0)?;
    if let Some(bytes) = max_file_bytes {
        lower(Resource::Fsize, bytes)?;
    }
    Ok(String::new())
}

/// Lowers a limit to at most `most`; a lower one stays.
fn lower(resource: Resource, most: u64) -> Result<(), String> {
    let now = getrlimit(resource);
    let at_most = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
    let limit = Rlimit {
        current: at_most(now.current),
        maximum: at_most(now.maximum),
    };
    setrlimit(resource, limit).map_err(|error| format!("{resource:?}: {error}"))
}
