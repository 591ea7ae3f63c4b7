#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod answered;
mod archive;
mod asked;
mod checkpoint;
mod demucs;
mod digest;
mod draft;
mod drawing;
mod error;
mod estimators;
mod faiss;
mod given;
mod glance;
mod graphs;
mod hubert;
mod kind;
mod known;
mod loaded;
mod onnx;
mod package;
mod request;
mod rvc;
mod separators;
#[cfg(test)]
mod testing;
mod torch;
mod voice_facts;
mod yaml;
mod zipped;

pub use error::{ImportError, Question, Why};
pub use glance::{Glance, Seen, SettingsOf, glance};
pub use request::{Answers, ImportRequest, Imported};

/// Looks at the files of a model and writes a package for it into the empty folder `request.target`.
///
/// # Errors
/// [`ImportError::Missing`] when something is left that only a person can know, or an answer cannot be right; [`ImportError::Refused`] with
/// the reason when the files cannot be used.
pub fn import(request: &ImportRequest<'_>) -> Result<Imported, ImportError> {
    package::from_folder(request)
        .or_else(|| archive::import(request))
        .or_else(|| zipped::import(request))
        .unwrap_or_else(|| given::import(request))
}
