use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use clap::Args;

use super::job::{order_of, work};
use super::places::check_recording;
use super::result::{put, tell};
use super::wishes::{Wishes, given, refused};
use crate::cli::{CliError, scratch};
use vocalhost_api::v1::here;
use vocalhost_job::{FileRole, JobSpec};

/// `vocalhost split`.
#[derive(Debug, Args)]
pub struct SplitArguments {
    /// Recording: wav, mp3, flac or webm.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Folder for the stems, made when it is not there; files of their names are written over.
    #[arg(value_name = "FOLDER")]
    output: PathBuf,
    /// Which stems: vocals, drums, bass, other and backing, with commas between; all without it.
    #[arg(long, value_name = "NAMES")]
    stems: Option<String>,
    #[command(flatten)]
    wishes: Wishes,
}

/// Splits a recording into its instruments here and now.
pub fn run(arguments: &SplitArguments) -> Result<(), CliError> {
    let wishes = &arguments.wishes;
    check_recording(&arguments.input)?;
    let output = &arguments.output;
    if output.exists() && !output.is_dir() {
        let what = format!("{} is no folder: name another place", output.display());
        return Err(CliError::WrongState(what));
    }
    let settings = wishes.chosen.load()?.settings;
    let fields = given([("stems", arguments.stems.clone())]);
    let fields = [fields, wishes.fields(None)].concat();
    let effects = wishes.effects()?;
    let spec = here::split(fields, &effects).map_err(|mistakes| refused(&mistakes))?;
    let wanted: Vec<FileRole> = match &spec.stems {
        Some(stems) => stems.iter().map(|stem| FileRole::Stem(*stem)).collect(),
        None => vocalhost_job::Stem::OF_SPLIT.map(FileRole::Stem).to_vec(),
    };
    let scratch = scratch::folder()?;
    let spec = JobSpec::StemSplit(spec);
    let order = order_of(wishes, spec, (&arguments.input, scratch.path()))?;
    let result = work(&settings, wishes.threads, &order)?;
    let no_folder = CliError::of_file("cannot make the folder", output);
    fs::create_dir_all(output).map_err(no_folder)?;
    let (mut files, mut seen) = (Vec::new(), BTreeSet::new());
    for role in wanted {
        let file = result.files.iter().find(|file| file.role == role);
        let Some(file) = file.filter(|file| seen.insert(&file.key)) else {
            continue;
        };
        let target = output.join(&file.key);
        let from = (scratch.path(), &[arguments.input.as_path()][..]);
        put(from, &file.key, &target)?;
        files.push(target);
    }
    tell(wishes, &result, &files);
    Ok(())
}
