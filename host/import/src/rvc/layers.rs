use crate::drawing::{Attribute, DrawFault, Edge};
use crate::torch::Values;

use super::architecture::Architecture;

/// The graph of a voice in the making.
pub(super) type Layers<'a> = crate::drawing::Layers<'a, Architecture>;

/// A convolution over time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Conv {
    /// Channels that go in.
    pub(super) inputs: u64,
    /// Channels that come out.
    pub(super) outputs: u64,
    /// Kernel, in frames.
    pub(super) kernel: u64,
    /// Stride, in frames.
    pub(super) stride: u64,
    /// Dilation, in frames.
    pub(super) dilation: u64,
    /// Zeros in front and behind.
    pub(super) padding: (u64, u64),
    /// Whether it has a bias.
    pub(super) bias: bool,
}

impl Conv {
    /// A convolution that keeps the length, whose kernel lies in the middle.
    pub(super) fn same(inputs: u64, outputs: u64, kernel: u64) -> Self {
        Self::dilated(inputs, outputs, kernel, 1)
    }

    /// As [`Conv::same`], with a dilation.
    pub(super) fn dilated(inputs: u64, outputs: u64, kernel: u64, dilation: u64) -> Self {
        let reach = (kernel - 1) * dilation;
        Self {
            inputs,
            outputs,
            kernel,
            stride: 1,
            dilation,
            padding: (reach / 2, reach - reach / 2),
            bias: true,
        }
    }
}

impl Layers<'_> {
    /// The weight of a convolution. Where its length and direction are kept apart, it is `g v / |v|` over all but the first
    /// dimension ("Weight Normalization", Salimans and Kingma 2016). Where the original keeps them apart and a checkpoint has put them
    /// together, they are taken apart again: voices of one architecture have one graph, or they could not be blended.
    fn conv_weight(&mut self, prefix: &str, dims: [u64; 3]) -> Result<Edge, DrawFault> {
        let whole = format!("{prefix}.weight");
        let (length, direction) = match self.weights.find(&whole) {
            Some(_) if self.architecture.decoder.is_normed(prefix) => self.apart(prefix, &dims)?,
            Some(_) => return self.weight(&whole, &dims),
            None => (
                self.weight(&format!("{prefix}.weight_g"), &[dims[0], 1, 1])?,
                self.weight(&format!("{prefix}.weight_v"), &dims)?,
            ),
        };
        let over = [
            ("axes", Attribute::Ints(&[1, 2])),
            ("keepdims", Attribute::Int(1)),
        ];
        let norm = self.network.apply_with("ReduceL2", &[&direction], &over);
        let factor = self.network.apply("Div", &[&length, &norm]);
        Ok(self.network.apply("Mul", &[&direction, &factor]))
    }

    /// A weight as its length, in single precision, and its direction, as it is stored.
    fn apart(&mut self, prefix: &str, dims: &[u64; 3]) -> Result<(Edge, Edge), DrawFault> {
        let values = self.values(&format!("{prefix}.weight"), dims)?;
        let rows = dims[0].max(1) as usize;
        let (lengths, direction) = values.apart(rows);
        let lengths: Vec<u8> = lengths.into_iter().flat_map(f32::to_le_bytes).collect();
        let length_dims = [dims[0], 1, 1];
        let lengths = (Values::F32(lengths), &length_dims[..]);
        let length = self.stored(&format!("{prefix}.weight_g"), lengths);
        let direction = self.stored(&format!("{prefix}.weight_v"), (direction, dims));
        Ok((length, direction))
    }

    /// A convolution of `[1, C, T]`.
    pub(super) fn conv(
        &mut self,
        prefix: &str,
        input: &Edge,
        conv: Conv,
    ) -> Result<Edge, DrawFault> {
        let weight = self.conv_weight(prefix, [conv.outputs, conv.inputs, conv.kernel])?;
        let bias = if conv.bias {
            Some(self.weight(&format!("{prefix}.bias"), &[conv.outputs])?)
        } else {
            None
        };
        let pads = [conv.padding.0 as i64, conv.padding.1 as i64];
        let attributes = [
            ("kernel_shape", Attribute::Ints(&[conv.kernel as i64])),
            ("strides", Attribute::Ints(&[conv.stride as i64])),
            ("dilations", Attribute::Ints(&[conv.dilation as i64])),
            ("pads", Attribute::Ints(&pads)),
        ];
        let inputs: Vec<&Edge> = [input, &weight].into_iter().chain(&bias).collect();
        Ok(self.network.apply_with("Conv", &inputs, &attributes))
    }

    /// A transposed convolution that makes `[1, C, T]` exactly `rate` times as long.
    pub(super) fn upsample(
        &mut self,
        prefix: &str,
        input: &Edge,
        channels: (u64, u64),
        (rate, kernel): (u64, u64),
    ) -> Result<Edge, DrawFault> {
        let weight = self.conv_weight(prefix, [channels.0, channels.1, kernel])?;
        let bias = self.weight(&format!("{prefix}.bias"), &[channels.1])?;
        let pad = (kernel - rate) as i64 / 2;
        let attributes = [
            ("kernel_shape", Attribute::Ints(&[kernel as i64])),
            ("strides", Attribute::Ints(&[rate as i64])),
            ("pads", Attribute::Ints(&[pad, pad])),
        ];
        let inputs = [input, &weight, &bias];
        Ok(self
            .network
            .apply_with("ConvTranspose", &inputs, &attributes))
    }
}
