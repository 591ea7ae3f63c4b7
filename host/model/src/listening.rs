//! What a voice hears of a recording before it speaks, for training: a network learns from the same inputs that
//! conversions give it.

use vocalhost_audio::Spool;

use super::content::{CONTENT_HOP, ContentEncoder};
use super::content_pieces::ContentPieces;
use super::f0::F0Estimator;
use super::level::Levels;
use super::source::{Sound, Source};
use super::{Catalog, ModelError, Package, Runtime};

/// The content encoder and the F0 estimator of a voice, loaded and ready.
pub struct Listener {
    content: ContentEncoder,
    level_rms: f64,
    f0: F0Estimator,
}

/// The result of listening to a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// A vector for every 20 ms, one after another.
    pub content: Vec<f32>,
    /// Length of a vector.
    pub width: usize,
    /// The pitch of every 10 ms in hertz, 0 where there is none: twice as many as there are vectors.
    pub f0_hz: Vec<f32>,
    /// The factor that brought the recording to the level that the encoder wants.
    pub gain: f64,
}

impl Listener {
    /// Loads the encoder and the estimator of a voice of our own family.
    pub fn load(
        runtime: &Runtime,
        voice: &Package,
        catalog: &Catalog,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let path = || voice.folder().join(Package::MANIFEST_NAME);
        let parts = catalog.parts(voice.manifest());
        let parts = parts.map_err(|missing| missing.of(path()))?;
        let content = ContentEncoder::load(runtime, parts.content, voice.manifest(), threads)?;
        let level_rms = content.level_rms().ok_or_else(|| ModelError::Dependency {
            path: path(),
            key: "voice.content",
            reason: "the encoder names no level".to_owned(),
        })?;
        Ok(Self {
            content,
            level_rms,
            f0: F0Estimator::load(runtime, parts.f0, threads)?,
        })
    }

    /// Hears a mono recording at 16 kHz, as a conversion does. `progress` is told the share that is done.
    pub fn hear(&self, source: &Spool, progress: &mut dyn FnMut(f64)) -> Result<Heard, ModelError> {
        let level_rms = self.level_rms;
        let own = Levels::measure(source)?.sounding_rms().unwrap_or(level_rms);
        let vectors = source.frames().div_ceil(CONTENT_HOP) as usize;
        let pitch_rms = self.f0.level_rms().unwrap_or(level_rms);
        let heard = Source::new(source, pitch_rms / own);
        let f0_hz = self
            .f0
            .track(&heard, 2 * vectors, pitch_rms, &mut |share| {
                progress(0.5 * share);
            })?;
        let heard = Source::new(source, level_rms / own);
        let pieces = ContentPieces::new(&self.content, &heard);
        let mut content = Vec::with_capacity(vectors * self.content.width());
        for piece in pieces.pieces_of(&(0..vectors)) {
            pieces.piece(piece)?;
            let done = (piece + 1) as f64 / (vectors as f64 / PIECE_VECTORS).max(1.0);
            progress(0.5 + 0.5 * done.min(1.0));
        }
        content.extend(pieces.vectors(0..vectors)?);
        Ok(Heard {
            content,
            width: self.content.width(),
            f0_hz,
            gain: level_rms / own,
        })
    }

    /// The vector of silence.
    pub fn silence(&self) -> Result<Vec<f32>, ModelError> {
        let vector = SILENT_VECTORS / 2;
        self.content.encode(&Silence, vector, 1)
    }
}

/// Vectors of a piece of content, only for the progress.
const PIECE_VECTORS: f64 = 500.0;
/// Vectors of the silence that is encoded: two seconds.
const SILENT_VECTORS: usize = 100;

struct Silence;

impl Sound for Silence {
    fn len(&self) -> u64 {
        SILENT_VECTORS as u64 * CONTENT_HOP
    }

    fn samples(&self, _start: i64, count: usize) -> Result<Vec<f32>, ModelError> {
        Ok(vec![0.0; count])
    }
}
