use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

use super::AddressRules;

/// No address that anybody needs is longer.
const LONGEST_URL: usize = 2_048;

/// Why a text is no address that webhooks can go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It cannot be read.
    #[error("it is not a URL of at most {LONGEST_URL} bytes")]
    Unreadable,
    /// It is neither `http` nor `https`.
    #[error("it must begin with http:// or https://")]
    Scheme,
    /// It has a name or a password in it.
    #[error("it must not hold a name or password")]
    Credentials,
    /// It names an address that is not public.
    #[error("its address is not on the public internet")]
    Private,
}

/// Where a webhook goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    url: Url,
}

impl Target {
    /// Reads an address. One that is written with numbers must be one that `rules` permit; a name is looked up when
    /// something is sent there.
    pub fn parse(text: &str, rules: &AddressRules) -> Result<Self, TargetError> {
        if text.len() > LONGEST_URL {
            return Err(TargetError::Unreadable);
        }
        let url = Url::parse(text).map_err(|_| TargetError::Unreadable)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(TargetError::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetError::Credentials);
        }
        let target = Self { url };
        if let Some(address) = target.literal()
            && !rules.permit(&target.name(), address)
        {
            return Err(TargetError::Private);
        }
        Ok(target)
    }

    /// The addresses to connect to: those of the host that `rules` permit, each looked up this once.
    pub(crate) async fn addresses(&self, rules: &AddressRules) -> std::io::Result<Vec<SocketAddr>> {
        let port = self.url.port_or_known_default().unwrap_or(80);
        let name = self.name();
        let found: Vec<SocketAddr> = match self.literal() {
            Some(address) => vec![SocketAddr::new(address, port)],
            None => tokio::net::lookup_host((name.as_str(), port))
                .await?
                .collect(),
        };
        let permitted = found
            .into_iter()
            .filter(|one| rules.permit(&name, one.ip()));
        Ok(permitted.collect())
    }

    /// The host's name, or its address without brackets.
    #[must_use]
    pub(crate) fn name(&self) -> String {
        match self.url.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(address)) => address.to_string(),
            Some(Host::Ipv6(address)) => address.to_string(),
            None => String::new(),
        }
    }

    /// The `Host` header: with a port unless it is the scheme's own.
    #[must_use]
    pub(crate) fn authority(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// Path and query, as the request line has them.
    #[must_use]
    pub(crate) fn path(&self) -> String {
        match self.url.query() {
            Some(query) => format!("{}?{query}", self.url.path()),
            None => self.url.path().to_owned(),
        }
    }

    /// Whether the connection is encrypted.
    #[must_use]
    pub(crate) fn is_tls(&self) -> bool {
        self.url.scheme() == "https"
    }

    fn literal(&self) -> Option<IpAddr> {
        match self.url.host()? {
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
            Host::Domain(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Target, TargetError> {
        Target::parse(text, &AddressRules::default())
    }

    #[test]
    fn an_address_is_taken_apart_for_the_request() {
        let target = parse("https://Hooks.example:8443/a/b?c=d#e").expect("an address");
        assert_eq!(target.name(), "hooks.example");
        assert_eq!(target.authority(), "hooks.example:8443");
        assert_eq!(target.path(), "/a/b?c=d");
        assert!(target.is_tls());
        let target = parse("http://example.com").expect("an address");
        assert_eq!(
            (target.authority(), target.path()),
            ("example.com".to_owned(), "/".to_owned())
        );
    }

    #[test]
    fn what_is_no_public_web_address_is_refused() {
        for (text, wanted) in [
            ("", TargetError::Unreadable),
            ("example.com/hook", TargetError::Unreadable),
            ("http://", TargetError::Unreadable),
            ("file:///etc/passwd", TargetError::Scheme),
            ("gopher://example.com/", TargetError::Scheme),
            ("http://me:secret@example.com/", TargetError::Credentials),
            ("http://127.0.0.1/", TargetError::Private),
            ("http://2130706433/", TargetError::Private),
            ("http://0x7f.1/", TargetError::Private),
            ("http://017700000001/", TargetError::Private),
            ("http://[::1]/", TargetError::Private),
            ("http://[::ffff:10.0.0.1]/", TargetError::Private),
            (
                "http://169.254.169.254/latest/meta-data",
                TargetError::Private,
            ),
        ] {
            assert_eq!(parse(text), Err(wanted), "{text}");
        }
        let long = format!("http://example.com/{}", "x".repeat(LONGEST_URL));
        assert_eq!(parse(&long), Err(TargetError::Unreadable));
    }

    #[tokio::test]
    async fn a_name_of_a_private_address_leads_nowhere() {
        let rules = AddressRules::default();
        let target = parse("http://localhost:9/").expect("a name is looked up later");
        assert_eq!(target.addresses(&rules).await.expect("it is known"), []);
        let rules = AddressRules::with(&["localhost".to_owned()]);
        assert!(
            !target
                .addresses(&rules)
                .await
                .expect("it is known")
                .is_empty()
        );
    }
}
