use vocalhost_onnx::{Edit, Element, Node, Nodes, OnnxFile, Ties};

/// The oldest version of ONNX that casts to the type of another tensor.
const OLDEST_OPSET: u64 = 15;
/// Means over one axis are those of normalised layers, whose axes are short.
const LEAST_AXES: usize = 2;

/// Has means over several axes, such as the loudness of a whole piece, summed in double precision. ONNX Runtime 1.31 adds up all
/// values one after the other in the tensor's own; of a piece of 2.7 million samples a mean was off by 5e-5 of itself.
/// Gives the number of means.
pub(crate) fn widen_means<'a>(file: &OnnxFile<'a>, edit: &mut Edit<'_, 'a>) -> usize {
    let Some(OLDEST_OPSET..) = file.standard_opset() else {
        return 0;
    };
    let ties = Ties::of(file);
    let messages = file.node_messages();
    let mut count = 0;
    for (place, node) in file.graph.nodes.iter().enumerate() {
        let ([narrow, axes @ ..], [output]) = (&node.inputs[..], &node.outputs[..]) else {
            continue;
        };
        if !is_mean_over_several(&ties, node) {
            continue;
        }
        let mut new = Nodes::around(file, edit.constants(), output, "mean");
        let wide = new.cast(narrow, Element::F64, "wide");
        let inputs: Vec<&str> = [&*wide].into_iter().chain(axes.iter().copied()).collect();
        let mean = new.like(messages[place], &inputs, "of-wide");
        new.end("CastLike", &[&mean, narrow], output);
        let made = new.into_messages();
        edit.replace_node(place, made);
        count += 1;
    }
    count
}

/// Where no axes are given, a mean is over all.
fn is_mean_over_several(ties: &Ties<'_, '_>, node: &Node<'_>) -> bool {
    if !node.is_standard("ReduceMean") {
        return false;
    }
    let attribute = node.attribute("axes").map(|axes| axes.ints.len());
    match (attribute, node.inputs.get(1)) {
        (Some(count), _) => count >= LEAST_AXES,
        (None, None) => true,
        (None, Some(axes)) => ties
            .whole_numbers(axes)
            .is_some_and(|axes| axes.len() >= LEAST_AXES),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocalhost_onnx::testing::{Tiny, wholes};

    fn widened(graph: &Tiny) -> usize {
        let bytes = graph.bytes();
        let file = OnnxFile::parse(&bytes).expect("a file");
        widen_means(&file, &mut Edit::new(&file, Vec::new()))
    }

    #[test]
    fn means_over_several_axes_are_widened() {
        let mean = |opset, axes: &[u64]| {
            let axes = [wholes("axes", axes)];
            Tiny::in_opset("", opset).node_with("ReduceMean", &["x"], "y", &axes)
        };
        assert_eq!(widened(&mean(17, &[1, 2])), 1);
        assert_eq!(widened(&mean(17, &[2])), 0);
        assert_eq!(widened(&mean(14, &[1, 2])), 0);
        let named = |axes: &[i64]| {
            let bytes: Vec<u8> = axes.iter().flat_map(|axis| axis.to_le_bytes()).collect();
            Tiny::in_opset("", 18)
                .weight_of("axes", Element::I64, &[axes.len() as u64], &bytes)
                .node("ReduceMean", &["x", "axes"], "y")
        };
        assert_eq!(widened(&named(&[1, 2])), 1);
        assert_eq!(widened(&named(&[2])), 0);
        let unknown = Tiny::in_opset("", 18).node("ReduceMean", &["x", "axes"], "y");
        assert_eq!(widened(&unknown), 0);
        let all = Tiny::in_opset("", 17).node("ReduceMean", &["x"], "y");
        assert_eq!(widened(&all), 1);
        let other = Tiny::in_opset("", 17).node("ReduceMax", &["x"], "y");
        assert_eq!(widened(&other), 0);
    }
}
