use std::path::PathBuf;

use super::provider::Provider;

/// What can go wrong with model packages, the inference library and a conversion.
///
/// Packages come from anywhere, so every message about one names the file and, where there is one, the key.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// No inference library was found in any of the places that are searched.
    #[error(
        "the ONNX Runtime library is missing: run the set-up (`cargo xtask serve` does it), or name an existing \
         libonnxruntime.so with the setting `onnxruntime` or the variable ORT_DYLIB_PATH (looked at: {})",
        list(.tried)
    )]
    LibraryMissing {
        /// The places that were looked at, in order.
        tried: Vec<PathBuf>,
    },
    /// A library was found and cannot be used.
    #[error("the ONNX Runtime library {} cannot be used: {reason}", .path.display())]
    LibraryUnusable {
        /// The library.
        path: PathBuf,
        /// What the loader said.
        reason: String,
    },
    /// The manifest is not well formed, or contradicts itself.
    #[error("{}: {key}: {reason}", .path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// The key at fault, dotted, or the line when there is no key.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file of a package is missing, has another size or content than declared, or lies outside the package.
    #[error("{}: {reason}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Two packages have the same id; the first one found stays.
    #[error("{}: id: the package at {} already has the id {id}", .path.display(), .first.display())]
    DuplicateId {
        /// The package that is refused.
        path: PathBuf,
        /// The package that stays.
        first: PathBuf,
        /// The id of both.
        id: String,
    },
    /// A voice needs a package that is not there, or that does not fit.
    #[error("{}: {key}: {reason}", .path.display())]
    Dependency {
        /// The voice's folder.
        path: PathBuf,
        /// The key that names the other package.
        key: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A graph does not load, or its inputs and outputs are not those of the manifest.
    #[error("{}: {reason}", .path.display())]
    Graph {
        /// The graph.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A graph failed while it ran, or answered something else than it promised.
    #[error("model {package} failed: {reason}")]
    Inference {
        /// The package's id.
        package: String,
        /// What the runtime said.
        reason: String,
    },
    /// The library has not got an execution provider, and the settings allow no other.
    #[error("models are to run on {0} alone, and the ONNX Runtime library was built without it")]
    ProviderMissing(Provider),
    /// An execution provider does not work here, and the settings allow no other.
    #[error("models are to run on {provider} alone, which does not work here: {reason}")]
    Provider {
        /// The provider.
        provider: Provider,
        /// What is in the way.
        reason: String,
    },
    /// A graph did most of its work on a provider that the settings do not allow.
    #[error(
        "model {package} ran on {provider}, which the settings do not allow: those they name took too little of it"
    )]
    Elsewhere {
        /// The package's id.
        package: String,
        /// What it ran on.
        provider: Provider,
    },
    /// The spooled source could not be read.
    #[error("cannot read the spooled source: {0}")]
    Source(#[from] std::io::Error),
    /// Whoever takes the converted sound could not go on.
    #[error("the converted sound could not be passed on: {0}")]
    Sink(#[source] Box<dyn std::error::Error + Send + Sync>),
}

fn list(paths: &[PathBuf]) -> String {
    let shown: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    shown.join(", ")
}
