//! MP3 files that are made when they are first asked for.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::thread;

use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::blocking::multipart::{Form, Part};
use reqwest::header::CONTENT_LENGTH;
use serde_json::Value;
use vocalhost_audio::{AudioLimits, Decoder};
use vocalhost_testing::{poll, sound};

use super::archive::unpacked;
use super::harness::{Server, header, problem, shared, tone_part};

fn conversion(server: &Server, seconds: f64) -> Form {
    let recording = sound::wav_of(1, 44_100, &sound::sung(seconds, 44_100, 220.0));
    Form::new()
        .text("voiceModelId", server.voice())
        .part("soundFile", Part::bytes(recording).file_name("song.wav"))
}

/// The record of a job that was posted and succeeded.
fn done(server: &Server, collection: &str, form: Form) -> Value {
    let record: Value = server.post_to(collection, form).json().expect("JSON");
    let record = server.ended_at(&format!("{collection}/{}", record["id"]));
    assert_eq!(record["status"], "success", "{record:#}");
    record
}

fn on_demand(server: &Server, seconds: f64) -> Value {
    let form = conversion(server, seconds).text("lossy", "on-demand");
    done(server, "/voice-conversions", form)
}

fn link(record: &Value) -> &str {
    record["lossyOutputFileUrl"].as_str().expect("a link")
}

fn get(server: &Server, url: &str, range: Option<&str>) -> Response {
    let mut request = server.anonymous(Method::GET, url);
    if let Some(range) = range {
        request = request.header("range", range);
    }
    request.send().expect("the server answers")
}

/// The files of a job, by name.
fn stored(server: &Server, record: &Value) -> Vec<PathBuf> {
    let folder = server.data().join("files/results");
    let folder = folder.join(record["id"].to_string());
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flat_map(|lease| fs::read_dir(lease.expect("it is readable").path()).expect("a folder"))
        .map(|file| file.expect("it is readable").path())
        .collect();
    files.sort();
    files
}

fn names(files: &[PathBuf]) -> Vec<&str> {
    let names = files.iter().filter_map(|file| file.file_name());
    names.filter_map(|name| name.to_str()).collect()
}

fn decoded(file: &[u8]) -> Vec<f32> {
    let scratch = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(scratch.path(), file).expect("written");
    decoded_at(scratch.path())
}

fn decoded_at(path: &Path) -> Vec<f32> {
    let limits = AudioLimits {
        max_duration_s: 60.0,
    };
    let mut decoder = Decoder::open(path, &limits).expect("it is sound");
    let mut samples = Vec::new();
    while let Some(block) = decoder.next_block().expect("it decodes") {
        samples.extend_from_slice(block.channel(0));
    }
    samples
}

/// Where two files of the same length differ.
fn differing(one: &[u8], other: &[u8]) -> Vec<usize> {
    assert_eq!(one.len(), other.len());
    let pairs = one.iter().zip(other).enumerate();
    let differing = pairs.filter(|(_, (one, other))| one != other);
    differing.map(|(at, _)| at).collect()
}

#[test]
fn the_first_request_has_the_file_made_and_from_then_on_it_is_like_any_other() {
    let server = shared();
    let record = on_demand(&server, 3.0);
    assert_eq!(record["lossy"], "on-demand");
    assert_eq!(names(&stored(&server, &record)), ["output.wav"]);
    let url = link(&record);
    let head = server.anonymous(Method::HEAD, url).send().expect("answers");
    assert_eq!(head.status(), 200);
    assert_eq!(header(head.headers(), "content-type"), "audio/mpeg");
    for name in ["content-length", "etag"] {
        assert!(!head.headers().contains_key(name), "{:?}", head.headers());
    }
    assert_eq!(names(&stored(&server, &record)), ["output.wav"]);

    let first = get(&server, url, Some("bytes=0-"));
    assert_eq!(first.status(), 200);
    assert!(first.headers().get(CONTENT_LENGTH).is_none());
    assert!(first.headers().get("etag").is_none());
    assert_eq!(header(first.headers(), "accept-ranges"), "bytes");
    let disposition = header(first.headers(), "content-disposition");
    assert!(disposition.ends_with(".mp3\""), "{disposition}");
    let first = first.bytes().expect("the body arrives");

    let part = get(&server, url, Some("bytes=1000-1999"));
    assert_eq!(part.status(), 206);
    let range = header(part.headers(), "content-range");
    assert_eq!(range, format!("bytes 1000-1999/{}", first.len()));
    assert_eq!(part.bytes().expect("arrives"), first[1_000..2_000]);
    assert_eq!(
        names(&stored(&server, &record)),
        ["output.mp3", "output.wav"]
    );
    let second = get(&server, url, None);
    let length = header(second.headers(), "content-length");
    assert_eq!(length, first.len().to_string());
    let etag = header(second.headers(), "etag");
    let known = server
        .anonymous(Method::GET, url)
        .header("if-none-match", &etag);
    assert_eq!(known.send().expect("answers").status(), 304);
    let second = second.bytes().expect("the body arrives");
    // What is known only in the end stands in the first frame.
    let differing = differing(&first, &second);
    assert!(
        differing.len() <= 6 && differing.iter().all(|at| *at < 400),
        "{differing:?}"
    );
    let samples = decoded(&second);
    assert_eq!(samples.len(), 3 * 44_100);
    assert_eq!(decoded(&first), samples);
}

#[test]
fn it_is_the_file_that_the_job_would_have_made() {
    let server = shared();
    let made = |format: &str, lossy: &str| {
        let form = conversion(&server, 2.0)
            .text("outputFormat", format.to_owned())
            .text("lossy", lossy.to_owned());
        let record = done(&server, "/voice-conversions", form);
        // A part is answered when the whole is kept.
        assert_eq!(get(&server, link(&record), Some("bytes=0-9")).status(), 206);
        server.fetch(link(&record))
    };
    let with_job = made("wav32f", "with-job");
    assert!(with_job == made("wav32f", "on-demand"), "not the same file");
    let of_job = decoded(&with_job);
    // Where samples are rounded first, the encoder decides here and there otherwise by a hair.
    for (format, most) in [("wav24", 1.0), ("flac", 1.0), ("wav16", 2.0)] {
        let later = decoded(&made(format, "on-demand"));
        assert_eq!(later.len(), of_job.len());
        let off = of_job.iter().zip(&later);
        let squares = off.map(|(one, other)| ((one - other) * 32_768.0).powi(2));
        let off = (squares.sum::<f32>() / of_job.len() as f32).sqrt();
        assert!(off <= most, "{format}: {off} steps of 16 bits");
    }
}

#[test]
fn who_asks_for_a_part_first_waits_until_it_is_made() {
    let server = shared();
    let record = on_demand(&server, 1.0);
    let part = get(&server, link(&record), Some("bytes=-100"));
    assert_eq!(part.status(), 206);
    let part = part.bytes().expect("arrives");
    let whole = server.fetch(link(&record));
    assert_eq!(part, whole[whole.len() - 100..]);
    let record = on_demand(&server, 1.0);
    let beyond = get(&server, link(&record), Some("bytes=999999999-"));
    assert_eq!(problem(beyond).0, 416);
}

#[test]
fn two_who_ask_at_once_get_the_same_file_and_it_counts_once() {
    let server = Server::start(&["--lossy", "on-demand"]);
    let record = done(&server, "/voice-conversions", conversion(&server, 20.0));
    let bytes = |server: &Server| server.get("/usage")["storage"]["bytes"].as_u64();
    let before = bytes(&server).expect("a number");
    let [one, other] = thread::scope(|scope| {
        let fetch = || server.fetch(link(&record));
        let readers = [scope.spawn(fetch), scope.spawn(fetch)];
        readers.map(|reader| reader.join().expect("it is fetched"))
    });
    assert!(differing(&one, &other).len() <= 6);
    assert_eq!(get(&server, link(&record), Some("bytes=0-0")).status(), 206);
    assert_eq!(bytes(&server), Some(before + one.len() as u64));
    assert_eq!(server.uploads(), 0);
}

#[test]
fn a_job_wins_over_the_server_and_a_lossy_main_file_over_both() {
    let server = Server::start(&["--lossy", "on-demand"]);
    for (fields, said, files) in [
        (vec![], "on-demand", vec!["output.wav"]),
        (
            vec![("lossy", "with-job")],
            "with-job",
            vec!["output.mp3", "output.wav"],
        ),
        (
            vec![("outputFormat", "opus"), ("lossy", "on-demand")],
            "with-job",
            vec!["output.mp3", "output.opus"],
        ),
        (
            vec![("outputFormat", "mp3")],
            "with-job",
            vec!["output.mp3"],
        ),
    ] {
        let mut form = Form::new()
            .text("voiceModelId", server.voice())
            .part("soundFile", tone_part());
        for (name, text) in &fields {
            form = form.text(*name, *text);
        }
        let record = done(&server, "/voice-conversions", form);
        assert_eq!(record["lossy"], said, "{fields:?}");
        assert_eq!(names(&stored(&server, &record)), files, "{fields:?}");
        assert!(!server.fetch(link(&record)).is_empty());
    }
    let wrong = conversion(&server, 1.0).text("lossy", "later");
    let (status, _, mistakes) = problem(server.post(wrong));
    assert_eq!((status, mistakes), (422, vec!["lossy enum".to_owned()]));
}

#[test]
fn the_archive_has_all_of_them_made() {
    let server = shared();
    let form = Form::new()
        .part("inputFile", tone_part())
        .text("lossy", "on-demand");
    let record = done(&server, "/stem-splits", form);
    let instruments = |list: &str| {
        let stems = record[list].as_array().expect("a list").iter();
        let stems = stems.map(|stem| stem["instrument"].as_str().expect("a name"));
        stems.collect::<Vec<_>>()
    };
    assert_eq!(
        instruments("stemFileUrls"),
        instruments("lossyStemFileUrls")
    );
    let lossless = stored(&server, &record);
    assert_eq!(lossless.len(), 5);
    let url = record["archiveUrl"].as_str().expect("a link");
    let head = server.anonymous(Method::HEAD, url).send().expect("answers");
    assert!(!head.headers().contains_key("etag"), "{:?}", head.headers());
    assert_eq!(stored(&server, &record), lossless);
    let first = get(&server, url, None);
    assert!(first.headers().get(CONTENT_LENGTH).is_none());
    let first = first.bytes().expect("the body arrives");
    let files = unpacked(&first);
    assert_eq!(files.len(), 10, "{:?}", files.keys());
    let url = record["lossyStemFileUrls"][1]["url"].as_str();
    let drums = server.fetch(url.expect("a link"));
    assert_eq!(files["lossy-stem-drums.mp3"], drums);
    let url = record["archiveUrl"].as_str().expect("a link");
    let again = get(&server, url, None);
    let length = header(again.headers(), "content-length");
    assert_eq!(length, first.len().to_string());
    header(again.headers(), "etag");
    assert_eq!(again.bytes().expect("the body arrives"), first);
}

#[test]
fn a_file_that_is_still_to_be_made_looks_like_the_one_that_it_is_made_of() {
    let server = shared();
    let record = on_demand(&server, 1.0);
    let peaks = |file: &str| {
        let id = &record["id"];
        let mut peaks = server.get(&format!("/voice-conversions/{id}/peaks?file={file}"));
        peaks["file"].take();
        peaks
    };
    assert_eq!(peaks("lossy-output"), peaks("output"));
    assert_eq!(names(&stored(&server, &record)[..1]), ["output.wav"]);
}

#[test]
fn nothing_stays_of_a_job_that_is_deleted_while_its_file_is_made() {
    let server = Server::start(&[]);
    let record = on_demand(&server, 60.0);
    let mut reader = get(&server, link(&record), None);
    let mut piece = [0; 100];
    reader.read_exact(&mut piece).expect("it has begun");
    let path = format!("/voice-conversions/{}", record["id"]);
    let deleted = server.request(Method::DELETE, &path).send();
    assert_eq!(deleted.expect("answers").status(), 204);
    // Whoever has begun to read it reads it to its end.
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).expect("it is whole");
    assert!(rest.len() > 60 * 192_000 / 8 - 1_000);
    poll::until("nothing to be left", || {
        let left = stored(&server, &record);
        (left.is_empty() && server.uploads() == 0).then_some(())
    });
    assert_eq!(problem(get(&server, link(&record), None)).0, 404);
}

#[test]
fn a_file_that_cannot_be_made_is_a_clean_error_and_tried_again() {
    let server = Server::start(&[]);
    let record = on_demand(&server, 1.0);
    let [lossless] = &stored(&server, &record)[..] else {
        panic!("one file");
    };
    let good = fs::read(lossless).expect("it is there");
    fs::write(lossless, &good[..good.len() / 2]).expect("it can be damaged");
    let (status, code, _) = problem(get(&server, link(&record), None));
    assert_eq!((status, code.as_str()), (500, "E_INTERNAL"));
    let archive = record["archiveUrl"].as_str().expect("a link");
    let broken = get(&server, archive, None);
    broken.bytes().expect_err("it breaks off");
    fs::write(lossless, &good).expect("it can be mended");
    assert_eq!(decoded(&server.fetch(link(&record))).len(), 44_100);
    fs::remove_file(lossless).expect("it is there");
    assert_eq!(
        get(&server, link(&record), Some("bytes=0-0")).status(),
        206,
        "it is kept by itself"
    );
    // What the broken archive was given of is let go of a moment after its client has gone.
    poll::until("nothing to be left", || {
        (server.uploads() == 0).then_some(())
    });
}
