use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::naming::{alias, id_of_alias, named};
use super::{Descriptor, Effect, EffectHost, PluginError};

/// The components of the built-in effects, each with the name of its package.
const BUILT_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/effects.rs"));

/// The same by digest.
static BY_DIGEST: LazyLock<BTreeMap<String, &[u8]>> = LazyLock::new(|| {
    let components = BUILT_IN.iter().map(|(_, component)| *component);
    components
        .map(|component| (EffectHost::digest(component), component))
        .collect()
});

/// Effects that are ready to run.
#[derive(Clone)]
pub struct Catalog {
    entries: Vec<CatalogEntry>,
}

/// One effect that is ready to run.
#[derive(Clone)]
pub struct CatalogEntry {
    /// What it is.
    pub descriptor: Descriptor,
    /// The SHA-256 of its component, in lower-case hexadecimal.
    pub digest: String,
    /// The name that requests of the v1 API use for it.
    pub alias: Option<&'static str>,
    /// What starts its streams.
    pub effect: Effect,
}

impl Catalog {
    /// The effects that come with the server.
    pub fn builtin(host: &EffectHost) -> Result<Self, PluginError> {
        let entries = BUILT_IN
            .iter()
            .map(|(_, component)| host.load(component).map(CatalogEntry::from))
            .collect::<Result<_, _>>()?;
        Ok(Self { entries })
    }

    /// The components of the effects that come with the server, in the order of [`Self::builtin`].
    pub fn builtin_components() -> impl Iterator<Item = &'static [u8]> {
        BUILT_IN.iter().map(|(_, component)| *component)
    }

    /// The component of the built-in effect with this id or alias, without loading any: its package is named after its id, with `-` for the
    /// first dot.
    #[must_use]
    pub fn builtin_component(name: &str) -> Option<&'static [u8]> {
        let package = id_of_alias(name).unwrap_or(name).replacen('.', "-", 1);
        BUILT_IN
            .iter()
            .find(|(built, _)| *built == package)
            .map(|(_, component)| *component)
    }

    /// The component with this digest, if it is that of an effect that comes with this very program. Built-in effects of another
    /// release lie in the file store.
    #[must_use]
    pub fn carried(digest: &str) -> Option<&'static [u8]> {
        BY_DIGEST.get(digest).copied()
    }

    /// A catalogue of these effects.
    #[must_use]
    pub fn of(entries: Vec<CatalogEntry>) -> Self {
        Self { entries }
    }

    /// Every effect.
    #[must_use]
    pub fn entries(&self) -> &[CatalogEntry] {
        &self.entries
    }

    /// The effect of this name: its id, its id with a version (`vocalhost.delay@1.0.0`), or the API's name for it in any
    /// spelling (`NoiseGate`, `noiseGate`, `noise_gate`). Without a version it is the newest one.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&CatalogEntry> {
        named(self.entries.iter(), name, |entry| &entry.descriptor)
    }

    /// Exactly the effect that a job was accepted with.
    #[must_use]
    pub fn pinned(&self, id: &str, version: &str, digest: &str) -> Option<&CatalogEntry> {
        self.entries.iter().find(|entry| {
            entry.descriptor.id == id
                && entry.descriptor.version == version
                && entry.digest == digest
        })
    }
}

impl From<Effect> for CatalogEntry {
    fn from(effect: Effect) -> Self {
        let descriptor = effect.descriptor().clone();
        let alias = alias(&descriptor.id);
        Self {
            digest: effect.digest().to_owned(),
            descriptor,
            alias,
            effect,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_in_component_is_found_by_id_and_by_every_spelling_of_its_alias() {
        let gate = Catalog::builtin_component("vocalhost.noise-gate");
        assert!(gate.is_some());
        for name in ["noiseGate", "NoiseGate", "noise_gate"] {
            assert_eq!(Catalog::builtin_component(name), gate);
        }
        assert!(Catalog::builtin_component("vocalhost.parametric-eq").is_some());
        assert!(Catalog::builtin_component("noise").is_none());
    }

    #[test]
    fn a_built_in_component_is_found_by_its_digest() {
        for component in Catalog::builtin_components() {
            let digest = EffectHost::digest(component);
            assert!(Catalog::carried(&digest) == Some(component));
        }
        assert!(Catalog::carried(&EffectHost::digest(b"another")).is_none());
    }
}
