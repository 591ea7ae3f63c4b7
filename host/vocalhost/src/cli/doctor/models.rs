//! Which models there are.

use super::finding::Finding;
use crate::app::check_named;
use vocalhost_config::Settings;
use vocalhost_model::{Catalog, Task};

/// The model packages of the settings' folders and those that were imported for all.
pub fn look(settings: &Settings) -> Vec<Finding> {
    const CHECK: &str = "models";
    let folders = settings.model_folders();
    let models = Catalog::open(&folders).preferring(&settings.voice_parts);
    let mut findings = Vec::new();
    let missing = folders.iter().filter(|folder| !folder.is_dir());
    findings.extend(missing.map(|folder| {
        let text = format!("there is no folder {}", folder.display());
        Finding::warning(CHECK, text)
    }));
    findings.extend(models.rejected().iter().map(|(folder, error)| {
        let text = format!("{} cannot be used: {error}", folder.display());
        Finding::warning(CHECK, text)
    }));
    for voice in models.voices() {
        if let Err(lacking) = models.parts(voice.manifest()) {
            let text = format!(
                "the voice {} cannot be used: {lacking}",
                voice.manifest().id
            );
            findings.push(Finding::warning(CHECK, text));
        }
    }
    if let Err(reason) = check_named(&models, &settings.separators) {
        findings.push(Finding::problem("separators", reason));
    }
    for task in Task::NEEDED {
        if models.separator(task, &settings.separators).is_none() {
            let task = task.as_str();
            let text = format!("there is none for the task {task}: its jobs are refused");
            findings.push(Finding::warning("separators", text));
        }
    }
    let count = models.packages().len();
    let voices = models.voices().count();
    let text = format!("{count} packages, {voices} of them voices");
    findings.push(if voices == 0 {
        Finding::warning(
            CHECK,
            format!("{text}: nothing can be converted until one is imported"),
        )
    } else {
        Finding::fine(CHECK, text)
    });
    findings
}
