//! Files of results that are made when somebody asks for them. The maker here is a few lines of shell.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use futures_util::{StreamExt as _, TryStreamExt as _};
use vocalhost_job::{JobKind, JobState};
use vocalhost_store::JobHandled;
use vocalhost_system::clock;
use vocalhost_system::disk::Reserve;
use vocalhost_work::lossy::{LossyError, LossyMaker, LossySettings};
use vocalhost_work::scheduler::AttemptEnd;

use super::attempt::Server;
use super::probe::program;

/// Leaves its lossy file for later.
const LEAVING: &str = r#"
ready
while order; do
    printf sound > "$scratch/output.wav"
    frame '{"report":"done","files":[{"role":"output","key":"output.wav","bytes":5,"sha256":"00"},{"role":"lossy_output","key":"output.mp3"}],"effects":[],"provider":"cpu","gain_db":null,"duration_s":1.0}'
done
"#;

/// Says what it made.
const MADE: &str = r#"echo '{"ok":{"bytes":10,"sha256":"ab","crc32":7}}'"#;

/// A server with a job whose lossy file is still to be made, and who makes it.
struct Place {
    server: Server,
    maker: LossyMaker,
    /// What the program writes down.
    notes: PathBuf,
    /// A pipe that the program waits for.
    gate: PathBuf,
    _program: tempfile::TempDir,
}

impl Place {
    /// `lines` are those of the program, which has the files in `$2` and `$3`.
    async fn new(lines: &str, free_bytes: u64) -> Self {
        let server = Server::new(LEAVING).await;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [notes, gate] = ["notes", "gate"].map(|name| folder.path().join(name));
        let made = Command::new("mkfifo").arg(&gate).status();
        assert!(made.expect("mkfifo").success());
        let shown = [notes.display(), gate.display()];
        let lines = format!("notes='{}' gate='{}'\n{lines}", shown[0], shown[1]);
        let files = server.folder.path().join("making");
        fs::create_dir(&files).expect("made");
        let settings = LossySettings {
            program: program(&folder, &lines),
            reserve: Reserve::new(&files, free_bytes),
            folder: files,
            at_a_time: 1,
        };
        let (store, files) = (server.bench.store.clone(), server.bench.files.clone());
        Self {
            maker: LossyMaker::new(store, files, settings),
            server,
            notes,
            gate,
            _program: folder,
        }
    }

    /// A job that has ended, and the key of its lossy file.
    async fn job(&self, token: &str) -> (i64, String) {
        let id = self.server.job(1).await;
        let job = self.server.claim(token, clock::now_us()).await;
        assert_eq!(self.server.attempt(job).await, AttemptEnd::Completed);
        let JobState::Succeeded { result, .. } = self.server.read(id).await.state else {
            panic!("it succeeded");
        };
        let key = format!("results/{id}/{token}/output.mp3");
        assert_eq!(result.files[1].key, key);
        assert_eq!(result.files[1].content, None);
        let lossless = format!("results/{id}/{token}/output.wav");
        assert_eq!(
            result.source_of(&key).map(|file| &file.key),
            Some(&lossless)
        );
        (id, key)
    }

    /// What lies where files are made.
    fn left(&self) -> usize {
        let folder = self.server.folder.path().join("making");
        fs::read_dir(folder).expect("it is there").count()
    }

    fn noted(&self) -> String {
        fs::read_to_string(&self.notes).unwrap_or_default()
    }
}

#[tokio::test]
async fn a_file_is_sent_while_it_is_made_once_for_all_who_ask_and_kept() {
    let lines = format!(
        r#"[ "$1" = make-lossy ] && echo run >> "$notes" && cat "$2" > "$3" && cat "$gate" && printf ' more' >> "$3" && {MADE}"#
    );
    let place = Place::new(&lines, 0).await;
    let (id, key) = place.job("token").await;
    let mut readers = Vec::new();
    for _ in 0..2 {
        let bytes = place.maker.make(id, &key).bytes().await;
        let mut bytes = bytes.expect("it begins").expect("it is being made");
        let first = bytes.next().await.expect("there is more").expect("reads");
        assert_eq!(first, b"sound");
        readers.push(bytes);
    }
    let kept = place.maker.make(id, &key);
    fs::write(&place.gate, "").expect("the program reads it");
    for bytes in readers {
        let rest: Vec<Vec<u8>> = bytes.try_collect().await.expect("reads");
        assert_eq!(rest.concat(), b" more");
    }
    let content = kept.kept().await.expect("it is kept");
    assert_eq!((content.bytes, content.crc32), (10, Some(7)));
    assert_eq!(place.noted(), "run\n");
    let JobState::Succeeded { result, .. } = place.server.read(id).await.state else {
        panic!("it succeeded");
    };
    assert_eq!(result.files[1].content, Some(content));
    let files = &place.server.bench.files;
    assert_eq!(files.read(&key).await.expect("it is there"), b"sound more");
    let usage = place.server.bench.store.usage(1, clock::now_us()).await;
    assert_eq!(usage.expect("answers").storage_bytes, 4 + 5 + 10);
    // Whoever asks now is told that it lies with the others.
    let again = place.maker.make(id, &key).bytes().await;
    assert!(again.expect("it is there").is_none());
    assert_eq!((place.noted().as_str(), place.left()), ("run\n", 0));
}

#[tokio::test]
async fn of_a_job_that_is_deleted_meanwhile_nothing_stays() {
    let lines = format!(r#"cat "$2" > "$3" && cat "$gate" && printf ' more' >> "$3" && {MADE}"#);
    let place = Place::new(&lines, 0).await;
    let (id, key) = place.job("token").await;
    let bytes = place.maker.make(id, &key).bytes().await;
    let bytes = bytes.expect("it begins").expect("it is being made");
    let kept = place.maker.make(id, &key);
    let (store, files) = (&place.server.bench.store, &place.server.bench.files);
    let of_kind = (id, Some(JobKind::VoiceConversion));
    let removed = store.remove_job(of_kind, None, clock::now_us()).await;
    assert!(matches!(removed, Ok(JobHandled::Done(_))), "{removed:?}");
    files.delete_job(id, &[]).await.expect("it answers");
    fs::write(&place.gate, "").expect("the program reads it");
    let ended = kept.kept().await;
    assert!(matches!(ended, Err(LossyError::Gone)), "{ended:?}");
    // Whoever has it half gets the other half.
    let whole: Vec<Vec<u8>> = bytes.try_collect().await.expect("reads");
    assert_eq!(whole.concat(), b"sound more");
    assert_eq!(place.server.results().await, [""; 0]);
    assert_eq!(place.left(), 0);
}

#[tokio::test]
async fn a_failure_is_told_and_the_next_who_asks_has_it_tried_again() {
    let lines = format!(
        r#"echo run >> "$notes"
        case $(wc -l < "$notes") in
            *1) echo '{{"rejected":"it is damaged"}}' ;;
            *2) printf half > "$3" && cat "$gate" && exit 1 ;;
            *) printf 'sound more' > "$3" && {MADE} ;;
        esac"#
    );
    let place = Place::new(&lines, 0).await;
    let (id, key) = place.job("token").await;
    let Err(LossyError::Failed(reason)) = place.maker.make(id, &key).bytes().await else {
        panic!("nothing was made");
    };
    assert!(reason.contains("it is damaged"), "{reason}");
    let bytes = place.maker.make(id, &key).bytes().await;
    let bytes = bytes.expect("it begins").expect("it is being made");
    fs::write(&place.gate, "").expect("the program reads it");
    let half: Result<Vec<Vec<u8>>, _> = bytes.try_collect().await;
    half.expect_err("it broke off");
    place.maker.make(id, &key).kept().await.expect("it is made");
    assert_eq!(place.noted(), "run\nrun\nrun\n");
    assert_eq!(place.left(), 0);
}

#[tokio::test]
async fn no_more_are_made_at_a_time_than_is_set() {
    let lines = format!(
        r#"mkdir "$notes.lock" || echo two >> "$notes"
        printf 'sound more' > "$3"
        rmdir "$notes.lock"
        {MADE}"#
    );
    let place = Place::new(&lines, 0).await;
    let mut makings = Vec::new();
    for token in ["a", "b", "c", "d"] {
        let (id, key) = place.job(token).await;
        makings.push(place.maker.make(id, &key));
    }
    for making in makings {
        making.kept().await.expect("it is made");
    }
    assert_eq!(place.noted(), "");
}

#[tokio::test]
async fn nothing_is_made_on_a_full_disk_nor_of_a_job_that_is_not_there() {
    let place = Place::new(MADE, u64::MAX).await;
    let (id, key) = place.job("token").await;
    let ended = place.maker.make(id, &key).kept().await;
    assert!(matches!(ended, Err(LossyError::NoRoom)), "{ended:?}");
    let ended = place.maker.make(id + 1, &key).kept().await;
    assert!(matches!(ended, Err(LossyError::Gone)), "{ended:?}");
    let ended = place
        .maker
        .make(id, "results/1/token/other.mp3")
        .kept()
        .await;
    assert!(matches!(ended, Err(LossyError::Gone)), "{ended:?}");
}
