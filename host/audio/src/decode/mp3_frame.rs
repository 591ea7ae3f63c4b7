/// The header of an MPEG audio frame of layer III (ISO/IEC 11172-3 section 2.4.2.3, ISO/IEC 13818-3; MPEG-2.5 is the
/// unofficial extension that everybody reads).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrameHeader {
    version: Version,
    /// Frames per second.
    pub(super) sample_rate_hz: u32,
    /// 1 or 2.
    pub(super) channels: usize,
    /// Length with the header.
    pub(super) bytes: usize,
    has_checksum: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    Mpeg1,
    Mpeg2,
    Mpeg25,
}

/// Length of a frame's header.
pub(super) const HEADER_BYTES: usize = 4;

const BIT_RATES_MPEG1_KBPS: [u32; 15] = [
    0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
];
const BIT_RATES_MPEG2_KBPS: [u32; 15] =
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

impl FrameHeader {
    /// Reads the header that stands at the beginning of `bytes`; none when there is none, of another layer, or of the
    /// free bit rate, whose frames have no length.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let [sync, kind, rates, mode] = *bytes.first_chunk::<HEADER_BYTES>()?;
        if sync != 0xff || kind & 0xe6 != 0xe2 {
            return None;
        }
        let version = match (kind >> 3) & 3 {
            0 => Version::Mpeg25,
            2 => Version::Mpeg2,
            3 => Version::Mpeg1,
            _ => return None,
        };
        let bit_rates = match version {
            Version::Mpeg1 => BIT_RATES_MPEG1_KBPS,
            Version::Mpeg2 | Version::Mpeg25 => BIT_RATES_MPEG2_KBPS,
        };
        let bit_rate_kbps = *bit_rates.get(usize::from(rates >> 4)).filter(|r| **r > 0)?;
        let mpeg1_rate_hz = *[44_100, 48_000, 32_000].get(usize::from((rates >> 2) & 3))?;
        let (sample_rate_hz, slots) = match version {
            Version::Mpeg1 => (mpeg1_rate_hz, 144_000),
            Version::Mpeg2 => (mpeg1_rate_hz / 2, 72_000),
            Version::Mpeg25 => (mpeg1_rate_hz / 4, 72_000),
        };
        let padding = u32::from((rates >> 1) & 1);
        Some(Self {
            version,
            sample_rate_hz,
            channels: if mode >> 6 == 3 { 1 } else { 2 },
            bytes: (slots * bit_rate_kbps / sample_rate_hz + padding) as usize,
            has_checksum: kind & 1 == 0,
        })
    }

    /// Whether a frame with this header can belong to the stream of the other.
    pub(super) fn continues(&self, other: &Self) -> bool {
        self.version == other.version
            && self.sample_rate_hz == other.sample_rate_hz
            && self.channels == other.channels
    }

    /// Frames of sound in it: one granule of 576 for each channel, two in MPEG-1.
    pub(super) fn frames(&self) -> usize {
        match self.version {
            Version::Mpeg1 => 1152,
            Version::Mpeg2 | Version::Mpeg25 => 576,
        }
    }

    /// How many bytes in front of its own the sound of this frame begins, in those of frames before (`main_data_begin`, the first 9 bits of the
    /// side information, in MPEG-2 8).
    pub(super) fn begins_before(&self, frame: &[u8]) -> usize {
        let at = HEADER_BYTES + self.checksum_bytes();
        let byte = |at: usize| usize::from(frame.get(at).copied().unwrap_or_default());
        match self.version {
            Version::Mpeg1 => byte(at) << 1 | byte(at + 1) >> 7,
            Version::Mpeg2 | Version::Mpeg25 => byte(at),
        }
    }

    /// Bytes of sound in it.
    pub(super) fn sound_bytes(&self) -> usize {
        let in_front = self.side_information_end() + self.checksum_bytes();
        self.bytes.saturating_sub(in_front)
    }

    fn checksum_bytes(&self) -> usize {
        if self.has_checksum { 2 } else { 0 }
    }

    /// Where the side information ends, which is where a Xing tag stands.
    fn side_information_end(&self) -> usize {
        HEADER_BYTES
            + match (self.version, self.channels) {
                (Version::Mpeg1, 1) => 17,
                (Version::Mpeg1, _) => 32,
                (_, 1) => 9,
                _ => 17,
            }
    }
}

/// What an encoder said of the stream in a first frame that holds no sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct InfoTag {
    /// Number of MPEG frames behind the tag.
    pub(super) mpeg_frames: Option<u64>,
    /// Frames that the encoder added in front, and behind.
    pub(super) gapless: Option<(u64, u64)>,
}

impl InfoTag {
    /// Reads the tag of Xing, LAME or libavformat ("Xing" or "Info" behind the side information; LAME's extension at
    /// gabriel.bouvigne.free.fr/mp3-tag: 21 bytes in, 12 bits of delay and 12 of padding) or Fraunhofer ("VBRI", 32
    /// bytes behind the header).
    pub(super) fn parse(frame: &[u8], header: &FrameHeader) -> Option<Self> {
        if frame.get(36..40) == Some(b"VBRI".as_slice()) {
            return Some(Self::default());
        }
        // Encoders disagree whether a checksum moves the tag.
        let end = header.side_information_end();
        let shifted = end + header.checksum_bytes();
        let tag = [end, shifted].into_iter().find_map(|at| {
            let tag = frame.get(at..)?;
            (tag.starts_with(b"Xing") || tag.starts_with(b"Info")).then_some(tag)
        })?;
        let word = |at: usize| {
            let bytes = tag.get(at..)?.first_chunk()?;
            Some(u32::from_be_bytes(*bytes))
        };
        let flags = word(4)?;
        let mpeg_frames = word(8).filter(|_| flags & 1 != 0).map(u64::from);
        let lame = [(1, 4), (2, 4), (4, 100), (8, 4)]
            .iter()
            .filter(|(flag, _)| flags & flag != 0)
            .fold(8, |at, (_, bytes)| at + bytes);
        let gapless = tag.get(lame..lame + 24).and_then(|extension| {
            let known = [b"LAME", b"Lavf", b"Lavc"]
                .iter()
                .any(|encoder| extension.starts_with(*encoder));
            let word = u32::from_be_bytes([0, extension[21], extension[22], extension[23]]);
            (known && word != 0).then(|| (u64::from(word >> 12), u64::from(word & 0xfff)))
        });
        Some(Self {
            mpeg_frames,
            gapless,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_gives_rate_channels_and_length_for_each_version() {
        let parse = |bytes: [u8; 4]| {
            let header = FrameHeader::parse(&bytes)?;
            Some((
                header.sample_rate_hz,
                header.channels,
                header.bytes,
                header.frames(),
            ))
        };
        assert_eq!(
            parse([0xff, 0xfb, 0x90, 0x00]),
            Some((44_100, 2, 417, 1152))
        );
        assert_eq!(
            parse([0xff, 0xfb, 0x92, 0xc0]),
            Some((44_100, 1, 418, 1152))
        );
        assert_eq!(parse([0xff, 0xf3, 0x80, 0x00]), Some((22_050, 2, 208, 576)));
        assert_eq!(parse([0xff, 0xe3, 0x28, 0xc0]), Some((8_000, 1, 144, 576)));
        for none in [
            [0xff, 0xfb, 0xf0, 0x00],
            [0xff, 0xfb, 0x00, 0x00],
            [0xff, 0xfd, 0x90, 0x00],
            [0xff, 0xeb, 0x90, 0x00],
            [0xff, 0xfb, 0x9c, 0x00],
        ] {
            assert_eq!(parse(none), None, "{none:x?}");
        }
    }
}
