//! Entries that are added to the manifest of a package after it was made.

use std::fs;

use toml::{Table, Value};

use super::file_names::MANIFEST_NAME;
use super::{Manifest, ModelError, Package};

impl Package {
    /// Records that a voice listens with the content encoder of this id, and with no other.
    pub fn bound_to(self, encoder: &str) -> Result<Self, ModelError> {
        self.amended(|manifest| bind(manifest, encoder))
    }

    /// Records which network a content encoder is.
    pub fn identified_as(self, identity: &str) -> Result<Self, ModelError> {
        self.amended(|manifest| {
            if let Some(Value::Table(content)) = manifest.get_mut("content") {
                content.insert("identity".to_owned(), Value::from(identity));
            }
        })
    }

    /// Records when it was imported, in microseconds since 1970.
    pub fn imported_at(self, us: i64) -> Result<Self, ModelError> {
        self.amended(|manifest| {
            manifest.insert("imported_us".to_owned(), Value::from(us));
        })
    }

    /// Records a digest of what a voice of RVC computes apart from its weights; it tells in advance whether voices can be blended.
    pub fn with_structure(self) -> Result<Self, ModelError> {
        if self.manifest().rvc.is_none() {
            return Ok(self);
        }
        let Some(structure) = self.structure()? else {
            return Ok(self);
        };
        self.amended(|manifest| {
            if let Some(Value::Table(rvc)) = manifest.get_mut("rvc") {
                rvc.insert("structure".to_owned(), Value::from(structure));
            }
        })
    }

    fn amended(self, amend: impl FnOnce(&mut Table)) -> Result<Self, ModelError> {
        let path = self.folder().join(MANIFEST_NAME);
        let fault = |reason: String| ModelError::File {
            path: path.clone(),
            reason,
        };
        let text = fs::read_to_string(&path).map_err(|error| fault(error.to_string()))?;
        let amended = amended(&text, amend).map_err(&fault)?;
        fs::write(&path, amended).map_err(|error| fault(error.to_string()))?;
        Self::open(self.folder())
    }
}

impl Manifest {
    /// The text of a voice's manifest with the content encoder replaced by the one of this id.
    ///
    /// # Errors
    /// When the text is no TOML.
    pub fn rebound(text: &str, encoder: &str) -> Result<String, String> {
        amended(text, |manifest| bind(manifest, encoder))
    }
}

fn bind(manifest: &mut Table, encoder: &str) {
    if let Some(Value::Table(voice)) = manifest.get_mut("voice") {
        voice.insert("content".to_owned(), Value::from(encoder));
    }
}

fn amended(text: &str, amend: impl FnOnce(&mut Table)) -> Result<String, String> {
    let mut manifest: Table = toml::from_str(text).map_err(|error| error.to_string())?;
    amend(&mut manifest);
    toml::to_string(&manifest).map_err(|error| error.to_string())
}
