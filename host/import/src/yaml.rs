//! The settings that stand beside a separator's weights, as YAML. Tags have no effect, and aliases are refused: a few of them could
//! stand for more than fits into memory.

use saphyr_parser::{Event, Parser, ScalarStyle};

use vocalhost_letters::words::quoted;

/// The deepest list in a list; known settings go three deep.
const MAX_DEPTH: usize = 16;
/// The most values; known settings have some hundred.
const MAX_VALUES: usize = 20_000;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Yaml {
    /// Nothing: `null`, `~`, or an empty place.
    Nothing,
    /// A word, a number or a truth value, as it is written.
    Text(String),
    /// A list, or what Python calls a tuple.
    List(Vec<Yaml>),
    /// Values by their names, in their order.
    Map(Vec<(String, Yaml)>),
}

/// A list or a map whose end has not come yet.
enum Open {
    List(Vec<Yaml>),
    /// With the name whose value comes next.
    Map(Vec<(String, Yaml)>, Option<String>),
}

impl Yaml {
    /// Reads one document; the error is the rest of a sentence about the file.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let mut open: Vec<Open> = Vec::new();
        let mut whole = None;
        let mut values = 0;
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| {
                format!("cannot be read as YAML: {}", quoted(&error.to_string()))
            })?;
            let line = span.start.line();
            let done = match event {
                Event::Scalar(text, style, ..) => Some(Self::scalar(&text, style)),
                Event::SequenceStart(..) => {
                    open.push(Open::List(Vec::new()));
                    None
                }
                Event::MappingStart(..) => {
                    open.push(Open::Map(Vec::new(), None));
                    None
                }
                Event::SequenceEnd | Event::MappingEnd => open.pop().map(Open::close),
                Event::Alias(_) => {
                    return Err(format!(
                        "uses in line {line} a name for a value that is written elsewhere (*…); write the value itself there"
                    ));
                }
                _ => None,
            };
            if open.len() > MAX_DEPTH {
                return Err(format!(
                    "has in line {line} more than {MAX_DEPTH} lists in one another"
                ));
            }
            let Some(done) = done else {
                continue;
            };
            values += 1;
            if values > MAX_VALUES {
                return Err(format!("has more than {MAX_VALUES} values"));
            }
            match open.last_mut() {
                Some(inside) => inside.put(done, line)?,
                None if whole.is_none() => whole = Some(done),
                None => return Err("has more than one document".to_owned()),
            }
        }
        Ok(whole.unwrap_or(Self::Nothing))
    }

    fn scalar(text: &str, style: ScalarStyle) -> Self {
        let is_nothing = matches!(text, "" | "~" | "null" | "Null" | "NULL");
        if is_nothing && style == ScalarStyle::Plain {
            Self::Nothing
        } else {
            Self::Text(text.to_owned())
        }
    }

    /// The value under a name; the last one where several have it.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        let Self::Map(members) = self else {
            return None;
        };
        let found = members.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }
}

impl Open {
    fn close(self) -> Yaml {
        match self {
            Self::List(values) => Yaml::List(values),
            Self::Map(values, _) => Yaml::Map(values),
        }
    }

    fn put(&mut self, value: Yaml, line: usize) -> Result<(), String> {
        match self {
            Self::List(values) => values.push(value),
            Self::Map(values, name) => match (name.take(), value) {
                (Some(name), value) => values.push((name, value)),
                (None, Yaml::Text(text)) => *name = Some(text),
                (None, Yaml::Nothing) => *name = Some(String::new()),
                (None, _) => {
                    return Err(format!("has in line {line} a list where a name must be"));
                }
            },
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_with_the_tuples_of_python() {
        let text = "audio:\n  chunk_size: 352800\nmodel:\n  bands: !!python/tuple\n    - 2\n    - 4\ntraining:\n  \
                    target_instrument: null\n  instruments: ['vocals', \"~\"]\n";
        let read = Yaml::read(text).expect("it is YAML");
        let text = |text: &str| Yaml::Text(text.to_owned());
        let at = |section: &str, name: &str| read.member(section)?.member(name).cloned();
        assert_eq!(at("audio", "chunk_size"), Some(text("352800")));
        assert_eq!(
            at("model", "bands"),
            Some(Yaml::List(vec![text("2"), text("4")]))
        );
        assert_eq!(at("training", "target_instrument"), Some(Yaml::Nothing));
        assert_eq!(
            at("training", "instruments"),
            Some(Yaml::List(vec![text("vocals"), text("~")]))
        );
        assert_eq!(at("audio", "hop_length"), None);
    }

    #[test]
    fn what_would_grow_or_be_no_settings_is_refused() {
        let bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n";
        for (text, wanted) in [
            (bomb.to_owned(), "line 2"),
            ("[".repeat(50_000), "cannot be read as YAML"),
            (
                format!("{}1{}", "{a: ".repeat(40), "}".repeat(40)),
                "in one another",
            ),
            (
                format!("[{}]", "1,".repeat(30_000)),
                "more than 20000 values",
            ),
            ("a: [1\nb: 2".to_owned(), "cannot be read as YAML"),
            ("a: 1\n---\nb: 1\n".to_owned(), "more than one document"),
            ("? [1, 2]\n: 3\n".to_owned(), "where a name must be"),
        ] {
            let reason = Yaml::read(&text).expect_err(wanted);
            assert!(reason.contains(wanted), "{wanted}: {reason}");
        }
        assert_eq!(Yaml::read(""), Ok(Yaml::Nothing));
    }
}
