use std::sync::LazyLock;

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// Pairs of a file's name under `migrations/` without its ending, and what is in it. `sqlx::migrate!` would list them by itself,
/// and for that build half of sqlx and of `SQLite` once more for the compiler.
macro_rules! files {
    ($($name:literal,)*) => {
        &[$((
            $name,
            include_str!(concat!("../../../migrations/", $name, ".sql")),
        ),)*]
    };
}

/// The schema's history, oldest first.
const FILES: &[(&str, &str)] = files![
    "0001_users_voices_jobs",
    "0002_effects",
    "0003_pipelines",
    "0004_kinds",
    "0005_blended_voices",
    "0006_backing",
    "0007_idempotency",
    "0008_webhooks",
    "0009_users_usage_audit",
    "0010_resumable_uploads",
    "0011_imported_voices",
    "0013_backing_bytes",
    "0014_why_unusable",
    "0015_input_warnings",
    "0016_earlier_voices",
    "0017_console_sessions",
];

/// Brings a database's schema up to date.
pub static MIGRATOR: LazyLock<Migrator> = LazyLock::new(|| {
    let migrations = FILES.iter().filter_map(|(name, sql)| {
        let (version, words) = name.split_once('_')?;
        Some(Migration::new(
            version.parse().ok()?,
            words.replace('_', " ").into(),
            MigrationType::Simple,
            sql.into_sql_str(),
            false,
        ))
    });
    Migrator::with_migrations(migrations.collect())
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_there_with_its_number() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder")
            .filter_map(|entry| {
                let name = entry.expect("an entry").file_name();
                Some(name.to_str()?.strip_suffix(".sql")?.to_owned())
            })
            .collect();
        names.sort();
        let listed: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, listed);
        assert_eq!(MIGRATOR.iter().count(), FILES.len());
    }
}
