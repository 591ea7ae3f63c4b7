//! Recognising a new content encoder: another export of one that is installed is the same encoder, under the same name.

use vocalhost_import::{Question, Why};
use vocalhost_letters::words::quoted;
use vocalhost_model::{Catalog, Framing, Manifest, ModelError, Package, Runtime, twin};

/// The identity of a content encoder that nobody has named.
const UNKNOWN: &str = "Nobody has said which encoder it is: only voices that nothing else fits listen to it. An answer to `identity`, such as \
     contentvec, says it.";

/// Compares a content encoder with the installed ones, by their weights and by their output for a sound, and says what was found. A
/// question when the given name is not that of the matching encoder.
///
/// # Errors
/// Those of writing its manifest.
pub(super) fn known(
    runtime: &Runtime,
    package: Package,
    models: &Catalog,
    found: &mut Vec<String>,
) -> Result<Result<Package, Question>, ModelError> {
    if !is_of_hubert_kind(package.manifest()) {
        return Ok(Ok(package));
    }
    let own = identity_of(&package);
    // It has been tried out before; if the comparison fails, it is just not mentioned.
    let Some(twin) = twin(runtime, &package, models).ok().flatten() else {
        if own.is_none() {
            found.push(UNKNOWN.to_owned());
        }
        return Ok(Ok(package));
    };
    let id = &twin.package.manifest().id;
    let how = if twin.same_weights {
        format!("It has the weights of the content encoder {id}, which is there already")
    } else {
        format!("It gives what the content encoder {id} gives, which is there already")
    };
    match (own, identity_of(twin.package)) {
        (own, None) => {
            found.push(format!(
                "{how}, and of which nobody has said which encoder it is."
            ));
            if own.is_none() {
                found.push(UNKNOWN.to_owned());
            }
            Ok(Ok(package))
        }
        (None, Some(identity)) => {
            found.push(format!("{how}: so it is the encoder {identity}."));
            Ok(Ok(package.identified_as(&identity)?))
        }
        (Some(own), Some(identity)) if own == identity => {
            found.push(format!("{how}."));
            Ok(Ok(package))
        }
        (Some(own), Some(identity)) => Ok(Err(Question {
            name: "identity".to_owned(),
            why: Why::Wrong,
            text: format!(
                "{} cannot be taken. {how} as the encoder {identity}: one and the same has one name. Where that name is the wrong one, \
                 remove {id} first.",
                quoted(&own)
            ),
            allowed: vec![identity],
        })),
    }
}

/// Whether voices of RVC recognise it by its output: it takes plain sound, and frames it inside.
fn is_of_hubert_kind(manifest: &Manifest) -> bool {
    let content = manifest.content.as_ref();
    content.is_some_and(|content| content.framing == Framing::Inside)
        && manifest.normalize.is_none()
}

fn identity_of(package: &Package) -> Option<String> {
    package.manifest().content.as_ref()?.identity.clone()
}
