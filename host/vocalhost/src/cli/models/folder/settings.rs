//! Which settings of an installation belong to which separator. Music-Source-Separation-Training and others keep them beside the weights,
//! UVR in a folder of its own, with a table that tells by a file's digest which settings it uses.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use vocalhost_work::worker::glance::SettingsOf;

/// Where UVR keeps what its models do not say, beside them; and the settings in there.
const UVR_FOLDER: &str = "model_data";
const UVR_SETTINGS: &str = "mdx_c_configs";
/// Its table.
const UVR_TABLE: &str = "model_data.json";
/// The longest table that is read; UVR's has some ten thousand bytes.
const MAX_TABLE_BYTES: u64 = 4 << 20;
/// What files of weights are called that settings may stand beside.
const WEIGHTS: [&str; 4] = ["ckpt", "pth", "pt", "th"];

/// The settings that belong to the separator `model`, if exactly one file may: those of its name; those that UVR uses for it; or the only
/// ones beside the only model of a folder.
pub fn settings_of<'w>(
    model: &Path,
    of: &SettingsOf,
    models: &[PathBuf],
    settings: &'w [PathBuf],
) -> Option<&'w PathBuf> {
    let folder = model.parent()?;
    let of_uvr = folder.join(UVR_FOLDER);
    let configurations = of_uvr.join(UVR_SETTINGS);
    let in_folder = |folder: &Path, name: &str| {
        let name = name.to_lowercase();
        settings
            .iter()
            .find(|one| one.parent() == Some(folder) && stem(one) == name)
    };
    let own = stem(model);
    let by_uvr = || {
        let tables = [format!("{}.json", of.digest), UVR_TABLE.to_owned()];
        let mut names = tables
            .iter()
            .filter_map(|table| named_in(&of_uvr.join(table), &of.digest));
        names.find_map(|name| in_folder(&configurations, &name))
    };
    let known = of.name.as_deref();
    in_folder(folder, &own)
        .or_else(by_uvr)
        .or_else(|| known.and_then(|name| in_folder(folder, name)))
        .or_else(|| known.and_then(|name| in_folder(&configurations, name)))
        .or_else(|| in_folder(&configurations, &own))
        .or_else(|| only_beside(model, models, settings))
}

/// The only settings beside the only weights of a folder.
fn only_beside<'w>(
    model: &Path,
    models: &[PathBuf],
    settings: &'w [PathBuf],
) -> Option<&'w PathBuf> {
    let is_beside = |one: &&PathBuf| one.parent() == model.parent();
    let is_of_weights = |one: &&PathBuf| {
        let ending = one.extension().unwrap_or_default().to_string_lossy();
        WEIGHTS.contains(&ending.to_lowercase().as_str())
    };
    let weights = models.iter().filter(is_beside).filter(is_of_weights);
    let mut beside = settings.iter().filter(is_beside);
    let first = beside.next()?;
    (weights.count() == 1 && beside.next().is_none()).then_some(first)
}

/// The name, without its ending, of the settings that a table of UVR's has for a digest: the whole table is of it, or an entry is.
fn named_in(table: &Path, digest: &str) -> Option<String> {
    let mut text = String::new();
    let file = File::open(table).ok()?;
    file.take(MAX_TABLE_BYTES).read_to_string(&mut text).ok()?;
    let table: Value = serde_json::from_str(&text).ok()?;
    let entry = table.get(digest).unwrap_or(&table);
    let name = Path::new(entry.get("config_yaml")?.as_str()?);
    Some(name.file_stem()?.to_string_lossy().into_owned())
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().to_lowercase()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn settings_are_those_of_the_name_or_those_that_uvr_uses() {
        let place = tempfile::tempdir().expect("a folder");
        let uvr = place.path().join("MDX_Net_Models");
        let data = uvr.join(UVR_FOLDER);
        fs::create_dir_all(data.join(UVR_SETTINGS)).expect("made");
        let write = |name: &str, text: &str| fs::write(data.join(name), text).expect("written");
        write(
            UVR_TABLE,
            r#"{"aa": {"config_yaml": "tabled.yaml"}, "bb": {"compensate": 1.0}, "ee": {"config_yaml": "../x/far.yaml"}}"#,
        );
        write(
            "cc.json",
            r#"{"config_yaml": "chosen.yaml", "is_roformer": true}"#,
        );
        write("dd.json", "[");
        let paths = |names: &[&str]| -> Vec<PathBuf> {
            names.iter().map(|name| place.path().join(name)).collect()
        };
        let models = paths(&[
            "MDX_Net_Models/one.ckpt",
            "MDX_Net_Models/two.ckpt",
            "alone/model.ckpt",
            "both/a.ckpt",
            "both/b.ckpt",
            "beside/Vocals.ckpt",
        ]);
        let configs = "MDX_Net_Models/model_data/mdx_c_configs";
        let settings = paths(&[
            &format!("{configs}/tabled.yaml"),
            &format!("{configs}/chosen.yaml"),
            &format!("{configs}/known.yaml"),
            &format!("{configs}/two.yaml"),
            &format!("{configs}/far.yaml"),
            "alone/config_vocals.yaml",
            "both/config.yaml",
            "beside/vocals.YML",
            "beside/known.yaml",
        ]);
        let found = |model: usize, digest: &str, name: Option<&str>| {
            let of = SettingsOf {
                digest: digest.to_owned(),
                name: name.map(str::to_owned),
            };
            let found = settings_of(&models[model], &of, &models, &settings);
            found.map(|found| {
                settings
                    .iter()
                    .position(|one| one == found)
                    .expect("one of them")
            })
        };
        assert_eq!(found(0, "aa", None), Some(0));
        assert_eq!(found(0, "bb", None), None);
        assert_eq!(found(0, "cc", Some("known")), Some(1));
        assert_eq!(found(0, "dd", Some("known")), Some(2));
        assert_eq!(found(0, "ff", None), None);
        // Names in tables lead to no other folder.
        assert_eq!(found(0, "ee", None), Some(4));
        assert_eq!(found(1, "ff", None), Some(3));
        assert_eq!(found(2, "aa", None), Some(5));
        assert_eq!(found(3, "aa", None), None);
        assert_eq!(found(5, "aa", Some("known")), Some(7));
    }
}
