use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use super::{ImportError, Question, Why};
use vocalhost_letters::words::quoted;

/// What a person said about a model, and what is still to be asked. Questions are collected, so that all are asked at once.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    facts: &'a BTreeMap<String, String>,
    /// The questions that there are about this model, and their texts.
    known: BTreeMap<&'static str, String>,
    questions: Vec<Question>,
}

/// What is wrong with an answer that is not among those that are possible.
pub(super) const NONE_OF_THEM: &str = "it is none of the possible answers";

/// A type of answers.
pub(super) trait Answer: FromStr {
    /// What is said of an answer that cannot be read.
    const IS_NO: &'static str;
}

impl Answer for u64 {
    const IS_NO: &'static str = "it is no whole number, 0 or more";
}

impl Answer for f64 {
    const IS_NO: &'static str = "it is no number";
}

impl Answer for bool {
    const IS_NO: &'static str = "it is neither true nor false";
}

impl Answer for String {
    const IS_NO: &'static str = "it is no text";
}

impl<'a> Asked<'a> {
    pub(super) fn new(facts: &'a BTreeMap<String, String>) -> Self {
        Self {
            facts,
            known: BTreeMap::new(),
            questions: Vec::new(),
        }
    }

    /// What a person said, or else `known`; without either it becomes a question. With a list of answers that are
    /// `allowed`, only those count.
    pub(super) fn fact<T: Answer>(
        &mut self,
        name: &'static str,
        text: &str,
        allowed: &[&str],
        known: Option<T>,
    ) -> Option<T> {
        self.known.insert(name, text.to_owned());
        let Some(said) = self.facts.get(name).map(|said| said.trim()) else {
            if known.is_none() {
                self.ask(name, (Why::Unsaid, text.to_owned()), allowed);
            }
            return known;
        };
        if !allowed.is_empty() && !allowed.contains(&said) {
            let text = cannot_be(said, NONE_OF_THEM, text);
            self.ask(name, (Why::Wrong, text), allowed);
            return None;
        }
        let understood = said.parse().ok();
        if understood.is_none() {
            let text = cannot_be(said, T::IS_NO, text);
            self.ask(name, (Why::Wrong, text), allowed);
        }
        understood
    }

    /// What a person said, where something sensible can be taken if nobody says anything.
    pub(super) fn option<T: Answer>(
        &mut self,
        name: &'static str,
        text: &str,
        allowed: &[&str],
        otherwise: T,
    ) -> Option<T> {
        self.fact(name, text, allowed, Some(otherwise))
    }

    /// Like [`Self::fact`], for what the files themselves may settle: then a person may only say the same.
    pub(super) fn settled<T: Answer + Display>(
        &mut self,
        name: &'static str,
        text: &str,
        allowed: &[&str],
        settled: Option<T>,
    ) -> Option<T> {
        match settled {
            Some(value) => {
                let only = value.to_string();
                self.fact(name, text, &[&only], Some(value))
            }
            None => self.fact(name, text, allowed, None),
        }
    }

    /// How many names a person gave for a fact that is a list of names, if any were given.
    pub(super) fn names_said(&self, name: &str) -> Option<u64> {
        let said = self.facts.get(name)?;
        Some(names_of(said).count() as u64)
    }

    /// What was said, unless it does not fit: then it is asked for anew, with the reason.
    pub(super) fn fitting<T>(
        &mut self,
        name: &'static str,
        said: Option<T>,
        fits: impl FnOnce(&T) -> bool,
        reason: &str,
    ) -> Option<T> {
        let said = said?;
        if fits(&said) {
            return Some(said);
        }
        self.wrong(name, reason);
        None
    }

    /// Asks again for a fact whose answer could be read but cannot be right.
    pub(super) fn wrong(&mut self, name: &'static str, reason: &str) {
        let asked = self.known.get(name).map_or("", String::as_str);
        let question = match self.facts.get(name) {
            Some(said) => (Why::Wrong, cannot_be(said.trim(), reason, asked)),
            None => (Why::Unsaid, asked.to_owned()),
        };
        self.ask(name, question, &[]);
    }

    fn ask(&mut self, name: &str, (why, text): (Why, String), allowed: &[&str]) {
        self.questions.push(Question {
            name: name.to_owned(),
            why,
            text,
            allowed: allowed.iter().map(|&word| word.to_owned()).collect(),
        });
    }

    /// Asks only what has come up so far, because the other questions depend on it.
    pub(super) fn so_far(self) -> ImportError {
        ImportError::Missing {
            questions: self.questions,
        }
    }

    /// Asks what is left, all of it at once. Answers to what nobody asked are questions too: they are slips.
    pub(super) fn finish(mut self) -> Result<(), ImportError> {
        let names: Vec<&str> = self.known.keys().copied().collect();
        let text = match names.as_slice() {
            [] => "Nothing can be said about this model: it says everything itself.".to_owned(),
            names => format!(
                "Nothing of this name can be said about this model; what can: {}.",
                names.join(", ")
            ),
        };
        for name in self.facts.keys() {
            if !self.known.contains_key(name.as_str()) {
                self.ask(name, (Why::Unknown, text.clone()), &[]);
            }
        }
        if self.questions.is_empty() {
            return Ok(());
        }
        Err(self.so_far())
    }
}

/// The names of a list of them, with commas between.
pub(super) fn names_of(said: &str) -> impl Iterator<Item = &str> {
    said.split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

/// What is wrong with an answer, and what was asked.
pub(super) fn cannot_be(said: &str, reason: &str, asked: &str) -> String {
    let text = format!("{} cannot be taken: {reason}. {asked}", quoted(said));
    text.trim_end().to_owned()
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
            assert_eq!(asked.option("hop", "Hop.", &[], 441_u64), Some(512));
            assert_eq!(
                asked.option("n_fft", "Length.", &[], 2_048_u64),
                Some(2_048)
            );
            assert_eq!(
                asked.fact::<u64>("dim", "Dim.", &["256", "768"], None),
                None
            );
        });
        assert_eq!(asked.len(), 1);
        assert_eq!((asked[0].name.as_str(), asked[0].why), ("dim", Why::Unsaid));
        assert_eq!(asked[0].in_words(), "Dim. (one of 256, 768)");
    }

    #[test]
    fn answers_that_cannot_be_are_told_apart_from_those_that_are_missing_and_say_why() {
        let facts = [
            ("dim", "12"),
            ("hop", "x"),
            ("rate", "44100"),
            ("hopp", "1"),
        ];
        let asked = questions(&facts, |asked| {
            assert_eq!(asked.option("dim", "Dim.", &["256"], 256_u64), None);
            asked.option("hop", "Hop.", &[], 1_u64);
            assert_eq!(asked.settled("rate", "Rate.", &[], Some(48_000_u64)), None);
        });
        let told: Vec<(&str, Why)> = asked
            .iter()
            .map(|question| (question.name.as_str(), question.why))
            .collect();
        let wrong = Why::Wrong;
        assert_eq!(
            told,
            [
                ("dim", wrong),
                ("hop", wrong),
                ("rate", wrong),
                ("hopp", Why::Unknown)
            ]
        );
        let none = "\"12\" cannot be taken: it is none of the possible answers. Dim. (one of 256)";
        assert_eq!(asked[0].in_words(), none);
        assert!(
            asked[1]
                .text
                .contains("\"x\" cannot be taken: it is no whole number")
        );
        assert_eq!(asked[2].allowed, ["48000"]);
        assert!(asked[3].text.contains("dim, hop, rate"), "{asked:?}");
    }

    #[test]
    fn a_model_that_says_everything_itself_is_told_nothing() {
        let asked = questions(&[("hop", "1")], |_| {});
        assert!(
            asked[0].text.contains("says everything itself"),
            "{asked:?}"
        );
    }
}
