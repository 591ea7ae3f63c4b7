use std::collections::BTreeMap;

use bytes::Bytes;
use chrono::{SecondsFormat, Utc};
use reqwest::{Method, StatusCode};

use super::artifact::{CONFIG, Config, Interface, LAYER, MANIFEST, Manifest, Piece};
use super::client::Ask;
use super::digest::digest;
use super::{Registry, RegistryError, SigningKey};

/// The annotation that names the file of a layer, for tools that write layers to a folder.
const TITLE: &str = "org.opencontainers.image.title";

/// A component to be published, and what is said about it.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    /// Its bytes.
    pub component: Vec<u8>,
    /// What the file of the component is called.
    pub file_name: String,
    /// Who made it.
    pub author: Option<String>,
    /// The interfaces that it exports.
    pub exports: Vec<String>,
    /// The interfaces that it imports.
    pub imports: Vec<String>,
    /// Annotations of the manifest.
    pub annotations: BTreeMap<String, String>,
}

/// What is in the registry now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The digest of the manifest.
    pub digest: String,
    /// Whether it was not there before.
    pub is_new: bool,
}

impl Registry {
    /// Publishes a component under the reference's tag, signed when there is a key. A tag that stands for another component stays as it is;
    /// for the same component, the signature is replaced where it differs.
    pub async fn publish(
        &mut self,
        contents: &Contents,
        key: Option<&SigningKey>,
    ) -> Result<Published, RegistryError> {
        let config = config_of(contents)?;
        let mut layer = Piece::new(LAYER, &contents.component);
        layer
            .annotations
            .insert(TITLE.to_owned(), contents.file_name.clone());
        let mut manifest = Manifest {
            schema_version: 2,
            media_type: Some(MANIFEST.to_owned()),
            config: Piece::new(CONFIG, &config),
            layers: vec![layer],
            annotations: contents.annotations.clone(),
        };
        if let Some(key) = key {
            manifest.sign(key);
        }
        if let Some((there, digest)) = self.manifest().await? {
            if there.layer().digest != manifest.layer().digest {
                let digest = there.layer().digest.clone();
                return Err(RegistryError::Taken {
                    name: self.reference.to_string(),
                    digest,
                });
            }
            if there.annotations == manifest.annotations {
                return Ok(Published {
                    digest,
                    is_new: false,
                });
            }
        }
        self.put_piece(&manifest.config, Bytes::from(config))
            .await?;
        self.put_piece(manifest.layer(), Bytes::from(contents.component.clone()))
            .await?;
        let digest = self.put_manifest(&manifest).await?;
        Ok(Published {
            digest,
            is_new: true,
        })
    }

    async fn put_piece(&mut self, piece: &Piece, bytes: Bytes) -> Result<(), RegistryError> {
        let there = self.url(&format!("blobs/{}", piece.digest))?;
        let answer = self.send(&there, &Ask::new(Method::HEAD)).await?;
        if answer.status().is_success() {
            return Ok(());
        }
        if answer.status() != StatusCode::NOT_FOUND {
            return Err(self.refusal(answer).await);
        }
        let uploads = self.url("blobs/uploads/")?;
        let begin = Ask {
            content: Some(("application/octet-stream", Bytes::new())),
            ..Ask::new(Method::POST)
        };
        let answer = self.send(&uploads, &begin).await?;
        if answer.status() != StatusCode::ACCEPTED {
            return Err(self.refusal(answer).await);
        }
        let mut upload = self.lead(&answer)?;
        upload
            .query_pairs_mut()
            .append_pair("digest", &piece.digest);
        let put = Ask {
            content: Some(("application/octet-stream", bytes)),
            ..Ask::new(Method::PUT)
        };
        let answer = self.send(&upload, &put).await?;
        if answer.status() != StatusCode::CREATED {
            return Err(self.refusal(answer).await);
        }
        Ok(())
    }

    async fn put_manifest(&mut self, manifest: &Manifest) -> Result<String, RegistryError> {
        let bytes = to_json(manifest)?;
        let wanted = digest(&bytes);
        let tag = self.reference.tag.clone().unwrap_or_else(|| wanted.clone());
        let url = self.url(&format!("manifests/{tag}"))?;
        let put = Ask {
            content: Some((MANIFEST, Bytes::from(bytes))),
            ..Ask::new(Method::PUT)
        };
        let answer = self.send(&url, &put).await?;
        if answer.status() != StatusCode::CREATED {
            return Err(self.refusal(answer).await);
        }
        let found = answer
            .headers()
            .get("docker-content-digest")
            .and_then(|value| value.to_str().ok());
        if let Some(found) = found.filter(|found| *found != wanted) {
            let found = vocalhost_letters::words::plain(found, 100);
            return Err(RegistryError::OtherBytes {
                what: "the manifest that the registry keeps",
                wanted,
                found,
            });
        }
        Ok(wanted)
    }
}

fn config_of(contents: &Contents) -> Result<Vec<u8>, RegistryError> {
    to_json(&Config {
        created: Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true),
        author: contents.author.clone(),
        architecture: "wasm".to_owned(),
        os: "wasip2".to_owned(),
        layer_digests: vec![digest(&contents.component)],
        component: Some(Interface {
            exports: contents.exports.clone(),
            imports: contents.imports.clone(),
            target: None,
        }),
    })
}

fn to_json(value: &impl serde::Serialize) -> Result<Vec<u8>, RegistryError> {
    serde_json::to_vec(value).map_err(|error| RegistryError::Layout(error.to_string()))
}
