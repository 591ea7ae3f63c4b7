//! The form that a model is imported with, and its fields that change a voice.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Api;
use crate::rules::problem::{FieldError, Problem};
use crate::v1::probe;
use vocalhost_catalogues::library::BesideFile;
use vocalhost_http::Upload;
use vocalhost_http::multipart::Form;
use vocalhost_letters::breaks_line;
use vocalhost_model::{
    DEMO_FORMATS, MAX_DEMO_BYTES, MAX_PICTURE_BYTES, MAX_PICTURE_SIDE, MAX_TAG_CHARACTERS,
    MAX_TAGS, MAX_TITLE_CHARACTERS, PictureError, is_tag, is_title, picture_extension, title_rule,
};
use vocalhost_work::worker::import::{Answers, Question, Why};

/// The file fields of the model itself: the main one first.
pub(crate) const MODEL_FILES: [&str; 9] = [
    "modelFile",
    "indexFile",
    "modelFile2",
    "modelFile3",
    "modelFile4",
    "modelFile5",
    "modelFile6",
    "modelFile7",
    "modelFile8",
];

/// The file field of a picture.
pub(crate) const IMAGE: &str = "imageFile";

/// The file field of a demo.
pub(crate) const DEMO: &str = "demoFile";

/// The text field of facts about the model, by the names of the questions.
pub(crate) const ANSWERS: &str = "answers";

/// Characters of a licence, an attribution and the like.
pub(crate) const MAX_TEXT_CHARACTERS: usize = 2_000;

/// Facts about one model.
const MAX_FACTS: usize = 64;

/// The texts beside title and tags: the field, and the name of the question that it answers.
pub(crate) const TEXTS: [(&str, &str); 6] = [
    ("packageId", "id"),
    ("license", "license"),
    ("attribution", "attribution"),
    ("trainedOn", "trained_on"),
    ("consent", "consent"),
    ("sourceUrl", "source_url"),
];

/// The field that answers a question.
fn field_of(question: &str) -> String {
    if question == "title" || question == "tags" {
        return question.to_owned();
    }
    let known = TEXTS.iter().find(|(_, name)| *name == question);
    known.map_or_else(
        || format!("{ANSWERS}[{question}]"),
        |(field, _)| (*field).to_owned(),
    )
}

/// The mistake of a fact that is missing or has to be given differently.
#[must_use]
pub(crate) fn asked(question: &Question) -> FieldError {
    let rule = match question.why {
        Why::Unsaid => "required",
        Why::Unknown => "exists",
        Why::Wrong if question.allowed.is_empty() => "answer",
        Why::Wrong => "enum",
    };
    FieldError::new(field_of(&question.name), rule, question.in_words())
        .with("question", question.name.clone())
        .with("allowed", question.allowed.clone())
}

/// Reads what the form says about a model.
pub(crate) fn answers(form: &Form, mistakes: &mut Vec<FieldError>) -> Answers {
    let mut text = |field: &str| text_of(form, field, mistakes);
    let [id, license, attribution, trained_on, consent, source_url] =
        TEXTS.map(|(field, _)| text(field));
    Answers {
        id,
        license,
        attribution,
        trained_on,
        consent,
        source_url,
        title: title(form.text("title"), mistakes),
        // The file has the name of an upload here.
        untitled: Some("Imported".to_owned()),
        called: Vec::new(),
        tags: form_tags(form, mistakes).unwrap_or_default(),
        facts: facts(form, mistakes),
    }
}

fn text_of(form: &Form, field: &str, mistakes: &mut Vec<FieldError>) -> Option<String> {
    // Browsers end the lines of a form's texts with CR and LF.
    let text = form.text(field)?.replace("\r\n", "\n");
    let strange = |c: char| c.is_control() && c != '\n';
    let message = format!(
        "`{field}` must be at most {MAX_TEXT_CHARACTERS} characters without control characters."
    );
    if text.contains(strange) {
        mistakes.push(FieldError::new(field, "characters", message));
    } else if text.chars().count() > MAX_TEXT_CHARACTERS {
        mistakes.push(FieldError::new(field, "length", message).with("max", MAX_TEXT_CHARACTERS));
    }
    Some(text)
}

/// Which rule a text breaks that is no title.
pub(crate) fn broken_title_rule(title: &str) -> &'static str {
    if title.contains(breaks_line) {
        "characters"
    } else {
        "length"
    }
}

/// A title, if one is given.
pub(crate) fn title(given: Option<&str>, mistakes: &mut Vec<FieldError>) -> Option<String> {
    let title = given?;
    if !is_title(title) {
        let rule = broken_title_rule(title);
        let mistake = FieldError::new("title", rule, format!("`title` {}.", title_rule()));
        mistakes.push(match rule {
            "length" => mistake.with("max", MAX_TITLE_CHARACTERS),
            _ => mistake,
        });
    }
    Some(title.trim().to_owned())
}

/// The tags of a form, if there are any: fields of that name, each with one or with commas between several.
pub(crate) fn form_tags(form: &Form, mistakes: &mut Vec<FieldError>) -> Option<Vec<String>> {
    let fields = form.fields.iter();
    let mut fields = fields
        .filter(|(name, _)| name == "tags" || name == "tags[]")
        .peekable();
    fields.peek()?;
    let given = fields.flat_map(|(_, text)| text.split(','));
    Some(tags(given, mistakes))
}

/// Tags without spaces around them, each once.
pub fn tidy_tags<'a>(given: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in given.map(str::trim).filter(|tag| !tag.is_empty()) {
        if !tags.iter().any(|known| known == tag) {
            tags.push(tag.to_owned());
        }
    }
    tags
}

/// Tags without blanks around them, each once, in their order.
pub(crate) fn tags<'a>(
    given: impl Iterator<Item = &'a str>,
    mistakes: &mut Vec<FieldError>,
) -> Vec<String> {
    let tags = tidy_tags(given);
    if tags.len() > MAX_TAGS || !tags.iter().all(|tag| is_tag(tag)) {
        let message = format!(
            "`tags` must be at most {MAX_TAGS}, of at most {MAX_TAG_CHARACTERS} characters each without control characters."
        );
        mistakes.push(FieldError::new("tags", "length", message).with("max", MAX_TAGS));
    }
    tags
}

/// Facts by name: a JSON object, or fields such as `answers[n_fft]`, or both for different facts. What is empty or null is not said.
fn facts(form: &Form, mistakes: &mut Vec<FieldError>) -> BTreeMap<String, String> {
    let mut given: Vec<(String, String)> = Vec::new();
    for (field, text) in &form.fields {
        let inner = field
            .strip_prefix(ANSWERS)
            .and_then(|rest| rest.strip_prefix('['))
            .and_then(|rest| rest.strip_suffix(']'));
        if let Some(name) = inner {
            given.push((name.to_owned(), text.trim().to_owned()));
        } else if field == ANSWERS && !text.trim().is_empty() {
            if let Ok(Value::Object(object)) = serde_json::from_str(text) {
                let object = object.into_iter().filter(|(_, value)| !value.is_null());
                given.extend(object.map(|(name, value)| (name, plain(&value))));
            } else {
                let message = "`answers` must be a JSON object.";
                mistakes.push(FieldError::new(ANSWERS, "object", message));
            }
        }
    }
    given.retain(|(_, value)| !value.trim().is_empty());
    let mut facts = BTreeMap::new();
    for (name, value) in given {
        if let Some(other) = facts.insert(name.clone(), value)
            && facts[&name] != other
        {
            let message = format!("The answer to `{name}` is given twice.");
            mistakes.push(FieldError::new(field_of(&name), "distinct", message));
        }
    }
    let characters = |text: &str| text.chars().count();
    let fits = |(name, value): (&String, &String)| {
        characters(name) <= MAX_TAG_CHARACTERS && characters(value) <= MAX_TEXT_CHARACTERS
    };
    if facts.len() > MAX_FACTS || !facts.iter().all(fits) {
        let message = format!("`answers` must be at most {MAX_FACTS} short texts.");
        mistakes.push(FieldError::new(ANSWERS, "length", message).with("max", MAX_FACTS));
    }
    facts
}

/// Texts as they are, lists of texts with commas between them, everything else as JSON writes it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) if list.iter().all(Value::is_string) => {
            let texts: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            texts.join(",")
        }
        other => other.to_string(),
    }
}

/// A picture or a demo, looked at.
pub(crate) struct Beside {
    /// Holds the file until it is published.
    _upload: Upload,
    /// What it is.
    pub file: BesideFile,
}

/// Looks at the picture of a form, if there is one.
pub(crate) async fn picture(
    form: &mut Form,
    mistakes: &mut Vec<FieldError>,
) -> Result<Option<Beside>, Problem> {
    let Some(upload) = taken(form, IMAGE, MAX_PICTURE_BYTES, mistakes) else {
        return Ok(None);
    };
    let path = upload.path().to_owned();
    let looked = tokio::task::spawn_blocking(move || picture_extension(&path)).await;
    match looked.map_err(|error| Problem::internal(&error))? {
        Ok(extension) => Ok(Some(beside(upload, format!("picture.{extension}")))),
        Err(PictureError::Io(error)) => Err(error.into()),
        Err(error) => {
            mistakes.push(no_picture(&error));
            Ok(None)
        }
    }
}

/// Has a child look at the demo of a form, if there is one.
pub(crate) async fn demo(
    api: &Api,
    form: &mut Form,
    mistakes: &mut Vec<FieldError>,
) -> Result<Option<Beside>, Problem> {
    let Some(upload) = taken(form, DEMO, MAX_DEMO_BYTES, mistakes) else {
        return Ok(None);
    };
    match probe::look_at(api, DEMO, upload.path(), &DEMO_FORMATS).await? {
        Ok(seen) => {
            let name = format!("demo.{}", seen.info.format.as_str());
            Ok(Some(beside(upload, name)))
        }
        Err(mistake) => {
            mistakes.push(mistake);
            Ok(None)
        }
    }
}

fn beside(upload: Upload, name: String) -> Beside {
    let file = BesideFile {
        path: upload.path().to_owned(),
        name,
        bytes: upload.bytes,
        sha256: upload.sha256.clone(),
    };
    Beside {
        _upload: upload,
        file,
    }
}

fn taken(
    form: &mut Form,
    field: &str,
    max_bytes: u64,
    mistakes: &mut Vec<FieldError>,
) -> Option<Upload> {
    let upload = form.take_file(field)?;
    if upload.bytes > max_bytes {
        let message = format!("`{field}` is larger than {max_bytes} bytes.");
        mistakes.push(FieldError::new(field, "size", message).with("maxBytes", max_bytes));
        return None;
    }
    Some(upload)
}

/// The mistake of a file that is no picture, or none that can be shown.
fn no_picture(error: &PictureError) -> FieldError {
    let message = format!("`{IMAGE}` {error}.");
    match error {
        PictureError::TooLarge { .. } => {
            FieldError::new(IMAGE, "pixels", message).with("maxSide", MAX_PICTURE_SIDE)
        }
        PictureError::Format | PictureError::NoSize | PictureError::Io(_) => {
            FieldError::new(IMAGE, "format", message)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::problem::rules;

    fn form(fields: &[(&str, &str)]) -> Form {
        let mut form = Form::default();
        for (name, text) in fields {
            form.fields.push(((*name).to_owned(), (*text).to_owned()));
        }
        form
    }

    #[test]
    fn what_a_form_says_about_a_model_is_read_in_every_spelling() {
        let form = form(&[
            ("title", " Anna "),
            ("tags", "warm, female,warm"),
            ("tags[]", "alto"),
            ("license", "CC0-1.0"),
            ("answers", r#"{"n_fft": 6144, "stem": "vocals"}"#),
            ("answers[hop]", " 1024 "),
            ("answers[mean_f0_hz]", " "),
            ("answers", r#"{"speaker": null}"#),
            ("consent", "Said so.\r\nOn paper."),
            ("answers", r#"{"stems": ["vocals", "other"], "hop": 1024}"#),
        ]);
        let mut mistakes = Vec::new();
        let read = answers(&form, &mut mistakes);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        assert_eq!(read.title.as_deref(), Some("Anna"));
        assert_eq!(read.tags, ["warm", "female", "alto"]);
        assert_eq!(read.license.as_deref(), Some("CC0-1.0"));
        assert_eq!(read.consent.as_deref(), Some("Said so.\nOn paper."));
        let facts: Vec<(&str, &str)> = read
            .facts
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(
            facts,
            [
                ("hop", "1024"),
                ("n_fft", "6144"),
                ("stem", "vocals"),
                ("stems", "vocals,other")
            ]
        );
    }

    #[test]
    fn an_answer_that_is_given_twice_is_not_chosen_from() {
        let form = form(&[
            ("answers", r#"{"hop": 512, "license": "CC0-1.0"}"#),
            ("answers[hop]", "1024"),
            ("answers[license]", "MIT"),
        ]);
        let mut mistakes = Vec::new();
        answers(&form, &mut mistakes);
        assert_eq!(
            rules(&mistakes),
            ["answers[hop] distinct", "license distinct"]
        );
    }

    #[test]
    fn what_is_too_long_or_strange_is_named() {
        let long = "x".repeat(MAX_TEXT_CHARACTERS + 1);
        let many = (0..=MAX_TAGS).map(|n| n.to_string()).collect::<Vec<_>>();
        let many = many.join(",");
        for (field, text, wanted) in [
            ("title", long.as_str(), "title length"),
            ("license", &long, "license length"),
            ("consent", "a\u{7}b", "consent characters"),
            ("consent", "a\rb", "consent characters"),
            ("tags", &many, "tags length"),
            ("answers", "[1]", "answers object"),
            ("answers[x]", &long, "answers length"),
        ] {
            let mut mistakes = Vec::new();
            answers(&form(&[(field, text)]), &mut mistakes);
            assert_eq!(rules(&mistakes), [wanted], "{field}");
        }
    }

    #[test]
    fn a_question_is_asked_by_the_field_that_answers_it() {
        assert_eq!(field_of("title"), "title");
        assert_eq!(field_of("trained_on"), "trainedOn");
        assert_eq!(field_of("n_fft"), "answers[n_fft]");
    }
}
