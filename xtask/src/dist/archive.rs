//! Archives that are the same whenever and by whomever they are made: names in order, one time, one owner.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use tar::{EntryType, Header};

/// What is the same of all files of an archive.
pub struct Stamp<'a> {
    /// Their time in seconds since 1970.
    pub time: u64,
    /// The number of the user and group that a file inside belongs to.
    pub owner: &'a dyn Fn(&Path) -> u64,
}

impl Stamp<'_> {
    /// Everything belongs to root.
    pub fn at(time: u64) -> Self {
        Self {
            time,
            owner: &|_| 0,
        }
    }
}

/// Writes `folder` with all that is in it to `archive` (.tar.gz), under the name `under` if one is given.
pub fn write(folder: &Path, under: Option<&str>, archive: &Path, stamp: &Stamp<'_>) -> Result<()> {
    let file =
        File::create(archive).with_context(|| format!("cannot write {}", archive.display()))?;
    let packed = GzEncoder::new(io::BufWriter::new(file), Compression::best());
    let packed = write_tar(folder, under, packed, stamp)?;
    packed.finish()?.flush()?;
    Ok(())
}

/// Writes the same uncompressed.
pub fn write_tar<W: Write>(
    folder: &Path,
    under: Option<&str>,
    to: W,
    stamp: &Stamp<'_>,
) -> Result<W> {
    let mut builder = tar::Builder::new(to);
    if let Some(under) = under {
        append(&mut builder, folder, Path::new(under), stamp)?;
    }
    for path in paths(folder)? {
        let inside = Path::new(under.unwrap_or("")).join(&path);
        append(&mut builder, &folder.join(&path), &inside, stamp)
            .with_context(|| format!("cannot pack {}", path.display()))?;
    }
    Ok(builder.into_inner()?)
}

fn append<W: Write>(
    builder: &mut tar::Builder<W>,
    source: &Path,
    inside: &Path,
    stamp: &Stamp<'_>,
) -> Result<()> {
    let facts = fs::symlink_metadata(source)?;
    let owner = (stamp.owner)(inside);
    let mut header = Header::new_gnu();
    header.set_mtime(stamp.time);
    header.set_uid(owner);
    header.set_gid(owner);
    header.set_size(0);
    if facts.is_symlink() {
        header.set_entry_type(EntryType::Symlink);
        header.set_mode(0o777);
        builder.append_link(&mut header, inside, fs::read_link(source)?)?;
    } else if facts.is_dir() {
        header.set_entry_type(EntryType::Directory);
        // A folder for everybody keeps that.
        let sticky = facts.permissions().mode() & 0o1000;
        header.set_mode(if sticky == 0 { 0o755 } else { 0o1777 });
        builder.append_data(&mut header, inside, io::empty())?;
    } else {
        header.set_size(facts.len());
        // Whether its owner may run it: of permissions, nothing else goes into an archive.
        let may_run = facts.permissions().mode() & 0o100;
        header.set_mode(if may_run == 0 { 0o644 } else { 0o755 });
        builder.append_data(&mut header, inside, File::open(source)?)?;
    }
    Ok(())
}

/// All folders, files and links below `folder`, in the order of their names.
pub fn paths(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    list(folder, Path::new(""), &mut found)?;
    found.sort();
    Ok(found)
}

fn list(folder: &Path, above: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let entry = entry?;
        let path = above.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &path, found)?;
        }
        found.push(path);
    }
    Ok(())
}

/// The SHA-256 of a file in hexadecimal digits.
pub fn sha256(file: &Path) -> Result<String> {
    let mut file = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let count = io::Read::read(&mut file, &mut buffer)?;
        if count == 0 {
            return Ok(base16ct::lower::encode_string(&digest.finalize()));
        }
        digest.update(&buffer[..count]);
    }
}

/// The lines that `sha256sum --check` reads, for every file below `folder` but `but`.
pub fn checksums(folder: &Path, but: &str) -> Result<String> {
    let mut lines = String::new();
    for path in paths(folder)? {
        let file = folder.join(&path);
        if file.is_file() && path != Path::new(but) {
            let line = format!("{}  {}\n", sha256(&file)?, path.display());
            lines.push_str(&line);
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(order: &[&str], mode: u32) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for name in order {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().expect("a parent")).expect("it is made");
            fs::write(&file, name.repeat(1000)).expect("it is written");
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("it is ours");
        }
        folder
    }

    #[test]
    fn the_same_files_make_the_same_archive_whoever_has_made_them_and_when() {
        let names = ["b/two", "a", "b/one", "c/d/e"];
        let one = made(&names, 0o644);
        let other = made(&["c/d/e", "b/one", "b/two", "a"], 0o600);
        let digest = |folder: &tempfile::TempDir, time| {
            let archive = tempfile::NamedTempFile::new().expect("a file");
            write(
                folder.path(),
                Some("release"),
                archive.path(),
                &Stamp::at(time),
            )
            .expect("it is packed");
            sha256(archive.path()).expect("it is there")
        };
        assert_eq!(digest(&one, 7), digest(&other, 7));
        assert_ne!(digest(&one, 7), digest(&other, 8));
        let program = made(&names, 0o755);
        assert_ne!(digest(&one, 7), digest(&program, 7));
    }

    #[test]
    fn an_archive_has_all_in_order_and_belongs_to_root() {
        let folder = made(&["b", "a/x"], 0o711);
        let tar = write_tar(folder.path(), Some("release"), Vec::new(), &Stamp::at(9))
            .expect("it is packed");
        let mut archive = tar::Archive::new(tar.as_slice());
        let entries = archive.entries().expect("it is an archive").map(|entry| {
            let entry = entry.expect("it is whole");
            let header = entry.header();
            assert_eq!(header.uid().expect("a number"), 0);
            assert_eq!(header.mtime().expect("a time"), 9);
            let path = entry.path().expect("a name").display().to_string();
            (path, header.mode().expect("a mode"))
        });
        let wanted = [
            ("release", 0o755),
            ("release/a", 0o755),
            ("release/a/x", 0o755),
            ("release/b", 0o755),
        ];
        let wanted = wanted.map(|(path, mode)| (path.to_owned(), mode));
        assert_eq!(entries.collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn checksums_are_those_of_the_tool() {
        let folder = made(&["a"], 0o644);
        fs::write(folder.path().join("a"), "abc").expect("it is written");
        fs::write(folder.path().join("SHA256SUMS"), "old").expect("it is written");
        assert_eq!(
            checksums(folder.path(), "SHA256SUMS").expect("they are made"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n"
        );
    }
}
