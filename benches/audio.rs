//! How fast recordings are read, resampled and written. Criterion reports elements per second, which are frames:
//! divided by the sample rate of the row (44,100 unless it says otherwise) they are multiples of real time.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use vocalhost_audio::{
    AudioLimits, BLOCK_FRAMES, Block, Decoder, FileFormat, LoudnessMeter, Resampler, Stage,
    WavSamples,
};

const RATE_HZ: u32 = 44_100;

/// Long enough that opening a file does not count.
const SECONDS: usize = 20;

/// Two channels of tones with noise over them, so that no codec has an easy time.
fn recording(sample_rate_hz: u32, seconds: usize) -> Vec<Block> {
    let frames = sample_rate_hz as usize * seconds;
    let mut noise = 1_u32;
    let mut sample = |frame: usize, pitch_hz: f64| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let t = frame as f64 / f64::from(sample_rate_hz);
        let tone = (std::f64::consts::TAU * pitch_hz * t).sin() * (1.0 + (3.0 * t).sin()) * 0.2;
        tone as f32 + (noise as i32) as f32 / 2_147_483_648.0 * 0.02
    };
    (0..frames)
        .step_by(BLOCK_FRAMES)
        .map(|start| {
            let end = (start + BLOCK_FRAMES).min(frames);
            let left: Vec<f32> = (start..end).map(|frame| sample(frame, 220.0)).collect();
            let right = (start..end).map(|frame| sample(frame, 331.0));
            Block::from_planar(2, left.iter().copied().chain(right).collect())
        })
        .collect()
}

/// What results may be written as.
const FORMATS: [(&str, FileFormat); 4] = [
    ("wav 24 bit stereo", FileFormat::Wav(WavSamples::Int24)),
    ("mp3 192 kbit stereo", FileFormat::Mp3 { kbps: 192 }),
    ("flac 24 bit stereo", FileFormat::Flac),
    ("opus 192 kbit stereo", FileFormat::Opus { kbps: Some(192) }),
];

fn write(format: FileFormat, path: &Path, blocks: &[Block]) {
    let mut writer = format.create(path, 2, RATE_HZ).expect("creates");
    for block in blocks {
        writer.write(block).expect("writes");
    }
    writer.finish().expect("finishes");
}

fn read(path: &Path) -> u64 {
    let limits = AudioLimits {
        max_duration_s: 7_200.0,
    };
    let mut decoder = Decoder::open(path, &limits).expect("opens");
    let mut frames = 0;
    while let Some(block) = decoder.next_block().expect("decodes") {
        frames += black_box(block).frames() as u64;
    }
    frames
}

fn decode_one(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, path: &Path) {
    group.throughput(Throughput::Elements(read(path)));
    group.bench_function(name, |bencher| bencher.iter(|| read(path)));
}

fn decode(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("result");
    let blocks = recording(RATE_HZ, SECONDS);
    let mut group = criterion.benchmark_group("decode");
    // Recordings come as Opus in WebM alone.
    for (name, format) in &FORMATS[..3] {
        write(*format, &path, &blocks);
        decode_one(&mut group, name, &path);
    }
    group.finish();
}

fn encode(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("result");
    let blocks = recording(RATE_HZ, SECONDS);
    let frames = blocks.iter().map(|block| block.frames() as u64).sum();
    let mut group = criterion.benchmark_group("encode");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(15));
    group.throughput(Throughput::Elements(frames));
    for (name, format) in FORMATS {
        group.bench_function(name, |bencher| {
            bencher.iter(|| write(format, &path, &blocks));
        });
    }
    group.finish();
}

fn resample(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("resample stereo");
    for (from_hz, to_hz) in [
        (44_100, 16_000),
        (16_000, 44_100),
        (44_100, 48_000),
        (192_000, 48_000),
        (44_100, 47_999),
    ] {
        let blocks = recording(from_hz, 5);
        let frames = blocks.iter().map(|block| block.frames() as u64).sum();
        group.throughput(Throughput::Elements(frames));
        group.bench_function(format!("{from_hz} to {to_hz} Hz"), |bencher| {
            bencher.iter(|| {
                let mut resampler = Resampler::new(2, from_hz, to_hz).expect("legal rates");
                for block in &blocks {
                    black_box(resampler.process(block.clone()).expect("converts"));
                }
                black_box(resampler.flush().expect("converts"));
            });
        });
    }
    group.finish();
}

fn loudness(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("loudness stereo");
    for rate_hz in [44_100, 48_000, 96_000, 192_000] {
        let blocks = recording(rate_hz, SECONDS);
        let frames = blocks.iter().map(|block| block.frames() as u64).sum();
        group.throughput(Throughput::Elements(frames));
        group.bench_function(format!("{rate_hz} Hz"), |bencher| {
            bencher.iter(|| {
                let mut meter = LoudnessMeter::new(2, rate_hz, None);
                for block in &blocks {
                    meter.listen(block);
                }
                black_box(meter.measured())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, decode, encode, resample, loudness);
criterion_main!(benches);
