use std::collections::HashSet;

use super::operators::is_allowed;
use vocalhost_letters::words::quoted;
use vocalhost_onnx::{Dim, Element, Fault, Graph, Initializer, OnnxFile, Port, ordered};

/// The oldest version of ONNX's operators that ONNX Runtime still promises to run (its "Compatibility" page).
const OLDEST_OPSET: u64 = 7;
/// The most dimensions of a tensor; graphs for sound have five.
const MAX_RANK: usize = 16;
/// The most values of an input or an output whose dimensions are all fixed: half a gigabyte of them.
const MAX_PORT_VALUES: u64 = 1 << 27;
/// The most bytes that a tensor may claim to have; a package's file stops there.
const MAX_TENSOR_BYTES: u64 = 1 << 30;

/// Checks that a file can be run without harm and is whole: operators from the list, bodies of loops and branches
/// included; every tensor made before it is used, and once; weights as long as their shapes say; inputs and outputs that are
/// tensors of a sensible size. Weights in other files are looked at by [`super::resolve`].
///
/// # Errors
/// What is wrong, with the node or the tensor.
pub(crate) fn check(file: &OnnxFile<'_>) -> Result<(), Fault> {
    if file.functions > 0 {
        return Err(Fault::new(
            "brings functions of its own; export it again with functions inlined",
        ));
    }
    if file.trainings > 0 {
        return Err(Fault::new("is made for training, not for use"));
    }
    match file.standard_opset() {
        None => return Err(Fault::new("does not say which version of ONNX it is in")),
        Some(version) if version < OLDEST_OPSET => {
            let reason = format!("is in ONNX's opset {version}; {OLDEST_OPSET} is the oldest");
            return Err(Fault::new(reason));
        }
        Some(_) => {}
    }
    graph(&file.graph, true)?;
    ordered(&file.graph, &[])?;
    for (ports, word) in [
        (&file.graph.inputs, "input"),
        (&file.graph.outputs, "output"),
    ] {
        let mut names = HashSet::new();
        for each in ports {
            port(each, word)?;
            if !names.insert(each.name) {
                return Err(Fault::new(format!("has two {word}s {}", quoted(each.name))));
            }
        }
    }
    if file.graph.outputs.is_empty() {
        return Err(Fault::new("has no output"));
    }
    Ok(())
}

fn graph(graph: &Graph<'_>, is_outermost: bool) -> Result<(), Fault> {
    if graph.sparse > 0 {
        return Err(Fault::new("has sparse weights, which are not supported"));
    }
    for initializer in &graph.initializers {
        let name = initializer.name;
        if name.is_empty() {
            return Err(Fault::new("has a weight without a name"));
        }
        tensor(initializer, is_outermost)
            .map_err(|reason| Fault::new(format!("weight {} {reason}", quoted(name))))?;
    }
    for node in &graph.nodes {
        let fault = |reason: String| Fault::new(format!("{} {reason}", node.text()));
        if !is_allowed(node.domain, node.operator) {
            let domain = match node.domain {
                "" => "ONNX".to_owned(),
                domain => quoted(domain),
            };
            return Err(fault(format!(
                "is an operator of {domain} that models may not use"
            )));
        }
        for attribute in &node.attributes {
            if attribute.sparse > 0 {
                return Err(fault("has sparse values".to_owned()));
            }
            for value in &attribute.tensors {
                tensor(value, false).map_err(&fault)?;
            }
            for body in &attribute.graphs {
                self::graph(body, false)?;
            }
        }
    }
    Ok(())
}

/// What a tensor's values take, by its shape.
pub(super) fn bytes(tensor: &Initializer<'_>) -> Result<u64, String> {
    let width = tensor
        .element
        .width()
        .ok_or_else(|| format!("has values of {}", tensor.element.text()))?;
    if tensor.dims.len() > MAX_RANK {
        return Err(format!("has {} dimensions", tensor.dims.len()));
    }
    let mut dims = tensor.dims.iter();
    let bytes = dims.try_fold(width, |product, dim| product.checked_mul(*dim));
    match bytes {
        Some(bytes) if bytes <= MAX_TENSOR_BYTES => Ok(bytes),
        _ => Err(format!(
            "has the shape {:?}, which is more than {MAX_TENSOR_BYTES} bytes",
            tensor.dims
        )),
    }
}

fn tensor(tensor: &Initializer<'_>, may_be_elsewhere: bool) -> Result<(), String> {
    let expected = bytes(tensor)?;
    if tensor.is_segment {
        return Err("comes in segments".to_owned());
    }
    if tensor.external.is_some() {
        if may_be_elsewhere {
            return Ok(());
        }
        return Err("keeps a constant in another file".to_owned());
    }
    let width = tensor.element.width().unwrap_or(1);
    // Half floats, short integers and truth values lie in the list of 32-bit integers, one each; complex numbers lie in
    // two parts.
    let parts = if matches!(tensor.element.0, 14 | 15) {
        2
    } else {
        1
    };
    let found = match tensor.raw {
        Some(raw) => raw.len() as u64,
        None => tensor.listed as u64 / parts * width,
    };
    if found == expected {
        return Ok(());
    }
    Err(format!(
        "has {found} bytes of values, its shape {} {:?} asks for {expected}",
        tensor.element.text(),
        tensor.dims
    ))
}

fn port(port: &Port<'_>, word: &str) -> Result<(), Fault> {
    let fault = |reason: String| Fault::new(format!("{word} {} {reason}", quoted(port.name)));
    if port.name.is_empty() {
        return Err(Fault::new(format!("has an {word} without a name")));
    }
    if !port.is_tensor {
        return Err(fault("is not a tensor".to_owned()));
    }
    if port.element == Element::default() || port.element.width().is_none() {
        return Err(fault(format!("has values of {}", port.element.text())));
    }
    let Some(dims) = &port.dims else {
        return Ok(());
    };
    if dims.len() > MAX_RANK {
        return Err(fault(format!("has {} dimensions", dims.len())));
    }
    let mut fixed = dims.iter().copied().filter_map(Dim::fixed);
    let values = fixed.try_fold(1, u64::checked_mul);
    if values.is_none_or(|values| values > MAX_PORT_VALUES) {
        return Err(fault(format!("has more than {MAX_PORT_VALUES} values")));
    }
    Ok(())
}
