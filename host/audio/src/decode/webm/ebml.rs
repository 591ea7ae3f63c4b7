use std::borrow::Cow;

/// The longest header of an element: an identifier of 4 bytes and a size of 8 (RFC 8794 sections 5 and 6).
pub(super) const MAX_HEADER_BYTES: usize = 12;

const MAX_ID_BYTES: usize = 4;

/// Bytes that are no EBML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

impl From<Malformed> for Cow<'static, str> {
    fn from(_: Malformed) -> Self {
        "bytes that are no WebM element".into()
    }
}

/// The header of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// The identifier with its length marker, as specifications write it.
    pub(super) id: u32,
    /// Bytes of the body; none when the writer did not know yet.
    pub(super) body_bytes: Option<u64>,
    /// Bytes of the header itself.
    pub(super) bytes: usize,
}

/// Reads the header that begins here; none when the bytes end inside it.
pub(super) fn header(bytes: &[u8]) -> Result<Option<Header>, Malformed> {
    let Some(id_bytes) = length(bytes, MAX_ID_BYTES)? else {
        return Ok(None);
    };
    let Some(size_bytes) = length(bytes.get(id_bytes..).unwrap_or_default(), 8)? else {
        return Ok(None);
    };
    let Some(held) = bytes.get(..id_bytes + size_bytes) else {
        return Ok(None);
    };
    let (id, size) = held.split_at(id_bytes);
    Ok(Some(Header {
        id: big_endian(id) as u32,
        body_bytes: Some(without_marker(size)).filter(|size| *size != all_ones(size_bytes)),
        bytes: held.len(),
    }))
}

/// A number of variable length (RFC 8794 section 4) and the bytes it takes; none when the bytes end inside it.
pub(super) fn number(bytes: &[u8]) -> Option<(u64, usize)> {
    let length = length(bytes, 8).ok()??;
    Some((without_marker(bytes.get(..length)?), length))
}

/// The same as a signed difference: half of the numbers are negative (RFC 9559 section 10.3.3).
pub(super) fn difference(bytes: &[u8]) -> Option<(i64, usize)> {
    let (number, length) = number(bytes)?;
    let middle = (1_i64 << (7 * length - 1)) - 1;
    Some((number as i64 - middle, length))
}

/// The elements that a body consists of, up to the first that does not fit into it.
pub(super) fn children(mut body: &[u8]) -> Vec<(u32, &[u8])> {
    let mut children = Vec::new();
    while let Some((id, child, behind)) = first_child(body) {
        children.push((id, child));
        body = behind;
    }
    children
}

/// The first element of a body, and what follows it.
fn first_child(body: &[u8]) -> Option<(u32, &[u8], &[u8])> {
    let header = header(body).ok()??;
    let size = usize::try_from(header.body_bytes?).ok()?;
    let (child, behind) = body[header.bytes..].split_at_checked(size)?;
    Some((header.id, child, behind))
}

/// The body of the child `id`, the last when there are several.
pub(super) fn child<'a>(children: &[(u32, &'a [u8])], id: u32) -> Option<&'a [u8]> {
    let found = children.iter().rev().find(|(found, _)| *found == id);
    found.map(|(_, body)| *body)
}

/// An unsigned integer (RFC 8794 section 7.2); none when it is longer than 8 bytes.
pub(super) fn unsigned(body: &[u8]) -> Option<u64> {
    (body.len() <= 8).then(|| big_endian(body))
}

/// A signed integer (RFC 8794 section 7.1); none when it is longer than 8 bytes.
pub(super) fn signed(body: &[u8]) -> Option<i64> {
    if body.is_empty() {
        return Some(0);
    }
    let unused_bits = 64 - 8 * body.len().min(8);
    Some(((unsigned(body)? << unused_bits) as i64) >> unused_bits)
}

/// A text (RFC 8794 section 7.4); a zero may end it early.
pub(super) fn text(body: &[u8]) -> &[u8] {
    body.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// Bytes of the number that begins here, by its leading zero bits; none when there is no byte.
fn length(bytes: &[u8], most: usize) -> Result<Option<usize>, Malformed> {
    let Some(first) = bytes.first() else {
        return Ok(None);
    };
    let length = first.leading_zeros() as usize + 1;
    if length > most {
        return Err(Malformed);
    }
    Ok(Some(length))
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

fn without_marker(bytes: &[u8]) -> u64 {
    big_endian(bytes) & all_ones(bytes.len())
}

fn all_ones(bytes: usize) -> u64 {
    (1 << (7 * bytes)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_has_an_identifier_with_its_marker_and_a_size_without() {
        type Wanted = Result<Option<Header>, Malformed>;
        let cases: [(&[u8], Wanted); 7] = [
            (
                b"\x1a\x45\xdf\xa3\x9f",
                Ok(Some(Header {
                    id: 0x1a45_dfa3,
                    body_bytes: Some(31),
                    bytes: 5,
                })),
            ),
            (
                b"\xa3\x40\x02rest",
                Ok(Some(Header {
                    id: 0xa3,
                    body_bytes: Some(2),
                    bytes: 3,
                })),
            ),
            (
                b"\x1f\x43\xb6\x75\x01\xff\xff\xff\xff\xff\xff\xff",
                Ok(Some(Header {
                    id: 0x1f43_b675,
                    body_bytes: None,
                    bytes: 12,
                })),
            ),
            (b"", Ok(None)),
            (b"\x1f\x43", Ok(None)),
            (b"\x08\x81", Err(Malformed)),
            (b"\xa3\x00\x81", Err(Malformed)),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(header(bytes), wanted, "{bytes:x?}");
        }
    }

    #[test]
    fn integers_have_any_length_up_to_eight_bytes() {
        assert_eq!(unsigned(b""), Some(0));
        assert_eq!(unsigned(b"\x01\x02"), Some(258));
        assert_eq!(unsigned(&[1; 9]), None);
        assert_eq!(signed(b"\xff"), Some(-1));
        assert_eq!(signed(b"\x00\xff"), Some(255));
        assert_eq!(signed(&[0x80, 0, 0, 0, 0, 0, 0, 0]), Some(i64::MIN));
        assert_eq!(signed(&[1; 9]), None);
    }

    #[test]
    fn a_text_ends_at_its_first_zero() {
        assert_eq!(text(b"webm"), b"webm");
        assert_eq!(text(b"webm\0\0"), b"webm");
        assert_eq!(text(b""), b"");
    }

    #[test]
    fn a_difference_lies_around_the_middle_of_its_length() {
        assert_eq!(difference(b"\xbf"), Some((0, 1)));
        assert_eq!(difference(b"\x80"), Some((-63, 1)));
        assert_eq!(difference(b"\x5f\xff"), Some((0, 2)));
    }

    #[test]
    fn children_are_read_as_far_as_they_fit_into_their_parent() {
        let both = vec![(0xd7, &b"\x02"[..]), (0x83, &b""[..])];
        assert_eq!(children(b"\xd7\x81\x02\x83\x80"), both);
        for broken in [&b"\xd7\x82\x02"[..], b"\xd7\xff", b"\x00"] {
            assert_eq!(children(broken), []);
            let behind = [b"\xd7\x81\x02\x83\x80", broken].concat();
            assert_eq!(children(&behind), both, "{broken:x?}");
        }
    }
}
