//! Credentials and regions as the AWS tools find them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use object_store::CredentialProvider;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, AwsCredential};

/// Looks a variable of the environment up.
pub type Environment<'e> = &'e dyn Fn(&str) -> Option<String>;

/// The environment variables that lead to the credentials of a role, which the store's client fetches and renews itself.
const OF_ROLES: [&str; 6] = [
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
];

/// Where credentials come from. What it holds is a secret, which no log may show.
#[cfg_attr(test, derive(Debug))]
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Credentials {
    /// The environment has them.
    Given {
        key_id: String,
        secret: String,
        token: Option<String>,
    },
    /// The environment says where to ask for those of a role: pairs of variable and value.
    Role(Vec<(&'static str, String)>),
    /// A file has them.
    File { path: PathBuf, profile: String },
    /// Nothing says anything: the machine may have a role.
    Machine,
}

impl Credentials {
    /// Looks for credentials, in this order: `file` if one is named, keys in the environment, a web identity in the environment, the AWS
    /// tools' file, any other role in the environment.
    pub(super) fn find(file: Option<&Path>, environment: Environment<'_>) -> Self {
        let set = |name: &str| environment(name).filter(|value| !value.is_empty());
        let profile = profile(environment);
        if let Some(path) = file {
            let path = path.to_owned();
            return Self::File { path, profile };
        }
        if let (Some(key_id), Some(secret)) =
            (set("AWS_ACCESS_KEY_ID"), set("AWS_SECRET_ACCESS_KEY"))
        {
            let token = set("AWS_SESSION_TOKEN");
            return Self::Given {
                key_id,
                secret,
                token,
            };
        }
        let role = OF_ROLES
            .iter()
            .filter_map(|name| Some((*name, set(name)?)))
            .collect::<Vec<_>>();
        let has = |wanted: &str| role.iter().any(|(name, _)| *name == wanted);
        if has("AWS_WEB_IDENTITY_TOKEN_FILE") && has("AWS_ROLE_ARN") {
            return Self::Role(role);
        }
        let path = set("AWS_SHARED_CREDENTIALS_FILE").map(PathBuf::from);
        let path = path.or_else(|| in_home("credentials", environment));
        if let Some(path) = path
            && read_profile(&path, &profile).is_ok()
        {
            return Self::File { path, profile };
        }
        if role.is_empty() {
            return Self::Machine;
        }
        Self::Role(role)
    }

    /// Passes them to the store's client.
    pub(super) fn tell(&self, mut builder: AmazonS3Builder) -> AmazonS3Builder {
        match self {
            Self::Given {
                key_id,
                secret,
                token,
            } => {
                if let Some(token) = token {
                    builder = builder.with_token(token);
                }
                builder
                    .with_access_key_id(key_id)
                    .with_secret_access_key(secret)
            }
            Self::Role(variables) => {
                for (name, value) in variables {
                    if let Ok(key) = name.to_lowercase().parse::<AmazonS3ConfigKey>() {
                        builder = builder.with_config(key, value);
                    }
                }
                builder
            }
            Self::File { path, profile } => {
                let (path, profile) = (path.clone(), profile.clone());
                builder.with_credentials(Arc::new(FromFile { path, profile }))
            }
            Self::Machine => builder,
        }
    }
}

/// The region that the environment or the AWS tools' file names.
pub(super) fn region(environment: Environment<'_>) -> Option<String> {
    let set = |name: &str| environment(name).filter(|value| !value.is_empty());
    if let Some(region) = set("AWS_REGION").or_else(|| set("AWS_DEFAULT_REGION")) {
        return Some(region);
    }
    let path = set("AWS_CONFIG_FILE").map(PathBuf::from);
    let path = path.or_else(|| in_home("config", environment))?;
    let text = std::fs::read_to_string(path).ok()?;
    let section = match profile(environment).as_str() {
        "default" => "default".to_owned(),
        other => format!("profile {other}"),
    };
    value_in(&text, &section, "region")
}

fn profile(environment: Environment<'_>) -> String {
    let named = environment("AWS_PROFILE").filter(|name| !name.is_empty());
    named.unwrap_or_else(|| "default".to_owned())
}

fn in_home(name: &str, environment: Environment<'_>) -> Option<PathBuf> {
    let home = environment("HOME").filter(|home| !home.is_empty())?;
    Some(Path::new(&home).join(".aws").join(name))
}

/// Credentials of a profile in a file. It is read for every request, so that keys can be changed while the server runs.
#[derive(Debug)]
struct FromFile {
    path: PathBuf,
    profile: String,
}

#[async_trait]
impl CredentialProvider for FromFile {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        // A few lines, which the system has in its cache.
        let read = read_profile(&self.path, &self.profile);
        read.map(Arc::new)
            .map_err(|reason| object_store::Error::Unauthenticated {
                path: self.path.display().to_string(),
                source: reason.into(),
            })
    }
}

fn read_profile(path: &Path, profile: &str) -> Result<AwsCredential, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let value = |name: &str| value_in(&text, profile, name);
    let wanted = |name: &str| {
        value(name).ok_or_else(|| format!("{} has no {name} of [{profile}]", path.display()))
    };
    Ok(AwsCredential {
        key_id: wanted("aws_access_key_id")?,
        secret_key: wanted("aws_secret_access_key")?,
        token: value("aws_session_token"),
    })
}

/// A value in a section of a file as the AWS tools have it: `[section]`, then `name = value` line by line.
fn value_in(text: &str, section: &str, name: &str) -> Option<String> {
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix('[') {
            inside = head.trim_end_matches(']').trim() == section;
        } else if inside
            && !line.starts_with(['#', ';'])
            && let Some((key, value)) = line.split_once('=')
            && key.trim() == name
        {
            return Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const FILE: &str = "# of the office\n[default]\naws_access_key_id = ONE\naws_secret_access_key=first\n\n\
        [ other ]\naws_access_key_id=TWO\n;aws_secret_access_key=off\naws_secret_access_key = second=2\naws_session_token = t\n";

    fn found(file: Option<&Path>, variables: &[(&str, &str)]) -> Credentials {
        let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
        Credentials::find(file, &|name| {
            variables.get(name).map(|value| (*value).to_owned())
        })
    }

    #[test]
    fn credentials_are_looked_for_in_the_order_of_the_aws_tools() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let aws = home.path().join(".aws");
        std::fs::create_dir(&aws).expect("a folder");
        std::fs::write(aws.join("credentials"), FILE).expect("written");
        let home = home.path().to_str().expect("a path");
        let keys = [
            ("AWS_ACCESS_KEY_ID", "ENV"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("HOME", home),
        ];
        assert_eq!(
            found(None, &keys),
            Credentials::Given {
                key_id: "ENV".to_owned(),
                secret: "secret".to_owned(),
                token: None,
            }
        );
        // A file that is named takes precedence over the environment.
        let named = Path::new("/run/keys");
        assert!(matches!(
            found(Some(named), &keys),
            Credentials::File { path, profile } if path == named && profile == "default"
        ));
        let in_home = |more: &[(&str, &str)]| found(None, &[&[("HOME", home)], more].concat());
        assert!(
            matches!(in_home(&[]), Credentials::File { path, .. } if path == aws.join("credentials"))
        );
        assert_eq!(in_home(&[("AWS_PROFILE", "nobody")]), Credentials::Machine);
        let role = [
            ("AWS_WEB_IDENTITY_TOKEN_FILE", "/token"),
            ("AWS_ROLE_ARN", "arn:aws:iam::1:role/a"),
        ];
        assert!(
            matches!(in_home(&role), Credentials::Role(variables) if variables.len() == role.len())
        );
        assert_eq!(found(None, &[]), Credentials::Machine);
    }

    #[test]
    fn a_profile_is_read_from_its_section_and_a_missing_line_is_named() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), FILE).expect("written");
        let other = read_profile(file.path(), "other").expect("it is whole");
        assert_eq!((&*other.key_id, &*other.secret_key), ("TWO", "second=2"));
        assert_eq!(other.token.as_deref(), Some("t"));
        let error = read_profile(file.path(), "third").expect_err("there is none");
        assert!(error.contains("no aws_access_key_id of [third]"), "{error}");
    }

    #[test]
    fn the_region_comes_from_the_environment_or_the_config_file() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let aws = home.path().join(".aws");
        std::fs::create_dir(&aws).expect("a folder");
        let text = "[default]\nregion = eu-north-1\n[profile far]\nregion = ap-south-1\n";
        std::fs::write(aws.join("config"), text).expect("written");
        let home = home.path().to_str().expect("a path");
        let of = |variables: &[(&str, &str)]| {
            let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
            region(&|name| variables.get(name).map(|value| (*value).to_owned()))
        };
        let home = ("HOME", home);
        assert_eq!(of(&[home]).as_deref(), Some("eu-north-1"));
        let far = of(&[home, ("AWS_PROFILE", "far")]);
        assert_eq!(far.as_deref(), Some("ap-south-1"));
        let given = of(&[home, ("AWS_DEFAULT_REGION", "x"), ("AWS_REGION", "y")]);
        assert_eq!(given.as_deref(), Some("y"));
        assert_eq!(of(&[]), None);
    }
}
