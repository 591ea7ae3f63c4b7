//! What a voice may have beside its model: a picture and a demo recording.

use crate::audio::InputFormat;

/// The largest picture.
pub const MAX_PICTURE_BYTES: u64 = 8 << 20;

/// The largest demo: a minute of lossless stereo and more.
pub const MAX_DEMO_BYTES: u64 = 20 << 20;

/// What a demo may be.
pub const DEMO_FORMATS: [InputFormat; 3] = [InputFormat::Wav, InputFormat::Mp3, InputFormat::Flac];

/// As many first bytes of a picture tell what it is.
pub const PICTURE_MARK_BYTES: usize = 12;

/// The extension of a picture by its first bytes: those of PNG (ISO 15948, 5.2), JPEG (ITU-T T.81, B.1.1.3) and WebP
/// (RFC 9649, 2.4). Drawings with scripts in them, which SVG may have, are none.
#[must_use]
pub fn picture_extension(first: &[u8]) -> Option<&'static str> {
    if first.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("png")
    } else if first.starts_with(b"\xff\xd8\xff") {
        Some("jpg")
    } else if first.starts_with(b"RIFF")
        && first.get(8..).is_some_and(|rest| rest.starts_with(b"WEBP"))
    {
        Some("webp")
    } else {
        None
    }
}
