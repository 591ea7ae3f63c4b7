use std::fs;

use vocalhost::audio::{Mp3Writer, WavWriter};

use super::recording::{Scratch, blocks, chirp, decode_whole, lag};

fn wav(channels: &[Vec<f32>], sample_rate_hz: u32) -> Scratch {
    let scratch = Scratch::holding(&[]);
    let mut writer =
        WavWriter::create(scratch.path(), channels.len(), sample_rate_hz).expect("creates");
    for block in blocks(channels) {
        writer.write(&block).expect("writes");
    }
    writer.finish().expect("finishes");
    scratch
}

fn mp3(channels: &[Vec<f32>], sample_rate_hz: u32) -> Scratch {
    let scratch = Scratch::holding(&[]);
    let mut writer =
        Mp3Writer::create(scratch.path(), channels.len(), sample_rate_hz).expect("creates");
    for block in blocks(channels) {
        writer.write(&block).expect("writes");
    }
    writer.finish().expect("finishes");
    scratch
}

#[test]
fn twenty_four_bits_survive_the_round_trip_bit_for_bit() {
    let noise = |seed: u32| -> Vec<f32> {
        let mut state = seed;
        (0..20_001)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state as i32 >> 8) as f32 / 8_388_608.0
            })
            .collect()
    };
    for count in 1..=8 {
        let channels: Vec<_> = (1..=count).map(noise).collect();
        let first = wav(&channels, 44_100);
        let decoded = decode_whole(first.path());
        assert_eq!(decoded.channels, channels, "{count} channels");
        let second = wav(&decoded.channels, 44_100);
        assert_eq!(
            fs::read(first.path()).expect("reads"),
            fs::read(second.path()).expect("reads")
        );
    }
}

#[test]
fn one_and_two_channels_have_the_plain_header_and_more_the_extensible_one() {
    for (count, format, header_bytes) in [(1, 1, 44), (2, 1, 44), (3, 0xfffe, 96), (8, 0xfffe, 104)]
    {
        let frames = 101;
        let file = wav(&vec![vec![0.0; frames]; count], 32_000);
        let bytes = fs::read(file.path()).expect("reads");
        let data_bytes = frames * count * 3;
        let at = bytes
            .windows(4)
            .position(|name| name == b"fmt ")
            .expect("fmt")
            + 8;
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let long = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        assert_eq!(word(at), format);
        assert_eq!(usize::from(word(at + 2)), count);
        assert_eq!(long(at + 4), 32_000);
        assert_eq!(long(at + 8), 32_000 * 3 * count as u32);
        assert_eq!(usize::from(word(at + 12)), 3 * count);
        assert_eq!(word(at + 14), 24);
        let data = bytes
            .windows(4)
            .position(|name| name == b"data")
            .expect("data");
        assert_eq!(long(data + 4) as usize, data_bytes);
        assert_eq!(bytes.len(), data + 8 + data_bytes + data_bytes % 2);
        assert_eq!(long(4) as usize, bytes.len() - 8);
        if count <= 3 {
            assert!(data + 8 <= header_bytes);
        }
    }
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

#[test]
fn a_sound_that_is_nothing_still_makes_files() {
    let channels = vec![Vec::new()];
    assert_eq!(
        fs::read(wav(&channels, 8_000).path()).expect("reads").len(),
        44
    );
    mp3(&channels, 44_100);
}

#[test]
fn formats_refuse_channels_that_they_cannot_hold() {
    let scratch = Scratch::holding(&[]);
    for channels in [0, 9] {
        assert!(WavWriter::create(scratch.path(), channels, 44_100).is_err());
    }
    for channels in [0, 3] {
        assert!(Mp3Writer::create(scratch.path(), channels, 44_100).is_err());
    }
}
