//! Speaker vectors, by which recordings of one person are recognised.

use vocalhost_audio::Spool;

use super::level::Levels;
use super::manifest::{Kind, TensorRole};
use super::sections::SpeakerFacts;
use super::session::{Input, Session, Values};
use super::{Catalog, ModelError, Package, Runtime};

/// The most windows of a recording that are encoded, spread over all of it: more change the vector by less than another day does.
const MOST_WINDOWS: usize = 60;

/// A speaker encoder, loaded and ready.
pub struct SpeakerEncoder {
    session: Session,
    format: SpeakerFacts,
    level_rms: f64,
}

/// The vector of a speaker, of unit length.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeakerVector(Vec<f64>);

impl SpeakerVector {
    /// How alike two speakers are: the cosine of their vectors, 1 for the same sound.
    #[must_use]
    pub fn likeness(&self, other: &Self) -> f64 {
        self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
    }

    /// The vector of a speaker over several recordings; none without recordings.
    #[must_use]
    pub fn of_all(voices: &[Self]) -> Option<Self> {
        let mut sum = vec![0.0; voices.first()?.0.len()];
        for value in voices.iter().flat_map(|voice| voice.0.iter().enumerate()) {
            sum[value.0] += value.1;
        }
        Some(Self::along(sum))
    }

    fn along(sum: Vec<f64>) -> Self {
        let length = sum.iter().map(|value| value * value).sum::<f64>().sqrt();
        let whole = sum.into_iter().map(|value| value / length.max(1e-9));
        Self(whole.collect())
    }
}

impl SpeakerEncoder {
    /// Loads the newest speaker encoder that is installed; none where there is none.
    pub fn load(runtime: &Runtime, catalog: &Catalog) -> Result<Option<Self>, ModelError> {
        let packages = catalog.packages().iter();
        let encoders = packages.filter(|package| package.manifest().kind == Kind::Speaker);
        let newest = encoders.max_by_key(|package| package.manifest().age());
        newest.map(|package| Self::of(runtime, package)).transpose()
    }

    fn of(runtime: &Runtime, package: &Package) -> Result<Self, ModelError> {
        let session = Session::load(runtime, package, 1)?;
        let manifest = package.manifest();
        let (Some(format), Some(normalize)) = (&manifest.speaker, &manifest.normalize) else {
            return Err(session.fault("is not a speaker encoder"));
        };
        Ok(Self {
            format: format.clone(),
            level_rms: normalize.rms,
            session,
        })
    }

    /// Encodes a mono recording at 16 kHz whose long silences are cut out; none where nothing sounds. A recording shorter than a window is
    /// repeated.
    pub fn hear(&self, source: &Spool) -> Result<Option<SpeakerVector>, ModelError> {
        let (window, step) = (self.format.window as usize, self.format.step as usize);
        let own = source.frames() as usize;
        let (last, read) = (own.saturating_sub(window), own.min(window));
        let Some(own) = Levels::measure(source)?.sounding_rms() else {
            return Ok(None);
        };
        let gain = (self.level_rms / own) as f32;
        let count = (last / step + 1).min(MOST_WINDOWS);
        let mut sum = vec![0.0; self.format.dim as usize];
        for number in 0..count {
            let start = last * number / count.saturating_sub(1).max(1);
            let block = source.read(start as i64, read)?;
            let samples = block.channel(0).iter().cycle().take(window);
            let samples = samples.map(|sample| sample * gain);
            let said = self.session.run(vec![Input {
                role: TensorRole::SourceWave,
                shape: vec![1, window],
                values: Values::F32(samples.collect()),
            }])?;
            if said.values.len() != sum.len() {
                let fault = format!("gave {} numbers", said.values.len());
                return Err(self.session.fault(fault));
            }
            for (sum, value) in sum.iter_mut().zip(said.values) {
                *sum += f64::from(value);
            }
        }
        Ok(Some(SpeakerVector::along(sum)))
    }
}
