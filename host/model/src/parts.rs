use std::path::PathBuf;

use super::content::output_for;
use super::generation::are_generations;
use super::manifest::{Family, Kind, Manifest};
use super::sections::Framing;
use super::{Catalog, ModelError, Package};

/// What `voice.f0` names for the method without a model.
pub(super) const PYIN: &str = "pyin";

/// The packages that a voice listens with.
#[derive(Debug, Clone, Copy)]
pub struct VoiceParts<'c> {
    /// The content encoder.
    pub content: &'c Package,
    /// The F0 estimator; `None` when the pitch is found without a model, or the voice is told none.
    pub f0: Option<&'c Package>,
}

impl<'c> VoiceParts<'c> {
    /// All of them.
    pub fn packages(self) -> impl Iterator<Item = &'c Package> {
        [Some(self.content), self.f0].into_iter().flatten()
    }
}

/// Why a voice cannot listen: the key of its manifest, and what is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {reason}")]
pub struct MissingPart {
    /// The key of the manifest.
    pub key: &'static str,
    /// What is missing, or does not fit.
    pub reason: String,
}

impl MissingPart {
    /// The error of the voice whose manifest is at `path`.
    pub(super) fn of(self, path: PathBuf) -> ModelError {
        let Self { key, reason } = self;
        ModelError::Dependency { path, key, reason }
    }
}

impl Catalog {
    /// The packages that a voice needs: those that it names, and for a voice of RVC that names none, an encoder that gives
    /// the vectors that it was trained on and the best F0 estimator that is there.
    pub fn parts(&self, voice: &Manifest) -> Result<VoiceParts<'_>, MissingPart> {
        let facts = voice.voice.as_ref().ok_or_else(|| MissingPart {
            key: "kind",
            reason: "is not a voice".to_owned(),
        })?;
        let content = match (&facts.content, voice.family) {
            (Some(id), _) => self.named("voice.content", id, Kind::Content)?,
            (None, _) => self.encoder(voice)?,
        };
        check_width(content, voice)?;
        let told = voice.rvc.as_ref().is_none_or(|rvc| rvc.f0);
        let f0 = match &facts.f0 {
            _ if !told => None,
            Some(id) if id == PYIN => None,
            Some(id) => Some(self.named("voice.f0", id, Kind::F0)?),
            None => self.estimator(),
        };
        Ok(VoiceParts { content, f0 })
    }

    fn named(&self, key: &'static str, id: &str, kind: Kind) -> Result<&Package, MissingPart> {
        let missing = |reason: String| Err(MissingPart { key, reason });
        match self.find_or_successor(id) {
            Some(package) if package.manifest().kind == kind => Ok(package),
            Some(_) => missing(format!("{id} is of another kind")),
            None => missing(format!("there is no usable package {id}")),
        }
    }

    /// An encoder for a voice of RVC, by their rank.
    fn encoder(&self, voice: &Manifest) -> Result<&Package, MissingPart> {
        let fitting = self
            .packages()
            .iter()
            .filter(|package| output_for(package.manifest(), voice).is_some());
        fitting
            .max_by_key(|package| self.rank(package))
            .ok_or_else(|| {
                let (layer, dim) = voice
                    .rvc
                    .as_ref()
                    .map_or((0, 0), |rvc| (rvc.content_layer, rvc.content_dim));
                MissingPart {
                    key: "rvc.content_layer",
                    reason: format!(
                        "no content encoder is installed that gives layer {layer} in {dim} channels (HuBERT base or \
                         ContentVec as ONNX)"
                    ),
                }
            })
    }

    /// An F0 estimator for voices of RVC, by their rank.
    fn estimator(&self) -> Option<&Package> {
        let estimators = self
            .packages()
            .iter()
            .filter(|package| package.manifest().kind == Kind::F0);
        estimators.max_by_key(|package| self.rank(package))
    }

    /// The content encoder or F0 estimator that voices of RVC which name none take rather than `new`, as far as it fits them.
    #[must_use]
    pub fn taken_before(&self, new: &Package) -> Option<&Package> {
        let kind = new.manifest().kind;
        // Encoders that do not say their layer are for other families.
        let competes = |package: &&Package| {
            let content = package.manifest().content.as_ref();
            let is_known = content.is_none_or(|it| it.layer.is_some() || !it.outputs.is_empty());
            package.manifest().kind == kind && is_known
        };
        let others = self.packages().iter().filter(competes);
        let first = others.max_by_key(|package| self.rank(package))?;
        (self.rank(first) >= self.rank(new)).then_some(first)
    }

    /// What goes before what for voices that name none: what is preferred, then estimators whose answer is taken as it is before
    /// those that are repaired or that voices of another family listen with, then the newest, and of those made on one day the one
    /// whose id comes last.
    fn rank<'p>(&self, package: &'p Package) -> (bool, bool, (&'p str, &'p str)) {
        let manifest = package.manifest();
        let is_preferred = self.preferred.contains(&manifest.id);
        let repaired = manifest.f0.as_ref().is_some_and(|f0| f0.repair);
        let others = self.voices().map(Package::manifest);
        let mut others = others.filter(|voice| voice.family != Family::Rvc);
        let of_others = others.any(|voice| {
            let named = voice.voice.as_ref().and_then(|voice| voice.f0.as_ref());
            named.is_some_and(|named| are_generations(named, &manifest.id))
        });
        let as_it_is = !of_others && (manifest.family != Family::SalienceF0 || !repaired);
        (is_preferred, as_it_is, (&manifest.created, &manifest.id))
    }
}

/// The encoder that a voice names gives vectors of the length that it wants.
fn check_width(content: &Package, voice: &Manifest) -> Result<(), MissingPart> {
    let (Some(format), Some(facts)) = (&content.manifest().content, &voice.voice) else {
        return Ok(());
    };
    let wanted = facts.content_dim + facts.energy_channels;
    let fits = match voice.family {
        Family::Rvc => output_for(content.manifest(), voice).is_some(),
        _ => format.dim == wanted && content.manifest().normalize.is_some(),
    };
    // A segment of these voices takes every frame up to the recording's end.
    if fits && voice.family != Family::Rvc && format.framing != Framing::Whole {
        return Err(MissingPart {
            key: "voice.content",
            reason: format!("{} leaves the last frame out", content.manifest().id),
        });
    }
    if fits {
        return Ok(());
    }
    let (id, given) = (&content.manifest().id, format.dim);
    Err(MissingPart {
        key: "voice.content",
        reason: format!("{id} gives {given} channels, the voice wants {wanted}"),
    })
}
