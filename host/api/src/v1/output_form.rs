use serde_json::{Value, json};

use super::chain::MAX_SHOWN_NAME;
use crate::rules::mistakes::{no_number, not_among};
use crate::rules::problem::FieldError;
use vocalhost_http::multipart::Form;
use vocalhost_job::{LossyFiles, Output, OutputFormat, Stem};

/// The field that says what the main files are.
pub const FORMAT: &str = "outputFormat";

/// The field of their bit rate.
pub const BITRATE: &str = "outputBitrate";

/// The field for the loudness of the result, and its range: from what hardly anybody publishes to what hardly fits.
pub const LOUDNESS: &str = "outputLoudness";
const LOUDNESSES: std::ops::RangeInclusive<f64> = -40.0..=-5.0;

/// The field that says which stems are wanted.
pub const STEMS: &str = "stems";
/// The field that says whether a recording must be whole.
pub const STRICT: &str = "strictInput";

/// How many unknown names a message repeats.
const MAX_SHOWN_NAMES: usize = 8;

/// Reads whether the recording must be whole.
pub fn strict(form: &Form, mistakes: &mut Vec<FieldError>) -> bool {
    form.toggle(STRICT, mistakes).unwrap_or(false)
}

/// Reads what the files of a result are to be, except when lossy ones are made; what is wrong is added to `mistakes`.
pub fn output(form: &Form, mistakes: &mut Vec<FieldError>) -> Output {
    let format = format(form, mistakes);
    Output {
        format,
        bitrate_kbps: bitrate(form, format, mistakes),
        loudness_lufs: loudness(form, mistakes),
        lossy: LossyFiles::default(),
    }
}

fn loudness(form: &Form, mistakes: &mut Vec<FieldError>) -> Option<f64> {
    let text = form.text(LOUDNESS)?;
    let Some(lufs) = text.parse().ok().filter(|lufs: &f64| lufs.is_finite()) else {
        mistakes.push(no_number(LOUDNESS));
        return None;
    };
    let (min, max) = (*LOUDNESSES.start(), *LOUDNESSES.end());
    if !LOUDNESSES.contains(&lufs) {
        let message = format!("`{LOUDNESS}` must be between {min} and {max} LUFS.");
        let mistake = FieldError::new(LOUDNESS, "range", message);
        mistakes.push(mistake.with("min", min).with("max", max));
    }
    Some(lufs)
}

fn format(form: &Form, mistakes: &mut Vec<FieldError>) -> OutputFormat {
    let Some(text) = form.text(FORMAT) else {
        return OutputFormat::default();
    };
    let mut offered = OutputFormat::ALL
        .into_iter()
        .filter(|format| is_offered(*format));
    let found = offered.find(|format| format.as_str().eq_ignore_ascii_case(text));
    found.unwrap_or_else(|| {
        let offered = OutputFormat::ALL
            .into_iter()
            .filter(|format| is_offered(*format));
        let words: Vec<&str> = offered.map(OutputFormat::as_str).collect();
        mistakes.push(not_among(FORMAT, &words));
        OutputFormat::default()
    })
}

fn is_offered(format: OutputFormat) -> bool {
    format != OutputFormat::Mp3 || cfg!(feature = "mp3")
}

fn bitrate(form: &Form, format: OutputFormat, mistakes: &mut Vec<FieldError>) -> Option<u32> {
    let text = form.text(BITRATE)?;
    let rates = format.bitrates_kbps();
    if rates.is_empty() {
        let message = format!("`{BITRATE}` does not go with `{}`.", format.as_str());
        mistakes.push(FieldError::new(BITRATE, "unused", message));
        return None;
    }
    let found = text.parse().ok().filter(|rate| rates.contains(rate));
    if found.is_none() {
        let words: Vec<String> = rates.iter().map(u32::to_string).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mistake = not_among(BITRATE, &words);
        mistakes.push(mistake.with("choices", json!(rates)));
    }
    found
}

/// Reads which stems are wanted, out of those that there are: the field repeated, a list with commas, or a JSON array.
/// `None` are all of them.
pub fn stems(form: &Form, offered: &[Stem], mistakes: &mut Vec<FieldError>) -> Option<Vec<Stem>> {
    let (mut wanted, mut strange) = (Vec::new(), Vec::new());
    for name in names_of(form, STEMS, mistakes)? {
        let found = offered.iter();
        let Some(stem) = found
            .copied()
            .find(|stem| stem.as_str().eq_ignore_ascii_case(&name))
        else {
            strange.push(name);
            continue;
        };
        wanted.push(stem);
    }
    if !strange.is_empty() {
        let words: Vec<&str> = offered.iter().map(|stem| stem.as_str()).collect();
        mistakes.push(none_of(STEMS, &strange, &words));
        return None;
    }
    // In the order of the record, each once.
    let listed: Vec<Stem> = offered
        .iter()
        .copied()
        .filter(|stem| wanted.contains(stem))
        .collect();
    (!listed.is_empty()).then_some(listed)
}

/// The names that a field lists: repeated, with commas, or as a JSON array. `None` where it is no list, which is a mistake then.
pub fn names_of(form: &Form, field: &str, mistakes: &mut Vec<FieldError>) -> Option<Vec<String>> {
    let given = form.fields.iter().filter(|(name, _)| {
        let rest = name.strip_prefix(field);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
    });
    let listed: Option<Vec<_>> = given.map(|(_, text)| names(text)).collect();
    if listed.is_none() {
        let message = format!("`{field}` must be a list of names.");
        mistakes.push(FieldError::new(field, "array", message));
    }
    Some(listed?.concat())
}

/// The names in one value of a field; `None` when it is JSON of another kind.
fn names(text: &str) -> Option<Vec<String>> {
    let text = text.trim();
    // What JavaScript makes of a field that has nothing.
    if text == "null" {
        return Some(Vec::new());
    }
    if !text.starts_with('[') && !text.starts_with('{') {
        let names = text
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        return Some(names.map(str::to_owned).collect());
    }
    let Ok(Value::Array(items)) = serde_json::from_str(text) else {
        return None;
    };
    let names = items.iter().map(|item| item.as_str().map(str::to_owned));
    names.collect()
}

/// What a client is told of names that a field cannot have.
pub fn none_of(field: &str, names: &[String], words: &[&str]) -> FieldError {
    let shown = names.iter().take(MAX_SHOWN_NAMES).map(|name| {
        let name: String = name.chars().take(MAX_SHOWN_NAME).collect();
        format!("{name:?}")
    });
    let shown: Vec<String> = shown.collect();
    let message = format!(
        "`{field}` must be some of {}, and has {}.",
        words.join(", "),
        shown.join(", ")
    );
    FieldError::new(field, "enum", message).with("choices", json!(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::problem::rules;

    fn form(fields: &[(&str, &str)]) -> Form {
        let fields = fields.iter();
        let mut form = Form::default();
        form.fields = fields
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        form
    }

    #[test]
    fn every_format_and_its_bit_rates_are_read() {
        for format in OutputFormat::ALL
            .into_iter()
            .filter(|format| is_offered(*format))
        {
            let mut mistakes = Vec::new();
            let word = format.as_str().to_uppercase();
            let read = output(&form(&[(FORMAT, &word)]), &mut mistakes);
            assert_eq!((read.format, read.bitrate_kbps), (format, None));
            for rate in format.bitrates_kbps() {
                let fields = [(FORMAT, format.as_str()), (BITRATE, &rate.to_string())];
                assert_eq!(
                    output(&form(&fields), &mut mistakes).bitrate_kbps,
                    Some(*rate)
                );
            }
            assert_eq!(rules(&mistakes), Vec::<String>::new());
        }
    }

    #[test]
    fn a_format_or_rate_that_there_is_not_is_named() {
        for (fields, wanted) in [
            (vec![(FORMAT, "aiff")], "outputFormat enum"),
            (vec![(BITRATE, "192")], "outputBitrate unused"),
            (vec![(FORMAT, "opus"), (BITRATE, "7")], "outputBitrate enum"),
            (vec![(FORMAT, "opus"), (BITRATE, "x")], "outputBitrate enum"),
        ] {
            let mut mistakes = Vec::new();
            output(&form(&fields), &mut mistakes);
            assert_eq!(rules(&mistakes), [wanted]);
        }
    }

    #[test]
    fn stems_come_in_every_form_and_leave_in_the_order_of_the_record() {
        let wanted = Some(vec![Stem::Vocals, Stem::Bass]);
        for fields in [
            vec![("stems", "bass, vocals")],
            vec![("stems", "bass"), ("stems", "vocals"), ("stems", "bass")],
            vec![("stems[]", "bass"), ("stems[]", "Vocals")],
            vec![("stems[1]", "vocals"), ("stems[0]", "bass")],
            vec![("stems", r#"["vocals", "bass"]"#)],
        ] {
            let mut mistakes = Vec::new();
            assert_eq!(
                stems(&form(&fields), &Stem::OF_SPLIT, &mut mistakes),
                wanted
            );
            assert_eq!(rules(&mistakes), Vec::<String>::new());
        }
        for text in ["", "[]", "null"] {
            let nothing = [("stems", text)];
            let mut mistakes = Vec::new();
            let wanted = stems(&form(&nothing), &Stem::OF_SPLIT, &mut mistakes);
            assert_eq!((wanted, rules(&mistakes)), (None, Vec::new()), "{text}");
        }
        let mut mistakes = Vec::new();
        let strange = format!("foo,vocals,bar,{}", "x".repeat(9_999));
        stems(
            &form(&[("stems", &strange)]),
            &Stem::OF_SPLIT,
            &mut mistakes,
        );
        assert_eq!(rules(&mistakes), ["stems enum"]);
        let message = &mistakes[0].message;
        assert!(
            message.contains(r#"and has "foo", "bar", "xxx"#),
            "{message}"
        );
        assert!(message.len() < 300, "{message}");
        for (text, wanted) in [
            ("drums", "stems enum"),
            ("[1]", "stems array"),
            ("{}", "stems array"),
            ("[", "stems array"),
        ] {
            let mut mistakes = Vec::new();
            stems(
                &form(&[("stems", text)]),
                &Stem::OF_SEPARATION,
                &mut mistakes,
            );
            assert_eq!(rules(&mistakes), [wanted], "{text}");
        }
    }
}
