//! Malicious bytes: nothing here may panic, hang or ask for memory that the file does not fill.

use std::fs;

use vocalhost_audio::{DecodeError, probe};

use super::recording::{Scratch, TWO_HOURS, Wav, chunk, decode, fixture};
use super::webm::{Block, Cut, Opus, Webm};

fn small_files() -> Vec<(&'static str, Vec<u8>)> {
    let mut wav = Wav::integers(24, vec![0x5a; 300]);
    wav.channels = 2;
    wav.chunks = chunk(*b"LIST", b"INFOISFT\x04\x00\x00\x00test");
    let mut files = vec![("wav", wav.bytes())];
    for name in [
        "saw16.flac",
        "saw24_unknown_length.flac",
        "sine_mpeg25.mp3",
        "sine_shine.mp3",
        "sine_mpeg2_lame.mp3",
        "chirp_vorbis_live.webm",
    ] {
        files.push((name, fs::read(fixture(name)).expect("the fixture")));
    }
    let webm = Webm {
        block: Block::Ebml,
        cut: Cut::Stated,
        discard_ns: 1_000_000,
        blocks_per_cluster: 1,
        ..Webm::of(&Opus::chirping(7))
    };
    files.push(("webm", webm.bytes()));
    files
}

fn survives(bytes: &[u8], limit_frames: usize) {
    let scratch = Scratch::holding(bytes);
    if let Ok(decoded) = decode(scratch.path()) {
        if decoded.error.is_none() {
            let told = decoded.info.frames;
            assert_eq!(
                told,
                Some(decoded.frames() as u64),
                "no portrait would agree"
            );
        }
        assert!(decoded.frames() <= limit_frames);
        assert!(decoded.channels.iter().flatten().all(|s| s.is_finite()));
    }
}

#[test]
fn a_file_cut_at_any_byte_is_an_error_or_a_clean_end() {
    for (name, bytes) in small_files() {
        // The long files: every byte of the headers, then a stride that meets every place inside a frame.
        for end in (0..bytes.len()).filter(|end| *end < 700 || end % 23 == 0) {
            survives(&bytes[..end], 25_000);
        }
        let scratch = Scratch::holding(&bytes[..20]);
        assert!(decode(scratch.path()).is_err(), "{name}: a header alone");
    }
}

#[test]
fn flipped_bytes_are_an_error_or_sound_but_never_a_panic() {
    let mut state = 1_u32;
    let mut random = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    for (_, bytes) in small_files() {
        for round in 0..200 {
            let mut broken = bytes.clone();
            // Half of the rounds aim at the header.
            let reach = if round % 2 == 0 { 128 } else { bytes.len() };
            for _ in 0..=random(4) {
                let at = random(reach.min(bytes.len()));
                broken[at] = random(256) as u8;
            }
            survives(&broken, 200_000);
        }
    }
}

#[test]
fn chunk_sizes_beyond_the_file_cost_nothing() {
    for name in [*b"LIST", *b"fact", *b"fmt ", *b"junk", *b"ds64"] {
        for size in [u32::MAX, u32::MAX - 1, 0x7fff_ffff, 0] {
            let mut lie = name.to_vec();
            lie.extend(size.to_le_bytes());
            let wav = Wav {
                chunks: lie,
                ..Wav::integers(16, vec![1; 64])
            };
            survives(&wav.bytes(), 100);
        }
    }
}

#[test]
fn nothing_at_all_is_empty() {
    let scratch = Scratch::holding(&[]);
    assert!(matches!(
        probe(scratch.path(), &TWO_HOURS),
        Err(DecodeError::Empty)
    ));
}

#[test]
fn other_formats_are_named_with_what_is_accepted() {
    let mut mp4 = b"\x00\x00\x00\x18ftypM4A ".to_vec();
    mp4.resize(400, 0);
    let noise: Vec<u8> = (0..100_000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let zeros = vec![0; 100_000];
    let cases: [(&[u8], &str); 8] = [
        (b"OggS\x00\x02", "Ogg"),
        (b"PK\x03\x04\x14\x00", "ZIP"),
        (&mp4, "MP4"),
        (b"RIFF\x04\x00\x00\x00AVI LIST", "RIFF"),
        (b"Dear reader,\nthis is text.\n", "text"),
        (b"\xff\xf1\x50\x80\x02\x1f\xfc", "AAC"),
        (&zeros, "unknown"),
        (&noise, "unknown"),
    ];
    for (bytes, name) in cases {
        let scratch = Scratch::holding(bytes);
        let error = probe(scratch.path(), &TWO_HOURS).expect_err("is refused");
        assert!(matches!(error, DecodeError::Format { .. }), "{error}");
        let message = error.to_string();
        assert!(
            message.contains(name) && message.contains("wav, webm, mp3 and flac"),
            "{message}"
        );
    }
}

#[test]
fn the_name_of_a_file_decides_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("song.mp3");
    fs::copy(fixture("saw16.flac"), &path).expect("copies");
    let info = probe(&path, &TWO_HOURS).expect("probes").info;
    assert_eq!(info.format.as_str(), "flac");
}

#[test]
fn a_file_that_is_not_there_is_an_error_of_reading() {
    assert!(matches!(
        probe("/nonexistent/recording.wav".as_ref(), &TWO_HOURS),
        Err(DecodeError::Io(_))
    ));
}
