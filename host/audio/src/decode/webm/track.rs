use super::super::DecodeError;
use super::ebml;

const TRACK_ENTRY: u32 = 0xae;
const TRACK_NUMBER: u32 = 0xd7;
const TRACK_TYPE: u32 = 0x83;
const CODEC_ID: u32 = 0x86;
const CODEC_PRIVATE: u32 = 0x63a2;
const CODEC_DELAY: u32 = 0x56aa;
const CONTENT_ENCODINGS: u32 = 0x6d80;
const AUDIO: u32 = 0xe1;
const CHANNELS: u32 = 0x9f;

/// The value of [`TRACK_TYPE`] for sound.
const SOUND: u64 = 2;

/// How the sound of a track is coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Opus,
    Vorbis,
}

/// The track whose sound is read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Track {
    /// The number in front of each of its blocks.
    pub(super) number: u64,
    /// The numbers of all tracks, in order.
    pub(super) listed: Vec<u64>,
    /// How its packets are coded.
    pub(super) coding: Coding,
    /// The header of its coding.
    pub(super) private: Vec<u8>,
    /// What the coding adds in front, in nanoseconds, when the container says so.
    pub(super) delay_ns: Option<u64>,
    /// How many channels the container says there are.
    pub(super) channels: Option<u64>,
}

impl Track {
    /// Whether a track has this number.
    pub(super) fn is_listed(&self, number: u64) -> bool {
        self.listed.binary_search(&number).is_ok()
    }
}

/// The elements of an entry.
type Fields<'a> = Vec<(u32, &'a [u8])>;

/// Finds the first track of sound that can be read in the body of the element Tracks (RFC 9559 section 5.1.4).
pub(super) fn first_readable(tracks: &[u8]) -> Result<Track, DecodeError> {
    let undecodable = |reason: &str| DecodeError::undecodable(reason);
    let mut refusal = undecodable("the file has no track of sound");
    let mut refused = false;
    let entries = || {
        let all = ebml::children(tracks).into_iter();
        all.filter(|(id, _)| *id == TRACK_ENTRY)
            .map(|(_, entry)| ebml::children(entry))
    };
    let numbers = |fields: Fields| ebml::child(&fields, TRACK_NUMBER).and_then(ebml::unsigned);
    let mut listed: Vec<u64> = entries().filter_map(numbers).collect();
    listed.sort_unstable();
    listed.dedup();
    for fields in entries() {
        let number_of = |id| ebml::child(&fields, id).and_then(ebml::unsigned);
        let codec = ebml::text(ebml::child(&fields, CODEC_ID).unwrap_or_default());
        // By its name, too, a track is known to be sound.
        if number_of(TRACK_TYPE) != Some(SOUND) && !codec.starts_with(b"A_") {
            continue;
        }
        // Whatever stands behind the name: an identifier may be longer than it should.
        let coding = match codec {
            name if name.starts_with(b"A_OPUS") => Some(Coding::Opus),
            name if name.starts_with(b"A_VORBIS") => Some(Coding::Vorbis),
            _ => None,
        };
        let audio = ebml::children(ebml::child(&fields, AUDIO).unwrap_or_default());
        let encoded = ebml::child(&fields, CONTENT_ENCODINGS).is_some();
        match (coding, number_of(TRACK_NUMBER)) {
            (Some(coding), Some(number)) if !encoded => {
                return Ok(Track {
                    number,
                    listed,
                    coding,
                    private: ebml::child(&fields, CODEC_PRIVATE)
                        .unwrap_or_default()
                        .to_vec(),
                    delay_ns: number_of(CODEC_DELAY),
                    channels: ebml::child(&audio, CHANNELS).and_then(ebml::unsigned),
                });
            }
            _ if refused => {}
            (Some(_), Some(_)) => {
                refusal = undecodable("the track of sound is encrypted or compressed");
                refused = true;
            }
            (Some(_), None) => {
                refusal = undecodable("the track of sound has no number");
                refused = true;
            }
            (None, _) => {
                refusal = DecodeError::undecodable(format!(
                    "the sound is coded as {}; in webm, Opus and Vorbis are read",
                    codec_name(codec)
                ));
                refused = true;
            }
        }
    }
    Err(refusal)
}

/// The codec's own name, fit to be shown.
fn codec_name(id: &[u8]) -> String {
    const MAX_CHARS: usize = 32;
    let shown = id.iter().take(MAX_CHARS).map(|byte| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'/' | b'.' | b'-' => char::from(*byte),
        _ => '?',
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(id: &[u8], body: &[u8]) -> Vec<u8> {
        [id, &[0x80 | body.len() as u8], body].concat()
    }

    fn entry(fields: &[(&[u8], &[u8])]) -> Vec<u8> {
        let fields: Vec<u8> = fields
            .iter()
            .flat_map(|(id, body)| element(id, body))
            .collect();
        element(b"\xae", &fields)
    }

    fn reason(tracks: &[u8]) -> String {
        first_readable(tracks).expect_err("is refused").to_string()
    }

    #[test]
    fn the_first_track_of_sound_is_taken_and_pictures_are_passed_over() {
        let video = entry(&[(b"\xd7", b"\x01"), (b"\x83", b"\x01"), (b"\x86", b"V_VP9")]);
        let other = entry(&[(b"\xd7", b"\x02"), (b"\x83", b"\x02"), (b"\x86", b"A_AAC")]);
        let opus = entry(&[
            (b"\xd7", b"\x03"),
            (b"\x83", b"\x02"),
            (b"\x86", b"A_OPUS\0"),
            (b"\x63\xa2", b"private"),
            (b"\x56\xaa", b"\x63\x2e\xa0"),
            (b"\xe1", b"\x9f\x81\x02"),
        ]);
        let found = first_readable(&[&video[..], &other, &opus].concat());
        assert_eq!(
            found.expect("is read"),
            Track {
                number: 3,
                listed: vec![1, 2, 3],
                coding: Coding::Opus,
                private: b"private".to_vec(),
                delay_ns: Some(6_500_000),
                channels: Some(2),
            }
        );
        assert!(reason(&video).contains("no track of sound"));
        assert!(reason(&[video, other].concat()).contains("coded as A_AAC"));
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let hidden = entry(&[
            (b"\xd7", b"\x01"),
            (b"\x83", b"\x02"),
            (b"\x86", b"A_VORBIS"),
            (b"\x6d\x80", b""),
        ]);
        assert!(reason(&hidden).contains("encrypted or compressed"));
        assert!(reason(b"\xae\x85\xd7").contains("no track of sound"));
        let strange = entry(&[(b"\x83", b"\x02"), (b"\x86", b"\x1b[31m")]);
        assert!(reason(&strange).contains("coded as ??31m"));
    }
}
