use super::{between, compare};
use crate::rewritten;
use crate::vector::Instructions;
use vocalhost_onnx::Element;
use vocalhost_onnx::testing::{Tiny, whole, wholes};

const IMAGE: [(&str, &[u64]); 2] = [("w", &[24, 16, 3, 3]), ("b", &[24])];

const NORM: [(&str, &[u64]); 4] = [
    ("scale", &[24]),
    ("offset", &[24]),
    ("mean", &[24]),
    ("variance", &[24]),
];

/// A convolution of an image, which makes `a`.
fn image(weights: &[(&str, &[u64])]) -> Tiny {
    let pads = [wholes("pads", &[1, 1, 1, 1])];
    between(4, weights).node_with("Conv", &["x", "w", "b"], "a", &pads)
}

fn norm(file: Tiny, output: &str) -> Tiny {
    let inputs = ["a", "scale", "offset", "mean", "variance"];
    file.node("BatchNormalization", &inputs, output)
}

/// A convolution of `x` to `y` with a filter of these dimensions, and a bias.
fn alone(dims: &[u64], attributes: &[(&str, &[u64])]) -> Tiny {
    let attributes: Vec<_> = attributes
        .iter()
        .map(|(name, numbers)| wholes(name, numbers))
        .collect();
    let weights: [(&str, &[u64]); 2] = [("w", dims), ("b", &dims[..1])];
    between(dims.len(), &weights).node_with("Conv", &["x", "w", "b"], "y", &attributes)
}

#[test]
fn an_image_with_all_that_follows_is_one_node() {
    let all = norm(image(&[&IMAGE[..], &NORM].concat()), "n").node("Relu", &["n"], "y");
    compare(&all, &[2, 16, 9, 31], &["Convolution"]);
    let without_norm = image(&IMAGE).node("Relu", &["a"], "y");
    compare(&without_norm, &[1, 16, 13, 4], &["Convolution"]);
    let weights: [(&str, &[u64]); 1] = [("w", &[24, 16, 3, 3])];
    let without_bias = between(4, &[&weights[..], &NORM].concat());
    let pads = [wholes("pads", &[1, 1, 1, 1])];
    let without_bias = without_bias.node_with("Conv", &["x", "w"], "a", &pads);
    compare(&norm(without_bias, "y"), &[1, 16, 6, 50], &["Convolution"]);
}

#[test]
fn dilated_columns_and_lines_are_ours_too() {
    let apart: [(&str, &[u64]); 2] = [("pads", &[1, 3, 1, 3]), ("dilations", &[1, 3])];
    let dilated = alone(&[17, 16, 3, 3], &apart);
    compare(&dilated, &[1, 16, 5, 60], &["Convolution"]);
    let line = alone(&[65, 64, 3], &[("pads", &[1, 1])]);
    compare(&line, &[2, 64, 333], &["Convolution"]);
    let apart: [(&str, &[u64]); 2] = [("pads", &[0, 4, 0, 4]), ("dilations", &[1, 4])];
    let lines = alone(&[64, 64, 1, 3], &apart);
    compare(&lines, &[1, 64, 3, 50], &["Convolution"]);
}

#[test]
fn what_others_take_too_stays_a_value_of_its_own() {
    let file = image(&IMAGE)
        .node("Relu", &["a"], "r")
        .node("Add", &["a", "r"], "y");
    compare(&file, &[1, 16, 8, 20], &["Convolution", "Relu", "Add"]);
}

#[test]
fn weights_that_are_halves_in_the_file_are_ours_too() {
    // As graphs have them that are stored in half precision: what is cast here is single precision already, which changes nothing.
    let pads = [wholes("pads", &[1, 1, 1, 1])];
    let file = between(4, &[("h", &[16, 16, 3, 3])])
        .node_with("Cast", &["h"], "w", &[whole("to", 1)])
        .node_with("Conv", &["x", "w"], "y", &pads);
    compare(&file, &[1, 16, 8, 20], &["Cast", "Convolution"]);
}

/// The halves of a filter, each convolved with `x`, the first to `a` and the second to `b`, and their product with one of them shut.
fn gate(dims: &[u64], pads: &[u64], [value, shut]: [&str; 2]) -> Tiny {
    let half = (dims[0] / 2) as i64;
    let mut file = between(dims.len(), &[("w", dims), ("v", &dims[..1])]);
    for (name, number) in [("none", 0), ("half", half), ("all", 2 * half)] {
        file = file.weight_of(name, Element::I64, &[1], &number.to_le_bytes());
    }
    for (output, [from, to]) in [("a", ["none", "half"]), ("b", ["half", "all"])] {
        let [weights, bias] = ["w", "v"].map(|whole| format!("{output}/{whole}"));
        let pads = [wholes("pads", pads)];
        file = file
            .node("Slice", &["w", from, to, "none"], &weights)
            .node("Slice", &["v", from, to, "none"], &bias)
            .node_with("Conv", &["x", &weights, &bias], output, &pads);
    }
    file.node("Sigmoid", &[shut], "open")
        .node("Mul", &[value, "open"], "y")
}

#[test]
fn a_gate_and_what_it_lets_through_are_one_node() {
    let over_rows = gate(&[40, 16, 3, 3], &[1, 1, 1, 1], ["a", "b"]);
    compare(&over_rows, &[2, 16, 9, 31], &["Convolution"]);
    let along_a_line = gate(&[130, 48, 3], &[1, 1], ["a", "b"]);
    compare(&along_a_line, &[1, 48, 333], &["Convolution"]);
    // The other half is the gate.
    let swapped = gate(&[40, 16, 3, 3], &[1, 1, 1, 1], ["b", "a"]);
    assert!(rewritten(&swapped.bytes()).is_none());
    let wider = gate(&[40, 16, 5, 5], &[2, 2, 2, 2], ["a", "b"]);
    assert!(rewritten(&wider.bytes()).is_none());
}

#[test]
fn gates_of_one_tap_and_lines_with_few_outputs_are_ours_too() {
    let ours = ["LineConvolution"];
    let image = gate(&[10, 32, 1, 1], &[0, 0, 0, 0], ["a", "b"]);
    compare(&image, &[2, 32, 7, 31], &ours);
    let line = gate(&[40, 33, 1], &[0, 0], ["a", "b"]);
    compare(&line, &[1, 33, 500], &ours);
    let few = alone(&[6, 48, 3], &[("pads", &[2, 2]), ("dilations", &[2])]);
    compare(&few, &[5, 48, 100], &ours);
    let without_bias = between(3, &[("w", &[8, 32, 3])]);
    let pads = [wholes("pads", &[1, 1])];
    let without_bias = without_bias.node_with("Conv", &["x", "w"], "y", &pads);
    compare(&without_bias, &[1, 32, 60], &ours);
    let more = alone(&[12, 47, 3], &[("pads", &[1, 1])]);
    assert!(rewritten(&more.bytes()).is_none());
    let plain = alone(&[6, 48, 1], &[]);
    assert!(rewritten(&plain.bytes()).is_none());
}

#[test]
fn other_convolutions_stay_as_they_are() {
    let is_ours = |dims: &[u64], attributes: &[(&str, &[u64])]| {
        rewritten(&alone(dims, attributes).bytes()).is_some()
    };
    let pads: (&str, &[u64]) = ("pads", &[1, 1, 1, 1]);
    let square = [16, 16, 3, 3];
    assert_eq!(is_ours(&square, &[pads]), Instructions::here().is_some());
    assert!(!is_ours(&square, &[]), "without zeros around it");
    assert!(!is_ours(&square, &[pads, ("strides", &[2, 1])]));
    let high: [(&str, &[u64]); 2] = [("pads", &[2, 1, 2, 1]), ("dilations", &[2, 1])];
    assert!(!is_ours(&square, &high));
    assert!(!is_ours(&[15, 16, 3, 3], &[pads]), "too few channels");
    assert!(!is_ours(&[16, 16, 5, 5], &[pads]));
    let grouped = [wholes("pads", pads.1), whole("group", 2)];
    let file = between(4, &[("w", &square)]).node_with("Conv", &["x", "w"], "y", &grouped);
    assert!(rewritten(&file.bytes()).is_none());
    let computed = between(4, &[("v", &square)])
        .node("Abs", &["v"], "w")
        .node_with("Conv", &["x", "w"], "y", &[wholes("pads", pads.1)]);
    assert!(rewritten(&computed.bytes()).is_none(), "not a constant");
    // A normalisation with computed parameters would have to remain.
    let mut weights = [&IMAGE[..], &NORM].concat();
    weights.retain(|(name, _)| *name != "variance");
    weights.push(("v", &[24]));
    let computed = norm(image(&weights).node("Abs", &["v"], "variance"), "y");
    assert!(rewritten(&computed.bytes()).is_none());
}
