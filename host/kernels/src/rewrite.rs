use super::line::line_at;
use super::product::product_at;
use super::replacement::DOMAIN;
use super::transposed::transposed_at;
use super::vector::Instructions;
use super::weights::Weights;
use super::winograd::convolution_at;
use vocalhost_onnx::{Edit, OnnxFile, Ties};

/// The file of a graph with our operators in it; none where none applies, or where this processor lacks the instructions. Nothing else in
/// the file changes. A file that cannot be read is left to ONNX Runtime to report.
#[must_use]
pub fn rewritten(bytes: &[u8]) -> Option<Vec<u8>> {
    Instructions::here()?;
    let file = OnnxFile::parse(bytes).ok()?;
    let ties = Ties::of(&file);
    let weights = Weights::of(&file, &ties);
    let mut edit = Edit::new(&file, Vec::new());
    let mut found = 0;
    for place in 0..file.graph.nodes.len() {
        let Some(new) = convolution_at(place, &ties, &weights)
            .or_else(|| line_at(place, &ties, &weights))
            .or_else(|| product_at(place, &ties, &weights))
            .or_else(|| transposed_at(place, &ties, &weights))
        else {
            continue;
        };
        found += 1;
        let Some((last, others)) = new.places.split_last() else {
            continue;
        };
        for other in others {
            edit.replace_node(*other, Vec::new());
        }
        edit.replace_node(*last, vec![new.node]);
    }
    if found == 0 {
        return None;
    }
    edit.use_operators(DOMAIN, 1);
    let mut new = Vec::with_capacity(edit.bytes() as usize);
    edit.write(&mut new).ok()?;
    Some(new)
}
