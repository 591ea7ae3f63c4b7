//! Estimators of pitch that hear spectrograms and find the pitch themselves, as the fork deiteris of w-okada's voice changer exports RMVPE
//! and FCPE (`rmvpe_onnx.py`, `fcpe_onnx.py`): a spectrogram and a threshold go in, the pitch comes out.

use std::collections::BTreeSet;

use vocalhost_onnx::{Edit, Node, OnnxFile, node_message};

/// The tensor of such a graph that says how salient each bin is: both networks end in a sigmoid, and what finds the pitch has none.
pub(crate) fn salience_in<'a>(file: &OnnxFile<'a>) -> Option<&'a str> {
    let mut nodes = file.graph.nodes.iter().rev();
    let last = nodes.find(|node| node.is_standard("Sigmoid"))?;
    last.outputs.first().copied()
}

/// Makes the tensor `salience` the output that was the pitch. What is not needed for it goes, and the input `threshold` with it.
pub(crate) fn give_salience<'a>(
    file: &OnnxFile<'a>,
    edit: &mut Edit<'_, 'a>,
    (salience, pitch): (&str, &str),
    threshold: &str,
) {
    let needed = needed_for(file, salience);
    for (place, node) in file.graph.nodes.iter().enumerate() {
        if node.outputs.contains(&pitch) {
            let same = node_message("Identity", node.name, &[salience], pitch, &[]);
            edit.replace_node(place, vec![same]);
        } else if !node.outputs.iter().any(|output| needed.contains(output)) {
            edit.replace_node(place, Vec::new());
        }
    }
    edit.make_input(threshold, Vec::new());
    edit.forget_values();
}

/// The tensors that a tensor is made of, and itself.
fn needed_for<'a>(file: &OnnxFile<'a>, tensor: &str) -> BTreeSet<&'a str> {
    let maker = |name: &str| -> Option<&Node<'a>> { file.maker(name) };
    let mut needed = BTreeSet::new();
    let mut open: Vec<&Node<'a>> = maker(tensor).into_iter().collect();
    while let Some(node) = open.pop() {
        for output in &node.outputs {
            needed.insert(*output);
        }
        for input in &node.inputs {
            if needed.insert(*input) {
                open.extend(maker(input));
            }
        }
    }
    needed
}
