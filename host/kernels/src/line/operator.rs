use ort::operator::{
    ComputeContext, Kernel, KernelContext, Operator, OperatorInput, OperatorOutput,
    ShapeInferenceContext,
};
use ort::value::TensorElementType;

use super::super::fixed::{Fixed, floats, instructions};
use super::super::shaped_as_image;
use super::filter::{Filter, Weights};
use super::run::convolve;

/// The operator's name in a graph.
pub(super) const NAME: &str = "LineConvolution";

/// Names of its attributes.
pub(super) mod attribute {
    /// Distance of the taps.
    pub(in super::super) const DILATION: &str = "dilation";
    /// 1 if the second half of the outputs are the gates of the first.
    pub(in super::super) const GATED: &str = "gated";
}

/// Makes a convolution for each node that asks for one. Its inputs are those of ONNX's `Conv`; all but the first are the graph's own
/// numbers. With one tap, an image's rows are one line.
pub(in super::super) struct LineConvolutions;

impl Operator for LineConvolutions {
    type Kernel<'attr> = LineConvolution;

    fn name(&self) -> &str {
        NAME
    }

    fn inputs(&self) -> impl IntoIterator<Item = OperatorInput> {
        floats(2, 1)
    }

    fn outputs(&self) -> impl IntoIterator<Item = OperatorOutput> {
        [OperatorOutput::required(TensorElementType::Float32)]
    }

    fn create_kernel(&self, context: &KernelContext<'_>) -> ort::Result<LineConvolution> {
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
        Ok(LineConvolution(Filter::new(instructions()?, &weights)))
    }

    /// The result is as large as the input, if its lengths are known.
    fn infer_shape(&self, context: &mut ShapeInferenceContext) -> ort::Result<()> {
        let is_gated = context.attr::<i64>(attribute::GATED)? == 1;
        shaped_as_image(context, is_gated)
    }
}

/// One convolution of a graph.
pub(in super::super) struct LineConvolution(Filter);

impl Kernel for LineConvolution {
    fn compute(&mut self, context: &ComputeContext) -> ort::Result<()> {
        let filter = &self.0;
        let missing = || ort::Error::new("a convolution has a line and a result");
        let lines = context.input(0)?.ok_or_else(missing)?;
        let (shape, lines) = lines.try_extract_tensor::<f32>()?;
        let [batch, channels, sides @ ..] = &shape[..] else {
            return Err(ort::Error::new("a convolution's line has channels"));
        };
        if *channels as usize != filter.inputs {
            return Err(ort::Error::new("a convolution's line has other channels"));
        }
        let samples = sides.iter().product::<i64>() as usize;
        let mut wanted = shape.to_vec();
        wanted[1] = filter.results as i64;
        let mut result = context.output(0, wanted)?.ok_or_else(missing)?;
        let (_, result) = result.try_extract_tensor_mut::<f32>()?;
        let (from, to) = (filter.inputs * samples, filter.results * samples);
        for at in 0..*batch as usize {
            let line = &lines[at * from..][..from];
            convolve(filter, line, &mut result[at * to..][..to]);
        }
        Ok(())
    }
}
