//! The code that a child compiled from a stranger's component, and the little of it that is kept.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::TempDir;

/// A folder that a child compiles into, instead of the cache that all processes read. Deleted on drop.
pub(super) struct Compiled(TempDir);

impl Compiled {
    /// Makes one beside the component, on a disk with room for strangers' files.
    pub(super) fn beside(component: &Path) -> io::Result<Self> {
        let within = component.parent().unwrap_or(component);
        let mut folder = tempfile::Builder::new();
        let private = Permissions::from_mode(0o700);
        let folder = folder.prefix("compiled-").permissions(private);
        Ok(Self(folder.tempdir_in(within)?))
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        self.0.path()
    }

    /// Moves the code of the component with this digest into the cache, and nothing else that the child has left. If this fails, the code
    /// is compiled again where it is needed.
    pub(super) fn keep(self, digest: &str, cache: &Path) {
        if let Err(error) = self.move_into(digest, cache) {
            tracing::warn!(digest, %error, "a compiled effect could not be kept");
        }
    }

    fn move_into(&self, digest: &str, cache: &Path) -> io::Result<()> {
        let own = format!("{digest}-");
        for entry in fs::read_dir(self.folder())? {
            let entry = entry?;
            // A link would lead wherever the child likes.
            let is_its_code = entry.file_type()?.is_file()
                && entry
                    .file_name()
                    .to_str()
                    .is_some_and(|name| name.starts_with(&own));
            if is_its_code {
                bring(&entry.path(), &cache.join(entry.file_name()))?;
            }
        }
        Ok(())
    }
}

/// Moves a file, also to another disk, since a component from the command line may lie on one.
fn bring(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let within = to.parent().unwrap_or(to);
            let mut arriving = tempfile::NamedTempFile::new_in(within)?;
            io::copy(&mut fs::File::open(from)?, &mut arriving)?;
            arriving.as_file().sync_all()?;
            arriving.persist(to)?;
            Ok(())
        }
        moved => moved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_but_the_code_of_the_component() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let cache = place.path().join("cache");
        fs::create_dir(&cache).expect("a folder");
        fs::write(cache.join("cd-1.effect"), "right").expect("written");
        let compiled = Compiled::beside(&place.path().join("component")).expect("a folder");
        let own = compiled.folder().to_owned();
        fs::write(own.join("ab-1.effect"), "code").expect("written");
        fs::write(own.join("cd-1.effect"), "another's").expect("written");
        std::os::unix::fs::symlink("/etc/passwd", own.join("ab-2.effect")).expect("a link");
        compiled.keep("ab", &cache);
        let mut names: Vec<_> = fs::read_dir(&cache)
            .expect("it is there")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["ab-1.effect", "cd-1.effect"]);
        let others = fs::read_to_string(cache.join("cd-1.effect")).expect("it is there");
        assert_eq!(others, "right");
        assert!(!own.exists());
    }
}
