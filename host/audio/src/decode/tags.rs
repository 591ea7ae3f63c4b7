use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::byte_reader::ByteReader;

/// The flag of an `ID3v2` tag that ends with a footer, and how many bytes the footer takes.
const FOOTER: u8 = 0x10;
const FOOTER_BYTES: u64 = 10;

/// Bytes of the tag that stands here; none when there is no tag.
///
/// Sizes from id3.org (`ID3v2.4` section 3.1: 28-bit syncsafe size behind a header of 10 bytes, a footer of 10 when bit 4
/// of the flags says so; `ID3v1`: 128 bytes) and the `APEv2` specification (32-byte header, size at byte 12 without it).
pub(super) fn tag_bytes(head: &[u8]) -> Option<u64> {
    if head.len() >= 10 && head.starts_with(b"ID3") && head[3] != 0xff && head[4] != 0xff {
        let size = &head[6..10];
        if size.iter().any(|byte| byte & 0x80 != 0) {
            return None;
        }
        let body = size
            .iter()
            .fold(0, |sum, byte| (sum << 7) | u64::from(*byte));
        let footer = if head[5] & FOOTER == 0 {
            0
        } else {
            FOOTER_BYTES
        };
        return Some(10 + body + footer);
    }
    if head.len() >= 16 && head.starts_with(b"APETAGEX") {
        let size = u32::from_le_bytes([head[12], head[13], head[14], head[15]]);
        return Some(32 + u64::from(size));
    }
    if head.starts_with(b"TAG") {
        return Some(128);
    }
    None
}

/// Bytes that [`tag_bytes`] has to see.
pub(super) const TAG_HEAD_BYTES: usize = 16;

/// Steps over all `ID3v2` tags that stand here, except for one that states more bytes than there are: it may hide sound.
pub(super) fn skip_leading(reader: &mut ByteReader) -> io::Result<()> {
    loop {
        let head = reader.peek(TAG_HEAD_BYTES)?;
        let tag = tag_bytes(head).filter(|_| head.starts_with(b"ID3"));
        let has_footer = head.get(5).is_some_and(|flags| flags & FOOTER != 0);
        let Some(bytes) = tag.filter(|bytes| *bytes <= reader.remaining()) else {
            return Ok(());
        };
        reader.skip(bytes - FOOTER_BYTES);
        // Where the footer is missing, sound begins in its place.
        if !has_footer || reader.peek(3)? == b"3DI" {
            reader.skip(FOOTER_BYTES);
        }
    }
}

/// Where the sound of a tagged file ends: before an `ID3v1` tag and `APEv2` tags with a footer.
pub(super) fn sound_end(file: &File) -> io::Result<u64> {
    let mut end = file.metadata()?.len();
    let mut head = [0; 128];
    if end >= 128 {
        file.read_exact_at(&mut head, end - 128)?;
        if head.starts_with(b"TAG") {
            end -= 128;
        }
    }
    if end >= 32 {
        let footer = &mut head[..32];
        file.read_exact_at(footer, end - 32)?;
        if footer.starts_with(b"APETAGEX") {
            // The size counts the items and this footer; bit 31 of the flags announces a header as well.
            let size = u32::from_le_bytes([footer[12], footer[13], footer[14], footer[15]]);
            let header = if footer[23] & 0x80 == 0 { 0 } else { 32 };
            // A tag that states more bytes than there are hides sound.
            end = end.checked_sub(u64::from(size) + header).unwrap_or(end);
        }
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id3v2_size_is_seven_bits_a_byte_and_a_footer_adds_ten() {
        let mut head = *b"ID3\x04\x00\x00\x00\x01\x00\x7f______";
        assert_eq!(tag_bytes(&head), Some(10 + 128 * 128 + 127));
        head[5] = 0x10;
        assert_eq!(tag_bytes(&head), Some(20 + 128 * 128 + 127));
        head[6] = 0x80;
        assert_eq!(tag_bytes(&head), None);
    }
}
