//! The effects that are measured, as components and natively.

use std::collections::BTreeMap;

use vocalhost_audio::{Block, Stage as _};
use vocalhost_effect::{Config, Effect, Layout, Running, Setting, Value};
use vocalhost_effects::{Catalog, EffectStage, SettingValue, StreamConfig};

pub const SAMPLE_RATE_HZ: u32 = 44_100;
pub const CHANNELS: usize = 2;
/// The length of block that jobs use.
pub const BLOCK_FRAMES: usize = 4096;
/// From a small audio buffer to more than the host hands over at once.
pub const BLOCK_LENGTHS: [usize; 5] = [64, 256, 1024, BLOCK_FRAMES, 16_384];

/// Settings with which an effect has work to do.
type Settings = &'static [(&'static str, f64)];

/// The same DSP without a component around it.
pub trait Native {
    fn process(&mut self, samples: Vec<f32>) -> Vec<f32>;
}

impl<E: Effect> Native for Running<E> {
    fn process(&mut self, samples: Vec<f32>) -> Vec<f32> {
        Running::process(self, samples)
    }
}

/// An effect, its settings, and how to make it natively.
pub struct Subject {
    pub id: &'static str,
    settings: Settings,
    native: fn(Settings) -> Box<dyn Native>,
}

/// The chain of the contract: first what comes before the voice, then what comes after it.
pub const CHAIN: [Subject; 7] = [
    Subject::new::<vocalhost_noise_gate::NoiseGate>(
        "vocalhost.noise-gate",
        &[("threshold_db", -30.0)],
    ),
    Subject::new::<vocalhost_high_pass::HighPass>(
        "vocalhost.high-pass",
        &[("cutoff_frequency_hz", 80.0)],
    ),
    Subject::new::<vocalhost_low_pass::LowPass>(
        "vocalhost.low-pass",
        &[("cutoff_frequency_hz", 12_000.0)],
    ),
    Subject::new::<vocalhost_compressor::Compressor>(
        "vocalhost.compressor",
        &[("threshold_db", -20.0), ("ratio", 4.0)],
    ),
    Subject::new::<vocalhost_chorus::Chorus>("vocalhost.chorus", &[]),
    Subject::new::<vocalhost_delay::Delay>(
        "vocalhost.delay",
        &[("delay_seconds", 0.3), ("feedback", 0.4)],
    ),
    Subject::new::<vocalhost_reverb::Reverb>("vocalhost.reverb", &[]),
];

/// The rest of the shelf.
pub const OTHERS: [Subject; 13] = [
    Subject::new::<vocalhost_gain::Gain>("vocalhost.gain", &[("gain_db", -3.0)]),
    Subject::new::<vocalhost_parametric_eq::ParametricEq>("vocalhost.parametric-eq", &[]),
    Subject::new::<vocalhost_limiter::Limiter>("vocalhost.limiter", &[]),
    Subject::new::<vocalhost_de_esser::DeEsser>("vocalhost.de-esser", &[]),
    Subject::new::<vocalhost_saturation::Saturation>("vocalhost.saturation", &[]),
    Subject::new::<vocalhost_phaser::Phaser>("vocalhost.phaser", &[]),
    Subject::new::<vocalhost_tremolo::Tremolo>("vocalhost.tremolo", &[]),
    Subject::new::<vocalhost_pitch_shift::PitchShift>("vocalhost.pitch-shift", &[]),
    Subject::new::<vocalhost_stereo_width::StereoWidth>("vocalhost.stereo-width", &[]),
    Subject::new::<vocalhost_convolution_reverb::ConvolutionReverb>(
        "vocalhost.convolution-reverb",
        &[],
    ),
    Subject::new::<vocalhost_multiband_compressor::MultibandCompressor>(
        "vocalhost.multiband-compressor",
        &[],
    ),
    Subject::new::<vocalhost_de_reverb::DeReverb>("vocalhost.de-reverb", &[]),
    Subject::new::<vocalhost_denoise::Denoise>("vocalhost.denoise", &[]),
];

impl Subject {
    const fn new<E: Effect>(id: &'static str, settings: Settings) -> Self {
        Self {
            id,
            settings,
            native: make_native::<E>,
        }
    }

    /// The effect natively. It takes blocks of any length: only the host splits them.
    pub fn native(&self) -> Box<dyn Native> {
        (self.native)(self.settings)
    }

    /// The effect as a component in an instance of its own.
    pub fn component(&self, catalog: &Catalog) -> EffectStage {
        let settings: BTreeMap<_, _> = self
            .settings
            .iter()
            .map(|(id, number)| ((*id).to_owned(), SettingValue::Number(*number)))
            .collect();
        let entry = catalog.find(self.id).expect("it is built in");
        let stream = StreamConfig {
            sample_rate_hz: SAMPLE_RATE_HZ,
            channels: CHANNELS,
            settings,
        };
        entry.effect.start(&stream).expect("the settings are legal")
    }
}

fn make_native<E: Effect>(settings: Settings) -> Box<dyn Native> {
    let config = Config {
        sample_rate: SAMPLE_RATE_HZ,
        layout: Layout {
            inputs: CHANNELS as u32,
            outputs: CHANNELS as u32,
        },
        max_frames: 1 << 16,
        settings: settings
            .iter()
            .map(|(id, number)| Setting::new(id, Value::Number(*number)))
            .collect(),
    };
    Box::new(Running::<E>::new(&config).expect("the settings are legal"))
}

/// A sum of sines: nothing in it ever becomes denormal.
pub fn sound(frames: usize) -> Vec<f32> {
    (0..CHANNELS * frames)
        .map(|index| {
            let time = (index % frames) as f32;
            0.3 * (0.031 * time).sin() + 0.2 * (0.17 * time).sin()
        })
        .collect()
}

/// Sends a block through components one after the other.
pub fn run_components(stages: &mut [EffectStage], sound: &[f32]) -> Block {
    let block = Block::from_planar(CHANNELS, sound.to_vec());
    stages.iter_mut().fold(block, |block, stage| {
        stage.process(block).expect("built-in effects do not fail")
    })
}

/// Sends a block through native effects one after the other.
pub fn run_natives(natives: &mut [Box<dyn Native>], sound: &[f32]) -> Vec<f32> {
    natives
        .iter_mut()
        .fold(sound.to_vec(), |samples, native| native.process(samples))
}
