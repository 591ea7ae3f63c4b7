//! A server whose files lie in a bucket.

use std::path::Path;

use reqwest::Method;
use reqwest::blocking::multipart::Form;
use reqwest::blocking::{Client, Response};
use serde_json::{Value, json};
use vocalhost_testing::poll::PATIENCE;
use vocalhost_testing::process::serve;
use vocalhost_testing::s3::{ACCESS_KEY, BUCKET, Fault, S3Server, SECRET_KEY};

use super::harness::{Server, done, header, problem, tone, tone_part, until, vocalhost};
use super::live::{Ear, PIECE, accepted, piece, ready, tell};

/// An S3 server, and the flags of a server that keeps its files there.
struct InBucket {
    s3: S3Server,
    folder: tempfile::TempDir,
}

impl InBucket {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let text = format!(
            "[default]\naws_access_key_id = {ACCESS_KEY}\naws_secret_access_key = {SECRET_KEY}\n"
        );
        std::fs::write(folder.path().join("credentials"), text).expect("written");
        let s3 = S3Server::start();
        Self { s3, folder }
    }

    fn start(&self, more: &[&str]) -> Server {
        let flags = self.flags(BUCKET);
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        Server::start(&[&flags[..], more].concat())
    }

    fn flags(&self, bucket: &str) -> Vec<String> {
        let credentials = self.folder.path().join("credentials");
        let flags = [
            ("--files", format!("s3://{bucket}/of/server")),
            ("--s3-endpoint", self.s3.endpoint()),
            ("--s3-credentials-file", credentials.display().to_string()),
            // A busy machine may keep a store waiting that is well.
            ("--s3-silence-s", "10".to_owned()),
        ];
        let flags = flags.into_iter();
        flags
            .flat_map(|(name, value)| [name.to_owned(), value])
            .collect()
    }
}

fn conversion(server: &Server) -> Value {
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .part("soundFile", tone_part());
    done(server, "/voice-conversions", form)
}

/// What the store answers, which is not held against this server's description.
fn from_store(url: &str) -> Response {
    let client = Client::builder().no_proxy().timeout(PATIENCE).build();
    let client = client.expect("a client can be made");
    client.get(url).send().expect("the store answers")
}

fn text<'r>(record: &'r Value, name: &str) -> &'r str {
    record[name]
        .as_str()
        .unwrap_or_else(|| panic!("{name}: {record:#}"))
}

#[test]
fn results_come_by_links_that_the_store_serves() {
    let place = InBucket::new();
    let server = place.start(&[]);
    let record = conversion(&server);
    let link = text(&record, "outputFileUrl");
    let results = format!(
        "{}/{BUCKET}/of/server/results/{}/",
        place.s3.endpoint(),
        record["id"]
    );
    assert!(link.starts_with(&results), "{link}");
    let answer = from_store(link);
    assert_eq!(answer.status(), 200);
    assert_eq!(header(answer.headers(), "content-type"), "audio/wav");
    let named = format!("attachment; filename=\"conversion-{}.wav\"", record["id"]);
    assert_eq!(header(answer.headers(), "content-disposition"), named);
    let sound = answer.bytes().expect("the body arrives");
    assert!(sound.starts_with(b"RIFF"));
    let altered = link.replace(".wav?", ".mp3?");
    assert_eq!(from_store(&altered).status(), 403);
    let mp3 = text(&record, "lossyOutputFileUrl");
    assert!(mp3.starts_with(&results) && from_store(mp3).status() == 200);

    // What is made of them is this server's, and so are pictures and demos.
    let here = format!("http://{}/", server.address);
    let archive = text(&record, "archiveUrl");
    assert!(archive.starts_with(&here), "{archive}");
    assert!(server.fetch(archive).starts_with(b"PK"));
    let demo = text(&record["model"], "demoUrl");
    assert!(demo.starts_with(&here) && !server.fetch(demo).is_empty());
    let peaks = format!("/voice-conversions/{}/peaks?file=output", record["id"]);
    server.get(&peaks);

    // Nothing of it lies in the data folder.
    assert!(!server.data().join("files").exists());
    assert!(
        place
            .s3
            .keys()
            .iter()
            .all(|key| key.starts_with("of/server/"))
    );
    let job = format!("/voice-conversions/{}", record["id"]);
    let deleted = server
        .request(Method::DELETE, &job)
        .send()
        .expect("the server answers");
    assert_eq!(deleted.status(), 204);
    let mut left = place.s3.keys();
    left.retain(|key| !key.starts_with("of/server/effects/"));
    assert_eq!(left, [""; 0]);
    let gone = from_store(link);
    assert_eq!(gone.status(), 404);
}

#[test]
fn what_was_recorded_live_lies_in_the_bucket_and_goes_with_its_conversion() {
    let place = InBucket::new();
    let server = place.start(&[]);
    let record = accepted(&server, &json!({ "record": "output" }));
    let mut socket = ready(&server, &record);
    for seq in 0..25 {
        socket
            .send(piece(seq, &[0.25; PIECE]))
            .expect("it is taken");
    }
    tell(&mut socket, &json!({ "type": "stop" }));
    let mut ear = Ear::default();
    ear.listen(&mut socket, true);
    let ended = &ear.of("ended")[0]["record"];
    let link = text(ended, "outputFileUrl");
    let live = format!("{}/{BUCKET}/of/server/live/", place.s3.endpoint());
    assert!(link.starts_with(&live), "{link}");
    assert_eq!(ended["inputFileUrl"], Value::Null, "nobody asked for it");
    let sound = from_store(link).bytes().expect("the body arrives");
    assert_eq!(sound.len(), 44 + 2 * 25 * PIECE);
    let path = format!("/live-conversions/{}", ended["id"]);
    let deleted = server.request(Method::DELETE, &path).send();
    assert_eq!(deleted.expect("it answers").status(), 204);
    assert_eq!(from_store(link).status(), 404);
}

#[test]
fn a_proxy_serves_what_lies_in_the_bucket_with_ranges() {
    let place = InBucket::new();
    let server = place.start(&["--files-proxy", "true", "--lossy", "on-demand"]);
    let record = conversion(&server);
    let link = text(&record, "outputFileUrl");
    assert!(
        link.starts_with(&format!("http://{}/", server.address)),
        "{link}"
    );
    let whole = server.fetch(link);
    let part = server
        .anonymous(Method::GET, link)
        .header("range", "bytes=10-19");
    let part = part.send().expect("the server answers");
    assert_eq!(part.status(), 206);
    let size = format!("bytes 10-19/{}", whole.len());
    assert_eq!(header(part.headers(), "content-range"), size);
    let etag = header(part.headers(), "etag");
    assert_eq!(part.bytes().expect("the body arrives"), whole[10..20]);
    let known = server
        .anonymous(Method::GET, link)
        .header("if-none-match", &etag);
    assert_eq!(known.send().expect("the server answers").status(), 304);
    // What is made when it is asked for is made of what lies there, and kept there.
    let before = place.s3.keys().len();
    assert!(!server.fetch(text(&record, "lossyOutputFileUrl")).is_empty());
    until("the file to be kept", || {
        (place.s3.keys().len() > before).then_some(())
    });
}

#[test]
fn a_store_that_is_down_is_told_and_passes() {
    let place = InBucket::new();
    let server = place.start(&["--files-proxy", "true"]);
    let record = conversion(&server);
    let ready = format!("http://{}/readyz", server.address);
    let readiness = || {
        let answer = server
            .anonymous(Method::GET, &ready)
            .send()
            .expect("it answers");
        let status = answer.status().as_u16();
        let body: Value = answer.json().expect("it is JSON");
        (status, body["checks"]["files"].clone())
    };
    assert_eq!(readiness(), (200, Value::Bool(true)));
    let keys = place.s3.keys();
    place.s3.fail(|_| Some(Fault::Unavailable));
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .part("soundFile", tone_part());
    let refused = server.post(form);
    assert_eq!(header(refused.headers(), "retry-after"), "30");
    assert_eq!(
        problem(refused),
        (503, "E_SERVICE_UNAVAILABLE".to_owned(), Vec::new())
    );
    let link = text(&record, "outputFileUrl");
    let refused = server
        .anonymous(Method::GET, link)
        .send()
        .expect("the server answers");
    assert_eq!(problem(refused).0, 503);
    until("the server to know it", || {
        (readiness() == (503, Value::Bool(false))).then_some(())
    });
    place.s3.recover();
    until("the server to know it", || {
        (readiness() == (200, Value::Bool(true))).then_some(())
    });
    assert!(!server.fetch(link).is_empty());
    // The request that was refused has left nothing.
    assert_eq!(place.s3.keys(), keys);
    server.ended(server.accepted(tone()));
}

#[test]
fn a_bucket_that_cannot_be_used_ends_the_start_with_a_sentence() {
    let place = InBucket::new();
    let data = tempfile::tempdir().expect("a temporary folder");
    let flags = place.flags("another");
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let (process, _) = serve(data.path(), &flags, std::process::Stdio::piped());
    let output = process.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    let sentence = format!(
        "cannot use s3://another/of/server at {}: there is no such bucket",
        place.s3.endpoint()
    );
    assert!(said.contains(&sentence), "{said}");
}

#[test]
fn a_backup_says_that_it_does_not_have_what_lies_in_the_bucket() {
    let place = InBucket::new();
    let server = place.start(&[]);
    let record = conversion(&server);
    let kept = tempfile::tempdir().expect("a temporary folder");
    let folder = kept.path().join("backup").display().to_string();
    let flags = place.flags(BUCKET);
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let run = |data: &Path, arguments: &[&str], flags: &[&str]| {
        vocalhost(data, &[arguments, flags].concat())
    };
    let made = run(server.data(), &["backup", &folder, "--json"], &flags);
    assert!(made.status.success(), "{made:?}");
    let told: Value = serde_json::from_slice(&made.stdout).expect("it is JSON");
    assert_eq!(told["notCovered"], format!("s3://{BUCKET}/of/server"));

    let target = kept.path().join("target");
    let refused = run(&target, &["restore", &folder], &[]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("name their bucket by `files`"), "{said}");
    let restored = run(&target, &["restore", &folder], &flags);
    assert!(restored.status.success(), "{restored:?}");
    let said = String::from_utf8_lossy(&restored.stdout);
    assert!(
        said.contains(&format!(
            "not covered: the recordings, results and voices in s3://{BUCKET}"
        )),
        "{said}"
    );
    let shown = run(
        &target,
        &["jobs", "show", &record["id"].to_string()],
        &flags,
    );
    assert!(shown.status.success(), "{shown:?}");
}
