//! Whole separations.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use vocalhost_job::{
    FileRole, JobResult, JobStage, LossyFiles, Output, Progress, SeparationSpec, Stem,
};
use vocalhost_model::{Catalog, Runtime, Separator, Task};
use vocalhost_pipeline::{PipelineError, Separation, Separators, Singing, make_lossy, separate};
use vocalhost_testing::separators::{Separator as Written, write_all};
use vocalhost_testing::sound;

use super::{EFFECTS, LIMITS, decoded, item, rms, used};

pub(super) struct Loaded {
    vocals: Separator,
    lead: Separator,
    stems: Separator,
}

static SHARES: LazyLock<Loaded> = LazyLock::new(|| {
    let models = tempfile::tempdir().expect("a temporary folder");
    write_all(models.path());
    load(models.path(), 2)
});

pub(super) fn load(models: &Path, threads: usize) -> Loaded {
    let runtime = Runtime::load(None).expect("ONNX Runtime is installed by set-up");
    let catalog = Catalog::open(&[models.to_owned()]);
    assert!(catalog.rejected().is_empty(), "{:?}", catalog.rejected());
    let separator = |task| {
        let package = catalog.separator(task, &[]).expect("there is one");
        Separator::load(&runtime, package, &catalog, threads).expect("loads")
    };
    Loaded {
        vocals: separator(Task::Vocals),
        lead: separator(Task::Lead),
        stems: separator(Task::Stems),
    }
}

impl Loaded {
    fn for_vocals(&self) -> Separators<'_> {
        Separators::Vocals {
            vocals: &self.vocals,
            singing: Some(Singing {
                lead: &self.lead,
                reverb: &self.lead,
            }),
        }
    }

    pub(super) fn for_stems(&self) -> Separators<'_> {
        Separators::Stems(&self.stems)
    }
}

pub(super) struct Separated {
    pub(super) result: JobResult,
    pub(super) reports: Vec<Progress>,
    folder: tempfile::TempDir,
}

impl Separated {
    fn entry(&self, role: FileRole) -> PathBuf {
        let file = self.result.files.iter().find(|file| file.role == role);
        let file = file.expect("the result has the file");
        self.folder.path().join(&file.key)
    }

    pub(super) fn rate_and_sound(&self, role: FileRole) -> (u32, Vec<Vec<f32>>) {
        decoded(&self.entry(role))
    }

    /// The samples of a file in steps of 24 bits, channel after channel.
    pub(super) fn steps(&self, role: FileRole) -> Vec<i64> {
        let (_, sound) = self.rate_and_sound(role);
        sound.concat().iter().map(|sample| steps(*sample)).collect()
    }

    /// The largest difference, in steps, of a sum of files from what it ought to be.
    pub(super) fn off(&self, whole: &[i64], roles: &[FileRole]) -> i64 {
        let mut sum = vec![0; whole.len()];
        for role in roles {
            let samples = self.steps(*role);
            assert_eq!(samples.len(), whole.len());
            for (sum, step) in sum.iter_mut().zip(samples) {
                *sum += step;
            }
        }
        let off = sum
            .iter()
            .zip(whole)
            .map(|(sum, whole)| (sum - whole).abs());
        off.max().unwrap_or_default()
    }
}

fn steps(sample: f32) -> i64 {
    (f64::from(sample) * f64::from(1 << 23)).round() as i64
}

pub(super) fn run(
    recording: &[u8],
    separators: Separators<'_>,
    spec: &SeparationSpec,
) -> Result<Separated, PipelineError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("input");
    fs::write(&input, recording).expect("writes");
    let mut reports = Vec::new();
    let job = Separation {
        spec,
        input: &input,
        scratch: folder.path(),
        effects: &EFFECTS,
        separators,
        limits: LIMITS,
        min_free_bytes: 0,
        threads: 2,
    };
    let result = separate(&job, &mut |progress| reports.push(progress))?;
    Ok(Separated {
        result,
        reports,
        folder,
    })
}

/// Two channels of noise with a sung vowel, interleaved; `level` is its peak, about.
pub(super) fn mix(frames: usize, level: f32) -> Vec<f32> {
    let sung = sound::sung(frames as f64 / 8_000.0 + 1.0, 8_000, 170.0);
    let noise = sound::noise(5, 2 * frames).into_iter().enumerate();
    noise
        .map(|(place, noise)| level * (noise + sung[place / 2]))
        .collect()
}

pub(super) fn plain() -> SeparationSpec {
    SeparationSpec::default()
}

const WHOLES: [FileRole; 4] = [
    FileRole::Vocal,
    FileRole::LossyVocal,
    FileRole::Backing,
    FileRole::LossyBacking,
];

#[test]
fn every_file_has_the_rate_the_channels_and_the_exact_length_of_the_recording() {
    for (channels, rate, frames) in [
        (1, 8_000, 1),
        (2, 8_000, 9_001),
        (2, 44_100, 30_007),
        (1, 48_000, 20_001),
        (6, 22_050, 12_345),
    ] {
        let mono = sound::sung(4.0, rate, 180.0);
        let recording = sound::wav_of(channels, rate, &mono[..frames]);
        for separators in [SHARES.for_vocals(), SHARES.for_stems()] {
            let separated = run(&recording, separators, &plain()).expect("separates");
            for file in &separated.result.files {
                let path = separated.folder.path().join(&file.key);
                let content = file.content.as_ref().expect("it is made");
                assert_eq!(fs::metadata(&path).expect("there").len(), content.bytes);
                let (found_rate, sound) = decoded(&path);
                if file.key.ends_with("wav") {
                    assert_eq!(found_rate, rate);
                    assert_eq!(sound[0].len(), frames, "{} at {rate}", file.key);
                }
                assert_eq!(sound.len(), usize::from(channels.min(2)), "{}", file.key);
            }
            let folded = (channels > 2).then_some(u32::from(channels));
            assert_eq!(separated.result.folded_from, folded);
            let seconds = frames as f64 / f64::from(rate);
            assert!((separated.result.duration_s - seconds).abs() < 1e-9);
        }
    }
}

#[test]
fn the_files_of_a_separation_add_up_to_the_mix_and_to_the_vocal_file() {
    for rate in [8_000, 16_000, 44_100] {
        let samples = mix(20_000, 0.5);
        let recording = sound::wav(2, rate, &samples);
        let separated = run(&recording, SHARES.for_vocals(), &plain()).expect("separates");
        assert_eq!(separated.result.gain_db, None, "nothing clips");
        let input = separated.folder.path().join("input");
        let whole: Vec<i64> = decoded(&input).1.concat().into_iter().map(steps).collect();
        let off = separated.off(&whole, &[FileRole::Vocal, FileRole::Backing]);
        assert!(off <= 1, "{off} steps at {rate}");
        let vocal = separated.steps(FileRole::Vocal);
        let sung = [Stem::Vocals, Stem::Harmony, Stem::Reverb].map(FileRole::Stem);
        let off = separated.off(&vocal, &sung);
        assert!(off <= 1, "{off} steps at {rate}");
        if rate == 8_000 {
            let lead = separated.rate_and_sound(FileRole::Stem(Stem::Vocals)).1;
            let share = rms(&lead[0]) / rms(&decoded(&input).1[0]);
            assert!((share - 0.42).abs() < 1e-3, "{share}");
        }
    }
}

#[test]
fn the_files_of_a_split_add_up_to_the_mix_also_when_the_peak_guard_acts() {
    let loud = {
        let models = tempfile::tempdir().expect("a temporary folder");
        write_all(models.path());
        fs::remove_dir_all(models.path().join("test.stems-1")).expect("removed");
        let parts = [("vocals", 1.9), ("drums", -0.8), ("bass", 0.3)];
        Written::of_shares("stems", &parts, "other").write(models.path());
        load(models.path(), 2)
    };
    for (loaded, guarded) in [(&*SHARES, false), (&loud, true)] {
        let recording = sound::wav(2, 11_025, &mix(15_000, 0.8));
        let separated = run(&recording, loaded.for_stems(), &plain()).expect("separates");
        let gain = separated
            .result
            .gain_db
            .map_or(1.0, |db| 10.0_f64.powf(db / 20.0) as f32);
        assert_eq!(gain < 1.0, guarded, "{gain}");
        let input = separated.folder.path().join("input");
        let mix = decoded(&input).1.concat();
        let whole: Vec<i64> = mix.iter().map(|sample| steps(sample * gain)).collect();
        let all = [Stem::Vocals, Stem::Drums, Stem::Bass, Stem::Other].map(FileRole::Stem);
        for roles in [&all[..], &[FileRole::Vocal, FileRole::Backing]] {
            let off = separated.off(&whole, roles);
            assert!(off <= 1, "{off} steps of {roles:?} at {gain}");
        }
        let peak = all
            .iter()
            .flat_map(|role| separated.steps(*role))
            .map(i64::abs)
            .max();
        assert!(peak < Some(1 << 23), "{peak:?}");
    }
}

#[test]
fn entries_are_in_the_order_of_the_record_and_one_sound_is_one_file() {
    let recording = sound::wav(2, 8_000, &mix(3_000, 0.3));
    let in_order = |stems: &[Stem]| -> Vec<FileRole> {
        let lossless = stems.iter().map(|stem| FileRole::Stem(*stem));
        let lossy = stems.iter().map(|stem| FileRole::LossyStem(*stem));
        WHOLES.into_iter().chain(lossless).chain(lossy).collect()
    };
    for (separators, stems, files, models) in [
        (
            SHARES.for_vocals(),
            &[Stem::Vocals, Stem::Harmony, Stem::Reverb, Stem::Backing][..],
            10,
            &["test.vocals-1", "test.lead-1"][..],
        ),
        (
            SHARES.for_stems(),
            &[
                Stem::Vocals,
                Stem::Drums,
                Stem::Bass,
                Stem::Other,
                Stem::Backing,
            ][..],
            10,
            &["test.stems-1"][..],
        ),
    ] {
        let separated = run(&recording, separators, &plain()).expect("separates");
        let result = &separated.result;
        let roles: Vec<FileRole> = result.files.iter().map(|file| file.role).collect();
        assert_eq!(roles, in_order(stems));
        let keys: BTreeSet<&str> = result.files.iter().map(|file| file.key.as_str()).collect();
        assert_eq!(keys.len(), files, "{keys:?}");
        assert_eq!(
            separated.entry(FileRole::Backing),
            separated.entry(FileRole::Stem(Stem::Backing))
        );
        assert_eq!(used(result), models);
        assert_eq!(result.provider, "cpu");
        let percents: Vec<f64> = separated
            .reports
            .iter()
            .map(|report| report.percent)
            .collect();
        assert!(percents.is_sorted() && percents.last() == Some(&100.0));
        for stage in [JobStage::Decoding, JobStage::Inference, JobStage::Encoding] {
            assert!(separated.reports.iter().any(|report| report.stage == stage));
        }
    }
}

#[test]
fn a_side_of_the_wrong_polarity_is_heard_turned_and_given_back_as_it_was() {
    let models = tempfile::tempdir().expect("a temporary folder");
    let shares = [("vocals", 0.6)];
    Written::of_shares_of_the_middle("vocals", &shares, "backing").write(models.path());
    let sung = [("lead", 0.7), ("harmony", 0.2)];
    Written::of_shares_of_the_middle("lead", &sung, "reverb").write(models.path());
    Written::of_shares(
        "stems",
        &[("vocals", 0.4), ("drums", 0.1), ("bass", 0.3)],
        "other",
    )
    .write(models.path());
    let loaded = load(models.path(), 2);
    // The last is at the rate of the separators, where nothing would have to be written anew.
    for (rate_hz, polarity) in [(16_000, 1.0), (16_000, -1.0), (8_000, -1.0)] {
        let side: Vec<f32> = (0..20_000).map(|n| 0.5 * (n as f32 * 0.05).sin()).collect();
        let both: Vec<f32> = side
            .iter()
            .flat_map(|sample| [*sample, polarity * sample])
            .collect();
        let recording = sound::wav(2, rate_hz, &both);
        let separated = run(&recording, loaded.for_vocals(), &plain()).expect("separates");
        let (_, vocals) = separated.rate_and_sound(FileRole::Vocal);
        let (_, lead) = separated.rate_and_sound(FileRole::Stem(Stem::Vocals));
        for (share, found) in [(0.6, vocals), (0.6 * 0.7, lead)] {
            let loud = rms(&found[0]) / rms(&side);
            assert!((loud - share).abs() < 0.01, "{polarity}: {loud}");
            for (first, second) in found[0].iter().zip(&found[1]) {
                assert!((polarity * first - second).abs() < 1e-6);
            }
        }
    }
}

#[test]
fn silence_gives_every_file_and_all_of_them_silent() {
    let recording = sound::wav_of(2, 32_000, &vec![0.0; 20_000]);
    for separators in [SHARES.for_vocals(), SHARES.for_stems()] {
        let separated = run(&recording, separators, &plain()).expect("separates");
        assert!(separated.result.files.len() >= 12);
        for file in separated
            .result
            .files
            .iter()
            .filter(|file| file.key.ends_with("wav"))
        {
            let (_, sound) = decoded(&separated.folder.path().join(&file.key));
            assert!(
                sound.iter().flatten().all(|sample| *sample == 0.0),
                "{}",
                file.key
            );
        }
    }
}

#[test]
fn effects_run_on_the_mix_before_and_on_every_file_after() {
    let recording = sound::wav(2, 16_000, &mix(20_000, 0.5));
    let dry = run(&recording, SHARES.for_stems(), &plain()).expect("separates");
    let spec = SeparationSpec {
        pre: vec![item("lowPassFilter", &[("cutoff_frequency_hz", 500.0)])],
        ..SeparationSpec::default()
    };
    let pre = run(&recording, SHARES.for_stems(), &spec).expect("separates");
    let level = |separated: &Separated, role| rms(&separated.rate_and_sound(role).1[0]);
    for stem in [Stem::Vocals, Stem::Other, Stem::Backing].map(FileRole::Stem) {
        let ratio = level(&pre, stem) / level(&dry, stem);
        assert!(ratio < 0.8, "{ratio} is left of {stem:?}");
    }
    let spec = SeparationSpec {
        post: vec![item("lowPassFilter", &[("cutoff_frequency_hz", 500.0)])],
        ..SeparationSpec::default()
    };
    let post = run(&recording, SHARES.for_stems(), &spec).expect("separates");
    for stem in [Stem::Vocals, Stem::Other, Stem::Backing].map(FileRole::Stem) {
        let (before, after) = (level(&pre, stem), level(&post, stem));
        assert!(
            (before / after - 1.0).abs() < 0.05,
            "{stem:?}: a filter commutes with shares"
        );
    }
    assert_eq!(post.result.effects[0].id, "vocalhost.low-pass");
    let mut order: Vec<JobStage> = post.reports.iter().map(|report| report.stage).collect();
    order.dedup();
    let ends = [JobStage::Inference, JobStage::Effects, JobStage::Encoding];
    assert!(order.ends_with(&ends), "{order:?}");
    let percents = post.reports.iter().map(|report| report.percent);
    assert!(percents.is_sorted());
}

#[test]
fn lossy_files_that_are_left_for_later_are_listed_as_ever_and_made_of_their_files() {
    // Its samples lie on steps, and so do those of all files.
    let recording = sound::wav(2, 44_100, &mix(100_000, 0.3));
    let with_job = run(&recording, SHARES.for_stems(), &plain()).expect("separates");
    let spec = SeparationSpec {
        output: Output {
            lossy: LossyFiles::OnDemand,
            ..Output::default()
        },
        ..SeparationSpec::default()
    };
    let left = run(&recording, SHARES.for_stems(), &spec).expect("separates");
    let entries = |separated: &Separated| {
        let files = separated.result.files.iter();
        let entries = files.map(|file| (file.role, file.key.clone()));
        entries.collect::<Vec<_>>()
    };
    assert_eq!(entries(&left), entries(&with_job));
    let mut unmade = BTreeSet::new();
    for file in &left.result.files {
        let path = left.folder.path().join(&file.key);
        assert_eq!(file.content.is_some(), path.exists(), "{}", file.key);
        if file.content.is_none() {
            unmade.insert(file.key.as_str());
        }
    }
    assert_eq!(unmade.len(), 5, "{unmade:?}");
    for key in unmade {
        let source = left.result.source_of(key).expect("it is there");
        let [source, made, wanted] = [
            left.folder.path().join(&source.key),
            left.folder.path().join(key),
            with_job.folder.path().join(key),
        ];
        let content = make_lossy(&source, &made).expect("it is made");
        let file = fs::read(&made).expect("it is there");
        assert_eq!(content.bytes, file.len() as u64);
        assert!(file == fs::read(wanted).expect("it is there"), "{key}");
    }
}

#[test]
fn a_damaged_recording_is_an_error_of_the_input() {
    let mut recording = sound::wav(2, 8_000, &mix(5_000, 0.3));
    recording.truncate(30);
    let error = run(&recording, SHARES.for_stems(), &plain())
        .err()
        .expect("refused");
    assert!(matches!(error, PipelineError::Decode(_)), "{error}");
}
