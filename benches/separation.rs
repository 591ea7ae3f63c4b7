//! Whole separations as times real time on one core.
//!
//! Promised on one core: a vocal separation (lead, harmony and reverb included) within 0.15 of the recording's length, a
//! stem split within 0.2. The time is that of the process's own processor, so that a busy machine does not change it.

use std::fs;
use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use rustix::time::{ClockId, clock_gettime};
use vocalhost_audio::{AudioLimits, Block, WavWriter};
use vocalhost_job::{JobStage, SeparationSpec};
use vocalhost_model::{Runtime, Separator, Task};
use vocalhost_pipeline::{Separation, Separators, Singing, separate};
use vocalhost_testing::repository;

const LIMITS: AudioLimits = AudioLimits {
    max_duration_s: 600.0,
};

/// A song in short: what a recording costs whatever its length, and what the last piece hears twice, count for little.
const SECONDS: u32 = 120;

struct Setting {
    effects: vocalhost_effects::Catalog,
    vocals: Separator,
    lead: Separator,
    stems: Separator,
    folder: tempfile::TempDir,
}

/// Time that this process has worked, all threads together.
fn worked() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

impl Setting {
    fn open() -> Self {
        let runtime = Runtime::load(None).expect("ONNX Runtime is installed by set-up");
        let models = repository("models");
        let models = vocalhost_model::Catalog::open(&[models]);
        let separator = |task| {
            let package = models.separator(task, &[]).expect("the repository has one");
            Separator::load(&runtime, package, &models, 1).expect("the separator loads")
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        for rate in [44_100, 48_000] {
            write_recording(&recording(folder.path(), rate), rate);
        }
        Self {
            effects: vocalhost_effects::Catalog::of(Vec::new()),
            vocals: separator(Task::Vocals),
            lead: separator(Task::Lead),
            stems: separator(Task::Stems),
            folder,
        }
    }

    /// Separates once and gives the processor's time of each pass: decoding, separating, encoding.
    fn run(&self, separators: Separators<'_>, rate: u32) -> [Duration; 3] {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let mut passes = [Duration::ZERO; 3];
        let (mut since, mut current) = (worked(), 0);
        let job = Separation {
            spec: &SeparationSpec::default(),
            input: &recording(self.folder.path(), rate),
            scratch: scratch.path(),
            effects: &self.effects,
            separators,
            limits: LIMITS,
            min_free_bytes: 0,
            threads: 1,
        };
        let result = separate(&job, &mut |progress| {
            passes[current] += worked().saturating_sub(since);
            since = worked();
            current = match progress.stage {
                JobStage::Queued | JobStage::Decoding | JobStage::Effects => 0,
                JobStage::Inference => 1,
                JobStage::Encoding | JobStage::Done => 2,
            };
        });
        black_box(result.expect("separates"));
        passes[current] += worked().saturating_sub(since);
        fs::remove_dir_all(scratch.path()).expect("the scratch folder is ours");
        passes
    }
}

fn recording(folder: &Path, rate: u32) -> PathBuf {
    folder.join(format!("{rate}.wav"))
}

/// Stereo noise under a chord, loud enough to be music and nowhere silent.
fn write_recording(path: &Path, rate: u32) {
    let mut writer = WavWriter::create(path, 2, rate).expect("creates");
    let mut state = 1_u32;
    for second in 0..SECONDS {
        let mut block = Block::silent(2, rate as usize);
        for channel in 0..2 {
            for (frame, sample) in block.channel_mut(channel).iter_mut().enumerate() {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let noise = (f64::from(state) / f64::from(u32::MAX) - 0.5) as f32;
                let time = second as f32 + frame as f32 / rate as f32;
                let chord: f32 = [220.0, 277.2, 329.6]
                    .map(|hz| (time * hz * std::f32::consts::TAU).sin())
                    .iter()
                    .sum();
                *sample = 0.1 * chord + 0.1 * noise;
            }
        }
        writer.write(&block).expect("writes");
    }
    writer.finish().expect("finishes");
}

fn separation(criterion: &mut Criterion) {
    let setting = Setting::open();
    let both = Separators::Vocals {
        vocals: &setting.vocals,
        singing: Some(Singing {
            lead: &setting.lead,
            reverb: &setting.lead,
        }),
    };
    writeln!(
        std::io::stdout(),
        "| {SECONDS} s, of real time by processor time | decoding | separating | encoding | whole |\n\
         |---|--:|--:|--:|--:|"
    )
    .expect("writes");
    let mut group = criterion.benchmark_group("separation");
    group.sample_size(10);
    for (name, separators) in [
        ("vocals", both),
        ("stems", Separators::Stems(&setting.stems)),
    ] {
        for rate in [44_100, 48_000] {
            let mut last = [Duration::ZERO; 3];
            group.bench_function(format!("{name}/{rate} Hz/whole"), |bencher| {
                bencher.iter_custom(|count| {
                    let runs = (0..count).map(|_| {
                        last = setting.run(separators, rate);
                        last.iter().sum::<Duration>()
                    });
                    runs.sum()
                });
            });
            let share = |time: &Duration| time.as_secs_f64() / f64::from(SECONDS);
            writeln!(
                std::io::stdout(),
                "| {name} at {rate} Hz | {:.3} | {:.3} | {:.3} | {:.3} |",
                share(&last[0]),
                share(&last[1]),
                share(&last[2]),
                last.iter().map(share).sum::<f64>(),
            )
            .expect("writes");
        }
    }
    group.finish();
}

criterion_group!(benches, separation);
criterion_main!(benches);
