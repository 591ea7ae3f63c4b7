//! A file of weights, and what its network is: known by the names of the weights.

use std::path::{Path, PathBuf};

use super::drawing::DrawFault;
use super::torch::TorchFile;
use super::{
    ImportError, ImportRequest, Imported, demucs, estimators, hubert, known, rvc, separators,
};
use vocalhost_model::Kind;

/// What was given beside a file of weights.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside<'g> {
    /// An index of FAISS.
    pub(super) index: Option<&'g PathBuf>,
    /// Files of no kind of their own.
    pub(super) data: &'g [PathBuf],
}

/// Makes a package of the file of weights at `path`.
pub(super) fn import(
    request: &ImportRequest<'_>,
    path: &Path,
    beside: Beside<'_>,
) -> Result<Imported, ImportError> {
    let file = TorchFile::open(path).map_err(|error| DrawFault::from(error).of(path))?;
    if let Some(dict) = hubert::weights_in(&file) {
        let config = beside.alone("its config.json")?;
        return hubert::import(request, (path, file), dict, config);
    }
    if let Some(found) = estimators::weights_in(&file) {
        if let Some(more) = beside.index.or(beside.data.first()) {
            let reason = "does not belong to an estimator of pitch, which is one file";
            return Err(refused(more, reason));
        }
        return estimators::import(request, (path, file), found);
    }
    if demucs::is_one(&file) {
        let bag = beside.alone("the .yaml of its bag")?;
        drop(file);
        return demucs::import(request, &[&path.to_owned()], bag);
    }
    if let Some(found) = separators::weights_in(&file) {
        let settings = beside.alone("their settings (.yaml)")?;
        return separators::import(request, (path, file), found, settings);
    }
    if let Some(unknown) = beside.data.first() {
        // What belongs beside another model is not to blame for the model.
        rvc::look(request, path)?;
        let reason = "is of no known kind: beside a checkpoint there may be its index (FAISS)";
        return Err(refused(unknown, reason));
    }
    rvc::import(request, path, beside.index.map(PathBuf::as_path)).map_err(with_what_is_known)
}

/// The refusal of a file with what is known of it by its content, which whoever exports it is going to need.
fn with_what_is_known(error: ImportError) -> ImportError {
    match error {
        ImportError::Refused { file, reason } => match known::checkpoint(&file) {
            Some(known) => refused(&file, &format!("{reason}. It is {known}")),
            None => refused(&file, &reason),
        },
        error => error,
    }
}

/// What weights that are no voice's are for, as far as their names tell, and whether there may be settings for them.
pub(super) fn gives(path: &Path) -> Result<Option<(Kind, bool)>, ImportError> {
    let file = TorchFile::open(path).map_err(|error| DrawFault::from(error).of(path))?;
    let content = hubert::weights_in(&file).map(|_| (Kind::Content, false));
    let pitch = || estimators::weights_in(&file).map(|_| (Kind::F0, false));
    let separator = || {
        if demucs::is_one(&file) {
            return Some((Kind::Separator, false));
        }
        let found = separators::weights_in(&file);
        found.map(|(separator, _)| (Kind::Separator, separator.may_have_settings()))
    };
    Ok(content.or_else(pitch).or_else(separator))
}

impl<'g> Beside<'g> {
    /// What was given beside weights: indexes, and files of no kind of their own.
    pub(super) fn of(indexes: &'g [PathBuf], data: &'g [PathBuf]) -> Self {
        Self {
            index: indexes.first(),
            data,
        }
    }

    /// The one file that may stand beside weights of no voice, which is called `what`.
    pub(super) fn alone(self, what: &str) -> Result<Option<&'g PathBuf>, ImportError> {
        if let Some(index) = self.index {
            return Err(refused(index, "is an index, which only voices have"));
        }
        match self.data {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            [_, more, ..] => Err(refused(
                more,
                &format!(
                    "is of no known kind: beside such weights there may be {what} and nothing else"
                ),
            )),
        }
    }
}

fn refused(file: &Path, reason: &str) -> ImportError {
    ImportError::Refused {
        file: file.to_owned(),
        reason: reason.to_owned(),
    }
}
