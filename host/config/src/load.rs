use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use figment::providers::{Format, Serialized};
use figment::value::{Dict, Map};
use figment::{Figment, Metadata, Profile, Provider};
use serde_json::{Value as Json, json};

use super::beside;
use super::settings::{SECRET_NAMES, SettingFlags, Settings};
use super::text::TextError;

/// Settings that cannot be put in force.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file of settings is not there.
    #[error("there is no settings file {0}")]
    NoFile(PathBuf),
    /// A text is not a value of its setting.
    #[error("{origin}: {reason}")]
    Text {
        /// The flag or variable.
        origin: String,
        /// What is wrong.
        reason: TextError,
    },
    /// The file is not understood, or has a key that is no setting.
    #[error("{0}")]
    Unreadable(String),
    /// Values that make no sense, one sentence each.
    #[error("{}", .0.join("\n"))]
    Values(Vec<String>),
}

/// The settings, and where each came from.
#[derive(Debug, Clone)]
pub struct InForce {
    /// The settings.
    pub settings: Settings,
    /// Where each came from, by name: `default`, a file, a variable or a flag.
    pub sources: BTreeMap<String, String>,
}

/// Puts settings in force: defaults, then the file, then the environment, then the flags.
///
/// `environment` looks a variable up; a variable that is empty counts as not given. Variables that begin with
/// `VOCALHOST_` and are no setting are left alone: people keep their keys in such names.
pub fn load(
    file: Option<&Path>,
    environment: &dyn Fn(&str) -> Option<String>,
    flags: &SettingFlags,
) -> Result<InForce, LoadError> {
    let mut figment = Figment::from(Serialized::defaults(Settings::default()));
    if let Some(file) = file {
        if !file.is_file() {
            return Err(LoadError::NoFile(file.to_owned()));
        }
        figment = figment.merge(TomlFile::file_exact(file));
    }
    let variables = Settings::NAMES.iter().filter_map(|name| {
        let text = environment(&variable(name)).filter(|text| !text.is_empty())?;
        Some((*name, variable(name), text))
    });
    for (name, origin, text) in variables {
        figment = figment.merge(Given::parse(name, format!("environment {origin}"), &text)?);
    }
    for (name, text) in flags.given() {
        figment = figment.merge(Given::parse(name, format!("flag {}", flag(name)), &text)?);
    }
    let mut settings: Settings = figment
        .extract()
        .map_err(|error| LoadError::Unreadable(explain(&error)))?;
    if source(&figment, "models_dir") == "default"
        && let Some(models) = std::env::current_exe()
            .ok()
            .as_deref()
            .and_then(beside::models)
    {
        settings.models_dir = vec![models];
    }
    settings.check().map_err(LoadError::Values)?;
    let sources = Settings::NAMES
        .iter()
        .map(|name| ((*name).to_owned(), source(&figment, name)))
        .collect();
    Ok(InForce { settings, sources })
}

/// The environment variable of a setting.
fn variable(name: &str) -> String {
    format!("VOCALHOST_{}", name.to_uppercase())
}

/// The flag of a setting.
fn flag(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}

/// A settings file, read by the version of `toml` that the other crates use; figment would bring an older one.
struct TomlFile;

impl Format for TomlFile {
    type Error = toml::de::Error;

    const NAME: &'static str = "TOML";

    fn from_str<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Self::Error> {
        toml::from_str(text)
    }
}

/// What figment found wrong, one sentence per mistake.
fn explain(error: &figment::Error) -> String {
    use figment::error::Kind;
    let sentence = |error: figment::Error| {
        let place = error
            .metadata
            .as_ref()
            .and_then(|metadata| metadata.source.as_ref())
            .map_or(String::new(), |source| format!("{source}: "));
        match &error.kind {
            Kind::UnknownField(key, _) => format!("{place}there is no setting `{key}`"),
            kind if error.path.is_empty() => format!("{place}{kind}"),
            kind => format!("{place}`{}`: {kind}", error.path.join(".")),
        }
    };
    let sentences: Vec<String> = error.clone().into_iter().map(sentence).collect();
    sentences.join("\n")
}

fn source(figment: &Figment, name: &str) -> String {
    let Some(metadata) = figment.find_metadata(name) else {
        return "default".to_owned();
    };
    match metadata
        .source
        .as_ref()
        .and_then(figment::Source::file_path)
    {
        Some(path) => format!("file {}", path.display()),
        None if metadata.name.starts_with("environment ") || metadata.name.starts_with("flag ") => {
            metadata.name.to_string()
        }
        None => "default".to_owned(),
    }
}

/// One setting from the environment or a flag.
struct Given {
    name: &'static str,
    origin: String,
    value: figment::value::Value,
}

impl Given {
    fn parse(name: &'static str, origin: String, text: &str) -> Result<Self, LoadError> {
        let value = Settings::value_of(name, text).expect("`name` comes from the list of settings");
        match value {
            Ok(value) => Ok(Self {
                name,
                origin,
                value,
            }),
            Err(reason) => Err(LoadError::Text { origin, reason }),
        }
    }
}

impl Provider for Given {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.origin.clone())
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        let values = Dict::from([(self.name.to_owned(), self.value.clone())]);
        Ok(Map::from([(Profile::Default, values)]))
    }
}

impl InForce {
    /// The settings as the text of a settings file, each with where it came from; secrets are blotted out.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let values = self.shown();
        let mut lines = Vec::new();
        for name in Settings::NAMES {
            let source = &self.sources[*name];
            let comment = match self.comes_to(name) {
                Some(count) => format!("{source}; comes to {count} here"),
                None => source.clone(),
            };
            // TOML has no null: a setting that is not given is shown as a comment.
            let line = match toml::Value::try_from(&values[name]) {
                Ok(value) => format!("{name} = {value}"),
                Err(_) => format!("# {name} is not given"),
            };
            lines.push(format!("{line:<48} # {comment}\n"));
        }
        lines.concat()
    }

    /// The settings as JSON: by name, `value` and `source`, and `comesTo` where the value leaves it to the program;
    /// secrets are blotted out.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let values = self.shown();
        let entries = Settings::NAMES.iter().map(|name| {
            let mut entry = json!({ "value": values[name], "source": self.sources[*name] });
            if let Some(count) = self.comes_to(name) {
                entry["comesTo"] = json!(count);
            }
            ((*name).to_owned(), entry)
        });
        Json::Object(entries.collect())
    }

    /// What a setting that is left to the program comes to on this machine.
    fn comes_to(&self, name: &str) -> Option<u64> {
        let settings = &self.settings;
        match name {
            "workers" if settings.workers == 0 => Some(settings.worker_count() as u64),
            "worker_threads" if settings.worker_threads == 0 => {
                Some(settings.threads_per_worker() as u64)
            }
            "model_memory_bytes" if settings.model_memory_bytes == 0 => {
                Some(settings.model_memory())
            }
            _ => None,
        }
    }

    fn shown(&self) -> Json {
        let mut values =
            serde_json::to_value(&self.settings).expect("settings are numbers, texts and lists");
        for name in SECRET_NAMES {
            if !values[name].is_null() {
                values[name] = Json::from("(secret)");
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::super::Role;
    use super::*;
    use vocalhost_job::JobKind;

    fn nothing(_: &str) -> Option<String> {
        None
    }

    fn file_with(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn the_defaults_are_in_force_when_nothing_is_given() {
        let in_force = load(None, &nothing, &SettingFlags::default()).unwrap();
        assert_eq!(in_force.settings, Settings::default());
        assert!(in_force.sources.values().all(|source| source == "default"));
    }

    #[test]
    fn a_flag_wins_over_a_variable_and_a_variable_over_the_file() {
        let file = file_with("workers = 3\nmax_queue = 3\nmax_running_per_user = 3\n");
        let environment = |name: &str| match name {
            "VOCALHOST_WORKERS" | "VOCALHOST_MAX_QUEUE" => Some("4".to_owned()),
            _ => None,
        };
        let flags = SettingFlags {
            workers: vec!["5".to_owned()],
            ..SettingFlags::default()
        };
        let in_force = load(Some(file.path()), &environment, &flags).unwrap();
        assert_eq!(in_force.settings.workers, 5);
        assert_eq!(in_force.settings.max_queue, 4);
        assert_eq!(in_force.settings.max_running_per_user, 3);
        assert_eq!(in_force.sources["workers"], "flag --workers");
        assert_eq!(
            in_force.sources["max_queue"],
            "environment VOCALHOST_MAX_QUEUE"
        );
        assert!(in_force.sources["max_running_per_user"].starts_with("file "));
    }

    #[test]
    fn an_unknown_key_in_the_file_is_named() {
        let file = file_with("workerz = 3\n");
        let error = load(Some(file.path()), &nothing, &SettingFlags::default()).unwrap_err();
        assert!(error.to_string().contains("`workerz`"), "{error}");
    }

    #[test]
    fn a_text_of_the_wrong_type_names_its_variable() {
        let environment = |name: &str| (name == "VOCALHOST_WORKERS").then(|| "many".to_owned());
        let error = load(None, &environment, &SettingFlags::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "environment VOCALHOST_WORKERS: \"many\" is not a whole number"
        );
    }

    #[test]
    fn lists_come_as_repeated_flags_or_with_commas() {
        let flags = SettingFlags {
            models_dir: vec!["a".to_owned(), "b,c".to_owned()],
            ..SettingFlags::default()
        };
        let in_force = load(None, &nothing, &flags).unwrap();
        assert_eq!(
            in_force.settings.models_dir,
            ["a", "b", "c"].map(PathBuf::from)
        );
    }

    #[test]
    fn a_role_and_queues_come_from_everywhere() {
        let file = file_with(
            "database = \"postgres://db/sounds\"\nrole = \"api\"\nqueues = [\"stem-split\"]\n",
        );
        let in_force = load(Some(file.path()), &nothing, &SettingFlags::default()).unwrap();
        assert_eq!(in_force.settings.role, Role::Api);
        assert_eq!(in_force.settings.queues, [JobKind::StemSplit]);
        let environment = |name: &str| (name == "VOCALHOST_ROLE").then(|| "worker".to_owned());
        let flags = SettingFlags {
            queues: vec!["voice-blend,voice-conversion".to_owned()],
            ..SettingFlags::default()
        };
        let in_force = load(Some(file.path()), &environment, &flags).unwrap();
        assert_eq!(in_force.settings.role, Role::Worker);
        assert_eq!(
            in_force.settings.kinds(),
            [JobKind::VoiceConversion, JobKind::VoiceBlend]
        );
        assert!(
            in_force
                .to_toml()
                .contains("queues = [\"voice-blend\", \"voice-conversion\"]")
        );
        let flags = SettingFlags {
            queues: vec!["singing".to_owned()],
            ..SettingFlags::default()
        };
        let error = load(None, &nothing, &flags).unwrap_err().to_string();
        assert!(
            error.starts_with("flag --queues: \"singing\" is not `voice-conversion`"),
            "{error}"
        );
    }

    #[test]
    fn what_is_left_to_the_program_is_shown_with_what_it_comes_to() {
        let flags = SettingFlags {
            worker_threads: vec!["0".to_owned()],
            ..SettingFlags::default()
        };
        let in_force = load(None, &nothing, &flags).unwrap();
        let (workers, threads) = {
            let settings = &in_force.settings;
            (settings.worker_count(), settings.threads_per_worker())
        };
        let shown = in_force.to_json();
        assert_eq!(shown["workers"]["value"], 0);
        assert_eq!(shown["workers"]["comesTo"], workers);
        assert_eq!(shown["worker_threads"]["comesTo"], threads);
        assert_eq!(shown["listen"].get("comesTo"), None);
        let text = in_force.to_toml();
        for line in [
            format!("# default; comes to {workers} here\n"),
            format!("# flag --worker-threads; comes to {threads} here\n"),
        ] {
            assert!(text.contains(&line), "{text}");
        }
        let flags = SettingFlags {
            workers: vec!["3".to_owned()],
            ..SettingFlags::default()
        };
        let given = load(None, &nothing, &flags).unwrap().to_json();
        assert_eq!(given["workers"].get("comesTo"), None);
    }

    #[test]
    fn what_is_printed_can_be_read_back_and_shows_no_secret() {
        let secret = "0123456789abcdef0123456789abcdef";
        let flags = SettingFlags {
            listen: vec!["127.0.0.1:0".to_owned()],
            ..SettingFlags::default()
        };
        let in_force = load(None, &nothing, &flags).unwrap();
        let file = file_with(&in_force.to_toml());
        let again = load(Some(file.path()), &nothing, &SettingFlags::default()).unwrap();
        assert_eq!(again.settings, in_force.settings);

        let flags = SettingFlags {
            database: vec![format!("postgres://ann:{secret}@db/sounds")],
            url_signing_key: vec![secret.to_owned()],
            ..flags
        };
        let in_force = load(None, &nothing, &flags).unwrap();
        assert!(!in_force.to_toml().contains(secret));
        assert!(!in_force.to_json().to_string().contains(secret));
    }
}
