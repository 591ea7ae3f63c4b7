use serde_json::{Value, json};
use vocalhost_letters::words::plain;

/// The most characters of a sentence: words of files and of the system are in it.
const MAX_SENTENCE: usize = 1_000;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// As it should be.
    Fine,
    /// Something is missing that a server can do without.
    Warning,
    /// The server does not start, or its jobs fail.
    Problem,
}

impl State {
    fn as_str(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// What was found about one thing.
#[derive(Debug)]
pub struct Finding {
    /// What was looked at, such as `sandbox.landlock`.
    pub check: String,
    /// How bad it is.
    pub state: State,
    /// A sentence.
    pub text: String,
}

impl Finding {
    /// As it should be.
    pub fn fine(check: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(check, State::Fine, text)
    }

    /// Something that a server can do without.
    pub fn warning(check: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(check, State::Warning, text)
    }

    /// Something that keeps the server from its work.
    pub fn problem(check: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(check, State::Problem, text)
    }

    /// As bad as it is.
    pub fn new(check: impl Into<String>, state: State, text: impl Into<String>) -> Self {
        let text: String = text.into();
        Self {
            check: check.into(),
            state,
            text: plain(&text, MAX_SENTENCE),
        }
    }

    /// For programs.
    pub fn record(&self) -> Value {
        json!({ "check": self.check, "state": self.state.as_str(), "text": self.text })
    }

    /// For people.
    pub fn line(&self) -> String {
        format!(
            "{:<8} {:<20} {}",
            self.state.as_str(),
            self.check,
            self.text
        )
    }
}
