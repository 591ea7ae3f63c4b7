use serde_json::Value;
use vocalhost_effects::{Catalog, EffectHost, EffectLimits};
use vocalhost_testing::repository;

use super::{data_folder, effect, names, said};

#[test]
fn a_plot_is_the_same_twice_and_shows_every_preset() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["one.svg", "two.svg"] {
        let done = effect(folder.path(), &["plot", "vocalhost.gain", name]);
        assert!(done.status.success(), "{}", said(&done));
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("written");
    let svg = read("one.svg");
    assert_eq!(svg, read("two.svg"));
    for words in [
        "Gain 1.0.0",
        "defaults",
        "half",
        "double",
        "lift",
        "frequency in Hz",
    ] {
        assert!(svg.contains(words), "{words} is missing");
    }
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.len() < 100_000);
}

#[test]
fn the_points_of_a_plot_can_be_had_as_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let done = effect(
        folder.path(),
        &["plot", "vocalhost.gain", "--json", "--set", "gain_db=-12"],
    );
    assert!(done.status.success(), "{}", said(&done));
    assert!(names(folder.path()).is_empty());
    let record: Value = serde_json::from_slice(&done.stdout).expect("it is JSON");
    assert_eq!(record["curves"][0]["name"], "defaults");
    assert_eq!(record["curves"][1]["name"], "as set");
    let magnitude = record["curves"][1]["magnitude"].as_array().expect("points");
    for point in magnitude {
        let gain = point[1].as_f64().expect("a number");
        assert!((gain + 12.0).abs() < 0.01, "{point}");
    }
}

#[test]
fn a_plot_with_wrong_settings_is_not_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases: [&[&str]; 4] = [
        &["plot", "vocalhost.gain", "out.svg", "--set", "gain_db=loud"],
        &["plot", "vocalhost.gain", "out.png"],
        &["plot", "vocalhost.gain"],
        &["plot", "vocalhost.gain", "out.svg", "--all", "all"],
    ];
    for arguments in cases {
        let done = effect(folder.path(), arguments);
        assert_eq!(done.status.code(), Some(2), "{}", said(&done));
        assert!(names(folder.path()).is_empty());
    }
}

#[test]
fn every_built_in_effect_has_its_plot_in_the_documentation() {
    let cache = data_folder().join("effect-cache");
    let host = EffectHost::open(Some(&cache), EffectLimits::default()).expect("the host opens");
    let catalog = Catalog::builtin(&host).expect("the built-in effects load");
    let page = std::fs::read_to_string(repository("docs/responses.md")).expect("there");
    for entry in catalog.entries() {
        let id = &entry.descriptor.id;
        let name = id.strip_prefix("vocalhost.").expect("a built-in id");
        let path = repository("docs/responses")
            .join(name)
            .with_extension("svg");
        let svg = std::fs::read_to_string(&path).expect("the plot is there");
        assert!(
            svg.contains(id.as_str()),
            "{} shows another effect",
            path.display()
        );
        assert!(svg.len() < 100_000, "{} is large", path.display());
        assert!(
            page.contains(&format!("(responses/{name}.svg)")),
            "the page lacks {name}"
        );
    }
}
