use ort::operator::{ComputeContext, Kernel, KernelContext, ShapeInferenceContext};

use super::super::fixed::{Fixed, instructions};
use super::super::frame::{Work, image_by_image};
use super::super::shapes::shaped_as_image;
use super::filter::{Filter, Weights};
use super::run::convolve;

/// The operator's name in a graph.
pub(super) const NAME: &str = "LineConvolution";

/// Names of its attributes.
pub(super) mod attribute {
    /// Distance between taps.
    pub(in super::super) const DILATION: &str = "dilation";
    /// 1 if the second half of the outputs are the gates of the first.
    pub(in super::super) const GATED: &str = "gated";
}

/// One convolution of a graph. Its inputs are those of ONNX's `Conv`; all but the first are constants. With one tap, an image's rows form a
/// single line.
pub(in super::super) struct LineConvolution(Filter);

impl Work for LineConvolution {
    const NAME: &'static str = NAME;

    fn of(context: &KernelContext<'_>) -> ort::Result<Self> {
        let fixed = Fixed::of(context)?;
        let ([outputs, inputs, taps], values) = fixed.filter()?;
        let dilation = context.get::<i64>(attribute::DILATION).unwrap_or(1);
        let weights = Weights {
            outputs,
            inputs,
            taps,
            dilation: dilation as usize,
            is_gated: context.get::<i64>(attribute::GATED) == Some(1),
            values,
            bias: fixed.bias(outputs)?,
        };
        Ok(Self(Filter::new(instructions()?, &weights)))
    }

    /// The result is as large as the input, if its lengths are known.
    fn infer_shape(context: &mut ShapeInferenceContext) -> ort::Result<()> {
        let is_gated = context.attr::<i64>(attribute::GATED)? == 1;
        shaped_as_image(context, is_gated)
    }
}

impl Kernel for LineConvolution {
    fn compute(&mut self, context: &ComputeContext) -> ort::Result<()> {
        let filter = &self.0;
        let plan = |shape: &[i64]| {
            let mut wanted = shape.to_vec();
            wanted[1] = filter.results as i64;
            Some((wanted, ()))
        };
        image_by_image(context, filter.inputs, plan, |(), line, results| {
            convolve(filter, line, results);
        })
    }
}
