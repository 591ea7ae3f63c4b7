//! Which content encoder is which.
//!
//! Encoders of one size look alike: they take the same sound and give vectors of the same length. A voice that gets the vectors of another
//! encoder than it was trained on speaks gibberish. So each encoder has an identity, a short name that programs around RVC agree on, and a
//! checkpoint that names its encoder means one of that identity.

/// The encoder that RVC itself has always used, whatever its name: checkpoints that name none mean it.
pub const USUAL_ENCODER: &str = "contentvec";

/// The longest identity.
const MAX_LETTERS: usize = 64;

/// Names that programs use for encoders, and the identity that each of them means. (Applio's list of embedders, and the files that RVC and
/// w-okada's voice changer load.)
const NAMES: [(&str, &str); 18] = [
    ("contentvec", USUAL_ENCODER),
    ("contentvec-base", USUAL_ENCODER),
    ("content-vec", USUAL_ENCODER),
    ("content-vec-500", USUAL_ENCODER),
    ("hubert", USUAL_ENCODER),
    ("hubert-base", USUAL_ENCODER),
    ("vec-256-layer-9", USUAL_ENCODER),
    ("vec-256-layer-12", USUAL_ENCODER),
    ("vec-768-layer-9", USUAL_ENCODER),
    ("vec-768-layer-12", USUAL_ENCODER),
    ("chinese-hubert", "chinese-hubert-base"),
    ("chinese-hubert-base", "chinese-hubert-base"),
    ("japanese-hubert", "japanese-hubert-base"),
    ("japanese-hubert-base", "japanese-hubert-base"),
    ("korean-hubert", "korean-hubert-base"),
    ("korean-hubert-base", "korean-hubert-base"),
    ("spin", "spin"),
    ("spin-v2", "spin-v2"),
];

/// The identity that a name means: the one listed, or the name itself in lower-case letters with hyphens. `None` for a name without
/// letters, or one that is too long.
#[must_use]
pub fn encoder_identity(name: &str) -> Option<String> {
    let words = words(name).join("-");
    if words.is_empty() || words.len() > MAX_LETTERS {
        return None;
    }
    let known = NAMES.iter().find(|(known, _)| *known == words);
    Some(known.map_or(words, |(_, identity)| (*identity).to_owned()))
}

/// The identity that a title, an id or a file name reveals: that of the longest known name that occurs in it as words.
#[must_use]
pub fn recognised_encoder(text: &str) -> Option<&'static str> {
    let words = words(text);
    let stands_in = |name: &str| {
        let wanted: Vec<&str> = name.split('-').collect();
        words.windows(wanted.len()).any(|some| some == wanted)
    };
    let found = NAMES.iter().filter(|(name, _)| stands_in(name));
    let longest = found.max_by_key(|(name, _)| name.len())?;
    Some(longest.1)
}

fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether a text of a manifest is an identity.
pub(super) fn is_identity(text: &str) -> bool {
    encoder_identity(text).as_deref() == Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_encoder_mean_one_identity() {
        for (name, identity) in [
            ("contentvec", Some("contentvec")),
            ("ContentVec_Base", Some("contentvec")),
            ("hubert_base", Some("contentvec")),
            ("vec-768-layer-12", Some("contentvec")),
            ("japanese-hubert-base", Some("japanese-hubert-base")),
            ("Japanese HuBERT", Some("japanese-hubert-base")),
            ("my own encoder", Some("my-own-encoder")),
            ("  ", None),
        ] {
            assert_eq!(encoder_identity(name).as_deref(), identity, "{name}");
            assert!(identity.is_none_or(is_identity), "{name}");
        }
        assert!(!is_identity("ContentVec"));
        assert_eq!(encoder_identity(&"x".repeat(100)), None);
    }

    #[test]
    fn a_file_gives_its_encoder_away_by_the_longest_name_in_it() {
        for (text, identity) in [
            ("contentvec.onnx", Some("contentvec")),
            ("vec-768-layer-12-f16.onnx", Some("contentvec")),
            ("hubert_base.onnx", Some("contentvec")),
            ("chinese-hubert-base.onnx", Some("chinese-hubert-base")),
            ("demo.spin", Some("spin")),
            ("SPIN v2", Some("spin-v2")),
            ("spinner.onnx", None),
            ("encoder.onnx", None),
        ] {
            assert_eq!(recognised_encoder(text), identity, "{text}");
        }
    }
}
