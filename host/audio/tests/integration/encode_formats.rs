//! Every format that a result may come as, written and read again.

use std::fs;

use vocalhost_audio::{FileFormat, WavSamples};

use super::recording::{Scratch, blocks, chirp, decode_whole, lag};

fn written(format: FileFormat, channels: &[Vec<f32>], sample_rate_hz: u32) -> Scratch {
    let scratch = Scratch::holding(&[]);
    let writer = format.create(scratch.path(), channels.len(), sample_rate_hz);
    let mut writer = writer.expect("creates");
    for block in blocks(channels) {
        writer.write(&block).expect("writes");
    }
    writer.finish().expect("finishes");
    scratch
}

/// Whole steps of `bits` bits, all over the range.
fn noise(seed: u32, bits: u32, frames: usize) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state as i32 >> (32 - bits)) as f32 / (1_u32 << (bits - 1)) as f32
    };
    (0..frames).map(|_| next()).collect()
}

#[test]
fn what_is_lossless_survives_bit_for_bit() {
    for (format, bits) in [
        (FileFormat::Wav(WavSamples::Int16), 16),
        (FileFormat::Wav(WavSamples::Int24), 24),
        (FileFormat::Flac, 24),
    ] {
        for rate_hz in [8_000, 44_100, 192_000] {
            for count in [1, 2] {
                let channels: Vec<_> = (1..=count).map(|seed| noise(seed, bits, 20_001)).collect();
                let decoded = decode_whole(written(format, &channels, rate_hz).path());
                assert_eq!(decoded.info.sample_rate_hz, rate_hz);
                assert_eq!(decoded.channels, channels, "{format:?} at {rate_hz}");
            }
        }
    }
}

#[test]
fn floats_keep_what_lies_beyond_full_scale() {
    let channels: Vec<Vec<f32>> = [1, 2]
        .map(|seed| {
            noise(seed, 24, 5_000)
                .iter()
                .map(|sample| sample * 2.5)
                .collect()
        })
        .into();
    let file = written(FileFormat::Wav(WavSamples::Float32), &channels, 48_000);
    let bytes = fs::read(file.path()).expect("reads");
    assert_eq!(bytes.len(), 58 + 5_000 * 8);
    assert_eq!(
        (&bytes[20..22], &bytes[38..42]),
        (&[3, 0][..], &b"fact"[..])
    );
    assert_eq!(decode_whole(file.path()).channels, channels);
}

#[test]
fn no_sound_makes_a_flac_file_much_larger_than_its_samples() {
    let frames = 48_000;
    let square = |period: usize| -> Vec<f32> {
        (0..frames)
            .map(|at| if at % period < period / 2 { 1.0 } else { -1.0 })
            .collect()
    };
    let impulses: Vec<f32> = (0..frames).map(|at| f32::from(at % 97 == 0)).collect();
    for channels in [
        vec![noise(1, 24, frames), noise(2, 24, frames)],
        vec![square(2), square(3)],
        vec![square(100), noise(3, 24, frames)],
        vec![impulses],
    ] {
        let file = written(FileFormat::Flac, &channels, 48_000);
        let bytes = fs::metadata(file.path()).expect("is there").len() as usize;
        let samples = channels.len() * frames * 3;
        assert!(
            bytes < samples + samples / 100 + 10_000,
            "{bytes} of {samples}"
        );
    }
    let silence = written(FileFormat::Flac, &[vec![0.0; frames]], 48_000);
    assert!(fs::metadata(silence.path()).expect("is there").len() < 10_000);
}

#[test]
fn nothing_at_all_is_still_a_file() {
    for format in [
        FileFormat::Wav(WavSamples::Float32),
        FileFormat::Opus { kbps: None },
    ] {
        let file = written(format, &[Vec::new()], 44_100);
        assert!(
            !fs::read(file.path()).expect("reads").is_empty(),
            "{format:?}"
        );
    }
}

#[test]
fn opus_has_the_exact_length_and_place() {
    for (rate_hz, frames) in [
        (48_000, 48_000),
        (48_000, 959),
        (48_000, 960),
        (44_100, 44_100),
        (8_000, 12_345),
    ] {
        for count in [1, 2] {
            let channels = vec![chirp(rate_hz, frames); count];
            let file = written(FileFormat::Opus { kbps: None }, &channels, rate_hz);
            let bytes = fs::read(file.path()).expect("reads");
            let (decoded, head) = ruopus::decode_ogg_opus(&bytes).expect("decodes");
            let expected = (frames as u64 * 48_000).div_ceil(u64::from(rate_hz)) as usize;
            let decoded: Vec<f32> = decoded.into_iter().step_by(count).collect();
            assert!(
                decoded.len().abs_diff(expected) <= 1,
                "{} {expected}",
                decoded.len()
            );
            assert_eq!(usize::from(head.channel_count), count);
            if frames > 40_000 {
                assert_eq!(lag(&decoded, &chirp(48_000, 48_000)), 0, "{rate_hz} Hz");
            }
        }
    }
}

#[test]
fn opus_follows_the_bit_rate() {
    let size = |kbps| {
        let channels = [chirp(48_000, 96_000), noise(1, 16, 96_000)];
        let file = written(FileFormat::Opus { kbps: Some(kbps) }, &channels, 48_000);
        fs::metadata(file.path()).expect("is there").len() as f64
    };
    let ratio = size(192) / size(64);
    assert!((2.0..4.0).contains(&ratio), "{ratio}");
}

#[cfg(feature = "mp3")]
#[test]
fn every_mp3_bit_rate_is_kept() {
    let channels = vec![chirp(44_100, 44_100); 2];
    for kbps in vocalhost_audio::MP3_KBPS {
        let file = written(FileFormat::Mp3 { kbps }, &channels, 44_100);
        let bytes = fs::metadata(file.path()).expect("is there").len() as f64;
        let nominal = f64::from(kbps) * 125.0;
        assert!((bytes / nominal - 1.0).abs() < 0.1, "{bytes} at {kbps}");
        assert_eq!(decode_whole(file.path()).frames(), 44_100);
    }
}
