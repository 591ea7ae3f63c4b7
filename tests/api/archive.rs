//! All of a job's files as one ZIP.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::Method;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::Value;
use vocalhost_testing::poll;

use super::harness::{Server, header, problem, shared, tone};

fn number(bytes: &[u8]) -> usize {
    let digits = bytes.iter().rev();
    digits.fold(0, |sum, byte| sum << 8 | usize::from(*byte))
}

/// The files of an archive by name, found by its list as programs find them, and held to both of their headers.
pub(super) fn unpacked(zip: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let end = zip.len() - 22;
    assert_eq!(&zip[end..end + 4], b"PK\x05\x06");
    let count = number(&zip[end + 10..end + 12]);
    let mut at = number(&zip[end + 16..end + 20]);
    let mut files = BTreeMap::new();
    for _ in 0..count {
        assert_eq!(&zip[at..at + 4], b"PK\x01\x02");
        assert_eq!(number(&zip[at + 10..at + 12]), 0, "stored");
        let checksum = number(&zip[at + 16..at + 20]);
        let bytes = number(&zip[at + 20..at + 24]);
        let name_bytes = number(&zip[at + 28..at + 30]);
        let name = &zip[at + 46..at + 46 + name_bytes];
        let head = number(&zip[at + 42..at + 46]);
        assert_eq!(&zip[head..head + 4], b"PK\x03\x04");
        assert_eq!(zip[head + 14..head + 26], zip[at + 16..at + 28]);
        let content = head + 30 + name_bytes;
        let content = zip[content..content + bytes].to_vec();
        assert_eq!(crc32(&content), checksum);
        let name = String::from_utf8(name.to_vec()).expect("a name is text");
        assert!(files.insert(name, content).is_none(), "a name twice");
        at += 46 + name_bytes;
    }
    assert_eq!(at, end);
    files
}

/// CRC-32 bit by bit, as its definition has it (ISO 3309).
fn crc32(bytes: &[u8]) -> usize {
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 * (crc & 1))
        })
    });
    !crc as usize
}

/// The name of a file under its job.
fn name_of(url: &Value) -> (String, String) {
    let url = url.as_str().expect("a link");
    let (_, name) = url.rsplit_once('/').expect("a path");
    (name.to_owned(), url.to_owned())
}

fn assert_holds(server: &Server, record: &Value, links: &[(String, String)]) {
    let url = record["archiveUrl"].as_str().expect("a link");
    let answer = server
        .anonymous(Method::GET, url)
        .send()
        .expect("it answers");
    assert_eq!(answer.status(), 200);
    assert_eq!(header(answer.headers(), "content-type"), "application/zip");
    let length: usize = header(answer.headers(), "content-length")
        .parse()
        .expect("a number");
    let etag = header(answer.headers(), "etag");
    let disposition = header(answer.headers(), "content-disposition");
    assert!(disposition.starts_with("attachment;"), "{disposition}");
    let zip = answer.bytes().expect("the whole archive");
    assert_eq!(zip.len(), length);
    let files = unpacked(&zip);
    assert_eq!(files.len(), links.len());
    for (name, url) in links {
        assert_eq!(files[name], server.fetch(url), "{name}");
    }
    let again = server
        .anonymous(Method::GET, url)
        .header("If-None-Match", etag);
    assert_eq!(again.send().expect("it answers").status(), 304);
}

#[test]
fn the_files_of_a_conversion_come_in_one_archive() {
    let server = shared();
    let id = server.accepted(tone());
    let record = server.ended(id);
    let links = [&record["outputFileUrl"], &record["lossyOutputFileUrl"]].map(name_of);
    assert_holds(&server, &record, &links);
    // The same with a key, and without its body.
    let path = format!("/voice-conversions/{id}/files.zip");
    let head = server
        .request(Method::HEAD, &path)
        .send()
        .expect("it answers");
    let whole = server
        .request(Method::GET, &path)
        .send()
        .expect("it answers");
    assert_eq!(head.status(), 200);
    assert_eq!(
        header(head.headers(), "content-length"),
        header(whole.headers(), "content-length")
    );
    let altered = record["archiveUrl"]
        .as_str()
        .expect("a link")
        .replace("files.zip", "output.wav");
    let altered = server.anonymous(Method::GET, &altered).send();
    assert_eq!(problem(altered.expect("it answers")).1, "E_URL_INVALID");
}

#[test]
fn a_file_with_two_roles_is_in_the_archive_once() {
    let server = shared();
    let form = Form::new().part("inputFile", Part::bytes(tone()).file_name("a.wav"));
    let record: Value = server.post_to("/stem-splits", form).json().expect("JSON");
    assert!(record["archiveUrl"].is_null());
    let record = server.ended_at(&format!("/stem-splits/{}", record["id"]));
    let url = record["archiveUrl"].as_str().expect("a link");
    let files = unpacked(&server.fetch(url));
    let mut contents: Vec<_> = files.values().collect();
    contents.sort();
    contents.dedup();
    // Five stems and what is left of the mix are six sounds, two files each; the vocal and backing files are stems.
    assert!(files.len() >= 10, "{:?}", files.keys());
    let first = record["stemFileUrls"][0]["url"].as_str().expect("a link");
    let first = server.fetch(first);
    assert!(files.values().any(|content| *content == first));
}

#[test]
fn results_that_were_kept_long_enough_are_gone_and_not_merely_unknown() {
    // One of its files is never made.
    let flags = ["--result-retention-s", "1", "--lossy", "on-demand"];
    let mut server = Server::start(&flags);
    let id = server.accepted(tone());
    let record = server.ended(id);
    assert_eq!(record["filesExpired"], false);
    let link = |field: &str| record[field].as_str().expect("a link").to_owned();
    let links = [
        (link("archiveUrl"), 410),
        (link("outputFileUrl"), 404),
        (link("lossyOutputFileUrl"), 404),
    ];
    let ended = record["jobEndTime"].as_str().expect("a time");
    let ended = DateTime::parse_from_str(ended, "%Y-%m-%d %H:%M:%S%.f %:z").expect("a time");
    let kept_until = ended + TimeDelta::seconds(1);
    poll::until("the time to be over", || {
        (Utc::now() > kept_until).then_some(())
    });
    // The next look at what is kept is at the next start.
    server.kill();
    server.start_again();
    let path = format!("/voice-conversions/{id}");
    poll::until("the results to go", || {
        server.get(&path)["outputFileUrl"].is_null().then_some(())
    });
    let record = server.get(&path);
    assert_eq!(
        (
            &record["status"],
            &record["filesExpired"],
            &record["archiveUrl"]
        ),
        (&Value::from("success"), &Value::Bool(true), &Value::Null)
    );
    for file in ["files.zip", "peaks?file=output"] {
        let asked = server.request(Method::GET, &format!("{path}/{file}"));
        let (status, code, _) = problem(asked.send().expect("it answers"));
        assert_eq!((status, code.as_str()), (410, "E_RESULT_EXPIRED"), "{file}");
    }
    let address = server.url("");
    for (link, wanted) in links {
        let (_, signed) = link.split_once("/api/v1").expect("a path of the API");
        let fetched = server.anonymous(Method::GET, &format!("{address}{signed}"));
        assert_eq!(problem(fetched.send().expect("it answers")).0, wanted);
    }
}
