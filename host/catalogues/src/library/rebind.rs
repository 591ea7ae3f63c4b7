use std::io::Write as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::keep::at;
use super::remove::prefix_of;
use super::{Library, LibraryError};
use vocalhost_model::{Manifest, Package};
use vocalhost_store::{Actor, ModelChange, ModelChanged, StoredPackageFile};

impl Library {
    /// Binds an imported voice of RVC to another content encoder, which must be installed and give the vectors that the voice was trained
    /// on. Later jobs use it.
    pub async fn rebind_voice(
        &self,
        id: i64,
        encoder: &str,
        (actor, now_us): (&Actor, i64),
    ) -> Result<ModelChanged, LibraryError> {
        let Some(voice) = self.0.store.model(id).await? else {
            return Ok(ModelChanged::Unknown);
        };
        let unfit = |reason: String| LibraryError::Unbindable { id, reason };
        let is_manifest = |file: &StoredPackageFile| file.name == Package::MANIFEST_NAME;
        let mut package = voice.package.clone();
        let Some(stored) = package.iter_mut().find(|file| is_manifest(file)) else {
            let reason = "its package was not imported but lies in a model folder: name the encoder there, as `content` in the \
                          section [voice] of its package.toml";
            return Err(unfit(reason.to_owned()));
        };
        let old = self.0.files.read(&stored.key).await?;
        let old = String::from_utf8_lossy(&old).into_owned();
        let mut text = Manifest::rebound(&old, encoder).map_err(&unfit)?;
        while text.len() == old.len() {
            // Cached copies of a voice are told apart by the sizes of its files.
            text.push('\n');
        }
        let manifest = Manifest::parse(Path::new(&stored.key), &text)?;
        if manifest.rvc.is_none() {
            return Err(unfit("it is no voice of RVC".to_owned()));
        }
        let models = self.current(now_us).await?;
        let parts = models.parts(&manifest);
        parts.map_err(|missing| unfit(missing.reason))?;
        let sha256 = base16ct::lower::encode_string(&Sha256::digest(&text));
        *stored = StoredPackageFile {
            name: stored.name.clone(),
            key: format!(
                "{}/{sha256}/{}",
                prefix_of(&voice.package_id),
                Package::MANIFEST_NAME
            ),
            bytes: text.len() as u64,
            sha256,
        };
        let key = stored.key.clone();
        let imports = &self.0.settings.imports;
        let written = || {
            std::fs::create_dir_all(imports)?;
            let mut file = tempfile::NamedTempFile::new_in(imports)?;
            file.write_all(text.as_bytes())?;
            Ok(file)
        };
        let file = written().map_err(at(imports))?;
        self.0.files.publish(file.path(), &key).await?;
        let changes = [ModelChange::Rebind(package)];
        let changed = self
            .0
            .store
            .change_model(id, &changes, actor, now_us)
            .await?;
        // Whether it can be used may have changed.
        let fault = self.seen().fault_of_parts(&manifest);
        self.0.store.set_fault(id, fault.as_deref()).await?;
        Ok(changed)
    }
}
