//! Deeds that are tried in processes of their own.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use super::deed::Deed;
use super::table::{deeds, remains_without, whole};
use super::world::World;
use vocalhost_sandbox::Layer;

/// What the child ends with when it was refused.
const REFUSED: u8 = 3;

/// What it ends with when it could not even try.
const BROKEN: u8 = 4;

/// What came of a deed.
#[derive(Debug, PartialEq)]
enum Outcome {
    Done,
    Refused(String),
    Broken(String),
}

/// The child's side: raises the walls and commits the deed.
pub fn commit(world: &str, without: &str, name: &str) -> ExitCode {
    let Ok(world) = serde_json::from_str::<World>(world) else {
        return ExitCode::from(BROKEN);
    };
    let is_left_out = |layer: &Layer| without.split(',').any(|one| one == layer.as_str());
    let without: Vec<Layer> = Layer::ALL.into_iter().filter(is_left_out).collect();
    if let Err(error) = world.raise(&without) {
        eprintln!("{error}");
        return ExitCode::from(BROKEN);
    }
    let Some(deed) = deeds().find(|deed| deed.name == name) else {
        return ExitCode::from(BROKEN);
    };
    match (deed.commit)(&world) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(REFUSED)
        }
    }
}

/// Tries every deed without walls, with all of them, with each alone and without each.
pub fn all() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sandbox.md");
    let documented = std::fs::read_to_string(page).expect("the page is there");
    assert!(
        whole()
            .split("\n\n")
            .all(|table| documented.contains(table)),
        "docs/sandbox.md has other tables than `cargo test -p vocalhost-sandbox --test deeds -- --table` prints"
    );
    assert!(deeds().count() >= 30);
    let names: BTreeSet<&str> = deeds().map(|deed| deed.name).collect();
    assert_eq!(names.len(), deeds().count(), "a name stands for two deeds");

    let mut mistakes = Vec::new();
    // What the system refuses by itself says nothing about walls.
    let mut possible = Vec::new();
    for deed in deeds() {
        match tried(deed, &Layer::ALL) {
            Outcome::Done => possible.push(deed),
            outcome if deed.rare => eprintln!("not here: {} ({outcome:?})", deed.name),
            outcome => mistakes.push(format!("without walls: {}: {outcome:?}", deed.name)),
        }
    }
    for deed in deeds() {
        if !matches!(tried(deed, &[]), Outcome::Refused(_)) {
            mistakes.push(format!("with all walls: {}", deed.name));
        }
    }
    let here = layers_here();
    for alone in here.iter().copied() {
        let others: Vec<Layer> = Layer::ALL.into_iter().filter(|one| *one != alone).collect();
        for deed in possible
            .iter()
            .filter(|deed| deed.refused_by.contains(&alone))
        {
            let outcome = tried(deed, &others);
            if !matches!(outcome, Outcome::Refused(_)) {
                mistakes.push(format!("{alone} alone: {}: {outcome:?}", deed.name));
            }
        }
    }
    for missing in here.iter().copied() {
        let remains: Vec<&str> = remains_without(missing, &here)
            .map(|deed| deed.name)
            .collect();
        for deed in deeds().filter(|deed| !remains.contains(&deed.name)) {
            let outcome = tried(deed, &[missing]);
            if !matches!(outcome, Outcome::Refused(_)) {
                mistakes.push(format!("without {missing}: {}: {outcome:?}", deed.name));
            }
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    eprintln!(
        "{} deeds, {} of them possible here",
        deeds().count(),
        possible.len()
    );
}

/// The layers that this system has. That it makes no namespaces is common, and no mistake of ours.
fn layers_here() -> Vec<Layer> {
    let mut layers = Layer::ALL.to_vec();
    layers.retain(|layer| *layer != Layer::Namespaces);
    let deed = deeds().find(|deed| deed.refused_by.contains(&Layer::Namespaces));
    let deed = deed.expect("they refuse something");
    if tried(deed, &layers) == Outcome::Done {
        eprintln!("not here: namespaces");
        return layers;
    }
    Layer::ALL.to_vec()
}

/// Tries a deed in a new installation, in a child without some layers.
fn tried(deed: &Deed, without: &[Layer]) -> Outcome {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (world, _open) = World::make(folder.path()).expect("an installation");
    let outcome = in_child(&world, without, deed.name);
    unmount(folder.path());
    outcome
}

fn in_child(world: &World, without: &[Layer], name: &str) -> Outcome {
    let world = serde_json::to_string(world).expect("plain data");
    let without: Vec<&str> = without.iter().map(|layer| layer.as_str()).collect();
    let program = std::env::current_exe().expect("this program");
    let ended = Command::new(program)
        .args(["deed", &world, &without.join(","), name])
        .stdin(Stdio::piped())
        .output()
        .expect("the child starts");
    let said = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
    match ended.status.code() {
        Some(0) => Outcome::Done,
        Some(code) if code == i32::from(REFUSED) => Outcome::Refused(said),
        // The limits' way to refuse is a signal.
        None => Outcome::Refused(ended.status.to_string()),
        Some(_) => Outcome::Broken(said),
    }
}

/// Takes away what a child without walls has mounted.
fn unmount(root: &Path) {
    let mounted = root.join("data/scratch/worker-1/mounted");
    if mounted.is_dir() {
        // Where nothing is mounted there is nothing to do.
        let _ = Command::new("umount")
            .arg(mounted)
            .stderr(Stdio::null())
            .status();
    }
}
