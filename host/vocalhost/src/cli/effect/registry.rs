use std::path::Path;

use super::CliError;
use crate::cli::runtime::runtime;
use vocalhost_effects::EffectLimits;
use vocalhost_registry::{Access, Credentials, Options, Reference, Registry, RegistryError, Taken};

/// What an argument is called in a registry, if it is no file.
pub fn named(argument: &Path) -> Option<&str> {
    argument.to_str().filter(|text| Reference::is_meant(text))
}

/// Takes the component that is called `name`.
pub fn take(name: &str, plain_http: bool) -> Result<Taken, CliError> {
    let mut registry = open(name.parse()?, Access::Read, plain_http)?;
    let most = EffectLimits::default().component_bytes as u64;
    Ok(runtime()?.block_on(registry.take(most))?)
}

/// The repository of a name, asked as whoever the environment says.
pub fn open(
    reference: Reference,
    access: Access,
    plain_http: bool,
) -> Result<Registry, RegistryError> {
    let environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let credentials = Credentials::find(&reference, environment)?;
    let options = Options {
        credentials,
        plain_http,
    };
    Registry::open(reference, access, options)
}
