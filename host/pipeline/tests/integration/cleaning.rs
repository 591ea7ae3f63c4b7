//! Separators of one purpose, behind others and before a voice.

use std::fs;
use std::path::Path;

use vocalhost_job::{CleanStep, ConversionSpec, FileRole, JobResult, Progress, Stem};
use vocalhost_model::{Catalog, Runtime, Separator, Task};
use vocalhost_pipeline::{Cleaning, Conversion, Separators, Singing, convert};
use vocalhost_testing::job::conversion;
use vocalhost_testing::separators::{Separator as Written, write_all};
use vocalhost_testing::sound;

use super::conversion::VOICE;
use super::separation::{mix, plain, run};
use super::{EFFECTS, LIMITS, decoded, rms, used};

struct Loaded {
    vocals: Separator,
    lead: Separator,
    karaoke: Separator,
    dereverb: Separator,
    denoise: Separator,
}

/// Of the vocals, which are 0.6 of the mix, 0.5 are the lead; of any sound 0.8 are dry and 0.25 noise.
fn loaded(karaoke: (&'static str, &'static str)) -> Loaded {
    let models = tempfile::tempdir().expect("a temporary folder");
    write_all(models.path());
    let (estimated, left) = karaoke;
    Written::of_shares("karaoke", &[(estimated, 0.5)], left).write(models.path());
    Written::of_shares("dereverb", &[("dry", 0.8)], "reverb").write(models.path());
    Written::of_shares("denoise", &[("noise", 0.25)], "clean").write(models.path());
    let runtime = Runtime::load(None).expect("ONNX Runtime is installed by set-up");
    let catalog = Catalog::open(&[models.path().to_owned()]);
    assert!(catalog.rejected().is_empty(), "{:?}", catalog.rejected());
    let separator = |task| {
        let package = catalog.separator(task, &[]).expect("there is one");
        Separator::load(&runtime, package, &catalog, 1).expect("loads")
    };
    Loaded {
        vocals: separator(Task::Vocals),
        lead: separator(Task::Lead),
        karaoke: separator(Task::Karaoke),
        dereverb: separator(Task::Dereverb),
        denoise: separator(Task::Denoise),
    }
}

#[test]
fn separators_of_one_purpose_take_the_vocals_apart_and_still_add_up_to_them() {
    for (karaoke, loudness_lufs) in [
        (("lead", "backing"), None),
        (("backing", "lead"), None),
        (("backing", "lead"), Some(-25.0)),
    ] {
        let mut spec = plain();
        spec.output.loudness_lufs = loudness_lufs;
        let loaded = loaded(karaoke);
        let (lead, karaoke, dereverb) = (&loaded.lead, &loaded.karaoke, &loaded.dereverb);
        for (lead, reverb, shares, models) in [
            (
                karaoke,
                dereverb,
                [0.4, 0.5, 0.1],
                &["karaoke", "dereverb"][..],
            ),
            // What the other one finds of lead and harmony in the lead is lead.
            (karaoke, lead, [0.45, 0.5, 0.05], &["karaoke", "lead"]),
            (lead, dereverb, [0.64, 0.2, 0.16], &["lead", "dereverb"]),
            (lead, lead, [0.7, 0.2, 0.1], &["lead"]),
        ] {
            let separators = Separators::Vocals {
                vocals: &loaded.vocals,
                singing: Some(Singing { lead, reverb }),
            };
            let recording = sound::wav(2, 11_025, &mix(12_000, 0.5));
            let separated = run(&recording, separators, &spec).expect("separates");
            let stems = [Stem::Vocals, Stem::Harmony, Stem::Reverb].map(FileRole::Stem);
            let vocal = separated.steps(FileRole::Vocal);
            let off = separated.off(&vocal, &stems);
            assert!(off <= 1, "{off} steps, {models:?}");
            assert_eq!(separated.result.gain_db.is_some(), loudness_lufs.is_some());
            let whole = rms(&separated.rate_and_sound(FileRole::Vocal).1[0]);
            for (role, share) in stems.into_iter().zip(shares) {
                let found = rms(&separated.rate_and_sound(role).1[0]) / whole;
                assert!((found - share).abs() < 2e-3, "{role:?} {found} {models:?}");
            }
            let models = models.iter().map(|task| format!("test.{task}-1"));
            let models: Vec<String> = ["test.vocals-1".to_owned()]
                .into_iter()
                .chain(models)
                .collect();
            assert_eq!(used(&separated.result), models);
            let percents = separated.reports.iter().map(|report| report.percent);
            assert!(percents.is_sorted(), "progress goes on");
        }
    }
}

struct Converted {
    result: JobResult,
    reports: Vec<Progress>,
    folder: tempfile::TempDir,
}

impl Converted {
    fn sound(&self, role: FileRole) -> Vec<f32> {
        let file = self.result.files.iter().find(|file| file.role == role);
        let file = file.unwrap_or_else(|| panic!("no {role:?}"));
        decoded(&self.folder.path().join(&file.key)).1.remove(0)
    }

    fn has(&self, role: FileRole) -> bool {
        self.result.files.iter().any(|file| file.role == role)
    }
}

fn converted(
    recording: &[u8],
    isolating: Option<&Separator>,
    cleaning: &[Cleaning<'_>],
) -> Converted {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("input");
    fs::write(&input, recording).expect("writes");
    let spec = ConversionSpec {
        isolate_vocals: isolating.is_some(),
        clean: cleaning.iter().map(|cleaning| cleaning.step).collect(),
        ..conversion()
    };
    let mut reports = Vec::new();
    let job = Conversion {
        spec: &spec,
        input: &input,
        backing: None,
        isolating,
        cleaning,
        scratch: folder.path(),
        effects: &EFFECTS,
        voice: &VOICE,
        limits: LIMITS,
        min_free_bytes: 0,
        threads: 1,
    };
    let result = convert(&job, &mut |progress| reports.push(progress)).expect("converts");
    assert!(!spools_are_left(folder.path()));
    Converted {
        result,
        reports,
        folder,
    }
}

/// Whether a sound of one stem still lies under its name.
fn spools_are_left(folder: &Path) -> bool {
    ["lead", "dry", "noise", "sung", "heard"]
        .iter()
        .any(|name| folder.join(format!("{name}.f32")).exists())
}

fn near(found: &[f32], wanted: impl Iterator<Item = f32>) -> bool {
    let mut both = found.iter().zip(wanted);
    both.all(|(found, wanted)| (found - wanted).abs() < 1e-4)
}

#[test]
fn harmony_stays_in_the_backing_of_a_song_and_reverb_and_noise_are_dropped() {
    let loaded = loaded(("lead", "backing"));
    let song: Vec<f32> = sound::sung(2.0, 8_000, 180.0)
        .iter()
        .map(|sample| 0.5 * sample)
        .collect();
    let recording = sound::wav_of(2, 8_000, &song);
    let cleaning = |step, separator| Cleaning { step, separator };
    let all = [
        cleaning(CleanStep::Lead, &loaded.karaoke),
        cleaning(CleanStep::Dereverb, &loaded.dereverb),
        cleaning(CleanStep::Denoise, &loaded.denoise),
    ];
    let cleaned = converted(&recording, Some(&loaded.vocals), &all);
    let times = |share: f32| song.iter().map(move |sample| share * sample);
    let gain = cleaned.result.gain_db;
    assert_eq!(gain, None, "nothing clips");
    // 0.6 of the song are vocals, half of them the lead.
    assert!(near(&cleaned.sound(FileRole::Vocal), times(0.3)));
    let backing = cleaned.sound(FileRole::Backing);
    assert!(near(&backing, times(0.7)));
    let voice = cleaned.sound(FileRole::Output);
    let sum = voice
        .iter()
        .zip(&backing)
        .map(|(voice, backing)| voice + backing);
    assert!(near(&cleaned.sound(FileRole::Recombined), sum));
    assert!(rms(&voice) > 0.001, "there is sound");
    let models = used(&cleaned.result);
    assert_eq!(
        models[..4],
        [
            "test.vocals-1",
            "test.karaoke-1",
            "test.dereverb-1",
            "test.denoise-1"
        ]
    );
    let percents = cleaned.reports.iter().map(|report| report.percent);
    assert!(percents.is_sorted(), "progress goes on");
    // Without the lead step the song's vocals stay as they were, whatever is taken out for the voice.
    let dry = converted(&recording, Some(&loaded.vocals), &all[1..]);
    assert!(near(&dry.sound(FileRole::Vocal), times(0.6)));
    assert!(near(&dry.sound(FileRole::Backing), times(0.4)));
}

#[test]
fn a_recording_of_a_voice_alone_is_cleaned_before_the_voice_hears_it() {
    let loaded = loaded(("lead", "backing"));
    let sung = sound::sung(2.0, 8_000, 180.0);
    let steps = [Cleaning {
        step: CleanStep::Dereverb,
        separator: &loaded.dereverb,
    }];
    let cleaned = converted(&sound::wav_of(1, 8_000, &sung), None, &steps);
    let quieter: Vec<f32> = sung.iter().map(|sample| 0.8 * sample).collect();
    let as_heard = converted(&sound::wav_of(1, 8_000, &quieter), None, &[]);
    let (found, wanted) = (
        cleaned.sound(FileRole::Output),
        as_heard.sound(FileRole::Output),
    );
    let difference: Vec<f32> = found
        .iter()
        .zip(&wanted)
        .map(|(one, other)| one - other)
        .collect();
    assert_eq!(found.len(), sung.len());
    assert!(
        rms(&difference) < 0.1 * rms(&wanted),
        "{}",
        rms(&difference)
    );
    assert!(!cleaned.has(FileRole::Vocal) && !cleaned.has(FileRole::Recombined));
    assert!(used(&cleaned.result).contains(&"test.dereverb-1"));
}
