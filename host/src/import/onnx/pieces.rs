use std::collections::{HashMap, HashSet};

use super::Element;
use super::edit::Edit;
use super::message::{node_message, tensor_attribute, tensor_message, whole_attribute};
use super::order::taken;
use super::random::free_name;
use super::read::{Initializer, Node, OnnxFile};
use crate::model::wire::{fields, put_bytes};

/// Pieces that an attention's queries are cut into. Of Demucs's scores, 231 MB, one piece is 14 MB; more pieces save little more.
const PIECES: i64 = 16;
/// The oldest version of ONNX in which axes are counted from the end by every operator that is put in.
const OLDEST_OPSET: u64 = 11;
/// Operations that may lie between the product and the softmax; exporters write one scale at most.
const MAX_SCALES: usize = 2;
/// What makes one number of one number or two. Exporters leave the root of a constant to be worked out by the graph.
const ARITHMETIC: [&str; 6] = ["Pow", "Sqrt", "Reciprocal", "Mul", "Div", "Cast"];
/// The most attentions of a graph; the largest networks have some dozens.
const MAX_ATTENTIONS: usize = 512;
/// Numbers of a node's fields that a copy has of its own (onnx.proto): inputs, outputs, name.
const NAMES: [u32; 3] = [1, 2, 3];

/// An attention, `softmax(q k) v`, by the places of its nodes.
struct Attention<'a> {
    /// From the product of queries and keys to the softmax.
    scores: Vec<usize>,
    /// The product with the values.
    answer: usize,
    queries: &'a str,
}

/// What makes and takes the tensors of a graph.
struct Ties<'a> {
    makers: HashMap<&'a str, usize>,
    /// How often a tensor is taken, and by which node last.
    takers: HashMap<&'a str, (usize, usize)>,
    /// Those that are one number, which never changes.
    numbers: HashSet<&'a str>,
}

/// Computes every attention for a piece of its queries after the other, and puts the answers together. Each query has its own row of
/// scores, so that the numbers stay the same; but the scores of all queries, the largest tensors of such networks, are never
/// there at once. Gives the number of attentions.
pub(in crate::import) fn attentions_in_pieces<'a>(
    file: &OnnxFile<'a>,
    edit: &mut Edit<'_, 'a>,
) -> usize {
    if file
        .standard_opset()
        .is_none_or(|version| version < OLDEST_OPSET)
    {
        return 0;
    }
    let ties = Ties::of(file);
    let messages = file.node_messages();
    let places = 0..file.graph.nodes.len();
    let found: Vec<_> = places
        .filter_map(|place| ties.attention(file, &messages, place))
        .collect();
    if found.len() > MAX_ATTENTIONS {
        return 0;
    }
    for attention in &found {
        for place in &attention.scores {
            edit.replace_node(*place, Vec::new());
        }
        edit.replace_node(attention.answer, in_pieces(file, &messages, attention));
    }
    found.len()
}

impl<'a> Ties<'a> {
    fn of(file: &OnnxFile<'a>) -> Self {
        let (mut makers, mut takers) = (HashMap::new(), HashMap::new());
        let is_number = |tensor: &Initializer<'_>| tensor.dims.iter().all(|dim| *dim == 1);
        let weights = file.graph.initializers.iter();
        let weights = weights.filter(|tensor| is_number(tensor));
        let mut numbers: HashSet<&'a str> = weights.map(|tensor| tensor.name).collect();
        for (place, node) in file.graph.nodes.iter().enumerate() {
            makers.extend(node.outputs.iter().map(|output| (*output, place)));
            let value = node.attribute("value").map(|value| &value.tensors[..]);
            let is_constant =
                node.is_standard("Constant") && matches!(value, Some([one]) if is_number(one));
            let is_computed = ARITHMETIC.iter().any(|name| node.is_standard(name))
                && node.inputs.iter().all(|input| numbers.contains(input));
            if is_constant || is_computed {
                numbers.extend(&node.outputs);
            }
            for name in taken(node) {
                takers.entry(name).or_insert((0, place)).0 += 1;
                takers.entry(name).and_modify(|taker| taker.1 = place);
            }
        }
        for output in &file.graph.outputs {
            // What leaves the graph is taken by more than a node.
            takers.entry(output.name).or_insert((0, 0)).0 += 2;
        }
        Self {
            makers,
            takers,
            numbers,
        }
    }

    /// The only node that takes what a node makes.
    fn only_taker(&self, node: &Node<'a>) -> Option<usize> {
        let [output] = node.outputs[..] else {
            return None;
        };
        let (count, place) = self.takers.get(output)?;
        (*count == 1).then_some(*place)
    }

    /// The attention whose softmax is at `place`.
    fn attention(
        &self,
        file: &OnnxFile<'a>,
        messages: &[&'a [u8]],
        place: usize,
    ) -> Option<Attention<'a>> {
        let nodes = &file.graph.nodes;
        let softmax = &nodes[place];
        if !is_softmax_of_rows(file, softmax) {
            return None;
        }
        let answer = self.only_taker(softmax)?;
        let output = softmax.outputs.first()?;
        if !keeps_rows(&nodes[answer], messages[answer]) || nodes[answer].inputs[0] != *output {
            return None;
        }
        let mut scores = vec![place];
        while scores.len() <= MAX_SCALES + 1 {
            let last = &nodes[*scores.last()?];
            let scored = last
                .inputs
                .iter()
                .filter(|input| !self.numbers.contains(*input));
            let place = *self.makers.get(scored.copied().next()?)?;
            let node = &nodes[place];
            if self.only_taker(node) != scores.last().copied() {
                return None;
            }
            scores.push(place);
            if keeps_rows(node, messages[place]) {
                scores.reverse();
                return Some(Attention {
                    scores,
                    answer,
                    queries: node.inputs[0],
                });
            }
            if !self.is_scale(node) {
                return None;
            }
        }
        None
    }

    /// Whether every value is multiplied or divided by the same number.
    fn is_scale(&self, node: &Node<'a>) -> bool {
        let [first, second] = node.inputs[..] else {
            return false;
        };
        let by_second = self.numbers.contains(second);
        node.is_standard("Mul") && (by_second || self.numbers.contains(first))
            || node.is_standard("Div") && by_second
    }
}

fn is_softmax_of_rows(file: &OnnxFile<'_>, node: &Node<'_>) -> bool {
    let axis = node.attribute("axis").and_then(|axis| axis.int);
    // The default was another before version 13.
    let is_last = axis == Some(-1)
        || axis.is_none() && file.standard_opset().is_some_and(|version| version >= 13);
    node.is_standard("Softmax") && is_last
}

/// Whether a row of the first input makes the same row of the result, and no other: a product, or a sum over products whose
/// last axis but one is only the first input's.
fn keeps_rows(node: &Node<'_>, message: &[u8]) -> bool {
    if node.inputs.len() != 2 || node.outputs.len() != 1 {
        return false;
    }
    if node.is_standard("MatMul") {
        return true;
    }
    let equation = node.is_standard("Einsum").then(|| equation(message));
    let Some(equation) = equation.flatten() else {
        return false;
    };
    let letters: String = equation.chars().filter(|letter| *letter != ' ').collect();
    let Some((inputs, output)) = letters.split_once("->") else {
        return false;
    };
    let Some((first, second)) = inputs.split_once(',') else {
        return false;
    };
    let row = |axes: &str| axes.chars().rev().nth(1);
    let Some(letter) = row(first).filter(char::is_ascii_alphabetic) else {
        return false;
    };
    row(output) == Some(letter) && first.matches(letter).count() == 1 && !second.contains(letter)
}

/// The equation of an `Einsum`: the text (field 4) of the attribute (field 5) of that name (field 1).
fn equation(message: &[u8]) -> Option<&str> {
    let attributes = fields(message).flatten().filter(|field| field.number == 5);
    let mut attributes = attributes.filter_map(|field| field.bytes().ok());
    attributes.find_map(|attribute| {
        let text = |number| {
            let mut parts = fields(attribute).flatten();
            let part = parts.find(|part| part.number == number)?;
            std::str::from_utf8(part.bytes().ok()?).ok()
        };
        (text(1) == Some("equation")).then(|| text(4)).flatten()
    })
}

/// Nodes in the making, whose names begin alike.
struct Nodes {
    prefix: String,
    made: Vec<Vec<u8>>,
}

impl Nodes {
    /// A node that makes a tensor of its own name.
    fn put(&mut self, operator: &str, inputs: &[&str], name: &str) -> String {
        let name = format!("{}/{name}", self.prefix);
        self.made
            .push(node_message(operator, &name, inputs, &name, &[]));
        name
    }

    /// A list of one whole number.
    fn whole(&mut self, value: i64, name: &str) -> String {
        let name = format!("{}/{name}", self.prefix);
        let tensor = tensor_message("", Element::I64, &[1], &value.to_le_bytes());
        let value = tensor_attribute("value", &tensor);
        self.made
            .push(node_message("Constant", &name, &[], &name, &[value]));
        name
    }

    /// A node like that of `message` with other inputs.
    fn like(&mut self, message: &[u8], inputs: &[&str], name: &str) -> String {
        let name = format!("{}/{name}", self.prefix);
        let mut node = Vec::new();
        for input in inputs {
            put_bytes(&mut node, 1, input.as_bytes());
        }
        put_bytes(&mut node, 2, name.as_bytes());
        put_bytes(&mut node, 3, name.as_bytes());
        // The message was read before, so that every field is good.
        for field in fields(message).flatten() {
            if !NAMES.contains(&field.number) {
                node.extend_from_slice(field.encoded);
            }
        }
        self.made.push(node);
        name
    }
}

/// The nodes that take the place of an attention's last one.
fn in_pieces(file: &OnnxFile<'_>, messages: &[&[u8]], attention: &Attention<'_>) -> Vec<Vec<u8>> {
    let nodes = &file.graph.nodes;
    let output = nodes[attention.answer].outputs[0];
    let mut new = Nodes {
        prefix: free_name(file, &format!("{output}/pieces")),
        made: Vec::new(),
    };
    // The number of queries is not always written in the graph, so the bounds of the pieces are computed.
    let axis = new.whole(-2, "axis");
    let lengths = new.put("Shape", &[attention.queries], "lengths");
    let rows = new.put("Gather", &[&lengths, &axis], "rows");
    let (rest, count) = (new.whole(PIECES - 1, "rest"), new.whole(PIECES, "count"));
    let rounded = new.put("Add", &[&rows, &rest], "rounded");
    let step = new.put("Div", &[&rounded, &count], "step");
    let bounds: Vec<String> = (0..=PIECES)
        .map(|bound| {
            let number = new.whole(bound, &format!("number-{bound}"));
            new.put("Mul", &[&step, &number], &format!("bound-{bound}"))
        })
        .collect();
    let mut answers = Vec::new();
    for (piece, ends) in bounds.windows(2).enumerate() {
        let slice = [attention.queries, &ends[0], &ends[1], &axis];
        let mut before = attention.queries;
        let mut last = new.put("Slice", &slice, &format!("{piece}"));
        for place in attention.scores.iter().chain([&attention.answer]) {
            let mut inputs = nodes[*place].inputs.clone();
            // Only the first: queries and keys may be the same tensor.
            if let Some(input) = inputs.iter_mut().find(|input| **input == before) {
                *input = &last;
            }
            let copy = new.like(messages[*place], &inputs, &format!("{piece}-{place}"));
            (before, last) = (nodes[*place].outputs[0], copy);
        }
        answers.push(last);
    }
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    let joined = whole_attribute("axis", -2);
    let name = format!("{}/joined", new.prefix);
    new.made
        .push(node_message("Concat", &name, &answers, output, &[joined]));
    new.made
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Tiny, text, whole};
    use super::*;

    fn found(graph: &Tiny) -> usize {
        let bytes = graph.bytes();
        let file = OnnxFile::parse(&bytes).expect("a file");
        attentions_in_pieces(&file, &mut Edit::new(&file, Vec::new()))
    }

    /// `softmax(q k) v` with `scaled` between the first product and the softmax.
    fn attention(opset: u64, scaled: &str, axis: u64) -> Tiny {
        let dims = [super::super::Dim::Any("")];
        Tiny::in_opset("", opset)
            .input("q", Element::F32, &dims)
            .weight("two", &[1], 2.0)
            .weight("mask", &[4], 2.0)
            .node("Pow", &["two", "two"], "four")
            .node("Pow", &["two", "mask"], "row")
            .node("MatMul", &["q", "q"], "products")
            .node("Mul", &["products", scaled], "scores")
            .node_with("Softmax", &["scores"], "weights", &[whole("axis", axis)])
            .node("MatMul", &["weights", "q"], "y")
            .output("y", Element::F32, &dims)
    }

    #[test]
    fn only_what_keeps_the_rows_apart_is_cut() {
        let last = u64::MAX;
        assert_eq!(found(&attention(17, "two", last)), 1);
        assert_eq!(found(&attention(11, "two", last)), 1);
        assert_eq!(found(&attention(17, "four", last)), 1);
        let others = [
            attention(10, "two", last),
            attention(17, "mask", last),
            attention(17, "row", last),
            attention(17, "q", last),
            attention(17, "two", 1),
            attention(17, "two", last).output("weights", Element::F32, &[]),
            attention(17, "two", last).node("Tanh", &["scores"], "z"),
        ];
        for other in others {
            assert_eq!(found(&other), 0);
        }
    }

    #[test]
    fn a_sum_over_products_may_mix_no_rows() {
        let keeps = |letters: &str| {
            let sum = Tiny::in_opset("", 17)
                .node_with("Einsum", &["a", "b"], "c", &[text("equation", letters)])
                .bytes();
            let file = OnnxFile::parse(&sum).expect("a file");
            keeps_rows(&file.graph.nodes[0], file.node_messages()[0])
        };
        assert!(keeps("b h i d, b h j d -> b h i j") && keeps("id,jd->ij"));
        for other in [
            "bhdi,bhjd->bhij",
            "id,ji->ij",
            "id,jd->ji",
            "ii,jd->ij",
            "id->di",
            "...id,...jd->...",
        ] {
            assert!(!keeps(other), "{other}");
        }
    }
}
