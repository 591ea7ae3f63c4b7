use super::{Made, ONE, asked, made, questions, refusal, wrong};
use crate::Why;
use vocalhost_audio::{Block, SpoolWriter};
use vocalhost_model::{Catalog, ElementType, Family, ModelError, Runtime, Separator, Task};
use vocalhost_onnx::testing::Tiny;
use vocalhost_onnx::{Dim, Element};

pub(super) const STEREO: Dim<'static> = Dim::Fixed(2);

/// Separates a short noise: the noise, and each estimated stem block after block.
pub(super) fn separated(made: &Made) -> (Block, Vec<Vec<f32>>) {
    let runtime = Runtime::load(None).expect("a runtime");
    let separator = Separator::load(&runtime, &made.package(), &Catalog::default(), 1);
    let separator = separator.expect("a separator");
    let mut block = Block::silent(2, 20_000);
    let mut state = 1_u32;
    for channel in 0..2 {
        for sample in block.channel_mut(channel) {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *sample = f32::from((state >> 16) as i16) / 65_536.0;
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let spool = SpoolWriter::create(&folder.path().join("mix"), 2, separator.sample_rate_hz());
    let mut spool = spool.expect("a spool");
    spool.write(&block).expect("written");
    let spool = spool.finish().expect("a spool");
    let mut stems = vec![Vec::new(); separator.estimated().len()];
    let mut sink = |blocks: Vec<Block>| -> Result<(), ModelError> {
        for (stem, block) in stems.iter_mut().zip(&blocks) {
            stem.extend_from_slice(block.as_planar());
        }
        Ok(())
    };
    separator
        .separate(&spool, &mut sink, &mut |_| {})
        .expect("it is separated");
    (block, stems)
}

/// The energy of each estimated stem over that of the noise.
pub(super) fn shares(made: &Made) -> Vec<f64> {
    let (block, stems) = separated(made);
    let energy = |samples: &[f32]| -> f64 {
        let squares = samples.iter().map(|sample| f64::from(*sample).powi(2));
        squares.sum()
    };
    let whole = energy(block.as_planar());
    let shares = stems.iter().map(|stem| (energy(stem) / whole).sqrt());
    shares.collect()
}

pub(super) fn are_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 0.02, "{found} is not {expected}");
    }
}

/// Gives `port` times `weight`.
pub(super) fn mdx(bins: u64, frames: u64, weight: f32) -> Tiny {
    let dims = [
        Dim::Any("batch"),
        Dim::Fixed(4),
        Dim::Fixed(bins),
        Dim::Fixed(frames),
    ];
    Tiny::in_opset("", 17)
        .input("input", Element::F32, &dims)
        .weight("w", &[1], weight)
        .node("Mul", &["input", "w"], "output")
        .output("output", Element::F32, &dims)
}

#[test]
fn an_mdx_net_asks_for_what_its_graph_does_not_say() {
    let graph = mdx(2_048, 9, 0.5);
    assert_eq!(questions(&graph, &[]), ["n_fft", "stems"]);
    // A transform that is too short for so many bins is no answer.
    for length in ["4096", "6145", "1000000"] {
        let facts = [("n_fft", length), ("stems", "vocals")];
        assert_eq!(wrong(&mdx(3_072, 9, 0.5), &facts), ["n_fft"]);
    }
    // Nor is one that nobody has heard of wrong, if it is long enough.
    let facts = [("n_fft", "4200"), ("stems", "vocals")];
    made(&[("m", graph.bytes())], &facts).expect("a package");
    let facts = [
        ("n_fft", "4096"),
        ("stems", "Instrumental"),
        ("denoise", "true"),
    ];
    let made = made(&[("m", graph.bytes())], &facts).expect("a package");
    let manifest = made.manifest();
    assert_eq!(made.imported.family, Family::MdxNet);
    assert_eq!(manifest.stems.as_ref().expect("stems").names, ["backing"]);
    assert_eq!(
        manifest.stems.as_ref().expect("stems").residual.as_deref(),
        Some("vocals")
    );
    let stft = manifest.stft.expect("a transform");
    assert_eq!(
        (stft.n_fft, stft.zero_low_bins, stft.bins()),
        (4_096, 3, 2_048)
    );
    assert!(manifest.separator.expect("facts").denoise);
    are_near(&shares(&made), &[0.5]);
}

#[test]
fn an_mdx_net_of_one_purpose_is_a_separator_of_its_task() {
    let graph = mdx(2_048, 9, 0.5);
    for (said, task, stem, residual) in [
        ("No Lead", Task::Karaoke, "backing", Some("lead")),
        ("reverb", Task::Dereverb, "reverb", Some("dry")),
        ("No Echo", Task::Deecho, "dry", None),
        ("noise", Task::Denoise, "noise", Some("clean")),
        ("no-crowd", Task::Crowd, "clean", None),
    ] {
        let facts = [("n_fft", "4096"), ("stems", said)];
        let made = made(&[("m", graph.bytes())], &facts).expect("a package");
        let manifest = made.manifest();
        assert_eq!(manifest.separator.expect("facts").task, task, "{said}");
        let stems = manifest.stems.as_ref().expect("stems");
        assert_eq!(stems.names, [stem]);
        assert_eq!(stems.residual.as_deref(), residual);
        are_near(&shares(&made), &[0.5]);
    }
    // Dry of what, it does not say.
    let facts = [("n_fft", "4096"), ("stems", "dry")];
    assert_eq!(wrong(&graph, &facts), ["stems"]);
}

#[test]
fn an_mdx_net_that_sherpa_converted_says_its_transform() {
    let graph = mdx(2_048, 9, 0.5)
        .metadata("model_type", "UVR")
        .metadata("n_fft", "6144");
    let made = made(&[("m", graph.bytes())], &[("stems", "vocals")]).expect("a package");
    assert_eq!(made.manifest().stft.expect("a transform").n_fft, 6_144);
    assert!(
        made.found().contains("estimates vocals"),
        "{}",
        made.found()
    );
}

#[test]
fn twice_the_bins_is_what_sherpa_notes_of_any_mdx_net_and_is_asked_for() {
    let graph = || mdx(2_048, 9, 0.5).metadata("n_fft", "4096").bytes();
    let missing = asked(&[("m", graph())], &[("stems", "vocals")]);
    assert_eq!(
        (missing[0].name.as_str(), missing[0].why),
        ("n_fft", Why::Unsaid)
    );
    // Shorter than a hop of 1,024 samples, as graphs of few bins could be, and longer than the eight hops of a piece.
    for (bins, n_fft) in [(64, "512"), (2_048, "8192")] {
        let graph = mdx(bins, 9, 0.5).bytes();
        let wrong = asked(&[("m", graph)], &[("stems", "vocals"), ("n_fft", n_fft)]);
        assert_eq!(
            (wrong[0].name.as_str(), wrong[0].why),
            ("n_fft", Why::Wrong)
        );
    }
    let said = [("stems", "vocals"), ("n_fft", "6144")];
    let made = made(&[("m", graph())], &said).expect("a package");
    assert_eq!(made.manifest().stft.expect("a transform").n_fft, 6_144);
}

#[test]
fn an_mdx_net_of_one_instrument_is_refused_because_a_separator_has_to_take_the_whole_apart() {
    let facts = [("n_fft", "4096"), ("stems", "bass")];
    let asked = asked(&[("m", mdx(2_048, 9, 0.5).bytes())], &facts);
    assert_eq!(
        (asked[0].name.as_str(), asked[0].why),
        ("stems", Why::Wrong)
    );
    assert!(
        asked[0].text.contains("is missing, which this task needs"),
        "{asked:?}"
    );
    let reason = refusal(
        &mdx(2_048, 4, 0.5),
        &[("n_fft", "4096"), ("stems", "vocals")],
    );
    assert!(reason.contains("not longer than one transform"), "{reason}");
}

#[test]
fn a_separator_that_takes_and_gives_halves_is_fed_single_precision() {
    let dims = [1, 4, 2_048, 9].map(Dim::Fixed);
    // A half as a half.
    let halves = || {
        Tiny::in_opset("", 17)
            .input("input", Element::F16, &dims)
            .weight_of("w", Element::F16, &[1], &[0, 0x38])
            .node("Mul", &["input", "w"], "output")
    };
    let graph = halves().output("output", Element::F16, &dims);
    let facts = [("n_fft", "4096"), ("stems", "vocals")];
    let made = made(&[("m", graph.bytes())], &facts).expect("a package");
    assert!(
        made.found().contains("narrowed and widened"),
        "{}",
        made.found()
    );
    let tensors = &made.manifest().tensors;
    assert!(
        tensors
            .iter()
            .all(|tensor| tensor.dtype == ElementType::F32)
    );
    are_near(&shares(&made), &[0.5]);
    let undeclared = halves().output_of_any_shape("output", Element::F16);
    let reason = refusal(&undeclared, &facts);
    assert!(reason.contains("without saying how many"), "{reason}");
}

/// Waves of two stems, each a quarter of the mix.
pub(super) fn mdx23c() -> Tiny {
    let batch = Dim::Any("batch");
    mdx23c_that_says(&[batch, STEREO, STEREO, Dim::Fixed(8_192)])
}

/// The same with these axes for what it gives.
fn mdx23c_that_says(given: &[Dim<'_>]) -> Tiny {
    let dims = [Dim::Any("batch"), STEREO, Dim::Fixed(8_192)];
    Tiny::in_opset("", 17)
        .input("mix", Element::F32, &dims)
        .weight("w", &[1, 2, 1, 1], 0.25)
        .node("Mul", &["mix", "w"], "stems")
        .output("stems", Element::F32, given)
}

#[test]
fn waves_of_two_stems_as_mdx23c_has_them() {
    let graph = mdx23c();
    assert_eq!(questions(&graph, &[]), ["stems"]);
    assert_eq!(wrong(&graph, &[("stems", "vocals")]), ["stems"]);
    for pieces in ["0", "65", "two"] {
        let facts = [("stems", "vocals,backing"), ("pieces", pieces)];
        assert_eq!(wrong(&graph, &facts), ["pieces"]);
    }
    let facts = [("stems", "Vocals, Instrumental")];
    // An exporter that cannot follow its transforms leaves every length open. Then its stems say that it is no Demucs.
    let open = mdx23c_that_says(&["a", "b", "c", "d"].map(Dim::Any));
    assert_eq!(questions(&open, &[("architecture", "mdx23c")]), ["stems"]);
    let demucs = [facts[0], ("architecture", "demucs")];
    assert_eq!(wrong(&open, &demucs), ["architecture"]);
    for graph in [graph, open] {
        let made = made(&[("m", graph.bytes())], &facts).expect("a package");
        are_near(&shares(&made), &[0.25]);
    }
}

/// Half of the spectrum, bins and channels in one axis.
pub(super) fn roformer() -> Tiny {
    let [_, bins, frames, parts] = ROFORMER;
    roformer_of(&[1, 1, 1, 1, 1]).output("out", Element::F32, &[ONE, ONE, bins, frames, parts])
}

const ROFORMER: [Dim<'static>; 4] = [ONE, Dim::Fixed(602), Dim::Fixed(25), Dim::Fixed(2)];

/// The same without its output, times a weight of these axes.
fn roformer_of(axes: &[u64]) -> Tiny {
    Tiny::in_opset("", 17)
        .input("stft", Element::F32, &ROFORMER)
        .weight("w", axes, 0.5)
        .node("Mul", &["stft", "w"], "out")
}

#[test]
fn roformers_that_leave_the_lengths_of_their_outputs_open() {
    let one = [("stems", "vocals"), ("output", "spectrum"), ("hop", "150")];
    let two = [("stems", "vocals,other"), one[1], one[2]];
    let open =
        |axes: &'static [&'static str]| axes.iter().map(|name| Dim::Any(name)).collect::<Vec<_>>();
    let with_axis = |stems: u64| roformer_of(&[1, stems, 1, 1, 1]);
    let without = || roformer_of(&[1]);
    let undeclared = |graph: Tiny| graph.output_of_any_shape("out", Element::F32);
    let named = |graph: Tiny, axes| graph.output("out", Element::F32, &open(axes));
    let cases = [
        (named(without(), &["a", "b", "c", "d"]), one),
        (named(with_axis(1), &["a", "s", "b", "c", "d"]), one),
        (named(with_axis(2), &["a", "s", "b", "c", "d"]), two),
        (undeclared(without()), one),
        (undeclared(with_axis(2)), two),
    ];
    for (graph, facts) in cases {
        let package = made(&[("m", graph.bytes())], &facts).expect("a package");
        assert_eq!(package.imported.family, Family::RoformerSpec);
        are_near(&shares(&package), &[0.5]);
    }
}

#[test]
fn roformers_in_three_forms() {
    let (merged, frames) = (roformer(), Dim::Fixed(25));
    assert_eq!(questions(&merged, &[]), ["stems", "output", "hop"]);
    let facts = [("stems", "vocals"), ("output", "spectrum"), ("hop", "150")];
    let long = [facts[0], facts[1], ("hop", "601")];
    assert_eq!(wrong(&merged, &long), ["hop"], "longer than its transform");
    let short = [facts[0], facts[1], ("hop", "12")];
    assert_eq!(wrong(&merged, &short), ["hop"], "pieces shorter than it");
    let shape = [ONE, Dim::Fixed(602), Dim::Fixed(40_000), Dim::Fixed(2)];
    let many = Tiny::in_opset("", 17)
        .input("stft", Element::F32, &shape)
        .weight("w", &[1], 0.5)
        .node("Mul", &["stft", "w"], "out")
        .output("out", Element::F32, &shape);
    assert_eq!(wrong(&many, &facts), ["hop"], "pieces of minutes");
    let package = made(&[("m", merged.bytes())], &facts).expect("a package");
    assert_eq!(package.imported.family, Family::RoformerSpec);
    assert_eq!(package.manifest().stft.expect("a transform").n_fft, 600);
    are_near(&shares(&package), &[0.5]);
    let dims = [ONE, STEREO, Dim::Fixed(301), frames];
    let parts = Tiny::in_opset("", 17)
        .input("spec_real", Element::F32, &dims)
        .input("spec_imag", Element::F32, &dims)
        .weight("w", &[1], 0.5)
        .node("Mul", &["spec_real", "w"], "out_real")
        .node("Mul", &["spec_imag", "w"], "out_imag")
        .output("out_real", Element::F32, &dims)
        .output("out_imag", Element::F32, &dims);
    let package = made(&[("m", parts.bytes())], &facts).expect("a package");
    are_near(&shares(&package), &[0.5]);
    let two = [("stems", "vocals,backing"), facts[1], facts[2]];
    for (frames, given, facts) in [
        (
            frames,
            vec![ONE, ONE, STEREO, Dim::Fixed(301), frames, STEREO],
            facts,
        ),
        (
            frames,
            vec![ONE, STEREO, STEREO, Dim::Fixed(301), frames, STEREO],
            two,
        ),
        (
            Dim::Any("t"),
            vec![ONE, STEREO, Dim::Fixed(301), Dim::Any("t"), STEREO],
            facts,
        ),
    ] {
        let axes: &[u64] = match given.len() {
            6 => &[1, given[1].fixed().unwrap_or(1), 1, 1, 1, 1],
            _ => &[1],
        };
        let apart = Tiny::in_opset("", 17)
            .input(
                "spec",
                Element::F32,
                &[ONE, STEREO, Dim::Fixed(301), frames, STEREO],
            )
            .weight("w", axes, 0.5)
            .node("Mul", &["spec", "w"], "out")
            .output("out", Element::F32, &given);
        let package = made(&[("m", apart.bytes())], &facts).expect("a package");
        assert_eq!(package.imported.family, Family::RoformerSpec);
        are_near(&shares(&package), &[0.5]);
    }
}

/// The graph of one stem of Spleeter.
pub(super) fn stem(weight: f32) -> Tiny {
    let dims = [
        STEREO,
        Dim::Any("splits"),
        Dim::Fixed(512),
        Dim::Fixed(1_024),
    ];
    Tiny::in_opset("", 13)
        .input("x", Element::F32, &dims)
        .weight("w", &[1], weight)
        .node("Mul", &["x", "w"], "y")
        .output("y", Element::F32, &dims)
}

#[test]
fn spleeter_needs_the_graphs_of_all_its_stems() {
    assert!(refusal(&stem(1.0), &[]).contains("all its stems"));
    let files = [("a", stem(3.0).bytes()), ("b", stem(4.0).bytes())];
    let made = made(&files, &[("stems", "vocals,accompaniment")]).expect("a package");
    assert_eq!(made.imported.family, Family::SpleeterMask);
    // 9 of 25 parts of the power, below half of the spectrum.
    let share = shares(&made)[0];
    assert!((0.2..0.36).contains(&share), "{share}");
}

#[test]
fn what_is_no_kind_of_model_is_described() {
    let graph = Tiny::in_opset("", 17)
        .input(
            "image",
            Element::F32,
            &[ONE, Dim::Fixed(3), Dim::Fixed(224), Dim::Fixed(224)],
        )
        .node("Tanh", &["image"], "logits")
        .output("logits", Element::F32, &[ONE, Dim::Any("")]);
    let reason = refusal(&graph, &[]);
    assert!(
        reason.contains("it takes \"image\" f32 [1, 3, 224, 224]"),
        "{reason}"
    );
    assert!(reason.contains("gives \"logits\" f32 [1, ?]"), "{reason}");
}

#[test]
fn random_nodes_have_no_place_in_a_separator() {
    let dims = [ONE, Dim::Fixed(4), Dim::Fixed(2_048), Dim::Fixed(9)];
    let graph = Tiny::in_opset("", 17)
        .input("input", Element::F32, &dims)
        .node("RandomNormalLike", &["input"], "output")
        .output("output", Element::F32, &dims);
    assert!(refusal(&graph, &[]).contains("would not repeat"));
}
