//! Graphs that the import makes lighter give the same samples as before.

use super::separators::{STEREO, separated};
use super::{Made, ONE, integers, made};
use vocalhost_onnx::testing::{Tiny, text, whole, wholes};
use vocalhost_onnx::{Dim, Element, OnnxFile};

const LENGTH: Dim<'static> = Dim::Fixed(1_000);
/// As differences show that are not of rounding.
const ROUNDING: f32 = 2e-6;

fn imported(graph: &Tiny) -> Made {
    made(&[("m", graph.bytes())], &[("stems", "vocals")]).expect("a package")
}

/// What two graphs make of the same noise is the same, and as loud as can be told apart from silence.
fn give_the_same(one: &Made, other: &Made) {
    give_the_same_within(ROUNDING, one, other);
}

fn give_the_same_within(rounding: f32, one: &Made, other: &Made) {
    let (mix, one) = separated(one);
    let (_, other) = separated(other);
    assert_eq!((one.len(), other.len()), (1, 1));
    let loudest = |all: &[f32]| all.iter().fold(0.0_f32, |most, one| most.max(one.abs()));
    let loud = loudest(&one[0]);
    assert!(loud > 0.1 * loudest(mix.as_planar()), "{loud}");
    for (one, other) in one[0].iter().zip(&other[0]) {
        assert!(
            (one - other).abs() < rounding * loud.max(1.0),
            "{one} {other}"
        );
    }
}

/// A separator of waves whose only layer is an attention over 25 stretches of 40 samples, written as products or as sums over
/// products. Its weights, none of which is negative, are taken as they are or by their absolute value.
fn attentive(sums: bool, absolute: bool) -> Tiny {
    let wave = [ONE, STEREO, Dim::Fixed(1_000)];
    let turned = wholes("perm", &[0, 1, 3, 2]);
    let graph = Tiny::in_opset("", 17)
        .input("mix", Element::F32, &wave)
        .weight_of("split", Element::I64, &[4], &integers(&[1, 2, 25, 40]))
        .weight_of("whole", Element::I64, &[4], &integers(&[1, 1, 2, 1_000]))
        .weight("scale", &[], 3.0)
        .node("Reshape", &["mix", "split"], "queries")
        .node_with("Transpose", &["queries"], "keys", &[turned]);
    let equation = |letters: &str| [text("equation", letters)];
    let graph = if sums {
        let scores = equation("b h i d, b h j d -> b h i j");
        graph.node_with("Einsum", &["queries", "queries"], "products", &scores)
    } else {
        graph.node("MatMul", &["queries", "keys"], "products")
    };
    let graph =
        graph
            .node("Mul", &["products", "scale"], "scores")
            .node("Softmax", &["scores"], "weights");
    let (graph, weights) = if absolute {
        (graph.node("Abs", &["weights"], "absolute"), "absolute")
    } else {
        (graph, "weights")
    };
    let graph = if sums {
        let answers = equation("bhij,bhjd->bhid");
        graph.node_with("Einsum", &[weights, "queries"], "answers", &answers)
    } else {
        graph.node("MatMul", &[weights, "queries"], "answers")
    };
    graph
        .node("Reshape", &["answers", "whole"], "stems")
        .output("stems", Element::F32, &[ONE, ONE, STEREO, wave[2]])
}

#[test]
fn attention_block_by_block_gives_the_same_samples() {
    for sums in [false, true] {
        // With something between the softmax and the product it is not taken for an attention.
        let whole = imported(&attentive(sums, true));
        let blocks = imported(&attentive(sums, false));
        let is_said = |made: &Made| made.found().contains("less memory and time (layers: 1)");
        assert!(!is_said(&whole), "{}", whole.found());
        assert!(is_said(&blocks), "{}", blocks.found());
        give_the_same(&whole, &blocks);
    }
}

/// A separator of waves that takes away the mean of a piece, made over both axes at once or over one after the other.
fn centred(at_once: bool) -> Tiny {
    let wave = [ONE, STEREO, LENGTH];
    let over = |axes: &[u64]| [wholes("axes", axes)];
    let graph = Tiny::in_opset("", 17)
        .input("mix", Element::F32, &wave)
        .weight_of("whole", Element::I64, &[4], &integers(&[1, 1, 2, 1_000]));
    let graph = if at_once {
        graph.node_with("ReduceMean", &["mix"], "mean", &over(&[1, 2]))
    } else {
        graph
            .node_with("ReduceMean", &["mix"], "means", &over(&[2]))
            .node_with("ReduceMean", &["means"], "mean", &over(&[1]))
    };
    graph
        .node("Sub", &["mix", "mean"], "around")
        .node("Reshape", &["around", "whole"], "stems")
        .output("stems", Element::F32, &[ONE, ONE, STEREO, LENGTH])
}

#[test]
fn means_in_double_precision_give_the_same_samples() {
    let [wide, plain] = [true, false].map(|at_once| imported(&centred(at_once)));
    assert_eq!(left(&wide, &["CastLike"]), [1]);
    assert_eq!(left(&plain, &["CastLike"]), [0]);
    give_the_same(&wide, &plain);
}

/// As [`attentive`], with what is looked at, or who looks, the same for every channel and written without their axes.
fn shared(queries_are: bool, absolute: bool) -> Tiny {
    let wave = [ONE, STEREO, LENGTH];
    let turned = wholes("perm", &[0, 1, 3, 2]);
    let graph = Tiny::in_opset("", 17)
        .input("mix", Element::F32, &wave)
        .weight_of("split", Element::I64, &[4], &integers(&[1, 2, 25, 40]))
        .weight_of("whole", Element::I64, &[4], &integers(&[1, 1, 2, 1_000]))
        .weight_of("learned", Element::F32, &[25, 40], &numbers(1_000))
        .weight_of("columns", Element::F32, &[40, 25], &numbers(1_000))
        .node("Reshape", &["mix", "split"], "rows")
        .node_with("Transpose", &["rows"], "turned", &[turned]);
    let (queries, keys, values) = if queries_are {
        ("learned", "turned", "rows")
    } else {
        ("rows", "columns", "learned")
    };
    let graph =
        graph
            .node("MatMul", &[queries, keys], "scores")
            .node("Softmax", &["scores"], "weights");
    let (graph, weights) = if absolute {
        (graph.node("Abs", &["weights"], "absolute"), "absolute")
    } else {
        (graph, "weights")
    };
    graph
        .node("MatMul", &[weights, values], "answers")
        .node("Reshape", &["answers", "whole"], "stems")
        .output("stems", Element::F32, &[ONE, ONE, STEREO, LENGTH])
}

#[test]
fn attention_that_is_shared_by_channels_gives_the_same_samples() {
    for queries_are in [false, true] {
        let [whole, blocks] =
            [true, false].map(|absolute| imported(&shared(queries_are, absolute)));
        // What all look at would have to be repeated for each channel.
        let fused = usize::from(queries_are);
        let operators = ["Softmax", "MultiHeadAttention"];
        assert_eq!(left(&blocks, &operators), [1 - fused, fused]);
        give_the_same(&whole, &blocks);
    }
}

/// A separator of waves that has one gated layer: `[items, 2, frames]` to four channels, which become two. `looked_at` is what lies
/// between them and the gate.
fn gated(layer: impl Fn(Tiny) -> Tiny, items: i64, looked_at: Option<&str>) -> Tiny {
    let wave = [ONE, STEREO, LENGTH];
    let graph = Tiny::in_opset("", 17)
        .input("mix", Element::F32, &wave)
        .weight_of(
            "items",
            Element::I64,
            &[3],
            &integers(&[items, 2, 1_000 / items]),
        )
        .weight_of("whole", Element::I64, &[4], &integers(&[1, 1, 2, 1_000]))
        .node("Reshape", &["mix", "items"], "input");
    let graph = layer(graph);
    let (graph, channels) = match looked_at {
        Some(operator) => (graph.node(operator, &["channels"], "same"), "same"),
        None => (graph, "channels"),
    };
    graph
        .node_giving(
            "Split",
            &[channels],
            &["value", "shut"],
            &[whole("axis", 1)],
        )
        .node("Sigmoid", &["shut"], "open")
        .node("Mul", &["value", "open"], "gated")
        .weight_of("scale", Element::F32, &[2, 1], &numbers(2))
        .node("Mul", &["scale", "gated"], "scaled")
        .node("Reshape", &["scaled", "whole"], "stems")
        .output("stems", Element::F32, &[ONE, ONE, STEREO, LENGTH])
}

/// Numbers that differ.
fn numbers(count: usize) -> Vec<u8> {
    let numbers = (0..count).map(|number| 1.5 + (3.7 * number as f32).sin());
    numbers.flat_map(f32::to_le_bytes).collect()
}

fn convolved(graph: Tiny, biased: bool) -> Tiny {
    let inputs: &[&str] = if biased {
        &["input", "weights", "bias"]
    } else {
        &["input", "weights"]
    };
    graph
        .weight_of("weights", Element::F32, &[4, 2, 3], &numbers(24))
        .weight_of("bias", Element::F32, &[4], &numbers(4))
        .node_with("Conv", inputs, "channels", &[wholes("pads", &[1, 1])])
}

/// As `PyTorch` exports a normalisation of all channels together.
fn normalised(graph: Tiny, items: i64, kernel: u64) -> Tiny {
    let weights = numbers(8 * kernel as usize);
    normalised_by(graph, items, ("input", kernel), &weights)
}

/// As [`normalised`], with these weights.
fn normalised_by(graph: Tiny, items: i64, (input, kernel): (&str, u64), weights: &[u8]) -> Tiny {
    let pads = [wholes("pads", &[kernel / 2, kernel / 2])];
    // Exporters ask for the shape where they do not know it.
    let back = if items == 1 { "numbers" } else { "asked" };
    graph
        .weight_of("weights", Element::F32, &[4, 2, kernel], weights)
        .weight_of("bias", Element::F32, &[4], &numbers(4))
        .node_with("Conv", &[input, "weights", "bias"], "convolved", &pads)
        .weight_of("row", Element::I64, &[3], &integers(&[0, 1, -1]))
        .weight("ones", &[1], 1.0)
        .weight("zeros", &[1], 0.0)
        .weight_of(
            "numbers",
            Element::I64,
            &[3],
            &integers(&[items, 4, 1_000 / items]),
        )
        .node("Reshape", &["convolved", "row"], "in-a-row")
        .node(
            "Shape",
            &[if items == 1 { "row" } else { "convolved" }],
            "asked",
        )
        .node(
            "InstanceNormalization",
            &["in-a-row", "ones", "zeros"],
            "normal",
        )
        .node("Reshape", &["normal", back], "restored")
        .weight_of("gains", Element::F32, &[4, 1], &numbers(4))
        .node("Mul", &["restored", "gains"], "louder")
        .weight_of("offsets", Element::F32, &[4, 1], &numbers(4))
        .node("Add", &["louder", "offsets"], "channels")
}

/// What a graph has left of some operators.
fn left(made: &Made, operators: &[&str]) -> Vec<usize> {
    let bytes = std::fs::read(made.folder.path().join("package/separator.onnx")).expect("a graph");
    let file = OnnxFile::parse(&bytes).expect("a graph");
    let count = |operator: &&str| {
        let nodes = file.graph.nodes.iter();
        nodes.filter(|node| node.operator == *operator).count()
    };
    operators.iter().map(count).collect()
}

#[test]
fn halves_of_gated_convolutions_that_are_made_apart_are_the_same() {
    for biased in [false, true] {
        let made = |looked_at| imported(&gated(|graph| convolved(graph, biased), 1, looked_at));
        let (whole, halves) = (made(Some("Identity")), made(None));
        assert_eq!(left(&whole, &["Split", "Conv"]), [1, 1]);
        assert_eq!(left(&halves, &["Split", "Conv"]), [0, 2]);
        assert!(
            halves
                .found()
                .contains("made apart, which takes less time (layers: 1)")
        );
        give_the_same(&whole, &halves);
    }
}

#[test]
fn what_is_normalised_by_its_weights_is_the_same() {
    for items in [1, 4] {
        let made = |kernel, looked_at| {
            imported(&gated(
                |graph| normalised(graph, items, kernel),
                items,
                looked_at,
            ))
        };
        let (whole, halves) = (made(1, Some("Identity")), made(1, None));
        let operators = ["Split", "InstanceNormalization", "Conv"];
        assert_eq!(left(&whole, &operators), [1, 1, 1]);
        assert_eq!(left(&halves, &operators), [0, 0, 0]);
        give_the_same(&whole, &halves);
        // Of several frames the sums over products would not be enough.
        assert_eq!(left(&made(3, None), &operators), [1, 1, 1]);
    }
}

#[test]
fn what_channels_have_in_common_and_weights_cancel_does_not_drown_the_rest() {
    let weights = [1.0_f32, -1.0, -1.0, 1.0, 2.0, -2.0, 1.0, -1.0];
    let weights: Vec<u8> = weights.into_iter().flat_map(f32::to_le_bytes).collect();
    let alike = |graph: Tiny| {
        let graph = graph
            .node_with("ReduceMean", &["input"], "common", &[wholes("axes", &[1])])
            .weight("loud", &[], 300.0)
            .node("Mul", &["common", "loud"], "louder-common")
            .node("Add", &["input", "louder-common"], "alike");
        normalised_by(graph, 4, ("alike", 1), &weights)
    };
    let made = |looked_at| imported(&gated(alike, 4, looked_at));
    let (whole, halves) = (made(Some("Identity")), made(None));
    assert_eq!(left(&halves, &["InstanceNormalization", "Conv"]), [0, 0]);
    // Single precision has lost that much when the channels were put together.
    give_the_same_within(1e-3, &whole, &halves);
}

#[test]
fn the_first_axis_of_a_separator_is_left_open() {
    let made = imported(&attentive(false, true));
    let path = made.folder.path().join("package/separator.onnx");
    let bytes = std::fs::read(path).expect("a graph");
    let file = OnnxFile::parse(&bytes).expect("a graph");
    let dims = file.inputs()[0].dims.clone().expect("a shape");
    assert_eq!(dims, [Dim::Any(""), STEREO, Dim::Fixed(1_000)]);
    let shapes = file
        .graph
        .nodes
        .iter()
        .filter(|node| node.operator == "Reshape");
    let shapes: Vec<&str> = shapes.map(|node| node.inputs[1]).collect();
    let shapes = shapes.into_iter().map(|shape| {
        let shape = file.initializer(shape).expect("a weight");
        shape.raw.expect("values")[..8].to_vec()
    });
    assert_eq!(
        shapes.collect::<Vec<_>>(),
        [integers(&[-1]), integers(&[-1])]
    );
}
