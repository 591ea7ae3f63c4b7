use ort::operator::{
    ComputeContext, Kernel, KernelContext, Operator, OperatorDomain, OperatorInput, OperatorOutput,
    ShapeInferenceContext,
};
use ort::value::{SymbolicDimensions, TensorElementType, ValueType};

use super::filter::{Filter, Norm, Weights};
use super::lines::Axis;
use super::product::{Size, convolve};
use super::vector::Instructions;

/// The domain of the operators that this server brings itself. No file may name it: graphs are checked for domains of others before
/// they are taken in.
pub(super) const DOMAIN: &str = "vocalhost";

/// The operator's name in a graph.
pub(super) const NAME: &str = "Convolution";

/// Names of its attributes.
pub(super) mod attribute {
    /// 1 for a filter along a line, 0 for one over rows.
    pub(in super::super) const LINE: &str = "line";
    /// Distance of the taps.
    pub(in super::super) const DILATION: &str = "dilation";
    /// 1 if the third input is a bias.
    pub(in super::super) const BIAS: &str = "bias";
    /// 1 if the last four inputs are a normalisation's.
    pub(in super::super) const NORM: &str = "norm";
    /// The normalisation's.
    pub(in super::super) const EPSILON: &str = "epsilon";
    /// 1 if a rectifier comes last.
    pub(in super::super) const RECTIFIES: &str = "rectifies";
}

/// The domain to register with a session, whose own it becomes.
pub(in super::super) fn domain() -> Result<OperatorDomain, String> {
    let made = OperatorDomain::new(DOMAIN).and_then(|domain| domain.add(Convolutions));
    made.map_err(|error| error.to_string())
}

/// Makes a convolution for each node that asks for one. Its inputs are those of ONNX's `Conv`, then those of the
/// `BatchNormalization` behind it; all but the first are the graph's own numbers.
struct Convolutions;

impl Operator for Convolutions {
    type Kernel<'attr> = Convolution;

    fn name(&self) -> &str {
        NAME
    }

    fn inputs(&self) -> impl IntoIterator<Item = OperatorInput> {
        let float = TensorElementType::Float32;
        let optional = || OperatorInput::optional(float);
        [
            OperatorInput::required(float),
            OperatorInput::required(float),
            optional(),
            optional(),
            optional(),
            optional(),
            optional(),
        ]
    }

    fn outputs(&self) -> impl IntoIterator<Item = OperatorOutput> {
        [OperatorOutput::required(TensorElementType::Float32)]
    }

    fn create_kernel(&self, context: &KernelContext<'_>) -> ort::Result<Convolution> {
        let number = |name| context.get::<i64>(name).unwrap_or(0);
        let mut next = 1;
        let mut take = || {
            next += 1;
            context.constant_input::<ort::value::DynTensorValueType>(next - 1)
        };
        let weights = take()?;
        let (shape, values) = weights.try_extract_tensor::<f32>()?;
        let (outputs, inputs) = match **shape {
            [outputs, inputs, ..] => (outputs as usize, inputs as usize),
            _ => return Err(ort::Error::new("a filter has outputs and inputs")),
        };
        let bias = (number(attribute::BIAS) == 1).then(&mut take).transpose()?;
        let bias = bias.as_ref().map(|bias| bias.try_extract_tensor::<f32>());
        let bias = bias.transpose()?.map(|(_, values)| values);
        let norm = if number(attribute::NORM) == 1 {
            Some([take()?, take()?, take()?, take()?])
        } else {
            None
        };
        let norm = match &norm {
            Some([scale, offset, mean, variance]) => Some(Norm {
                scale: scale.try_extract_tensor::<f32>()?.1,
                offset: offset.try_extract_tensor::<f32>()?.1,
                mean: mean.try_extract_tensor::<f32>()?.1,
                variance: variance.try_extract_tensor::<f32>()?.1,
                epsilon: context.get::<f32>(attribute::EPSILON).unwrap_or(1e-5),
            }),
            None => None,
        };
        let axis = match number(attribute::LINE) {
            0 => Axis::Rows,
            _ => Axis::Line,
        };
        let per_channel = |values: &[f32]| values.len() == outputs;
        let norm_fits = norm.as_ref().is_none_or(|norm| {
            let all = [norm.scale, norm.offset, norm.mean, norm.variance];
            all.into_iter().all(per_channel)
        });
        if values.len() != outputs * inputs * axis.taps() * 3
            || !bias.is_none_or(per_channel)
            || !norm_fits
        {
            return Err(ort::Error::new("a convolution's numbers do not fit"));
        }
        let weights = Weights {
            axis,
            outputs,
            inputs,
            values,
            bias,
            norm,
        };
        let instructions = Instructions::here()
            .ok_or_else(|| ort::Error::new("this processor has no vector instructions"))?;
        let dilation = usize::try_from(number(attribute::DILATION))
            .unwrap_or(1)
            .max(1);
        let rectifies = number(attribute::RECTIFIES) == 1;
        Ok(Convolution(Filter::new(
            instructions,
            &weights,
            dilation,
            rectifies,
        )))
    }

    /// The result is as large as the image, if its lengths are known, and has as many channels as the filter has outputs.
    fn infer_shape(&self, context: &mut ShapeInferenceContext) -> ort::Result<()> {
        let inputs = context.inputs();
        let (Some(image), Some(filter)) = (inputs.first(), inputs.get(1)) else {
            return Ok(());
        };
        let outputs = filter
            .tensor_shape()
            .and_then(|shape| shape.first().copied());
        let ValueType::Tensor {
            ty,
            shape,
            dimension_symbols,
        } = image
        else {
            return Ok(());
        };
        let mut shape = shape.clone();
        let (Some(channels), Some(outputs)) = (shape.get_mut(1), outputs) else {
            return Ok(());
        };
        *channels = outputs;
        let symbols = dimension_symbols.iter().enumerate();
        let symbols = symbols.map(|(axis, symbol)| if axis == 1 { "" } else { symbol.as_str() });
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
}

/// One convolution of a graph.
struct Convolution(Filter);

impl Kernel for Convolution {
    fn compute(&mut self, context: &ComputeContext) -> ort::Result<()> {
        let filter = &self.0;
        let missing = || ort::Error::new("a convolution has an image and a result");
        let image = context.input(0)?.ok_or_else(missing)?;
        let (shape, image) = image.try_extract_tensor::<f32>()?;
        let (batch, channels, size) = match (filter.axis, &**shape) {
            (_, [batch, channels, height, width]) => {
                let size = Size {
                    height: *height as usize,
                    width: *width as usize,
                };
                (*batch, *channels, size)
            }
            (Axis::Line, [batch, channels, width]) => {
                let size = Size {
                    height: 1,
                    width: *width as usize,
                };
                (*batch, *channels, size)
            }
            _ => {
                return Err(ort::Error::new(
                    "a convolution's image has other dimensions",
                ));
            }
        };
        if channels as usize != filter.inputs {
            return Err(ort::Error::new("a convolution's image has other channels"));
        }
        let mut wanted = shape.to_vec();
        wanted[1] = filter.outputs as i64;
        let mut result = context.output(0, wanted)?.ok_or_else(missing)?;
        let (_, result) = result.try_extract_tensor_mut::<f32>()?;
        let (from, to) = (
            filter.inputs * size.samples(),
            filter.outputs * size.samples(),
        );
        for at in 0..batch as usize {
            let image = &image[at * from..][..from];
            convolve(filter, image, size, &mut result[at * to..][..to]);
        }
        Ok(())
    }
}
