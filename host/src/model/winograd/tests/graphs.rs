//! Graphs that ONNX Runtime runs by itself and with our operators in them.

use ort::value::Tensor;

use super::noise;
use crate::model::Runtime;
use crate::model::execution::{Making, NotMade, make};
use crate::model::winograd::rewritten;
use crate::model::winograd::vector::Instructions;
use crate::model::wire::{fields, put_bytes, put_number};

/// A node of a graph: its operator, what goes in and what comes out, and its attributes.
struct Node {
    operator: &'static str,
    inputs: Vec<&'static str>,
    output: &'static str,
    numbers: Vec<(&'static str, Vec<u64>)>,
}

fn node(operator: &'static str, inputs: &[&'static str], output: &'static str) -> Node {
    Node {
        operator,
        inputs: inputs.to_vec(),
        output,
        numbers: Vec::new(),
    }
}

impl Node {
    /// With a list of numbers, or with one that stands alone.
    fn with(mut self, name: &'static str, numbers: &[u64]) -> Self {
        self.numbers.push((name, numbers.to_vec()));
        self
    }

    fn encoded(&self) -> Vec<u8> {
        let mut message = Vec::new();
        for input in &self.inputs {
            put_bytes(&mut message, 1, input.as_bytes());
        }
        put_bytes(&mut message, 2, self.output.as_bytes());
        put_bytes(&mut message, 4, self.operator.as_bytes());
        for (name, numbers) in &self.numbers {
            let mut attribute = Vec::new();
            put_bytes(&mut attribute, 1, name.as_bytes());
            if let (false, [number]) = (name.ends_with('s'), &numbers[..]) {
                put_number(&mut attribute, 3, *number);
                put_number(&mut attribute, 20, 2);
            } else {
                for number in numbers {
                    put_number(&mut attribute, 8, *number);
                }
                put_number(&mut attribute, 20, 7);
            }
            put_bytes(&mut message, 5, &attribute);
        }
        message
    }
}

/// A file with these nodes, numbers of these dimensions, an input `x` of the rank `rank` and an output `y`.
fn file(nodes: &[Node], numbers: &[(&str, &[u64])], rank: usize) -> Vec<u8> {
    let mut graph = Vec::new();
    for node in nodes {
        put_bytes(&mut graph, 1, &node.encoded());
    }
    put_bytes(&mut graph, 2, b"tiny");
    for (seed, (name, dimensions)) in numbers.iter().enumerate() {
        let mut tensor = Vec::new();
        for dimension in *dimensions {
            put_number(&mut tensor, 1, *dimension);
        }
        put_bytes(&mut tensor, 8, name.as_bytes());
        put_number(&mut tensor, 2, 1);
        let count = dimensions.iter().product::<u64>() as usize;
        let values = noise(count, seed as u32).into_iter();
        // Variances are what must not be below zero.
        let values = values.map(|value| {
            if *name == "variance" {
                value + 0.7
            } else {
                value
            }
        });
        let values: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
        put_bytes(&mut tensor, 9, &values);
        put_bytes(&mut graph, 5, &tensor);
    }
    for (field, name) in [(11, "x"), (12, "y")] {
        let mut shape = Vec::new();
        for axis in 0..rank {
            let mut dimension = Vec::new();
            put_bytes(&mut dimension, 2, format!("{name}{axis}").as_bytes());
            put_bytes(&mut shape, 1, &dimension);
        }
        let (mut tensor, mut kind, mut value) = (Vec::new(), Vec::new(), Vec::new());
        put_number(&mut tensor, 1, 1);
        put_bytes(&mut tensor, 2, &shape);
        put_bytes(&mut kind, 1, &tensor);
        put_bytes(&mut value, 1, name.as_bytes());
        put_bytes(&mut value, 2, &kind);
        put_bytes(&mut graph, field, &value);
    }
    let (mut operators, mut file) = (Vec::new(), Vec::new());
    put_number(&mut operators, 2, 17);
    put_number(&mut file, 1, 8);
    put_bytes(&mut file, 7, &graph);
    put_bytes(&mut file, 8, &operators);
    file
}

fn run(file: &[u8], shape: &[usize]) -> Vec<f32> {
    let runtime = Runtime::load(None).expect("the set-up has installed the library");
    let making = Making {
        bytes: file,
        providers: &[],
        threads: 1,
        profile: None,
    };
    let mut session = match make(&runtime, &making) {
        Ok(session) => session,
        Err(NotMade::Graph(reason) | NotMade::Provider(_, reason)) => panic!("{reason}"),
    };
    let input = noise(shape.iter().product(), 99);
    let input = Tensor::from_array((shape.to_vec(), input)).expect("a tensor");
    let outputs = session.run(vec![("x", input)]).expect("it runs");
    let (_, values) = outputs[0].try_extract_tensor::<f32>().expect("floats");
    values.to_vec()
}

/// Names of the operators of a file, in their order.
fn operators(file: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    for graph in fields(file).flatten().filter(|field| field.number == 7) {
        let graph = graph.bytes().expect("a graph");
        for node in fields(graph).flatten().filter(|field| field.number == 1) {
            let node = node.bytes().expect("a node");
            let name = fields(node).flatten().find(|field| field.number == 4);
            names.push(name.expect("an operator").text().expect("a text"));
        }
    }
    names
}

/// Runs a file as it is and with our operators, which must be these.
fn compare(file: &[u8], shape: &[usize], expected: &[&str]) {
    if Instructions::here().is_none() {
        return;
    }
    let ours = rewritten(file).expect("something of ours fits");
    assert_eq!(operators(&ours), expected);
    let (theirs, ours) = (run(file, shape), run(&ours, shape));
    assert_eq!(theirs.len(), ours.len());
    let pairs = theirs.iter().zip(&ours);
    let worst = pairs.fold(0.0, |worst: f32, (a, b)| worst.max((a - b).abs()));
    let loudest = theirs
        .iter()
        .fold(0.0, |loudest: f32, a| loudest.max(a.abs()));
    assert!(worst < 1e-5 * loudest.max(1.0), "{worst:e} of {loudest}");
    assert!(loudest > 0.1, "{loudest}");
}

const NORM: [(&str, &[u64]); 4] = [
    ("scale", &[24]),
    ("offset", &[24]),
    ("mean", &[24]),
    ("variance", &[24]),
];

fn norm(input: &'static str, output: &'static str) -> Node {
    let inputs = [input, "scale", "offset", "mean", "variance"];
    node("BatchNormalization", &inputs, output)
}

fn image() -> Node {
    node("Conv", &["x", "w", "b"], "a").with("pads", &[1, 1, 1, 1])
}

const IMAGE: [(&str, &[u64]); 2] = [("w", &[24, 16, 3, 3]), ("b", &[24])];

#[test]
fn an_image_with_all_that_follows_is_one_node() {
    let numbers = [&IMAGE[..], &NORM].concat();
    let nodes = [image(), norm("a", "n"), node("Relu", &["n"], "y")];
    compare(
        &file(&nodes, &numbers, 4),
        &[2, 16, 9, 31],
        &["Convolution"],
    );
    let nodes = [image(), node("Relu", &["a"], "y")];
    compare(&file(&nodes, &IMAGE, 4), &[1, 16, 13, 4], &["Convolution"]);
}

#[test]
fn dilated_columns_and_lines_are_ours_too() {
    let conv = node("Conv", &["x", "w"], "y")
        .with("pads", &[1, 3, 1, 3])
        .with("dilations", &[1, 3]);
    let numbers: [(&str, &[u64]); 1] = [("w", &[17, 16, 3, 3])];
    compare(
        &file(&[conv], &numbers, 4),
        &[1, 16, 5, 60],
        &["Convolution"],
    );
    let conv = node("Conv", &["x", "w", "b"], "y").with("pads", &[1, 1]);
    let numbers: [(&str, &[u64]); 2] = [("w", &[65, 64, 3]), ("b", &[65])];
    compare(&file(&[conv], &numbers, 3), &[2, 64, 333], &["Convolution"]);
    let conv = node("Conv", &["x", "w", "b"], "y")
        .with("pads", &[0, 4, 0, 4])
        .with("dilations", &[1, 4]);
    let numbers: [(&str, &[u64]); 2] = [("w", &[64, 64, 1, 3]), ("b", &[64])];
    compare(
        &file(&[conv], &numbers, 4),
        &[1, 64, 3, 50],
        &["Convolution"],
    );
}

#[test]
fn what_others_take_too_stays_a_value_of_its_own() {
    let nodes = [
        image(),
        node("Relu", &["a"], "r"),
        node("Add", &["a", "r"], "y"),
    ];
    let expected = ["Convolution", "Relu", "Add"];
    compare(&file(&nodes, &IMAGE, 4), &[1, 16, 8, 20], &expected);
}

#[test]
fn weights_that_are_halves_in_the_file_are_ours_too() {
    // As graphs have them that are stored in half precision: what is cast here is single precision already, which changes nothing.
    let nodes = [
        node("Cast", &["h"], "w").with("to", &[1]),
        node("Conv", &["x", "w"], "y").with("pads", &[1, 1, 1, 1]),
    ];
    let numbers: [(&str, &[u64]); 1] = [("h", &[16, 16, 3, 3])];
    compare(
        &file(&nodes, &numbers, 4),
        &[1, 16, 8, 20],
        &["Cast", "Convolution"],
    );
}

#[test]
fn other_convolutions_stay_as_they_are() {
    let square = |numbers: &[(&str, &[u64])], change: fn(Node) -> Node| {
        let conv = change(node("Conv", &["x", "w"], "y"));
        rewritten(&file(&[conv], numbers, 4))
    };
    let pads = |node: Node| node.with("pads", &[1, 1, 1, 1]);
    let w: [(&str, &[u64]); 1] = [("w", &[16, 16, 3, 3])];
    assert_eq!(square(&w, pads).is_some(), Instructions::here().is_some());
    assert!(square(&w, |node| node).is_none(), "without zeros around it");
    let strided = |node: Node| node.with("pads", &[1, 1, 1, 1]).with("strides", &[2, 1]);
    assert!(square(&w, strided).is_none());
    let grouped = |node: Node| node.with("pads", &[1, 1, 1, 1]).with("group", &[2]);
    assert!(square(&w, grouped).is_none());
    let high = |node: Node| node.with("pads", &[2, 1, 2, 1]).with("dilations", &[2, 1]);
    assert!(square(&w, high).is_none());
    assert!(
        square(&[("w", &[15, 16, 3, 3])], pads).is_none(),
        "too few channels"
    );
    assert!(square(&[("w", &[16, 16, 5, 5])], pads).is_none());
    assert!(
        square(&[("v", &[16, 16, 3, 3])], pads).is_none(),
        "not a constant"
    );
    // A normalisation whose numbers are computed would have to stay behind it.
    let nodes = [image(), node("Abs", &["v"], "variance"), norm("a", "y")];
    let mut numbers = [&IMAGE[..], &NORM].concat();
    numbers.retain(|(name, _)| *name != "variance");
    numbers.push(("v", &[24]));
    assert!(rewritten(&file(&nodes, &numbers, 4)).is_none());
}

#[test]
fn what_is_no_graph_is_left_to_onnx_runtime() {
    assert!(rewritten(b"broken").is_none());
    assert!(rewritten(b"").is_none());
}
