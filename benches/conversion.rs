//! A whole conversion as times real time, and the share of each of its passes.

use std::fs;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use vocalhost_audio::{AudioLimits, Decoder};
use vocalhost_effects::{EffectHost, EffectLimits};
use vocalhost_job::{Chain, ChainItem, ConversionSpec, JobStage};
use vocalhost_model::{Runtime, VoiceConverter};
use vocalhost_pipeline::{Conversion, convert};
use vocalhost_testing::{job, repository};

const LIMITS: AudioLimits = AudioLimits {
    max_duration_s: 600.0,
};

struct Setting {
    effects: vocalhost_effects::Catalog,
    voice: VoiceConverter,
    recording: PathBuf,
    frames: u64,
}

impl Setting {
    fn open() -> Self {
        let host = EffectHost::open(None, EffectLimits::default()).expect("the host opens");
        let runtime = Runtime::load(None).expect("ONNX Runtime is installed by set-up");
        let models = vocalhost_model::Catalog::open(&[repository("models")]);
        let voice = models.voices().next().expect("the starter pack has voices");
        let recording = repository("tests/fixtures/sound/speech.mp3");
        let mut decoder = Decoder::open(&recording, &LIMITS).expect("the fixture decodes");
        let mut frames = 0;
        while let Some(block) = decoder.next_block().expect("the fixture decodes") {
            frames += block.frames() as u64;
        }
        Self {
            effects: vocalhost_effects::Catalog::builtin(&host).expect("the built-in effects load"),
            voice: VoiceConverter::load(&runtime, voice, &models, 1).expect("the voice loads"),
            recording,
            frames,
        }
    }

    fn chain(&self, names: &[&str]) -> Chain {
        let entries = names
            .iter()
            .map(|name| self.effects.find(name).expect("it is built in"));
        entries
            .map(|entry| ChainItem {
                id: entry.descriptor.id.clone(),
                version: entry.descriptor.version.clone(),
                digest: entry.digest.clone(),
                settings: std::collections::BTreeMap::new(),
            })
            .collect()
    }

    fn spec(&self, with_effects: bool) -> ConversionSpec {
        let chain = |names: &[&str]| {
            if with_effects {
                self.chain(names)
            } else {
                Chain::new()
            }
        };
        ConversionSpec {
            pre: chain(&["noiseGate", "highPassFilter", "lowPassFilter", "compressor"]),
            post: chain(&["compressor", "chorus", "delay", "reverb"]),
            ..job::conversion()
        }
    }

    /// Converts once and gives the time of each pass: decoding with the effects before the model, the model with the
    /// effects after it, encoding.
    fn run(&self, spec: &ConversionSpec) -> [Duration; 3] {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let mut passes = [Duration::ZERO; 3];
        let mut since = Instant::now();
        let mut current = 0;
        let job = Conversion {
            spec,
            input: &self.recording,
            backing: None,
            isolating: None,
            cleaning: &[],
            scratch: scratch.path(),
            effects: &self.effects,
            voice: &self.voice,
            limits: LIMITS,
            min_free_bytes: 0,
            threads: 1,
        };
        let result = convert(&job, &mut |progress| {
            let pass = match progress.stage {
                JobStage::Queued | JobStage::Decoding | JobStage::Effects => 0,
                JobStage::Inference => 1,
                JobStage::Encoding | JobStage::Done => 2,
            };
            passes[current] += since.elapsed();
            since = Instant::now();
            current = pass;
        });
        black_box(result.expect("converts"));
        passes[current] += since.elapsed();
        fs::remove_dir_all(scratch.path()).expect("the scratch folder is ours");
        passes
    }
}

fn conversion(criterion: &mut Criterion) {
    let setting = Setting::open();
    let mut group = criterion.benchmark_group("conversion");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(setting.frames));
    for (name, with_effects) in [("plain", false), ("eight effects", true)] {
        let spec = setting.spec(with_effects);
        for (pass, part) in ["decode and pre", "model and post", "encode"]
            .into_iter()
            .enumerate()
        {
            group.bench_function(format!("{name}/{part}"), |bencher| {
                bencher.iter_custom(|count| (0..count).map(|_| setting.run(&spec)[pass]).sum());
            });
        }
        group.bench_function(format!("{name}/whole"), |bencher| {
            bencher.iter(|| setting.run(&spec));
        });
    }
    group.finish();
}

criterion_group!(benches, conversion);
criterion_main!(benches);
