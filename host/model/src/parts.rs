use std::path::PathBuf;

use super::content::output_for;
use super::generation::are_generations;
use super::identity::USUAL_ENCODER;
use super::manifest::{Family, Kind, Manifest};
use super::sections::Framing;
use super::{Catalog, ModelError, Package};

/// The value of `voice.f0` that stands for the method without a model.
pub(super) const PYIN: &str = "pyin";

/// The packages that a voice listens with.
#[derive(Debug, Clone, Copy)]
pub struct VoiceParts<'c> {
    /// The content encoder.
    pub content: &'c Package,
    /// The F0 estimator; `None` when the pitch is found without a model, or the voice takes none.
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
    /// The packages that a voice needs: those that it names. For a voice of RVC that names none, the first installed encoder that gives the
    /// vectors that it was trained on, and the best installed F0 estimator.
    pub fn parts(&self, voice: &Manifest) -> Result<VoiceParts<'_>, MissingPart> {
        self.parts_with(voice, None)
    }

    /// The same with another F0 estimator, by its id or `pyin`, if the voice takes the pitch.
    pub fn parts_with(
        &self,
        voice: &Manifest,
        f0_method: Option<&str>,
    ) -> Result<VoiceParts<'_>, MissingPart> {
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
        let f0 = match f0_method.or(facts.f0.as_deref()) {
            _ if !told => None,
            Some(id) if id == PYIN => None,
            Some(id) => Some(self.named("voice.f0", id, Kind::F0)?),
            None => self.estimator(),
        };
        if let Some(f0) = f0.filter(|f0| !f0.manifest().is_estimator()) {
            let id = &f0.manifest().id;
            return Err(MissingPart {
                key: "voice.f0",
                reason: format!("{id} is for live conversions only"),
            });
        }
        Ok(VoiceParts { content, f0 })
    }

    fn named(&self, key: &'static str, id: &str, kind: Kind) -> Result<&Package, MissingPart> {
        let missing = |reason: String| Err(MissingPart { key, reason });
        match self.find_or_successor(id) {
            Some(package) if package.manifest().kind == kind => Ok(package),
            Some(_) => missing(format!("{id} is of another kind")),
            None if kind == Kind::Content => missing(format!(
                "no content encoder is installed under the id {id}, which it is bound to"
            )),
            None => missing(format!("there is no usable package {id}")),
        }
    }

    /// The encoder for a voice of RVC that is bound to none: the preferred one, then the one installed first, so that a new encoder changes
    /// no voice. Encoders known to differ from the one that the voice was trained on are excluded.
    fn encoder(&self, voice: &Manifest) -> Result<&Package, MissingPart> {
        let fitting = self.fitting(voice);
        let first = fitting.min_by_key(|package| {
            let manifest = package.manifest();
            (!self.preferred.contains(&manifest.id), manifest.age())
        });
        first.ok_or_else(|| {
            let (layer, dim) = voice
                .rvc
                .as_ref()
                .map_or((0, 0), |rvc| (rvc.content_layer, rvc.content_dim));
            let named = match trained_on(voice) {
                USUAL_ENCODER => "HuBERT base or ContentVec as ONNX",
                other => other,
            };
            MissingPart {
                key: "rvc.content_layer",
                reason: format!(
                    "no content encoder is installed that gives layer {layer} in {dim} channels ({named})"
                ),
            }
        })
    }

    /// The encoder that a new voice of RVC is bound to: the preferred one, then one whose identity matches the voice's over one of unknown
    /// identity, then the newest. None when none fits, or the voice names one.
    #[must_use]
    pub fn encoder_to_bind(&self, voice: &Manifest) -> Option<&Package> {
        let facts = voice.voice.as_ref()?;
        if voice.family != Family::Rvc || facts.content.is_some() {
            return None;
        }
        self.fitting(voice).max_by_key(|package| {
            let manifest = package.manifest();
            let is_known = identity_of(manifest).is_some();
            let is_preferred = self.preferred.contains(&manifest.id);
            (is_preferred, is_known, manifest.age())
        })
    }

    /// Encoders that give the vectors that a voice of RVC needs and are not known to differ from the one that it was trained on.
    fn fitting<'s, 'v>(
        &'s self,
        voice: &'v Manifest,
    ) -> impl Iterator<Item = &'s Package> + use<'s, 'v> {
        let wanted = trained_on(voice);
        self.packages().iter().filter(move |package| {
            let manifest = package.manifest();
            let may_be = identity_of(manifest).is_none_or(|identity| identity == wanted);
            may_be && output_for(manifest, voice).is_some()
        })
    }

    /// The manifest of a voice, bound to the encoder that it listens with unless it was bound before or none is installed.
    #[must_use]
    pub fn bound(&self, voice: &Manifest) -> Manifest {
        let mut bound = voice.clone();
        if voice.family == Family::Rvc
            && let Ok(encoder) = self.encoder(voice)
            && let Some(facts) = &mut bound.voice
        {
            let id = encoder.manifest().id.clone();
            facts.content.get_or_insert(id);
        }
        bound
    }

    /// The identities of the installed encoders.
    pub fn encoder_identities(&self) -> impl Iterator<Item = &str> {
        let manifests = self.packages().iter().map(Package::manifest);
        manifests.filter_map(identity_of)
    }

    /// The F0 estimator for voices of RVC with the highest rank.
    fn estimator(&self) -> Option<&Package> {
        let estimators = self
            .packages()
            .iter()
            .filter(|package| package.manifest().is_estimator());
        estimators.max_by_key(|package| self.rank(package))
    }

    /// The F0 estimator that takes precedence over `new` for voices of RVC that name none.
    #[must_use]
    pub fn estimator_before(&self, new: &Package) -> Option<&Package> {
        let first = self.estimator()?;
        (self.rank(first) >= self.rank(new)).then_some(first)
    }

    /// The order of precedence for voices that name none: preferred packages, then estimators whose output is used directly over those that
    /// are repaired or that serve voices of another family, then the newest.
    fn rank<'p>(&self, package: &'p Package) -> (bool, bool, (&'p str, i64, &'p str)) {
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
        (is_preferred, as_it_is, manifest.age())
    }
}

/// The identity of the encoder that a voice was trained on.
fn trained_on(voice: &Manifest) -> &str {
    let named = voice.rvc.as_ref().and_then(|rvc| rvc.encoder.as_deref());
    named.unwrap_or(USUAL_ENCODER)
}

fn identity_of(manifest: &Manifest) -> Option<&str> {
    manifest.content.as_ref()?.identity.as_deref()
}

/// Checks that the encoder that a voice names gives vectors of the length that it needs.
fn check_width(content: &Package, voice: &Manifest) -> Result<(), MissingPart> {
    let (Some(format), Some(facts)) = (&content.manifest().content, &voice.voice) else {
        return Ok(());
    };
    let wanted = facts.content_dim + facts.energy_channels;
    let fits = match voice.family {
        Family::Rvc => output_for(content.manifest(), voice).is_some(),
        _ => format.dim == wanted && content.manifest().normalize.is_some(),
    };
    // A segment of these voices needs every frame up to the recording's end.
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
