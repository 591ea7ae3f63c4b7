use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::actor::actor;
use super::database::require_database;
use super::output::print_json;
use super::progress::Progress;
use super::runtime::runtime;
use super::{Chosen, CliError};
use crate::app::{AppError, bring_signing_key, database_address, file_store};
use crate::moving::{self, Begun, MovedFiles, MovingError, move_files};
use vocalhost_config::{SettingFlags, Settings, load};
use vocalhost_files::FileStore;
use vocalhost_store::{MovedTable, Store};
use vocalhost_system::{clock, token};
use vocalhost_work::scheduler::FolderLock;

/// `vocalhost migrate-store`.
#[derive(Debug, Args)]
pub struct MigrateStoreArguments {
    /// File with the settings that are to be in force afterwards: `database`, `files` and what belongs to them, or neither of them to go
    /// back to the data folder.
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    /// Say what was moved in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// What came along.
#[derive(Default)]
struct Moved {
    tables: Option<Vec<MovedTable>>,
    files: Option<MovedFiles>,
}

/// Moves the database and the files of the installation in force to where other settings name them. No server may run.
pub fn run(arguments: &MigrateStoreArguments) -> Result<(), CliError> {
    let from = arguments.chosen.load()?.settings;
    require_database(&from)?;
    let to = settings_of(arguments, &from)?;
    let places = Begun {
        database: [&from, &to].map(|settings| database_address(settings).to_string()),
        files: [&from, &to].map(files_of),
    };
    if same(&places.database) && same(&places.files) {
        return Err(CliError::Usage(format!(
            "{} names the places that are in force: nothing is to be moved",
            arguments.to.display()
        )));
    }
    let _lock = FolderLock::take(&from.data_dir).map_err(AppError::from)?;
    let moved = runtime()?.block_on(between(&from, &to, &places))?;
    tell(arguments, &places, &moved);
    Ok(())
}

/// The settings that are to be in force. What else lies in the data folder stays in it, so both have the same.
fn settings_of(arguments: &MigrateStoreArguments, from: &Settings) -> Result<Settings, CliError> {
    // The environment is that of the settings in force.
    let to = load(Some(&arguments.to), &|_| None, &SettingFlags::default())?;
    let named = to.sources["data_dir"] != "default";
    if named && to.settings.data_dir != from.data_dir {
        return Err(CliError::Usage(format!(
            "`data_dir` is {} in {}, but {} now: both must be the same folder",
            to.settings.data_dir.display(),
            arguments.to.display(),
            from.data_dir.display()
        )));
    }
    Ok(Settings {
        data_dir: from.data_dir.clone(),
        ..to.settings
    })
}

async fn between(from: &Settings, to: &Settings, places: &Begun) -> Result<Moved, CliError> {
    for settings in [from, to] {
        moving::require_idle(&database_address(settings)).await?;
    }
    let begun = places.is_noted(&from.data_dir)?;
    let source = Store::open(database_address(from)).await?;
    let mut moved = Moved::default();
    let target = if same(&places.database) {
        source.clone()
    } else {
        if to.database.is_some() {
            bring_signing_key(&from.data_dir, &source).await?;
        }
        let address = database_address(to);
        let (target, tables) = moving::open_target(&source, &address, begun).await?;
        moved.tables = tables;
        target
    };
    // Files first: rows never name what is not there.
    if !same(&places.files) {
        moved.files = Some(files_between(from, to, places, begun).await?);
    }
    if !same(&places.database) && moved.tables.is_none() {
        places.note(&from.data_dir)?;
        let copied = source.copy_rows_to(&target, |_| {}).await;
        moved.tables = Some(copied.map_err(MovingError::from)?);
    }
    Begun::forget(&from.data_dir)?;
    let what = format!("{} {}", places.database[1], places.files[1]);
    target
        .note(&actor(), ("migrateStore", &what), "ok", clock::now_us())
        .await?;
    source.close().await;
    target.close().await;
    Ok(moved)
}

async fn files_between(
    from: &Settings,
    to: &Settings,
    places: &Begun,
    begun: bool,
) -> Result<MovedFiles, CliError> {
    let (source, target) = (usable(from).await?, usable(to).await?);
    if !begun && let Some(key) = target.all().await?.keys().next() {
        let what = format!("{}, which has {key},", places.files[1]);
        return Err(MovingError::Used(what).into());
    }
    places.note(&from.data_dir)?;
    let failed = |source| CliError::System {
        what: "cannot make a folder for copies in the data folder",
        source,
    };
    // Where a server clears away what was left.
    crate::app::prepare_data_folder(from)?;
    let scratch = tempfile::tempdir_in(from.uploads_path()).map_err(failed)?;
    let mut progress = Progress::new();
    let stores = (&source.patient(), &target.patient());
    let moved = move_files(stores, true, scratch.path(), |done, count| {
        progress.tell(done as f64 / count as f64);
    });
    Ok(moved.await?)
}

/// The file store of settings, which can be written.
async fn usable(settings: &Settings) -> Result<FileStore, CliError> {
    let files = file_store(settings)?;
    let name = token::draw().map_err(|source| CliError::System {
        what: "cannot draw a random name",
        source,
    })?;
    files.check(&name).await?;
    Ok(files)
}

/// Where files lie, in words that differ when the places do.
fn files_of(settings: &Settings) -> String {
    match (&settings.files, &settings.s3_endpoint) {
        (None, _) => settings.data_dir.join("files").display().to_string(),
        (Some(bucket), None) => bucket.clone(),
        (Some(bucket), Some(endpoint)) => format!("{bucket} at {endpoint}"),
    }
}

fn same(places: &[String; 2]) -> bool {
    places[0] == places[1]
}

fn tell(arguments: &MigrateStoreArguments, places: &Begun, moved: &Moved) {
    if arguments.json {
        let tables = moved.tables.as_ref().map(|tables| {
            let counts = tables
                .iter()
                .map(|table| (table.name.clone(), json!(table.rows)));
            counts.collect::<serde_json::Map<_, _>>()
        });
        let files = moved.files.map(
            |files| json!({ "copied": files.copied, "kept": files.kept, "bytes": files.bytes }),
        );
        print_json(&json!({ "tables": tables, "files": files }));
        return;
    }
    for table in moved.tables.iter().flatten().filter(|table| table.rows > 0) {
        say_line!("{table}");
    }
    if let Some(files) = moved.files {
        let (count, bytes) = (files.copied + files.kept, files.bytes);
        say_line!(
            "{count} files, {bytes} bytes, {} of them copied before",
            files.kept
        );
    }
    say_line!("use {} from now on", arguments.to.display());
    let places = [&places.database, &places.files];
    for [old, _] in places.into_iter().filter(|places| !same(places)) {
        say_line!("{old} is left as it was: delete it when nothing is missed");
    }
}
