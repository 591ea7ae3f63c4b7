//! What effects cost: each built-in effect and the chain of all seven, as a component in its host with every limit on and
//! as the same Rust compiled natively.
//!
//! The throughput is in frames per second: divided by 44,100 it is "times real time". The ratio of the two lines
//! `component` and `native` of a group is the price of the sandbox.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use vocalhost::audio::{Block, Stage as _};
use vocalhost::plugin::{
    Catalog, EffectHost, EffectLimits, EffectStage, SettingValue, StreamConfig,
};
use vocalhost_effect::{Config, Effect, Layout, Running, Setting, Value};

const SAMPLE_RATE_HZ: u32 = 44_100;
const CHANNELS: usize = 2;
const BLOCK_FRAMES: usize = 4096;
/// Lengths of block for the chain, from a small audio buffer to more than the host hands over at once.
const BLOCK_LENGTHS: [usize; 5] = [64, 256, 1024, 4096, 16_384];

/// Settings with which an effect has work to do.
type Settings = &'static [(&'static str, f64)];

/// The same DSP without a component around it.
trait Native {
    fn process(&mut self, samples: Vec<f32>) -> Vec<f32>;
}

impl<E: Effect> Native for Running<E> {
    fn process(&mut self, samples: Vec<f32>) -> Vec<f32> {
        Running::process(self, samples)
    }
}

/// An effect of the chain: its name in requests, its settings, and how to make it natively.
struct Subject {
    alias: &'static str,
    settings: Settings,
    native: fn(Settings) -> Box<dyn Native>,
}

/// The order of the contract: first the pre chain, then the post chain.
const SUBJECTS: [Subject; 7] = [
    Subject {
        alias: "noiseGate",
        settings: &[("threshold_db", -30.0)],
        native: native::<vocalhost_noise_gate::NoiseGate>,
    },
    Subject {
        alias: "highPassFilter",
        settings: &[("cutoff_frequency_hz", 80.0)],
        native: native::<vocalhost_high_pass::HighPass>,
    },
    Subject {
        alias: "lowPassFilter",
        settings: &[("cutoff_frequency_hz", 12_000.0)],
        native: native::<vocalhost_low_pass::LowPass>,
    },
    Subject {
        alias: "compressor",
        settings: &[("threshold_db", -20.0), ("ratio", 4.0)],
        native: native::<vocalhost_compressor::Compressor>,
    },
    Subject {
        alias: "chorus",
        settings: &[],
        native: native::<vocalhost_chorus::Chorus>,
    },
    Subject {
        alias: "delay",
        settings: &[("delay_seconds", 0.3), ("feedback", 0.4)],
        native: native::<vocalhost_delay::Delay>,
    },
    Subject {
        alias: "reverb",
        settings: &[],
        native: native::<vocalhost_reverb::Reverb>,
    },
];

fn native<E: Effect>(settings: Settings) -> Box<dyn Native> {
    let config = Config {
        sample_rate: SAMPLE_RATE_HZ,
        layout: Layout {
            inputs: CHANNELS as u32,
            outputs: CHANNELS as u32,
        },
        max_frames: BLOCK_LENGTHS[BLOCK_LENGTHS.len() - 1] as u32,
        settings: settings
            .iter()
            .map(|(id, number)| Setting::new(id, Value::Number(*number)))
            .collect(),
    };
    Box::new(Running::<E>::new(&config).expect("the settings are legal"))
}

fn component(catalog: &Catalog, subject: &Subject) -> EffectStage {
    let settings: BTreeMap<_, _> = subject
        .settings
        .iter()
        .map(|(id, number)| ((*id).to_owned(), SettingValue::Number(*number)))
        .collect();
    let entry = catalog.find(subject.alias).expect("it is built in");
    let stream = StreamConfig {
        sample_rate_hz: SAMPLE_RATE_HZ,
        channels: CHANNELS,
        settings,
    };
    entry.effect.start(&stream).expect("the settings are legal")
}

/// A sum of sines: nothing in it ever becomes denormal.
fn sound(frames: usize) -> Vec<f32> {
    (0..CHANNELS * frames)
        .map(|index| {
            let time = (index % frames) as f32;
            0.3 * (0.031 * time).sin() + 0.2 * (0.17 * time).sin()
        })
        .collect()
}

fn run_components(stages: &mut [EffectStage], sound: &[f32]) -> Block {
    let block = Block::from_planar(CHANNELS, sound.to_vec());
    stages.iter_mut().fold(block, |block, stage| {
        stage.process(block).expect("built-in effects do not fail")
    })
}

fn run_natives(natives: &mut [Box<dyn Native>], sound: &[f32]) -> Vec<f32> {
    natives
        .iter_mut()
        .fold(sound.to_vec(), |samples, native| native.process(samples))
}

fn each_effect(criterion: &mut Criterion, catalog: &Catalog) {
    let sound = sound(BLOCK_FRAMES);
    for subject in &SUBJECTS {
        let mut group = criterion.benchmark_group(subject.alias);
        group.throughput(Throughput::Elements(BLOCK_FRAMES as u64));
        let mut stages = [component(catalog, subject)];
        group.bench_function("component", |bencher| {
            bencher.iter(|| run_components(&mut stages, black_box(&sound)));
        });
        let mut natives = [(subject.native)(subject.settings)];
        group.bench_function("native", |bencher| {
            bencher.iter(|| run_natives(&mut natives, black_box(&sound)));
        });
    }
}

fn chain_by_block_length(criterion: &mut Criterion, catalog: &Catalog) {
    let mut group = criterion.benchmark_group("chain");
    for frames in BLOCK_LENGTHS {
        let sound = sound(frames);
        group.throughput(Throughput::Elements(frames as u64));
        let mut stages: Vec<_> = SUBJECTS
            .iter()
            .map(|subject| component(catalog, subject))
            .collect();
        group.bench_function(BenchmarkId::new("component", frames), |bencher| {
            bencher.iter(|| run_components(&mut stages, black_box(&sound)));
        });
        let mut natives: Vec<_> = SUBJECTS
            .iter()
            .map(|subject| (subject.native)(subject.settings))
            .collect();
        group.bench_function(BenchmarkId::new("native", frames), |bencher| {
            bencher.iter(|| run_natives(&mut natives, black_box(&sound)));
        });
    }
}

fn effects(criterion: &mut Criterion) {
    let host = EffectHost::open(None, EffectLimits::default()).expect("the host opens");
    let catalog = Catalog::builtin(&host).expect("the built-in effects load");
    each_effect(criterion, &catalog);
    chain_by_block_length(criterion, &catalog);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    targets = effects
}
criterion_main!(benches);
