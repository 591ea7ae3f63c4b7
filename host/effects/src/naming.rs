use semver::Version;

use super::Descriptor;
use super::descriptor::plain_spelling;

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

/// The name that requests of the v1 API use for the effect with this id.
#[must_use]
pub fn alias(id: &str) -> Option<&'static str> {
    ALIASES
        .iter()
        .find(|(_, known)| *known == id)
        .map(|(alias, _)| *alias)
}

/// Whether an id is one that only built-in effects may have.
#[must_use]
pub fn is_reserved(id: &str) -> bool {
    id.starts_with("vocalhost.")
}

/// The id of the built-in effect that requests call `name`, in any spelling.
pub(super) fn id_of_alias(name: &str) -> Option<&'static str> {
    let spelled = plain_spelling(name);
    ALIASES
        .iter()
        .find(|(alias, _)| plain_spelling(alias) == spelled)
        .map(|(_, id)| *id)
}

/// The effect of this name among `effects`: its id, its id with a version (`vocalhost.delay@1.0.0`), or the API's name
/// for it in any spelling (`NoiseGate`, `noiseGate`, `noise_gate`). Without a version it is the newest one.
pub fn named<'a, T>(
    effects: impl Iterator<Item = &'a T>,
    name: &str,
    descriptor: impl Fn(&T) -> &Descriptor,
) -> Option<&'a T> {
    let (name, version) = match name.split_once('@') {
        Some((id, version)) => (id, Some(version)),
        None => (name, None),
    };
    let spelled = plain_spelling(name);
    let is_meant = |effect: &Descriptor| {
        let has_name = effect.id == name
            || alias(&effect.id).is_some_and(|alias| plain_spelling(alias) == spelled);
        has_name && version.is_none_or(|version| effect.version == version)
    };
    effects
        .filter(|effect| is_meant(descriptor(effect)))
        .max_by_key(|effect| precedence(&descriptor(effect).version))
}

/// The order of semantic versions. What is not one, though the rules for descriptors let it pass, comes first.
fn precedence(version: &str) -> Option<Version> {
    Version::parse(version).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_number_and_releases_come_after_candidates() {
        assert!(precedence("1.10.0") > precedence("1.9.9"));
        assert!(precedence("2.0.0") > precedence("2.0.0-rc.2"));
        assert!(precedence("2.0.0-rc.10") > precedence("2.0.0-rc.2"));
        assert!(precedence("2.0.0-rc.1") > precedence("1.99.0+5"));
    }
}
