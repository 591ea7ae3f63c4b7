//! An installation that grows from a file and a folder to a database on a server and a bucket, and comes back.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use reqwest::Method;
use serde_json::Value;
use vocalhost_testing::poll;
use vocalhost_testing::process::program;
use vocalhost_testing::s3::Fault;
use vocalhost_testing::server::Server;
use vocalhost_testing::sound;

use super::node::{Node, surely};
use super::place::Place;

/// The command for moving a data folder to the settings in `to`.
fn moving(data: &Path, to: &Path) -> Command {
    let mut command = Command::new(program());
    command.args(["migrate-store", "--json", "--to"]).arg(to);
    command.arg("--data-dir").arg(data);
    command
}

/// What it says when it goes well.
fn moved(command: &mut Command) -> Value {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{}", said(&output));
    serde_json::from_slice(&output.stdout).expect("it is JSON")
}

/// Whether it is refused with these words.
fn refused(command: &mut Command, words: &str) {
    let output = command.output().expect("the program starts");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(said(&output).contains(words), "{}", said(&output));
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A server on a file and a folder that has done a job, stopped; and the record of that job.
fn at_home() -> (Server, Value) {
    let mut server = Server::start(&[]);
    let tone = sound::wav_of(1, 16_000, &sound::sung(0.5, 16_000, 220.0));
    let record = server.ended(server.accepted(tone));
    server.terminate();
    assert!(server.ended_well());
    (server, record)
}

#[test]
fn an_installation_moves_to_a_server_and_a_bucket_and_back() {
    let place = Place::new();
    let (mut server, record) = at_home();
    let data = server.data().to_owned();
    let job = format!("/voice-conversions/{}", record["id"]);

    // Not onto what is in use: a key was made there.
    let in_use = place.settings("in-use.toml", &place.postgres.address);
    refused(&mut moving(&data, &in_use), "is in use already");
    assert_eq!(place.s3.keys(), [""; 0]);

    let database = place.database("moved");
    let away = place.settings("away.toml", &database);
    // The first try is killed when the recording is there, and the result still on its way.
    place.s3.fail(|asked| {
        let late = asked.method == "PUT" && asked.path.contains("/results/");
        late.then_some(Fault::Stall(Duration::from_mins(2)))
    });
    let mut first = moving(&data, &away)
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    let recording = poll::until("the recording to arrive", || {
        let mut keys = place.s3.keys().into_iter();
        keys.find(|key| key.contains("/inputs/"))
    });
    first.kill().expect("it is at work");
    first.wait().expect("it was killed");
    place.s3.recover();
    // What lies there from it is looked at, not believed.
    place.s3.damage(&recording);
    let all = moved(&mut moving(&data, &away));
    let count = |name: &str| all["files"][name].as_u64().expect("a number");
    let keys = place.s3.keys();
    assert_eq!(count("copied") + count("kept"), keys.len() as u64, "{all}");
    let components = keys.iter().filter(|key| key.contains("/effects/"));
    assert!(count("kept") <= components.count() as u64, "{all}");
    assert_eq!(
        (&all["tables"]["jobs"], &all["tables"]["users"]),
        (&1.into(), &1.into()),
        "{all}"
    );
    assert!(!data.join("migrate-store.json").exists());
    // Once more it would be a move onto what is in use.
    refused(&mut moving(&data, &away), "is in use already");

    // A server goes on there, and what is new comes back with the rest.
    let node = Node::start(place.flags(&database));
    // A link that was signed before opens, although the data folder is another.
    let signed = record["model"]["demoUrl"].as_str().expect("a link");
    let (_, path) = signed.split_once("/api/").expect("a link of the server's");
    let opened = surely(|| node.request(Method::GET, &format!("/api/{path}")));
    assert_eq!(opened.status(), 200, "{signed}");
    let there = node.get_surely(&job, &server.key);
    let there: Value = there.json().expect("JSON");
    assert_eq!(there["status"], "success", "{there}");
    let next = node.give_in_surely(0.5, &server.key, "next");
    assert!(
        Some(next) > record["id"].as_i64(),
        "{next} was given before"
    );
    let next = format!("/voice-conversions/{next}");
    node.until_ended(&next, &server.key);
    let home = place.file("home.toml", "");
    let back = || {
        let mut command = moving(&data, &home);
        command.arg("--config").arg(&away);
        command
    };
    refused(&mut back(), "stop every server first");
    drop(node);
    let connections = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = 'moved'";
    poll::until("the server's connections to go", || {
        (place.ask(connections) == 0).then_some(())
    });
    refused(&mut back(), "is in use already");
    for old in old_files(&data) {
        let mut name = old.clone().into_os_string();
        name.push(".old");
        std::fs::rename(&old, name).expect("it can be moved away");
    }
    let all = moved(&mut back());
    assert_eq!(all["tables"]["jobs"], 2, "{all}");
    server.start_again();
    for job in [&job, &next] {
        let record = server.get(job);
        let result = record["outputFileUrl"].as_str().expect("it has a result");
        assert!(server.fetch(result).starts_with(b"RIFF"), "{record}");
    }
    refused(
        &mut moving(&data, &away),
        "another server uses the data folder",
    );
}

/// What the database and the files lie in at home.
fn old_files(data: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(data)
        .expect("the folder is there")
        .flatten();
    let paths = entries.map(|entry| entry.path());
    let is_old = |path: &PathBuf| {
        let name = path
            .file_name()
            .expect("it has a name")
            .to_string_lossy()
            .into_owned();
        name.starts_with("vocalhost.sqlite") || name == "files"
    };
    paths.filter(is_old).collect()
}
