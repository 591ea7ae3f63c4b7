//! Uploads.

use std::time::{Duration, Instant};

use reqwest::Method;
use reqwest::blocking::multipart::Form;
use rustix::process::Signal;
use sha2::{Digest as _, Sha256};
use vocalhost_testing::s3::drawn;
use vocalhost_testing::sound;

use super::super::place::Place;
use super::super::uploads::{announced, half_sent, offset, sent};
use super::{COUNT, SEED, figures, node, number, sleep};

/// Seconds of sound that are 20 MB.
const SOUND_S: usize = 625;

/// What comes at a time.
const PIECE_BYTES: usize = 2_000_000;

/// How long whoever sends waits for an answer when nobody takes a piece.
const AGAIN_S: f64 = 0.2;

#[test]
#[ignore = "takes twenty minutes"]
fn uploads_arrive_although_a_server_is_killed_in_each() {
    let (seed, count) = (number(SEED, 1), number(COUNT, 100));
    let place = Place::new();
    let address = place.postgres.address.clone();
    let mut nodes = [(); 2].map(|()| node(&place, "api", &address));
    let key = place.key.clone();
    let second = sound::sung(1.0, 16_000, 220.0);
    let mut recording = sound::wav_of(1, 16_000, &second.repeat(SOUND_S));
    let mut waits = Vec::new();
    for round in 0..count {
        // Each is another one.
        let end = recording.len() - 8;
        recording[end..].copy_from_slice(&drawn(seed, round).to_le_bytes());
        let path = announced(&nodes[0], &key, recording.len());
        let upload = (path.as_str(), key.as_str());
        let pieces = recording.len().div_ceil(PIECE_BYTES);
        let fatal = (drawn(seed, count + round) % pieces as u64) as usize;
        let victim = (fatal + 1) % 2;
        let (mut at, mut turn) = (0, 0);
        while at < recording.len() {
            let piece = &recording[at..recording.len().min(at + PIECE_BYTES)];
            if turn == fatal {
                let line = half_sent(&nodes[victim], upload, at, piece);
                sleep(0.1);
                nodes[victim].signal(Signal::KILL, true);
                drop(line);
            }
            let from = if turn < fatal { turn % 2 } else { 1 - victim };
            let since = Instant::now();
            let status = loop {
                at = offset(&nodes[from], upload);
                let piece = &recording[at..recording.len().min(at + PIECE_BYTES)];
                match sent(&nodes[from], upload, at, piece) {
                    409 | 423 => sleep(AGAIN_S),
                    status => break status,
                }
                assert!(since.elapsed() < Duration::from_mins(1), "it is not taken");
            };
            assert_eq!(status, 204);
            if turn == fatal {
                waits.push(since.elapsed().as_secs_f64());
                nodes[victim].start_again();
            }
            at = offset(&nodes[from], upload);
            turn += 1;
        }
        let form = Form::new()
            .text("voiceModelId", "1")
            .text("soundFile", path.replace("/uploads/", "upload:"));
        let request = nodes[0].request_with(Method::POST, "/voice-conversions", &key);
        let accepted = request.multipart(form).send().expect("it answers");
        assert_eq!(accepted.status(), 201);
        let digest = base16ct::lower::encode_string(&Sha256::digest(&recording));
        let arrived = place.texts("SELECT input_sha256 FROM jobs ORDER BY id DESC LIMIT 1");
        assert_eq!(arrived, [digest]);
    }
    eprintln!(
        "seed {seed}: {count} uploads of {} MB arrived, a server killed in each; the other took the next piece {}",
        recording.len() / 1_000_000,
        figures(waits)
    );
}
