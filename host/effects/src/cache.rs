use std::fs::{self, DirBuilder, Permissions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use super::Descriptor;

/// Version of the file format below and of the descriptor's fields in it.
const FORMAT: u32 = 1;
/// Bytes of the checksum at the beginning of a file.
const CHECKSUM_BYTES: usize = 32;
/// Bytes of the descriptor's length after it.
const LENGTH_BYTES: usize = 4;

/// Compiled components on disk, each with its descriptor, so that a warm start neither compiles nor describes.
///
/// A file is called by the component's digest and by a hash over the engine, its settings and the processor; it holds a SHA-256 over the
/// rest, the descriptor's length, the descriptor as JSON, and wasmtime's own format. A file that is damaged or made otherwise counts as
/// absent.
#[derive(Clone)]
pub(super) struct Cache {
    folder: PathBuf,
    engine_hash: u64,
}

/// What the cache keeps of a component.
pub(super) struct Entry {
    pub(super) component: Component,
    pub(super) descriptor: Descriptor,
}

impl Cache {
    /// Uses `folder`, which becomes private to this user.
    pub(super) fn open(folder: &Path, engine: &Engine) -> io::Result<Self> {
        make_private(folder)?;
        let mut hasher = DefaultHasher::new();
        FORMAT.hash(&mut hasher);
        engine.precompile_compatibility_hash().hash(&mut hasher);
        Ok(Self {
            folder: folder.to_owned(),
            engine_hash: hasher.finish(),
        })
    }

    /// The component with this digest, when it is there and whole.
    pub(super) fn read(&self, digest: &str, engine: &Engine) -> Option<Entry> {
        let file = fs::read(self.path(digest)).ok()?;
        let (checksum, content) = file.split_at_checked(CHECKSUM_BYTES)?;
        if Sha256::digest(content)[..] != *checksum {
            tracing::warn!(digest, "a compiled effect is damaged and is compiled anew");
            return None;
        }
        let (length, rest) = content.split_first_chunk::<LENGTH_BYTES>()?;
        let (descriptor, code) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let descriptor = serde_json::from_slice(descriptor).ok()?;
        let component = deserialize(engine, code)?;
        Some(Entry {
            component,
            descriptor,
        })
    }

    /// Keeps a component: written aside and renamed, so that a reader finds all of it or nothing.
    pub(super) fn write(
        &self,
        digest: &str,
        component: &Component,
        descriptor: &Descriptor,
    ) -> io::Result<()> {
        let code = component.serialize().map_err(io::Error::other)?;
        let descriptor = serde_json::to_vec(descriptor)?;
        let mut content = Vec::with_capacity(LENGTH_BYTES + descriptor.len() + code.len());
        content.extend_from_slice(&(descriptor.len() as u32).to_le_bytes());
        content.extend_from_slice(&descriptor);
        content.extend_from_slice(&code);

        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&Sha256::digest(&content))?;
        file.write_all(&content)?;
        file.as_file().sync_all()?;
        file.persist(self.path(digest))?;
        Ok(())
    }

    fn path(&self, digest: &str) -> PathBuf {
        self.folder
            .join(format!("{digest}-{:016x}.effect", self.engine_hash))
    }
}

/// Makes a folder private to this user, and creates it if it is missing.
pub(super) fn make_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    if !is_private(folder)? {
        // Fails when the folder belongs to another user, and such a folder must not be trusted.
        fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Whether the folder is private to this user already: then a process that may change nothing outside its own folder can use it.
fn is_private(folder: &Path) -> io::Result<bool> {
    let facts = fs::metadata(folder)?;
    let own = rustix::process::geteuid().as_raw();
    Ok(facts.uid() == own && facts.mode() & 0o777 == 0o700)
}

#[allow(
    unsafe_code,
    reason = "compiled code cannot be checked, only its origin"
)]
fn deserialize(engine: &Engine, code: &[u8]) -> Option<Component> {
    // SAFETY: the bytes come from `Component::serialize` of this program: the folder is writable by this user alone,
    // the checksum has just been found right, and wasmtime refuses code of another version, engine or processor.
    unsafe { Component::deserialize(engine, code) }.ok()
}
