//! What a release is made of, for programs: a bill of materials as `CycloneDX` 1.5 has it (ECMA-424 is a later one of the line).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use super::archive::{paths, sha256};
use super::crates::{Crates, Locked};
use super::models::Model;

/// A library that is no crate.
pub struct Library {
    pub name: &'static str,
    pub version: &'static str,
    /// An SPDX expression.
    pub licence: &'static str,
    pub purl: String,
    pub file: PathBuf,
}

/// Writes the bill. `program` is the file that it is about.
pub fn write(
    version: &str,
    program: &Path,
    crates: &Crates,
    libraries: &[Library],
    models: &[Model],
) -> Result<Value> {
    let mut components: Vec<Value> = crates
        .locked
        .iter()
        .filter(|one| one.name != "vocalhost")
        .map(|one| of_crate(one, crates))
        .collect();
    for library in libraries {
        components.push(json!({
            "type": "library",
            "bom-ref": library.purl,
            "name": library.name,
            "version": library.version,
            "scope": "required",
            "hashes": [{ "alg": "SHA-256", "content": sha256(&library.file)? }],
            "licenses": [{ "expression": library.licence }],
            "purl": library.purl,
        }));
    }
    for model in models {
        components.push(of_model(model)?);
    }
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": reference(&crates.locked, "vocalhost"),
                "name": "vocalhost",
                "version": version,
                "hashes": [{ "alg": "SHA-256", "content": sha256(program)? }],
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
        },
        "components": components,
        "dependencies": dependencies(&crates.locked, libraries, models),
    }))
}

fn of_crate(one: &Locked, crates: &Crates) -> Value {
    let purl = purl(one);
    // What tests, builds or other systems need is listed, and said to be outside.
    let scope = if crates.is_linked(one) {
        "required"
    } else {
        "excluded"
    };
    let mut component = json!({
        "type": "library",
        "bom-ref": purl,
        "name": one.name,
        "version": one.version,
        "scope": scope,
    });
    if let Some(checksum) = &one.checksum {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    let described = crates.describe(one);
    if let Some(licence) = described.and_then(|described| described.licence.as_ref()) {
        component["licenses"] = json!([{ "expression": licence }]);
    }
    component["purl"] = json!(purl);
    component
}

fn of_model(model: &Model) -> Result<Value> {
    let mut files = Vec::new();
    for path in paths(&model.folder)? {
        let file = model.folder.join(&path);
        if file.is_file() {
            files.push(json!({
                "type": "file",
                "name": format!("models/{}/{}", model.id, path.display()),
                "hashes": [{ "alg": "SHA-256", "content": sha256(&file)? }],
            }));
        }
    }
    Ok(json!({
        "type": "machine-learning-model",
        "bom-ref": model.id,
        "name": model.id,
        "version": model.version,
        "description": model.name,
        "scope": "required",
        "licenses": licences(&model.licence),
        "copyright": model.attribution,
        "components": files,
    }))
}

/// A name that is no SPDX licence stands as a name.
fn licences(licence: &str) -> Value {
    if licence.contains("LicenseRef-") {
        json!([{ "license": { "name": licence } }])
    } else {
        json!([{ "expression": licence }])
    }
}

fn purl(one: &Locked) -> String {
    format!("pkg:cargo/{}@{}", one.name, one.version)
}

fn reference(locked: &[Locked], name: &str) -> String {
    let found = locked.iter().find(|one| one.name == name);
    found.map_or_else(|| name.to_owned(), purl)
}

fn dependencies(locked: &[Locked], libraries: &[Library], models: &[Model]) -> Vec<Value> {
    let mut by_name: BTreeMap<&str, Vec<&Locked>> = BTreeMap::new();
    for one in locked {
        by_name.entry(&one.name).or_default().push(one);
    }
    let of = |one: &Locked| {
        let needed = one.dependencies.iter().filter_map(|words| {
            let mut words = words.split(' ');
            let found = by_name.get(words.next()?)?;
            let version = words.next();
            let exact = found
                .iter()
                .find(|one| version.is_none_or(|v| v == one.version));
            exact.map(|one| purl(one))
        });
        let mut needed: Vec<String> = needed.collect();
        if one.name == "vocalhost" {
            needed.extend(libraries.iter().map(|library| library.purl.clone()));
            needed.extend(models.iter().map(|model| model.id.clone()));
        }
        json!({ "ref": purl(one), "dependsOn": needed })
    };
    locked.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::super::crates::locked;
    use super::*;

    #[test]
    fn every_locked_crate_is_listed_with_its_checksum_and_what_it_needs() {
        let lock = std::fs::read_to_string(crate::folders::root().join("Cargo.lock"))
            .expect("a lock file");
        let crates = Crates {
            locked: locked(&lock).expect("it is understood"),
            described: BTreeMap::new(),
            linked: BTreeSet::new(),
        };
        let models =
            super::super::models::all(&crate::folders::root().join("models")).expect("models");
        let program = tempfile::NamedTempFile::new().expect("a file");
        let library = Library {
            name: "library",
            version: "1.0",
            licence: "MIT",
            purl: "pkg:generic/library@1.0".to_owned(),
            file: program.path().to_owned(),
        };
        let bill =
            write("0.1.0", program.path(), &crates, &[library], &models).expect("it is made");
        let components = bill["components"].as_array().expect("a list");
        let purls: BTreeSet<&str> = components
            .iter()
            .filter_map(|one| one["purl"].as_str())
            .collect();
        // Counted in the text, independently of the reader that the bill was made with.
        let listed = lock.matches("[[package]]").count();
        assert!(listed > 500, "{listed}");
        // All but the program itself, and the library.
        assert_eq!(purls.len(), listed);
        let sha2 = components
            .iter()
            .find(|one| one["name"] == "sha2" && one["hashes"].is_array());
        let checksum = sha2.expect("it is there")["hashes"][0]["content"].as_str();
        assert!(lock.contains(&format!("checksum = \"{}\"", checksum.expect("a text"))));

        let mut known = purls;
        let about = bill["metadata"]["component"]["bom-ref"]
            .as_str()
            .expect("a name");
        known.insert(about);
        known.extend(components.iter().filter_map(|one| one["bom-ref"].as_str()));
        let needs = bill["dependencies"].as_array().expect("a list");
        let links = needs
            .iter()
            .flat_map(|one| one["dependsOn"].as_array().expect("a list"));
        let mut count = 0;
        for link in links {
            assert!(known.contains(link.as_str().expect("a name")), "{link}");
            count += 1;
        }
        assert!(count > 1_000, "{count}");
        let of_the_program = needs
            .iter()
            .find(|one| one["ref"] == about)
            .expect("it is there");
        let of_the_program = of_the_program["dependsOn"].as_array().expect("a list");
        assert!(of_the_program.contains(&json!("vocalhost.content-5")));
    }
}
