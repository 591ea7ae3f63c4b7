//! Layers over groups of channels.

use super::fault::DrawFault;
use super::layers::Layers;
use super::{Attribute, Edge};

/// What is added to variances, as torch does where nobody says another number.
pub(crate) const EPSILON: f32 = 1e-5;

impl<A> Layers<'_, A> {
    /// Normalisation of each of `groups` groups of channels over all places ("Group Normalization", Wu and He 2018), of a tensor of this
    /// shape.
    pub(crate) fn group_norm(
        &mut self,
        prefix: &str,
        x: &Edge,
        (shape, groups): (&[u64], u64),
    ) -> Result<Edge, DrawFault> {
        let channels = shape[1];
        if !channels.is_multiple_of(groups) {
            return Err(DrawFault::refused(format!(
                "normalises {channels} channels in {groups} groups ({prefix:?})"
            )));
        }
        let rows = self.reshaped(x, &[0, groups as i64, -1]);
        let ones = self.network.numbers(&vec![1.0; groups as usize]);
        let zeros = self.network.numbers(&vec![0.0; groups as usize]);
        let epsilon = [("epsilon", Attribute::Float(EPSILON))];
        let inputs = [&rows, &ones, &zeros];
        let even = self
            .network
            .apply_with("InstanceNormalization", &inputs, &epsilon);
        let whole: Vec<i64> = shape.iter().map(|length| *length as i64).collect();
        let even = self.reshaped(&even, &whole);
        self.weighed(prefix, &even, shape)
    }

    /// A tensor of this shape, times a number for each channel, and another one added: the same at all places.
    pub(crate) fn weighed(
        &mut self,
        prefix: &str,
        x: &Edge,
        shape: &[u64],
    ) -> Result<Edge, DrawFault> {
        let column = vec![1; shape.len() - 2];
        let column = [&[shape[1]], &column[..]].concat();
        let gains = self.column(&format!("{prefix}.weight"), &column)?;
        let offsets = self.column(&format!("{prefix}.bias"), &column)?;
        let scaled = self.network.apply("Mul", &[x, &gains]);
        Ok(self.network.apply("Add", &[&scaled, &offsets]))
    }

    /// A number for each channel, with axes behind it.
    pub(crate) fn column(&mut self, key: &str, column: &[u64]) -> Result<Edge, DrawFault> {
        let values = self.values(key, &column[..1])?;
        Ok(self.stored(key, (values, column)))
    }

    /// The first half of the channels times the sigmoid of the second ("Language Modeling with Gated Convolutional Networks", Dauphin and
    /// others 2017).
    pub(crate) fn gated(&mut self, x: &Edge) -> Edge {
        let (value, shut) = self.network.even_halves(x, 1);
        let open = self.network.apply("Sigmoid", &[&shut]);
        self.network.apply("Mul", &[&value, &open])
    }
}
