use super::descriptor::plain_spelling;
use super::{Descriptor, Effect, EffectHost, PluginError};

/// The components of the built-in effects, each with the name of its package.
const BUILT_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/effects.rs"));

/// The names that requests of the v1 API use for built-in effects.
const ALIASES: [(&str, &str); 7] = [
    ("noiseGate", "vocalhost.noise-gate"),
    ("highPassFilter", "vocalhost.high-pass"),
    ("lowPassFilter", "vocalhost.low-pass"),
    ("compressor", "vocalhost.compressor"),
    ("chorus", "vocalhost.chorus"),
    ("delay", "vocalhost.delay"),
    ("reverb", "vocalhost.reverb"),
];

/// The component of the built-in effect of this id or alias, without loading any: its package is called like its id,
/// with `-` for the first dot.
#[must_use]
pub fn built_in_component(name: &str) -> Option<&'static [u8]> {
    let spelled = plain_spelling(name);
    let aliased = ALIASES
        .iter()
        .find(|(alias, _)| plain_spelling(alias) == spelled);
    let package = aliased.map_or(name, |(_, id)| id).replacen('.', "-", 1);
    BUILT_IN
        .iter()
        .find(|(built, _)| *built == package)
        .map(|(_, component)| *component)
}

/// The effects that are installed.
#[derive(Clone)]
pub struct Catalog {
    entries: Vec<CatalogEntry>,
}

/// One installed effect.
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

    /// Every installed effect.
    #[must_use]
    pub fn entries(&self) -> &[CatalogEntry] {
        &self.entries
    }

    /// The effect of this name: its id, its id with a version (`vocalhost.delay@1.0.0`), or the API's name for it in any
    /// spelling (`NoiseGate`, `noiseGate`, `noise_gate`). Without a version it is the newest one.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&CatalogEntry> {
        if let Some((id, version)) = name.split_once('@') {
            return self
                .newest(|entry| entry.descriptor.id == id && entry.descriptor.version == version);
        }
        let spelled = plain_spelling(name);
        self.newest(|entry| {
            entry.descriptor.id == name
                || entry
                    .alias
                    .is_some_and(|alias| plain_spelling(alias) == spelled)
        })
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

    fn newest(&self, wanted: impl Fn(&CatalogEntry) -> bool) -> Option<&CatalogEntry> {
        self.entries
            .iter()
            .filter(|entry| wanted(entry))
            .max_by_key(|entry| precedence(&entry.descriptor.version))
    }
}

impl From<Effect> for CatalogEntry {
    fn from(effect: Effect) -> Self {
        let descriptor = effect.descriptor().clone();
        let alias = ALIASES
            .iter()
            .find(|(_, id)| *id == descriptor.id)
            .map(|(alias, _)| *alias);
        Self {
            digest: effect.digest().to_owned(),
            descriptor,
            alias,
            effect,
        }
    }
}

/// Orders versions: the three numbers, then a release after its pre-releases.
fn precedence(version: &str) -> ([u64; 3], bool) {
    let version = version.split('+').next().unwrap_or_default();
    let (core, is_release) = match version.split_once('-') {
        Some((core, _)) => (core, false),
        None => (version, true),
    };
    let mut numbers = [0; 3];
    for (number, part) in numbers.iter_mut().zip(core.split('.')) {
        *number = part.parse().unwrap_or(u64::MAX);
    }
    (numbers, is_release)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_in_component_is_found_by_id_and_by_every_spelling_of_its_alias() {
        let gate = built_in_component("vocalhost.noise-gate");
        assert!(gate.is_some());
        for name in ["noiseGate", "NoiseGate", "noise_gate"] {
            assert_eq!(built_in_component(name), gate);
        }
        assert!(built_in_component("vocalhost.parametric-eq").is_some());
        assert!(built_in_component("noise").is_none());
    }

    #[test]
    fn versions_are_ordered_by_number_and_releases_come_after_candidates() {
        assert!(precedence("1.10.0") > precedence("1.9.9"));
        assert!(precedence("2.0.0") > precedence("2.0.0-rc.1"));
        assert!(precedence("2.0.0-rc.1") > precedence("1.99.0+5"));
    }
}
