use std::path::Path;

use super::error::AppError;
use vocalhost_config::Settings;
use vocalhost_sandbox::Sandbox;
use vocalhost_work::worker::walls;

/// Says once what of the walls around children this system lacks, and refuses to go on without them where they are required.
pub(super) async fn check(settings: &Settings, program: &Path) -> Result<(), AppError> {
    walls::choose(settings.sandbox);
    if settings.sandbox == Sandbox::Off {
        tracing::warn!(
            "the sandbox is off: whoever takes a worker over can read everything that the server can"
        );
        return Ok(());
    }
    let found = walls::check_in_child(program, &settings.uploads_path()).await;
    let missing: Vec<String> = match found {
        Ok(report) => report
            .missing()
            .map(|state| format!("its layer {} is missing: {}", state.layer, state.remark))
            .collect(),
        Err(reason) => vec![format!("it cannot be looked at: {reason}")],
    };
    match missing.first() {
        None => Ok(()),
        Some(first) if settings.sandbox == Sandbox::Required => {
            Err(AppError::Sandbox(first.clone()))
        }
        Some(_) => {
            tracing::warn!(missing = missing.join("; "), "the sandbox is not whole");
            Ok(())
        }
    }
}
