//! Kinds of damage that the fuzz run of `tests/damaged` has met.

use std::fs;

use vocalhost_audio::FindingKind;

use super::recording::{Scratch, Wav, decode_heard, decode_whole, fixture};
use super::webm::{Cut, Opus, Webm};

const PACKETS: usize = 12;

/// Frames of that many packets, without what the encoder has added.
const HEARD: usize = PACKETS * 960 - 312;

fn webm() -> Webm {
    Webm {
        blocks_per_cluster: 4,
        has_times: true,
        ..Webm::of(&Opus::chirping(PACKETS))
    }
}

fn place(bytes: &[u8], id: &[u8]) -> usize {
    let found = bytes.windows(id.len()).position(|found| found == id);
    found.expect("is there")
}

fn frames(bytes: &[u8]) -> usize {
    decode_heard(Scratch::holding(bytes).path()).frames()
}

#[test]
fn a_webm_header_that_leads_past_its_tracks_does_not_hide_them() {
    // A table of places that says that it reaches into the first cluster, and one that nobody knows.
    for name in [b"\x11\x4d\x9b\x74", b"\x11\x4d\x9b\x75"] {
        let lie = [&name[..], b"\x01\0\0\0\0\0\x00\xe0"].concat();
        let webm = Webm {
            before_tracks: lie,
            ..webm()
        };
        let heard = frames(&webm.bytes());
        // What it leads into is lost.
        assert!((HEARD - 4 * 960..=HEARD).contains(&heard), "{heard}");
    }
    // A list of tracks beyond all measure in front of the real one.
    let webm = Webm {
        before_tracks: b"\x16\x54\xae\x6b\x01\0\0\0\x40\0\0\0".to_vec(),
        ..webm()
    };
    assert_eq!(frames(&webm.bytes()), HEARD);
}

#[test]
fn a_webm_file_whose_kind_has_a_wrong_letter_is_heard() {
    let mut bytes = webm().bytes();
    let at = place(&bytes, b"webm");
    bytes[at] ^= 0x20;
    assert_eq!(frames(&bytes), HEARD);
}

#[test]
fn a_header_of_opus_is_read_without_its_name_version_and_kind_of_mapping() {
    for at in [0, 8, 18] {
        let mut bytes = webm().bytes();
        let head = place(&bytes, b"OpusHead");
        bytes[head + at] ^= 0x31;
        assert_eq!(frames(&bytes), HEARD, "{at}");
    }
}

#[test]
fn a_coding_is_known_by_the_beginning_of_its_name() {
    let webm = Webm {
        codec: "A_OPUSV",
        ..webm()
    };
    assert_eq!(frames(&webm.bytes()), HEARD);
}

#[test]
fn a_cluster_without_its_name_is_heard() {
    for cut in [Cut::Stated, Cut::Unknown] {
        let mut bytes = Webm { cut, ..webm() }.bytes();
        let at = place(&bytes, b"\x1f\x43\xb6\x75");
        bytes[at + 3] ^= 1;
        assert_eq!(frames(&bytes), HEARD, "{cut:?}");
    }
}

#[test]
fn more_bytes_than_a_segment_says_hide_no_sound() {
    let mut bytes = webm().bytes();
    let at = place(&bytes, b"\x1f\x43\xb6\x75");
    let next = at + 4 + place(&bytes[at + 4..], b"\x1f\x43\xb6\x75");
    bytes.splice(next..next, [0x62; 3_000]);
    let decoded = decode_heard(Scratch::holding(&bytes).path());
    assert_eq!(decoded.frames(), HEARD);
    assert_eq!(decoded.finding().0, FindingKind::Damaged);
}

#[test]
fn rubbish_behind_a_block_with_a_wrong_time_is_no_sound() {
    let packets = Opus::chirping(PACKETS).packets;
    let mut bytes = webm().bytes();
    // The time of the block, and what stands behind its first bytes.
    let at = place(&bytes, &packets[5]);
    bytes[at - 3..at - 1].copy_from_slice(&[0x20, 0x20]);
    bytes.splice(at + packets[5].len()..at + packets[5].len(), [0xff; 4_000]);
    assert_eq!(frames(&bytes), HEARD);
}

#[test]
fn many_lists_of_tracks_that_are_none_take_no_time() {
    let lists = b"\x16\x54\xae\x6b\x01\0\0\0\0\x0f\0\0".repeat(200_000);
    let webm = Webm {
        before_tracks: lists,
        ..webm()
    };
    let scratch = Scratch::holding(&webm.bytes());
    assert!(super::recording::decode(scratch.path()).is_err());
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
fn a_frame_size_of_wav_that_no_samples_have_is_not_believed() {
    for frame_bytes in [41, 5, 1, 0, u16::MAX] {
        let wav = Wav {
            frame_bytes: Some(frame_bytes),
            ..Wav::integers(16, vec![1; 400])
        };
        assert_eq!(frames(&wav.bytes()), 200, "{frame_bytes}");
    }
}
