//! Models that people already have: looked at by their bytes and tensor names, and made into packages.
//!
//! What is imported is untrusted. This area runs in a child process or on the command line, never in the server.

mod archive;
mod error;
mod package;
mod request;

pub use error::{ImportError, Question};
pub use request::{Answers, ImportRequest, Imported};

/// Looks at the files of a model and writes a package for it into the empty folder `request.target`.
///
/// # Errors
/// [`ImportError::Missing`] when only a person can know what is left to say, and [`ImportError::Refused`] with the reason
/// when the files are nothing that can be used.
pub fn import(request: &ImportRequest<'_>) -> Result<Imported, ImportError> {
    if let Some(done) = package::from_folder(request).or_else(|| archive::import(request)) {
        return done;
    }
    let file = request.files.first().cloned().unwrap_or_default();
    Err(ImportError::Refused {
        file,
        reason: "is of no known kind".to_owned(),
    })
}
