use std::fs;

use vocalhost_audio::{MP3_DEFAULT_KBPS, MP3_KBPS, Mp3Writer};

use super::recording::{Scratch, blocks, chirp, decode_whole, lag};

fn mp3(channels: &[Vec<f32>], sample_rate_hz: u32) -> Scratch {
    mp3_at(MP3_DEFAULT_KBPS, channels, sample_rate_hz)
}

fn mp3_at(kbps: u32, channels: &[Vec<f32>], sample_rate_hz: u32) -> Scratch {
    let scratch = Scratch::holding(&[]);
    let mut writer = Mp3Writer::create_at(kbps, scratch.path(), channels.len(), sample_rate_hz)
        .expect("creates");
    for block in blocks(channels) {
        writer.write(&block).expect("writes");
    }
    writer.finish().expect("finishes");
    scratch
}

#[test]
fn an_mp3_of_a_kept_rate_has_the_same_length_and_place() {
    for rate_hz in [32_000, 44_100, 48_000] {
        // Every remainder of a frame that matters: just below, at and above whole ones.
        for frames in [1_151, 1_152, 1_153, 44_100, 50_001] {
            for count in [1, 2] {
                let channels = vec![chirp(rate_hz, frames); count];
                let file = mp3(&channels, rate_hz);
                let decoded = decode_whole(file.path());
                assert_eq!(decoded.frames(), frames, "{rate_hz} Hz, {count} channels");
                assert_eq!(decoded.info.channels, count);
                assert_eq!(decoded.info.sample_rate_hz, rate_hz);
                if frames == 44_100 {
                    assert_eq!(lag(&decoded.channels[0], &channels[0]), 0, "{rate_hz} Hz");
                }
            }
        }
    }
}

#[test]
fn an_mp3_of_another_rate_is_resampled_and_keeps_its_length_in_time() {
    for (rate_hz, mp3_rate_hz) in [(8_000, 32_000), (22_050, 44_100), (96_000, 48_000)] {
        let channels = vec![chirp(rate_hz, rate_hz as usize)];
        let file = mp3(&channels, rate_hz);
        let decoded = decode_whole(file.path());
        assert_eq!(decoded.info.sample_rate_hz, mp3_rate_hz);
        assert_eq!(decoded.frames(), mp3_rate_hz as usize);
        let reference = chirp(mp3_rate_hz, mp3_rate_hz as usize);
        assert_eq!(lag(&decoded.channels[0], &reference), 0, "{rate_hz} Hz");
    }
}

#[test]
fn an_mp3_is_192_kbit_constant_behind_its_information_frame() {
    let file = mp3(&vec![chirp(44_100, 44_100); 2], 44_100);
    let bytes = fs::read(file.path()).expect("reads");
    assert_eq!(bytes[..2], [0xff, 0xfb]);
    assert_eq!(&bytes[36..40], b"Info");
    let mut at = 0;
    let mut frames = 0;
    while at < bytes.len() {
        assert_eq!(bytes[at..at + 2], [0xff, 0xfb]);
        assert_eq!(bytes[at + 2] >> 4, 11, "the table's entry for 192 kbit/s");
        assert_eq!(bytes[at + 3] >> 6, 1, "joint stereo");
        at += 144 * 192_000 / 44_100 + usize::from((bytes[at + 2] >> 1) & 1);
        frames += 1;
    }
    assert_eq!(at, bytes.len());
    assert!(frames > 38);
}

fn energy(samples: &[f32]) -> f64 {
    samples
        .iter()
        .map(|sample| f64::from(sample * sample))
        .sum()
}

#[test]
fn the_level_is_kept_within_a_twentieth_of_a_decibel() {
    for count in [1, 2] {
        let channels = vec![chirp(48_000, 48_000); count];
        for kbps in MP3_KBPS {
            let decoded = decode_whole(mp3_at(kbps, &channels, 48_000).path());
            let change_db = 10.0 * (energy(&decoded.channels[0]) / energy(&channels[0])).log10();
            assert!(
                change_db.abs() < 0.05,
                "{count} channels, {kbps} kbit/s: {change_db:.3} dB"
            );
        }
    }
}

#[test]
fn a_stereo_mp3_keeps_its_sides_apart() {
    let channels = [chirp(44_100, 30_000), vec![0.0; 30_000]];
    let decoded = decode_whole(mp3(&channels, 44_100).path());
    let leaked_db = 10.0 * (energy(&decoded.channels[1]) / energy(&decoded.channels[0])).log10();
    assert!(leaked_db < -30.0, "{leaked_db:.1} dB");
}

#[test]
fn no_frames_make_a_file_without_error() {
    mp3(&[Vec::new()], 44_100);
}

#[test]
fn channels_beyond_two_are_refused() {
    let scratch = Scratch::holding(&[]);
    for channels in [0, 3] {
        assert!(Mp3Writer::create(scratch.path(), channels, 44_100).is_err());
    }
}
