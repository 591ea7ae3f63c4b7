use std::marker::PhantomData;

use ort::operator::{
    ComputeContext, Kernel, KernelContext, Operator, OperatorInput, OperatorOutput,
    ShapeInferenceContext,
};
use ort::value::TensorElementType;

/// The element type of all inputs and outputs of our operators.
const FLOAT: TensorElementType = TensorElementType::Float32;

/// The work of one node of a graph. [`Framed`] implements everything else that ONNX Runtime asks of an operator.
pub(super) trait Work: Kernel + Sized + 'static {
    /// The operator's name in a graph.
    const NAME: &'static str;

    /// Optional inputs after the two required ones.
    const OPTIONAL_INPUTS: usize = 1;

    /// The work of a node.
    fn of(context: &KernelContext<'_>) -> ort::Result<Self>;

    /// Tells the shape of the result, if it is known.
    fn infer_shape(context: &mut ShapeInferenceContext) -> ort::Result<()>;
}

/// The operator whose nodes do the work `W`.
pub(super) struct Framed<W>(PhantomData<fn() -> W>);

impl<W> Framed<W> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<W: Work> Operator for Framed<W> {
    type Kernel<'attr> = W;

    fn name(&self) -> &str {
        W::NAME
    }

    fn inputs(&self) -> impl IntoIterator<Item = OperatorInput> {
        let required = (0..2).map(|_| OperatorInput::required(FLOAT));
        required.chain((0..W::OPTIONAL_INPUTS).map(|_| OperatorInput::optional(FLOAT)))
    }

    fn outputs(&self) -> impl IntoIterator<Item = OperatorOutput> {
        [OperatorOutput::required(FLOAT)]
    }

    fn create_kernel(&self, context: &KernelContext<'_>) -> ort::Result<W> {
        W::of(context)
    }

    fn infer_shape(&self, context: &mut ShapeInferenceContext) -> ort::Result<()> {
        W::infer_shape(context)
    }
}

/// Processes the images of the first input, one after another: `work` gets the samples of one and room for its results. The images have so
/// many channels; `plan` computes the dimensions of the result from theirs, and whatever else the work needs.
pub(super) fn image_by_image<P>(
    context: &ComputeContext,
    channels: usize,
    plan: impl FnOnce(&[i64]) -> Option<(Vec<i64>, P)>,
    work: impl Fn(&P, &[f32], &mut [f32]),
) -> ort::Result<()> {
    let missing = || ort::Error::new("a convolution has an image and a result");
    let images = context.input(0)?.ok_or_else(missing)?;
    let (shape, images) = images.try_extract_tensor::<f32>()?;
    if shape.get(1) != Some(&(channels as i64)) {
        return Err(ort::Error::new("a convolution's image has other channels"));
    }
    let other = || ort::Error::new("a convolution's image has other dimensions");
    let (wanted, plan) = plan(shape).ok_or_else(other)?;
    let of_one = |shape: &[i64]| shape[1..].iter().product::<i64>() as usize;
    let (from, to) = (of_one(shape), of_one(&wanted));
    let mut results = context.output(0, wanted)?.ok_or_else(missing)?;
    let (_, results) = results.try_extract_tensor_mut::<f32>()?;
    for at in 0..shape[0] as usize {
        work(
            &plan,
            &images[at * from..][..from],
            &mut results[at * to..][..to],
        );
    }
    Ok(())
}
