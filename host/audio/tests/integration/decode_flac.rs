//! The fixtures hold a saw: frame `n` of channel `c` is `(n * (37 + 14 c)) mod 2001 - 1000` times a scale. Raw samples
//! of it went through the Debian package `flac` 1.4.2:
//! `flac --best --no-padding --tag=TITLE=saw ... saw16.flac` (stereo, 44.1 kHz, 16 bit, scale 30) and
//! `flac --no-padding ... -c - | cat > saw24_unknown_length.flac` (mono, 48 kHz, 24 bit, scale 8000; a pipe keeps the
//! encoder from going back to state the length).

use std::fs;

use vocalhost_audio::{AudioLimits, DecodeError, InputFormat, probe};

use super::recording::{Scratch, TWO_HOURS, decode, decode_whole, decode_within, fixture, id3v2};

const FRAMES: usize = 6_000;

fn saw(channel: usize, scale: i64, bits: u32) -> Vec<f32> {
    (0..FRAMES as i64)
        .map(|n| ((n * (37 + 14 * channel as i64)) % 2_001 - 1_000) * scale)
        .map(|step| step as f32 / 2_f32.powi(bits as i32 - 1))
        .collect()
}

fn bytes() -> Vec<u8> {
    fs::read(fixture("saw16.flac")).expect("the fixture")
}

#[test]
fn sixteen_bits_come_back_bit_for_bit() {
    let decoded = decode_whole(&fixture("saw16.flac"));
    assert_eq!(decoded.info.format, InputFormat::Flac);
    assert_eq!(decoded.info.sample_rate_hz, 44_100);
    assert_eq!(decoded.channels, [saw(0, 30, 16), saw(1, 30, 16)]);
}

#[test]
fn an_unknown_length_is_counted_and_24_bits_come_back_bit_for_bit() {
    let path = fixture("saw24_unknown_length.flac");
    assert_eq!(
        probe(&path, &TWO_HOURS).expect("probes").frames,
        Some(FRAMES as u64)
    );
    assert_eq!(decode_whole(&path).channels, [saw(0, 8_000, 24)]);
    let limits = AudioLimits {
        max_duration_s: 0.1,
    };
    assert!(matches!(
        decode_within(&path, limits),
        Err(DecodeError::TooLong { .. })
    ));
}

#[test]
fn tags_in_front_and_behind_change_nothing() {
    let mut tagged = id3v2(300_000);
    tagged.extend(bytes());
    tagged.extend(b"TAG");
    tagged.resize(tagged.len() + 125, b' ');
    let scratch = Scratch::holding(&tagged);
    let decoded = decode_whole(scratch.path());
    assert_eq!(decoded.info.format, InputFormat::Flac);
    assert_eq!(decoded.channels[1], saw(1, 30, 16));
}

#[test]
fn a_picture_that_claims_gigabytes_is_stepped_over() {
    let mut bytes = bytes();
    // A block of type 6 with 40 bytes, whose inner lengths are all ones.
    let mut picture = vec![6, 0, 0, 40];
    picture.resize(44, 0xff);
    bytes.splice(42..42, picture);
    let scratch = Scratch::holding(&bytes);
    assert_eq!(decode_whole(scratch.path()).channels[0], saw(0, 30, 16));
}

#[test]
fn a_broken_frame_is_damage_at_its_position() {
    let whole = bytes();
    let mut broken = whole.clone();
    // The first frame, of 4,096, takes about two thirds of the file.
    let place = whole.len() * 5 / 6;
    broken[place] ^= 0x10;
    let scratch = Scratch::holding(&broken);
    let decoded = decode(scratch.path()).expect("opens");
    let Some(DecodeError::Damaged { at_s, .. }) = decoded.error else {
        panic!("{:?}", decoded.error);
    };
    assert!((at_s - decoded.frames() as f64 / 44_100.0).abs() < 1e-9);
    assert!(decoded.frames() > 0 && decoded.frames() < FRAMES);
    assert_eq!(
        decoded.channels[0],
        saw(0, 30, 16)[..decoded.frames()],
        "what came before is sound"
    );
}

#[test]
fn a_stream_shorter_than_its_header_says_is_damage_at_its_end() {
    let whole = bytes();
    let scratch = Scratch::holding(&whole[..whole.len() - 100]);
    let decoded = decode(scratch.path()).expect("opens");
    assert!(matches!(decoded.error, Some(DecodeError::Damaged { .. })));
    assert!(decoded.frames() > 0 && decoded.frames() < FRAMES);
}

#[test]
fn without_a_stated_length_a_cut_is_the_end_and_garbage_is_damage() {
    let whole = fs::read(fixture("saw24_unknown_length.flac")).expect("the fixture");
    let cut = Scratch::holding(&whole[..whole.len() - 100]);
    let decoded = decode_whole(cut.path());
    assert_eq!(decoded.channels[0], saw(0, 8_000, 24)[..decoded.frames()]);
    assert_eq!(decoded.frames(), 4_096);

    // More than a frame of 4,096 samples can have, whatever it is.
    for (more, byte) in [(300_000, 0x55), (20_000, 0)] {
        let mut broken = whole[..whole.len() - 100].to_vec();
        broken.resize(broken.len() + more, byte);
        let broken = Scratch::holding(&broken);
        let decoded = decode(broken.path()).expect("opens");
        assert!(matches!(decoded.error, Some(DecodeError::Damaged { .. })));
    }
}

#[test]
fn a_length_over_the_limit_is_refused_by_the_header() {
    let mut bytes = bytes();
    // The stream information begins at byte 8; its 36-bit length ends at byte 18 of it.
    bytes[8 + 13] |= 0xf;
    let scratch = Scratch::holding(&bytes);
    assert!(matches!(
        probe(scratch.path(), &TWO_HOURS),
        Err(DecodeError::TooLong { .. })
    ));
}

#[test]
fn a_header_without_frames_is_empty_or_undecodable() {
    let whole = bytes();
    for end in [42, 60] {
        let scratch = Scratch::holding(&whole[..end]);
        assert!(matches!(
            probe(scratch.path(), &TWO_HOURS),
            Err(DecodeError::Empty | DecodeError::Undecodable { .. })
        ));
    }
}
