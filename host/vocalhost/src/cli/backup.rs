use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::actor::actor;
use super::database::with_existing_store;
use super::output::print_json;
use super::runtime::runtime;
use super::{Chosen, CliError};
use crate::app::database_address;
use crate::backup::{Backup, Manifest, Restore, Way};
use vocalhost_api::v1::timestamp;
use vocalhost_config::Settings;
use vocalhost_store::Store;
use vocalhost_system::clock;

/// `vocalhost backup`.
#[derive(Debug, Args)]
pub struct BackupArguments {
    /// The folder that the backup goes to; it must be empty or not there.
    folder: PathBuf,
    /// Copy every file. Without it files become hard links where the file system has them, which take up no room, but lie
    /// on the same disk.
    #[arg(long)]
    copy: bool,
    /// Say what was done in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// `vocalhost restore`.
#[derive(Debug, Args)]
pub struct RestoreArguments {
    /// The folder with the backup.
    folder: PathBuf,
    /// Say what was done in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Makes a backup of the data folder in force; the server may be running.
pub fn back_up(arguments: &BackupArguments) -> Result<(), CliError> {
    let settings = arguments.chosen.load()?.settings;
    refuse_server(&settings, "pg_dump")?;
    let way = if arguments.copy { Way::Copy } else { Way::Link };
    let list = with_existing_store(&arguments.chosen, async |store| {
        let backup = Backup::begin(&settings.data_dir, &arguments.folder, way)?;
        let backup = backup.without_files_in(settings.files.clone());
        store.snapshot_to(&backup.database()).await?;
        let now_us = clock::now_us();
        let made_by = (env!("CARGO_PKG_VERSION"), Store::schema());
        let list = backup.finish(made_by, now_us, progress)?;
        let target = arguments.folder.display().to_string();
        store
            .note(&actor(), ("backup", &target), "ok", now_us)
            .await?;
        Ok(list)
    })?;
    tell(&list, arguments.json);
    Ok(())
}

/// Puts a backup into the data folder in force, which must be empty.
pub fn restore(arguments: &RestoreArguments) -> Result<(), CliError> {
    let settings = arguments.chosen.load()?.settings;
    refuse_server(&settings, "pg_restore")?;
    let restore = Restore::begin(&arguments.folder, &settings.data_dir, Store::schema())?;
    restore.goes_with(settings.files.as_deref())?;
    let list = restore.run(progress)?;
    crate::app::prepare_data_folder(&settings)?;
    runtime()?.block_on(async {
        // Brings an older schema up to date, and shows that the database opens.
        let store = Store::open(database_address(&settings)).await?;
        let target = arguments.folder.display().to_string();
        let noted = store
            .note(&actor(), ("restore", &target), "ok", clock::now_us())
            .await;
        store.close().await;
        noted
    })?;
    tell(&list, arguments.json);
    Ok(())
}

/// What a server keeps is not in the data folder.
fn refuse_server(settings: &Settings, program: &str) -> Result<(), CliError> {
    if settings.database.is_none() {
        return Ok(());
    }
    Err(CliError::WrongState(format!(
        "the database is on a PostgreSQL server (the setting `database`), which a backup of the data folder does not cover: use \
         PostgreSQL's own {program}, and keep the folder `files` or the versions of the bucket beside it"
    )))
}

fn tell(list: &Manifest, json: bool) {
    let bytes: u64 = list.files.iter().map(|file| file.bytes).sum();
    if json {
        let record: Value = json!({
            "madeAt": timestamp(list.made_at_us),
            "release": list.release,
            "schema": list.schema,
            "files": list.files.len(),
            "bytes": bytes,
            "notCovered": list.files_in,
        });
        print_json(&record);
    } else {
        say_line!("{} files, {bytes} bytes", list.files.len());
        if let Some(bucket) = &list.files_in {
            say_line!("not covered: the recordings, results and voices in {bucket}");
            say_line!("keep them by the bucket's own versions, for as long as the oldest backup");
        }
    }
}

/// On a terminal people see that it goes on.
fn progress(done: usize, count: usize) {
    let mut output = std::io::stderr();
    if output.is_terminal() {
        let end = if done == count { "\n" } else { "" };
        // Nobody needs it.
        let _ = write!(output, "\rchecked {done} of {count} files{end}");
    }
}
