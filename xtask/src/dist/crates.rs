//! The crates that a release is made of, as cargo knows them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::cargo::cargo;
use crate::folders::root;
use crate::process::capture;

/// What the lock file says of a crate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Locked {
    pub name: String,
    pub version: String,
    /// The SHA-256 of its archive; crates of this repository have none.
    pub checksum: Option<String>,
    /// Its dependencies as the file names them: a name, with the version where there are several.
    pub dependencies: Vec<String>,
}

impl Locked {
    /// Whether it comes from the registry.
    pub fn is_others(&self) -> bool {
        self.checksum.is_some()
    }
}

/// What a crate says of itself.
#[derive(Debug, Clone)]
pub struct Described {
    pub licence: Option<String>,
    pub repository: Option<String>,
    pub authors: Vec<String>,
    /// Its folder.
    pub folder: PathBuf,
}

/// A name and a version.
pub type Id = (String, String);

/// The crates of the repository and of all that it is built, tested and measured with.
pub struct Crates {
    pub locked: Vec<Locked>,
    pub described: BTreeMap<Id, Described>,
    /// Those that are in the program.
    pub linked: BTreeSet<Id>,
}

impl Crates {
    /// Asks cargo, which fetches what is missing.
    pub fn ask() -> Result<Self> {
        let lock = std::fs::read_to_string(root().join("Cargo.lock")).context("no Cargo.lock")?;
        let everything = metadata(&[])?;
        let host = host()?;
        let of_this_system = metadata(&["--filter-platform", &host])?;
        Ok(Self {
            locked: locked(&lock)?,
            described: described(&everything)?,
            linked: linked(&of_this_system)?,
        })
    }

    pub fn describe(&self, one: &Locked) -> Option<&Described> {
        let id = (one.name.clone(), one.version.clone());
        self.described.get(&id)
    }

    pub fn is_linked(&self, one: &Locked) -> bool {
        let id = (one.name.clone(), one.version.clone());
        self.linked.contains(&id)
    }
}

/// The platform that is built for.
fn host() -> Result<String> {
    let told = capture(std::process::Command::new("rustc").arg("-vV"))?.context("no rustc")?;
    let told = String::from_utf8(told.stdout)?;
    let line = told.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("rustc names its platform")?.to_owned())
}

fn metadata(more: &[&str]) -> Result<Value> {
    let mut command = cargo();
    command.args(["metadata", "--locked", "--format-version", "1"]);
    let told = capture(command.args(more))?.context("no cargo")?;
    if !told.status.success() {
        bail!("{}", String::from_utf8_lossy(&told.stderr).trim());
    }
    Ok(serde_json::from_slice(&told.stdout)?)
}

/// The crates that a lock file lists.
pub fn locked(lock: &str) -> Result<Vec<Locked>> {
    let lock: toml::Table = toml::from_str(lock).context("Cargo.lock is not understood")?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let packages = packages.context("Cargo.lock lists nothing")?;
    packages
        .iter()
        .map(|package| {
            let text = |key: &str| package.get(key)?.as_str().map(str::to_owned);
            let dependencies = package.get("dependencies").and_then(|list| list.as_array());
            let dependencies = dependencies.into_iter().flatten();
            Ok(Locked {
                name: text("name").context("a crate without a name")?,
                version: text("version").context("a crate without a version")?,
                checksum: text("checksum"),
                dependencies: dependencies
                    .filter_map(|one| one.as_str().map(str::to_owned))
                    .collect(),
            })
        })
        .collect()
}

fn packages(metadata: &Value) -> Result<&Vec<Value>> {
    metadata["packages"]
        .as_array()
        .context("cargo lists packages")
}

fn id(package: &Value) -> Option<Id> {
    let text = |key: &str| package[key].as_str().map(str::to_owned);
    Some((text("name")?, text("version")?))
}

fn described(metadata: &Value) -> Result<BTreeMap<Id, Described>> {
    let text = |package: &Value, key: &str| package[key].as_str().map(str::to_owned);
    let packages = packages(metadata)?.iter().filter_map(|package| {
        let manifest = PathBuf::from(text(package, "manifest_path")?);
        let authors = package["authors"].as_array().into_iter().flatten();
        let described = Described {
            licence: text(package, "license").map(|licence| spdx(&licence)),
            repository: text(package, "repository"),
            authors: authors
                .filter_map(|one| one.as_str().map(str::to_owned))
                .collect(),
            folder: manifest.parent()?.to_owned(),
        };
        Some((id(package)?, described))
    });
    Ok(packages.collect())
}

/// An expression as SPDX has it today: crates once put a slash between licences to choose from.
fn spdx(licence: &str) -> String {
    if licence == "LGPL-3.0" {
        return "LGPL-3.0-only".to_owned();
    }
    let parts: Vec<&str> = licence.split('/').map(str::trim).collect();
    parts.join(" OR ")
}

/// The crates that the program is linked from: those that it and the built-in effects need, and what these need in turn, without what
/// only builds or tests them.
fn linked(metadata: &Value) -> Result<BTreeSet<Id>> {
    let names: BTreeMap<&str, &Value> = packages(metadata)?
        .iter()
        .filter_map(|package| Some((package["id"].as_str()?, package)))
        .collect();
    let nodes = metadata["resolve"]["nodes"].as_array();
    let nodes: BTreeMap<&str, &Value> = nodes
        .context("cargo resolves dependencies")?
        .iter()
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .collect();
    let effects = root().join("plugins");
    let is_root = |package: &Value| {
        let folder = package["manifest_path"].as_str().map(PathBuf::from);
        let is_effect = folder.is_some_and(|folder| {
            folder.starts_with(&effects) && !folder.starts_with(effects.join("compare"))
        });
        package["name"] == "vocalhost" || is_effect
    };
    let roots = names.iter().filter(|(_, package)| is_root(package));
    let mut waiting: Vec<&str> = roots.map(|(id, _)| *id).collect();
    let mut seen: BTreeSet<&str> = waiting.iter().copied().collect();
    while let Some(next) = waiting.pop() {
        let dependencies = nodes.get(next).and_then(|node| node["deps"].as_array());
        for dependency in dependencies.into_iter().flatten() {
            let kinds = dependency["dep_kinds"].as_array();
            let is_normal = kinds.is_some_and(|all| all.iter().any(|one| one["kind"].is_null()));
            if let Some(id) = dependency["pkg"].as_str().filter(|_| is_normal)
                && seen.insert(id)
            {
                waiting.push(id);
            }
        }
    }
    Ok(seen.iter().filter_map(|one| id(names.get(one)?)).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_only_builds_or_tests_the_program_is_not_in_it() {
        let package = |name: &str| json!({ "id": name, "name": name, "version": "1.0.0", "manifest_path": format!("/x/{name}/Cargo.toml") });
        let needs = |on: &str, kind: Value| json!({ "pkg": on, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": (["vocalhost", "a", "b", "c", "d"].map(package)),
            "resolve": { "nodes": [
                { "id": "vocalhost", "deps": [needs("a", Value::Null), needs("b", json!("dev"))] },
                { "id": "a", "deps": [needs("c", Value::Null), needs("d", json!("build"))] },
                { "id": "c", "deps": [needs("a", Value::Null)] },
            ] },
        });
        let linked = linked(&metadata).expect("it is understood");
        let names: Vec<&str> = linked.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "c", "vocalhost"]);
    }

    #[test]
    fn licences_are_written_as_expressions() {
        assert_eq!(spdx("MIT/Apache-2.0"), "MIT OR Apache-2.0");
        assert_eq!(spdx("Apache-2.0 / MIT"), "Apache-2.0 OR MIT");
        assert_eq!(
            spdx("(MIT OR Apache-2.0) AND Unicode-3.0"),
            "(MIT OR Apache-2.0) AND Unicode-3.0"
        );
        assert_eq!(spdx("LGPL-3.0"), "LGPL-3.0-only");
    }
}
