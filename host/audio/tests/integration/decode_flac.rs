//! The fixtures hold a saw: frame `n` of channel `c` is `(n * (37 + 14 c)) mod 2001 - 1000` times a scale. Raw samples
//! of it went through the Debian package `flac` 1.4.2:
//! `flac --best --no-padding --tag=TITLE=saw ... saw16.flac` (stereo, 44.1 kHz, 16 bit, scale 30) and
//! `flac --no-padding ... -c - | cat > saw24_unknown_length.flac` (mono, 48 kHz, 24 bit, scale 8000; a pipe keeps the
//! encoder from going back to state the length).

use std::fs;

use vocalhost_audio::{
    AudioLimits, Block, DecodeError, FileFormat, FindingKind, InputFormat, probe,
};

use super::recording::{
    Scratch, TWO_HOURS, chirp, decode, decode_heard, decode_strictly, decode_whole, decode_within,
    fixture, id3v2,
};

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

/// A mono file of some frames of a chirp.
struct FlacFile {
    bytes: Vec<u8>,
    count: usize,
}

impl FlacFile {
    /// Samples of a frame, as the encoder makes them.
    const FRAMES: usize = 4_096;

    fn new(count: usize) -> Self {
        let scratch = Scratch::holding(&[]);
        let mut writer = FileFormat::Flac
            .create(scratch.path(), 1, 48_000)
            .expect("creates");
        let sound = Block::from_planar(1, Self::chirping(count));
        writer.write(&sound).expect("writes");
        writer.finish().expect("finishes");
        let bytes = fs::read(scratch.path()).expect("reads");
        Self { bytes, count }
    }

    fn chirping(count: usize) -> Vec<f32> {
        // On the steps of 24 bits.
        let steps = chirp(48_000, count * Self::FRAMES).into_iter();
        steps
            .map(|sample| (sample * 8_388_608.0).round() / 8_388_608.0)
            .collect()
    }

    fn sound(&self) -> Vec<f32> {
        Self::chirping(self.count)
    }

    fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }

    /// Turns a bit in the middle of a frame.
    fn break_frame(&mut self, frame: usize) {
        let headers: Vec<usize> = (42..self.bytes.len() - 8)
            .filter(|at| self.bytes[*at..].starts_with(&[0xff, 0xf8]))
            .filter(|at| usize::from(self.bytes[at + 4]) < self.count)
            .collect();
        let at = headers
            .iter()
            .find(|at| usize::from(self.bytes[**at + 4]) == frame)
            .expect("a frame");
        self.bytes[at + 500] ^= 0x10;
    }
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
        probe(&path, &TWO_HOURS).expect("probes").info.frames,
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
fn a_broken_frame_is_silence_of_its_length() {
    let whole = bytes();
    let mut broken = whole.clone();
    // The first frame, of 4,096, takes about two thirds of the file.
    broken[whole.len() / 3] ^= 0x10;
    let half_lost = Scratch::holding(&broken);
    let decoded = decode(half_lost.path()).expect("opens");
    assert!(
        matches!(&decoded.error, Some(DecodeError::Damaged { at_s: 0.0, reason }) if reason.contains("less than half")),
        "{:?}",
        decoded.error
    );

    let mut longer = FlacFile::new(6);
    longer.break_frame(2);
    let scratch = Scratch::holding(&longer.bytes());
    let decoded = decode_heard(scratch.path());
    assert_eq!(decoded.frames(), 6 * FlacFile::FRAMES);
    let (kind, at, length, _) = decoded.finding();
    assert_eq!(
        (kind, at, length),
        (
            FindingKind::Damaged,
            2 * FlacFile::FRAMES,
            Some(FlacFile::FRAMES)
        )
    );
    let mut wanted = longer.sound();
    wanted[at..at + FlacFile::FRAMES].fill(0.0);
    assert!(decoded.channels[0] == wanted, "nothing behind it moves");
    let refused = decode_strictly(scratch.path()).expect("opens");
    assert_eq!(refused.channels[0], wanted[..at]);
    assert!(matches!(refused.error, Some(DecodeError::Damaged { .. })));
}

#[test]
fn a_stream_shorter_than_its_header_says_is_heard_as_far_as_it_goes() {
    let file = FlacFile::new(6);
    let whole = file.bytes();
    for lost in [1, 100, whole.len() / 3] {
        let scratch = Scratch::holding(&whole[..whole.len() - lost]);
        let decoded = decode_heard(scratch.path());
        let heard = decoded.frames();
        assert!(heard > 0 && heard < 6 * FlacFile::FRAMES);
        let (kind, at, missing, _) = decoded.finding();
        assert_eq!(
            (kind, at, missing),
            (FindingKind::Cut, heard, Some(6 * FlacFile::FRAMES - heard))
        );
        assert_eq!(decoded.channels[0], file.sound()[..heard]);
        let seen = probe(scratch.path(), &TWO_HOURS).expect("the beginning is sound");
        assert_eq!(seen.findings, decoded.findings, "the first look tells it");
    }
}

#[test]
fn a_header_that_states_too_little_ends_nothing() {
    let file = FlacFile::new(3);
    let mut bytes = file.bytes();
    // 12,288 becomes 8,192.
    bytes[8 + 16] ^= 0x10;
    let scratch = Scratch::holding(&bytes);
    assert_eq!(decode_whole(scratch.path()).frames(), 3 * FlacFile::FRAMES);
}

#[test]
fn without_a_stated_length_a_cut_is_the_end_and_garbage_is_told() {
    let whole = fs::read(fixture("saw24_unknown_length.flac")).expect("the fixture");
    let cut = Scratch::holding(&whole[..whole.len() - 100]);
    let decoded = decode_heard(cut.path());
    assert_eq!(decoded.channels[0], saw(0, 8_000, 24)[..decoded.frames()]);
    assert_eq!(decoded.frames(), 4_096);
    let (kind, at, missing, reason) = decoded.finding();
    assert_eq!((kind, at, missing), (FindingKind::Cut, 4_096, None));
    assert!(reason.contains("ends inside"), "{reason}");

    // More than a frame of 4,096 samples can have, whatever it is.
    for (more, byte) in [(300_000, 0x55), (20_000, 0)] {
        let mut broken = whole[..whole.len() - 100].to_vec();
        broken.resize(broken.len() + more, byte);
        let broken = Scratch::holding(&broken);
        let decoded = decode_heard(broken.path());
        assert_eq!(decoded.frames(), 4_096);
        let (kind, at, _, reason) = decoded.finding();
        assert_eq!((kind, at), (FindingKind::Cut, 4_096));
        assert!(reason.contains("are no FLAC frame"), "{reason}");
    }
}

#[test]
fn a_header_that_states_hours_of_a_short_stream_is_not_believed() {
    let mut bytes = bytes();
    // The stream information begins at byte 8; its 36-bit length ends at byte 18 of it.
    bytes[8 + 13] |= 0xf;
    let scratch = Scratch::holding(&bytes);
    let decoded = decode_heard(scratch.path());
    assert_eq!(decoded.channels[0], saw(0, 30, 16));
    let (kind, at, _, _) = decoded.finding();
    assert_eq!((kind, at), (FindingKind::Cut, FRAMES));
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
