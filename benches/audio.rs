//! How fast recordings are read, resampled and written. Criterion reports elements per second, which are frames:
//! divided by the sample rate of the row (44,100 unless it says otherwise) they are multiples of real time.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use vocalhost_audio::{
    AudioLimits, BLOCK_FRAMES, Block, Decoder, LoudnessMeter, Mp3Writer, Resampler, Stage,
    WavWriter,
};
use vocalhost_testing::repository;

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

fn write_wav(path: &Path, blocks: &[Block]) {
    let mut writer = WavWriter::create(path, 2, RATE_HZ).expect("creates");
    for block in blocks {
        writer.write(block).expect("writes");
    }
    writer.finish().expect("finishes");
}

fn write_mp3(path: &Path, blocks: &[Block]) {
    let mut writer = Mp3Writer::create(path, 2, RATE_HZ).expect("creates");
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
    let blocks = recording(RATE_HZ, SECONDS);
    let (wav, mp3) = (folder.path().join("a.wav"), folder.path().join("a.mp3"));
    write_wav(&wav, &blocks);
    write_mp3(&mp3, &blocks);
    // There is no FLAC encoder here: the fixture is short, and opening it is part of the figure.
    let flac = repository("tests/fixtures/audio/saw16.flac");
    let mut group = criterion.benchmark_group("decode");
    decode_one(&mut group, "wav 24 bit stereo", &wav);
    decode_one(&mut group, "mp3 192 kbit stereo", &mp3);
    decode_one(&mut group, "flac 16 bit stereo (0.14 s)", &flac);
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
    group.bench_function("wav 24 bit stereo", |bencher| {
        bencher.iter(|| write_wav(&path, &blocks));
    });
    group.bench_function("mp3 192 kbit stereo", |bencher| {
        bencher.iter(|| write_mp3(&path, &blocks));
    });
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
                let mut meter = LoudnessMeter::new(2, rate_hz, None).expect("a legal rate");
                for block in &blocks {
                    meter.listen(block).expect("listens");
                }
                black_box(meter.measured().expect("measures"))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, decode, encode, resample, loudness);
criterion_main!(benches);
