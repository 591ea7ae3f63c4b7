//! Bags of Demucs: a text that names several models, whose files lie beside it. Together they are one model.

use std::path::{Path, PathBuf};

/// What the files of such models end in.
const MODEL: &str = "th";

/// Texts that may be bags: those beside files of Demucs.
pub fn may_be<'w>(settings: &'w [PathBuf], models: &[PathBuf]) -> Vec<&'w PathBuf> {
    let has_models = |text: &&PathBuf| {
        let mut beside = models
            .iter()
            .filter(|model| model.parent() == text.parent());
        beside.any(|model| is_of_demucs(model))
    };
    settings.iter().filter(has_models).collect()
}

/// The files of a bag's models, which lie beside it under these names, alone or with a checksum behind; or the first name that no file has,
/// or that several have.
pub fn files_of<'w>(
    bag: &Path,
    names: &[String],
    models: &'w [PathBuf],
) -> Result<Vec<&'w PathBuf>, String> {
    let named = names.iter().map(|name| {
        let is_it = |model: &&PathBuf| {
            let stem = model.file_stem().unwrap_or_default().to_string_lossy();
            let rest = stem.strip_prefix(name.as_str());
            model.parent() == bag.parent()
                && is_of_demucs(model)
                && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let mut found = models.iter().filter(is_it);
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one),
            _ => Err(name.clone()),
        }
    });
    named.collect()
}

fn is_of_demucs(model: &Path) -> bool {
    let ending = model.extension().unwrap_or_default();
    ending.eq_ignore_ascii_case(MODEL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_of_a_bag_lie_beside_it_under_their_names() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let models = paths(&[
            "repo/f7e0c4bc-ba3fe64a.th",
            "repo/d12395a8.TH",
            "repo/d12395a8b-1.th",
            "repo/aa-1.th",
            "repo/aa-2.th",
            "other/92cfc3b6-1.th",
            "voices/Anna.pth",
        ]);
        let settings = paths(&["repo/tuned.yaml", "voices/config.yaml"]);
        assert_eq!(may_be(&settings, &models), [&settings[0]]);
        let files = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            files_of(&settings[0], &names, &models)
        };
        assert_eq!(
            files(&["d12395a8", "f7e0c4bc"]),
            Ok(vec![&models[1], &models[0]])
        );
        assert_eq!(files(&["f7e0c4bc", "92cfc3b6"]), Err("92cfc3b6".to_owned()));
        assert_eq!(files(&["aa"]), Err("aa".to_owned()));
    }
}
