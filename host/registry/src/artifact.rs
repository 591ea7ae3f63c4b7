use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::digest::{digest, is_digest};
use super::{PublicKey, RegistryError, SigningKey};

/// The layout of components in registries, as the CNCF's working group defines it and `wkg` writes it: a manifest with one configuration
/// and exactly one layer, the component. `wkg` refuses a second layer and registries keep annotations, so the signature is in two of those.
pub const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
pub const CONFIG: &str = "application/vnd.wasm.config.v0+json";
pub const LAYER: &str = "application/wasm";

/// The annotations with the vendor's key and its signature.
pub const KEY: &str = "vocalhost.effect.key";
pub const SIGNATURE: &str = "vocalhost.effect.signature";

/// A manifest of an artifact.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub schema_version: u8,
    #[serde(default)]
    pub media_type: Option<String>,
    pub config: Piece,
    pub layers: Vec<Piece>,
    #[serde(default)]
    pub annotations: BTreeMap<String, String>,
}

/// A blob that a manifest names by its digest.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Piece {
    pub media_type: String,
    pub digest: String,
    pub size: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// The configuration: what is said about a component beside it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Config {
    pub created: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    pub architecture: String,
    pub os: String,
    pub layer_digests: Vec<String>,
    #[serde(default)]
    pub component: Option<Interface>,
}

/// What a component exports and imports.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Interface {
    pub exports: Vec<String>,
    pub imports: Vec<String>,
    pub target: Option<String>,
}

impl Piece {
    pub fn new(media_type: &str, bytes: &[u8]) -> Self {
        Self {
            media_type: media_type.to_owned(),
            digest: digest(bytes),
            size: bytes.len() as u64,
            annotations: BTreeMap::new(),
        }
    }
}

impl Manifest {
    /// Reads a manifest and holds it to the layout.
    pub fn read(bytes: &[u8]) -> Result<Self, RegistryError> {
        let refuse = |why: String| Err(RegistryError::Layout(why));
        let manifest: Self = match serde_json::from_slice(bytes) {
            Ok(manifest) => manifest,
            Err(error) => return refuse(format!("its manifest cannot be read: {error}")),
        };
        if manifest
            .media_type
            .as_deref()
            .is_some_and(|kind| kind != MANIFEST)
        {
            return refuse(format!("its manifest is none of the kind {MANIFEST}"));
        }
        if manifest.config.media_type != CONFIG {
            return refuse(format!("its configuration is none of the kind {CONFIG}"));
        }
        if manifest.layers.len() != 1 || manifest.layers[0].media_type != LAYER {
            return refuse(format!("it should have one layer, of the kind {LAYER}"));
        }
        if ![&manifest.config, manifest.layer()]
            .iter()
            .all(|piece| is_digest(&piece.digest))
        {
            return refuse("only digests by SHA-256 are known here".to_owned());
        }
        Ok(manifest)
    }

    /// The component's layer.
    pub fn layer(&self) -> &Piece {
        &self.layers[0]
    }

    pub fn sign(&mut self, key: &SigningKey) {
        let signature = key.sign(&self.layer().digest);
        self.annotations
            .insert(KEY.to_owned(), key.public().to_string());
        self.annotations.insert(SIGNATURE.to_owned(), signature);
    }

    /// Who has signed the component. An invalid signature is an error, not `None`.
    pub fn signer(&self) -> Result<Option<PublicKey>, RegistryError> {
        let refuse = |why: &str| Err(RegistryError::Signature(why.to_owned()));
        match (self.annotations.get(KEY), self.annotations.get(SIGNATURE)) {
            (None, None) => Ok(None),
            (Some(key), Some(signature)) => {
                let Ok(key) = key.parse::<PublicKey>() else {
                    return refuse("its key is none");
                };
                if !key.holds(&self.layer().digest, signature) {
                    return refuse("it is not one of the key beside it for this component");
                }
                Ok(Some(key))
            }
            _ => refuse("a key without a signature, or a signature without a key"),
        }
    }
}
