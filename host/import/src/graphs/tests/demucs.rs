use super::separators::{STEREO, are_near, shares};
use super::{ONE, asked, made, of, questions, wrong};
use crate::Why;
use crate::graphs::demucs::SEGMENT;
use vocalhost_model::{Family, LevelNormalization, Task};
use vocalhost_onnx::testing::Tiny;
use vocalhost_onnx::{Dim, Element};

/// Waves of four stems, each the mix times a number.
pub(super) fn waves(samples: u64, weights: [f32; 4]) -> Tiny {
    let axes = [ONE, Dim::Fixed(4), STEREO, Dim::Fixed(samples)];
    waves_that_say(samples, weights, &axes)
}

/// The same with these axes for what it gives.
fn waves_that_say(samples: u64, weights: [f32; 4], given: &[Dim<'_>]) -> Tiny {
    let values: Vec<u8> = weights
        .iter()
        .flat_map(|weight| weight.to_le_bytes())
        .collect();
    Tiny::in_opset("", 17)
        .input("mix", Element::F32, &[ONE, STEREO, Dim::Fixed(samples)])
        .weight_of("w", Element::F32, &[1, 4, 1, 1], &values)
        .node("Mul", &["mix", "w"], "stems")
        .output("stems", Element::F32, given)
}

#[test]
fn demucs_with_its_transforms_inside() {
    let made = of(&waves(SEGMENT, [0.1, 0.2, 0.3, 0.4]));
    let manifest = made.manifest();
    assert_eq!(made.imported.family, Family::WaveToStems);
    let names = &manifest.stems.as_ref().expect("stems").names;
    assert_eq!(names.as_slice(), ["drums", "bass", "other", "vocals"]);
    assert_eq!(manifest.separator.expect("facts").task, Task::Stems);
    // In the order of the task, without the rest: vocals, drums, bass.
    are_near(&shares(&made), &[0.4, 0.1, 0.2]);
}

#[test]
fn a_demucs_of_open_length_is_shown_segments_once_somebody_says_what_it_is() {
    let (batch, samples) = (Dim::Any("batch"), Dim::Any("samples"));
    let graph = Tiny::in_opset("", 17)
        .input("mix", Element::F32, &[batch, STEREO, samples])
        .weight("w", &[1, 4, 1, 1], 0.25)
        .node("Mul", &["mix", "w"], "stems")
        .output(
            "stems",
            Element::F32,
            &[batch, Dim::Fixed(4), STEREO, samples],
        );
    assert_eq!(questions(&graph, &[]), ["architecture"]);
    let facts = [("architecture", "demucs")];
    let made = made(&[("m", graph.bytes())], &facts).expect("a package");
    assert!(
        made.found().contains("343980 samples at a time"),
        "{}",
        made.found()
    );
    let chunk = made.manifest().chunk.expect("pieces");
    assert_eq!(chunk.samples, Some(SEGMENT as u32));
    are_near(&shares(&made), &[0.25, 0.25, 0.25]);
}

#[test]
fn a_demucs_of_six_stems_says_where_guitar_and_piano_go() {
    let dims = [ONE, STEREO, Dim::Fixed(SEGMENT)];
    let graph = Tiny::in_opset("", 17)
        .input("mix", Element::F32, &dims)
        .weight("w", &[1, 6, 1, 1], 0.1)
        .node("Mul", &["mix", "w"], "stems")
        .output(
            "stems",
            Element::F32,
            &[ONE, Dim::Fixed(6), STEREO, dims[2]],
        );
    let six = of(&graph);
    let said = "There is no file for guitar, piano: what is there of it is heard in other.";
    assert!(six.found().contains(said), "{}", six.found());
    assert!(!of(&waves(SEGMENT, [0.1; 4])).found().contains("no file"));
    are_near(&shares(&six), &[0.1, 0.1, 0.1]);
}

#[test]
fn waves_of_four_stems_that_others_than_demucs_give_too_are_asked_about() {
    let graph = waves(8_000, [0.1, 0.2, 0.3, 0.4]);
    // What depends on it is not asked, nor called a slip, before it is known.
    let stems = ("stems", "vocals,bass,drums,other");
    assert_eq!(questions(&graph, &[stems]), ["architecture"]);
    let normalized = |facts: &[(&str, &str)]| {
        let made = made(&[("m", graph.bytes())], facts).expect("a package");
        let facts = made.manifest().separator.expect("facts");
        (facts.normalize != LevelNormalization::None, shares(&made))
    };
    let (is_normalized, found) = normalized(&[("architecture", "demucs")]);
    assert!(is_normalized);
    are_near(&found, &[0.4, 0.1, 0.2]);
    let (is_normalized, found) = normalized(&[("architecture", "mdx23c"), stems]);
    assert!(!is_normalized);
    are_near(&found, &[0.1, 0.3, 0.2]);
    assert_eq!(questions(&graph, &[("architecture", "mdx23c")]), ["stems"]);
    let published = waves(SEGMENT, [0.1; 4]);
    assert_eq!(
        wrong(&published, &[("architecture", "mdx23c")]),
        ["architecture"]
    );
}

/// Waves of four stems whose lengths are open in what the graph says of them.
fn open_waves(samples: u64, weights: [f32; 4]) -> Tiny {
    let axes = ["batch", "stems", "channels", "time"].map(Dim::Any);
    waves_that_say(samples, weights, &axes)
}

#[test]
fn a_demucs_whose_lengths_are_left_open_is_known_by_its_segment_or_asked_about() {
    let published = open_waves(SEGMENT, [0.1, 0.2, 0.3, 0.4]);
    assert_eq!(questions(&published, &[]), ["stems"]);
    let stems = ("stems", "drums,bass,other,vocals");
    let demucs = made(&[("m", published.bytes())], &[stems]).expect("a package");
    let facts = demucs.manifest().separator.expect("facts");
    assert_eq!(facts.normalize, LevelNormalization::MeanStdMono);
    are_near(&shares(&demucs), &[0.4, 0.1, 0.2]);
    let other = open_waves(8_000, [0.1, 0.2, 0.3, 0.4]);
    for said in [&[][..], &[stems], &[("stems", "a,b,c,d,e,f")]] {
        assert_eq!(questions(&other, said), ["architecture"], "{said:?}");
    }
    let answers = [stems, ("architecture", "demucs")];
    let demucs = made(&[("m", other.bytes())], &answers).expect("a package");
    are_near(&shares(&demucs), &[0.4, 0.1, 0.2]);
    let bag = [("a", other.bytes()), ("b", other.bytes())];
    let first = asked(&bag, &[("weights", "equal")]);
    assert_eq!(first[0].name, "stems");
    let bag = made(&bag, &[stems, ("weights", "equal")]).expect("a package");
    are_near(&shares(&bag), &[0.4, 0.1, 0.2]);
}

#[test]
fn a_bag_of_demucs_counts_each_graph_by_stem() {
    let files = [
        ("a", waves(8_000, [0.1, 0.1, 0.1, 0.1]).bytes()),
        ("b", waves(8_000, [0.3, 0.3, 0.3, 0.3]).bytes()),
    ];
    let unsaid = made(&files, &[]).err().expect("a question").to_string();
    assert!(unsaid.contains("weights"), "{unsaid}");
    let rows = [("weights", "1,1,1,0; 0,1,1,1"), ("shifts", "1")];
    let bag = made(&files, &rows).expect("a package");
    // Vocals of the second alone, drums of the first alone, bass of both.
    are_near(&shares(&bag), &[0.3, 0.1, 0.2]);
    for (name, answer) in [
        ("weights", "one-hot"),
        ("weights", "0,0,0,0;0,0,0,0"),
        ("shifts", "21"),
        ("overlap", "1"),
    ] {
        let mut facts = vec![(name, answer)];
        if name != "weights" {
            facts.push(("weights", "equal"));
        }
        let asked = asked(&files, &facts);
        assert_eq!((asked[0].name.as_str(), asked[0].why), (name, Why::Wrong));
    }
    let other = [files[0].clone(), ("b", waves(9_000, [0.1; 4]).bytes())];
    let reason = made(&other, &[("weights", "equal")])
        .err()
        .expect("refused");
    assert!(
        reason.to_string().contains("something else than the first"),
        "{reason}"
    );
}

#[test]
fn demucs_with_its_transforms_outside() {
    let (samples, bins, frames) = (8_192, Dim::Fixed(2_048), Dim::Fixed(8));
    let spectrum = [ONE, Dim::Fixed(4), bins, frames];
    let spectra = [ONE, Dim::Fixed(4), Dim::Fixed(4), bins, frames];
    // Exporters lose the lengths of waves in a transform, and still know how many spectra there are.
    for waves in [waves(samples, [0.1; 4]), open_waves(samples, [0.1; 4])] {
        let graph = waves
            .input("spec", Element::F32, &spectrum)
            .weight("v", &[1, 4, 1, 1, 1], 0.3)
            .node("Mul", &["spec", "v"], "spec_out")
            .output("spec_out", Element::F32, &spectra);
        let made = of(&graph);
        assert_eq!(made.imported.family, Family::DemucsSplit);
        are_near(&shares(&made), &[0.4, 0.4, 0.4]);
    }
}
