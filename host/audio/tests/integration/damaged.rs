//! Kinds of damage that the fuzz run of `tests/damaged` found.

use std::fs;

use vocalhost_audio::FindingKind;

use super::recording::{Scratch, Wav, decode_heard, decode_whole, fixture};

/// Where bytes first occur in a file.
pub fn place(bytes: &[u8], id: &[u8]) -> usize {
    let found = bytes.windows(id.len()).position(|found| found == id);
    found.expect("is there")
}

/// Frames that decoding a file gives.
pub fn frames(bytes: &[u8]) -> usize {
    decode_heard(Scratch::holding(bytes).path()).frames()
}

/// Where the frames of a stream of MPEG-2 begin.
fn mpeg2_frames(bytes: &[u8]) -> Vec<usize> {
    let places = 0..bytes.len() - 4;
    places
        .filter(|at| bytes[*at] == 0xff && bytes[at + 1] & 0xfe == 0xf2)
        .collect()
}

#[test]
fn frames_of_flac_go_over_what_the_header_says_of_them() {
    let bytes = fs::read(fixture("saw16.flac")).expect("the fixture");
    let whole = decode_whole(&fixture("saw16.flac"));
    // The least and the most samples of a frame, its bytes, then rate, channels and bits in one word.
    for at in [8, 9, 10, 11, 12, 15, 18, 19, 20] {
        let mut broken = bytes.clone();
        broken[at] ^= 0x14;
        let decoded = decode_heard(Scratch::holding(&broken).path());
        assert_eq!(decoded.info.sample_rate_hz, 44_100, "{at}");
        assert_eq!(decoded.channels, whole.channels, "{at}");
    }
}

#[test]
fn a_block_in_front_of_flac_that_reaches_into_the_sound_hides_none_of_it() {
    let bytes = fs::read(fixture("saw16.flac")).expect("the fixture");
    let whole = decode_whole(&fixture("saw16.flac"));
    let sound = place(&bytes, &[0xff, 0xf8]);
    for reach in [1, 100, (bytes.len() - sound) / 2] {
        // A padding block that claims to be longer than it is.
        let filling = [&[0x81, 0, 0, 0][..], &[0; 20]].concat();
        let mut broken = [&bytes[..sound], &filling, &bytes[sound..]].concat();
        let size = (20 + reach) as u32;
        broken[sound + 1..sound + 4].copy_from_slice(&size.to_be_bytes()[1..]);
        let mut at = 4;
        // None of these blocks is the last any more.
        while at < sound {
            broken[at] &= 0x7f;
            at += 4 + usize::from(bytes[at + 2]) * 256 + usize::from(bytes[at + 3]);
        }
        let decoded = decode_heard(Scratch::holding(&broken).path());
        assert!(decoded.channels == whole.channels, "{reach}");
    }
}

#[test]
fn the_first_block_of_flac_is_its_stream_information_whatever_it_says() {
    let bytes = fs::read(fixture("saw16.flac")).expect("the fixture");
    let whole = decode_whole(&fixture("saw16.flac"));
    for kind in [0x06, 0x86] {
        let mut broken = bytes.clone();
        broken[4] = kind;
        let decoded = decode_heard(Scratch::holding(&broken).path());
        assert!(decoded.channels == whole.channels, "{kind:x}");
    }
}

#[test]
fn two_frames_of_mp3_in_front_of_damage_are_of_the_stream() {
    let bytes = fs::read(fixture("sine_mpeg25.mp3")).expect("the fixture");
    let at = place(&bytes, &[0xff, 0xe3]);
    let sound = &bytes[at..];
    let length = place(&sound[4..], &sound[..2]) + 4;
    let (two, rest) = sound.split_at(2 * length);
    let broken = [&[0x3c; 20], two, &[0x3e; 300], rest].concat();
    let heard = frames(&broken);
    assert!(heard >= frames(sound), "{heard}");
}

#[test]
fn frames_of_mp3_that_are_broken_at_the_beginning_are_said() {
    let bytes = fs::read(fixture("sine_mpeg25.mp3")).expect("the fixture");
    let at = place(&bytes, &[0xff, 0xe3]);
    let length = place(&bytes[at + 4..], &[0xff, 0xe3]) + 4;
    let mut broken = bytes.clone();
    for frame in 0..4 {
        broken[at + frame * length] = 0;
    }
    let decoded = decode_heard(Scratch::holding(&broken).path());
    let (kind, at, _, reason) = decoded.finding();
    assert_eq!((kind, at), (FindingKind::Damaged, 0));
    assert!(reason.contains("in front of the first"), "{reason}");
}

#[test]
fn a_hole_of_mp3_is_as_long_as_its_bytes_where_the_end_is_missing_too() {
    let bytes = fs::read(fixture("sine_mpeg2_lame.mp3")).expect("the fixture");
    let all = decode_whole(&fixture("sine_mpeg2_lame.mp3")).frames();
    let begins = mpeg2_frames(&bytes);
    let count = begins.len();
    let mut broken = bytes[..begins[count * 3 / 4]].to_vec();
    broken[begins[5]..begins[7]].fill(0);
    broken.extend([0x3c; 500]);
    let decoded = decode_heard(Scratch::holding(&broken).path());
    let [hole, cut] = &decoded.findings[..] else {
        panic!("{:?}", decoded.findings);
    };
    let rate = f64::from(decoded.info.sample_rate_hz);
    let lost = hole.duration_s.map(|s| (s * rate).round() as usize);
    // Two frames, and the next one, whose bits begin in them.
    assert!(matches!(lost, Some(1_152 | 1_728)), "{lost:?}");
    assert_eq!(cut.kind, FindingKind::Cut);
    assert!(decoded.frames() < all * 4 / 5, "{}", decoded.frames());
}

#[test]
fn a_hole_of_mp3_with_room_for_frames_is_no_longer_for_what_is_cut_off() {
    let bytes = fs::read(fixture("sine_mpeg2_lame.mp3")).expect("the fixture");
    let begins = mpeg2_frames(&bytes);
    // Three frames are zeros; the file ends, between two frames, long before its tag says.
    let mut broken = bytes.clone();
    let count = begins.len() as u32 + 8;
    let tag = place(&broken, b"Info");
    broken[tag + 8..tag + 12].copy_from_slice(&count.to_be_bytes());
    broken[begins[5]..begins[8]].fill(0);
    let decoded = decode_heard(Scratch::holding(&broken).path());
    let [hole, cut] = &decoded.findings[..] else {
        panic!("{:?}", decoded.findings);
    };
    let rate = f64::from(decoded.info.sample_rate_hz);
    let lost = hole.duration_s.map(|s| (s * rate).round() as usize);
    // And the next one, whose bits begin in them.
    assert!(matches!(lost, Some(1_728 | 2_304)), "{lost:?}");
    assert_eq!(cut.kind, FindingKind::Cut);
}

#[test]
fn the_first_frames_of_mp3_far_behind_the_beginning_are_heard() {
    let bytes = fs::read(fixture("sine_shine.mp3")).expect("the fixture");
    let at = place(&bytes, &[0xff, 0xfb]);
    let second = at + 4 + place(&bytes[at + 4..], &bytes[at..at + 2]);
    let third = second + 4 + place(&bytes[second + 4..], &bytes[at..at + 2]);
    // Two frames, a byte too many, and the rest, behind 80 kB that are no sound.
    let broken = [
        &vec![0x3c; 80_000],
        &bytes[at..third],
        &[0x3e],
        &bytes[third..],
    ]
    .concat();
    let all = frames(&bytes[at..]);
    assert_eq!(frames(&broken), all);
}

#[test]
fn rubbish_that_looks_like_a_frame_in_front_of_a_tag_of_mp3_is_no_stream() {
    let bytes = fs::read(fixture("sine_mpeg25.mp3")).expect("the fixture");
    assert!(bytes.starts_with(b"ID3"));
    // A header of 44.1 kHz, whose frame ends where the tag begins.
    let mut rubbish = vec![0x3c; 100 + 417];
    rubbish[100..104].copy_from_slice(&[0xff, 0xfb, 0x90, 0x64]);
    assert_eq!(frames(&[rubbish, bytes.clone()].concat()), frames(&bytes));
}

#[test]
fn a_tag_of_mp3_that_says_of_a_footer_which_is_not_there_hides_no_frame() {
    let bytes = fs::read(fixture("sine_mpeg25.mp3")).expect("the fixture");
    let mut flagged = bytes.clone();
    flagged[5] |= 0x10;
    assert_eq!(frames(&flagged), frames(&bytes));
    let sound = place(&bytes, &[0xff, 0xe3]);
    let footer = [b"3DI", &flagged[3..10]].concat();
    flagged.splice(sound..sound, footer);
    assert_eq!(
        decode_whole(Scratch::holding(&flagged).path()).frames(),
        frames(&bytes)
    );
}

#[test]
fn a_format_chunk_of_wav_of_an_odd_size_is_a_byte_longer() {
    let wav = Wav::integers(16, vec![1; 400]);
    let mut bytes = wav.bytes();
    let size = place(&bytes, b"fmt ") + 4;
    bytes[size] = 15;
    assert_eq!(frames(&bytes), 200);
}

#[test]
fn a_frame_size_of_wav_that_no_samples_have_is_not_believed() {
    for frame_bytes in [41, 5, 1, 0, u16::MAX] {
        let wav = Wav {
            frame_bytes: Some(frame_bytes),
            ..Wav::integers(16, vec![1; 400])
        };
        assert_eq!(frames(&wav.bytes()), 200, "{frame_bytes}");
    }
}
