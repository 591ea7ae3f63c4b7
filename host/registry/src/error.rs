/// Why something could not be sent to a registry or taken from one.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The name does not name anything in a registry.
    #[error("{0}")]
    Reference(String),
    /// The file with the credentials cannot be used.
    #[error("{0}")]
    Credentials(String),
    /// Connections cannot be set up on this machine.
    #[error("cannot set up connections: {0}")]
    Setup(String),
    /// There was no answer, or it broke off.
    #[error("cannot ask {host}: {why}")]
    Exchange {
        /// The host.
        host: String,
        /// Why.
        why: String,
    },
    /// The registry refuses.
    #[error("{host} answers {status}{}", in_words(.said))]
    Refused {
        /// The host.
        host: String,
        /// The status of its answer.
        status: u16,
        /// Its own words, if it has any.
        said: String,
    },
    /// Nothing has this name in the registry.
    #[error("there is no {0}")]
    Missing(String),
    /// The registry wants authentication, or denies access.
    #[error("{host} wants other credentials: {hint}")]
    Denied {
        /// The host.
        host: String,
        /// What was sent and where credentials come from.
        hint: String,
    },
    /// A redirect leads where it may not.
    #[error("{host} leads elsewhere: {why}")]
    Lead {
        /// The host that says so.
        host: String,
        /// Why it is not followed.
        why: String,
    },
    /// Something is larger than it may be.
    #[error("{what} is larger than {most} bytes")]
    TooLarge {
        /// What.
        what: &'static str,
        /// How large it may be.
        most: u64,
    },
    /// The bytes are not those that were asked for.
    #[error("{what} is not what was asked for: it should be {wanted} and is {found}")]
    OtherBytes {
        /// What.
        what: &'static str,
        /// The digest or size that it should have.
        wanted: String,
        /// The one that it has.
        found: String,
    },
    /// The content is no component, or has another layout.
    #[error("this is no component in the layout of wkg: {0}")]
    Layout(String),
    /// There is a signature and it is wrong.
    #[error("the signature does not hold: {0}")]
    Signature(String),
    /// The registry has another component under this version.
    #[error(
        "{name} is there already with another component, {digest}: a version that others may have never changes; give this one a new version"
    )]
    Taken {
        /// The name with its tag.
        name: String,
        /// The digest of the component that is there.
        digest: String,
    },
}

fn in_words(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!(": {text}")
    }
}
