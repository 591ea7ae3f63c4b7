//! The starter models of a release.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// What a package says of itself.
pub struct Model {
    pub id: String,
    pub name: String,
    pub version: String,
    pub licence: String,
    pub attribution: String,
    pub folder: PathBuf,
}

/// The packages below a folder, by their names.
pub fn all(folder: &Path) -> Result<Vec<Model>> {
    let mut models = Vec::new();
    for entry in fs::read_dir(folder).context("there are no models")? {
        let folder = entry?.path();
        let manifest = folder.join("package.toml");
        if manifest.is_file() {
            let text = fs::read_to_string(&manifest)?;
            let model = read(&text, folder.clone());
            models
                .push(model.with_context(|| format!("{} is not understood", manifest.display()))?);
        }
    }
    models.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(models)
}

fn read(manifest: &str, folder: PathBuf) -> Result<Model> {
    let manifest: toml::Table = toml::from_str(manifest)?;
    let text = |key: &str| {
        let value = manifest.get(key).and_then(toml::Value::as_str);
        value
            .map(str::to_owned)
            .with_context(|| format!("no {key}"))
    };
    Ok(Model {
        id: text("id")?,
        name: text("name")?,
        version: text("version")?,
        licence: text("license")?,
        attribution: text("attribution")?,
        folder,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_starter_model_says_what_it_is_and_under_which_licence() {
        let models = all(&crate::folders::root().join("models")).expect("they are there");
        assert!(models.len() > 10, "{}", models.len());
        for model in models {
            assert!(model.folder.join("NOTICE").is_file(), "{}", model.id);
            assert!(
                !model.licence.is_empty() && !model.attribution.is_empty(),
                "{}",
                model.id
            );
        }
    }
}
