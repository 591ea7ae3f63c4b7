//! Layers that several networks have.

use super::fault::DrawFault;
use super::layers::Layers;
use super::{Attribute, Edge};

/// How the kernel of a convolution moves; one number for each axis behind the channels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window<'w> {
    /// The strides.
    pub(crate) strides: &'w [i64],
    /// Zeros in front of each axis, then those behind each.
    pub(crate) pads: &'w [i64],
    /// Groups of channels that are convolved separately.
    pub(crate) groups: u64,
}

impl<A> Layers<'_, A> {
    /// A fully connected layer over the last axis.
    pub(crate) fn linear(
        &mut self,
        prefix: &str,
        x: &Edge,
        (inputs, outputs): (u64, u64),
    ) -> Result<Edge, DrawFault> {
        let weight = self.weight(&format!("{prefix}.weight"), &[outputs, inputs])?;
        let weight = self.transposed(&weight, &[1, 0]);
        let bias = self.weight(&format!("{prefix}.bias"), &[outputs])?;
        let product = self.network.apply("MatMul", &[x, &weight]);
        Ok(self.network.apply("Add", &[&product, &bias]))
    }

    /// Normalisation over the last axis.
    pub(crate) fn layer_norm(
        &mut self,
        prefix: &str,
        x: &Edge,
        (width, epsilon): (u64, f32),
    ) -> Result<Edge, DrawFault> {
        let weight = self.weight(&format!("{prefix}.weight"), &[width])?;
        let bias = self.weight(&format!("{prefix}.bias"), &[width])?;
        let attributes = [
            ("axis", Attribute::Int(-1)),
            ("epsilon", Attribute::Float(epsilon)),
        ];
        let inputs = [x, &weight, &bias];
        Ok(self
            .network
            .apply_with("LayerNormalization", &inputs, &attributes))
    }

    /// A convolution whose weight has these dimensions, with a bias where there is one.
    pub(crate) fn convolved(
        &mut self,
        prefix: &str,
        x: &Edge,
        dims: &[u64],
        window: Window<'_>,
    ) -> Result<Edge, DrawFault> {
        let weight = self.weight(&format!("{prefix}.weight"), dims)?;
        self.convolved_with(prefix, (x, &weight), dims, window)
    }

    /// As [`Layers::convolved`], with a weight that was put together before.
    pub(crate) fn convolved_with(
        &mut self,
        prefix: &str,
        (x, weight): (&Edge, &Edge),
        dims: &[u64],
        window: Window<'_>,
    ) -> Result<Edge, DrawFault> {
        let bias = format!("{prefix}.bias");
        let bias = match self.weights.find(&bias) {
            Some(_) => Some(self.weight(&bias, &dims[..1])?),
            None => None,
        };
        let kernel: Vec<i64> = dims[2..].iter().map(|length| *length as i64).collect();
        let attributes = [
            ("kernel_shape", Attribute::Ints(&kernel)),
            ("strides", Attribute::Ints(window.strides)),
            ("pads", Attribute::Ints(window.pads)),
            ("group", Attribute::Int(window.groups as i64)),
        ];
        let inputs: Vec<&Edge> = [x, weight].into_iter().chain(&bias).collect();
        Ok(self.network.apply_with("Conv", &inputs, &attributes))
    }

    /// Normalisation by the mean and the variance that training has found for each channel.
    pub(crate) fn batch_norm(
        &mut self,
        prefix: &str,
        x: &Edge,
        (channels, epsilon): (u64, f32),
    ) -> Result<Edge, DrawFault> {
        let parts = ["weight", "bias", "running_mean", "running_var"];
        let parts = parts.map(|part| self.weight(&format!("{prefix}.{part}"), &[channels]));
        let [weight, bias, mean, variance] = parts;
        let inputs = [x, &weight?, &bias?, &mean?, &variance?];
        let epsilon = [("epsilon", Attribute::Float(epsilon))];
        Ok(self
            .network
            .apply_with("BatchNormalization", &inputs, &epsilon))
    }
}
