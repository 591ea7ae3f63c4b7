//! Packages as they are, such as another installation has.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use vocalhost_letters::words::quoted;
use vocalhost_model::{
    DEMO_FORMATS, FileEntry, FileRole, Kind, MAX_DEMO_BYTES, MAX_PICTURE_BYTES, Manifest, Package,
    picture_extension,
};

use super::asked::Asked;
use super::loaded::{Loaded, read};
use super::onnx::refuse_random_nodes;
use super::{Answers, ImportError, ImportRequest, Imported, answered};

/// The longest manifest that is read.
pub(super) const MAX_MANIFEST_BYTES: u64 = 256 << 10;

/// Imports a package that is a folder; `None` when the only file is not one.
pub(super) fn from_folder(request: &ImportRequest<'_>) -> Option<Result<Imported, ImportError>> {
    let [folder] = request.files else {
        return None;
    };
    folder.is_dir().then(|| copy_folder(folder, request))
}

fn copy_folder(folder: &Path, request: &ImportRequest<'_>) -> Result<Imported, ImportError> {
    let refused = |reason: String| ImportError::Refused {
        file: folder.to_owned(),
        reason,
    };
    if !folder.join(Package::MANIFEST_NAME).exists() {
        let name = Package::MANIFEST_NAME;
        return Err(refused(format!(
            "is a folder without a package ({name}); give the files of a model by themselves"
        )));
    }
    // Nothing is followed out of the folder: whoever opens a package looks for that.
    let package = Package::open(folder).map_err(|error| refused(error.to_string()))?;
    let folder = package.folder();
    let path = folder.join(Package::MANIFEST_NAME);
    let text = read_manifest(&path, &mut File::open(&path).map_err(at(&path))?)?;
    take_in(request, &text, &mut |name, entry, target| {
        let source = folder.join(name);
        let mut bytes = File::open(&source).map_err(at(&source))?.take(entry.bytes);
        write_new(target, &mut bytes)
    })
}

/// Writes a package with the manifest `text`; `fetch` writes each file that it lists.
pub(super) fn take_in(
    request: &ImportRequest<'_>,
    text: &str,
    fetch: &mut dyn FnMut(&str, &FileEntry, &Path) -> Result<(), ImportError>,
) -> Result<Imported, ImportError> {
    let first = request.files.first().cloned().unwrap_or_default();
    let refused = |reason: String| ImportError::Refused {
        file: first.clone(),
        reason,
    };
    let name = Path::new(Package::MANIFEST_NAME);
    let text = answered(text, request.answers).map_err(&refused)?;
    Asked::new(&request.answers.facts).finish()?;
    let manifest = Manifest::parse(name, &text);
    let manifest = manifest.map_err(|error| {
        answered::fault(error, request.answers, |reason| {
            refused(format!("has a manifest that cannot be used: {reason}"))
        })
    })?;
    request.check_wanted(manifest.kind)?;
    if manifest.kind == Kind::Voice {
        for (name, entry) in &manifest.files {
            if let Some(rule) = stored_name_fault(name, entry.role) {
                return Err(refused(format!("has the file {}; {rule}", quoted(name))));
            }
        }
    }
    for (name, entry) in &manifest.files {
        let target = request.target.join(name);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(at(parent))?;
        }
        fetch(name, entry, &target)?;
        let checked = match entry.role {
            FileRole::Graph => check_graph(&target),
            FileRole::Picture if manifest.kind == Kind::Voice => check_picture(&target),
            FileRole::Demo if manifest.kind == Kind::Voice => check_demo(&target),
            _ => Ok(()),
        };
        checked.map_err(|reason| refused(format!("its file {}: {reason}", quoted(name))))?;
    }
    let path = request.target.join(name);
    fs::write(&path, &text).map_err(at(&path))?;
    Ok(Imported {
        found: vec![format!(
            "A package: {} {}, {}.",
            manifest.id, manifest.version, manifest.name
        )],
        id: manifest.id,
        family: manifest.family,
    })
}

/// Why a file of an imported voice cannot have this name: it will lie in the file store, without folders, and there its picture
/// and its demo are found by their names.
fn stored_name_fault(name: &str, role: FileRole) -> Option<&'static str> {
    if name.contains('/') {
        return Some("the files of a voice that is imported lie in one folder");
    }
    if name.contains('#') || name.contains(char::is_control) {
        return Some("the names of a voice's files have neither # nor control characters");
    }
    let called = name.split('.').next();
    let is_other = |word: &str, own: FileRole| called == Some(word) && role != own;
    (is_other("picture", FileRole::Picture) || is_other("demo", FileRole::Demo))
        .then_some("only its picture and its demo are called so")
}

/// Whether a graph is one that may run here. A package is trusted no more than a graph that comes alone: the inference library
/// would read weights from any file beside it, the server's own among them.
fn check_graph(path: &Path) -> Result<(), String> {
    let said = |error: ImportError| match error {
        ImportError::Refused { reason, .. } => reason,
        other => other.to_string(),
    };
    let bytes = read(path).map_err(said)?;
    let graph = Loaded::check(path, &bytes, &[]).map_err(said)?;
    refuse_random_nodes(&graph.file).map_err(|fault| fault.to_string())
}

/// Whether the picture of a voice is one that a form would accept, under a name with the right extension: it is served by that
/// extension.
fn check_picture(path: &Path) -> Result<(), String> {
    check_size(path, MAX_PICTURE_BYTES)?;
    let kind = picture_extension(path);
    let kind = kind.map_err(|error| error.to_string())?;
    match extension_of(path) {
        Some(said) if kind == said || (kind, &*said) == ("jpg", "jpeg") => Ok(()),
        _ => Err(format!("is a {kind} under a name that does not say so")),
    }
}

/// The same for the demo of a voice.
fn check_demo(path: &Path) -> Result<(), String> {
    check_size(path, MAX_DEMO_BYTES)?;
    let kind = vocalhost_audio::format_of(path).filter(|kind| DEMO_FORMATS.contains(kind));
    match (kind, extension_of(path)) {
        (Some(kind), Some(said)) if kind.as_str() == said => Ok(()),
        _ => Err("is no wav, mp3 or flac under a name that says which".to_owned()),
    }
}

fn check_size(path: &Path, most: u64) -> Result<(), String> {
    let bytes = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if bytes > most {
        return Err(format!("has {bytes} bytes; at most {most} are allowed"));
    }
    Ok(())
}

fn extension_of(path: &Path) -> Option<String> {
    let extension = path.extension()?.to_str()?;
    Some(extension.to_ascii_lowercase())
}

/// The manifest with what a person said in the place of what it says itself.
fn answered(text: &str, answers: &Answers) -> Result<String, String> {
    let mut manifest: toml::Table =
        toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let mut said = [
        ("id", &answers.id),
        ("name", &answers.title),
        ("license", &answers.license),
        ("attribution", &answers.attribution),
        ("trained_on", &answers.trained_on),
        ("consent", &answers.consent),
        ("source_url", &answers.source_url),
    ]
    .into_iter()
    .filter_map(|(key, said)| Some((key, said.clone()?)))
    .peekable();
    if said.peek().is_none() && answers.tags.is_empty() {
        // Comments and order stay as they are.
        return Ok(text.to_owned());
    }
    for (key, value) in said {
        manifest.insert(key.to_owned(), toml::Value::String(value));
    }
    if let Some(toml::Value::Table(voice)) = manifest.get_mut("voice")
        && !answers.tags.is_empty()
    {
        let tags = answers.tags.iter().cloned().map(toml::Value::String);
        voice.insert("tags".to_owned(), toml::Value::Array(tags.collect()));
    }
    toml::to_string(&manifest).map_err(|error| error.to_string())
}

/// Reads a manifest, unless it is longer than any is.
pub(super) fn read_manifest(path: &Path, source: &mut dyn Read) -> Result<String, ImportError> {
    let mut text = String::new();
    let read = source
        .take(MAX_MANIFEST_BYTES + 1)
        .read_to_string(&mut text);
    let refused = |reason: &str| ImportError::Refused {
        file: path.to_owned(),
        reason: reason.to_owned(),
    };
    match read {
        Ok(bytes) if bytes as u64 > MAX_MANIFEST_BYTES => {
            Err(refused("its manifest is longer than 256 KiB"))
        }
        Ok(_) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(refused("its manifest is not UTF-8 text"))
        }
        Err(error) => Err(at(path)(error)),
    }
}

/// Writes a file that is not there yet.
pub(super) fn write_new(target: &Path, source: &mut dyn Read) -> Result<(), ImportError> {
    let mut file = File::create_new(target).map_err(at(target))?;
    io::copy(source, &mut file).map_err(at(target))?;
    Ok(())
}

pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> ImportError {
    let file: PathBuf = path.to_owned();
    move |source| ImportError::Io { file, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocalhost_onnx::testing::Tiny;
    use vocalhost_testing::repository;

    #[test]
    fn the_graphs_that_come_along_may_run() {
        let models = repository("models");
        let mut seen = 0;
        for entry in fs::read_dir(models).expect("a folder") {
            let folder = entry.expect("an entry").path();
            let Ok(package) = Package::open(&folder) else {
                continue;
            };
            // An ensemble has its members'.
            let Some(graph) = package.file(FileRole::Graph) else {
                continue;
            };
            assert_eq!(check_graph(&graph), Ok(()), "{}", graph.display());
            seen += 1;
        }
        assert!(seen > 10, "{seen} packages");
    }

    #[test]
    fn a_graph_that_reaches_for_other_files_or_for_chance_may_not() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("graph.onnx");
        let elsewhere = Tiny::between_x_and_y()
            .weight_in(
                "w",
                &[2],
                &[("location", "url-signing.key"), ("offset", "0")],
            )
            .node("Add", &["x", "w"], "y");
        let by_chance = Tiny::between_x_and_y().node("RandomNormalLike", &["x"], "y");
        for (graph, reason) in [(elsewhere, "url-signing.key"), (by_chance, "Random")] {
            fs::write(&path, graph.bytes()).expect("it can be written");
            // It is there, and still none of the package's.
            fs::write(folder.path().join("url-signing.key"), [0; 8]).expect("it can be written");
            let refused = check_graph(&path).expect_err("it may not run");
            assert!(refused.contains(reason), "{refused}");
        }
    }

    #[test]
    fn a_picture_and_a_demo_are_what_their_names_say() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut wav =
            b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0"
                .to_vec();
        wav.extend(b"data\0\0\0\0");
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x08\0\0\0\x08".as_slice();
        let jpeg = b"\xff\xd8\xff\xc0\0\x0b\x08\0\x08\0\x08\x01".as_slice();
        let wide = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\x80\0\0\0\0\0\0\x08".as_slice();
        let page = b"<html><script>1</script></html>".as_slice();
        let pictures: [(&str, &[u8], bool); 8] = [
            ("picture.png", png, true),
            ("cover.PNG", png, true),
            ("a.jpeg", jpeg, true),
            ("a.jpeg", b"\xff\xd8\xff\xe0", false),
            ("picture.png", wide, false),
            ("picture.html", png, false),
            ("picture.png", page, false),
            ("picture", png, false),
        ];
        let demos = [
            ("demo.wav", &wav[..], true),
            ("demo.mp3", &wav, false),
            ("demo.html", &wav, false),
            ("demo.wav", page, false),
        ];
        let check = |name: &str, bytes: &[u8], of: fn(&Path) -> Result<(), String>| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).expect("it can be written");
            of(&path)
        };
        for (name, bytes, is_fine) in pictures {
            assert_eq!(check(name, bytes, check_picture).is_ok(), is_fine, "{name}");
        }
        for (name, bytes, is_fine) in demos {
            assert_eq!(check(name, bytes, check_demo).is_ok(), is_fine, "{name}");
        }
        let path = folder.path().join("large.png");
        let file = fs::File::create(&path).expect("a file");
        file.set_len(MAX_PICTURE_BYTES + 1).expect("it can grow");
        assert!(
            check_picture(&path)
                .expect_err("it is large")
                .contains("at most")
        );
    }

    #[test]
    fn files_of_a_stored_voice_are_called_so_that_they_are_found_again() {
        for (name, role) in [
            ("decoder.onnx", FileRole::Graph),
            ("picture.webp", FileRole::Picture),
            ("cover.png", FileRole::Picture),
            ("NOTICE-2", FileRole::Notice),
        ] {
            assert_eq!(stored_name_fault(name, role), None, "{name}");
        }
        for (name, role) in [
            ("a/decoder.onnx", FileRole::Graph),
            ("notes#1", FileRole::Notice),
            ("no\u{1}tes", FileRole::Notice),
            ("picture.onnx", FileRole::Graph),
            ("demo", FileRole::Notice),
        ] {
            assert!(stored_name_fault(name, role).is_some(), "{name:?}");
        }
    }
}
