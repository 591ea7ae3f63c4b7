//! Clients that send much, break off, dawdle or say nothing.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::Method;
use reqwest::blocking::multipart::{Form, Part};
use vocalhost_testing::memory::memory_bytes;
use vocalhost_testing::sound;

use super::harness::{Server, tone, until};

/// What one request may cost in memory.
const MAX_REQUEST_BYTES: u64 = 32 << 20;

/// Uploads that are cut, each at a byte of its own.
const CUT_UPLOADS: usize = 1_000;

/// How often a dawdling client sends a byte.
const DAWDLE: Duration = Duration::from_millis(50);

#[test]
fn an_upload_of_a_hundred_megabytes_takes_little_memory() {
    let server = Server::start(&[]);
    // Whatever is loaded by the first request is not the second one's.
    server.accepted(tone());
    let sound = hundred_megabytes();
    // The high-water mark starts again from here.
    std::fs::write(format!("/proc/{}/clear_refs", server.id()), "5").expect("it is ours");
    let before = memory_bytes(server.id(), "VmRSS:");
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .part("soundFile", Part::bytes(sound).file_name("long.wav"));
    let answer = server.post(form);
    let status = answer.status();
    assert_eq!(status, 201, "{}", answer.text().unwrap_or_default());
    let taken = memory_bytes(server.id(), "VmHWM:").saturating_sub(before);
    assert!(taken < MAX_REQUEST_BYTES, "{taken} bytes");
}

#[test]
fn a_thousand_uploads_cut_anywhere_leave_no_job_and_no_file() {
    // A server that is slow to see its clients leave must not take them for too many at once.
    let server = Server::start(&["--max-connections-per-address", "0"]);
    let whole = upload(&server, &tone());
    // A small generator of its own: the bytes at which it cuts are the same in every run.
    let mut state = 1_u64;
    for _ in 0..CUT_UPLOADS {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let cut = usize::try_from(state >> 33).expect("31 bits") % (whole.len() - 1);
        let mut stream = server.connect();
        stream.write_all(&whole[..cut]).expect("the server reads");
    }
    until("the uploads to be gone", || {
        (server.uploads() == 0).then_some(())
    });
    assert_eq!(server.get("/voice-conversions")["meta"]["total"], 0);
    assert_eq!(
        stored_files(server.data().join("files/inputs")),
        Vec::<PathBuf>::new()
    );
    // The very same bytes, whole, are a job.
    let mut stream = server.connect();
    stream.write_all(&whole).expect("the server reads");
    until("the job", || {
        (server.get("/voice-conversions")["meta"]["total"] == 1).then_some(())
    });
}

#[test]
fn dawdling_and_silent_clients_are_dropped_while_others_are_served() {
    let server = Server::start(&["--header-timeout-s", "1", "--body-idle-timeout-s", "1"]);
    let whole = upload(&server, &tone());
    let head = whole.windows(4).position(|four| four == b"\r\n\r\n");
    let head = head.expect("there is a head") + 4;
    // A head that never ends, and a body of a byte now and then.
    let slow: Vec<TcpStream> = [&whole[..20], &whole[..head + 200]]
        .repeat(8)
        .into_iter()
        .map(|sent| {
            let mut stream = server.connect();
            stream.write_all(sent).expect("the server reads");
            stream
        })
        .collect();
    let silent: Vec<TcpStream> = (0..50).map(|_| server.connect()).collect();
    std::thread::scope(|scope| {
        let dawdlers: Vec<_> = slow
            .into_iter()
            .map(|stream| scope.spawn(move || dawdle(stream)))
            .collect();
        while dawdlers.iter().any(|dawdler| !dawdler.is_finished()) {
            let url = format!("http://{}/livez", server.address);
            let answer = server.anonymous(Method::GET, &url).send();
            assert_eq!(answer.expect("others are served").status(), 200);
        }
    });
    for mut stream in silent {
        let ended = stream.read(&mut [0]);
        assert!(matches!(ended, Ok(0) | Err(_)), "{ended:?}");
    }
    assert_eq!(server.uploads(), 0);
}

/// Sends a byte now and then until the server has had enough.
fn dawdle(mut stream: TcpStream) {
    stream
        .set_read_timeout(Some(DAWDLE))
        .expect("a timeout can be set");
    loop {
        // Waiting for an answer paces the bytes.
        match stream.read(&mut [0; 512]) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if stream.write_all(b"x").is_err() {
                    return;
                }
            }
            Err(_) => return,
        }
    }
}

/// A recording as large as is accepted: silence, 24.8 minutes of it.
fn hundred_megabytes() -> Vec<u8> {
    let mut sound = sound::wav_of(1, 44_100, &[0.0; 64]);
    let frame_bytes = usize::from(u16::from_le_bytes([sound[32], sound[33]]));
    let head = sound.len() - 64 * frame_bytes;
    let data = ((100 << 20) - head) / frame_bytes * frame_bytes;
    sound.resize(head + data, 0);
    let riff = u32::try_from(head + data - 8).expect("it fits");
    sound[4..8].copy_from_slice(&riff.to_le_bytes());
    let data = u32::try_from(data).expect("it fits");
    sound[head - 4..head].copy_from_slice(&data.to_le_bytes());
    sound
}

/// The bytes of a request that makes a job.
fn upload(server: &Server, sound: &[u8]) -> Vec<u8> {
    let voice = server.voice();
    let mut body = format!(
        "--frontier\r\nContent-Disposition: form-data; name=\"voiceModelId\"\r\n\r\n{voice}\r\n\
         --frontier\r\nContent-Disposition: form-data; name=\"soundFile\"; filename=\"a.wav\"\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(sound);
    body.extend_from_slice(b"\r\n--frontier--\r\n");
    let head = format!(
        "POST /api/v1/voice-conversions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
         Content-Type: multipart/form-data; boundary=frontier\r\nContent-Length: {}\r\n\r\n",
        server.key,
        body.len()
    );
    [head.into_bytes(), body].concat()
}

/// Every file below a folder, which may not be there.
fn stored_files(folder: PathBuf) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.expect("it is readable").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                stored_files(path)
            } else {
                vec![path]
            }
        })
        .collect()
}
