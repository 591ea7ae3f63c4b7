use std::path::PathBuf;

use figment::value::Value;

use super::log_format::LogFormat;
use super::role::Role;
use super::training::Training;
use vocalhost_job::{JobKind, LossyFiles};
use vocalhost_model::Provider;
use vocalhost_sandbox::Sandbox;

/// A flag's or variable's text that is not a value of the setting's type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not {wanted}")]
pub struct TextError {
    /// What was given.
    pub text: String,
    /// What was wanted, with its article.
    pub wanted: &'static str,
}

/// A type of setting that flags and variables can give as text.
pub(crate) trait SettingText {
    /// The value that `text` means.
    fn parse(text: &str) -> Result<Value, TextError>;
}

fn wrong(text: &str, wanted: &'static str) -> TextError {
    TextError {
        text: text.to_owned(),
        wanted,
    }
}

impl SettingText for String {
    fn parse(text: &str) -> Result<Value, TextError> {
        Ok(Value::from(text))
    }
}

impl SettingText for PathBuf {
    fn parse(text: &str) -> Result<Value, TextError> {
        Ok(Value::from(text))
    }
}

impl<T: SettingText> SettingText for Option<T> {
    /// An empty text takes the setting back to "not given".
    fn parse(text: &str) -> Result<Value, TextError> {
        if text.is_empty() {
            return Ok(Value::from(figment::value::Empty::None));
        }
        T::parse(text)
    }
}

impl<T: SettingText> SettingText for Vec<T> {
    /// Items are separated by commas.
    fn parse(text: &str) -> Result<Value, TextError> {
        let items: Result<Vec<Value>, TextError> = text
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .map(T::parse)
            .collect();
        Ok(Value::from(items?))
    }
}

impl SettingText for usize {
    fn parse(text: &str) -> Result<Value, TextError> {
        <u64 as SettingText>::parse(text)
    }
}

impl SettingText for u64 {
    fn parse(text: &str) -> Result<Value, TextError> {
        let number: u64 = text
            .trim()
            .parse()
            .map_err(|_| wrong(text, "a whole number"))?;
        Ok(Value::from(number))
    }
}

impl SettingText for f64 {
    fn parse(text: &str) -> Result<Value, TextError> {
        let number: f64 = text.trim().parse().map_err(|_| wrong(text, "a number"))?;
        Ok(Value::from(number))
    }
}

impl SettingText for bool {
    fn parse(text: &str) -> Result<Value, TextError> {
        match text.trim() {
            "true" => Ok(Value::from(true)),
            "false" => Ok(Value::from(false)),
            _ => Err(wrong(text, "`true` or `false`")),
        }
    }
}

impl SettingText for Provider {
    fn parse(text: &str) -> Result<Value, TextError> {
        let provider = text.parse::<Self>();
        let provider = provider.map_err(|_| wrong(text, "an execution provider such as `cpu`"))?;
        Ok(Value::from(provider.as_str()))
    }
}

impl SettingText for LossyFiles {
    fn parse(text: &str) -> Result<Value, TextError> {
        let mut words = Self::ALL.map(Self::as_str).into_iter();
        let word = words.find(|word| *word == text.trim());
        let word = word.ok_or_else(|| wrong(text, "`with-job` or `on-demand`"))?;
        Ok(Value::from(word))
    }
}

impl SettingText for Role {
    fn parse(text: &str) -> Result<Value, TextError> {
        let role = text.trim().parse::<Self>();
        let role = role.map_err(|()| wrong(text, "`all`, `api` or `worker`"))?;
        Ok(Value::from(role.as_str()))
    }
}

impl SettingText for Training {
    fn parse(text: &str) -> Result<Value, TextError> {
        let training = text.trim().parse::<Self>();
        let training =
            training.map_err(|()| wrong(text, "`off`, `admins`, `users` or `review`"))?;
        Ok(Value::from(training.as_str()))
    }
}

impl SettingText for JobKind {
    fn parse(text: &str) -> Result<Value, TextError> {
        let kind = Self::parse(text.trim());
        let kind = kind.ok_or_else(|| {
            wrong(
                text,
                "`voice-conversion`, `vocal-separation`, `stem-split`, `voice-blend` or `voice-training`",
            )
        })?;
        Ok(Value::from(kind.as_str()))
    }
}

impl SettingText for Sandbox {
    fn parse(text: &str) -> Result<Value, TextError> {
        let sandbox: Result<Self, _> = text.trim().parse();
        let sandbox = sandbox.map_err(|_| wrong(text, "`auto`, `required` or `off`"))?;
        Ok(Value::from(sandbox.as_str()))
    }
}

impl SettingText for LogFormat {
    fn parse(text: &str) -> Result<Value, TextError> {
        match text.trim() {
            word @ ("text" | "json") => Ok(Value::from(word)),
            _ => Err(wrong(text, "`text` or `json`")),
        }
    }
}
