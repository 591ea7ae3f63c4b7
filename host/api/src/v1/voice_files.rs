//! The files of voices that clients may see: what they are called in links, and where they lie.

use super::names::extension;
use super::served::{Served, Source};
use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_model::FileRole;
use vocalhost_store::{ModelRecord, StoredPackageFile};

/// A file of a voice's package that clients may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageFile {
    /// Its name in links.
    pub name: String,
    source: Source,
    sha256: String,
    bytes: u64,
}

/// What a link to a voice's file points at: `voice-models/3/picture.png`.
#[must_use]
pub fn voice_target(voice_id: i64, file: &PackageFile) -> String {
    format!("voice-models/{voice_id}/{}", file.name)
}

/// The file that a link to it leads to.
pub async fn served(api: &Api, voice_id: i64, name: &str) -> Result<Option<Served>, Problem> {
    let Some(voice) = api.store.model(voice_id).await? else {
        return Ok(None);
    };
    let roles = [FileRole::Picture, FileRole::Demo];
    let mut files = roles
        .into_iter()
        .filter_map(|role| package_file(api, &voice, role));
    let file = files.find(|file| file.name == name);
    Ok(file.map(|file| Served {
        name: format!("voice-{voice_id}-{}", file.name),
        size_bytes: file.bytes,
        sha256: file.sha256,
        source: file.source,
        inline: true,
    }))
}

/// The file with this role in a voice's package, if it has one.
pub fn package_file(api: &Api, voice: &ModelRecord, role: FileRole) -> Option<PackageFile> {
    let word = match role {
        FileRole::Picture => "picture",
        FileRole::Demo => "demo",
        // Graphs and indices are the voice itself and are not handed out; the others travel with the package.
        FileRole::Graph
        | FileRole::Index
        | FileRole::Card
        | FileRole::Notice
        | FileRole::Metrics => return None,
    };
    let beside = match role {
        FileRole::Picture => &voice.picture,
        _ => &voice.demo,
    };
    if let Some(file) = beside {
        return Some(stored(word, file));
    }
    let models = api.library.known();
    let Some(package) = models.find(&voice.package_id) else {
        return stored_package_file(voice, word);
    };
    let (name, entry) = package.manifest().file(role)?;
    Some(PackageFile {
        name: format!("{word}.{}", extension(name)),
        source: Source::Package(package.file(role)?),
        sha256: entry.sha256.clone(),
        bytes: entry.bytes,
    })
}

/// A file of a package in the file store; its picture and its demo are called so. One that might be a page with scripts, which a
/// browser would run in the name of this server, is not shown: such packages come from anybody.
fn stored_package_file(voice: &ModelRecord, word: &str) -> Option<PackageFile> {
    let called = |name: &str| name.split('.').next() == Some(word) && extension(name) != "svg";
    let file = voice.package.iter().find(|file| called(&file.name))?;
    Some(stored(word, file))
}

fn stored(word: &str, file: &StoredPackageFile) -> PackageFile {
    PackageFile {
        name: format!("{word}.{}", extension(&file.name)),
        source: Source::Stored(file.key.clone()),
        sha256: file.sha256.clone(),
        bytes: file.bytes,
    }
}
