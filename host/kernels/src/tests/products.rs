use super::{between, compare};
use crate::rewritten;
use vocalhost_onnx::float_attribute;
use vocalhost_onnx::testing::whole;

const WEIGHTS: [(&str, &[u64]); 2] = [("w", &[256, 300]), ("b", &[300])];

#[test]
fn a_product_and_its_bias_are_one_node() {
    let general = between(2, &WEIGHTS).node("Gemm", &["x", "w", "b"], "y");
    compare(&general, &[37, 256], &["Product"]);
    let without_bias = between(2, &WEIGHTS).node("Gemm", &["x", "w"], "y");
    compare(&without_bias, &[1, 256], &["Product"]);
    let weights: [(&str, &[u64]); 2] = [("w", &[300, 256]), ("b", &[300])];
    let transposed = between(2, &weights);
    let transposed = transposed.node_with("Gemm", &["x", "w", "b"], "y", &[whole("transB", 1)]);
    compare(&transposed, &[21, 256], &["Product"]);
    let plain = between(3, &WEIGHTS)
        .node("MatMul", &["x", "w"], "p")
        .node("Add", &["b", "p"], "y");
    compare(&plain, &[2, 9, 256], &["Product"]);
}

#[test]
fn what_is_added_behind_stays_where_it_is_no_bias() {
    let weights: [(&str, &[u64]); 2] = [("w", &[256, 300]), ("b", &[1, 1, 300])];
    let file = between(3, &weights)
        .node("MatMul", &["x", "w"], "p")
        .node("Add", &["p", "b"], "y");
    compare(&file, &[2, 9, 256], &["Product", "Add"]);
    let file = between(3, &WEIGHTS)
        .node("MatMul", &["x", "w"], "p")
        .node("Add", &["p", "b"], "s")
        .node("Mul", &["p", "s"], "y");
    compare(&file, &[2, 9, 256], &["Product", "Add", "Mul"]);
}

#[test]
fn other_products_stay_as_they_are() {
    let small: [(&str, &[u64]); 1] = [("w", &[255, 300])];
    let file = between(2, &small).node("MatMul", &["x", "w"], "y");
    assert!(rewritten(&file.bytes()).is_none());
    let scaled = [float_attribute("alpha", 0.5)];
    let file = between(2, &WEIGHTS).node_with("Gemm", &["x", "w", "b"], "y", &scaled);
    assert!(rewritten(&file.bytes()).is_none());
    let turned = [whole("transA", 1)];
    let file = between(2, &WEIGHTS).node_with("Gemm", &["x", "w", "b"], "y", &turned);
    assert!(rewritten(&file.bytes()).is_none());
    let computed = between(2, &[("v", &[256, 300])])
        .node("Abs", &["v"], "w")
        .node("MatMul", &["x", "w"], "y");
    assert!(rewritten(&computed.bytes()).is_none());
}
