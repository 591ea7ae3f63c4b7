//! What an earlier release left on the disk, opened by this one, and what a later one left.

use std::fs;
use std::path::Path;

use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tempfile::TempDir;
use vocalhost_testing::repository;
use vocalhost_testing::server::{Server, vocalhost};

/// Keys of the folder's users, see its README.
const KEY: &str = "uoA9QwBJ.QRW9PSsOlhztfp5GUar7JkSIeIm4lVLKsoodrmGHYLs";
const KEY_OF_BERTA: &str = "AzwxG59Q.SwFjUKLEHADrD-xQXNEzXmyk03PJUww8Hv3jHLR5NFs";

/// The built-in reverb of that release.
const REVERB: &str = "6ca6a0bf8be18a66caaf9a92303447e2b70e7b97c04630eaec49e9549d20c51b";

/// The folder grows older, and what is in it must not go before it was looked at.
const KEEPING_ALL: [&str; 6] = [
    "--result-retention-s",
    "10000000000",
    "--input-retention-s",
    "10000000000",
    "--record-retention-s",
    "10000000000",
];

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the folder can be made");
    for entry in fs::read_dir(from).expect("it is readable") {
        let path = entry.expect("it is readable").path();
        let copy = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copied(&path, &copy);
        } else {
            fs::copy(&path, &copy).expect("there is room");
        }
    }
}

fn of_release_0_1_0() -> TempDir {
    let data = tempfile::tempdir().expect("a temporary folder");
    copied(&repository("tests/fixtures/data-0.1.0"), data.path());
    data
}

#[test]
fn a_data_folder_of_release_0_1_0_opens_with_its_results_and_its_jobs_are_done() {
    let data = of_release_0_1_0();
    let results = data.path().join("files/results/1");
    let folder = fs::read_dir(results).expect("it is there").next();
    let folder = folder.expect("one").expect("it is readable").path();
    let result = fs::read(folder.join("output.mp3")).expect("it is there");
    let server = Server::start_on(data, KEY, &KEEPING_ALL);

    let done = server.job(1);
    assert_eq!(done["status"], "success", "{done:#}");
    assert_eq!(done["model"]["title"], "Amber", "{done:#}");
    let link = done["outputFileUrl"].as_str().expect("a link");
    assert!(server.fetch(link) == result, "the very bytes");
    let pipelines = server.get("/pipelines");
    assert_eq!(pipelines["data"][0]["name"], "room", "{pipelines:#}");
    let webhooks = server.get("/webhooks");
    let address = &webhooks["data"][0]["url"];
    assert_eq!(address, "https://hooks.example.org/a", "{webhooks:#}");
    let me = server
        .anonymous(reqwest::Method::GET, &server.url("/me"))
        .bearer_auth(KEY_OF_BERTA)
        .send()
        .expect("the server answers");
    assert_eq!(me.status(), 200);

    // One was running when that server was killed, and one was waiting.
    for id in [2, 3] {
        let job = server.ended(id);
        assert_eq!(job["status"], "success", "{job:#}");
        assert_eq!(job["effects"][0]["digest"], REVERB, "{job:#}");
    }
}

#[tokio::test]
async fn a_release_that_is_older_than_the_data_says_so_and_touches_nothing() {
    let data = of_release_0_1_0();
    let file = data.path().join("vocalhost.sqlite");
    let options = SqliteConnectOptions::new().filename(&file);
    let mut connection = SqliteConnection::connect_with(&options)
        .await
        .expect("it opens");
    let later = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'of a later release', TRUE, x'00', 0)";
    sqlx::query(later)
        .execute(&mut connection)
        .await
        .expect("it can be written");
    connection.close().await.expect("it can be closed");
    let before = fs::read(&file).expect("it is there");

    let models = repository("models");
    let models = models.to_str().expect("a path of the repository is text");
    for command in [
        &["serve", "--listen", "127.0.0.1:0", "--models-dir", models][..],
        &["users", "list"],
        &["keys", "create", "--user", "admin"],
    ] {
        let refused = vocalhost(data.path(), command);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{command:?}: {said}");
        assert!(said.contains("schema version 9999"), "{command:?}: {said}");
        assert!(
            said.contains("run the newer release"),
            "{command:?}: {said}"
        );
    }
    assert!(fs::read(&file).expect("it is there") == before);
}
