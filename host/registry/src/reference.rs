use std::fmt::{self, Display};
use std::net::IpAddr;
use std::str::FromStr;

use super::RegistryError;
use super::digest::is_digest;

/// The beginning of a name of something in a registry.
const SCHEME: &str = "oci://";

/// The distribution specification's bounds.
const MAX_NAME: usize = 255;
const MAX_TAG: usize = 128;

/// The name of something in a registry: `oci://registry/name:version`, or with a digest, which pins the exact bytes:
/// `oci://registry/name:version@sha256:…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The registry's host, with its port if it is not the default.
    pub host: String,
    /// The repository: words separated by `/`.
    pub repository: String,
    /// The version, which registries call a tag.
    pub tag: Option<String>,
    /// The digest of the manifest.
    pub digest: Option<String>,
}

impl Reference {
    /// Whether a text is meant as a reference.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(SCHEME)
    }

    /// Whether the registry is on this machine, where nobody listens in between.
    #[must_use]
    pub(crate) fn is_loopback(&self) -> bool {
        is_loopback(bare(&self.host))
    }

    /// The host to send requests to: Docker's registry has another than its name says.
    pub(crate) fn api_host(&self) -> &str {
        match self.host.as_str() {
            "docker.io" | "index.docker.io" => "registry-1.docker.io",
            host => host,
        }
    }

    /// What to ask for a manifest by: the digest, which is exact, else the tag.
    pub(crate) fn pointer(&self) -> Option<&str> {
        self.digest.as_deref().or(self.tag.as_deref())
    }
}

/// A host without its port.
fn bare(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|letter| letter.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Whether a host, with or without brackets, is this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse()
            .is_ok_and(|address: IpAddr| address.to_canonical().is_loopback())
}

impl Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{SCHEME}{}/{}", self.host, self.repository)?;
        if let Some(tag) = &self.tag {
            write!(formatter, ":{tag}")?;
        }
        if let Some(digest) = &self.digest {
            write!(formatter, "@{digest}")?;
        }
        Ok(())
    }
}

impl FromStr for Reference {
    type Err = RegistryError;

    fn from_str(text: &str) -> Result<Self, RegistryError> {
        let refuse = |why: &str| {
            Err(RegistryError::Reference(format!(
                "{text:?} is no name in a registry, such as oci://registry.example/effects/robot:1.0.0: {why}"
            )))
        };
        let Some(rest) = text.strip_prefix(SCHEME) else {
            return refuse("it begins with oci://");
        };
        let (rest, digest) = match rest.split_once('@') {
            Some((rest, digest)) if is_digest(digest) => (rest, Some(digest.to_owned())),
            Some(_) => return refuse("behind @ stands sha256: and 64 hex digits"),
            None => (rest, None),
        };
        let Some((host, path)) = rest.split_once('/') else {
            return refuse("a name follows the registry");
        };
        if !is_host(host) {
            return refuse("the registry is a host, with a port where it needs one");
        }
        let (repository, tag) = match path.split_once(':') {
            Some((repository, tag)) => (repository, Some(tag)),
            None => (path, None),
        };
        if repository.len() > MAX_NAME || !repository.split('/').all(is_word) {
            return refuse("names are a to z, 0 to 9, with . _ - between them and / between words");
        }
        if tag.is_some_and(|tag| !is_tag(tag)) {
            return refuse("versions are letters, digits, . _ and -, at most 128");
        }
        Ok(Self {
            host: host.to_ascii_lowercase(),
            repository: repository.to_owned(),
            tag: tag.map(str::to_owned),
            digest,
        })
    }
}

fn is_host(host: &str) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    let inner = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    let is_name = match inner {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            !name.is_empty()
                && !name.starts_with(['.', '-'])
                && name
                    .bytes()
                    .all(|letter| letter.is_ascii_alphanumeric() || b".-".contains(&letter))
        }
    };
    is_name && port.is_none_or(is_port)
}

/// `[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*` of the distribution specification.
fn is_word(word: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let gaps = word.split(is_plain).filter(|gap| !gap.is_empty());
    let are_sound = gaps
        .into_iter()
        .all(|gap| matches!(gap, "." | "_" | "__") || gap.bytes().all(|letter| letter == b'-'));
    word.starts_with(is_plain) && word.ends_with(is_plain) && are_sound
}

/// Whether a text can be a tag.
pub(crate) fn is_tag(tag: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    tag.len() <= MAX_TAG
        && tag.starts_with(is_plain)
        && tag
            .chars()
            .all(|letter| is_plain(letter) || letter == '.' || letter == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let hex = "0123456789abcdef".repeat(4);
        for name in [
            "oci://ghcr.io/anna/effects/robot:1.0.0".to_owned(),
            "oci://localhost:5000/robot".to_owned(),
            "oci://[::1]:5000/robot:1.0.0-beta.1".to_owned(),
            format!("oci://registry.example/a_b/c--d:1@sha256:{hex}"),
            format!("oci://registry.example/robot@sha256:{hex}"),
        ] {
            let reference: Reference = name.parse().expect("it is one");
            assert_eq!(reference.to_string(), name);
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        for name in [
            "ghcr.io/anna/robot:1",
            "oci://ghcr.io",
            "oci:///robot:1",
            "oci://ghcr.io/",
            "oci://ghcr.io/Anna/robot:1",
            "oci://ghcr.io/a//b:1",
            "oci://ghcr.io/../b:1",
            "oci://ghcr.io/a.:1",
            "oci://ghcr.io/a?b:1",
            "oci://ghcr.io/a:1+2",
            "oci://ghcr.io/a:",
            "oci://ghcr.io/a:1@sha256:12",
            "oci://me@ghcr.io/a:1",
            "oci://ghcr.io:0/a:1",
            "oci://gh cr.io/a:1",
        ] {
            assert!(name.parse::<Reference>().is_err(), "{name}");
        }
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        for (host, wanted) in [
            ("localhost:5000", true),
            ("127.0.0.1", true),
            ("127.9.9.9:1", true),
            ("[::1]:5000", true),
            ("localhost.example", false),
            ("127.0.0.1.example", false),
            ("10.0.0.1", false),
        ] {
            let reference: Reference = format!("oci://{host}/a").parse().expect("it is one");
            assert_eq!(reference.is_loopback(), wanted, "{host}");
        }
    }
}
