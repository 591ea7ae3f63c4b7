use ort::operator::{ComputeContext, Kernel, KernelContext, ShapeInferenceContext};

use super::super::fixed::instructions;
use super::super::frame::Work;
use super::super::shapes::shaped_as_input;
use super::super::vector::Instructions;
use super::run::{Matrix, multiply};

/// The operator's name in a graph.
pub(super) const NAME: &str = "Product";

/// The attribute that is 1 for a matrix of outputs by inputs, and 0 for one of inputs by outputs.
pub(super) const TRANSPOSED: &str = "transposed";

/// One product of a graph. Its inputs are rows with any number of axes, a matrix, and an optional bias that is added to each row.
pub(in super::super) struct Product {
    instructions: Instructions,
    is_transposed: bool,
    has_bias: bool,
}

impl Work for Product {
    const NAME: &'static str = NAME;

    fn of(context: &KernelContext<'_>) -> ort::Result<Self> {
        Ok(Self {
            instructions: instructions()?,
            is_transposed: context.get::<i64>(TRANSPOSED) == Some(1),
            has_bias: context.inputs()?.len() > 2,
        })
    }

    /// The result has as many rows as the first input, if they are known.
    fn infer_shape(context: &mut ShapeInferenceContext) -> ort::Result<()> {
        let inputs = context.inputs();
        let matrix = inputs.get(1).and_then(|matrix| matrix.tensor_shape());
        let Some(&[inputs, outputs]) = matrix.map(|shape| &shape[..]) else {
            return Ok(());
        };
        let is_transposed = context.attr::<i64>(TRANSPOSED)? == 1;
        shaped_as_input(context, |shape| {
            if let Some(length) = shape.last_mut() {
                *length = if is_transposed { inputs } else { outputs };
            }
        })
    }
}

impl Kernel for Product {
    fn compute(&mut self, context: &ComputeContext) -> ort::Result<()> {
        let missing = || ort::Error::new("a product has rows, a matrix and a result");
        let rows = context.input(0)?.ok_or_else(missing)?;
        let (shape, rows) = rows.try_extract_tensor::<f32>()?;
        let matrix = context.input(1)?.ok_or_else(missing)?;
        let (sides, values) = matrix.try_extract_tensor::<f32>()?;
        let bias = if self.has_bias {
            context.input(2)?
        } else {
            None
        };
        let bias = bias.as_ref().map(|bias| bias.try_extract_tensor::<f32>());
        let bias = bias.transpose()?.map(|(_, values)| values);
        let [first, second] = **sides else {
            return Err(ort::Error::new("a product's matrix has two sides"));
        };
        let (inputs, outputs) = if self.is_transposed {
            (second, first)
        } else {
            (first, second)
        };
        let matrix = Matrix {
            inputs: inputs as usize,
            outputs: outputs as usize,
            is_transposed: self.is_transposed,
            values,
            bias,
        };
        let mut wanted = shape.to_vec();
        match wanted.last_mut() {
            Some(length) if *length == inputs => *length = outputs,
            _ => return Err(ort::Error::new("a product's rows have another length")),
        }
        if bias.is_some_and(|bias| bias.len() != matrix.outputs) {
            return Err(ort::Error::new("a product's bias has another length"));
        }
        let mut result = context.output(0, wanted)?.ok_or_else(missing)?;
        let (_, result) = result.try_extract_tensor_mut::<f32>()?;
        multiply(self.instructions, rows, &matrix, result);
        Ok(())
    }
}
