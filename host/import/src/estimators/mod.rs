//! Estimators of pitch as torch has saved them: RMVPE, FCPE and CREPE, made into graphs that are drawn here from our own description of
//! each, with the dimensions that the weights have.

mod crepe;
mod fcpe;
mod recurrent;
mod rmvpe;
mod settings;
#[cfg(test)]
mod tests;
mod whole;

use std::path::Path;

use super::drawing::{DrawFault, Weights};
use super::graphs::{self, Order};
use super::loaded::Loaded;
use super::torch::{Entry, TorchFile};
use super::{ImportError, ImportRequest, Imported};
use vocalhost_model::Kind;

/// Which of them it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Estimator {
    Rmvpe,
    Fcpe,
    Crepe,
}

/// What torch counts besides, for training.
const COUNTED: &str = "num_batches_tracked";

/// The dictionary with the weights of an estimator, if the file has one, and of which.
pub(super) fn weights_in(file: &TorchFile) -> Option<(Estimator, Entry)> {
    let document = file.document();
    let names = |dict| document.members(dict).map(|(name, _)| name);
    let rmvpe = document.weights(|dict| rmvpe::is_one(names(dict)));
    let fcpe = || document.weights(|dict| fcpe::is_one(names(dict)));
    let crepe = || document.weights(|dict| crepe::is_one(names(dict)));
    rmvpe
        .map(|dict| (Estimator::Rmvpe, dict))
        .or_else(|| fcpe().map(|dict| (Estimator::Fcpe, dict)))
        .or_else(|| crepe().map(|dict| (Estimator::Crepe, dict)))
}

/// Makes a package of the checkpoint at `path`, whose weights are in the dictionary `dict`.
pub(super) fn import(
    request: &ImportRequest<'_>,
    (path, mut file): (&Path, TorchFile),
    (estimator, dict): (Estimator, Entry),
) -> Result<Imported, ImportError> {
    request.check_wanted(Kind::F0)?;
    let bytes = drawn(&mut file, estimator, dict).map_err(|fault| fault.of(path))?;
    drop(file);
    let graph = Loaded::check(path, &bytes, &[])?;
    graphs::import(&Order {
        request,
        graph: &graph,
        more: &[],
        index: None,
        source: None,
        called: &[],
        known: None,
    })
}

fn drawn(file: &mut TorchFile, estimator: Estimator, dict: Entry) -> Result<Vec<u8>, DrawFault> {
    let (what, name) = match estimator {
        Estimator::Rmvpe => (rmvpe::WHAT, "rmvpe"),
        Estimator::Fcpe => (fcpe::WHAT, "fcpe"),
        Estimator::Crepe => (crepe::WHAT, "crepe"),
    };
    let kept = |key: &str| match estimator {
        Estimator::Fcpe => fcpe::name(key),
        _ => (!key.ends_with(COUNTED)).then(|| key.to_owned()),
    };
    let weights = Weights::of((file.document(), dict), file.length(), what, kept)?;
    let network = match estimator {
        Estimator::Rmvpe => rmvpe::draw(file, weights)?,
        Estimator::Fcpe => {
            let normed = settings::is_normed(file.document())?;
            fcpe::draw(file, weights, normed)?
        }
        Estimator::Crepe => crepe::draw(file, weights)?,
    };
    let mut bytes = Vec::new();
    network.write(name, &mut bytes).map_err(DrawFault::Io)?;
    Ok(bytes)
}
