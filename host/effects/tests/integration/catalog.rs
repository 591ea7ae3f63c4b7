//! The effects that come with the server.

use vocalhost_effects::{Kind, SettingValue};

use super::rig::CATALOG;

/// The contract's names, with each parameter's name, range and default.
type Promise = (
    &'static str,
    &'static str,
    &'static [(&'static str, f64, f64, f64)],
);

const GATE: &[(&str, f64, f64, f64)] = &[
    ("threshold_db", -100.0, 0.0, -100.0),
    ("ratio", 1.0, 100.0, 10.0),
    ("attack_ms", 0.0, 5_000.0, 1.0),
    ("release_ms", 0.0, 5_000.0, 100.0),
];
const COMPRESSOR: &[(&str, f64, f64, f64)] = &[
    ("threshold_db", -100.0, 0.0, 0.0),
    ("ratio", 1.0, 100.0, 1.0),
    ("attack_ms", 0.0, 5_000.0, 1.0),
    ("release_ms", 0.0, 5_000.0, 100.0),
];
const FILTER: &[(&str, f64, f64, f64)] = &[("cutoff_frequency_hz", 0.0, 99_999.0, 50.0)];
const CHORUS: &[(&str, f64, f64, f64)] = &[
    ("rate_hz", 0.0, 100.0, 1.0),
    ("depth", 0.0, 1.0, 0.25),
    ("centre_delay_ms", 0.0, 100.0, 7.0),
    ("feedback", 0.0, 1.0, 0.0),
    ("mix", 0.0, 1.0, 0.5),
];
const REVERB: &[(&str, f64, f64, f64)] = &[
    ("room_size", 0.0, 1.0, 0.5),
    ("damping", 0.0, 1.0, 0.5),
    ("wet_level", 0.0, 1.0, 0.33),
    ("dry_level", 0.0, 1.0, 0.4),
    ("width", 0.0, 1.0, 1.0),
    ("freeze_mode", 0.0, 1.0, 0.0),
];
const DELAY: &[(&str, f64, f64, f64)] = &[
    ("delay_seconds", 0.0, 10.0, 0.5),
    ("feedback", 0.0, 1.0, 0.0),
    ("mix", 0.0, 1.0, 0.5),
];

const PROMISES: [Promise; 7] = [
    ("noiseGate", "vocalhost.noise-gate", GATE),
    ("highPassFilter", "vocalhost.high-pass", FILTER),
    ("lowPassFilter", "vocalhost.low-pass", FILTER),
    ("compressor", "vocalhost.compressor", COMPRESSOR),
    ("chorus", "vocalhost.chorus", CHORUS),
    ("delay", "vocalhost.delay", DELAY),
    ("reverb", "vocalhost.reverb", REVERB),
];

#[test]
fn every_effect_of_the_contract_is_built_in_with_its_parameters() {
    let named = CATALOG
        .entries()
        .iter()
        .filter(|entry| entry.alias.is_some());
    assert_eq!(named.count(), PROMISES.len());
    for (alias, id, promised) in PROMISES {
        let entry = CATALOG
            .find(alias)
            .unwrap_or_else(|| panic!("{alias} is built in"));
        assert_eq!(
            (entry.alias, entry.descriptor.id.as_str()),
            (Some(alias), id)
        );
        assert_eq!(entry.descriptor.parameters.len(), promised.len(), "{alias}");
        for (parameter, (name, min, max, default)) in
            entry.descriptor.parameters.iter().zip(promised)
        {
            assert_eq!(parameter.id, *name, "{alias}");
            let Kind::Number {
                min: own_min,
                max: own_max,
                ..
            } = parameter.kind
            else {
                panic!("{alias}.{name} is a number");
            };
            assert_eq!((own_min, own_max), (*min, *max), "{alias}.{name}");
            assert_eq!(
                parameter.default_value(),
                SettingValue::Number(*default),
                "{alias}.{name}"
            );
        }
    }
}

#[test]
fn an_effect_is_found_by_every_accepted_spelling_of_its_name() {
    for name in [
        "noiseGate",
        "NoiseGate",
        "noise_gate",
        "vocalhost.noise-gate",
    ] {
        let entry = CATALOG
            .find(name)
            .unwrap_or_else(|| panic!("{name} is accepted"));
        assert_eq!(entry.descriptor.id, "vocalhost.noise-gate");
    }
    for name in [
        "",
        "noise gate",
        "gate",
        "vocalhost.noiseGate",
        "vocalhost.noise-gate@",
    ] {
        assert!(CATALOG.find(name).is_none(), "{name:?} is nothing");
    }
}

#[test]
fn a_version_and_a_digest_pin_an_effect() {
    let entry = CATALOG.find("delay").expect("it is built in");
    let (id, version) = (&entry.descriptor.id, &entry.descriptor.version);
    assert!(CATALOG.find(&format!("{id}@{version}")).is_some());
    assert!(CATALOG.find(&format!("{id}@99.0.0")).is_none());
    assert!(CATALOG.pinned(id, version, &entry.digest).is_some());
    assert!(CATALOG.pinned(id, version, &"0".repeat(64)).is_none());
}

#[test]
fn parameters_are_found_by_every_accepted_spelling() {
    let entry = CATALOG.find("compressor").expect("it is built in");
    for name in ["threshold_db", "thresholdDb", "ThresholdDb"] {
        let parameter = entry.descriptor.find_parameter(name).expect(name);
        assert_eq!(parameter.id, "threshold_db");
    }
    assert!(entry.descriptor.find_parameter("threshold").is_none());
}
