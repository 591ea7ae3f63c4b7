use ort::operator::{
    ComputeContext, Kernel, KernelContext, Operator, OperatorInput, OperatorOutput,
    ShapeInferenceContext,
};
use ort::value::TensorElementType;

use super::super::fixed::{Fixed, floats, instructions};
use super::super::shaped_as_input;
use super::filter::Filter;
use super::run::{Size, convolve};

/// The operator's name in a graph.
pub(super) const NAME: &str = "TransposedConvolution";

/// Names of its attributes.
pub(super) mod attribute {
    /// Results that are cut off at the beginning.
    pub(in super::super) const BEGIN: &str = "begin";
    /// Results that are cut off at the end.
    pub(in super::super) const END: &str = "end";
    /// How many are left then, at most.
    pub(in super::super) const MOST: &str = "most";
}

/// Makes a transposed convolution for each node that asks for one. Its inputs are those of ONNX's `ConvTranspose`; all but the first
/// are the graph's own numbers. The filter runs over the first of the image's axes.
pub(in super::super) struct TransposedConvolutions;

impl Operator for TransposedConvolutions {
    type Kernel<'attr> = TransposedConvolution;

    fn name(&self) -> &str {
        NAME
    }

    fn inputs(&self) -> impl IntoIterator<Item = OperatorInput> {
        floats(2, 1)
    }

    fn outputs(&self) -> impl IntoIterator<Item = OperatorOutput> {
        [OperatorOutput::required(TensorElementType::Float32)]
    }

    fn create_kernel(&self, context: &KernelContext<'_>) -> ort::Result<TransposedConvolution> {
        let number = |name| context.get::<i64>(name).unwrap_or(0) as usize;
        let fixed = Fixed::of(context)?;
        let ([inputs, outputs, taps], values) = fixed.filter()?;
        let (sides, bias) = ([inputs, outputs, taps / 2], fixed.bias(outputs)?);
        Ok(TransposedConvolution {
            filter: Filter::new(instructions()?, sides, values, bias),
            begin: number(attribute::BEGIN),
            end: number(attribute::END),
            most: number(attribute::MOST),
        })
    }

    /// The result has one row for each step of the stride, if the rows are known.
    fn infer_shape(&self, context: &mut ShapeInferenceContext) -> ort::Result<()> {
        let inputs = context.inputs();
        let filter = inputs.get(1).and_then(|filter| filter.tensor_shape());
        let Some(&[_, outputs, taps, ..]) = filter.map(|shape| &shape[..]) else {
            return Ok(());
        };
        let cut = context.attr::<i64>(attribute::BEGIN)? + context.attr::<i64>(attribute::END)?;
        let most = context.attr::<i64>(attribute::MOST)?;
        shaped_as_input(context, |shape| {
            if let [_, channels, rows, ..] = shape {
                *channels = outputs;
                if *rows >= 0 {
                    *rows = ((*rows + 1) * (taps / 2) - cut).clamp(0, most);
                }
            }
        })
    }
}

/// One transposed convolution of a graph.
pub(in super::super) struct TransposedConvolution {
    filter: Filter,
    begin: usize,
    end: usize,
    most: usize,
}

impl Kernel for TransposedConvolution {
    fn compute(&mut self, context: &ComputeContext) -> ort::Result<()> {
        let filter = &self.filter;
        let missing = || ort::Error::new("a convolution has an image and a result");
        let image = context.input(0)?.ok_or_else(missing)?;
        let (shape, image) = image.try_extract_tensor::<f32>()?;
        let (batch, channels, height, width) = match shape[..] {
            [batch, channels, height, width] => (batch, channels, height, width),
            [batch, channels, height] => (batch, channels, height, 1),
            _ => {
                return Err(ort::Error::new(
                    "a convolution's image has other dimensions",
                ));
            }
        };
        let rows = (height as usize + 1) * filter.stride;
        if channels as usize != filter.inputs {
            return Err(ort::Error::new("a convolution's image has other channels"));
        }
        let results = rows.saturating_sub(self.begin + self.end).min(self.most);
        let size = Size {
            height: height as usize,
            width: width as usize,
            begin: self.begin,
            results,
        };
        let mut wanted = shape.to_vec();
        wanted[1] = filter.outputs as i64;
        wanted[2] = results as i64;
        let mut result = context.output(0, wanted)?.ok_or_else(missing)?;
        let (_, result) = result.try_extract_tensor_mut::<f32>()?;
        let from = filter.inputs * size.height * size.width;
        let to = filter.outputs * results * size.width;
        for at in 0..batch as usize {
            let image = &image[at * from..][..from];
            convolve(filter, image, size, &mut result[at * to..][..to]);
        }
        Ok(())
    }
}
