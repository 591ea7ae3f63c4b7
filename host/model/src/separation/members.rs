//! The members of an ensemble, and whether they can be combined.

use super::super::{Manifest, ModelError, Package};
use super::check::residual;
use super::task::Task;

/// The members of an ensemble: separators of its sample rate that are no ensembles themselves, and of its task, or of stems if the task is
/// vocals. `find` gives the package of an id.
pub(crate) fn check_members<'c>(
    package: &Package,
    find: impl Fn(&str) -> Option<&'c Package>,
) -> Result<Vec<&'c Package>, ModelError> {
    let manifest = package.manifest();
    let facts = manifest.ensemble.as_ref();
    let ids = facts.map_or(&[][..], |facts| &facts.members);
    let member = |id: &String| {
        let found = find(id);
        let found =
            found.ok_or_else(|| fault(package, format!("there is no usable package {id}")))?;
        let other = found.manifest();
        let task = |manifest: &Manifest| manifest.separator.map(|facts| facts.task);
        let its_task = task(other).filter(|_| other.ensemble.is_none());
        let its_task =
            its_task.ok_or_else(|| fault(package, format!("{id} is no separator of its own")))?;
        if Some(its_task) != task(manifest) {
            if (Some(Task::Vocals), Task::Stems) != (task(manifest), its_task) {
                return Err(fault(package, format!("{id} has another task")));
            }
            let left = other.stems.as_ref().map(|stems| residual(stems, its_task));
            if left == Some("vocals") {
                let reason = format!("{id} does not estimate the vocals: they are its residual");
                return Err(fault(package, reason));
            }
        }
        let (own, its) = (manifest.audio.sample_rate_hz, other.audio.sample_rate_hz);
        if own != its {
            let reason = format!("{id} works at {its} Hz, the ensemble at {own} Hz");
            return Err(fault(package, reason));
        }
        Ok(found)
    };
    ids.iter().map(member).collect()
}

/// What is wrong with the members that a package names.
pub(super) fn fault(package: &Package, reason: String) -> ModelError {
    ModelError::Dependency {
        path: package.folder().join(Package::MANIFEST_NAME),
        key: "ensemble.members",
        reason,
    }
}
