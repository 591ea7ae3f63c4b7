//! The tables of what is known: a line begins with a digest or a name, and `#` with a remark.

use std::str::SplitWhitespace;

/// The words of the line of a table that begins with `digest`, behind it.
pub(super) fn line(table: &'static str, digest: &str) -> Option<SplitWhitespace<'static>> {
    let mut lines = lines(table).map(str::split_whitespace);
    lines.find_map(|mut words| (words.next()? == digest).then_some(words))
}

pub(super) fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#'))
}
