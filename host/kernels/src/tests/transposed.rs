use super::{between, compare};
use crate::rewritten;
use vocalhost_onnx::Element;
use vocalhost_onnx::testing::{Tiny, whole, wholes};

/// A transposed convolution of `x` to `y` with a filter of these dimensions, and a bias.
fn alone(dims: &[u64], attributes: &[(&str, &[u64])]) -> Tiny {
    alone_to("y", dims, attributes)
}

/// The same to another tensor.
fn alone_to(output: &str, dims: &[u64], attributes: &[(&str, &[u64])]) -> Tiny {
    let attributes: Vec<_> = attributes
        .iter()
        .map(|(name, numbers)| wholes(name, numbers))
        .collect();
    let weights: [(&str, &[u64]); 2] = [("w", dims), ("b", &dims[1..2])];
    let file = between(dims.len(), &weights);
    file.node_with("ConvTranspose", &["x", "w", "b"], output, &attributes)
}

#[test]
fn filters_of_twice_their_stride_are_ours() {
    let expected = ["TransposedConvolution"];
    let over_rows = alone(&[32, 9, 8, 1], &[("strides", &[4, 1])]);
    compare(&over_rows, &[2, 32, 7, 31], &expected);
    let line: [(&str, &[u64]); 2] = [("strides", &[10]), ("pads", &[5, 5])];
    compare(&alone(&[40, 3, 20], &line), &[1, 40, 77], &expected);
    let without_bias = between(3, &[("w", &[32, 4, 4])]);
    let strides = [wholes("strides", &[2]), wholes("pads", &[1, 0])];
    let without_bias = without_bias.node_with("ConvTranspose", &["x", "w"], "y", &strides);
    compare(&without_bias, &[1, 32, 50], &expected);
}

#[test]
fn what_is_cut_off_behind_is_not_made() {
    let cut = |from: i64, to: i64, axis: i64| {
        let mut file = alone_to("a", &[32, 9, 8], &[("strides", &[4])]);
        for (name, number) in [("from", from), ("to", to), ("axis", axis), ("step", 1)] {
            file = file.weight_of(name, Element::I64, &[1], &number.to_le_bytes());
        }
        file.node("Slice", &["a", "from", "to", "axis", "step"], "y")
    };
    let ours = ["TransposedConvolution"];
    compare(&cut(2, -2, 2), &[1, 32, 50], &ours);
    compare(&cut(2, 199, 2), &[2, 32, 50], &ours);
    compare(&cut(3, 100_000, 2), &[1, 32, 50], &ours);
    let theirs = ["TransposedConvolution", "Slice"];
    compare(&cut(2, -2, 1), &[1, 32, 50], &theirs);
    compare(&cut(-9, -2, 2), &[1, 32, 50], &theirs);
}

#[test]
fn other_transposed_convolutions_stay_as_they_are() {
    let is_ours = |dims: &[u64], attributes: &[(&str, &[u64])]| {
        rewritten(&alone(dims, attributes).bytes()).is_some()
    };
    let strides: (&str, &[u64]) = ("strides", &[4]);
    assert!(!is_ours(&[32, 9, 8], &[]), "its stride is 1");
    assert!(!is_ours(&[32, 9, 7], &[strides]));
    assert!(!is_ours(&[31, 9, 8], &[strides]), "too few channels");
    assert!(!is_ours(&[32, 9, 8], &[strides, ("dilations", &[2])]));
    assert!(!is_ours(&[32, 9, 8], &[strides, ("output_padding", &[1])]));
    assert!(!is_ours(&[32, 9, 8], &[strides, ("pads", &[5, 0])]));
    let wide: [(&str, &[u64]); 1] = [("strides", &[4, 2])];
    assert!(!is_ours(&[32, 9, 8, 4], &wide));
    let grouped = [wholes("strides", &[4]), whole("group", 2)];
    let file = between(3, &[("w", &[32, 9, 8])]);
    let file = file.node_with("ConvTranspose", &["x", "w"], "y", &grouped);
    assert!(rewritten(&file.bytes()).is_none());
}
