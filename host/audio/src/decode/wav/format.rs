use super::super::DecodeError;
use super::adpcm::{Adpcm, Kind};
use super::pcm::SampleEncoding;

/// The registered codes for how samples are stored (`WAVE_FORMAT_*` of the Windows multimedia headers).
const PCM: u16 = 1;
const MS_ADPCM: u16 = 2;
const FLOAT: u16 = 3;
const A_LAW: u16 = 6;
const MU_LAW: u16 = 7;
const IMA_ADPCM: u16 = 0x11;
const EXTENSIBLE: u16 = 0xfffe;

/// Bytes of a format chunk that are read: an extensible one has 40, one of Microsoft's ADPCM 50 or a few more.
pub(super) const MAX_FORMAT_BYTES: u64 = 256;

/// What the format chunk says.
#[derive(Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) coding: Coding,
    pub(super) channels: usize,
    pub(super) sample_rate_hz: u32,
    /// Where the loudspeakers stand.
    pub(super) speakers: Option<u32>,
}

/// How the data chunk holds samples.
#[derive(Debug, PartialEq)]
pub(super) enum Coding {
    /// One by one.
    Samples(SampleEncoding),
    /// In blocks of differences.
    Blocks(Adpcm),
}

/// Reads the body of a format chunk.
pub(super) fn parse(chunk: &[u8]) -> Result<Layout, DecodeError> {
    if chunk.len() < 16 {
        return Err(DecodeError::undecodable(
            "the wav format chunk is too short",
        ));
    }
    let word = |at: usize| u16::from_le_bytes([chunk[at], chunk[at + 1]]);
    let channels = word(2);
    let sample_rate_hz = u32::from_le_bytes([chunk[4], chunk[5], chunk[6], chunk[7]]);
    let per_second = u32::from_le_bytes([chunk[8], chunk[9], chunk[10], chunk[11]]);
    DecodeError::check_shape(u32::from(channels), sample_rate_hz)?;
    let mut format = word(0);
    let (mut speakers, mut valid_bits) = (None, None);
    if format == EXTENSIBLE {
        if chunk.len() < 26 {
            return Err(DecodeError::undecodable(
                "the extensible wav format chunk is too short",
            ));
        }
        // The first two bytes of the sub-format's GUID are the plain format code.
        format = word(24);
        valid_bits = Some(word(18));
        speakers = Some(u32::from_le_bytes([
            chunk[20], chunk[21], chunk[22], chunk[23],
        ]));
    }
    let coding = match format {
        PCM | FLOAT => {
            let by_second = per_second.is_multiple_of(sample_rate_hz);
            let by_second = by_second.then(|| per_second / sample_rate_hz);
            let width = Width {
                frame_bytes: word(12),
                by_second: by_second.and_then(|bytes| u16::try_from(bytes).ok()),
                bits: word(14),
                valid_bits,
            };
            Coding::Samples(plain(format == FLOAT, channels, &width)?)
        }
        A_LAW => Coding::Samples(SampleEncoding::ALaw),
        MU_LAW => Coding::Samples(SampleEncoding::MuLaw),
        MS_ADPCM | IMA_ADPCM => {
            Coding::Blocks(blocks(chunk, format, (sample_rate_hz, per_second))?)
        }
        _ => {
            return Err(DecodeError::undecodable(format!(
                "wav encoding {format:#06x} is not supported; integer and float samples, A-law, mu-law, IMA and MS ADPCM are"
            )));
        }
    };
    Ok(Layout {
        coding,
        channels: usize::from(channels),
        sample_rate_hz,
        speakers,
    })
}

/// The blocks of ADPCM that a format chunk states, with the sample rate and the bytes per second that it has.
fn blocks(
    chunk: &[u8],
    format: u16,
    (sample_rate_hz, per_second): (u32, u32),
) -> Result<Adpcm, DecodeError> {
    let word = |at: usize| {
        let bytes = chunk.get(at..at + 2);
        bytes.map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
    };
    let (channels, block_bytes, block_frames) = (word(2), word(12), word(18));
    let kind = match format {
        MS_ADPCM => Kind::microsoft(chunk),
        _ => Kind::Ima,
    };
    // Padded blocks have fewer frames than there is room for. Other players assume full blocks; so do we, unless the stated bytes
    // per second agree with the fewer frames.
    let is_sure = agrees(per_second, sample_rate_hz, (block_bytes, block_frames));
    let stated = if is_sure {
        usize::from(block_frames)
    } else {
        0
    };
    let channels = usize::from(channels);
    let block_bytes = match block_bytes {
        0 => kind.block_bytes(block_frames, channels),
        bytes => usize::from(bytes),
    };
    Adpcm::new(kind, channels, block_bytes, stated).ok_or_else(|| {
        DecodeError::undecodable("the blocks of the wav file's ADPCM have no sensible size")
    })
}

/// Whether blocks of so many bytes and frames give this rounded number of bytes per second.
fn agrees(bytes_per_s: u32, sample_rate_hz: u32, (block_bytes, block_frames): (u16, u16)) -> bool {
    let frames = u64::from(block_frames);
    let by_second = u64::from(bytes_per_s) * frames;
    by_second.abs_diff(u64::from(sample_rate_hz) * u64::from(block_bytes)) <= frames
}

/// What the header says about the width of a sample.
struct Width {
    frame_bytes: u16,
    /// Bytes of a frame according to the bytes per second, where those are whole frames.
    by_second: Option<u16>,
    /// Bits of a sample.
    bits: u16,
    /// How many of those bits count, where an extensible format says so.
    valid_bits: Option<u16>,
}

/// The encoding of integers or floats. The header states the width of a sample several times, and not always consistently. The frame size
/// is believed where the bytes per second agree with it and the bits of a sample fit, where the valid bits fill it, or where the bits of a
/// sample make no sense; otherwise the bits of a sample are; failing both, the bytes per second, then the valid bits.
fn plain(is_float: bool, channels: u16, stated: &Width) -> Result<SampleEncoding, DecodeError> {
    let Width {
        frame_bytes,
        by_second,
        bits,
        valid_bits,
    } = *stated;
    let least = bits.div_ceil(8);
    let by_bits = match bits {
        0 => Err(DecodeError::undecodable("wav samples of no bits")),
        _ => SampleEncoding::find(is_float, usize::from(least)),
    };
    let width = |frame_bytes: u16| {
        let is_whole = frame_bytes > 0 && frame_bytes.is_multiple_of(channels);
        is_whole.then(|| frame_bytes / channels)
    };
    let encoding = |bytes| SampleEncoding::find(is_float, usize::from(bytes)).ok();
    let by_frame = width(frame_bytes)
        .filter(|bytes| {
            // 24 bits sometimes take four bytes. Other widths take exactly as many bytes as they need, as in FFmpeg: where a frame is
            // larger, the number of channels is wrong.
            let has_room = *bytes == least || (least, *bytes) == (3, 4);
            let is_likely = has_room || !bits.is_multiple_of(8);
            let is_full = valid_bits.is_some_and(|valid| u32::from(valid) == u32::from(*bytes) * 8);
            (by_second == Some(frame_bytes) && is_likely) || is_full || by_bits.is_err()
        })
        .and_then(encoding);
    let by_second = || by_second.and_then(width).and_then(encoding);
    let by_valid_bits = || valid_bits.and_then(|valid| encoding(valid.div_ceil(8)));
    let found = by_frame.map_or(by_bits, Ok);
    found.or_else(|refusal| by_second().or_else(by_valid_bits).ok_or(refusal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_adpcm_is_filled_up_where_the_bytes_of_a_second_agree() {
        let block_frames = |per_second: u32, stated: u16| {
            let mut chunk = vec![0; 20];
            chunk[..2].copy_from_slice(&IMA_ADPCM.to_le_bytes());
            chunk[2] = 2;
            chunk[4..8].copy_from_slice(&44_100_u32.to_le_bytes());
            chunk[8..12].copy_from_slice(&per_second.to_le_bytes());
            chunk[12..14].copy_from_slice(&1_032_u16.to_le_bytes());
            chunk[14] = 4;
            chunk[16] = 2;
            chunk[18..20].copy_from_slice(&stated.to_le_bytes());
            match parse(&chunk).expect("makes sense").coding {
                Coding::Blocks(blocks) => blocks.block_frames(),
                Coding::Samples(_) => panic!("it is IMA's"),
            }
        };
        // 44,100 x 1,032 / 1,017.
        assert_eq!(block_frames(44_750, 1_017), 1_017);
        assert_eq!(block_frames(44_401, 1_025), 1_025);
        assert_eq!(block_frames(44_401, 1_017), 1_025, "they do not agree");
        assert_eq!(block_frames(44_401, 513), 1_025);
        assert_eq!(block_frames(0, 0), 1_025);
    }

    /// Bytes of a sample of two channels.
    fn width(frame_bytes: u16, by_second: u16, bits: u16) -> Result<usize, DecodeError> {
        let stated = Width {
            frame_bytes,
            by_second: Some(by_second),
            bits,
            valid_bits: None,
        };
        plain(false, 2, &stated).map(SampleEncoding::bytes)
    }

    #[test]
    fn the_width_of_samples_is_found_where_one_of_two_words_is_nonsense() {
        let width = |frame_bytes, bits| width(frame_bytes, frame_bytes, bits);
        assert_eq!(width(6, 24).expect("both agree"), 3);
        assert_eq!(width(6, 167).expect("no samples have 167 bits"), 3);
        assert_eq!(
            width(7, 16).expect("frames of 7 bytes are none of two channels"),
            2
        );
        width(7, 167).expect_err("both are nonsense");
        assert_eq!(width(8, 0).expect("no samples have no bits"), 4);
        width(0, 0).expect_err("neither is there");
        assert_eq!(width(8, 24).expect("24 bits may lie in four bytes"), 4);
        assert_eq!(width(8, 16).expect("16 bits lie in two"), 2);
        assert_eq!(width(6, 28).expect("frames and seconds agree"), 3);
    }

    #[test]
    fn a_third_word_decides_how_wide_samples_are() {
        assert_eq!(width(7, 6, 280).expect("a second has whole frames"), 3);
        assert_eq!(width(8, 1, 24).expect("as wide as their bits"), 3);
        let stated = Width {
            frame_bytes: 6,
            by_second: None,
            bits: 8,
            valid_bits: Some(24),
        };
        let full = plain(false, 2, &stated).map(SampleEncoding::bytes);
        assert_eq!(full.expect("24 bits count"), 3);
        let nonsense = Width {
            frame_bytes: 10,
            bits: 2_080,
            ..stated
        };
        let left = plain(false, 2, &nonsense).map(SampleEncoding::bytes);
        assert_eq!(left.expect("24 bits count"), 3);
    }
}
