use vocalhost_onnx::{Element, OnnxFile};

/// The element type of a tensor inside a graph, as far as it follows from what the operators say: casts and comparisons
/// have their own, and most others that of their first input (onnx.ai, "Operators").
pub(super) fn element_of(file: &OnnxFile<'_>, name: &str) -> Option<Element> {
    let graph = &file.graph;
    let mut name = name;
    // Each step goes one node to the front; a graph that was checked has no circles.
    for _ in 0..=graph.nodes.len() {
        if let Some(element) = file.declared_element(name) {
            return Some(element);
        }
        if let Some(tensor) = file.initializer(name) {
            return Some(tensor.element);
        }
        let node = file.maker(name)?;
        let whole = |key: &str| node.attribute(key).and_then(|attribute| attribute.int);
        let value = node.attribute("value");
        let tensor = value.and_then(|attribute| attribute.tensors.first());
        match node.operator {
            "Cast" => return Some(Element(whole("to")? as u64)),
            "Shape" | "Size" | "NonZero" | "ArgMax" | "ArgMin" => return Some(Element::I64),
            "Equal" | "Greater" | "GreaterOrEqual" | "Less" | "LessOrEqual" | "And" | "Or"
            | "Xor" | "Not" | "IsNaN" | "IsInf" => return Some(Element::BOOL),
            "Constant" => return tensor.map(|tensor| tensor.element),
            "ConstantOfShape" => return Some(tensor.map_or(Element::F32, |tensor| tensor.element)),
            "RandomNormal" | "RandomUniform" => {
                return Some(whole("dtype").map_or(Element::F32, |dtype| Element(dtype as u64)));
            }
            "RandomNormalLike" | "RandomUniformLike" if whole("dtype").is_some() => {
                return Some(Element(whole("dtype")? as u64));
            }
            "If" | "Loop" | "Scan" => return None,
            "Where" | "CastLike" => name = node.inputs.get(1)?,
            _ => name = node.inputs.first()?,
        }
    }
    None
}
