use std::collections::HashSet;

use vocalhost_onnx::{Element, OnnxFile, Ties};

/// The constant numbers of a graph, which ONNX Runtime knows before it runs.
pub(super) struct Weights<'f, 'a> {
    ties: &'f Ties<'f, 'a>,
    /// Inputs of the graph, which may be given anew at each run.
    inputs: HashSet<&'a str>,
}

impl<'f, 'a> Weights<'f, 'a> {
    pub(super) fn of(file: &OnnxFile<'a>, ties: &'f Ties<'f, 'a>) -> Self {
        let inputs = file.graph.inputs.iter();
        Self {
            ties,
            inputs: inputs.map(|port| port.name).collect(),
        }
    }

    /// Dimensions of constants in single precision: weights, casts of them, and constant nodes.
    pub(super) fn singles(&self, name: &str) -> Option<&'f [u64]> {
        if let Some(weight) = self.ties.weight(name) {
            let is_fixed = weight.element == Element::F32 && !self.inputs.contains(name);
            return is_fixed.then_some(&weight.dims);
        }
        let cast = self.ties.node(self.ties.maker(name)?);
        let to = cast.attribute("to").and_then(|to| to.int);
        let is_single = cast.is_standard("Cast") && to == Some(Element::F32.0 as i64);
        let source = *cast.inputs.first().filter(|_| is_single)?;
        let weight = self.ties.weight(source)?;
        (!self.inputs.contains(source)).then_some(&weight.dims)
    }

    /// If a tensor is the first or the second half of another along the first axis: which tensor and which half, and
    /// the node that cuts it out.
    pub(super) fn half(&self, name: &str) -> Option<Half<'a>> {
        let place = self.ties.maker(name)?;
        let cut = self.ties.node(place);
        let [whole, from, to, axis] = cut.inputs[..] else {
            return None;
        };
        let number = |name: &str| u64::try_from(self.ties.whole_number(name)?).ok();
        let half = self.singles(whole)?.first()? / 2;
        let is_first_axis = cut.is_standard("Slice") && number(axis)? == 0;
        let which = match (number(from)?, number(to)?) {
            (0, to) if to == half => 0,
            (from, to) if from == half && to == 2 * half => 1,
            _ => return None,
        };
        is_first_axis.then_some(Half {
            whole,
            which,
            cut: place,
        })
    }
}

/// A half of a tensor.
pub(super) struct Half<'a> {
    /// The tensor.
    pub(super) whole: &'a str,
    /// 0 for the first half, 1 for the second.
    pub(super) which: usize,
    /// The position of the node that cuts it out.
    pub(super) cut: usize,
}
