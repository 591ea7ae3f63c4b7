use reqwest::{Method, StatusCode};

use super::artifact::{CONFIG, Config, MANIFEST, Manifest, Piece};
use super::client::{Ask, read};
use super::digest::digest;
use super::{PublicKey, Registry, RegistryError};

/// The largest manifest or configuration, in bytes: the distribution specification has registries support manifests of 4 MiB.
pub(crate) const MAX_MANIFEST: u64 = 4 << 20;
const MAX_CONFIG: u64 = 1 << 20;

/// A component taken from a registry; its bytes have the digest that the manifest names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Its bytes.
    pub component: Vec<u8>,
    /// The digest of the manifest, by which the same component can be taken again.
    pub digest: String,
    /// Who has signed it.
    pub signer: Option<PublicKey>,
}

impl Registry {
    /// Takes the component that the reference names, of at most `most` bytes.
    pub async fn take(&mut self, most: u64) -> Result<Taken, RegistryError> {
        let (manifest, digest) = self
            .manifest()
            .await?
            .ok_or_else(|| RegistryError::Missing(self.reference.to_string()))?;
        let signer = manifest.signer()?;
        if manifest.layer().size > most {
            return Err(RegistryError::TooLarge {
                what: "the component",
                most,
            });
        }
        let config = self
            .piece(&manifest.config, "the configuration", MAX_CONFIG)
            .await?;
        check_config(&config, &manifest)?;
        let component = self.piece(manifest.layer(), "the component", most).await?;
        Ok(Taken {
            component,
            digest,
            signer,
        })
    }

    /// The manifest that the reference names, with its digest, if there is one.
    pub(crate) async fn manifest(&mut self) -> Result<Option<(Manifest, String)>, RegistryError> {
        let Some(pointer) = self.reference.pointer().map(str::to_owned) else {
            return Err(RegistryError::Reference(format!(
                "{} has no version: write one behind it, such as {}:1.0.0",
                self.reference, self.reference
            )));
        };
        let url = self.url(&format!("manifests/{pointer}"))?;
        let ask = Ask {
            accept: Some(MANIFEST),
            ..Ask::new(Method::GET)
        };
        let answer = self.send(&url, &ask).await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        if !answer.status().is_success() {
            return Err(self.refusal(answer).await);
        }
        let bytes = read(answer, "the manifest", MAX_MANIFEST).await?;
        let found = digest(&bytes);
        if let Some(wanted) = self
            .reference
            .digest
            .clone()
            .filter(|wanted| *wanted != found)
        {
            return Err(RegistryError::OtherBytes {
                what: "the manifest",
                wanted,
                found,
            });
        }
        Ok(Some((Manifest::read(&bytes)?, found)))
    }

    async fn piece(
        &mut self,
        piece: &Piece,
        what: &'static str,
        most: u64,
    ) -> Result<Vec<u8>, RegistryError> {
        if piece.size > most {
            return Err(RegistryError::TooLarge { what, most });
        }
        let url = self.url(&format!("blobs/{}", piece.digest))?;
        let answer = self.send(&url, &Ask::new(Method::GET)).await?;
        if !answer.status().is_success() {
            return Err(self.refusal(answer).await);
        }
        let bytes = read(answer, what, piece.size).await?;
        let found = digest(&bytes);
        if found != piece.digest {
            let wanted = piece.digest.clone();
            return Err(RegistryError::OtherBytes {
                what,
                wanted,
                found,
            });
        }
        Ok(bytes)
    }
}

/// Refuses a configuration that is about another component: it would mislead whoever reads it alone.
fn check_config(bytes: &[u8], manifest: &Manifest) -> Result<(), RegistryError> {
    let refuse = |why: String| Err(RegistryError::Layout(why));
    let config: Config = match serde_json::from_slice(bytes) {
        Ok(config) => config,
        Err(error) => {
            return refuse(format!(
                "its configuration ({CONFIG}) cannot be read: {error}"
            ));
        }
    };
    if config.architecture != "wasm" || config.os != "wasip2" {
        return refuse(
            "its configuration is not that of a component (architecture wasm, os wasip2)"
                .to_owned(),
        );
    }
    if config.layer_digests != [manifest.layer().digest.clone()] {
        return refuse("its configuration names another layer".to_owned());
    }
    Ok(())
}
