use ort::operator::{ComputeContext, Kernel, KernelContext, ShapeInferenceContext};
use ort::value::DynTensorValueType;

use super::super::fixed::instructions;
use super::super::frame::{Work, image_by_image};
use super::super::shapes::shaped_as_image;
use super::filter::{Filter, Norm, Weights};
use super::lines::Axis;
use super::run::{Size, convolve};

/// The operator's name in a graph.
pub(super) const NAME: &str = "Convolution";

/// Names of its attributes.
pub(super) mod attribute {
    /// 1 for a filter along a line, 0 for one over rows.
    pub(in super::super) const LINE: &str = "line";
    /// Distance between taps.
    pub(in super::super) const DILATION: &str = "dilation";
    /// What is done with the outputs, as the number of a [`super::After`].
    pub(in super::super) const AFTER: &str = "after";
    /// The epsilon of the normalisation.
    pub(in super::super) const EPSILON: &str = "epsilon";
}

/// What is done with the outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// They are the results.
    Nothing = 0,
    /// Values below zero become zero.
    Rectifier = 1,
    /// Each output of the first half is multiplied by the sigmoid of its counterpart in the second: a gated linear unit (Dauphin and
    /// others, "Language Modeling with Gated Convolutional Networks", 2017).
    Gate = 2,
}

/// One convolution of a graph. Its inputs are those of ONNX's `Conv`, then those of the `BatchNormalization` that follows; all but the
/// first are constants.
pub(in super::super) struct Convolution(Filter);

impl Work for Convolution {
    const NAME: &'static str = NAME;
    const OPTIONAL_INPUTS: usize = 5;

    fn of(context: &KernelContext<'_>) -> ort::Result<Self> {
        let number = |name| context.get::<i64>(name).unwrap_or(0);
        let mut next = 1;
        let mut take = || {
            next += 1;
            context.constant_input::<DynTensorValueType>(next - 1)
        };
        let weights = take()?;
        let (shape, values) = weights.try_extract_tensor::<f32>()?;
        let (outputs, inputs) = match **shape {
            [outputs, inputs, ..] => (outputs as usize, inputs as usize),
            _ => return Err(ort::Error::new("a filter has outputs and inputs")),
        };
        // An image and a filter; one more is a bias, four more are a normalisation.
        let more = context.inputs()?.len().saturating_sub(2);
        let bias = (more % 4 == 1).then(&mut take).transpose()?;
        let bias = bias.as_ref().map(|bias| bias.try_extract_tensor::<f32>());
        let bias = bias.transpose()?.map(|(_, values)| values);
        let norm = if more >= 4 {
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
        let dilation = usize::try_from(number(attribute::DILATION))
            .unwrap_or(1)
            .max(1);
        let after = match number(attribute::AFTER) {
            0 => After::Nothing,
            1 => After::Rectifier,
            _ => After::Gate,
        };
        Ok(Self(Filter::new(
            instructions()?,
            &weights,
            dilation,
            after,
        )))
    }

    /// The result is as large as the image, if its lengths are known.
    fn infer_shape(context: &mut ShapeInferenceContext) -> ort::Result<()> {
        let is_gated = context.attr::<i64>(attribute::AFTER)? == After::Gate as i64;
        shaped_as_image(context, is_gated)
    }
}

impl Kernel for Convolution {
    fn compute(&mut self, context: &ComputeContext) -> ort::Result<()> {
        let filter = &self.0;
        let plan = |shape: &[i64]| {
            let (height, width) = match (filter.axis, shape) {
                (_, [_, _, height, width]) => (*height, *width),
                (Axis::Line, [_, _, width]) => (1, *width),
                _ => return None,
            };
            let size = Size {
                height: height as usize,
                width: width as usize,
            };
            let mut wanted = shape.to_vec();
            wanted[1] = filter.results() as i64;
            Some((wanted, size))
        };
        image_by_image(context, filter.inputs, plan, |size, image, results| {
            convolve(filter, image, *size, results);
        })
    }
}
