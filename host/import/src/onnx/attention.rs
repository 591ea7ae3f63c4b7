use std::collections::HashSet;

use vocalhost_onnx::wire::fields;
use vocalhost_onnx::{
    Constants, Edit, Node, Nodes, OnnxFile, Ties, float_attribute, whole_attribute,
    wholes_attribute,
};

/// ONNX Runtime's own operators, and the version of the set.
const RUNTIME: (&str, u64) = ("com.microsoft", 1);
/// The oldest version of ONNX in which axes are counted from the end by every operator that is put in.
const OLDEST_OPSET: u64 = 11;
/// Operations that may lie between the product and the softmax; exporters write one scale at most.
const MAX_SCALES: usize = 2;
/// The most attentions of a graph; the largest networks have some dozens.
const MAX_ATTENTIONS: usize = 512;

/// An attention, `softmax(q k) v`, by the places of its nodes.
struct Attention<'a> {
    /// From the product of queries and keys to the softmax.
    scores: Vec<usize>,
    /// The product with the values.
    answer: usize,
    queries: &'a str,
    keys: &'a str,
    keys_lie: Lie,
    values: &'a str,
}

impl Attention<'_> {
    fn places(&self) -> impl Iterator<Item = usize> {
        self.scores.iter().copied().chain([self.answer])
    }
}

/// How keys lie in the last two axes of their tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lie {
    /// A key is a row, as a query is.
    Rows,
    /// A key is a column, as products of matrices want it.
    Columns,
}

/// Has every attention computed by ONNX Runtime's own operator, which goes through keys and values in blocks that the processor's
/// cache holds (`FlashAttention`, Dao and others, 2022): the scores of all queries, the largest tensors of such networks, are never
/// there at once. Gives the number of attentions.
pub(crate) fn fuse_attentions<'a>(file: &OnnxFile<'a>, edit: &mut Edit<'_, 'a>) -> usize {
    let version = file.standard_opset();
    if version.is_none_or(|version| version < OLDEST_OPSET) {
        return 0;
    }
    let ties = Ties::of(file);
    let messages = file.node_messages();
    let places = 0..file.graph.nodes.len();
    let mut taken = HashSet::new();
    let found: Vec<_> = places
        .filter_map(|place| attention_at(&ties, file, &messages, place))
        // Where the answers of one are the scores of another, only the first is fused.
        .filter(|attention| attention.places().all(|place| taken.insert(place)))
        .collect();
    if found.is_empty() || found.len() > MAX_ATTENTIONS {
        return 0;
    }
    for attention in &found {
        for place in &attention.scores {
            edit.replace_node(*place, Vec::new());
        }
        let new = fused(file, edit.constants(), &messages, attention);
        edit.replace_node(attention.answer, new);
    }
    edit.use_operators(RUNTIME.0, RUNTIME.1);
    found.len()
}

/// The attention whose softmax is at `place`.
fn attention_at<'a>(
    ties: &Ties<'_, 'a>,
    file: &OnnxFile<'a>,
    messages: &[&'a [u8]],
    place: usize,
) -> Option<Attention<'a>> {
    let softmax = ties.node(place);
    if !is_softmax_of_rows(file, softmax) {
        return None;
    }
    let output = *softmax.outputs.first()?;
    let answer = ties.only_taker(output)?;
    let [weights, values] = ties.node(answer).inputs[..] else {
        return None;
    };
    let multiplies = product(ties.node(answer), messages[answer]) == Some(Lie::Columns);
    if !multiplies || weights != output {
        return None;
    }
    let mut scores = vec![place];
    while scores.len() <= MAX_SCALES + 1 {
        let last = ties.node(*scores.last()?);
        let mut scored = last.inputs.iter().filter(|input| !ties.is_number(input));
        let place = ties.maker(scored.next()?)?;
        let node = ties.node(place);
        if ties.only_taker(node.outputs.first()?) != scores.last().copied() {
            return None;
        }
        scores.push(place);
        if let Some(keys_lie) = product(node, messages[place]) {
            scores.reverse();
            let (queries, keys) = (node.inputs[0], node.inputs[1]);
            let mut inputs = [queries, keys, values].into_iter();
            // Weights that all queries share would be repeated for each item.
            let are_shared = [keys, values].iter().any(|of| ties.weight(of).is_some());
            let are_matrices = !are_shared && inputs.all(|tensor| ties.may_be_matrices(tensor));
            return are_matrices.then_some(Attention {
                scores,
                answer,
                queries,
                keys,
                keys_lie,
                values,
            });
        }
        if !is_scale(ties, node) {
            return None;
        }
    }
    None
}

/// Whether every value is multiplied or divided by the same number.
fn is_scale(ties: &Ties<'_, '_>, node: &Node<'_>) -> bool {
    let [first, second] = node.inputs[..] else {
        return false;
    };
    let by_second = ties.is_number(second);
    node.is_standard("Mul") && (by_second || ties.is_number(first))
        || node.is_standard("Div") && by_second
}

fn is_softmax_of_rows(file: &OnnxFile<'_>, node: &Node<'_>) -> bool {
    let axis = node.attribute("axis").and_then(|axis| axis.int);
    // The default was another before version 13.
    let is_last = axis == Some(-1)
        || axis.is_none() && file.standard_opset().is_some_and(|version| version >= 13);
    node.is_standard("Softmax") && is_last
}

/// How the second factor lies, if a node is a product of matrices: each of the first's rows with each of its columns or rows.
fn product(node: &Node<'_>, message: &[u8]) -> Option<Lie> {
    if node.inputs.len() != 2 || node.outputs.len() != 1 {
        return None;
    }
    if node.is_standard("MatMul") {
        return Some(Lie::Columns);
    }
    let equation = node.is_standard("Einsum").then(|| equation(message))??;
    let letters: String = equation.chars().filter(|letter| *letter != ' ').collect();
    let (inputs, output) = letters.split_once("->")?;
    let (first, second) = inputs.split_once(',')?;
    let (outer, [row, inner]) = split_axes(first)?;
    let (outer_of_second, last) = split_axes(second)?;
    let lie = match last {
        [_, axis] if axis == inner => Lie::Rows,
        [axis, _] if axis == inner => Lie::Columns,
        _ => return None,
    };
    let column = if lie == Lie::Rows { last[0] } else { last[1] };
    let mut all: Vec<char> = outer.chars().chain([row, inner, column]).collect();
    all.sort_unstable();
    let differ = all.windows(2).all(|pair| pair[0] != pair[1]);
    let letters_only = all.iter().all(char::is_ascii_alphabetic);
    let is_product = outer == outer_of_second && split_axes(output)? == (outer, [row, column]);
    (is_product && differ && letters_only).then_some(lie)
}

/// The letters of a tensor's axes but the last two, and these.
fn split_axes(letters: &str) -> Option<(&str, [char; 2])> {
    let (outer, last) = letters.split_at_checked(letters.len().checked_sub(2)?)?;
    let mut last = last.chars();
    Some((outer, [last.next()?, last.next()?]))
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

/// The nodes that take the place of an attention's last one. All axes before the last two, such as heads, become one, along which
/// the operator keeps attentions apart.
fn fused(
    file: &OnnxFile<'_>,
    constants: &mut Constants,
    messages: &[&[u8]],
    attention: &Attention<'_>,
) -> Vec<Vec<u8>> {
    let nodes = &file.graph.nodes;
    let output = nodes[attention.answer].outputs[0];
    let mut new = Nodes::around(file, constants, output, "attention");
    // A scale of the scores is one of the queries.
    let (mut before, mut queries) = (nodes[attention.scores[0]].outputs[0], None);
    for place in &attention.scores[1..attention.scores.len() - 1] {
        let last = queries.as_deref().unwrap_or(attention.queries);
        let inputs = nodes[*place].inputs.iter();
        let inputs: Vec<&str> = inputs
            .map(|input| if *input == before { last } else { *input })
            .collect();
        queries = Some(new.like(messages[*place], &inputs, &format!("scaled-{place}")));
        before = nodes[*place].outputs[0];
    }
    let queries = queries.as_deref().unwrap_or(attention.queries);
    let axes = Axes::put(&mut new);
    // Products repeat axes before the last two where they are 1, or are not there.
    let queries = axes.repeat(&mut new, queries, attention.keys, "queries-of-keys");
    let queries = axes.repeat(&mut new, &queries, attention.values, "queries");
    let keys = axes.repeat(&mut new, attention.keys, &queries, "keys");
    let values = axes.repeat(&mut new, attention.values, &queries, "values");
    let flat = ["queries", "keys", "values"].map(|name| format!("{name}-flat"));
    let flat_queries = axes.flatten(&mut new, &queries, &flat[0]);
    let mut flat_keys = axes.flatten(&mut new, &keys, &flat[1]);
    let flat_values = axes.flatten(&mut new, &values, &flat[2]);
    if attention.keys_lie == Lie::Columns {
        let turned = [wholes_attribute("perm", &[0, 2, 1])];
        flat_keys = new.put_with("Transpose", &[&flat_keys], "keys-turned", &turned);
    }
    let attributes = [
        whole_attribute("num_heads", 1),
        float_attribute("scale", 1.0),
    ];
    let operator = (RUNTIME.0, "MultiHeadAttention");
    let inputs = [&*flat_queries, &flat_keys, &flat_values];
    let answers = new.put_of(operator, &inputs, "answers", &attributes);
    let lengths = lengths(&mut new, &queries, (&axes.first, &axes.before_last), "rows");
    let joined = [whole_attribute("axis", 0)];
    let shape = new.put_with("Concat", &[&lengths, &axes.rest], "shape", &joined);
    new.end("Reshape", &[&answers, &shape], output);
    new.into_messages()
}

/// Positions in lists of axes, as constants.
struct Axes {
    first: String,
    before_last_two: String,
    before_last: String,
    end: String,
    /// A length that follows from the others.
    rest: String,
    once_twice: String,
}

impl Axes {
    fn put(new: &mut Nodes<'_>) -> Self {
        Self {
            first: new.wholes(&[0]),
            before_last_two: new.wholes(&[-2]),
            before_last: new.wholes(&[-1]),
            end: new.wholes(&[i64::MAX]),
            rest: new.wholes(&[-1]),
            once_twice: new.wholes(&[1, 1]),
        }
    }

    /// `tensor`, repeated along the axes before the last two as a product with `other` repeats it.
    fn repeat(&self, new: &mut Nodes<'_>, tensor: &str, other: &str, name: &str) -> String {
        let ends = (&*self.first, &*self.before_last_two);
        let outer = lengths(new, other, ends, &format!("{name}-repeated"));
        let axis = [whole_attribute("axis", 0)];
        let inputs = [&*outer, &self.once_twice];
        let shape = new.put_with("Concat", &inputs, &format!("{name}-repeats"), &axis);
        new.put("Expand", &[tensor, &shape], name)
    }

    /// `tensor` with all axes before the last two as one.
    fn flatten(&self, new: &mut Nodes<'_>, tensor: &str, name: &str) -> String {
        let ends = (&*self.before_last_two, &*self.end);
        let last = lengths(new, tensor, ends, name);
        let axis = [whole_attribute("axis", 0)];
        let shape = new.put_with(
            "Concat",
            &[&self.rest, &last],
            &format!("{name}-whole"),
            &axis,
        );
        new.put("Reshape", &[tensor, &shape], name)
    }
}

/// The lengths of a tensor's axes between two positions.
fn lengths(new: &mut Nodes<'_>, of: &str, ends: (&str, &str), name: &str) -> String {
    let shape = new.put("Shape", &[of], &format!("{name}-shape"));
    let name = format!("{name}-lengths");
    new.put("Slice", &[&shape, ends.0, ends.1], &name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocalhost_onnx::testing::{Tiny, text, whole};
    use vocalhost_onnx::{Dim, Element};

    fn found(graph: &Tiny) -> usize {
        let bytes = graph.bytes();
        let file = OnnxFile::parse(&bytes).expect("a file");
        fuse_attentions(&file, &mut Edit::new(&file, Vec::new()))
    }

    /// `softmax(q k) v` with `scaled` between the first product and the softmax.
    fn attention(opset: u64, scaled: &str, axis: u64) -> Tiny {
        attention_of(opset, scaled, axis, (Element::F32, 3))
    }

    /// As [`attention`], of tensors of a type with a number of axes.
    fn attention_of(opset: u64, scaled: &str, axis: u64, of: (Element, usize)) -> Tiny {
        let dims = vec![Dim::Any(""); of.1];
        Tiny::in_opset("", opset)
            .input("q", of.0, &dims)
            .weight("two", &[1], 2.0)
            .weight("mask", &[4], 2.0)
            .node("Pow", &["two", "two"], "four")
            .node("Pow", &["two", "mask"], "row")
            .node("MatMul", &["q", "q"], "products")
            .node("Mul", &["products", scaled], "scores")
            .node_with("Softmax", &["scores"], "weights", &[whole("axis", axis)])
            .node("MatMul", &["weights", "q"], "y")
            .output("y", of.0, &dims)
    }

    #[test]
    fn only_a_scale_may_lie_between() {
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
            attention_of(17, "two", last, (Element::F64, 3)),
            attention_of(17, "two", last, (Element::F32, 1)),
        ];
        for other in others {
            assert_eq!(found(&other), 0);
        }
    }

    #[test]
    fn of_two_attentions_that_share_a_product_one_is_found() {
        let axis = [whole("axis", u64::MAX)];
        let dims = [Dim::Any(""); 3];
        let chained = Tiny::in_opset("", 17)
            .input("q", Element::F32, &dims)
            .node("MatMul", &["q", "q"], "scores")
            .node_with("Softmax", &["scores"], "weights", &axis)
            .node("MatMul", &["weights", "q"], "both")
            .node_with("Softmax", &["both"], "others", &axis)
            .node("MatMul", &["others", "q"], "y")
            .output("y", Element::F32, &dims);
        assert_eq!(found(&chained), 1);
    }

    #[test]
    fn a_sum_over_products_is_known_by_its_axes() {
        let lie = |letters: &str| {
            let sum = Tiny::in_opset("", 17)
                .node_with("Einsum", &["a", "b"], "c", &[text("equation", letters)])
                .bytes();
            let file = OnnxFile::parse(&sum).expect("a file");
            product(&file.graph.nodes[0], file.node_messages()[0])
        };
        assert_eq!(lie("b h i d, b h j d -> b h i j"), Some(Lie::Rows));
        assert_eq!(lie("bhij,bhjd->bhid"), Some(Lie::Columns));
        assert_eq!(lie("id,jd->ij"), Some(Lie::Rows));
        for other in [
            "bhdi,bhjd->bhij",
            "bhid,hbjd->bhij",
            "bhid,bhjd->bhji",
            "id,jd->ji",
            "ii,jd->ij",
            "id,id->ii",
            "id->di",
            "d,d->",
            "...id,...jd->...ij",
        ] {
            assert_eq!(lie(other), None, "{other}");
        }
    }
}
