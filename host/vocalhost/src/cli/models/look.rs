use clap::Args;
use serde_json::Value;

use super::import::ModelArguments;
use super::library::{Opened, look_at_library};
use super::taking::unless_interrupted;
use super::told::{in_json, print_found};
use super::{Chosen, CliError};
use crate::cli::output::print_json;
use vocalhost_api::v1::{admin_models, admin_packages};
use vocalhost_model::{Catalog, Package};
use vocalhost_system::clock;

/// `vocalhost models check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Looks at a model as an import does, tries it out, says what was found, and keeps nothing.
pub fn check(arguments: &CheckArguments) -> Result<(), CliError> {
    let model = &arguments.model;
    let files = model.files()?;
    let findings = look_at_library(&arguments.chosen, async |opened| {
        let looked = opened
            .library
            .check(files, model.answers(), clock::now_us());
        let looked = unless_interrupted(looked).await?;
        looked.map_err(|error| model.fail(error, arguments.json))
    })?;
    if arguments.json {
        print_json(&in_json(&findings));
    } else {
        print_found(&findings);
        say_line!(
            "a model of the kind {}, family {}, which can be imported",
            findings.kind.as_str(),
            findings.family
        );
    }
    Ok(())
}

/// Which model.
#[derive(Debug, Args)]
pub struct OneModel {
    /// The number of a voice, or the id of a package.
    id: String,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

impl OneModel {
    /// The number or id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether to say it in JSON.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Which settings are in force.
    pub fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    /// The error of a name that no usable model has.
    pub fn missing(&self) -> CliError {
        CliError::Missing(format!(
            "usable model {}: a voice goes by its number (`models voices`), a package by its id (`models list`)",
            self.id
        ))
    }

    /// The number, if it is one: ids of packages have letters.
    pub fn number(&self) -> Option<i64> {
        self.id.parse().ok()
    }
}

/// Shows all there is to know of a model.
pub fn show(one: &OneModel) -> Result<(), CliError> {
    let record = look_at_library(&one.chosen, async |opened| {
        if let Some(number) = one.number() {
            return voice(opened, number).await;
        }
        let models = opened.library.known();
        let named = one.chosen.load()?.settings.separators;
        let package = models.find(&one.id);
        let package = package.map(|package| package_record(&models, &named, package));
        package.ok_or_else(|| one.missing())
    })?;
    if one.json {
        print_json(&record);
        return Ok(());
    }
    print_fields(&record, "");
    Ok(())
}

/// The fields of a record, a line each, those of a record inside it under its name.
fn print_fields(record: &Value, indent: &str) {
    for (name, value) in record.as_object().into_iter().flatten() {
        match value {
            Value::Null => {}
            Value::String(text) => say_line!("{indent}{name:<14} {text}"),
            Value::Object(_) => {
                say_line!("{indent}{name}");
                print_fields(value, &format!("{indent}  "));
            }
            other => say_line!("{indent}{name:<14} {other}"),
        }
    }
}

async fn voice(opened: &Opened, number: i64) -> Result<Value, CliError> {
    let listed = opened.store.listed_model(number).await?;
    let mut listed = listed.ok_or_else(|| CliError::Missing(format!("voice {number}")))?;
    let library = &opened.library;
    library
        .look_at_voices(std::slice::from_mut(&mut listed))
        .await?;
    let mut record = admin_models::record(&listed);
    let models = library.known();
    if let Some(package) = models.find(&listed.voice.package_id) {
        record["package"] = package_record(&models, &[], package);
    } else if let Ok(manifest) = library.manifest(&listed.voice).await {
        record["package"] = admin_packages::record(&manifest, None);
        let files = manifest.files.keys().cloned().collect::<Vec<_>>();
        record["package"]["files"] = files.into();
    }
    Ok(record)
}

/// The record of a package with its folder, whether it is whole, and what jobs use it for where separators are `named` by the
/// settings.
pub fn package_record(models: &Catalog, named: &[String], package: &Package) -> Value {
    let manifest = package.manifest();
    let fault = package.verify().err().map(|error| error.to_string());
    let mut record = admin_packages::record(manifest, models.used_for(package, named));
    record["id"] = manifest.id.clone().into();
    record["files"] = manifest.files.keys().cloned().collect::<Vec<_>>().into();
    record["folder"] = package.folder().display().to_string().into();
    record["isUsable"] = fault.is_none().into();
    record["fault"] = fault.into();
    record
}
