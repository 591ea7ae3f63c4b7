//! Temporary folders of commands, which nobody else can read and which an interrupted command deletes.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fs, thread};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use tempfile::{Builder, TempDir};

use super::CliError;

/// Recordings lie there: they are for whoever runs the command.
const MODE: u32 = 0o700;
/// How often the deletion of a folder is tried again: what is still being written gets in its way.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(5);

static BEGUN: LazyLock<Mutex<Begun>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Begun {
    /// Whether signals are waited for.
    is_watched: bool,
    folders: Vec<PathBuf>,
    /// Told of the first interruption, instead of the end of the process.
    ending: Option<Arc<AtomicBool>>,
}

/// A new folder in the system's temporary folder. It is deleted with the value, and when the process is told to end.
pub(super) fn folder() -> Result<TempDir, CliError> {
    let folder = passing_folder()?;
    watch(&mut begun())?;
    Ok(folder)
}

/// The same for commands that see to signals themselves.
pub(super) fn passing_folder() -> Result<TempDir, CliError> {
    let folder = Builder::new()
        .prefix("vocalhost-")
        .permissions(Permissions::from_mode(MODE))
        .tempdir()
        .map_err(failed("cannot make a temporary folder"))?;
    begun().folders.push(folder.path().to_owned());
    Ok(folder)
}

/// From now on the first interruption (Ctrl-C, or being told to end) sets the returned flag, and the command ends by itself; the
/// second ends the process.
pub(super) fn ends_by_itself() -> Result<Arc<AtomicBool>, CliError> {
    let mut begun = begun();
    let ending = begun.ending.get_or_insert_default().clone();
    watch(&mut begun)?;
    Ok(ending)
}

fn begun() -> MutexGuard<'static, Begun> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn watch(begun: &mut Begun) -> Result<(), CliError> {
    if begun.is_watched {
        return Ok(());
    }
    let signals = Signals::new([SIGHUP, SIGINT, SIGTERM]);
    let mut signals = signals.map_err(failed("cannot wait for signals"))?;
    begun.is_watched = true;
    thread::spawn(move || {
        for signal in signals.forever() {
            if !is_first() {
                remove_all();
                // The exit status names the signal, as without this handler.
                let _ended = emulate_default_handler(signal);
            }
        }
    });
    Ok(())
}

/// Whether this is the first interruption, where the command sees to that one itself.
fn is_first() -> bool {
    let begun = begun();
    let ending = begun.ending.as_ref();
    ending.is_some_and(|ending| !ending.swap(true, Ordering::SeqCst))
}

fn remove_all() {
    for folder in &begun().folders {
        for _ in 0..TRIES {
            if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
                break;
            }
            thread::sleep(PAUSE);
        }
    }
}

fn failed(what: &'static str) -> impl FnOnce(io::Error) -> CliError {
    move |source| CliError::System { what, source }
}
