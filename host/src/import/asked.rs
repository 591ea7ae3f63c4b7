use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use super::{ImportError, Question};

/// What a person said about a model, and what is still to be asked. Questions are collected, so that all are asked at once.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    facts: &'a BTreeMap<String, String>,
    known: BTreeSet<&'static str>,
    questions: Vec<Question>,
}

impl<'a> Asked<'a> {
    pub(super) fn new(facts: &'a BTreeMap<String, String>) -> Self {
        Self {
            facts,
            known: BTreeSet::new(),
            questions: Vec::new(),
        }
    }

    /// What a person said, or else `known`; without either it becomes a question. With a list of answers that are
    /// `allowed`, only those count.
    pub(super) fn fact<T: FromStr>(
        &mut self,
        name: &'static str,
        text: &str,
        allowed: &[&str],
        known: Option<T>,
    ) -> Option<T> {
        self.known.insert(name);
        let Some(said) = self.facts.get(name) else {
            if known.is_none() {
                self.ask(name, text.to_owned(), allowed);
            }
            return known;
        };
        let said = said.trim();
        let is_allowed = allowed.is_empty() || allowed.contains(&said);
        let understood = said.parse().ok().filter(|_| is_allowed);
        if understood.is_none() {
            self.ask(name, format!("{text} {said:?} is no answer."), allowed);
        }
        understood
    }

    /// What a person said, where something sensible can be taken if nobody says anything.
    pub(super) fn option<T: FromStr>(
        &mut self,
        name: &'static str,
        text: &str,
        allowed: &[&str],
        otherwise: T,
    ) -> Option<T> {
        self.fact(name, text, allowed, Some(otherwise))
    }

    /// Asks for a fact that was answered, but not understood.
    pub(super) fn again(&mut self, name: &'static str, text: String) {
        self.ask(name, text, &[]);
    }

    fn ask(&mut self, name: &str, text: String, allowed: &[&str]) {
        self.questions.push(Question {
            name: name.to_owned(),
            text,
            allowed: allowed.iter().map(|&word| word.to_owned()).collect(),
        });
    }

    /// Asks what is left, all of it at once. Answers to what nobody asked are questions too: they are slips.
    pub(super) fn finish(mut self) -> Result<(), ImportError> {
        for name in self.facts.keys() {
            if !self.known.contains(name.as_str()) {
                let names: Vec<&str> = self.known.iter().copied().collect();
                let text = format!(
                    "Nothing of this name can be said about this model; what can: {}.",
                    names.join(", ")
                );
                self.ask(name, text, &[]);
            }
        }
        if self.questions.is_empty() {
            return Ok(());
        }
        Err(ImportError::Missing {
            questions: self.questions,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions(facts: &[(&str, &str)], ask: fn(&mut Asked<'_>)) -> Vec<Question> {
        let facts: BTreeMap<String, String> = facts
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let mut asked = Asked::new(&facts);
        ask(&mut asked);
        match asked.finish() {
            Err(ImportError::Missing { questions }) => questions,
            _ => Vec::new(),
        }
    }

    #[test]
    fn what_is_said_counts_before_what_is_known_and_what_neither_is_becomes_a_question() {
        let asked = questions(&[("hop", "512")], |asked| {
            assert_eq!(asked.option("hop", "Hop.", &[], 441), Some(512));
            assert_eq!(asked.option("n_fft", "Length.", &[], 2_048), Some(2_048));
            assert_eq!(
                asked.fact::<u32>("dim", "Dim.", &["256", "768"], None),
                None
            );
        });
        assert_eq!(asked.len(), 1);
        assert_eq!(
            (asked[0].name.as_str(), asked[0].text.as_str()),
            ("dim", "Dim.")
        );
        assert_eq!(asked[0].allowed, ["256", "768"]);
    }

    #[test]
    fn answers_that_are_none_and_answers_that_nobody_asked_for_are_pointed_out() {
        let asked = questions(&[("dim", "12"), ("hopp", "1")], |asked| {
            assert_eq!(asked.option("dim", "Dim.", &["256"], 256), None);
            asked.option("hop", "Hop.", &[], 1);
        });
        let names: Vec<&str> = asked
            .iter()
            .map(|question| question.name.as_str())
            .collect();
        assert_eq!(names, ["dim", "hopp"]);
        assert!(asked[0].text.contains("\"12\" is no answer"), "{asked:?}");
        assert!(asked[1].text.contains("dim, hop"), "{asked:?}");
    }
}
