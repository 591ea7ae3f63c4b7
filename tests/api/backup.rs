//! Backups of a running server, and what comes back of them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use super::harness::{Server, tone, vocalhost};

fn path(folder: &Path) -> &str {
    folder.to_str().expect("plain text")
}

fn fails(data: &Path, arguments: &[&str], reason: &str) {
    let output = vocalhost(data, arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(reason), "{said}");
}

#[test]
fn a_backup_of_a_running_server_serves_the_same_jobs_and_links() {
    let mut server = Server::start(&[]);
    let id = server.accepted(tone());
    let before = server.ended(id);
    let link = before["outputFileUrl"].as_str().expect("a link");
    let sound = server.fetch(link);
    let kept = tempfile::tempdir().expect("a temporary folder");
    for (name, flags) in [("links", &[][..]), ("copies", &["--copy"])] {
        let folder = kept.path().join(name);
        let arguments = [&["backup", path(&folder), "--json"][..], flags].concat();
        let output = vocalhost(server.data(), &arguments);
        assert!(output.status.success(), "{output:?}");
        let told: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        // The database, the key, the recording and two results at least.
        assert!(told["files"].as_u64() >= Some(5), "{told:#}");
        let mode = fs::metadata(&folder)
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
        fails(server.data(), &["backup", path(&folder)], "is not empty");
    }
    let inside = server.data().join("files/backup");
    fails(
        server.data(),
        &["backup", path(&inside)],
        "in the data folder",
    );
    assert!(!inside.exists());
    let backup = kept.path().join("copies");

    // What is there stays there.
    fails(server.data(), &["restore", path(&backup)], "is not empty");
    let target = kept.path().join("target");
    fails(&target, &["restore", path(kept.path())], "backup.json");

    // A database of a newer release, and one file that is damaged.
    let list = backup.join("backup.json");
    let text = fs::read_to_string(&list).expect("it can be read");
    let mut newer: Value = serde_json::from_str(&text).expect("it is JSON");
    newer["schema"] = Value::from(9_999);
    fs::write(&list, newer.to_string()).expect("it can be written");
    fails(&target, &["restore", path(&backup)], "newer");
    for strange in [
        "../outside",
        "/etc/passwd",
        "files/../../outside",
        "settings.toml",
    ] {
        let mut other: Value = serde_json::from_str(&text).expect("it is JSON");
        other["files"][0]["path"] = Value::from(strange);
        fs::write(&list, other.to_string()).expect("it can be written");
        fails(&target, &["restore", path(&backup)], "does not belong");
    }
    fs::write(&list, &text).expect("it can be written");
    let listed: Value = serde_json::from_str(&text).expect("it is JSON");
    let files = listed["files"].as_array().expect("a list");
    let result = files.iter().filter_map(|file| file["path"].as_str());
    let result = result
        .clone()
        .find(|path| path.ends_with("output.wav"))
        .expect("a result");
    let whole = fs::read(backup.join(result)).expect("it can be read");
    fs::write(backup.join(result), [0; 16]).expect("it can be written");
    fails(&target, &["restore", path(&backup)], "is damaged");
    let left = fs::read_dir(&target).map_or(0, Iterator::count);
    assert_eq!(left, 0, "nothing is left of a restore that failed");
    fs::write(backup.join(result), whole).expect("it can be written");

    // The disk is lost, and the backup takes its place.
    server.kill();
    let data = server.data().to_owned();
    // Compiled effects are no part of a backup: they are kept aside so that the start takes no longer.
    let compiled = kept.path().join("effect-cache");
    fs::rename(data.join("effect-cache"), &compiled).expect("it is there");
    for entry in fs::read_dir(&data).expect("it is there") {
        let entry = entry.expect("it can be read").path();
        let removed = if entry.is_dir() {
            fs::remove_dir_all(&entry)
        } else {
            fs::remove_file(&entry)
        };
        removed.expect("it can be removed");
    }
    let output = vocalhost(&data, &["restore", path(&backup)]);
    assert!(output.status.success(), "{output:?}");
    let _ = fs::remove_dir_all(data.join("effect-cache"));
    fs::rename(&compiled, data.join("effect-cache")).expect("the place is free");
    server.start_again();
    let after = server.job(id);
    assert_eq!(after["status"], "success");
    let (_, signed) = link.split_once("/files/").expect("a link");
    let old_link = format!("http://{}/api/v1/files/{signed}", server.address);
    assert_eq!(server.fetch(&old_link), sound);
    // Links into the lost folder are whole, too.
    let linked = kept.path().join("links").join(result);
    assert!(fs::metadata(linked).expect("it is there").len() > 16);
}

#[test]
fn every_command_refuses_the_database_of_a_newer_release() {
    let server = Server::start(&[]);
    let kept = tempfile::tempdir().expect("a temporary folder");
    let output = vocalhost(server.data(), &["backup", path(&kept.path().join("b"))]);
    assert!(output.status.success(), "{output:?}");
    let data = kept.path().join("b");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(data.join("vocalhost.sqlite"));
        let pool = sqlx::SqlitePool::connect_with(options).await.expect("it opens");
        let insert = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             VALUES (9999, 'from the future', TRUE, x'00', 0)";
        sqlx::query(insert).execute(&pool).await.expect("it can be written");
        pool.close().await;
    });
    for command in [
        &["keys", "list"][..],
        &["keys", "create", "--user", "ann"],
        &["users", "list"],
        &["jobs", "list"],
        &["audit", "list"],
        &["models", "voices"],
        &["effect", "list"],
        &["pipeline", "list"],
        &["backup", path(&kept.path().join("c"))],
        &["serve", "--listen", "127.0.0.1:0"],
    ] {
        fails(&data, command, "newer release");
    }
}
