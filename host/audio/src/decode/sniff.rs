use std::fs::File;
use std::io;

use super::DecodeError;
use super::byte_reader::ByteReader;
use super::mp3_framer::Mp3Framer;
use super::tags;
use crate::InputFormat;

/// Bytes at the beginning that decide what the file is not.
const HEAD_BYTES: usize = 64;

/// Bytes of an ADTS header without a checksum.
const ADTS_HEADER_BYTES: usize = 7;

/// What a file is, by its bytes alone.
pub(super) fn sniff(file: &File) -> Result<InputFormat, DecodeError> {
    let mut reader = ByteReader::open(file, 0)?;
    tags::skip_leading(&mut reader)?;
    if reader.remaining() == 0 {
        return Err(DecodeError::Empty);
    }
    let head = reader.peek(HEAD_BYTES)?;
    if is_wave(head) {
        return Ok(InputFormat::Wav);
    }
    if head.starts_with(b"fLaC") {
        return Ok(InputFormat::Flac);
    }
    if head.starts_with(b"\x1a\x45\xdf\xa3") {
        return Ok(InputFormat::Webm);
    }
    if let Some(found) = foreign_format(head) {
        return Err(DecodeError::Format { found });
    }
    let (looks_like_text, looks_like_aac) = (is_text(head), is_adts(head));
    if looks_like_aac && is_followed_by_adts(&mut reader)? {
        return Err(DecodeError::Format { found: "AAC" });
    }
    // The weakest mark comes last: MP3 is known only by consecutive frames.
    if Mp3Framer::synchronise(reader)?.is_some() {
        return Ok(InputFormat::Mp3);
    }
    Err(DecodeError::Format {
        found: if looks_like_text {
            "text"
        } else if looks_like_aac {
            "AAC"
        } else {
            "of an unknown format"
        },
    })
}

/// Whether an ADTS header begins here: it has MPEG's sync word and the layer that MPEG reserves (ISO/IEC 13818-7, 6.2).
fn is_adts(head: &[u8]) -> bool {
    head.len() >= 2 && head[0] == 0xff && head[1] & 0xf6 == 0xf0
}

/// Whether the frame of such a header ends where another one begins. A broken MP3 frame may look like an AAC frame.
fn is_followed_by_adts(reader: &mut ByteReader) -> io::Result<bool> {
    let Some([_, _, _, high, middle, low, ..]) = reader.peek(ADTS_HEADER_BYTES)?.first_chunk::<7>()
    else {
        return Ok(false);
    };
    let high = usize::from(high & 3) << 11;
    let frame_bytes = high | usize::from(*middle) << 3 | usize::from(low >> 5);
    let ahead = reader.peek(frame_bytes + 2)?;
    Ok(frame_bytes >= ADTS_HEADER_BYTES && ahead.get(frame_bytes..).is_some_and(is_adts))
}

fn is_wave(head: &[u8]) -> bool {
    head.len() >= 12
        && [b"RIFF", b"RF64", b"BW64"].contains(&head.first_chunk().unwrap_or(&[0; 4]))
        && &head[8..12] == b"WAVE"
}

fn foreign_format(head: &[u8]) -> Option<&'static str> {
    const MARKS: [(usize, &[u8], &str); 17] = [
        (0, b"OggS", "Ogg"),
        (4, b"ftyp", "MP4 or QuickTime"),
        (4, b"moov", "MP4 or QuickTime"),
        (0, b"FORM", "AIFF"),
        (0, b"caff", "a Core Audio file"),
        (0, b".snd", "a Sun audio file"),
        (0, b"riff", "Wave64"),
        (0, b"RIFF", "a RIFF file other than WAVE"),
        (0, b"wvpk", "WavPack"),
        (0, b"MAC ", "Monkey's Audio"),
        (0, b"#!AMR", "AMR"),
        (0, b"ADIF", "AAC"),
        (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "Windows Media"),
        (0, b"MThd", "MIDI"),
        (0, b"PK\x03\x04", "a ZIP archive"),
        (0, b"%PDF", "a PDF document"),
        (0, b"\x89PNG", "a picture"),
    ];
    MARKS
        .iter()
        .find(|(offset, mark, _)| {
            head.get(*offset..)
                .is_some_and(|head| head.starts_with(mark))
        })
        .map(|(_, _, name)| *name)
}

fn is_text(head: &[u8]) -> bool {
    head.iter()
        .all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e | 0x80..=0xff))
        && !head.contains(&0xff)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_frame_of_aac_is_one_where_another_follows() {
        let begun = |bytes: &[u8]| {
            let mut file = tempfile::tempfile().expect("a temporary file");
            file.write_all(bytes).expect("is written");
            is_followed_by_adts(&mut ByteReader::open(&file, 0).expect("opens")).expect("reads")
        };
        // 9 bytes long.
        let frame = b"\xff\xf1\x50\x80\x01\x3f\xfc\0\0";
        assert!(is_adts(frame));
        assert!(begun(&[&frame[..], frame].concat()));
        assert!(!begun(frame));
        assert!(!begun(&[&frame[..], b"\xff\xfb"].concat()));
    }
}
