#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod words;

/// Whether a character shows nothing itself but changes how its surroundings are shown (Unicode's soft hyphen, joiners, marks of direction
/// and byte order).
#[must_use]
pub fn is_shapeless(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Whether a character affects more than its line: a control character, or one that sets the direction of all that follows (Unicode
/// Standard Annex 9: embeddings, overrides and isolates). Marks of direction, which Arabic and Hebrew need, do not.
#[must_use]
pub fn breaks_line(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character is a control character or changes the direction of the text around it, so that people read something else than is
/// there (Unicode Standard Annex 9, explicit directional formatting). Joiners are not: emoji and many scripts need them.
#[must_use]
pub fn is_hidden(letter: char) -> bool {
    breaks_line(letter) || matches!(letter, '\u{200e}' | '\u{200f}')
}
