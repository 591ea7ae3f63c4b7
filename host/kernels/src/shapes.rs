use ort::operator::ShapeInferenceContext;
use ort::value::{SymbolicDimensions, ValueType};

/// Declares that a result has the first input's size, and as many channels as the second input, a filter, has outputs, or half as many when
/// the others are gates.
pub(super) fn shaped_as_image(
    context: &mut ShapeInferenceContext,
    is_gated: bool,
) -> ort::Result<()> {
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

/// Declares that a result has the shape of the first input, except for the lengths of some axes; a length below zero is unknown.
pub(super) fn shaped_as_input(
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
    // A completely unknown shape looks like that of a single number.
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
        // A changed length loses its symbol.
        if before == after { symbol.as_str() } else { "" }
    });
    let symbols: Vec<&str> = symbols.collect();
    // A length that is neither a number nor a symbol would be taken for the number -1. With a symbol of our own, ONNX Runtime would see
    // where lengths are equal, and hold memory that it plans to reuse until then: for MDX-Net 205 to 430 MB more.
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
