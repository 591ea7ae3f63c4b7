use crate::content::{CONTENT_HOP, ContentEncoder};
use crate::f0::F0Estimator;
use crate::manifest::Manifest;
use crate::parts::VoiceParts;
use crate::{Catalog, ModelError, Package, Runtime};

/// The packages that a voice listens with in live conversions, where some were made for that.
#[derive(Clone, Copy, Default)]
pub(crate) struct LiveParts<'c> {
    pub(crate) content: Option<&'c Package>,
    pub(crate) f0: Option<&'c Package>,
}

/// The same, loaded.
#[derive(Default)]
pub(crate) struct LiveListeners {
    content: Option<LiveEncoder>,
    /// With the number of frames that it gives at once.
    f0: Option<(F0Estimator, usize)>,
}

impl LiveListeners {
    /// Loads them for a voice.
    pub(crate) fn load(
        runtime: &Runtime,
        parts: LiveParts<'_>,
        voice: &Manifest,
    ) -> Result<Self, ModelError> {
        let encoder = |package| LiveEncoder::load(runtime, package, voice);
        let estimator = |package: &Package| {
            let facts = package.manifest().f0.as_ref();
            let live = facts.and_then(|facts| facts.live.as_ref());
            let frames = live.map_or(0, |live| live.frames as usize);
            F0Estimator::load(runtime, Some(package), 1).map(|f0| (f0, frames))
        };
        Ok(Self {
            content: parts.content.map(encoder).transpose()?,
            f0: parts.f0.map(estimator).transpose()?,
        })
    }

    /// The estimator, if there is one that gives so many frames at once.
    pub(super) fn estimator(&self, frames: usize) -> Option<&F0Estimator> {
        let f0 = self.f0.as_ref().filter(|(_, most)| frames <= *most);
        f0.map(|(estimator, _)| estimator)
    }

    /// The encoder, if there is one that gives so many vectors at once.
    pub(super) fn encoder(&self, vectors: usize) -> Option<&LiveEncoder> {
        let content = self.content.as_ref();
        content.filter(|encoder| encoder.says(vectors))
    }
}

/// A content encoder trained on short windows to give the vectors that the voice's own encoder gives for a whole recording.
pub(crate) struct LiveEncoder {
    encoder: ContentEncoder,
    /// The fixed number of vectors in its window, and the first of them that it was trained to give.
    vectors: usize,
    first: usize,
}

impl LiveEncoder {
    /// Loads one for a voice.
    fn load(runtime: &Runtime, package: &Package, voice: &Manifest) -> Result<Self, ModelError> {
        let encoder = ContentEncoder::load(runtime, package, voice, 1)?;
        let facts = package.manifest().content.as_ref();
        let live = facts.and_then(|content| content.live.as_ref());
        let live = live.ok_or_else(|| encoder.fault("is no encoder of live conversions"))?;
        Ok(Self {
            vectors: live.vectors as usize,
            first: live.first as usize,
            encoder,
        })
    }

    /// Number of vectors in its window.
    pub(super) fn vectors(&self) -> usize {
        self.vectors
    }

    /// Whether it can give the last `wanted` vectors of its window.
    fn says(&self, wanted: usize) -> bool {
        wanted <= self.vectors - self.first
    }

    /// The last `wanted` vectors of a sound of at most [`LiveEncoder::vectors`], which follows silence.
    pub(super) fn hear(&self, sound: &[f32], wanted: usize) -> Result<Vec<f32>, ModelError> {
        let samples = self.vectors * CONTENT_HOP as usize;
        let mut window = vec![0.0; samples - sound.len()];
        window.extend_from_slice(sound);
        let mut vectors = self.encoder.encode_whole(window)?;
        vectors.drain(..(self.vectors - wanted) * self.encoder.width());
        Ok(vectors)
    }
}

impl Catalog {
    /// The newest listeners that were made to replace a voice's own in live conversions.
    pub(crate) fn live_parts(&self, own: VoiceParts<'_>) -> LiveParts<'_> {
        LiveParts {
            content: self.live_one(own.content),
            f0: own.f0.and_then(|f0| self.live_one(f0)),
        }
    }

    /// The newest package that was made to replace `own` in live conversions.
    fn live_one(&self, own: &Package) -> Option<&Package> {
        let dim = |manifest: &Manifest| manifest.content.as_ref().map(|content| content.dim);
        let own = own.manifest();
        let fits = |package: &&Package| {
            let manifest = package.manifest();
            manifest.kind == own.kind
                && manifest.live_of() == Some(&own.id)
                && dim(manifest) == dim(own)
        };
        let found = self.packages().iter().filter(fits);
        found.max_by_key(|package| package.manifest().age())
    }
}
