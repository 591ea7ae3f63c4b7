use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::common::{Common, no_such_voice};
use super::json_fields::{member, text};
use super::model_form;
use crate::rules::mistakes::{missing, no_number, no_whole_number, out_of_range};
use crate::rules::problem::FieldError;
use vocalhost_hooks::AddressRules;
use vocalhost_letters::breaks_line;
use vocalhost_model::{MAX_TITLE_CHARACTERS, is_blank};

/// The voices, in order; the first two are required.
pub const MODEL_FIELDS: [&str; 4] = ["modelId1", "modelId2", "modelId3", "modelId4"];

/// Their shares; that of the last voice is what the others leave.
const SHARE_FIELDS: [&str; 3] = ["alpha", "alpha2", "alpha3"];

const SHARE: RangeInclusive<f64> = 0.0..=1.0;

/// Shares that were computed by a client may miss 1 by this much.
const SUM_TOLERANCE: f64 = 1e-9;

/// The last share is rounded to six places, so that 0.3 and 0.6 leave 0.1.
const SHARE_STEPS: f64 = 1e6;

/// What a request for a blend says.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// Numbers of two to four voices; 0 where the request names none that could be.
    pub models: Vec<i64>,
    /// A share for each.
    pub shares: Vec<f64>,
    /// The title, when it was given.
    pub title: Option<String>,
    /// What every job may say.
    pub common: Common,
}

/// Reads the fields of the body; everything that is wrong with them is added to `mistakes`. Shares beyond those needed are
/// not looked at.
pub fn parse(
    body: &Map<String, Value>,
    rules: &AddressRules,
    mistakes: &mut Vec<FieldError>,
) -> Parameters {
    let models = models(body, mistakes);
    let shares = shares(body, models.len(), mistakes);
    Parameters {
        models,
        shares,
        title: title(body, mistakes),
        common: Common::of_json(body, rules, mistakes),
    }
}

/// The title of a blend that was given none: those of its voices, as far as they fit.
#[must_use]
pub fn default_title(titles: &[&str]) -> String {
    let whole = titles.join(" + ");
    if whole.chars().count() <= MAX_TITLE_CHARACTERS {
        return whole;
    }
    let cut: String = whole.chars().take(MAX_TITLE_CHARACTERS - 1).collect();
    format!("{}…", cut.trim_end())
}

fn models(body: &Map<String, Value>, mistakes: &mut Vec<FieldError>) -> Vec<i64> {
    let count = MODEL_FIELDS
        .iter()
        .rposition(|field| member(body, field).is_some())
        .map_or(2, |last| (last + 1).max(2));
    let mut models: Vec<i64> = Vec::with_capacity(count);
    for field in &MODEL_FIELDS[..count] {
        let id = match member(body, field) {
            None => {
                mistakes.push(missing(field));
                0
            }
            Some(value) => model(field, value, mistakes),
        };
        if id > 0 && models.contains(&id) {
            let message = format!("`{field}` names a voice that is there already.");
            mistakes.push(FieldError::new(*field, "distinct", message));
        }
        models.push(id);
    }
    models
}

fn model(field: &str, value: &Value, mistakes: &mut Vec<FieldError>) -> i64 {
    let id = match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    match id {
        Some(id) if id > 0 => id,
        Some(_) => {
            mistakes.push(no_such_voice(field));
            0
        }
        None => {
            mistakes.push(no_whole_number(field));
            0
        }
    }
}

/// A whole number that was written with a point, as some clients do. One that is too large becomes the largest, which no voice has.
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0).then_some(number as i64)
}

fn shares(body: &Map<String, Value>, count: usize, mistakes: &mut Vec<FieldError>) -> Vec<f64> {
    let before = mistakes.len();
    let mut shares: Vec<f64> = SHARE_FIELDS[..count - 1]
        .iter()
        .map(|field| share(body, field, mistakes))
        .collect();
    let sum: f64 = shares.iter().sum();
    if mistakes.len() == before && sum > 1.0 + SUM_TOLERANCE {
        // A sum of decimal numbers has digits that nobody wrote.
        let shown = (sum * 1e9).round() / 1e9;
        let message = format!("The shares add up to {shown}, which is more than 1.");
        let mistake = FieldError::new(SHARE_FIELDS[0], "sum", message);
        mistakes.push(mistake.with("max", 1));
    }
    let last = ((1.0 - sum) * SHARE_STEPS).round() / SHARE_STEPS;
    // Not `max`, which may keep the sign of a zero.
    shares.push(if last > 0.0 { last } else { 0.0 });
    shares
}

fn share(body: &Map<String, Value>, field: &str, mistakes: &mut Vec<FieldError>) -> f64 {
    let Some(value) = member(body, field) else {
        mistakes.push(missing(field));
        return 0.0;
    };
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let Some(number) = number.filter(|number| number.is_finite()) else {
        mistakes.push(no_number(field));
        return 0.0;
    };
    if !SHARE.contains(&number) {
        mistakes.push(out_of_range(field, SHARE.into_inner()));
    }
    // A zero loses its sign, with which it would come back in records.
    number + 0.0
}

fn title(body: &Map<String, Value>, mistakes: &mut Vec<FieldError>) -> Option<String> {
    let title = text(body, "title", mistakes)?.trim();
    // A title that shows nothing is as good as none.
    if is_blank(title) && !title.contains(breaks_line) {
        return None;
    }
    model_form::title(Some(title), mistakes)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules::problem::rules;
    use vocalhost_model::title_rule;

    #[expect(
        clippy::needless_pass_by_value,
        reason = "the tests write bodies in place"
    )]
    fn read(body: Value) -> (Parameters, Vec<String>) {
        let mut mistakes = Vec::new();
        let parameters = parse(
            body.as_object().expect("an object"),
            &AddressRules::default(),
            &mut mistakes,
        );
        (parameters, rules(&mistakes))
    }

    #[test]
    fn the_last_share_is_what_the_others_leave() {
        for (body, wanted) in [
            (
                json!({"modelId1": 1, "modelId2": 2, "alpha": 0.5}),
                vec![0.5, 0.5],
            ),
            (
                json!({"modelId1": 1, "modelId2": 2, "alpha": 0.7}),
                vec![0.7, 0.3],
            ),
            (
                json!({"modelId1": 1, "modelId2": 2, "alpha": 1}),
                vec![1.0, 0.0],
            ),
            (
                json!({"modelId1": 1, "modelId2": 2, "alpha": 0.25, "alpha2": 7, "alpha3": "x"}),
                vec![0.25, 0.75],
            ),
            (
                json!({"modelId1": 1, "modelId2": 2, "modelId3": 3, "alpha": 0.3, "alpha2": 0.6}),
                vec![0.3, 0.6, 0.1],
            ),
            (
                json!({"modelId1": 1, "modelId2": 2, "modelId3": 3, "modelId4": 4,
                    "alpha": 0.1, "alpha2": 0.2, "alpha3": 0.7}),
                vec![0.1, 0.2, 0.7, 0.0],
            ),
            (
                json!({"modelId1": 1, "modelId2": 2, "alpha": -0.0}),
                vec![0.0, 1.0],
            ),
            (
                json!({"modelId1": "1", "modelId2": 2.0, "modelId3": 3, "modelId4": null,
                    "alpha": "0.5", "alpha2": 0.500_000_000_5}),
                vec![0.5, 0.500_000_000_5, 0.0],
            ),
        ] {
            let (parameters, mistakes) = read(body.clone());
            assert_eq!(mistakes, Vec::<String>::new(), "{body}");
            assert_eq!(
                parameters.models,
                (1..=wanted.len() as i64).collect::<Vec<_>>()
            );
            assert_eq!(
                format!("{:?}", parameters.shares),
                format!("{wanted:?}"),
                "{body}"
            );
        }
    }

    #[test]
    fn each_mistake_has_its_field_and_rule() {
        let two = |extra: Value| {
            let mut body = json!({"modelId1": 1, "modelId2": 2, "alpha": 0.5});
            let (body_fields, extra) = (body.as_object_mut(), extra.as_object().cloned());
            body_fields
                .expect("an object")
                .extend(extra.expect("an object"));
            body
        };
        for (body, wanted) in [
            (
                json!({}),
                vec!["modelId1 required", "modelId2 required", "alpha required"],
            ),
            (two(json!({"modelId1": 1.5})), vec!["modelId1 number"]),
            (two(json!({"modelId1": true})), vec!["modelId1 number"]),
            (two(json!({"modelId1": -1e30})), vec!["modelId1 exists"]),
            (two(json!({"modelId2": -1})), vec!["modelId2 exists"]),
            (two(json!({"modelId2": 1})), vec!["modelId2 distinct"]),
            (two(json!({"alpha": null})), vec!["alpha required"]),
            (two(json!({"alpha": "half"})), vec!["alpha number"]),
            (two(json!({"alpha": "NaN"})), vec!["alpha number"]),
            (two(json!({"alpha": 1.01})), vec!["alpha range"]),
            (two(json!({"alpha": -0.01})), vec!["alpha range"]),
            (two(json!({"modelId3": 3})), vec!["alpha2 required"]),
            (
                two(json!({"modelId3": 3, "alpha2": 0.6})),
                vec!["alpha sum"],
            ),
            (
                two(json!({"modelId4": 4, "alpha2": 0.1, "alpha3": 0.1})),
                vec!["modelId3 required"],
            ),
            (
                two(json!({"modelId3": 3, "modelId4": 2, "alpha2": 0.1})),
                vec!["modelId4 distinct", "alpha3 required"],
            ),
            (two(json!({"title": 7})), vec!["title string"]),
            (two(json!({"title": "x".repeat(201)})), vec!["title length"]),
            (two(json!({"title": "a\u{0}b"})), vec!["title characters"]),
            (two(json!({"metadata": []})), vec!["metadata object"]),
            (
                two(json!({"metadata": {"take": 1}})),
                vec!["metadata.take string"],
            ),
        ] {
            assert_eq!(read(body.clone()).1, wanted, "{body}");
        }
    }

    #[test]
    fn a_title_is_refused_in_the_words_that_all_titles_are() {
        for title in ["a\u{202e}b".to_owned(), "x".repeat(201)] {
            let body = json!({"modelId1": 1, "modelId2": 2, "alpha": 0.5, "title": title});
            let mut mistakes = Vec::new();
            let body = body.as_object().expect("an object");
            parse(body, &AddressRules::default(), &mut mistakes);
            let said: Vec<&str> = mistakes.iter().map(|one| one.message.as_str()).collect();
            assert_eq!(said, [format!("`title` {}.", title_rule())]);
        }
    }

    #[test]
    fn a_title_that_was_not_given_names_the_voices_within_its_length() {
        assert_eq!(default_title(&["Oak", "Ash"]), "Oak + Ash");
        let long = "ä".repeat(150);
        let title = default_title(&[&long, &long]);
        assert_eq!(title.chars().count(), 200);
        assert!(title.ends_with('…'));
        let (blank, _) =
            read(json!({"modelId1": 1, "modelId2": 2, "alpha": 0.5, "title": " \u{200b}"}));
        assert_eq!(blank.title, None);
    }
}
