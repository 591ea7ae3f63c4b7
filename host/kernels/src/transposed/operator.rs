use ort::operator::{ComputeContext, Kernel, KernelContext, ShapeInferenceContext};

use super::super::fixed::{Fixed, instructions};
use super::super::frame::{Work, image_by_image};
use super::super::shapes::shaped_as_input;
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
    /// The most results that are kept after that.
    pub(in super::super) const MOST: &str = "most";
}

/// One transposed convolution of a graph. Its inputs are those of ONNX's `ConvTranspose`; all but the first are constants. The filter runs
/// over the first of the image's axes.
pub(in super::super) struct TransposedConvolution {
    filter: Filter,
    begin: usize,
    end: usize,
    most: usize,
}

impl Work for TransposedConvolution {
    const NAME: &'static str = NAME;

    fn of(context: &KernelContext<'_>) -> ort::Result<Self> {
        let number = |name| context.get::<i64>(name).unwrap_or(0) as usize;
        let fixed = Fixed::of(context)?;
        let ([inputs, outputs, taps], values) = fixed.filter()?;
        let (sides, bias) = ([inputs, outputs, taps / 2], fixed.bias(outputs)?);
        Ok(Self {
            filter: Filter::new(instructions()?, sides, values, bias),
            begin: number(attribute::BEGIN),
            end: number(attribute::END),
            most: number(attribute::MOST),
        })
    }

    /// The result has one row for each step of the stride, if the rows are known.
    fn infer_shape(context: &mut ShapeInferenceContext) -> ort::Result<()> {
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

impl Kernel for TransposedConvolution {
    fn compute(&mut self, context: &ComputeContext) -> ort::Result<()> {
        let filter = &self.filter;
        let plan = |shape: &[i64]| {
            let (height, width) = match shape {
                [_, _, height, width] => (*height as usize, *width as usize),
                [_, _, height] => (*height as usize, 1),
                _ => return None,
            };
            let rows = (height + 1) * filter.stride;
            let results = rows.saturating_sub(self.begin + self.end).min(self.most);
            let size = Size {
                height,
                width,
                begin: self.begin,
                results,
            };
            let mut wanted = shape.to_vec();
            wanted[1] = filter.outputs as i64;
            wanted[2] = results as i64;
            Some((wanted, size))
        };
        image_by_image(context, filter.inputs, plan, |size, image, results| {
            convolve(filter, image, *size, results);
        })
    }
}
