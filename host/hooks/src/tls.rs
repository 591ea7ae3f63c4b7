use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

/// Why encrypted connections cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The file of certificates cannot be used.
    #[error("cannot use the certificates in {file}: {reason}")]
    Certificates {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: String,
    },
    /// The library refuses its own settings.
    #[error("cannot set up TLS: {0}")]
    Library(#[from] rustls::Error),
}

/// Connections that trust the authorities that browsers trust, and those in the PEM file `more`.
pub fn trusting(more: Option<&Path>) -> Result<Arc<ClientConfig>, TlsError> {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    if let Some(file) = more {
        let failed = |reason: String| TlsError::Certificates {
            file: file.to_owned(),
            reason,
        };
        let certificates = CertificateDer::pem_file_iter(file);
        let certificates = certificates.map_err(|error| failed(error.to_string()))?;
        let known = roots.len();
        for certificate in certificates {
            let certificate = certificate.map_err(|error| failed(error.to_string()))?;
            let added = roots.add(certificate);
            added.map_err(|error| failed(error.to_string()))?;
        }
        if roots.len() == known {
            return Err(failed("it holds no certificate (PEM)".to_owned()));
        }
    }
    // The provider is named, because the default one is a global of the process.
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_is_refused() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "a host's name\n").expect("it is written");
        let error = trusting(Some(file.path())).expect_err("nothing is in it");
        assert!(error.to_string().contains("no certificate"), "{error}");
    }
}
