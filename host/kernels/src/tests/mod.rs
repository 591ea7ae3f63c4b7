//! Graphs run by ONNX Runtime alone and with our operators in them.

mod convolutions;
mod products;
mod transposed;

use std::sync::LazyLock;

use ort::environment::Environment;
use ort::session::Session;
use ort::value::Tensor;

use super::vector::Instructions;
use super::{rewritten, session};
use vocalhost_onnx::testing::Tiny;
use vocalhost_onnx::{Dim, Element, OnnxFile};

/// The field of a graph that holds its name, without which ONNX Runtime takes none.
const GRAPH_NAME: u32 = 2;

/// Pseudo-random numbers between -0.5 and 0.5, always the same (Numerical Recipes' generator).
pub(crate) fn noise(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (f64::from(state) / f64::from(u32::MAX) - 0.5) as f32
    };
    (0..count).map(|_| next()).collect()
}

/// A file that takes `x` and gives `y`, both of so many axes of any length, and has noise for weights; nodes are missing.
fn between(rank: usize, weights: &[(&str, &[u64])]) -> Tiny {
    let names = ["x", "y"].map(|name| (0..rank).map(|axis| format!("{name}{axis}")).collect());
    let [x, y]: [Vec<String>; 2] = names;
    let [x, y] = [&x, &y].map(|names| names.iter().map(|name| Dim::Any(name)).collect());
    let [x, y]: [Vec<Dim<'_>>; 2] = [x, y];
    let mut tiny = Tiny::in_opset("", 17)
        .part(GRAPH_NAME, b"tiny")
        .input("x", Element::F32, &x)
        .output("y", Element::F32, &y);
    for (seed, (name, dims)) in weights.iter().enumerate() {
        let values = noise(dims.iter().product::<u64>() as usize, seed as u32);
        // Variances must not be below zero.
        let above = if *name == "variance" { 0.7 } else { 0.0 };
        let values = values
            .iter()
            .flat_map(|value| (value + above).to_le_bytes());
        tiny = tiny.weight_of(name, Element::F32, dims, &values.collect::<Vec<u8>>());
    }
    tiny
}

/// The process's one environment, of the library that `ORT_DYLIB_PATH` names.
fn environment() -> Environment {
    static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| {
        let path = std::env::var_os("ORT_DYLIB_PATH").expect("ORT_DYLIB_PATH names the library");
        let making = ort::init_from(path).expect("ONNX Runtime loads");
        making.with_telemetry(false).build().expect("it starts")
    });
    ENVIRONMENT.clone()
}

fn run(file: &[u8], shape: &[usize]) -> Vec<f32> {
    let builder =
        Session::builder(&environment()).and_then(|builder| Ok(builder.with_intra_threads(1)?));
    let builder = builder.expect("the set-up has installed the library");
    let mut session = session(builder, file).expect("ONNX Runtime takes the graph");
    let input = noise(shape.iter().product(), 99);
    let input = Tensor::from_array((shape.to_vec(), input)).expect("a tensor");
    let outputs = session.run(vec![("x", input)]).expect("it runs");
    let (_, values) = outputs[0].try_extract_tensor::<f32>().expect("floats");
    values.to_vec()
}

/// Runs a file unchanged and with our operators, which must be the `expected` ones together with those that remain.
fn compare(file: &Tiny, shape: &[usize], expected: &[&str]) {
    let file = file.bytes();
    if Instructions::here().is_none() {
        return;
    }
    let ours = rewritten(&file).expect("something of ours fits");
    let read = OnnxFile::parse(&ours).expect("a file");
    let nodes = read.graph.nodes.iter();
    let operators: Vec<&str> = nodes.map(|node| node.operator).collect();
    assert_eq!(operators, expected);
    let (theirs, ours) = (run(&file, shape), run(&ours, shape));
    assert_eq!(theirs.len(), ours.len());
    let pairs = theirs.iter().zip(&ours);
    let worst = pairs.fold(0.0, |worst: f32, (a, b)| worst.max((a - b).abs()));
    let loudest = theirs
        .iter()
        .fold(0.0, |loudest: f32, a| loudest.max(a.abs()));
    assert!(worst < 1e-5 * loudest.max(1.0), "{worst:e} of {loudest}");
    assert!(loudest > 0.1, "{loudest}");
}

#[test]
fn what_is_no_graph_is_left_to_onnx_runtime() {
    assert!(rewritten(b"broken").is_none());
    assert!(rewritten(b"").is_none());
}
