//! The field that says what is taken out of a voice before it is converted.

use serde_json::json;

use super::output_form::{names_of, none_of};
use crate::rules::problem::FieldError;
use vocalhost_http::multipart::Form;
use vocalhost_job::CleanStep;

/// The field.
pub const CLEAN: &str = "clean";

/// Reads the steps: the field repeated, a list with commas, or a JSON array. They come in the order in which they are taken, each once.
pub fn steps(form: &Form, mistakes: &mut Vec<FieldError>) -> Vec<CleanStep> {
    let Some(names) = names_of(form, CLEAN, mistakes) else {
        return Vec::new();
    };
    let is = |step: CleanStep, name: &str| step.as_str().eq_ignore_ascii_case(name);
    let strange: Vec<String> = names
        .iter()
        .filter(|name| !CleanStep::ALL.into_iter().any(|step| is(step, name)))
        .cloned()
        .collect();
    if !strange.is_empty() {
        let words = CleanStep::ALL.map(CleanStep::as_str);
        mistakes.push(none_of(CLEAN, &strange, &words));
        return Vec::new();
    }
    let wanted = |step: &CleanStep| names.iter().any(|name| is(*step, name));
    CleanStep::ALL.into_iter().filter(wanted).collect()
}

/// The mistake of a step that no installed model can do; `possible` are those that one can.
pub fn no_model(step: CleanStep, possible: &[CleanStep]) -> FieldError {
    let words: Vec<&str> = possible.iter().map(|step| step.as_str()).collect();
    let mut message = format!(
        "`{CLEAN}` names {}, for which no model is installed on this server.",
        step.as_str()
    );
    if !words.is_empty() {
        message = format!("{message} There are models for {}.", words.join(", "));
    }
    FieldError::new(CLEAN, "model", message).with("choices", json!(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::problem::rules;

    fn read(fields: &[(&str, &str)]) -> (Vec<CleanStep>, Vec<String>) {
        let mut form = Form::default();
        let fields = fields.iter();
        form.fields = fields
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        let mut mistakes = Vec::new();
        let steps = steps(&form, &mut mistakes);
        (steps, rules(&mistakes))
    }

    #[test]
    fn steps_come_in_every_form_and_are_taken_in_their_own_order() {
        for fields in [
            vec![("clean", "denoise, Lead")],
            vec![("clean", "denoise"), ("clean", "lead,denoise")],
            vec![("clean[]", "lead"), ("clean[]", "denoise")],
            vec![("clean", r#"["denoise","lead"]"#)],
        ] {
            let wanted = vec![CleanStep::Lead, CleanStep::Denoise];
            assert_eq!(read(&fields), (wanted, Vec::new()), "{fields:?}");
        }
        for nothing in [vec![], vec![("clean", "")], vec![("clean", "[]")]] {
            assert_eq!(read(&nothing), (Vec::new(), Vec::new()));
        }
    }

    #[test]
    fn a_word_that_is_no_step_is_a_mistake_of_the_field() {
        for (text, rule) in [
            ("lead,polish", "clean enum"),
            ("lead;denoise", "clean enum"),
            ("{}", "clean array"),
            ("[1]", "clean array"),
        ] {
            assert_eq!(read(&[("clean", text)]).1, [rule], "{text}");
        }
    }
}
