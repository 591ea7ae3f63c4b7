use serde_json::Value;

use super::library::Opened;
use super::told::in_json;
use super::{Chosen, CliError};
use vocalhost_api::v1::admin_models::record;
use vocalhost_catalogues::library::Import;
use vocalhost_model::{Catalog, Package, Task};
use vocalhost_system::clock;

/// What is said of a model that was imported.
#[derive(Debug)]
pub struct Made {
    /// For programs.
    pub record: Value,
    /// For people, a line each.
    pub said: Vec<String>,
}

impl Made {
    /// What there is to say of a model that was just imported.
    pub async fn of(chosen: &Chosen, imported: &Import, opened: &Opened) -> Result<Self, CliError> {
        let findings = &imported.findings;
        let voice = match &imported.voice {
            Some(voice) => opened.store.listed_model(voice.id).await?,
            None => None,
        };
        let models = opened.library.current(clock::now_us()).await?;
        let named = chosen.load()?.settings.separators;
        let package = models.find(&findings.id);
        let used_for = package.and_then(|package| models.used_for(package, &named));
        let mut shown = in_json(findings);
        shown["voice"] = voice.as_ref().map(record).into();
        shown["usedFor"] = used_for.map(Task::as_str).into();
        let mut said = findings.found.clone();
        said.push(match voice {
            Some(voice) => format!("imported voice {} {}", voice.voice.id, voice.voice.title),
            None => format!("imported {}", findings.id),
        });
        if let Some(task) = used_for {
            let task = task.as_str();
            said.push(format!(
                "what separates {task} uses it from now on; the setting `separators` names another for that"
            ));
        } else if let Some((task, used)) =
            package.and_then(|new| in_its_place(&models, &named, new))
        {
            let task = task.as_str();
            said.push(format!(
                "what separates {task} goes on with {used}; the setting `separators` can name this one for that"
            ));
        }
        Ok(Self {
            record: shown,
            said,
        })
    }
}

/// The task of a separator, and the id of the one that jobs use for it.
fn in_its_place<'m>(
    models: &'m Catalog,
    named: &[String],
    new: &Package,
) -> Option<(Task, &'m str)> {
    let task = new.manifest().separator.as_ref()?.task;
    let used = models.separator(task, named)?;
    Some((task, &used.manifest().id))
}
