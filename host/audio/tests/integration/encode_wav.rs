use std::fs;

use vocalhost_audio::WavWriter;

use super::recording::{Scratch, blocks, decode_whole};

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
fn no_frames_make_a_header_alone() {
    let file = wav(&[Vec::new()], 8_000);
    assert_eq!(fs::read(file.path()).expect("reads").len(), 44);
}

#[test]
fn channels_beyond_eight_are_refused() {
    let scratch = Scratch::holding(&[]);
    for channels in [0, 9] {
        assert!(WavWriter::create(scratch.path(), channels, 44_100).is_err());
    }
}
