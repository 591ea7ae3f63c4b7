use std::ops::Range;

/// What a `Range` header asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RangeAsked {
    /// The whole file: no header, one that is not understood, or several ranges, which RFC 9110 (14.2) lets a server
    /// ignore.
    Whole,
    /// These bytes of it.
    Part(Range<u64>),
    /// Bytes that the file does not have.
    Outside,
}

/// Reads a `Range` header for a file of `size_bytes`.
#[must_use]
pub(crate) fn parse_range(header: Option<&str>, size_bytes: u64) -> RangeAsked {
    header
        .and_then(|header| parse_single(header, size_bytes))
        .unwrap_or(RangeAsked::Whole)
}

fn parse_single(header: &str, size_bytes: u64) -> Option<RangeAsked> {
    let (unit, ranges) = header.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let (first, last) = ranges.trim().split_once('-')?;
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // More digits than fit are as good as the end of every file.
        digits.then(|| text.parse().unwrap_or(u64::MAX))
    };
    let (start, end) = if first.is_empty() {
        let suffix = number(last)?;
        (
            if suffix == 0 {
                size_bytes
            } else {
                size_bytes.saturating_sub(suffix)
            },
            size_bytes,
        )
    } else {
        let start = number(first)?;
        let end = if last.is_empty() {
            size_bytes
        } else {
            let last = number(last)?;
            if last < start {
                return None;
            }
            last.saturating_add(1).min(size_bytes)
        };
        (start, end)
    };
    if start >= size_bytes {
        return Some(RangeAsked::Outside);
    }
    Some(RangeAsked::Part(start..end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_range() {
        use RangeAsked::{Outside, Part, Whole};
        for (header, asked) in [
            ("bytes=0-0", Part(0..1)),
            ("bytes=0-99", Part(0..100)),
            ("Bytes = 10-19", Part(10..20)),
            ("bytes=90-", Part(90..100)),
            ("bytes=90-1000", Part(90..100)),
            ("bytes=0-99999999999999999999999", Part(0..100)),
            ("bytes=-1", Part(99..100)),
            ("bytes=-1000", Part(0..100)),
            ("bytes=-0", Outside),
            ("bytes=100-", Outside),
            ("bytes=99999999999999999999999-", Outside),
            ("bytes=5-4", Whole),
            ("bytes=a-b", Whole),
            ("bytes=-", Whole),
            ("bytes=", Whole),
            ("bytes", Whole),
            ("items=0-1", Whole),
            ("bytes=0-1,5-6", Whole),
        ] {
            assert_eq!(parse_range(Some(header), 100), asked, "{header}");
        }
        assert_eq!(parse_range(None, 100), Whole);
        assert_eq!(parse_range(Some("bytes=0-0"), 0), Outside);
        assert_eq!(parse_range(Some("bytes=-1"), 0), Outside);
    }
}
