//! Models that people already have: looked at by their bytes and tensor names, and made into packages.
//!
//! What is imported is untrusted. This area runs in a child process or on the command line, never in the server.

mod asked;
mod draft;
mod error;
mod faiss;
mod onnx;
mod request;
mod rvc;
mod torch;

use std::path::Path;

pub use error::{ImportError, Question};
pub use request::{Answers, ImportRequest, Imported};

/// Looks at the files of a model and writes a package for it into the empty folder `request.target`.
///
/// # Errors
/// [`ImportError::Missing`] when only a person can know what is left to say, and [`ImportError::Refused`] with the reason
/// when the files are nothing that can be used.
pub fn import(request: &ImportRequest<'_>) -> Result<Imported, ImportError> {
    let files = || request.files.iter().map(std::path::PathBuf::as_path);
    let index = files().find(|file| faiss::is_one(file));
    let checkpoint = files().find(|file| torch::is_one(file));
    if let Some(checkpoint) = checkpoint {
        return rvc::import(request, checkpoint, index);
    }
    let file = files().next().map(Path::to_owned).unwrap_or_default();
    Err(ImportError::Refused {
        file,
        reason: "is of no known kind".to_owned(),
    })
}
