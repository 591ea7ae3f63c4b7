//! The fixtures hold a sine of 441 Hz, made as raw 16-bit samples and encoded with other programs:
//! `sine_mpeg2_lame.mp3` with Debian's `lame` 3.100 (`lame -r -s 22.05 -m m -b 64`, 5,512 frames),
//! `sine_mpeg25.mp3` with the same (`-s 8 -b 16 --add-id3v2`, 4,000 frames; too little room for a LAME tag), and
//! `sine_shine.mp3` with the independent encoder Shine in Debian's `ffmpeg` 5.1 (`-c:a libshine -b:a 64k
//! -write_xing 0`, 11,025 frames at 44.1 kHz).

use std::fs;

use vocalhost_audio::{AudioLimits, DecodeError, FindingKind, InputFormat, probe};

use super::recording::{
    Scratch, TWO_HOURS, decode, decode_heard, decode_strictly, decode_whole, decode_within,
    fixture, id3v2, lag, sine,
};

/// MPEG-2.5 and a LAME-less stream, MPEG-1 of another encoder, MPEG-2 with a LAME tag.
const FIXTURES: [&str; 3] = ["sine_mpeg25.mp3", "sine_shine.mp3", "sine_mpeg2_lame.mp3"];

fn bytes(name: &str) -> Vec<u8> {
    fs::read(fixture(name)).expect("the fixture")
}

#[test]
fn each_version_of_mpeg_decodes_to_what_ffmpeg_makes_of_it() {
    // Rate, frames and the peak of the middle third, by `ffmpeg -i ... -f f32le`. (Shine at this bit rate is loud.)
    let by_ffmpeg = [
        (8_000, 5_184, 0.464_027_7),
        (44_100, 10_368, 0.549_354_1),
        (22_050, 5_512, 0.462_946_1),
    ];
    for (name, (rate_hz, frames, peak)) in FIXTURES.iter().zip(by_ffmpeg) {
        let decoded = decode_whole(&fixture(name));
        assert_eq!(decoded.info.format, InputFormat::Mp3);
        assert_eq!(decoded.info.sample_rate_hz, rate_hz);
        assert_eq!(decoded.frames(), frames, "{name}");
        let sound = &decoded.channels[0];
        let middle = &sound[frames / 3..frames * 2 / 3];
        let period = f64::from(rate_hz) / 441.0;
        let crossings = middle
            .windows(2)
            .filter(|pair| pair[0] < 0.0 && pair[1] >= 0.0)
            .count() as f64;
        assert!(
            (crossings - middle.len() as f64 / period).abs() <= 1.0,
            "{name}"
        );
        let loudest = middle.iter().fold(0.0_f32, |peak, s| peak.max(s.abs()));
        assert!((loudest - peak).abs() < 1e-5, "{name}: {loudest}");
    }
}

#[test]
fn a_lame_tag_gives_the_exact_length_and_place_back() {
    let decoded = decode_whole(&fixture("sine_mpeg2_lame.mp3"));
    assert_eq!(decoded.frames(), 5_512);
    let offset = lag(&decoded.channels[0], &sine(22_050, 5_512));
    assert_eq!(offset, 0);
}

#[test]
fn behind_a_cut_the_end_is_sound_and_the_cut_is_told() {
    let whole = bytes("sine_mpeg2_lame.mp3");
    // Frames of 208 and 209 bytes: three whole ones and a piece are lost.
    let scratch = Scratch::holding(&whole[..whole.len() - 700]);
    let decoded = decode_heard(scratch.path());
    let mpeg_frames = 5_512_usize.div_ceil(576) + 2;
    assert!(decoded.frames() <= (mpeg_frames - 3) * 576);
    let reference = sine(22_050, decoded.frames());
    assert_eq!(lag(&decoded.channels[0], &reference), 0);
    assert_eq!(
        decoded.finding(),
        (
            FindingKind::Cut,
            decoded.frames(),
            Some(4 * 576),
            "the file is cut short, 4 MPEG frames are missing"
        )
    );
    let seen = probe(scratch.path(), &TWO_HOURS).expect("the beginning is sound");
    assert_eq!(seen.findings, decoded.findings, "the first look tells it");
    let refused = decode_strictly(scratch.path()).expect("opens");
    assert_eq!(refused.channels, decoded.channels);
    assert!(matches!(refused.error, Some(DecodeError::Damaged { .. })));
}

/// The stream with a LAME tag whose count of frames is higher by `more`.
fn promising(more: u32) -> Vec<u8> {
    let mut bytes = bytes("sine_mpeg2_lame.mp3");
    let tag = bytes
        .windows(4)
        .position(|word| word == b"Xing" || word == b"Info")
        .expect("there is a tag");
    let count = bytes[tag + 8..tag + 12].first_chunk().expect("four bytes");
    let count = u32::from_be_bytes(*count) + more;
    bytes[tag + 8..tag + 12].copy_from_slice(&count.to_be_bytes());
    bytes
}

#[test]
fn a_tag_that_counts_a_frame_or_two_too_many_is_no_damage() {
    for more in [1, 2] {
        for trailer in [
            vec![],
            vec![0; 3_000],
            [b"TAG".to_vec(), vec![b'x'; 125]].concat(),
        ] {
            let mut bytes = promising(more);
            bytes.extend(trailer);
            let scratch = Scratch::holding(&bytes);
            let decoded = decode(scratch.path()).expect("opens");
            assert!(decoded.error.is_none(), "{more}: {:?}", decoded.error);
        }
    }
    let scratch = Scratch::holding(&promising(100));
    let decoded = decode_heard(scratch.path());
    let (kind, at, missing, _) = decoded.finding();
    assert_eq!(
        (kind, at, missing),
        (FindingKind::Cut, decoded.frames(), Some(100 * 576))
    );
}

#[test]
fn a_cut_inside_the_last_frame_that_the_tag_counts_is_told() {
    let whole = bytes("sine_mpeg2_lame.mp3");
    for lost in [1, 100, 200] {
        let scratch = Scratch::holding(&whole[..whole.len() - lost]);
        let decoded = decode_heard(scratch.path());
        let (kind, _, missing, reason) = decoded.finding();
        assert_eq!((kind, missing), (FindingKind::Cut, Some(576)), "{lost}");
        assert!(reason.contains("1 MPEG"), "{reason}");
    }
}

#[test]
fn tags_in_front_between_and_behind_are_no_damage() {
    for name in FIXTURES {
        let plain = bytes(name);
        let alone = decode_whole(&fixture(name)).frames();
        let mut tagged = id3v2(2_000_000);
        tagged.extend(id3v2(100));
        tagged.extend(&plain);
        // An APEv2 tag without items: a header, then a footer, which the size counts.
        for flags in [0xa0, 0x80] {
            tagged.extend(b"APETAGEX\xd0\x07\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00");
            tagged.push(flags);
            tagged.extend([0; 8]);
        }
        tagged.extend(b"TAG");
        tagged.resize(tagged.len() + 125, b'x');
        let scratch = Scratch::holding(&tagged);
        assert_eq!(decode_whole(scratch.path()).frames(), alone, "{name}");

        let mut joined = tagged.clone();
        joined.extend(&tagged);
        let scratch = Scratch::holding(&joined);
        let both = decode_whole(scratch.path()).frames();
        assert!(both >= 2 * alone, "{name}: {both} of twice {alone}");
    }
}

#[test]
fn garbage_behind_the_last_frame_is_no_damage() {
    for name in FIXTURES {
        let alone = decode_whole(&fixture(name)).frames();
        for garbage in [vec![0; 5_000], b"LYRICSBEGIN whatever".repeat(40)] {
            let mut bytes = bytes(name);
            bytes.extend(garbage);
            let scratch = Scratch::holding(&bytes);
            assert_eq!(decode_whole(scratch.path()).frames(), alone, "{name}");
        }
    }
}

/// Where the fifth frame begins: of 208 or 209 bytes, it is near byte 835.
fn fifth_of(stream: &[u8]) -> usize {
    let mut near = 830..840;
    let begins = |at: &usize| stream[*at..].starts_with(&[0xff, 0xfb]);
    near.find(begins).expect("a frame begins here")
}

#[test]
fn frames_that_are_broken_are_silence_of_their_length() {
    let whole = bytes("sine_shine.mp3");
    let sound = decode_whole(&fixture("sine_shine.mp3")).channels.remove(0);
    let fifth = fifth_of(&whole);
    for (broken, lost) in [(1, 1), (64, 1), (400, 2)] {
        let mut bytes = whole.clone();
        bytes[fifth..fifth + broken].fill(0);
        let scratch = Scratch::holding(&bytes);
        let decoded = decode_heard(scratch.path());
        assert_eq!(decoded.frames(), sound.len(), "{broken}");
        let (kind, at, length, _) = decoded.finding();
        assert_eq!(
            (kind, at, length),
            (FindingKind::Damaged, 4 * 1_152, Some(lost * 1_152))
        );
        let hole = &decoded.channels[0][at..at + lost * 1_152];
        assert!(hole.iter().all(|sample| *sample == 0.0), "{broken}");
        // A frame goes on in the two behind it: what the bits in front of it hold, and what overlaps.
        assert_eq!(decoded.channels[0][7 * 1_152 + 1_152..], sound[8 * 1_152..]);
        assert!(probe(scratch.path(), &TWO_HOURS).is_ok());
    }
    let mut bytes = whole.clone();
    bytes[fifth - 209..fifth + 4 * 208].fill(0);
    let scratch = Scratch::holding(&bytes);
    let decoded = decode(scratch.path()).expect("opens");
    let Some(DecodeError::Damaged { at_s, reason }) = decoded.error else {
        panic!("five of nine frames are lost: {:?}", decoded.findings);
    };
    assert!((at_s - 3.0 * 1_152.0 / 44_100.0).abs() < 1e-9);
    assert!(reason.contains("less than half"), "{reason}");
}

#[test]
fn a_frame_whose_header_lies_about_its_length_takes_no_other_with_it() {
    let whole = bytes("sine_shine.mp3");
    let all = decode_whole(&fixture("sine_shine.mp3")).frames();
    let fifth = fifth_of(&whole);
    let mut bytes = whole.clone();
    // 64 kbit/s becomes 320.
    bytes[fifth + 2] = (bytes[fifth + 2] & 0xf) | 0xe0;
    let scratch = Scratch::holding(&bytes);
    let decoded = decode_heard(scratch.path());
    assert_eq!(decoded.frames(), all);
    let (kind, at, length, _) = decoded.finding();
    assert_eq!(
        (kind, at, length),
        (FindingKind::Damaged, 4 * 1_152, Some(1_152))
    );
}

#[test]
fn strange_bytes_between_frames_that_the_tag_counts_take_no_time() {
    let whole = bytes("sine_mpeg2_lame.mp3");
    let sound = decode_whole(&fixture("sine_mpeg2_lame.mp3"));
    let begins: Vec<usize> = (0..whole.len() - 4)
        .filter(|at| whole[*at] == 0xff && whole[at + 1] & 0xfe == 0xf2)
        .collect();
    let mut bytes = whole.clone();
    let strange: Vec<u8> = (0..300_u32).map(|n| (n * 89 % 251) as u8).collect();
    bytes.splice(begins[5]..begins[5], strange);
    let scratch = Scratch::holding(&bytes);
    let decoded = decode_heard(scratch.path());
    assert_eq!(decoded.channels, sound.channels);
    let (kind, _, length, reason) = decoded.finding();
    assert_eq!((kind, length), (FindingKind::Damaged, Some(0)));
    assert!(reason.contains("300 bytes"), "{reason}");
}

#[test]
fn much_that_is_no_sound_in_front_is_stepped_over_and_told() {
    for name in ["sine_shine.mp3", "sine_mpeg2_lame.mp3"] {
        let alone = decode_whole(&fixture(name)).channels;
        let noise = (0..500_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8 & 0x7f);
        for lead in [vec![0; 1 << 20], noise.collect()] {
            let bytes = [&lead[..], &bytes(name)].concat();
            let scratch = Scratch::holding(&bytes);
            let decoded = decode_heard(scratch.path());
            assert_eq!(decoded.channels, alone, "{name}");
            let (kind, at, _, reason) = decoded.finding();
            assert_eq!((kind, at), (FindingKind::Damaged, 0));
            assert!(reason.contains(&lead.len().to_string()), "{reason}");
        }
    }
}

#[test]
fn a_tag_that_claims_more_than_the_file_has_hides_nothing() {
    let whole = bytes("sine_shine.mp3");
    let mut tag = id3v2(100);
    tag[6..10].copy_from_slice(&[0x7f; 4]);
    let tagged = [&tag[..], &whole].concat();
    let scratch = Scratch::holding(&tagged);
    let all = decode_whole(&fixture("sine_shine.mp3")).frames();
    assert_eq!(decode_whole(scratch.path()).frames(), all);
}

#[test]
fn a_stream_that_begins_inside_a_frame_is_read_from_the_next() {
    let whole = bytes("sine_shine.mp3");
    let scratch = Scratch::holding(&whole[100..]);
    let all = decode_whole(&fixture("sine_shine.mp3")).frames();
    assert_eq!(decode_whole(scratch.path()).frames(), all - 1_152);
}

#[test]
fn without_a_tag_the_end_is_where_the_last_frame_is_cut() {
    let whole = bytes("sine_shine.mp3");
    let all = decode_whole(&fixture("sine_shine.mp3")).frames();
    let scratch = Scratch::holding(&whole[..whole.len() - 10]);
    let decoded = decode_heard(scratch.path());
    assert_eq!(decoded.frames(), all - 1_152);
    let (kind, at, missing, _) = decoded.finding();
    assert_eq!((kind, at, missing), (FindingKind::Cut, all - 1_152, None));
}

#[test]
fn a_length_over_the_limit_is_refused_before_decoding() {
    let limits = AudioLimits {
        max_duration_s: 0.2,
    };
    assert!(matches!(
        decode_within(&fixture("sine_shine.mp3"), limits),
        Err(DecodeError::TooLong { max_s: 0.2 })
    ));
}
