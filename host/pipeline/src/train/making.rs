//! Making the package of a trained voice.

use std::fs;
use std::path::Path;

use super::super::writing::content_of;
use super::super::{PipelineError, demo};
use super::given::Train;
use super::intake::Taken;
use super::learn::key;
use vocalhost_audio::Spool;
use vocalhost_job::{By, Consent};
use vocalhost_model::{
    FileRole, Package, TrainedOrder, TrainedPackage, VoiceConverter, decoder_with,
};
use vocalhost_training::{CONTENT, Rows, Sizes, Take, means, reach};

/// Rows of the index at most, and rounds of looking for them.
const ROWS: usize = 800;
const ROUNDS: usize = 10;
/// Vectors that a row stands for at least.
const VECTORS_OF_ROW: usize = 2;
/// The level that decoders of the family speak at when they are given the level that they learned from.
const LEVEL_RMS: f64 = 0.06;

/// Everything about a voice except its weights: known before any of them is learned.
pub struct Maker<'a> {
    train: &'a Train<'a>,
    base: &'a Package,
    index: Vec<f32>,
    reach: f64,
    mean_f0_hz: f64,
    trained_on: String,
    consent: String,
    created: String,
    demo: Option<(Spool, f64)>,
}

impl<'a> Maker<'a> {
    /// Finds out what the voice is.
    pub fn new(
        train: &'a Train<'a>,
        base: &'a Package,
        (taken, takes): (&[Taken], &[Take]),
    ) -> Result<Self, PipelineError> {
        let width = base
            .manifest()
            .voice
            .as_ref()
            .map_or(0, |voice| voice.content_dim as usize);
        let said = said(takes, width);
        let rows = Rows {
            values: &said,
            width: width.max(1),
        };
        let count = ROWS.min(rows.count() / VECTORS_OF_ROW);
        let index = means(rows, count, ROUNDS, train.seed);
        let reach = reach(
            rows,
            Rows {
                values: &index,
                ..rows
            },
        );
        let mean_f0_hz = mean_f0_hz(takes);
        let spoken = train.spoken.map(content_of).transpose()?;
        let spoken = spoken.map(|content| content.sha256);
        let today = chrono::Utc::now().format("%Y-%m-%d");
        let mut made = Self {
            train,
            base,
            reach: (100.0 * reach).round() / 100.0,
            index,
            mean_f0_hz,
            trained_on: trained_on(base, taken),
            consent: consent_text(train.consent, spoken.as_deref()),
            created: today.to_string(),
            demo: None,
        };
        made.demo = made.demo_source()?;
        Ok(made)
    }

    /// Writes the package of some weights into a folder that is there, with figures for people and as JSON. With its demo recording, whose
    /// name is given, too, where there is something to say.
    pub fn make(
        &self,
        weights: &[f32],
        folder: &Path,
        (figures, metrics): (&[(String, String)], &str),
        progress: &mut dyn FnMut(f64),
    ) -> Result<(Package, String, Option<&'static str>), PipelineError> {
        let train = self.train;
        let decoder = decoder_with(self.base, &Sizes::default().weights(), weights)?;
        let seed = key(&[train.package_id.as_bytes(), train.title.as_bytes()]);
        let order = TrainedOrder {
            id: train.package_id,
            title: train.title,
            tags: train.tags,
            base: self.base,
            created: &self.created,
            trained_on: &self.trained_on,
            consent: &self.consent,
            level_rms: LEVEL_RMS,
            mean_f0_hz: self.mean_f0_hz,
            decoder: &decoder,
            index: &self.index,
            reach: self.reach,
            figures,
            metrics,
            picture_seed: u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|place| seed[place])),
        };
        let mut made = TrainedPackage::write(&order, folder)?;
        let mut package = made.seal()?;
        // Loading it shows that the runtime accepts the graph, whether or not there is a demo.
        let voice = VoiceConverter::load(train.runtime, &package, train.models, train.threads)
            .map_err(PipelineError::Load)?;
        let mut name = None;
        if let Some((heard, semitones)) = &self.demo {
            let path = folder.join("demo.f32");
            let sound = demo::speak(&voice, heard, (*semitones, &path), progress)?;
            let written = demo::write(&sound, folder)?;
            fs::remove_file(path)?;
            made.add_demo(written)?;
            package = made.seal()?;
            name = Some(written);
        }
        package.verify()?;
        Ok((package, voice.provider(), name))
    }

    /// The demo recording of the voice that the training started from, and how far this voice is above it.
    fn demo_source(&self) -> Result<Option<(Spool, f64)>, PipelineError> {
        let Some(path) = self.base.file(FileRole::Demo) else {
            return Ok(None);
        };
        let place = (self.train.scratch, &self.train.limits);
        let heard = match demo::decode(place, 16_000, &fs::read(path)?) {
            Ok(heard) => heard,
            Err(PipelineError::Decode(error)) => {
                tracing::warn!(%error, "the demo recording of a voice cannot be read");
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let own = self
            .base
            .manifest()
            .voice
            .as_ref()
            .map_or(0.0, |voice| voice.mean_f0_hz);
        let semitones = if own > 0.0 && self.mean_f0_hz > 0.0 {
            12.0 * (self.mean_f0_hz / own).log2()
        } else {
            0.0
        };
        Ok(Some((heard, semitones.clamp(-24.0, 24.0))))
    }
}

/// The content features of voiced frames, without the loudness; the other frames are never retrieved.
fn said(takes: &[Take], width: usize) -> Vec<f32> {
    let mut said = Vec::new();
    for take in takes {
        let pairs = take.f0_hz.chunks_exact(2);
        for (vector, pair) in take.content.chunks_exact(CONTENT).zip(pairs) {
            if pair.iter().all(|f0| *f0 > 0.0) {
                said.extend_from_slice(&vector[..width.min(CONTENT)]);
            }
        }
    }
    said
}

fn mean_f0_hz(takes: &[Take]) -> f64 {
    let voiced = takes
        .iter()
        .flat_map(|take| &take.f0_hz)
        .filter(|f0| **f0 > 0.0);
    let (count, sum) = voiced.fold((0_u32, 0.0), |(count, sum), f0| {
        (count + 1, sum + f64::from(*f0).ln())
    });
    if count == 0 {
        return 0.0;
    }
    (10.0 * (sum / f64::from(count)).exp()).round() / 10.0
}

fn trained_on(base: &Package, taken: &[Taken]) -> String {
    let sounding: usize = taken.iter().map(|taken| taken.cut.sounding).sum();
    let sums: Vec<&str> = taken.iter().map(|taken| &*taken.sha256).collect();
    let base = base.manifest();
    format!(
        "{} s of sound in {} recordings (SHA-256 {}), from the weights of {} ({}). {}: {}",
        sounding / 100,
        taken.len(),
        sums.join(", "),
        base.name,
        base.id,
        base.name,
        base.trained_on
    )
}

fn consent_text(consent: &Consent, recording: Option<&str>) -> String {
    let by = match consent.by {
        By::Own => "Declared by the person whose voice it is",
        By::OwnerAgreed => "Declared by somebody to whom the person whose voice it is agreed",
        By::Licence => "Declared by somebody who has the recordings under a licence that allows it",
    };
    let name = consent.name.as_ref().map(|name| format!(" ({name})"));
    let number = consent.spoken.as_ref();
    let spoken = number.zip(recording).map(|(number, sum)| {
        format!(" That person said so in a recording, with the number {number} (SHA-256 {sum}).")
    });
    format!(
        "{by}{}. What was declared (version {}): {}{}",
        name.unwrap_or_default(),
        consent.version,
        consent.statement,
        spoken.unwrap_or_default()
    )
}
