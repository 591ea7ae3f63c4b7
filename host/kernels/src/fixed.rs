use ort::operator::KernelContext;
use ort::value::{DynTensorValueType, ValueRef};

use super::vector::Instructions;

/// The instructions that kernels are made for.
pub(super) fn instructions() -> ort::Result<Instructions> {
    Instructions::here().ok_or_else(|| ort::Error::new("this processor has no vector instructions"))
}

/// The constant inputs of a convolution: its second and, if there is one, its third.
pub(super) struct Fixed<'c> {
    filter: ValueRef<'c, DynTensorValueType>,
    bias: Option<ValueRef<'c, DynTensorValueType>>,
}

impl<'c> Fixed<'c> {
    pub(super) fn of(context: &KernelContext<'c>) -> ort::Result<Self> {
        let has_bias = context.inputs()?.len() > 2;
        let bias = has_bias.then(|| context.constant_input(2));
        Ok(Self {
            filter: context.constant_input(1)?,
            bias: bias.transpose()?,
        })
    }

    /// The filter's first three dimensions, the last of which is its length, and its values.
    pub(super) fn filter(&self) -> ort::Result<([usize; 3], &[f32])> {
        let (shape, values) = self.filter.try_extract_tensor::<f32>()?;
        let sides = shape.first_chunk::<3>();
        let sides = sides.map(|sides| sides.map(|length| length as usize));
        let sides = sides.filter(|sides| values.len() == sides.iter().product::<usize>());
        let sides = sides.ok_or_else(|| ort::Error::new("a filter has channels and taps"))?;
        Ok((sides, values))
    }

    /// The bias of so many channels.
    pub(super) fn bias(&self, channels: usize) -> ort::Result<Option<&[f32]>> {
        let Some(bias) = &self.bias else {
            return Ok(None);
        };
        let (_, values) = bias.try_extract_tensor::<f32>()?;
        if values.len() == channels {
            return Ok(Some(values));
        }
        Err(ort::Error::new("a bias has a number for each channel"))
    }
}
