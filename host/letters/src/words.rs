//! Strangers' words in messages: characters that a terminal would obey are escaped, and long texts are cut.

use crate::is_shapeless;

/// The most characters of a name in a message; exporters derive names from a module's path.
const MAX_QUOTED: usize = 200;

/// At most so many characters of a text, on one line, without control characters.
#[must_use]
pub fn plain(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for letter in text.chars().take(most) {
        match letter {
            '\n' | '\r' | '\t' => shown.push(' '),
            letter if letter.is_control() || is_shapeless(letter) => {
                shown.extend(letter.escape_unicode());
            }
            letter => shown.push(letter),
        }
    }
    if text.chars().nth(most).is_some() {
        shown.push('…');
    }
    shown
}

/// A name in quotation marks.
#[must_use]
pub fn quoted(name: &str) -> String {
    let shown: String = name.chars().take(MAX_QUOTED).collect();
    let cut = if shown.len() < name.len() { "…" } else { "" };
    format!("\"{}{cut}\"", shown.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        assert_eq!(
            plain("a\u{1b}[2J\u{202e}b\nc é", 99),
            "a\\u{1b}[2J\\u{202e}b c é"
        );
        assert_eq!(quoted("a\u{1b}\"\nb"), r#""a\u{1b}\"\nb""#);
    }

    #[test]
    fn what_is_long_is_cut() {
        assert_eq!(plain("éé", 2), "éé");
        assert_eq!(plain("ééé", 2), "éé…");
        assert_eq!(quoted(&"é".repeat(201)).chars().count(), 203);
    }
}
