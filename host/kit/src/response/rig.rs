use crate::KitError;
use crate::settings::Settings;
use vocalhost_audio::{Block, Stage as _};
use vocalhost_effects::{Effect, EffectStage, MAX_FRAMES, StreamConfig};

/// Frames per second of every measurement.
pub const SAMPLE_RATE_HZ: u32 = 48_000;

/// A fresh stream of an effect, for one measurement.
pub(super) struct Rig {
    stage: EffectStage,
    channels: usize,
}

/// What came out of it, as long as what went in.
pub(super) struct Answer {
    pub(super) left: Vec<f32>,
    /// Empty in mono.
    pub(super) right: Vec<f32>,
}

impl Rig {
    pub(super) fn mono(effect: &Effect, settings: &Settings) -> Result<Self, KitError> {
        Self::new(effect, settings, 1)
    }

    pub(super) fn stereo(effect: &Effect, settings: &Settings) -> Result<Self, KitError> {
        Self::new(effect, settings, 2)
    }

    fn new(effect: &Effect, settings: &Settings, channels: usize) -> Result<Self, KitError> {
        let stage = effect.start(&StreamConfig {
            sample_rate_hz: SAMPLE_RATE_HZ,
            channels,
            settings: settings.clone(),
        })?;
        Ok(Self { stage, channels })
    }

    /// Sends sound through, on the left only where there are two channels.
    pub(super) fn run(mut self, sound: &[f32]) -> Result<Answer, KitError> {
        let mut answer = Answer {
            left: Vec::with_capacity(sound.len()),
            right: Vec::new(),
        };
        for piece in sound.chunks(MAX_FRAMES) {
            let mut block = Block::silent(self.channels, piece.len());
            block.channel_mut(0).copy_from_slice(piece);
            let block = self.stage.process(block)?;
            answer.add(&block);
        }
        let rest = self.stage.flush()?;
        answer.add(&rest);
        Ok(answer)
    }
}

impl Answer {
    fn add(&mut self, block: &Block) {
        self.left.extend_from_slice(block.channel(0));
        if block.channels() > 1 {
            self.right.extend_from_slice(block.channel(1));
        }
    }
}

/// Frames of one period of the tone, which is 1 kHz.
pub(super) const TONE_FRAMES: usize = SAMPLE_RATE_HZ as usize / 1_000;

/// A sine of 1 kHz that begins at its zero.
pub(super) fn tone(amplitude: f64, frames: usize) -> Vec<f32> {
    let turn = std::f64::consts::TAU / TONE_FRAMES as f64;
    (0..frames)
        .map(|frame| (amplitude * (turn * (frame % TONE_FRAMES) as f64).sin()) as f32)
        .collect()
}

/// The amplitude of a sine that is as strong as the sound.
pub(super) fn sine_amplitude(sound: &[f32]) -> f64 {
    let squares: f64 = sound.iter().map(|sample| f64::from(*sample).powi(2)).sum();
    (2.0 * squares / sound.len().max(1) as f64).sqrt()
}
