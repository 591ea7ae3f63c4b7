//! Voices that can be asked for a part of their sound, as the fork deiteris of w-okada's voice changer exports them
//! (`models_onnx.py`): the first frame, how many frames, and the length that these are brought to before they sound, which moves
//! formants.

use vocalhost_onnx::{Edit, Element, Nodes, OnnxFile, Port};

/// Frames that are left out.
const SKIPPED: &str = "skip_head";
/// Frames that are wanted, and how many they are to be.
const WANTED: [&str; 2] = ["return_length", "formant_length"];
/// The axis of content vectors on which their frames lie.
const FRAMES: i64 = 1;

/// Whether an input says what part of the sound is wanted.
pub(crate) fn is_cut(port: &Port<'_>) -> bool {
    let is_number = port.dims.as_ref().is_some_and(Vec::is_empty);
    let is_known = port.name == SKIPPED || WANTED.contains(&port.name);
    is_known && is_number && port.element == Element::I64
}

/// Has such a graph make the whole sound of the vectors `content`: nodes stand in the place of these inputs.
pub(crate) fn without_cuts<'a>(file: &OnnxFile<'a>, edit: &mut Edit<'_, 'a>, content: &str) {
    for port in file.inputs().into_iter().filter(|port| is_cut(port)) {
        let mut nodes = Nodes::around(file, edit.constants(), port.name, "whole");
        if port.name == SKIPPED {
            let none = nodes.whole(0);
            nodes.end("Identity", &[&none], port.name);
        } else {
            let shape = nodes.put("Shape", &[content], "shape");
            let frames = nodes.whole(FRAMES);
            nodes.end("Gather", &[&shape, &frames], port.name);
        }
        let nodes = nodes.into_messages();
        edit.make_input(port.name, nodes);
    }
}
