use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use tempfile::{NamedTempFile, TempDir};

use super::CliError;
use super::library::{Opened, look_at_library, with_existing_library};
use super::look::OneModel;
use crate::api::zip::{Archive, Entry};
use crate::cli::print_json;
use crate::clock;
use crate::model::Package;

/// Pieces in which files are copied.
const PIECE_BYTES: usize = 256 << 10;

/// `vocalhost models export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    #[command(flatten)]
    model: OneModel,
    /// The file to write, by custom with the extension `.vmp`; it must not be there.
    #[arg(value_name = "FILE")]
    target: PathBuf,
}

/// Writes a model to one file that another installation can import: an archive (ZIP, nothing compressed) with the files of
/// its package, the manifest first.
pub fn run(arguments: &ExportArguments) -> Result<(), CliError> {
    let one = &arguments.model;
    let target = &arguments.target;
    if target.exists() {
        return Err(CliError::Taken(format!("file {}", target.display())));
    }
    let work = async |opened: &Opened| {
        let (folder, _fetched) = folder_of(opened, one).await?;
        write(&folder, target)
    };
    let bytes = match one.number() {
        Some(_) => with_existing_library(one.chosen(), work)?,
        None => look_at_library(one.chosen(), work)?,
    };
    if one.is_json() {
        print_json(&json!({ "file": target, "bytes": bytes }));
    } else {
        say_line!("{} ({bytes} bytes)", target.display());
    }
    Ok(())
}

/// The folder of the model's package; that of a voice in the file store is fetched first.
async fn folder_of(
    opened: &Opened,
    one: &OneModel,
) -> Result<(PathBuf, Option<TempDir>), CliError> {
    let models = opened.library.known();
    let missing = || CliError::Missing(format!("usable model {}", one.id()));
    let Some(number) = one.number() else {
        let package = models.find(one.id()).ok_or_else(missing)?;
        return Ok((package.folder().to_owned(), None));
    };
    let voice = opened.store.model(number).await?.ok_or_else(missing)?;
    if let Some(package) = models.find(&voice.package_id) {
        return Ok((package.folder().to_owned(), None));
    }
    if voice.package.is_empty() {
        return Err(missing());
    }
    let fetched = tempfile::tempdir().map_err(failed("cannot make a temporary folder"))?;
    for file in &voice.package {
        let path = fetched.path().join(&file.name);
        opened.files.fetch_to(&file.key, &path).await?;
    }
    Ok((fetched.path().to_owned(), Some(fetched)))
}

fn write(folder: &Path, target: &Path) -> Result<u64, CliError> {
    let package = Package::open(folder)?;
    package.verify()?;
    let parent = target
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    // Under its name once it is whole.
    let file = NamedTempFile::new_in(parent.unwrap_or_else(|| Path::new(".")));
    let file = file.map_err(failed("cannot write the archive"))?;
    let bytes = pack(&package, file.as_file()).map_err(failed("cannot write the archive"))?;
    file.persist_noclobber(target)
        .map_err(|error| failed("cannot write the archive")(error.error))?;
    Ok(bytes)
}

fn pack(package: &Package, target: &File) -> io::Result<u64> {
    let files = package.manifest().files.keys().map(String::as_str);
    let names = [Package::MANIFEST_NAME].into_iter().chain(files);
    let archive = Archive::of_time(clock::now_us());
    let mut output = BufWriter::new(target);
    let mut entries = Vec::new();
    for name in names {
        let path = package.folder().join(name);
        // Twice, because the sum stands before the content.
        let (bytes, crc) = sum_of(&path)?;
        let entry = Entry {
            name: name.to_owned(),
            bytes,
            crc,
        };
        output.write_all(&archive.head_of(&entry))?;
        let copied = io::copy(&mut File::open(&path)?.take(bytes), &mut output)?;
        if copied != bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        entries.push(entry);
    }
    output.write_all(&archive.tail(&entries))?;
    output.flush()?;
    target.sync_all()?;
    Ok(fs::File::metadata(target)?.len())
}

fn sum_of(path: &Path) -> io::Result<(u64, u32)> {
    let mut file = File::open(path)?;
    let mut sum = crc32fast::Hasher::new();
    let mut piece = vec![0; PIECE_BYTES];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            return Ok((bytes, sum.finalize()));
        }
        sum.update(&piece[..read]);
        bytes += read as u64;
    }
}

fn failed(what: &'static str) -> impl FnOnce(io::Error) -> CliError {
    move |source| CliError::System { what, source }
}
