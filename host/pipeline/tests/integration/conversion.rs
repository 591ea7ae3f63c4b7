//! Whole conversions.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use vocalhost_job::{ConversionSpec, FailureCode, FileRole, JobResult, JobStage, Progress};
use vocalhost_model::{Runtime, VoiceConverter};
use vocalhost_pipeline::{Conversion, PipelineError, convert};
use vocalhost_testing::job::conversion;
use vocalhost_testing::{repository, sound};

use super::{EFFECTS, LIMITS, decoded, item, rms};

pub(super) static VOICE: LazyLock<VoiceConverter> = LazyLock::new(|| {
    let runtime = Runtime::load(None).expect("ONNX Runtime is installed by set-up");
    let models = vocalhost_model::Catalog::open(&[repository("models")]);
    let voice = models.voices().next().expect("the starter pack has voices");
    VoiceConverter::load(&runtime, voice, &models, 1).expect("the voice loads")
});

/// A conversion's result with its samples by channel.
struct Converted {
    result: JobResult,
    rate: u32,
    channels: Vec<Vec<f32>>,
    reports: Vec<Progress>,
}

fn run(recording: &[u8], spec: &ConversionSpec) -> Result<Converted, PipelineError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run_in(folder.path(), recording, spec, 0)
}

fn run_in(
    folder: &Path,
    recording: &[u8],
    spec: &ConversionSpec,
    min_free_bytes: u64,
) -> Result<Converted, PipelineError> {
    let input = folder.join("input");
    fs::write(&input, recording).expect("writes");
    let mut reports = Vec::new();
    let job = Conversion {
        spec,
        input: &input,
        backing: None,
        isolating: None,
        cleaning: &[],
        scratch: folder,
        effects: &EFFECTS,
        voice: &VOICE,
        limits: LIMITS,
        min_free_bytes,
        threads: 2,
    };
    let result = convert(&job, &mut |progress| reports.push(progress))?;
    let (rate, channels) = decoded(&folder.join("output.wav"));
    Ok(Converted {
        result,
        rate,
        channels,
        reports,
    })
}

#[test]
fn a_result_has_the_rate_and_the_exact_length_of_its_recording() {
    for (channels, rate, frames) in [
        (1, 8_000, 9_001),
        (2, 44_100, 60_007),
        (1, 48_000, 48_000),
        (6, 96_000, 100_003),
    ] {
        let mono = sound::sung(2.5, rate, 180.0);
        let recording = sound::wav_of(channels, rate, &mono[..frames.min(mono.len())]);
        let converted = run(&recording, &conversion()).expect("converts");
        assert_eq!(converted.rate, rate);
        assert_eq!(converted.channels.len(), usize::from(channels.min(2)));
        assert_eq!(
            converted.channels[0].len(),
            frames.min(mono.len()),
            "{channels} at {rate}"
        );
        assert!(rms(&converted.channels[0]) > 0.001, "there is sound");
    }
}

#[test]
fn the_voice_is_in_the_middle() {
    let recording = sound::wav_of(2, 22_050, &sound::sung(2.0, 22_050, 200.0));
    let converted = run(&recording, &conversion()).expect("converts");
    assert_eq!(converted.channels[0], converted.channels[1]);
}

#[test]
fn a_recording_of_opposite_sides_is_converted_like_one_of_equal_sides() {
    let sung = sound::sung(2.0, 22_050, 200.0);
    let pair = |polarity: f32| {
        let both = sung.iter().flat_map(|sample| [*sample, polarity * sample]);
        let recording = sound::wav(2, 22_050, &both.collect::<Vec<_>>());
        run(&recording, &conversion())
    };
    let equal = pair(1.0).expect("converts");
    let opposite = pair(-1.0).expect("converts");
    assert!(rms(&equal.channels[0]) > 0.001, "there is sound");
    assert_eq!(equal.channels, opposite.channels);
}

#[test]
fn the_same_seed_gives_the_same_samples_and_another_seed_others() {
    let recording = sound::wav_of(1, 32_000, &sound::sung(2.0, 32_000, 150.0));
    let first = run(&recording, &conversion()).expect("converts");
    let again = run(&recording, &conversion()).expect("converts");
    let other = run(
        &recording,
        &ConversionSpec {
            seed: 1,
            ..conversion()
        },
    )
    .expect("converts");
    assert_eq!(first.channels, again.channels);
    assert_ne!(first.channels, other.channels);
}

#[test]
fn silence_stays_silent() {
    let rate = 24_000;
    let recording = sound::wav_of(1, rate, &sound::sung(8.0, rate, 200.0));
    let converted = run(&recording, &conversion()).expect("converts");
    let second = rate as usize;
    let quiet = &converted.channels[0][second * 3 + second / 5..second * 4 - second / 5];
    assert!(rms(quiet) < 1e-4, "{} in a rest", rms(quiet));
    let all_silent =
        run(&sound::wav_of(1, rate, &vec![0.0; second]), &conversion()).expect("converts");
    assert!(all_silent.channels[0].iter().all(|sample| *sample == 0.0));
}

#[test]
fn effects_run_before_and_after_and_the_result_names_them() {
    let recording = sound::wav_of(1, 16_000, &sound::sung(3.0, 16_000, 200.0));
    let dry = run(&recording, &conversion()).expect("converts");
    let spec = ConversionSpec {
        pre: vec![
            item("noiseGate", &[("threshold_db", -70.0)]),
            item("highPassFilter", &[]),
        ],
        post: vec![item("lowPassFilter", &[("cutoff_frequency_hz", 30.0)])],
        ..conversion()
    };
    let wet = run(&recording, &spec).expect("converts");
    let ratio = rms(&wet.channels[0]) / rms(&dry.channels[0]);
    assert!(
        ratio < 0.3,
        "{ratio} is left of a voice an octave and more above the cut-off"
    );
    let ids: Vec<_> = wet
        .result
        .effects
        .iter()
        .map(|effect| effect.id.as_str())
        .collect();
    assert_eq!(
        ids,
        [
            "vocalhost.noise-gate",
            "vocalhost.high-pass",
            "vocalhost.low-pass"
        ]
    );
}

#[test]
fn a_gate_that_closes_on_everything_leaves_silence() {
    let recording = sound::wav_of(1, 16_000, &sound::sung(1.0, 16_000, 200.0));
    let gate = item("noiseGate", &[("threshold_db", 0.0), ("ratio", 100.0)]);
    let spec = ConversionSpec {
        pre: vec![gate],
        model_volume_mix: 0.0,
        ..conversion()
    };
    let open = run(
        &recording,
        &ConversionSpec {
            model_volume_mix: 0.0,
            ..conversion()
        },
    )
    .expect("converts");
    let closed = run(&recording, &spec).expect("converts");
    assert!(rms(&closed.channels[0]) < 0.01 * rms(&open.channels[0]));
}

#[test]
fn progress_never_falls_and_ends_at_the_whole() {
    let recording = sound::wav_of(1, 16_000, &sound::sung(4.0, 16_000, 200.0));
    let reports = run(&recording, &conversion()).expect("converts").reports;
    assert!(
        reports
            .windows(2)
            .all(|pair| pair[0].percent <= pair[1].percent)
    );
    assert!(
        reports
            .windows(2)
            .all(|pair| pair[0].stage <= pair[1].stage)
    );
    let last = reports.last().expect("there are reports");
    assert_eq!(last.stage, JobStage::Encoding);
    assert!((last.percent - 100.0).abs() < 1e-9);
}

#[test]
fn the_files_are_described_as_they_are() {
    let recording = sound::wav_of(1, 44_100, &sound::sung(1.0, 44_100, 200.0));
    let files = run(&recording, &conversion())
        .expect("converts")
        .result
        .files;
    let roles: Vec<_> = files.iter().map(|file| file.role).collect();
    assert_eq!(roles, [FileRole::Output, FileRole::LossyOutput]);
    let contents: Option<Vec<_>> = files.iter().map(|file| file.content.as_ref()).collect();
    let contents = contents.expect("all are made");
    assert_eq!(contents[0].bytes, 44 + 44_100 * 3);
    assert!(
        contents
            .iter()
            .all(|content| content.sha256.len() == 64 && content.bytes > 0)
    );
}

#[test]
fn a_chain_pinned_to_an_effect_that_is_gone_fails_by_name() {
    let mut gone = item("delay", &[]);
    gone.version = "0.0.1".to_owned();
    let spec = ConversionSpec {
        post: vec![gone],
        ..conversion()
    };
    let recording = sound::wav_of(1, 16_000, &sound::sung(0.5, 16_000, 200.0));
    let error = run(&recording, &spec)
        .map(|_| ())
        .expect_err("there is no such version");
    assert!(
        error.failure().message.contains("vocalhost.delay 0.0.1"),
        "{}",
        error.failure().message
    );
}

#[test]
fn a_recording_that_the_disk_has_no_room_for_is_refused_before_it_is_decoded() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let recording = sound::wav_of(1, 16_000, &sound::sung(0.5, 16_000, 200.0));
    let error = run_in(folder.path(), &recording, &conversion(), u64::MAX);
    let error = error.err().expect("no disk is as large");
    assert_eq!(error.failure().code, FailureCode::OutOfSpace, "{error}");
    let spool = fs::metadata(folder.path().join("source.f32"));
    assert!(spool.is_err(), "nothing was written");
}
