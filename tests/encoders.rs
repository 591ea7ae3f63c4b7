//! Content encoders that come in from the command line: which one is which.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;
use vocalhost_model::Package;
use vocalhost_testing::encoder::exported_encoder;
use vocalhost_testing::repository;
use vocalhost_testing::server::vocalhost;

/// A data folder, and folders for files beside it.
struct Bench(TempDir);

fn factor(channel: u16) -> f32 {
    f32::from(channel) - 100.0
}

impl Bench {
    fn new() -> Self {
        let bench = Self(tempfile::tempdir().expect("a temporary folder"));
        fs::create_dir(bench.path("none")).expect("a folder");
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn import(&self, file: &Path, more: &[&str]) -> Output {
        let none = self.path("none");
        let import = ["model", "import", text(file), "--models-dir", text(&none)];
        vocalhost(&self.path("data"), &[&import, more].concat())
    }

    /// Imports the graph of an encoder, and gives what is said of it.
    fn encoder(&self, graph: &[u8], more: &[&str]) -> Output {
        let file = self.path("encoder.onnx");
        fs::write(&file, graph).expect("written");
        self.import(&file, more)
    }

    fn identity(&self, id: &str) -> Option<String> {
        let package = Package::open(&self.path("data/models").join(id)).expect("a package");
        package.manifest().content.as_ref()?.identity.clone()
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("plain text")
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn an_encoder_that_is_exported_once_more_is_known_as_the_one_that_is_there() {
    let bench = Bench::new();
    let first = exported_encoder(factor, 1.0);
    let words = said(&bench.encoder(&first, &["--id", "test.first", "--set", "identity=spin"]));
    assert!(words.contains("It is the encoder spin."), "{words}");

    let same_weights =
        said(&bench.encoder(&exported_encoder(factor, 1.5), &["--id", "test.other"]));
    let wanted = "It has the weights of the content encoder test.first, which is there already: so it is the encoder spin.";
    assert!(same_weights.contains(wanted), "{same_weights}");
    let halves = exported_encoder(|channel| factor(channel) / 2.0, 2.0);
    let same_vectors = said(&bench.encoder(&halves, &["--id", "test.again"]));
    let wanted = "It gives what the content encoder test.first gives, which is there already: so it is the encoder spin.";
    assert!(same_vectors.contains(wanted), "{same_vectors}");
    for id in ["test.other", "test.again"] {
        assert_eq!(bench.identity(id).as_deref(), Some("spin"), "{id}");
    }

    let another = exported_encoder(|channel| factor(channel * 7 % 256), 1.0);
    let words = said(&bench.encoder(&another, &["--id", "test.another"]));
    assert!(
        words.contains("Nobody has said which encoder it is"),
        "{words}"
    );
    assert_eq!(bench.identity("test.another"), None);

    let refused = bench.encoder(
        &halves,
        &["--id", "test.wrong", "--set", "identity=contentvec"],
    );
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(words.contains("\"contentvec\" cannot be taken"), "{words}");
    assert!(words.contains("as the encoder spin"), "{words}");
    assert!(!bench.path("data/models/test.wrong").exists());
}

#[test]
fn a_voice_says_which_encoder_it_was_bound_to_and_keeps_it() {
    let bench = Bench::new();
    let graph = exported_encoder(factor, 1.0);
    said(&bench.encoder(
        &graph,
        &["--id", "test.vec", "--set", "identity=contentvec"],
    ));
    let checkpoint = repository("tests/fixtures/checkpoints/rvc-v1-48k-f0.pth");
    let words = said(&bench.import(&checkpoint, &["--name", "Anna"]));
    let wanted = "It is bound to the content encoder test.vec (contentvec).";
    assert!(words.contains(wanted), "{words}");
    let profiled = said(&bench.import(&checkpoint, &["--set", "profile=rvc-2.3"]));
    assert!(profiled.contains(wanted), "{profiled}");
    let named = said(&bench.import(&checkpoint, &["--set", "content=test.vec"]));
    assert!(named.contains(wanted), "{named}");
    let refused = bench.import(&checkpoint, &["--set", "profile=rvc-9"]);
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(words.contains("one of rvc-2.2, rvc-2.3"), "{words}");

    let recording = repository("tests/fixtures/audio/saw16.flac");
    let result = bench.path("result.wav");
    let none = bench.path("none");
    let spoken = ["--voice", "Anna", "--models-dir", text(&none), "--speaker"];
    let convert = ["convert", text(&recording), text(&result)];
    let strange = vocalhost(
        &bench.path("data"),
        &[&convert, &spoken[..], &["65000"]].concat(),
    );
    let words = String::from_utf8_lossy(&strange.stderr).into_owned();
    assert!(
        words.contains("speakerId must be between 0 and "),
        "{words}"
    );
}
