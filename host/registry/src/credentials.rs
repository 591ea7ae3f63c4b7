use std::fmt::{self, Debug};
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use serde_json::Value;

use super::{Reference, RegistryError};

/// The largest credentials file of Docker, podman and others, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// A user name and a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    user: String,
    password: String,
}

impl Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Credentials({:?})", self.user)
    }
}

impl Credentials {
    /// Those of the environment (`VOCALHOST_REGISTRY_USER`, `VOCALHOST_REGISTRY_PASSWORD`), else those that `docker login` kept for
    /// the registry in `config.json`, in the folder `DOCKER_CONFIG` or `~/.docker`.
    pub fn find(
        reference: &Reference,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, RegistryError> {
        let named = (
            environment("VOCALHOST_REGISTRY_USER"),
            environment("VOCALHOST_REGISTRY_PASSWORD"),
        );
        if let (Some(user), Some(password)) = named {
            return Ok(Some(Self { user, password }));
        }
        let folder = environment("DOCKER_CONFIG")
            .map(PathBuf::from)
            .or_else(|| environment("HOME").map(|home| PathBuf::from(home).join(".docker")));
        let Some(file) = folder.map(|folder| folder.join("config.json")) else {
            return Ok(None);
        };
        match std::fs::metadata(&file) {
            Ok(facts) if facts.len() <= MOST_BYTES => {}
            Ok(_) => return Err(unusable(&file, "it is larger than 1 MiB")),
            Err(_) => return Ok(None),
        }
        let text = std::fs::read(&file).map_err(|error| unusable(&file, &error.to_string()))?;
        let kept =
            serde_json::from_slice(&text).map_err(|error| unusable(&file, &error.to_string()))?;
        Ok(kept_for(reference, &kept))
    }

    /// The value of a header for HTTP Basic authentication.
    pub(crate) fn basic(&self) -> String {
        format!(
            "Basic {}",
            STANDARD.encode(format!("{}:{}", self.user, self.password))
        )
    }
}

fn unusable(file: &std::path::Path, why: &str) -> RegistryError {
    RegistryError::Credentials(format!(
        "cannot use the credentials in {}: {why}",
        file.display()
    ))
}

/// The entry for a registry. Its key is the host alone, or an address with it, as older programs wrote.
fn kept_for(reference: &Reference, kept: &Value) -> Option<Credentials> {
    let entries = kept.get("auths")?.as_object()?;
    let is_dockers = reference.api_host() != reference.host;
    let (_, entry) = entries.iter().find(|(name, _)| {
        let name = name
            .strip_prefix("https://")
            .or_else(|| name.strip_prefix("http://"))
            .unwrap_or(name);
        let host = name.split('/').next().unwrap_or_default();
        host.eq_ignore_ascii_case(&reference.host) || (is_dockers && host == "index.docker.io")
    })?;
    let word = |field: &str| entry.get(field)?.as_str().filter(|word| !word.is_empty());
    if let (Some(user), Some(password)) = (word("username"), word("password")) {
        let [user, password] = [user, password].map(str::to_owned);
        return Some(Credentials { user, password });
    }
    let auth = STANDARD_NO_PAD
        .decode(word("auth")?.trim_end_matches('='))
        .ok()?;
    let auth = String::from_utf8(auth).ok()?;
    let (user, password) = auth.split_once(':')?;
    let [user, password] = [user, password].map(str::to_owned);
    Some(Credentials { user, password })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kept(host: &str, auths: &Value) -> Option<String> {
        let reference: Reference = format!("oci://{host}/a:1").parse().expect("it is one");
        kept_for(&reference, &json!({ "auths": auths }))
            .map(|found| format!("{}:{}", found.user, found.password))
    }

    #[test]
    fn each_registry_gets_its_own() {
        let auths = json!({
            "ghcr.io": { "auth": STANDARD.encode("anna:secret:1") },
            "https://registry.example:5000/v2/": { "username": "ben", "password": "other" },
            "https://index.docker.io/v1/": { "auth": STANDARD.encode("carl:hub") },
            "helped.example": {},
        });
        assert_eq!(kept("ghcr.io", &auths).as_deref(), Some("anna:secret:1"));
        assert_eq!(
            kept("registry.example:5000", &auths).as_deref(),
            Some("ben:other")
        );
        assert_eq!(kept("docker.io", &auths).as_deref(), Some("carl:hub"));
        for host in [
            "registry.example",
            "registry.example:5001",
            "xghcr.io",
            "helped.example",
        ] {
            assert_eq!(kept(host, &auths), None, "{host}");
        }
    }

    #[test]
    fn the_environment_comes_first_and_nothing_shows_a_password() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("config.json");
        let auths = json!({ "auths": { "ghcr.io": { "auth": STANDARD.encode("anna:kept") } } });
        std::fs::write(&file, auths.to_string()).expect("it is written");
        let reference: Reference = "oci://ghcr.io/a:1".parse().expect("it is one");
        let home = folder.path().display().to_string();
        let of_file = |name: &str| (name == "DOCKER_CONFIG").then(|| home.clone());
        let found = Credentials::find(&reference, of_file)
            .expect("it is read")
            .expect("it is there");
        assert_eq!(found.password, "kept");
        assert!(!format!("{found:?}").contains("kept"));
        let of_both = |name: &str| match name {
            "VOCALHOST_REGISTRY_USER" | "VOCALHOST_REGISTRY_PASSWORD" => Some("said".to_owned()),
            name => of_file(name),
        };
        let found = Credentials::find(&reference, of_both)
            .expect("it is read")
            .expect("it is there");
        assert_eq!(found.password, "said");
        std::fs::write(&file, "no JSON").expect("it is written");
        assert!(Credentials::find(&reference, of_file).is_err());
    }
}
