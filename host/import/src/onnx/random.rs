use std::collections::HashSet;

use super::operators::is_random;
use super::types::element_of;
use vocalhost_onnx::{
    Dim, Edit, Element, Fault, Graph, Node, OnnxFile, node_message, port_message, taken,
    tensor_attribute, tensor_message,
};

/// The most values of a random constant: RVC's has one per harmonic.
const MAX_CONSTANT: u64 = 65_536;

/// The most places of uniform noise: RVC's has one, and each is looked at with all that leads there.
const MAX_EVEN: usize = 64;

/// Which noise of a voice an input takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoiseKind {
    /// Of the prior, a vector per frame: `[1, C, T]`.
    Prior,
    /// Of the sine source, a number per sample: `[1, N, 1]`.
    Source,
}

/// An input that takes the place of a random node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Noise {
    pub(crate) kind: NoiseKind,
    pub(crate) name: String,
    pub(crate) element: Element,
}

/// Turns random nodes into inputs, since the runtime draws other numbers in every run even with a seed.
///
/// Normal noise that is shaped by something made of `content` is the prior's, and the rest is the sine source's. Uniform
/// noise is the phase at which a voice's harmonics begin, whose fundamental always begins at 0: it becomes the lowest
/// number that could have been drawn. `channels` is the width of the prior.
///
/// # Errors
/// When a node draws numbers in some other way or place, and when there are two of one kind.
pub(crate) fn without_random_nodes<'a>(
    file: &OnnxFile<'a>,
    edit: &mut Edit<'_, 'a>,
    content: &str,
    channels: u64,
) -> Result<Vec<Noise>, Fault> {
    let mut found: Vec<Noise> = Vec::new();
    let mut even = 0;
    for (place, node) in file.graph.nodes.iter().enumerate() {
        in_bodies(node)?;
        match node.operator {
            "RandomNormalLike" => {
                let kind = if comes_from(file, node, content) {
                    NoiseKind::Prior
                } else {
                    NoiseKind::Source
                };
                let noise = normal(file, node, kind)?;
                if found.iter().any(|other| other.kind == kind) {
                    return Err(Fault::new(format!(
                        "{} draws the same noise as another node",
                        node.text()
                    )));
                }
                let dims = match kind {
                    NoiseKind::Prior => [Dim::Fixed(1), Dim::Fixed(channels), Dim::Any("frames")],
                    NoiseKind::Source => [Dim::Fixed(1), Dim::Any("samples"), Dim::Fixed(1)],
                };
                edit.add_input(port_message(&noise.name, noise.element, &dims));
                let output = node.outputs.first().copied().unwrap_or_default();
                let copy = node_message("Identity", node.name, &[&noise.name], output, &[]);
                edit.replace_node(place, vec![copy]);
                found.push(noise);
            }
            "RandomUniform" | "RandomUniformLike" => {
                even += 1;
                if even > MAX_EVEN {
                    let reason = format!("draws even noise in more than {MAX_EVEN} places");
                    return Err(Fault::new(reason));
                }
                edit.replace_node(place, lowest(file, node)?);
            }
            operator if is_random(operator) => {
                let reason = format!("{} draws numbers that would not repeat", node.text());
                return Err(Fault::new(reason));
            }
            _ => {}
        }
    }
    Ok(found)
}

fn in_bodies(node: &Node<'_>) -> Result<(), Fault> {
    let mut open: Vec<&Graph<'_>> = node
        .attributes
        .iter()
        .flat_map(|attribute| &attribute.graphs)
        .collect();
    while let Some(graph) = open.pop() {
        for inner in &graph.nodes {
            if is_random(inner.operator) {
                let reason = format!("{} draws numbers inside of {}", inner.text(), node.text());
                return Err(Fault::new(reason));
            }
            open.extend(inner.attributes.iter().flat_map(|part| &part.graphs));
        }
    }
    Ok(())
}

/// Whether anything that the node takes is made of `source`.
fn comes_from<'a>(file: &OnnxFile<'a>, node: &Node<'a>, source: &str) -> bool {
    let (mut open, mut seen) = (taken(node), HashSet::new());
    while let Some(name) = open.pop() {
        if name == source {
            return true;
        }
        if seen.insert(name)
            && let Some(maker) = file.maker(name)
        {
            open.extend(taken(maker));
        }
    }
    false
}

fn normal(file: &OnnxFile<'_>, node: &Node<'_>, kind: NoiseKind) -> Result<Noise, Fault> {
    let number = |name: &str, otherwise: f32| {
        let attribute = node.attribute(name);
        attribute
            .and_then(|attribute| attribute.float)
            .unwrap_or(otherwise)
    };
    if number("mean", 0.0) != 0.0 || (number("scale", 1.0) - 1.0).abs() > 0.0 {
        return Err(Fault::new(format!(
            "{} draws noise of another mean or scale than 0 and 1",
            node.text()
        )));
    }
    let name = match kind {
        NoiseKind::Prior => "rnd",
        NoiseKind::Source => "nsf_noise",
    };
    Ok(Noise {
        kind,
        name: free_name(file, name),
        element: element(file, node)?,
    })
}

fn element(file: &OnnxFile<'_>, node: &Node<'_>) -> Result<Element, Fault> {
    let output = node.outputs.first().copied().unwrap_or_default();
    match element_of(file, output) {
        Some(element @ (Element::F32 | Element::F16)) => Ok(element),
        Some(other) => Err(Fault::new(format!(
            "{} draws numbers of {}",
            node.text(),
            other.text()
        ))),
        None => Err(Fault::new(format!(
            "{} does not say what type of numbers it draws",
            node.text()
        ))),
    }
}

/// A name that no tensor of the graph has.
pub(super) fn free_name(file: &OnnxFile<'_>, wanted: &str) -> String {
    let graph = &file.graph;
    let is_taken = |name: &str| {
        graph.inputs.iter().any(|port| port.name == name)
            || graph.initializers.iter().any(|tensor| tensor.name == name)
            || graph.nodes.iter().any(|node| node.outputs.contains(&name))
    };
    let mut name = wanted.to_owned();
    while is_taken(&name) {
        name.push('_');
    }
    name
}

/// Nodes that give the lowest number that a node of uniform noise could draw.
fn lowest(file: &OnnxFile<'_>, node: &Node<'_>) -> Result<Vec<Vec<u8>>, Fault> {
    let element = element(file, node)?;
    let low = node.attribute("low").and_then(|low| low.float);
    let low = low.unwrap_or(0.0);
    let value = match element {
        Element::F16 => half::f16::from_f32(low).to_le_bytes().to_vec(),
        _ => low.to_le_bytes().to_vec(),
    };
    let output = node.outputs.first().copied().unwrap_or_default();
    if node.operator == "RandomUniformLike" {
        let input = node.inputs.first().copied().unwrap_or_default();
        let shape = free_name(file, &format!("{output}/shape"));
        let value = tensor_attribute("value", &tensor_message("", element, &[1], &value));
        return Ok(vec![
            node_message("Shape", &shape, &[input], &shape, &[]),
            node_message("ConstantOfShape", node.name, &[&shape], output, &[value]),
        ]);
    }
    let shape = node.attribute("shape").map(|shape| shape.ints.as_slice());
    let dims: Option<Vec<u64>> = shape
        .unwrap_or_default()
        .iter()
        .map(|dim| u64::try_from(*dim).ok())
        .collect();
    let count = dims.as_deref().and_then(|dims| {
        dims.iter()
            .try_fold(1_u64, |count, dim| count.checked_mul(*dim))
    });
    match (dims, count) {
        // Not written out: many small nodes would make a large file.
        (Some(dims), Some(count)) if count <= MAX_CONSTANT => {
            let shape = free_name(file, &format!("{output}/shape"));
            let lengths: Vec<u8> = dims.iter().flat_map(|dim| dim.to_le_bytes()).collect();
            let lengths = tensor_message("", Element::I64, &[dims.len() as u64], &lengths);
            let lengths = tensor_attribute("value", &lengths);
            let value = tensor_attribute("value", &tensor_message("", element, &[1], &value));
            Ok(vec![
                node_message("Constant", &shape, &[], &shape, &[lengths]),
                node_message("ConstantOfShape", node.name, &[&shape], output, &[value]),
            ])
        }
        _ => Err(Fault::new(format!(
            "{} draws more than {MAX_CONSTANT} numbers",
            node.text()
        ))),
    }
}

/// Refuses random nodes, for models that have none by nature.
pub(crate) fn refuse_random_nodes(file: &OnnxFile<'_>) -> Result<(), Fault> {
    for node in &file.graph.nodes {
        in_bodies(node)?;
        if is_random(node.operator) {
            let reason = format!("{} draws numbers that would not repeat", node.text());
            return Err(Fault::new(reason));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;
    use vocalhost_onnx::testing::{Tiny, whole, wholes};

    /// As an export of a voice has them: a prior, a sine source, and the phase at which its harmonics begin.
    fn voice(wave_type: u64) -> Tiny {
        let frames = Dim::Any("T");
        Tiny::in_opset("", 17)
            .input(
                "feats",
                Element::F16,
                &[Dim::Fixed(1), frames, Dim::Fixed(8)],
            )
            .input("pitchf", Element::F32, &[Dim::Fixed(1), frames])
            .output("audio", Element::F32, &[])
            .node("Tanh", &["feats"], "m_p")
            .node("RandomNormalLike", &["m_p"], "prior")
            .node_with("Cast", &["pitchf"], "sine", &[whole("to", wave_type)])
            .node_with("RandomUniform", &[], "phase", &[wholes("shape", &[1, 1])])
            .node("RandomUniformLike", &["sine"], "more")
            .node("RandomNormalLike", &["sine"], "noise")
            .node("Add", &["prior", "noise"], "audio")
    }

    #[test]
    fn random_nodes_become_inputs_of_the_right_kind_and_type() {
        for (number, element) in [(1, Element::F32), (10, Element::F16)] {
            let bytes = voice(number).bytes();
            let file = OnnxFile::parse(&bytes).expect("a file");
            let mut edit = Edit::new(&file, Vec::new());
            let noises = without_random_nodes(&file, &mut edit, "feats", 192).expect("rewritten");
            let found: Vec<_> = noises
                .iter()
                .map(|noise| (noise.kind, noise.name.as_str(), noise.element))
                .collect();
            let prior = (NoiseKind::Prior, "rnd", Element::F16);
            assert_eq!(found, [prior, (NoiseKind::Source, "nsf_noise", element)]);
            let mut out = Vec::new();
            edit.write(&mut out).expect("written");
            let again = OnnxFile::parse(&out).expect("a file");
            assert_eq!(check(&again), Ok(()));
            assert_eq!(refuse_random_nodes(&again), Ok(()));
            let names: Vec<&str> = again.inputs().iter().map(|port| port.name).collect();
            assert_eq!(names, ["feats", "pitchf", "rnd", "nsf_noise"]);
            let dims = again.inputs()[2].dims.clone().expect("a shape");
            assert_eq!(dims[1], Dim::Fixed(192));
            for even in ["phase", "more"] {
                let operator = again.maker(even).expect("a node").operator;
                assert_eq!(operator, "ConstantOfShape");
            }
        }
    }

    #[test]
    fn noise_that_cannot_become_an_input_is_refused_with_its_node() {
        let twice = voice(1)
            .node("RandomNormalLike", &["sine"], "again")
            .bytes();
        let multinomial = voice(1).node("Multinomial", &["sine"], "dice").bytes();
        let huge = wholes("shape", &[1 << 30, 1 << 30, 1 << 30]);
        let giant = voice(1)
            .node_with("RandomUniform", &[], "giant", &[huge])
            .bytes();
        let names: Vec<String> = (0..MAX_EVEN).map(|place| format!("even {place}")).collect();
        let many = names.iter().fold(voice(1), |voice, name| {
            voice.node("RandomUniformLike", &["sine"], name)
        });
        for (bytes, name) in [
            (twice, "again"),
            (multinomial, "dice"),
            (giant, "giant"),
            (many.bytes(), "more than 64 places"),
        ] {
            let file = OnnxFile::parse(&bytes).expect("a file");
            let mut edit = Edit::new(&file, Vec::new());
            let error = without_random_nodes(&file, &mut edit, "feats", 192);
            let error = error.expect_err("it is refused").to_string();
            assert!(error.contains(name), "{error}");
            assert!(refuse_random_nodes(&file).is_err());
        }
    }
}
