/// How a registry wants a client to authenticate (RFC 9110, section 11.6.1, and the token scheme of registries).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Challenge {
    /// Name and password with every request.
    Basic,
    /// A token, from the address `realm`.
    Bearer {
        /// Where tokens are.
        realm: String,
        /// The service that the token is for, as the registry names it.
        service: Option<String>,
    },
}

impl Challenge {
    /// Parses a `WWW-Authenticate` header. Its scope is ignored: the registry does not decide what a token is for.
    pub fn parse(header: &str) -> Option<Self> {
        let (scheme, rest) = header.trim().split_once(' ').unwrap_or((header.trim(), ""));
        if scheme.eq_ignore_ascii_case("basic") {
            return Some(Self::Basic);
        }
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let parameters = parameters(rest);
        let find = |wanted: &str| {
            let found = parameters
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.map(|(_, value)| value.clone())
        };
        Some(Self::Bearer {
            realm: find("realm")?,
            service: find("service"),
        })
    }
}

/// Parses `name="value", name=value`; within quotation marks a backslash escapes the next character.
fn parameters(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut letters = text.chars().peekable();
    loop {
        while letters
            .next_if(|&letter| letter == ',' || letter.is_whitespace())
            .is_some()
        {}
        let mut name = String::new();
        while let Some(letter) = letters.next_if(|&letter| letter != '=' && letter != ',') {
            name.push(letter);
        }
        if letters.next().is_none() {
            return found;
        }
        let mut value = String::new();
        if letters.next_if_eq(&'"').is_some() {
            while let Some(letter) = letters.next().filter(|&letter| letter != '"') {
                let letter = if letter == '\\' {
                    letters.next().unwrap_or_default()
                } else {
                    letter
                };
                value.push(letter);
            }
        } else {
            while let Some(letter) = letters.next_if(|&letter| letter != ',') {
                value.push(letter);
            }
        }
        found.push((name.trim().to_owned(), value.trim().to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read() {
        assert_eq!(
            Challenge::parse("Basic realm=\"x\""),
            Some(Challenge::Basic)
        );
        assert_eq!(Challenge::parse("basic"), Some(Challenge::Basic));
        let bearer = |realm: &str, service: Option<&str>| {
            Some(Challenge::Bearer {
                realm: realm.to_owned(),
                service: service.map(str::to_owned),
            })
        };
        let hub = "Bearer realm=\"https://auth.docker.io/token\",service=\"registry.docker.io\",scope=\"repository:a/b:pull,push\"";
        assert_eq!(
            Challenge::parse(hub),
            bearer("https://auth.docker.io/token", Some("registry.docker.io"))
        );
        assert_eq!(
            Challenge::parse("bearer scope=x, realm=https://a/b"),
            bearer("https://a/b", None)
        );
        assert_eq!(
            Challenge::parse("Bearer realm=\"a\\\"b\""),
            bearer("a\"b", None)
        );
        assert_eq!(Challenge::parse("Bearer service=\"x\""), None);
        assert_eq!(Challenge::parse("Negotiate abc"), None);
        assert_eq!(Challenge::parse("Bearer realm"), None);
        assert_eq!(Challenge::parse(""), None);
    }
}
