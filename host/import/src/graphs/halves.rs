//! Graphs that take and give numbers of half precision, where separators are fed in single precision.

use crate::ImportError;
use crate::loaded::{Loaded, text};
use vocalhost_onnx::{Element, Nodes, Port, node_message, port_message, whole_attribute};

/// Whether an input or an output has half precision. What its weights have is its own matter.
pub(super) fn has_any(graph: &Loaded<'_>) -> bool {
    let inputs = graph.file.inputs();
    let mut ports = inputs.into_iter().chain(&graph.file.graph.outputs);
    ports.any(is_half)
}

fn is_half(port: &Port<'_>) -> bool {
    port.element == Element::F16
}

/// The same graph with inputs and outputs of single precision, which it narrows and widens itself. In between nothing changes.
pub(super) fn widened(graph: &Loaded<'_>) -> Result<Vec<u8>, ImportError> {
    let file = &graph.file;
    let mut edit = graph.edit();
    let undeclared = |port: &Port<'_>| {
        graph.refused(format!(
            "takes or gives numbers of half precision without saying how many ({}); export it again with their shape, or with \
             inputs and outputs of 32 bits",
            text(port)
        ))
    };
    for port in file.inputs().into_iter().filter(|port| is_half(port)) {
        let dims = port.dims.as_ref().ok_or_else(|| undeclared(port))?;
        let outer = Nodes::around(file, edit.constants(), port.name, "single").cast(
            port.name,
            Element::F32,
            "given",
        );
        let to = [whole_attribute("to", Element::F16.0 as i64)];
        let narrow = node_message("Cast", &outer, &[&outer], port.name, &to);
        edit.make_input(port.name, vec![narrow]);
        edit.add_input(port_message(&outer, Element::F32, dims));
    }
    let messages = file.node_messages();
    for (place, node) in file.graph.nodes.iter().enumerate() {
        let outputs = file.graph.outputs.iter();
        let made = outputs.filter(|port| is_half(port) && node.outputs.contains(&port.name));
        let mut nodes = vec![messages[place].to_vec()];
        for port in made {
            let dims = port.dims.as_ref().ok_or_else(|| undeclared(port))?;
            let mut new = Nodes::around(file, edit.constants(), port.name, "single");
            let outer = new.cast(port.name, Element::F32, "taken");
            nodes.extend(new.into_messages());
            edit.replace_port(port.name, port_message(&outer, Element::F32, dims));
        }
        if nodes.len() > 1 {
            edit.replace_node(place, nodes);
        }
    }
    let mut bytes = Vec::with_capacity(edit.bytes() as usize);
    let written = edit.write(&mut bytes);
    written.map_err(|source| ImportError::Io {
        file: graph.path.to_owned(),
        source,
    })?;
    Ok(bytes)
}
