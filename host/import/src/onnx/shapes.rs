use vocalhost_onnx::{Edit, Node, OnnxFile, node_message};

/// The longest shape; see `MAX_RANK` of the check.
const MAX_RANK: usize = 16;

/// Removes the length of the first axis from every shape that is written in the graph, since it follows from the others: what is
/// computed stays the same. Meant for graphs whose inputs do not say how long their first axis is.
///
/// ONNX Runtime keeps the memory of a tensor that is no longer needed until a tensor of the same shape is made, however late in
/// the graph (`allocation_planner.cc`, `FindReusableTensor`). Where it does not know the shapes beforehand, it gives the memory
/// back at once: Demucs takes 0.7 instead of 1.3 GB.
pub(crate) fn loosen_shapes<'a>(file: &OnnxFile<'a>, edit: &mut Edit<'_, 'a>) {
    for (place, node) in file.graph.nodes.iter().enumerate() {
        let Some(mut shape) = written_shape(file, node) else {
            continue;
        };
        shape[0] = -1;
        let name = edit.constants().wholes(&shape);
        let inputs = [node.inputs[0], &name];
        let reshape = node_message("Reshape", node.name, &inputs, node.outputs[0], &[]);
        edit.replace_node(place, vec![reshape]);
    }
    edit.forget_values();
}

/// The shape that a node gives its input, when it is written in the graph with all its lengths.
fn written_shape(file: &OnnxFile<'_>, node: &Node<'_>) -> Option<Vec<i64>> {
    let ([_, shape], [_]) = (&node.inputs[..], &node.outputs[..]) else {
        return None;
    };
    let keeps_zeros = node.attribute("allowzero").and_then(|keeps| keeps.int);
    if !node.is_standard("Reshape") || keeps_zeros.is_some_and(|keeps| keeps != 0) {
        return None;
    }
    let constant = || file.maker(shape)?.constant();
    let axes = file.initializer(shape).or_else(constant)?.whole_numbers()?;
    let is_whole = !axes.contains(&-1);
    (is_whole && (1..=MAX_RANK).contains(&axes.len())).then_some(axes)
}
