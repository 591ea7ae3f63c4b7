//! Two hundred files that were made to do harm, from seeds: each is refused with a reason, in bounded time, and all of them together in
//! bounded memory. They are a program of their own, so that its memory can be measured.

mod archives;
mod indexes;
mod pickles;
mod seeds;
mod tensors;
mod texts;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use seeds::Seeds;
use vocalhost_import::{Answers, ImportError, ImportRequest, import};
use vocalhost_testing::repository;

/// Files of each kind.
const EACH: u64 = 40;
/// The longest that one may take: thousands of times what it takes, on a machine with nothing else to do.
const LONGEST: Duration = Duration::from_mins(1);
/// What all of them may take of memory at most, at any moment. The largest honest file among them has less than a megabyte.
const MOST_KIB: u64 = 192 << 10;

/// A crafted model: its files, and whether they are given beside an honest voice.
struct Crafted {
    files: Vec<(&'static str, Vec<u8>)>,
    is_beside_a_voice: bool,
}

impl Crafted {
    /// A model of one file.
    fn alone(name: &'static str, content: Vec<u8>) -> Self {
        Self {
            files: vec![(name, content)],
            is_beside_a_voice: false,
        }
    }

    /// A file that comes with a voice.
    fn beside(name: &'static str, content: Vec<u8>) -> Self {
        Self {
            is_beside_a_voice: true,
            ..Self::alone(name, content)
        }
    }
}

/// Makes a file of a kind.
type Maker = fn(&mut Seeds) -> Crafted;

/// The kinds.
const KINDS: [(&str, Maker); 5] = [
    ("a pickle that asks for more", pickles::crafted),
    ("an archive that explodes", archives::crafted),
    ("weights that lie", tensors::crafted),
    ("an index that lies", indexes::crafted),
    ("a text that unfolds", texts::crafted),
];

/// Why a crafted model is refused.
fn refusal(kind: &str, seed: u64, crafted: &Crafted) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = folder.path().join("package");
    fs::create_dir(&target).expect("a folder");
    let mut files: Vec<PathBuf> = Vec::new();
    for (name, content) in &crafted.files {
        let file = folder.path().join(name);
        fs::write(&file, content).expect("written");
        files.push(file);
    }
    if crafted.is_beside_a_voice {
        files.push(repository("tests/fixtures/checkpoints/rvc-v1-48k-f0.pth"));
    }
    let result = import(&ImportRequest {
        files: &files,
        answers: &Answers::default(),
        target: &target,
        today: "2026-11-28",
        only: None,
        identities: &[],
    });
    let left = fs::read_dir(&target).expect("it is there").count();
    match result {
        Err(ImportError::Refused { reason, .. }) => {
            // Where a voice is whole and its index is not, the target is dropped with what is there of the voice.
            let is_clean = left == 0 || crafted.is_beside_a_voice;
            assert!(is_clean, "{kind}, seed {seed}: something is left");
            reason
        }
        other => panic!("{kind}, seed {seed}: {other:?}"),
    }
}

/// The most memory that this process has ever had, in KiB, where the system says it.
fn peak_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn two_hundred_crafted_files_are_refused_with_a_reason_in_bounded_time_and_memory() {
    let before = peak_kib();
    for (kind, make) in KINDS {
        let mut reasons = Vec::new();
        for seed in 0..EACH {
            let crafted = make(&mut Seeds::of(seed));
            let begun = Instant::now();
            let reason = refusal(kind, seed, &crafted);
            let taken = begun.elapsed();
            assert!(taken < LONGEST, "{kind}, seed {seed}: {taken:?}");
            let length = reason.chars().count();
            assert!(
                (10..=2_000).contains(&length),
                "{kind}, seed {seed}: {reason}"
            );
            assert!(
                !reason.chars().any(char::is_control),
                "{kind}, seed {seed}: {reason:?}"
            );
            reasons.push(reason);
        }
        reasons.sort();
        reasons.dedup();
        assert!(
            reasons.len() > 3,
            "{kind}: all for the same reasons, {reasons:?}"
        );
    }
    if let (Some(before), Some(after)) = (before, peak_kib()) {
        let taken = after - before;
        assert!(taken < MOST_KIB, "{taken} KiB");
    }
}
