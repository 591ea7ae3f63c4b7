//! Separations: lengths, silence, mono, seams, and what is refused.

use std::fs;

use vocalhost_audio::{Block, Spool, SpoolWriter};
use vocalhost_model::{Catalog, ModelError, Runtime, Separator, Task};
use vocalhost_testing::onnx::{Attribute, Graph};
use vocalhost_testing::separators::{RATE_HZ, Separator as Written};
use vocalhost_testing::sound::noise;

use super::sound::{difference_db, models_folder};

/// The separator of a task in a package that was just written.
pub fn loaded(package: Written, threads: usize) -> Separator {
    let models = tempfile::tempdir().expect("a temporary folder");
    package.write(models.path());
    let catalog = Catalog::open(&[models.path().to_owned()]);
    assert!(catalog.rejected().is_empty(), "{:?}", catalog.rejected());
    let runtime = Runtime::load(None).expect("the set-up has installed the library");
    Separator::load(&runtime, &catalog.packages()[0], &catalog, threads).expect("loads")
}

/// Planar samples in a spool.
pub fn spool(rate_hz: u32, channels: &[Vec<f32>]) -> Spool {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("spool");
    let mut writer = SpoolWriter::create(&path, channels.len(), rate_hz).expect("made");
    if !channels[0].is_empty() {
        let block = Block::from_planar(channels.len(), channels.concat());
        writer.write(&block).expect("written");
    }
    writer.finish().expect("finished")
}

/// Every estimated stem, channel by channel.
pub fn separated(separator: &Separator, source: &Spool) -> Vec<Vec<Vec<f32>>> {
    let mut stems = vec![vec![Vec::new(); source.channels()]; separator.estimated().len()];
    let mut shares = Vec::new();
    let mut sink = |blocks: Vec<Block>| -> Result<(), ModelError> {
        for (stem, block) in stems.iter_mut().zip(&blocks) {
            for (channel, samples) in stem.iter_mut().enumerate() {
                samples.extend_from_slice(block.channel(channel));
            }
        }
        Ok(())
    };
    separator
        .separate(source, &mut sink, &mut |share| shares.push(share))
        .expect("separates");
    assert!(shares.is_sorted(), "progress never goes back");
    if source.frames() > 0 {
        assert_eq!(shares.last(), Some(&1.0));
    }
    stems
}

fn four_stems() -> Written {
    let shares = [
        ("bass", 0.125),
        ("vocals", 0.5),
        ("drums", 0.25),
        ("other", 0.9),
    ];
    Written::of_shares("stems", &shares, "other")
}

/// A network in which what comes out depends on the neighbouring frames and bins alone: a mask from the power around each
/// bin. Pieces are a multiple of the hop, so that frames lie at the same places however the sound is cut.
fn local(frames: u32, chunk: &str) -> Written {
    let (bins, frames_i) = (256_i64, i64::from(frames));
    let kernel: Vec<f32> = (0..4 * 4 * 9)
        .map(|place| 0.02 + 0.002 * (place % 7) as f32)
        .collect();
    let shape = [Some(1), Some(4), Some(bins), Some(frames_i)];
    let graph = Graph::default()
        .input(("spec", &shape))
        .node("Mul", &["spec", "spec"], "power", &[])
        .constant("kernel", &[4, 4, 3, 3], &kernel)
        .node(
            "Conv",
            &["power", "kernel"],
            "around",
            &[
                ("pads", Attribute::Ints(vec![1, 1, 1, 1])),
                ("group", Attribute::Int(1)),
            ],
        )
        .constant("threshold", &[1], &[4.0])
        .node("Sub", &["around", "threshold"], "over", &[])
        .node("Sigmoid", &["over"], "mask", &[])
        .node("Mul", &["mask", "spec"], "out", &[])
        .output(("out", &shape));
    Written {
        task: "vocals",
        stems: vec!["vocals"],
        family: "mdx-net",
        facts: "",
        residual: "backing",
        sections: format!(
            "[stft]\nn_fft = 512\nhop = 128\nkeep_bins = 256\n\n[chunk]\nframes = {frames}\n{chunk}\n"
        ),
        tensors: vec![
            (
                "in",
                "spec",
                "mix_spec",
                format!("1, 4, 256, {frames}"),
                "b (c k) f t",
            ),
            (
                "out",
                "out",
                "stems_spec",
                format!("1, 4, 256, {frames}"),
                "b (c k) f t",
            ),
        ],
        graph,
    }
}

fn varied(seed: u32, count: usize) -> Vec<f32> {
    let noise = noise(seed, count).into_iter().enumerate();
    noise
        .map(|(n, sample)| {
            let n = n as f32;
            0.3 * (n * 0.05).sin() * (n * 0.0007).sin() + 0.3 * sample * (n * 0.0011).cos().max(0.0)
        })
        .collect()
}

#[test]
fn stems_have_the_length_and_the_channels_of_the_recording() {
    let separator = loaded(four_stems(), 2);
    assert_eq!(separator.estimated(), ["vocals", "drums", "bass"]);
    assert_eq!(separator.residual(), "other");
    for frames in [0, 1, 2, 2_999, 3_000, 3_001, 3_999, 4_000, 4_001, 50_007] {
        for channels in [1, 2] {
            let sides: Vec<Vec<f32>> = (0..channels).map(|side| noise(side + 1, frames)).collect();
            let stems = separated(&separator, &spool(RATE_HZ, &sides));
            for (stem, share) in stems.iter().zip([0.5, 0.25, 0.125]) {
                for (found, side) in stem.iter().zip(&sides) {
                    assert_eq!(found.len(), frames);
                    for (found, sample) in found.iter().zip(side) {
                        assert!((found - share * sample).abs() < 1e-6, "{frames} {channels}");
                    }
                }
            }
        }
    }
}

#[test]
fn pieces_of_a_local_model_join_without_a_seam() {
    let sides = vec![varied(1, 120_000), varied(2, 120_000)];
    let source = spool(RATE_HZ, &sides);
    let whole = separated(
        &loaded(local(1_024, "step = 65536\nborder = 512"), 1),
        &source,
    );
    for chunk in [
        "overlap = 0.25\nborder = 2048\ntrim = 640",
        "step = 5888\nborder = 640\ntrim = 640\nwindow = \"linear-fade\"",
        "step = 4096\nborder = 512\ntrim = 512\nwindow = \"triangle\"",
        "step = 4096\nborder = 4096\ntrim = 384\nwindow = \"hamming-symmetric\"",
    ] {
        // A quarter of a piece of 64 frames is not a whole number of hops; this one is.
        let frames = if chunk.starts_with("overlap") { 65 } else { 64 };
        let joined = separated(&loaded(local(frames, chunk), 2), &source);
        for side in 0..2 {
            let seam = difference_db(&joined[0][side], &whole[0][side]);
            assert!(seam <= -60.0, "{chunk}: {seam:.1} dB");
        }
    }
    let kept = difference_db(&whole[0][0], &sides[0]);
    assert!(kept > -30.0, "the model does something: {kept:.1} dB");
}

#[test]
fn samples_do_not_depend_on_the_number_of_threads() {
    let sides = vec![varied(3, 60_000), varied(4, 60_000)];
    let source = spool(RATE_HZ, &sides);
    let with = |threads| separated(&loaded(local(64, "overlap = 0.5"), threads), &source);
    let single = with(1);
    for threads in [2, 3, 5] {
        assert!(single == with(threads), "{threads} threads");
    }
}

#[test]
fn silence_is_silent_whatever_the_model_says_of_it() {
    // It answers everything with sound of its own.
    let mut package = Written::of_shares("vocals", &[("vocals", 1.0)], "backing");
    package.graph = Graph::default()
        .input(("mix", &[Some(1), Some(2), Some(4_000)]))
        .constant("loud", &[1, 1, 1, 1], &[0.5])
        .node("Add", &["mix", "loud"], "out", &[])
        .output(("out", &[Some(1), Some(1), Some(2), Some(4_000)]));
    let separator = loaded(package, 1);
    let silent = separated(
        &separator,
        &spool(RATE_HZ, &[vec![0.0; 30_000], vec![0.0; 30_000]]),
    );
    assert!(silent[0].iter().flatten().all(|sample| *sample == 0.0));
    let mut sound = vec![0.0; 30_000];
    sound[29_999] = 0.25;
    let heard = separated(&separator, &spool(RATE_HZ, &[sound.clone(), sound]));
    assert!((heard[0][0][29_999] - 0.75).abs() < 1e-6);
    assert!(heard[0][0][..20_000].iter().all(|sample| *sample == 0.0));
}

#[test]
fn denoising_takes_out_what_does_not_follow_the_sign() {
    let mut package = Written::of_shares("vocals", &[("vocals", 1.0)], "backing");
    package.facts = "denoise = true\ncompensate = 1.5\n";
    package.graph = Graph::default()
        .input(("mix", &[Some(1), Some(2), Some(4_000)]))
        .constant("hum", &[1, 1, 1, 1], &[0.3])
        .node("Add", &["mix", "hum"], "out", &[])
        .output(("out", &[Some(1), Some(1), Some(2), Some(4_000)]));
    let side = noise(9, 9_000);
    let stems = separated(
        &loaded(package, 1),
        &spool(RATE_HZ, &[side.clone(), side.clone()]),
    );
    for (found, sample) in stems[0][0].iter().zip(&side) {
        assert!((found - 1.5 * sample).abs() < 1e-5, "{found} {sample}");
    }
}

#[test]
fn a_model_that_answers_nonsense_is_an_error() {
    let mut package = Written::of_shares("vocals", &[("vocals", 1.0)], "backing");
    package.graph = Graph::default()
        .input(("mix", &[Some(1), Some(2), Some(4_000)]))
        .constant("zero", &[1, 1, 1, 1], &[0.0])
        .node("Div", &["mix", "zero"], "out", &[])
        .output(("out", &[Some(1), Some(1), Some(2), Some(4_000)]));
    let separator = loaded(package, 1);
    let source = spool(RATE_HZ, &[vec![0.1; 100]]);
    let mut sink = |_: Vec<Block>| -> Result<(), ModelError> { Ok(()) };
    let error = separator
        .separate(&source, &mut sink, &mut |_| {})
        .expect_err("infinity is no sound");
    assert!(error.to_string().contains("test.vocals-1"), "{error}");
}

#[test]
fn the_separators_of_the_repository_serve_their_tasks() {
    let catalog = Catalog::open(&[models_folder()]);
    let runtime = Runtime::load(None).expect("the set-up has installed the library");
    for task in Task::NEEDED {
        let package = catalog.separator(task, &[]).expect("there is one");
        let separator = Separator::load(&runtime, package, &catalog, 1).expect("loads");
        assert_eq!(separator.sample_rate_hz(), 44_100);
        let sides = vec![varied(5, 70_000), varied(6, 70_000)];
        let stems = separated(&separator, &spool(44_100, &sides));
        assert_eq!(stems.len() + 1, task.stems().len());
        for samples in stems.iter().flatten() {
            assert_eq!(samples.len(), 70_000);
            assert!(samples.iter().any(|sample| *sample != 0.0));
        }
    }
}

#[test]
fn the_named_separator_is_used_and_otherwise_the_newest() {
    let models = tempfile::tempdir().expect("a temporary folder");
    for (id, created) in [
        ("test.a", "2026-02-01"),
        ("test.b", "2026-03-01"),
        ("test.c", "2026-01-01"),
    ] {
        let folder = models.path().join(id);
        fs::create_dir(&folder).expect("made");
        four_stems().write(&folder);
        let inner = folder.join("test.stems-1");
        let text = fs::read_to_string(inner.join("package.toml")).expect("a manifest");
        let text = text
            .replace("2026-11-21", created)
            .replace("test.stems-1", id);
        fs::write(folder.join("package.toml"), text).expect("written");
        fs::rename(inner.join("graph.onnx"), folder.join("graph.onnx")).expect("moved");
    }
    let catalog = Catalog::open(&[models.path().to_owned()]);
    let chosen = |named: &[&str]| {
        let named: Vec<String> = named.iter().map(|id| (*id).to_owned()).collect();
        let package = catalog
            .separator(Task::Stems, &named)
            .expect("there are three");
        package.manifest().id.clone()
    };
    assert_eq!(chosen(&[]), "test.b");
    assert_eq!(chosen(&["test.c", "test.unknown"]), "test.c");
    assert!(catalog.separator(Task::Lead, &[]).is_none());
}

#[test]
fn among_tasks_that_can_do_the_same_a_named_separator_goes_first_and_otherwise_the_newest() {
    let models = tempfile::tempdir().expect("a temporary folder");
    let sung = [("lead", 0.5), ("harmony", 0.25)];
    Written::of_shares("lead", &sung, "reverb").write_as(models.path(), "test.a");
    Written::of_shares("karaoke", &[("lead", 0.5)], "backing").write_as(models.path(), "test.b");
    Written::of_shares("dereverb", &[("reverb", 0.5)], "dry").write_as(models.path(), "test.c");
    let catalog = Catalog::open(&[models.path().to_owned()]);
    assert!(catalog.rejected().is_empty(), "{:?}", catalog.rejected());
    let first = |tasks: &[Task], named: &str| {
        let package = catalog.first_of(tasks, &[named.to_owned()]);
        package.map(|package| package.manifest().id.clone())
    };
    let finding_harmony = [Task::Karaoke, Task::Lead];
    assert_eq!(first(&finding_harmony, "").as_deref(), Some("test.b"));
    assert_eq!(first(&finding_harmony, "test.a").as_deref(), Some("test.a"));
    assert_eq!(
        first(&[Task::Dereverb], "test.a").as_deref(),
        Some("test.c")
    );
    assert_eq!(first(&[Task::Deecho, Task::Crowd], ""), None);
}

#[test]
fn separators_of_one_purpose_estimate_either_stem_and_leave_the_other() {
    let runtime = Runtime::load(None).expect("the set-up has installed the library");
    for (task, stem, left) in [
        ("karaoke", "lead", "backing"),
        ("karaoke", "backing", "lead"),
        ("dereverb", "dry", "reverb"),
        ("deecho", "echo", "dry"),
        ("denoise", "noise", "clean"),
        ("crowd", "clean", "crowd"),
    ] {
        let models = tempfile::tempdir().expect("a temporary folder");
        Written::of_shares(task, &[(stem, 0.5)], left).write(models.path());
        let catalog = Catalog::open(&[models.path().to_owned()]);
        let task = Task::parse(task).expect("a task");
        let package = catalog.separator(task, &[]).expect("it is usable");
        let separator = Separator::load(&runtime, package, &catalog, 1).expect("loads");
        assert_eq!(separator.estimated(), [stem]);
        assert_eq!(separator.residual(), left);
    }
    // A stem of another purpose makes up nothing.
    let models = tempfile::tempdir().expect("a temporary folder");
    Written::of_shares("denoise", &[("dry", 0.5)], "noise").write(models.path());
    let catalog = Catalog::open(&[models.path().to_owned()]);
    let (_, error) = catalog.rejected().first().expect("it is refused");
    assert!(
        error.to_string().contains("\"clean\" is missing"),
        "{error}"
    );
}

#[test]
fn a_manifest_that_contradicts_itself_is_refused_with_the_key() {
    let refusal = |change: &dyn Fn(&mut Written), from: &str, to: &str| {
        let models = tempfile::tempdir().expect("a temporary folder");
        let mut package = local(64, "overlap = 0.25");
        change(&mut package);
        package.write(models.path());
        let path = models.path().join("test.vocals-1/package.toml");
        let text = fs::read_to_string(&path).expect("a manifest");
        assert!(text.contains(from), "{from}");
        fs::write(&path, text.replacen(from, to, 1)).expect("written");
        let catalog = Catalog::open(&[models.path().to_owned()]);
        catalog
            .rejected()
            .first()
            .map(|(_, error)| error.to_string())
            .unwrap_or_default()
    };
    for (from, to, key) in [
        ("overlap = 0.25", "overlap = 1.5", "chunk.overlap"),
        ("overlap = 0.25", "step = 9000", "chunk.step"),
        ("overlap = 0.25", "overlap = 0.25\nstep = 100", "chunk.step"),
        ("overlap = 0.25", "step = 1", "chunk.step"),
        (
            "overlap = 0.25",
            "overlap = 0.25\ntrim = 4100",
            "chunk.trim",
        ),
        (
            "overlap = 0.25",
            "overlap = 0.25\nborder = 99999",
            "chunk.border",
        ),
        (
            "overlap = 0.25",
            "overlap = 0.25\ndivisor = \"constant\"",
            "chunk.divisor",
        ),
        ("frames = 64", "frames = 64\nsamples = 9", "chunk"),
        ("frames = 64", "frames = 4000000000", "chunk"),
        ("n_fft = 512", "n_fft = 511", "stft.n_fft"),
        ("n_fft = 512", "n_fft = 4000000000", "stft.n_fft"),
        ("hop = 128", "hop = 0", "stft.hop"),
        ("hop = 128", "hop = 1\nframes = 200000", "stft.hop"),
        ("keep_bins = 256", "keep_bins = 258", "stft.keep_bins"),
        ("keep_bins = 256", "keep_bins = 200", "tensor.spec.shape"),
        ("keep_bins = 256", "output = \"magnitude\"", "stft.output"),
        ("keep_bins = 256", "pad = \"none\"", "stft.pad"),
        ("names = [\"vocals\"]", "names = [\"drums\"]", "stems.names"),
        (
            "names = [\"vocals\"]",
            "names = [\"vocals\", \"vocals\"]",
            "stems.names",
        ),
        (
            "residual = \"backing\"",
            "residual = \"other\"",
            "stems.residual",
        ),
        (
            "layout = \"b (c k) f t\"",
            "layout = \"b (c k f t\"",
            "tensor.spec.layout",
        ),
        (
            "layout = \"b (c k) f t\"",
            "layout = \"b k f t\"",
            "tensor.spec.layout",
        ),
        ("role = \"mix_spec\"", "role = \"mix_wave\"", "tensor"),
        ("channels = 2", "channels = 3", "audio.channels"),
        (
            "[separator]",
            "[normalize]\nrms = 0.1\n\n[separator]",
            "normalize",
        ),
    ] {
        let message = refusal(&|_| {}, from, to);
        assert!(message.contains(&format!(" {key}: ")), "{to}: {message:?}");
        assert!(message.contains("package.toml"), "{message}");
    }
    let message = refusal(
        &|package| package.sections.clear(),
        "schema = 1",
        "schema = 1",
    );
    assert!(message.contains(" stft: "), "{message}");
}
