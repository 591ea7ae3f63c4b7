use serde_json::{Map, Value};

use super::clean_form::{self, CLEAN};
use super::common::no_such_voice;
use super::conversion_form::{AUTO, ISOLATE, seed};
use super::json_fields::member;
use super::model_form::{self, form_tags};
use super::spoken_consent;
use crate::rules::mistakes::{missing, no_text, not_among};
use crate::rules::problem::FieldError;
use vocalhost_http::multipart::Form;
use vocalhost_job::{By, CleanStep, Consent, Preset};

/// The field of the voice that a training starts from.
pub const BASE: &str = "base";
/// The field of what is declared about the voice.
const CONSENT: &str = "consent";
const PRESET: &str = "preset";
const KEEP: &str = "keepRecordings";

/// The text fields beside those that every job has.
pub const TEXT_FIELDS: [&str; 9] = [
    "title", "tags", BASE, PRESET, "seed", ISOLATE, CLEAN, CONSENT, KEEP,
];

/// The most characters of the name of the voice's owner.
const MAX_NAME_CHARACTERS: usize = 200;

/// What a request for a training says beside its recordings.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// The title of the voice; empty where none was given.
    pub title: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The voice to start from; without one, the nearest is taken.
    pub base: Option<i64>,
    /// How long it is trained.
    pub preset: Preset,
    /// Seed of every random number.
    pub seed: u64,
    /// Whether only what is sung in the recordings is used.
    pub isolate_vocals: bool,
    /// What is taken out of the recordings first.
    pub clean: Vec<CleanStep>,
    /// What is declared about it; none where something is wrong with that.
    pub consent: Option<Consent>,
    /// The token that came with the number that a recording of the consent has to say.
    pub consent_token: Option<String>,
    /// Whether the recordings are kept beyond the training.
    pub keep_recordings: bool,
}

/// Reads the text fields; everything that is wrong with them is added to `mistakes`.
pub fn parse(form: &Form, mistakes: &mut Vec<FieldError>) -> Parameters {
    let parameters = Parameters {
        title: title(form, mistakes),
        tags: form_tags(form, mistakes).unwrap_or_default(),
        base: base(form, mistakes),
        preset: preset(form, mistakes),
        seed: seed(form, mistakes),
        isolate_vocals: form.toggle(ISOLATE, mistakes).unwrap_or(false),
        clean: clean_form::steps(form, mistakes),
        consent: None,
        consent_token: None,
        keep_recordings: false,
    };
    let Declared { consent, token } = consent(form, mistakes);
    Parameters {
        consent,
        consent_token: token,
        keep_recordings: form.toggle(KEEP, mistakes).unwrap_or(false),
        ..parameters
    }
}

fn title(form: &Form, mistakes: &mut Vec<FieldError>) -> String {
    let title = model_form::title(form.text("title"), mistakes);
    title.unwrap_or_else(|| {
        mistakes.push(missing("title"));
        String::new()
    })
}

fn base(form: &Form, mistakes: &mut Vec<FieldError>) -> Option<i64> {
    let text = form.text(BASE)?;
    if text.eq_ignore_ascii_case(AUTO) {
        return None;
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = format!("`{BASE}` must be `{AUTO}` or the number of a voice.");
        mistakes.push(FieldError::new(BASE, "number", message));
        return None;
    }
    let id = text.parse().ok().filter(|id: &i64| *id > 0);
    if id.is_none() {
        mistakes.push(no_such_voice(BASE));
    }
    id
}

fn preset(form: &Form, mistakes: &mut Vec<FieldError>) -> Preset {
    let Some(text) = form.text(PRESET) else {
        return Preset::default();
    };
    Preset::parse(text).unwrap_or_else(|| {
        mistakes.push(not_among(PRESET, &Preset::ALL.map(Preset::as_str)));
        Preset::default()
    })
}

/// What is declared, as far as it is right.
#[derive(Default)]
struct Declared {
    consent: Option<Consent>,
    token: Option<String>,
}

/// What is declared: one JSON object, or fields such as `consent[by]`.
fn consent(form: &Form, mistakes: &mut Vec<FieldError>) -> Declared {
    let Some(given) = consent_fields(form, mistakes) else {
        return Declared::default();
    };
    let token = text(&given, spoken_consent::TOKEN, mistakes);
    Declared {
        token: token.map(str::to_owned),
        consent: declared(&given, mistakes),
    }
}

fn declared(given: &Map<String, Value>, mistakes: &mut Vec<FieldError>) -> Option<Consent> {
    let before = mistakes.len();
    let statement = required(given, "statement", mistakes);
    if statement.is_some_and(|statement| statement.trim() != Consent::STATEMENT) {
        let message = "`consent.statement` must be the statement that `GET /voice-trainings/consent` gives today, word for word.";
        mistakes.push(FieldError::new("consent.statement", "statement", message));
    }
    let by = required(given, "by", mistakes);
    let found = by.and_then(By::parse);
    if by.is_some() && found.is_none() {
        mistakes.push(not_among("consent.by", &By::ALL.map(By::as_str)));
    }
    let name = name(given, mistakes);
    let by = found.filter(|_| mistakes.len() == before)?;
    Some(Consent::to_statement(by, name))
}

fn consent_fields(form: &Form, mistakes: &mut Vec<FieldError>) -> Option<Map<String, Value>> {
    let mut given = Map::new();
    let mut fields = form.fields.iter().filter_map(|(name, text)| {
        let key = name.strip_prefix("consent[")?.strip_suffix(']')?;
        Some((key.to_owned(), Value::from(text.as_str())))
    });
    let of_fields: Vec<_> = fields.by_ref().collect();
    match form.text(CONSENT) {
        None if of_fields.is_empty() => {
            let message = format!(
                "`{CONSENT}` is missing: no voice is trained before somebody has declared the statement that `GET /voice-trainings/consent` gives."
            );
            mistakes.push(FieldError::new(CONSENT, "required", message));
            return None;
        }
        None => {}
        Some(text) => {
            let Ok(Value::Object(object)) = serde_json::from_str(text) else {
                let message = format!("`{CONSENT}` must be a JSON object.");
                mistakes.push(FieldError::new(CONSENT, "object", message));
                return None;
            };
            given = object;
        }
    }
    given.extend(of_fields);
    Some(given)
}

/// A text of the declaration that has to be there.
fn required<'g>(
    given: &'g Map<String, Value>,
    key: &str,
    mistakes: &mut Vec<FieldError>,
) -> Option<&'g str> {
    let before = mistakes.len();
    let found = text(given, key, mistakes);
    if found.is_none() && mistakes.len() == before {
        mistakes.push(missing(&format!("{CONSENT}.{key}")));
    }
    found
}

/// A text of the declaration that is there and says something.
fn text<'g>(
    given: &'g Map<String, Value>,
    key: &str,
    mistakes: &mut Vec<FieldError>,
) -> Option<&'g str> {
    let Some(text) = member(given, key)?.as_str() else {
        mistakes.push(no_text(&format!("{CONSENT}.{key}")));
        return None;
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

fn name(given: &Map<String, Value>, mistakes: &mut Vec<FieldError>) -> Option<String> {
    let name = text(given, "name", mistakes)?.trim();
    let is_strange = name.contains(char::is_control);
    if is_strange || name.chars().count() > MAX_NAME_CHARACTERS {
        let rule = if is_strange { "characters" } else { "length" };
        let message = format!(
            "`consent.name` must be at most {MAX_NAME_CHARACTERS} characters without control characters."
        );
        let mistake = FieldError::new("consent.name", rule, message);
        mistakes.push(mistake.with("max", MAX_NAME_CHARACTERS));
    }
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules::problem::rules;

    fn read(fields: &[(&str, &str)]) -> (Parameters, Vec<String>) {
        let mut form = Form::default();
        let fields = fields.iter();
        form.fields = fields
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        let mut mistakes = Vec::new();
        let parameters = parse(&form, &mut mistakes);
        (parameters, rules(&mistakes))
    }

    fn declaration() -> String {
        json!({ "statement": Consent::STATEMENT, "by": "owner-agreed", "name": " Ann " })
            .to_string()
    }

    #[test]
    fn a_title_and_a_declaration_are_enough() {
        let (parameters, mistakes) = read(&[("title", "Ann"), ("consent", &declaration())]);
        assert_eq!(mistakes, Vec::<String>::new());
        assert_eq!(parameters.base, None);
        assert_eq!(parameters.preset, Preset::Quick);
        let wanted = Consent::to_statement(By::OwnerAgreed, Some("Ann".to_owned()));
        assert_eq!(parameters.consent, Some(wanted));
        let (parameters, mistakes) = read(&[
            ("title", "Ann"),
            ("tags", "warm, alto"),
            ("base", "12"),
            ("preset", "long"),
            ("seed", "7"),
            ("keepRecordings", "1"),
            ("isolateVocals", "true"),
            ("clean", "denoise,dereverb"),
            ("consent[statement]", Consent::STATEMENT),
            ("consent[by]", "self"),
        ]);
        assert_eq!(mistakes, Vec::<String>::new());
        assert_eq!((parameters.base, parameters.seed), (Some(12), 7));
        assert_eq!(parameters.preset, Preset::Long);
        assert!(parameters.keep_recordings && parameters.isolate_vocals);
        let steps = [CleanStep::Dereverb, CleanStep::Denoise];
        assert_eq!(
            parameters.clean, steps,
            "in the order in which they are taken"
        );
        let wanted = Consent::to_statement(By::Own, None);
        assert_eq!(parameters.consent, Some(wanted));
    }

    #[test]
    fn every_mistake_has_its_field_and_rule_at_once() {
        let consent = json!({ "statement": "I agree.", "by": "nobody", "name": "x".repeat(201) });
        let (parameters, mistakes) = read(&[
            ("base", "oak"),
            ("preset", "huge"),
            ("seed", "-1"),
            ("keepRecordings", "perhaps"),
            ("clean", "polish"),
            ("consent", &consent.to_string()),
        ]);
        let wanted = [
            "title required",
            "base number",
            "preset enum",
            "seed number",
            "clean enum",
            "consent.statement statement",
            "consent.by enum",
            "consent.name length",
            "keepRecordings boolean",
        ];
        assert_eq!(mistakes, wanted);
        assert_eq!(parameters.consent, None);
        for (consent, wanted) in [
            (None, "consent required"),
            (Some("yes"), "consent object"),
            (Some("{}"), "consent.statement required"),
            (Some(r#"{"statement": 7}"#), "consent.statement string"),
        ] {
            let mut fields = vec![("title", "Ann"), ("base", "AUTO")];
            fields.extend(consent.map(|text| ("consent", text)));
            let (_, mistakes) = read(&fields);
            assert_eq!(mistakes[0], wanted, "{consent:?}");
        }
        assert_eq!(read(&[("base", "0")]).1[1], "base exists");
    }
}
