use super::*;
use crate::{Catalog, Runtime, VoiceConverter, VoiceKnobs};
use vocalhost_audio::{Block, Spool, SpoolWriter};
use vocalhost_testing::repository;
use vocalhost_testing::sound;

const PARAMETERS: ConversionParameters = ConversionParameters {
    conversion_strength: 0.5,
    model_volume_mix: 1.0,
    pitch_shift: 0.0,
    auto_pitch: false,
    seed: 7,
};

fn voice() -> VoiceConverter {
    voice_with(&VoiceKnobs::default())
}

fn voice_with(knobs: &VoiceKnobs) -> VoiceConverter {
    let catalog = Catalog::open(&[repository("models")]);
    let package = catalog.find("vocalhost.oak-5").expect("the starter pack");
    let runtime = Runtime::load(None).expect("the set-up has installed the library");
    VoiceConverter::load_with(&runtime, package, &catalog, 1, knobs).expect("loads")
}

/// Singing with a pause, three seconds and a bit.
fn recording() -> Vec<f32> {
    let sung = sound::sung(1.5, 16_000, 180.0);
    [&sung[..], &vec![0.0; 4_000], &sung[..], &[0.01; 123]].concat()
}

fn live(voice: &VoiceConverter, times: LiveTimes, samples: &[f32], piece: usize) -> Vec<f32> {
    let mut live = voice.live(times, PARAMETERS, None).expect("not of RVC");
    let mut out = Vec::new();
    for piece in samples.chunks(piece) {
        out.extend(live.push(piece).expect("it speaks"));
    }
    assert!(live.input_rms().is_some());
    out.extend(live.finish().expect("it speaks"));
    out
}

fn offline(voice: &VoiceConverter, samples: &[f32]) -> Vec<f32> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = SpoolWriter::create(&folder.path().join("spool"), 1, 16_000).expect("made");
    let block = Block::from_planar(1, samples.to_vec());
    writer.write(&block).expect("written");
    let spool: Spool = writer.finish().expect("complete");
    let mut out = Vec::new();
    let mut keep = |block: Block| -> Result<(), ModelError> {
        out.extend(block.channel(0));
        Ok(())
    };
    let done = voice.convert(&spool, &PARAMETERS, &mut keep, &mut |_| {});
    done.expect("it speaks");
    out
}

/// RMS of each 50 ms, in decibels.
fn envelope(samples: &[f32]) -> Vec<f64> {
    let of = |piece: &[f32]| {
        let sum: f64 = piece.iter().map(|x| f64::from(*x).powi(2)).sum();
        10.0 * (sum / piece.len() as f64 + 1e-10).log10()
    };
    samples.chunks(1_600).map(of).collect()
}

#[test]
fn what_comes_out_is_as_long_the_same_however_it_came_and_near_to_a_recording_s() {
    let (voice, recording) = (voice(), recording());
    let times = LiveTimes::new(80, 160).expect("within bounds");
    assert_eq!(times.latency_ms(), 240);
    let by_blocks = live(&voice, times, &recording, 320);
    assert_eq!(by_blocks.len(), 2 * recording.len());
    let by_odd_pieces = live(&voice, times, &recording, 1_237);
    assert!(
        by_blocks == by_odd_pieces,
        "it depends on how sound was cut"
    );

    let whole = offline(&voice, &recording);
    assert_eq!(whole.len(), by_blocks.len());
    let mean = apart(&by_blocks, &whole);
    assert!(mean < 3.0, "{mean} dB");
    // The pause is silent.
    let pause = &by_blocks[2 * 25_500..2 * 27_000];
    assert!(pause.iter().all(|sample| sample.abs() < 1e-3));
}

/// The difference in level of two sounds, in decibels, where the second sounds, from when the level is known.
fn apart(found: &[f32], wanted: &[f32]) -> f64 {
    let pairs = envelope(found).into_iter().zip(envelope(wanted)).skip(10);
    let sounding = pairs.filter(|(_, wanted)| *wanted > -50.0);
    let off: Vec<f64> = sounding
        .map(|(found, wanted)| (found - wanted).abs())
        .collect();
    assert!(off.len() > 30, "{}", off.len());
    off.iter().sum::<f64>() / off.len() as f64
}

#[test]
fn short_times_are_heard_by_what_was_made_for_them() {
    let knobs = VoiceKnobs {
        live: true,
        ..VoiceKnobs::default()
    };
    let (own, voice, recording) = (voice(), voice_with(&knobs), recording());
    let ids = |voice: &VoiceConverter| -> Vec<String> {
        let packages = voice.packages().iter();
        packages.map(|package| package.id.clone()).collect()
    };
    for id in ["vocalhost.content-live-2", "vocalhost.f0-live-1"] {
        assert!(ids(&voice).contains(&id.to_owned()), "{id}");
        assert!(!ids(&own).contains(&id.to_owned()), "{id}");
    }
    let short = LiveTimes::new(80, 80).expect("within bounds");
    let spoken = live(&voice, short, &recording, 320);
    assert_eq!(spoken.len(), 2 * recording.len());
    assert!(
        spoken != live(&own, short, &recording, 320),
        "another encoder"
    );
    let mean = apart(&spoken, &offline(&own, &recording));
    assert!(mean < 3.5, "{mean} dB");
    // More than they give at once.
    let long = LiveTimes::new(240, 320).expect("within bounds");
    assert!(live(&voice, long, &recording, 320) == live(&own, long, &recording, 320));
}

#[test]
fn blocks_join_without_clicks() {
    let (voice, recording) = (voice(), sound::sung(2.0, 16_000, 180.0));
    let times = LiveTimes::new(40, 160).expect("within bounds");
    let spoken = live(&voice, times, &recording, 640);
    let block = 40 * 32;
    let steps: Vec<f32> = spoken
        .windows(2)
        .map(|two| (two[1] - two[0]).abs())
        .collect();
    let at_joins = (10..40).map(|number| &steps[number * block - 4..number * block + 4]);
    let at_joins = at_joins.flatten().copied().fold(0.0, f32::max);
    let all = steps[10 * block..40 * block]
        .iter()
        .copied()
        .fold(0.0, f32::max);
    assert!(at_joins <= all, "{at_joins} {all}");
    let mut sorted = steps.clone();
    sorted.sort_by(f32::total_cmp);
    let usual = sorted[sorted.len() * 99 / 100];
    assert!(at_joins < 3.0 * usual, "{at_joins} {usual}");
}

#[test]
fn times_are_whole_content_frames_within_bounds() {
    let ms = |block, look_ahead| LiveTimes::new(block, look_ahead).map(LiveTimes::latency_ms);
    assert_eq!(ms(40, 160), Some(200));
    assert_eq!(ms(41, 159), Some(220));
    assert_eq!(ms(10, 160), None);
    assert_eq!(ms(40, 3_000), None);
}
