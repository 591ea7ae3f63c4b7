use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use tempfile::{NamedTempFile, TempDir};

use super::CliError;
use super::library::{Opened, look_at_library, with_existing_library};
use super::look::OneModel;
use crate::cli::output::print_json;
use crate::cli::scratch;
use vocalhost_http::zip::{Archive, Entry};
use vocalhost_model::{FileEntry, FileRole, Manifest, Package};
use vocalhost_store::{ModelRecord, StoredPackageFile};
use vocalhost_system::clock;

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
/// its package, the manifest first. A voice goes out as it is today, with the title, tags, picture and demo that it was given
/// since it came.
pub fn run(arguments: &ExportArguments) -> Result<(), CliError> {
    let one = &arguments.model;
    let target = &arguments.target;
    if target.exists() {
        return Err(CliError::Taken(format!("file {}", target.display())));
    }
    let work = async |opened: &Opened| {
        let (content, _fetched) = content_of(opened, one).await?;
        write(&content, target)
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

/// What goes into the archive.
struct Content {
    manifest: String,
    /// The other files by their names in the package.
    files: BTreeMap<String, PathBuf>,
}

/// The content of a model's package; what lies in the file store is fetched first.
async fn content_of(
    opened: &Opened,
    one: &OneModel,
) -> Result<(Content, Option<TempDir>), CliError> {
    let models = opened.library.known();
    let missing = || one.missing();
    let Some(number) = one.number() else {
        let package = models.find(one.id()).ok_or_else(missing)?;
        return Ok((Content::of(package)?, None));
    };
    let voice = opened.store.model(number).await?.ok_or_else(missing)?;
    let fetched = scratch::folder()?;
    let mut content = if let Some(package) = models.find(&voice.package_id) {
        Content::of(package)?
    } else if voice.package.is_empty() {
        return Err(missing());
    } else {
        let folder = fetched.path().join("package");
        fs::create_dir(&folder).map_err(failed("cannot make a temporary folder"))?;
        for file in &voice.package {
            opened
                .files
                .fetch_to(&file.key, &folder.join(&file.name))
                .await?;
        }
        Content::of(&Package::open(&folder)?)?
    };
    let beside = [
        (FileRole::Picture, &voice.picture),
        (FileRole::Demo, &voice.demo),
    ];
    let mut given = Vec::new();
    for (role, file) in beside {
        if let Some(file) = file {
            let path = fetched.path().join(&file.name);
            opened.files.fetch_to(&file.key, &path).await?;
            given.push((role, file, path));
        }
    }
    content.bring_up_to_date(&voice, given)?;
    Ok((content, Some(fetched)))
}

impl Content {
    fn of(package: &Package) -> Result<Self, CliError> {
        package.verify()?;
        let path = |name: &String| (name.clone(), package.folder().join(name));
        let manifest = package.folder().join(Package::MANIFEST_NAME);
        Ok(Self {
            manifest: fs::read_to_string(manifest).map_err(failed("cannot read a manifest"))?,
            files: package.manifest().files.keys().map(path).collect(),
        })
    }

    /// Puts into the manifest what people have changed of the voice since, and files that go before the package's.
    fn bring_up_to_date(
        &mut self,
        voice: &ModelRecord,
        given: Vec<(FileRole, &StoredPackageFile, PathBuf)>,
    ) -> Result<(), CliError> {
        let path = Path::new(Package::MANIFEST_NAME);
        let mut manifest = Manifest::parse(path, &self.manifest)?;
        let facts = manifest.voice.as_ref();
        let is_as_it_was = manifest.name == voice.title
            && facts.is_none_or(|facts| facts.tags == voice.tags)
            && given.is_empty();
        if is_as_it_was {
            return Ok(());
        }
        manifest.rename(&voice.title, Some(&voice.tags));
        for (role, file, path) in given {
            manifest.files.retain(|_, entry| entry.role != role);
            let entry = FileEntry {
                role,
                sha256: file.sha256.clone(),
                bytes: file.bytes,
            };
            manifest.files.insert(file.name.clone(), entry);
            self.files.insert(file.name.clone(), path);
        }
        self.files
            .retain(|name, _| manifest.files.contains_key(name));
        let unwritten = |error: toml::ser::Error| io::Error::other(error);
        self.manifest = toml::to_string(&manifest)
            .map_err(unwritten)
            .map_err(failed("cannot write the manifest"))?;
        Ok(())
    }
}

fn write(content: &Content, target: &Path) -> Result<u64, CliError> {
    let parent = target
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or_else(|| Path::new("."));
    if !parent.is_dir() {
        return Err(CliError::Missing(format!("folder {}", parent.display())));
    }
    let written = || {
        // Under its name once it is whole.
        let file = NamedTempFile::new_in(parent);
        // Its name is of no use to anybody.
        let file = file.map_err(|error| io::Error::from(error.kind()))?;
        let bytes = pack(content, file.as_file())?;
        file.persist_noclobber(target)
            .map_err(|error| error.error)?;
        Ok(bytes)
    };
    written().map_err(|error: io::Error| {
        CliError::WrongState(format!("cannot write {}: {error}", target.display()))
    })
}

fn pack(content: &Content, target: &File) -> io::Result<u64> {
    let archive = Archive::of_time(clock::now_us());
    let mut output = BufWriter::new(target);
    let mut entries = Vec::new();
    let manifest = content.manifest.as_bytes();
    let entry = Entry {
        name: Package::MANIFEST_NAME.to_owned(),
        bytes: manifest.len() as u64,
        crc: crc32fast::hash(manifest),
    };
    output.write_all(&archive.head_of(&entry))?;
    output.write_all(manifest)?;
    entries.push(entry);
    for (name, path) in &content.files {
        // Twice, because the sum stands before the content.
        let (bytes, crc) = sum_of(path)?;
        let entry = Entry {
            name: name.clone(),
            bytes,
            crc,
        };
        output.write_all(&archive.head_of(&entry))?;
        let copied = io::copy(&mut File::open(path)?.take(bytes), &mut output)?;
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
