use std::collections::BTreeMap;
use std::f32::consts::TAU;
use std::fs;
use std::path::{Path, PathBuf};

use super::checkpoint::State;
use super::learn::{Judge, Learned, Learning, key};
use super::*;
use crate::clean::Cleaning;
use vocalhost_audio::{AudioLimits, Block, Decoder, FileWriter as _, WavWriter};
use vocalhost_job::{By, CleanStep, Consent, Preset};
use vocalhost_model::{BlendOrder, BlendVoice, BlendedPackage, Catalog, Runtime, Separator, Task};
use vocalhost_testing::{repository, separators};
use vocalhost_training::{Curves, Take};

mod recordings;

fn runtime() -> Runtime {
    Runtime::load(None).expect("the set-up has installed the library")
}

/// A voice of the repository.
fn voice(name: &str) -> PathBuf {
    repository("models").join(format!("vocalhost.{name}-5"))
}

fn wave(path: &Path, samples: Vec<f32>) {
    let mut writer = WavWriter::create(path, 1, 32_000).expect("it can be written");
    writer
        .write(&Block::from_planar(1, samples))
        .expect("it is written");
    Box::new(writer).finish().expect("it is finished");
}

/// More than half a minute of nothing but what Amber says in its demo recording, over and over.
fn amber(path: &Path) {
    over_and_over("amber", 34.0, path);
}

/// So many seconds of what a voice says in its demo recording, over and over.
fn over_and_over(name: &str, seconds: f64, path: &Path) {
    wave(path, said(name, seconds));
}

fn said(name: &str, seconds: f64) -> Vec<f32> {
    let limits = AudioLimits {
        max_duration_s: 60.0,
    };
    let mut decoder = Decoder::open(&voice(name).join("demo.mp3"), &limits).expect("it opens");
    let mut said = Vec::new();
    while let Some(block) = decoder.next_block().expect("it is read") {
        said.extend_from_slice(block.channel(0));
    }
    let once = said.len() as f64 / 32_000.0;
    said.repeat((seconds / once).ceil() as usize)
}

struct Place {
    folder: tempfile::TempDir,
    runtime: Runtime,
    models: Catalog,
    consent: Consent,
    bases: BTreeMap<i64, PathBuf>,
}

impl Place {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            runtime: runtime(),
            models: Catalog::open(&[repository("models")]),
            consent: Consent::to_statement(By::Own, Some("Ada".to_owned())),
            bases: BTreeMap::from([(3, voice("flint")), (4, voice("oak"))]),
        }
    }

    /// Trains a voice from Flint for some steps.
    fn train(&self, recordings: &[Recording], steps: u32) -> Result<JobResult, PipelineError> {
        self.train_minutes(recordings, steps, 20)
    }

    /// The same on so many minutes at most.
    fn train_minutes(
        &self,
        recordings: &[Recording],
        steps: u32,
        most_minutes: u64,
    ) -> Result<JobResult, PipelineError> {
        let scratch = self.scratch();
        let job = self.job(recordings, &scratch, most_minutes);
        train_steps(&job, steps, &mut |_| {})
    }

    fn scratch(&self) -> PathBuf {
        let scratch = self.folder.path().join("scratch");
        fs::create_dir_all(&scratch).expect("it can be made");
        scratch
    }

    fn job<'a>(
        &'a self,
        recordings: &'a [Recording],
        scratch: &'a Path,
        most_minutes: u64,
    ) -> Train<'a> {
        Train {
            title: "Ada's own",
            tags: &[],
            package_id: "voices.7",
            base: Some(3),
            bases: &self.bases,
            recordings,
            isolating: None,
            cleaning: &[],
            preset: Preset::Quick,
            seed: 5,
            consent: &self.consent,
            protected: &[],
            spoken: None,
            checkpoint: None,
            goes_on_only: false,
            scratch,
            runtime: &self.runtime,
            models: &self.models,
            threads: 2,
            limits: AudioLimits {
                max_duration_s: 600.0,
            },
            most_minutes,
        }
    }

    fn recording(&self, name: &str) -> Recording {
        Recording {
            path: self.folder.path().join(name),
            name: name.to_owned(),
        }
    }
}

#[test]
fn the_voice_is_what_separators_leave_of_a_recording() {
    let place = Place::new();
    let folder = place.folder.path().join("separators");
    separators::write_all(&folder);
    let models = Catalog::open(&[folder]);
    let load = |task| {
        let package = models.separators(task).next().expect("it is there");
        Separator::load(&place.runtime, package, &models, 1).expect("it is loaded")
    };
    let (vocals, lead) = (load(Task::Vocals), load(Task::Lead));
    let cleaning = [Cleaning {
        step: CleanStep::Dereverb,
        separator: &lead,
    }];
    let recording = place.recording("tone.wav");
    let tone = (0..64_000).map(|n| 0.5 * (n as f32 * 440.0 * TAU / 32_000.0).sin());
    wave(&recording.path, tone.collect());
    let (scratch, recordings) = (place.scratch(), [recording]);
    let level = |job: &Train<'_>, number| {
        let mut told = 0.0;
        let taken = intake::take(job, &recordings[0], (number, 100_000), &mut |share| {
            told = share;
        });
        let inner = taken.expect("it is read").samples[16_000..48_000].to_vec();
        let power: f32 = inner.iter().map(|sample| sample * sample).sum();
        ((power / inner.len() as f32).sqrt(), told)
    };
    let plain = place.job(&recordings, &scratch, 20);
    let (whole, _) = level(&plain, 0);
    let job = Train {
        isolating: Some(&vocals),
        cleaning: &cleaning,
        ..plain
    };
    let (left, told) = level(&job, 1);
    assert_eq!(cleared_steps(&job), ["music", "room"]);
    // Of six tenths that are sung nine are no reverb.
    assert!((left / whole - 0.54).abs() < 0.002, "{left} of {whole}");
    assert!((told - 1.0).abs() < 1e-9, "{told}");
}

#[test]
fn a_voice_comes_nearer_to_its_recording_and_is_a_package_like_any_other() {
    let place = Place::new();
    let recording = place.recording("said.wav");
    amber(&recording.path);
    let made = place
        .train(std::slice::from_ref(&recording), 10)
        .expect("it is trained");
    let scratch = place.folder.path().join("scratch");
    let metrics = fs::read_to_string(scratch.join("metrics.json")).expect("they are there");
    let number = |name: &str| -> f64 {
        let (_, rest) = metrics
            .split_once(&format!("\"{name}\": "))
            .expect("a figure");
        let end = rest.find([',', '}']).expect("it ends");
        rest[..end].parse().expect("a number")
    };
    let (before, after) = (number("held_out_loss_before"), number("held_out_loss"));
    assert!(after < 0.8 * before, "{before} {after}");
    // What is published is whole, and nothing else: opened from a folder of its own.
    let folder = place.folder.path().join("package");
    fs::create_dir(&folder).expect("it can be made");
    for file in &made.files {
        fs::copy(scratch.join(&file.key), folder.join(&file.key)).expect("it is copied");
    }
    let package = Package::open(&folder).expect("it opens");
    package.verify().expect("it is whole");
    let manifest = package.manifest();
    assert_eq!(
        (manifest.id.as_str(), manifest.name.as_str()),
        ("voices.7", "Ada's own")
    );
    let sum = described(place.folder.path(), "said.wav", FileRole::Output).expect("it is there");
    let sum = sum.content.expect("it is made").sha256;
    assert!(
        manifest.trained_on.contains(&sum),
        "{}",
        manifest.trained_on
    );
    assert!(manifest.consent.contains("Ada") && manifest.consent.contains(Consent::STATEMENT));
    let facts = manifest.voice.as_ref().expect("a voice");
    assert!(
        (facts.mean_f0_hz - 190.0).abs() < 40.0,
        "{}",
        facts.mean_f0_hz
    );
    assert!(manifest.files.contains_key("picture.png") && manifest.files.contains_key("NOTICE"));
    assert!(manifest.files.keys().any(|name| name.starts_with("demo.")));
    // It blends with the others.
    let oak = Package::open(&voice("oak")).expect("it opens");
    let part = |package| BlendVoice {
        package,
        share: 0.5,
        picture: None,
        demo: None,
    };
    let blend = place.folder.path().join("blend");
    fs::create_dir(&blend).expect("it can be made");
    let order = BlendOrder {
        id: "voices.8",
        title: "Both",
        voices: &[part(&package), part(&oak)],
    };
    let blended = BlendedPackage::write(&order, &blend)
        .expect("it blends")
        .seal();
    let blended = blended.expect("it is a package");
    assert!(blended.manifest().consent.contains("Ada"));
    // A checkpoint of another training is nothing to begin anew over, where it is to go on.
    let checkpoint = place.folder.path().join("checkpoint");
    fs::write(&checkpoint, b"VHTRAIN1 of another").expect("written");
    fs::remove_dir_all(&scratch).expect("it is there");
    let (recordings, scratch) = ([recording], place.scratch());
    let job = Train {
        checkpoint: Some(&checkpoint),
        goes_on_only: true,
        ..place.job(&recordings, &scratch, 20)
    };
    let refused = train_steps(&job, 10, &mut |_| {});
    assert!(
        matches!(refused, Err(PipelineError::Checkpoint)),
        "{refused:?}"
    );
}

/// A recording by a formula.
fn take() -> Take {
    let frames = 1_200_u16;
    let wave = |place: f32| place.sin();
    let curve = |frame: u16| Curves {
        total: [-4.0 + wave(f32::from(frame) * 0.1); 64],
        rough: [0.3; 64],
    };
    Take {
        content: (0..u32::from(frames) / 2 * 65)
            .map(|place| wave(place as f32 * 0.37))
            .collect(),
        f0_hz: (0..frames)
            .map(|frame| if frame % 70 < 50 { 150.0 } else { 0.0 })
            .collect(),
        curves: (0..frames).map(curve).collect(),
        stretches: (0..6)
            .map(|number| number * 200..(number + 1) * 200)
            .collect(),
    }
}

#[test]
fn the_weights_are_the_same_after_any_end_and_beginning() {
    let order = Order {
        sizes: Sizes {
            width: 8,
            dilations: vec![1, 2],
        },
        batch: 2,
        frames: 32,
        ..Order::default()
    };
    let takes = [take()];
    let batches = Batches::new(&takes, [0.1; CONTENT], (2, 32));
    let (runtime, folder) = (runtime(), tempfile::tempdir().expect("a temporary folder"));
    let learning = |steps, name: &[u8]| Learning {
        order: &order,
        batches: &batches,
        seed: 3,
        steps,
        key: key(&[name]),
    };
    let start: Vec<f32> = (0..order.count())
        .map(|place| 0.1 * (place as f32).sin())
        .collect();
    let run = |learning: &Learning<'_>, checkpoint: Option<&Path>, stop: Option<u32>| {
        let mut judge = Judge::new(&runtime, &order, &batches).expect("it loads");
        let path = folder.path().join("checkpoint");
        let kept = &mut |learned: Learned<'_>| match learned {
            Learned::Kept(state) => Ok(state.write(&path, &learning.key)?),
            Learned::Step(step) if Some(step.step) == stop => {
                Err(std::io::Error::other("killed").into())
            }
            Learned::Step(_) => Ok(()),
        };
        learning.run(&runtime, &mut judge, (start.clone(), checkpoint), kept)
    };
    let sum = |state: &State| {
        let row = state.rows.concat();
        let bytes: Vec<u8> = row.iter().flat_map(|value| value.to_le_bytes()).collect();
        key(&[&bytes])
    };
    let whole = run(&learning(230, b"one"), None, None).expect("it learns");
    assert!(whole.losses[1] < whole.losses[0], "{:?}", whole.losses);
    for stop in [110, 190, 210] {
        let path = folder.path().join("checkpoint");
        let _ = fs::remove_file(&path);
        run(&learning(230, b"one"), None, Some(stop)).expect_err("it is killed");
        let again = run(&learning(230, b"one"), Some(&path), None).expect("it goes on");
        assert_eq!(sum(&again), sum(&whole), "killed at {stop}");
        assert_eq!((again.step, again.best_step), (whole.step, whole.best_step));
    }
    // What another training left is not gone on from.
    let path = folder.path().join("checkpoint");
    let other = run(&learning(20, b"other"), Some(&path), None).expect("it learns");
    assert_eq!(other.step, 20);
}
