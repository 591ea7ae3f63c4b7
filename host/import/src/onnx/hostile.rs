//! Files that mean harm, and files that are broken.

use std::path::Path;

use super::{Other, check, resolve};
use vocalhost_onnx::wire::{put_bytes, put_number};
use vocalhost_onnx::{
    Dim, Edit, Element, Fault, OnnxFile, node_message, number, tensor_message,
    testing::{Tiny, body},
};

fn fault(file: &[u8]) -> String {
    let checked = OnnxFile::parse(file).and_then(|file| check(&file));
    checked.expect_err("it is refused").to_string()
}

fn good() -> Tiny {
    Tiny::between_x_and_y()
        .weight("w", &[1], 2.0)
        .node("Mul", &["x", "w"], "h")
        .node("Tanh", &["h"], "y")
}

#[test]
fn a_good_file_passes_and_is_written_again_as_it_was() {
    let bytes = good().bytes();
    let file = OnnxFile::parse(&bytes).expect("a file");
    assert_eq!(check(&file), Ok(()));
    let mut again = Vec::new();
    let edit = Edit::new(&file, Vec::new());
    edit.write(&mut again).expect("written");
    assert_eq!(again, bytes);
    assert_eq!(edit.bytes(), bytes.len() as u64);
}

#[test]
fn operators_that_are_not_on_the_list_are_refused_with_their_node() {
    let x = Tiny::between_x_and_y;
    for file in [
        x().opset("evil", 1).node_of("evil", "ReadFile"),
        x().node_of("", "ImageDecoder"),
        x().node_of("com.microsoft", "EPContext"),
    ] {
        let reason = fault(&file.bytes());
        assert!(reason.contains("node \"n\""), "{reason}");
        assert!(reason.contains("may not use"), "{reason}");
    }
}

#[test]
fn bodies_of_branches_are_looked_into() {
    let evil = Tiny::default()
        .node_of("evil", "ReadFile")
        .output("y", Element::F32, &[])
        .graph();
    let file = Tiny::between_x_and_y()
        .weight_of("c", Element::BOOL, &[], &[1])
        .node_with("If", &["c"], "y", &[body("then_branch", &evil)]);
    assert!(fault(&file.bytes()).contains("ReadFile"));
    let lost = Tiny::default()
        .node("Tanh", &["nothing"], "inner")
        .output("inner", Element::F32, &[])
        .graph();
    let file = Tiny::between_x_and_y()
        .weight_of("c", Element::BOOL, &[], &[1])
        .node_with("If", &["c"], "y", &[body("then_branch", &lost)]);
    assert!(fault(&file.bytes()).contains("which nothing makes"));
}

#[test]
fn a_body_sees_what_is_around_it() {
    let inner = Tiny::default()
        .node("Tanh", &["x"], "inner")
        .output("inner", Element::F32, &[])
        .graph();
    let file = Tiny::between_x_and_y()
        .weight_of("c", Element::BOOL, &[], &[1])
        .node_with("If", &["c"], "y", &[body("then_branch", &inner)])
        .bytes();
    let file = OnnxFile::parse(&file).expect("a file");
    assert_eq!(check(&file), Ok(()));
}

#[test]
fn bodies_a_thousand_deep_do_not_reach_the_stack() {
    let mut graph = Tiny::default().graph();
    for _ in 0..1_000 {
        graph = Tiny::default()
            .node_with("If", &["c"], "y", &[body("then_branch", &graph)])
            .graph();
    }
    let file = Tiny::between_x_and_y().node_with("If", &["x"], "y", &[body("b", &graph)]);
    assert!(fault(&file.bytes()).contains("deep in each other"));
}

#[test]
fn circles_are_told_from_what_is_missing() {
    let x = Tiny::between_x_and_y;
    let circle = x().node("Add", &["x", "b"], "a").node("Tanh", &["a"], "b");
    assert!(fault(&circle.bytes()).contains("goes in a circle"));
    let own = x().node("Add", &["x", "y"], "y");
    assert!(fault(&own.bytes()).contains("goes in a circle"));
    let missing = x().node("Add", &["x", "nowhere"], "y");
    assert!(fault(&missing.bytes()).contains("\"nowhere\", which nothing makes"));
    let no_output = x().node("Tanh", &["x"], "z");
    assert!(fault(&no_output.bytes()).contains("output \"y\" is made by no node"));
}

#[test]
fn nodes_are_put_into_their_order() {
    let x = Tiny::between_x_and_y;
    let late = x()
        .node("Tanh", &["b"], "y")
        .node("Sin", &["x"], "a")
        .node("Cos", &["x"], "c")
        .node("Add", &["a", "c"], "b");
    let bytes = late.bytes();
    let file = OnnxFile::parse(&bytes).expect("it is read");
    check(&file).expect("it is in order");
    let mut written = Vec::new();
    let edit = Edit::new(&file, Vec::new());
    edit.write(&mut written).expect("it is written");
    let written = OnnxFile::parse(&written).expect("it is read");
    for file in [&file, &written] {
        let nodes = file.graph.nodes.iter().map(|node| node.operator);
        assert!(nodes.eq(["Sin", "Cos", "Add", "Tanh"]));
    }
}

#[test]
fn what_is_there_twice_is_refused() {
    let twice = good().node("Tanh", &["x"], "h");
    assert!(fault(&twice.bytes()).contains("\"h\", which is there already"));
    let weights = good().weight("w", &[1], 1.0);
    assert!(fault(&weights.bytes()).contains("two weights \"w\""));
    let inputs = good().input("x", Element::F32, &[]);
    assert!(fault(&inputs.bytes()).contains("two inputs \"x\""));
}

#[test]
fn shapes_that_no_file_could_hold_are_refused_before_anything_is_allocated() {
    let giant = good().weight_of("g", Element::F32, &[1 << 40, 1 << 40], &[]);
    assert!(fault(&giant.bytes()).contains("weight \"g\" has the shape"));
    let two_gb = good().weight_of("g", Element::F32, &[1 << 29], &[0; 4]);
    assert!(fault(&two_gb.bytes()).contains("weight \"g\""));
    let short = good().weight_of("g", Element::F32, &[3], &[0; 8]);
    assert!(fault(&short.bytes()).contains("has 8 bytes of values"));
    let port = good().input(
        "z",
        Element::F32,
        &[Dim::Fixed(1 << 20), Dim::Fixed(1 << 20)],
    );
    assert!(fault(&port.bytes()).contains("input \"z\" has more than"));
    let texts = good().weight_of("g", Element(8), &[1], &[]);
    assert!(fault(&texts.bytes()).contains("values of text"));
    let constant = tensor_message("", Element::F32, &[9], &[0; 4]);
    let mut attribute = Vec::new();
    put_bytes(&mut attribute, 1, b"value");
    put_bytes(&mut attribute, 5, &constant);
    let node = node_message("Constant", "k", &[], "k", &[attribute]);
    let file = good().part(number::GRAPH_NODE, &node);
    assert!(fault(&file.bytes()).contains("node \"k\" (Constant) has 4 bytes"));
}

#[test]
fn files_without_an_opset_with_functions_or_of_the_distant_past_are_refused() {
    let none = Tiny::default().node("Tanh", &["x"], "y");
    assert!(fault(&none.bytes()).contains("which version of ONNX"));
    assert!(fault(&Tiny::in_opset("", 3).bytes()).contains("opset 3"));
    let own = good().file_part(number::MODEL_FUNCTIONS, b"");
    assert!(fault(&own.bytes()).contains("functions"));
    let trained = good().file_part(number::MODEL_TRAINING, b"");
    assert!(fault(&trained.bytes()).contains("training"));
    let no_graph = OnnxFile::parse(b"").map(|_| ());
    assert_eq!(no_graph, Err(Fault::new("holds 0 graphs instead of one")));
}

#[test]
fn a_file_of_millions_of_nothings_is_given_up() {
    let (mut graph, mut file) = (Vec::new(), Vec::new());
    for _ in 0..2_100_000 {
        put_bytes(&mut graph, number::GRAPH_NODE, &[]);
    }
    put_bytes(&mut file, number::MODEL_GRAPH, &graph);
    assert!(fault(&file).contains("as no real graph"));
}

/// A field of bytes whose tag has a bit more than the 32 that ONNX Runtime's reader keeps of it: there it is the field
/// `number`, below 16, and to a reader of more bits another.
fn hidden(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2 | 0x80, 0x80, 0x80, 0x80, 0x10];
    field.push(bytes.len() as u8);
    field.extend_from_slice(bytes);
    field
}

#[test]
fn nothing_is_hidden_behind_bits_that_onnx_runtime_drops() {
    let place = b"\x0a\x08location\x12\x06secret";
    let weight = tensor_message("s", Element::F32, &[1], &[0; 4]);
    let node = node_message("Tanh", "n", &["x"], "y", &[]);
    for file in [
        good().part(
            number::GRAPH_INITIALIZER,
            &[weight, hidden(13, place)].concat(),
        ),
        Tiny::between_x_and_y().part(number::GRAPH_NODE, &[node, hidden(4, b"ReadFile")].concat()),
    ] {
        let reason = fault(&file.bytes());
        assert!(reason.contains("in more than 32 bits"), "{reason}");
    }
}

#[test]
fn what_other_readers_would_read_otherwise_is_refused() {
    let node = node_message("Tanh", "n", &["x"], "y", &[]);
    let (mut renamed, mut unknown) = (node.clone(), node);
    put_bytes(&mut renamed, 4, b"Sin");
    put_number(&mut unknown, 99, 1);
    for (node, reason) in [
        (renamed, "the field 4 in a node twice"),
        (unknown, "the field 99 in a node, which ONNX does not have"),
    ] {
        let file = Tiny::between_x_and_y().part(number::GRAPH_NODE, &node);
        let said = fault(&file.bytes());
        assert!(said.contains(reason), "{said}");
    }
    let mut elsewhere = tensor_message("s", Element::F32, &[1], &[0; 4]);
    // The reader of ONNX Runtime takes 32 bits of this number, too.
    put_number(&mut elsewhere, number::TENSOR_DATA_LOCATION, (1 << 32) | 1);
    let bytes = good().part(number::GRAPH_INITIALIZER, &elsewhere).bytes();
    let file = OnnxFile::parse(&bytes).expect("a file");
    assert!(resolve(Path::new("graph"), &file, &[]).is_err());
}

#[test]
fn no_cut_and_no_flipped_bit_makes_it_panic() {
    let inner = Tiny::default().node("Tanh", &["x"], "i").graph();
    let bytes = good()
        .weight_in("e", &[2], &[("location", "data"), ("offset", "8")])
        .node_with("If", &["x"], "z", &[body("then_branch", &inner)])
        .metadata("metadata", "{}")
        .bytes();
    for end in 0..bytes.len() {
        if let Ok(file) = OnnxFile::parse(&bytes[..end]) {
            let _ = check(&file);
        }
    }
    for bit in 0..bytes.len() * 8 {
        let mut broken = bytes.clone();
        broken[bit / 8] ^= 1 << (bit % 8);
        if let Ok(file) = OnnxFile::parse(&broken)
            && check(&file).is_ok()
        {
            let _ = resolve(Path::new("graph"), &file, &[]);
            let mut out = Vec::new();
            let _ = Edit::new(&file, Vec::new()).write(&mut out);
        }
    }
}

#[test]
fn weights_in_other_files_are_taken_only_from_those_that_were_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("weights.data");
    let values: Vec<u8> = [0.0_f32, 1.0, 2.0, 3.0]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    std::fs::write(&data, &values).expect("written");
    let file = |location: &str, offset: &str| {
        Tiny::between_x_and_y()
            .weight_in("w", &[2], &[("location", location), ("offset", offset)])
            .node("Mul", &["x", "w"], "y")
            .bytes()
    };
    let given = [data.clone(), folder.path().join("another")].map(|file| Other::at(&file));
    for (location, offset, reason) in [
        ("/etc/passwd", "0", "has to be given too"),
        ("../secret.data", "0", "has to be given too"),
        ("weights.data", "12", "has only 16 bytes"),
        ("weights.data", "18446744073709551615", "has only 16 bytes"),
        ("weights.data", "-4", "has the offset \"-4\""),
    ] {
        let bytes = file(location, offset);
        let parsed = OnnxFile::parse(&bytes).expect("a file");
        let error = resolve(Path::new("graph"), &parsed, &given).expect_err("it is refused");
        assert!(error.to_string().contains(reason), "{location}: {error}");
    }
    let bytes = file("somewhere/weights.data", "8");
    let parsed = OnnxFile::parse(&bytes).expect("a file");
    assert_eq!(check(&parsed), Ok(()));
    let external = resolve(Path::new("graph"), &parsed, &given).expect("they are there");
    let mut whole = Vec::new();
    Edit::new(&parsed, external)
        .write(&mut whole)
        .expect("written");
    let parsed = OnnxFile::parse(&whole).expect("a file");
    assert_eq!(check(&parsed), Ok(()));
    let weight = parsed.initializer("w").expect("it is there");
    assert_eq!(weight.raw, Some(&values[8..]));
}

#[test]
fn of_several_files_of_one_name_the_one_beside_the_graph_has_its_weights() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let given = ["a/w.data", "b/w.data", "b/deep/w.data"].map(path);
    for file in &given {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, [0; 8]).expect("written");
    }
    let found = |graph: &str, location: &str| {
        let bytes = Tiny::between_x_and_y()
            .weight_in("w", &[2], &[("location", location)])
            .node("Mul", &["x", "w"], "y")
            .bytes();
        let parsed = OnnxFile::parse(&bytes).expect("a file");
        let given = given.each_ref().map(|file| Other::at(file));
        resolve(&path(graph), &parsed, &given).map(|found| found[0].file.clone())
    };
    for (graph, location, expected) in [
        ("a/graph", "w.data", "a/w.data"),
        ("b/graph", "w.data", "b/w.data"),
        ("b/graph", "./deep/w.data", "b/deep/w.data"),
        ("b/graph", "gone/w.data", "b/w.data"),
    ] {
        assert_eq!(found(graph, location), Ok(path(expected)), "{location}");
    }
    let error = found("c/graph", "w.data").expect_err("it could be any of them");
    assert!(error.to_string().contains("of several"), "{error}");
}
