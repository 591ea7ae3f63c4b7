//! What came of a job: its files in their places, and what is told of it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::places::check_apart;
use super::wishes::Wishes;
use crate::cli::output::print_json;
use crate::cli::{CliError, warnings};
use vocalhost_job::JobResult;

/// Moves a file of a result to where it is wanted, over what is there, but not over a recording that it was made of.
pub(super) fn put(
    (scratch, recordings): (&Path, &[&Path]),
    name: &str,
    target: &Path,
) -> Result<(), CliError> {
    for recording in recordings {
        check_apart(recording, target)?;
    }
    let from = scratch.join(name);
    if fs::rename(&from, target).is_ok() {
        return Ok(());
    }
    // Another disk.
    let copied = fs::copy(&from, target).map(drop);
    copied.map_err(CliError::of_file("cannot write", target))
}

/// What a command says of a result as JSON.
fn record(result: &JobResult, files: &[PathBuf]) -> Value {
    json!({
        "files": files,
        "models": result.models,
        "provider": result.provider,
        "durationSeconds": result.duration_s,
        "gainDb": result.gain_db,
        "warnings": warnings::records(&result.warnings, &result.successions),
    })
}

/// Tells what came of a job.
pub(super) fn tell(wishes: &Wishes, result: &JobResult, files: &[PathBuf]) {
    warnings::warn(&result.warnings, &result.successions);
    if wishes.json {
        print_json(&record(result, files));
        return;
    }
    // What is no file, such as another program's input, has taken the sound itself.
    for file in files.iter().filter(|file| file.is_file()) {
        say_line!("{}", file.display());
    }
}
