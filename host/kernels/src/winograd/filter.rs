use super::super::vector::Instructions;
use super::lines::{Axis, INPUTS};
use super::operator::After;

/// The numbers of a normalisation after a convolution, one per channel (ONNX, `BatchNormalization`).
pub(super) struct Norm<'a> {
    pub(super) scale: &'a [f32],
    pub(super) offset: &'a [f32],
    pub(super) mean: &'a [f32],
    pub(super) variance: &'a [f32],
    pub(super) epsilon: f32,
}

/// A convolution as its graph describes it.
pub(super) struct Weights<'a> {
    pub(super) axis: Axis,
    pub(super) outputs: usize,
    pub(super) inputs: usize,
    /// Output by input by filter row, if there are rows, by filter column.
    pub(super) values: &'a [f32],
    pub(super) bias: Option<&'a [f32]>,
    pub(super) norm: Option<Norm<'a>>,
}

/// A filter, transformed and laid out in the order in which the products read it.
pub(super) struct Filter {
    pub(super) instructions: Instructions,
    pub(super) axis: Axis,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// Distance between taps: between columns in an image, between all taps along a line.
    pub(super) dilation: usize,
    /// What is done with the outputs.
    pub(super) after: After,
    /// Product by block of outputs by input by tap by output of the block; the last block is filled up with zeros.
    pub(super) values: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

impl Filter {
    /// Transforms a filter, and includes the normalisation that follows it.
    ///
    /// # Panics
    /// When the lengths do not match.
    pub(super) fn new(
        instructions: Instructions,
        weights: &Weights<'_>,
        dilation: usize,
        after: After,
    ) -> Self {
        let (outputs, inputs, taps) = (weights.outputs, weights.inputs, weights.axis.taps());
        assert_eq!(
            weights.values.len(),
            outputs * inputs * taps * 3,
            "a filter has its values"
        );
        let (block, blocks) = (instructions.outputs(), blocks(instructions, outputs));
        let mut values = vec![0.0; INPUTS * blocks * inputs * taps * block];
        let mut bias = Vec::with_capacity(outputs);
        for output in 0..outputs {
            let gain = weights.norm.as_ref().map_or(1.0, |norm| norm.gain(output));
            let own = weights.bias.map_or(0.0, |bias| f64::from(bias[output]));
            bias.push(match &weights.norm {
                Some(norm) => {
                    let centred = own - f64::from(norm.mean[output]);
                    (centred * gain + f64::from(norm.offset[output])) as f32
                }
                None => own as f32,
            });
            for input in 0..inputs {
                let filter = &weights.values[(output * inputs + input) * taps * 3..][..taps * 3];
                for tap in 0..taps {
                    let along = [0, 1, 2].map(|at| f64::from(filter[at * taps + tap]) * gain);
                    for (product, value) in transformed(along).into_iter().enumerate() {
                        let before = (product * blocks + output / block) * inputs + input;
                        values[(before * taps + tap) * block + output % block] = value as f32;
                    }
                }
            }
        }
        Self {
            instructions,
            axis: weights.axis,
            inputs,
            outputs,
            dilation,
            after,
            values,
            bias,
        }
    }

    /// Channels of the result.
    pub(super) fn results(&self) -> usize {
        match self.after {
            After::Gate => self.outputs / 2,
            After::Nothing | After::Rectifier => self.outputs,
        }
    }

    /// Blocks of outputs.
    pub(super) fn blocks(&self) -> usize {
        blocks(self.instructions, self.outputs)
    }
}

impl Norm<'_> {
    fn gain(&self, channel: usize) -> f64 {
        let variance = f64::from(self.variance[channel]) + f64::from(self.epsilon);
        f64::from(self.scale[channel]) / variance.sqrt()
    }
}

fn blocks(instructions: Instructions, outputs: usize) -> usize {
    outputs.div_ceil(instructions.outputs())
}

/// `G g` of Lavin and Gray for F(4, 3).
fn transformed([a, b, c]: [f64; 3]) -> [f64; INPUTS] {
    let (even, odd) = (a / 24.0 + c / 6.0, b / 12.0);
    [
        a / 4.0,
        -(a + b + c) / 6.0,
        -(a - b + c) / 6.0,
        even + odd,
        even - odd,
        c,
    ]
}
