//! Limiting the size of the cache of stored voices.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::workbench::Workbench;
use vocalhost_system::token;

/// How many attempts use each copy. No other process manages the cache.
static IN_USE: Mutex<BTreeMap<PathBuf, usize>> = Mutex::new(BTreeMap::new());

/// The copies that an attempt uses: they stay for as long as this lives.
#[derive(Debug, Default)]
pub(crate) struct VoicesInUse(Vec<PathBuf>);

impl VoicesInUse {
    /// One more, whether it is there already or still to come.
    pub(super) fn take(&mut self, copy: &Path) {
        *in_use().entry(copy.to_owned()).or_insert(0) += 1;
        self.0.push(copy.to_owned());
    }
}

impl Drop for VoicesInUse {
    fn drop(&mut self) {
        let mut in_use = in_use();
        for copy in &self.0 {
            if let Some(count) = in_use.get_mut(copy) {
                *count -= 1;
                if *count == 0 {
                    in_use.remove(copy);
                }
            }
        }
    }
}

fn in_use() -> MutexGuard<'static, BTreeMap<PathBuf, usize>> {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes that a copy was used now. If that fails, the copy is only deleted earlier than it should be.
pub(super) fn used_now(copy: &Path) {
    let noted = File::open(copy).and_then(|folder| folder.set_modified(SystemTime::now()));
    if let Err(error) = noted {
        tracing::debug!(folder = %copy.display(), %error, "cannot note that a voice was used");
    }
}

/// Makes room in the cache for `more` bytes: deletes the least recently used copies, except those that an attempt uses.
pub(super) async fn make_room(bench: &Workbench, more: u64) {
    let (folder, limit) = (
        bench.settings.voice_cache.clone(),
        bench.settings.voice_cache_bytes,
    );
    if limit == 0 {
        return;
    }
    let made = tokio::task::spawn_blocking(move || shrink(&folder, limit.saturating_sub(more)));
    match made.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "cannot make room in the cache of voices"),
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// A copy, or what is on its way to be one.
struct Copy {
    used: SystemTime,
    bytes: u64,
    path: PathBuf,
}

fn shrink(folder: &Path, limit: u64) -> io::Result<()> {
    let mut copies = match look(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        copies => copies?,
    };
    let mut bytes: u64 = copies.iter().map(|copy| copy.bytes).sum();
    copies.sort_by_key(|copy| copy.used);
    for copy in copies {
        if bytes <= limit {
            break;
        }
        if let Some(gone) = put_aside(&copy.path)? {
            fs::remove_dir_all(gone)?;
            bytes -= copy.bytes;
            tracing::info!(folder = %copy.path.display(), bytes = copy.bytes, "let go of the copy of a voice");
        }
    }
    Ok(())
}

fn look(folder: &Path) -> io::Result<Vec<Copy>> {
    let mut copies = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Somebody else may be at work on what is there.
        let Ok(meta) = entry.metadata() else { continue };
        if !meta.is_dir() {
            continue;
        }
        let files = fs::read_dir(entry.path()).into_iter().flatten().flatten();
        let bytes = files.filter_map(|file| Some(file.metadata().ok()?.len()));
        copies.push(Copy {
            used: meta.modified()?,
            bytes: bytes.sum(),
            path: entry.path(),
        });
    }
    Ok(copies)
}

/// Moves a copy out of the cache unless an attempt uses it or it is still being fetched; returns its new place. Meanwhile no attempt can
/// begin to use it.
fn put_aside(copy: &Path) -> io::Result<Option<PathBuf>> {
    let is_coming = copy
        .extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| extension.starts_with("part-"));
    let gone = copy.with_extension(format!("part-{}", token::draw()?));
    let in_use = in_use();
    if is_coming || in_use.contains_key(copy) {
        return Ok(None);
    }
    match fs::rename(copy, &gone) {
        Ok(()) => Ok(Some(gone)),
        // Deleted, with its voice.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A copy of a hundred bytes that was used so many hours ago.
    fn copied(cache: &Path, name: &str, hours: u64) -> PathBuf {
        let copy = cache.join(name);
        fs::create_dir(&copy).expect("a folder");
        fs::write(copy.join("graph.onnx"), [0; 100]).expect("written");
        let used = SystemTime::now() - Duration::from_hours(hours);
        let folder = File::open(&copy).expect("it is there");
        folder.set_modified(used).expect("it can be dated");
        copy
    }

    fn names(cache: &Path) -> Vec<String> {
        let entries = fs::read_dir(cache).expect("it is there");
        let name = |entry: io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> = entries
            .map(|entry| name(entry).to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_used_least_recently_goes_but_nothing_that_an_attempt_has() {
        let cache = tempfile::tempdir().expect("a temporary folder");
        let cache = cache.path();
        let oldest = copied(cache, "import.1", 4);
        copied(cache, "import.2", 3);
        copied(cache, "import.3", 2);
        copied(cache, "job.part-a", 9);
        shrink(cache, 400).expect("there is room");
        assert_eq!(names(cache).len(), 4);
        let (mut one, mut other) = (VoicesInUse::default(), VoicesInUse::default());
        one.take(&oldest);
        other.take(&oldest);
        drop(one);
        shrink(cache, 300).expect("it is made");
        assert_eq!(names(cache), ["import.1", "import.3", "job.part-a"]);
        shrink(cache, 0).expect("as far as it goes");
        assert_eq!(names(cache), ["import.1", "job.part-a"]);
        drop(other);
        copied(cache, "import.4", 1);
        used_now(&oldest);
        shrink(cache, 200).expect("it is made");
        assert_eq!(names(cache), ["import.1", "job.part-a"], "it was used last");
        shrink(&cache.join("not-there"), 0).expect("nothing is there");
    }
}
