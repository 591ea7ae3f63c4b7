//! Operators of our own, which take the place of ONNX Runtime's where they are faster.
//!
//! When a graph is loaded for the processor, [`rewritten`] names them where they fit; the package's file stays plain ONNX.
//! [`domain`] brings them to a session. They run on their caller's thread and give the same numbers every time.
#![allow(
    clippy::inline_always,
    reason = "vector instructions are there only in the function that asks for them"
)]

mod convolution;
mod fixed;
mod lanes;
mod line;
mod product;
mod rewrite;
mod sigmoid;
mod task;
#[cfg(test)]
mod tests;
mod tile;
mod transposed;
mod vector;
mod weights;
mod winograd;
mod working;

pub(super) use rewrite::rewritten;

use ort::operator::{OperatorDomain, ShapeInferenceContext};
use ort::value::{SymbolicDimensions, ValueType};

/// The domain of our operators. No file may name it: graphs are checked for domains of others before they are taken in.
const DOMAIN: &str = "vocalhost";

/// The domain to register with a session, whose own it becomes.
pub(super) fn domain() -> Result<OperatorDomain, String> {
    let made = OperatorDomain::new(DOMAIN)
        .and_then(|domain| domain.add(winograd::Convolutions))
        .and_then(|domain| domain.add(line::LineConvolutions))
        .and_then(|domain| domain.add(product::Products))
        .and_then(|domain| domain.add(transposed::TransposedConvolutions));
    made.map_err(|error| error.to_string())
}

/// Says that a result is as large as the first input and has as many channels as the second, a filter, has outputs, or half as many
/// when the others are gates.
fn shaped_as_image(context: &mut ShapeInferenceContext, is_gated: bool) -> ort::Result<()> {
    let inputs = context.inputs();
    let filter = inputs.get(1).and_then(|filter| filter.tensor_shape());
    let Some(outputs) = filter.and_then(|shape| shape.first().copied()) else {
        return Ok(());
    };
    shaped_as_input(context, |shape| {
        if let Some(channels) = shape.get_mut(1) {
            *channels = if is_gated { outputs / 2 } else { outputs };
        }
    })
}

/// Says that a result has the shape of the first input, but for the lengths of some axes; below zero is one that is not known.
fn shaped_as_input(
    context: &mut ShapeInferenceContext,
    change: impl FnOnce(&mut [i64]),
) -> ort::Result<()> {
    let inputs = context.inputs();
    let Some(ValueType::Tensor {
        ty,
        shape,
        dimension_symbols,
    }) = inputs.first()
    else {
        return Ok(());
    };
    // What is not known at all looks like a single number.
    if shape.is_empty() {
        return Ok(());
    }
    let (before, mut shape) = (shape, shape.clone());
    change(&mut shape);
    let symbols = before
        .iter()
        .zip(shape.iter())
        .zip(dimension_symbols.iter());
    let symbols = symbols.map(|((before, after), symbol)| {
        // What is changed is called otherwise, if anything.
        if before == after { symbol.as_str() } else { "" }
    });
    let symbols: Vec<&str> = symbols.collect();
    // A length that is neither a number nor a symbol would be taken for the number -1. With a symbol of our own it would be known
    // to be equal elsewhere, and memory that is planned to be used again is held until then: for MDX-Net 205 to 430 MB more.
    let mut lengths = shape.iter().zip(&symbols);
    if lengths.any(|(length, symbol)| *length < 0 && symbol.is_empty()) {
        return Ok(());
    }
    let result = ValueType::Tensor {
        ty: *ty,
        shape,
        dimension_symbols: SymbolicDimensions::new(symbols.into_iter().map(str::to_owned)),
    };
    context.set_output(0, &result)
}
