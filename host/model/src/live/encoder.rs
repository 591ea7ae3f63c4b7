use crate::content::{CONTENT_HOP, ContentEncoder};
use crate::manifest::{Kind, Manifest};
use crate::{Catalog, ModelError, Package, Runtime};

/// A content encoder that was taught to hear little at a time. It says what the voice's own encoder would say of all of a recording.
pub(crate) struct LiveEncoder {
    encoder: ContentEncoder,
    /// Vectors of the sound that it hears, always as many, and the first of them that it was taught to say.
    vectors: usize,
    first: usize,
}

impl LiveEncoder {
    /// Loads one for a voice.
    pub(crate) fn load(
        runtime: &Runtime,
        package: &Package,
        voice: &Manifest,
    ) -> Result<Self, ModelError> {
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

    /// Vectors of sound that it hears at once.
    pub(super) fn vectors(&self) -> usize {
        self.vectors
    }

    /// Whether it says the last `wanted` vectors of what it hears.
    pub(super) fn says(&self, wanted: usize) -> bool {
        wanted <= self.vectors - self.first
    }

    /// The last `wanted` vectors of a sound of at most [`LiveEncoder::vectors`], before which nothing was heard.
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
    /// The newest content encoder that was made to give the vectors of `content` while somebody speaks.
    pub(crate) fn live_encoder(&self, content: &Package) -> Option<&Package> {
        let own = content.manifest();
        let fits = |package: &&Package| {
            let manifest = package.manifest();
            let facts = manifest.content.as_ref();
            let live = facts.and_then(|facts| facts.live.as_ref());
            manifest.kind == Kind::Content
                && live.is_some_and(|live| live.of == own.id)
                && facts.map(|facts| facts.dim) == own.content.as_ref().map(|own| own.dim)
        };
        let found = self.packages().iter().filter(fits);
        found.max_by_key(|package| package.manifest().age())
    }
}
