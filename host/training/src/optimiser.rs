//! `AdamW` ("Decoupled Weight Decay Regularization", Loshchilov and Hutter 2019) after clipping the norm of the whole gradient ("On the
//! difficulty of training recurrent neural networks", Pascanu and others 2013), built as part of the graph. All weights are one row of
//! numbers, and so are the two means that the optimiser keeps.

use vocalhost_onnx::{Attribute, DataType, Edge, Length, Network};

use crate::tape::{Tape, Tensor};

/// Parameters of the optimiser.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamW {
    /// Share of the gradients' mean that is kept in a step.
    pub beta1: f64,
    /// Share of the squared gradients' mean that is kept in a step.
    pub beta2: f64,
    /// Keeps the quotient finite.
    pub epsilon: f64,
    /// Share of the weights that is removed in a step, times the learning rate.
    pub weight_decay: f64,
    /// The largest norm of a gradient.
    pub longest: f64,
}

impl Default for AdamW {
    /// As the voices that come with the program were trained (`models/training/voices/train_decoder.py`).
    fn default() -> Self {
        Self {
            beta1: 0.9,
            beta2: 0.98,
            epsilon: 1e-8,
            weight_decay: 1e-3,
            longest: 2.0,
        }
    }
}

/// Numbers that change from step to step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// The share of the weights that is kept.
    pub kept: f32,
    /// The step size.
    pub rate: f32,
    /// The divisor of the root mean square.
    pub root: f32,
}

impl AdamW {
    /// The numbers of a step, counted from 1, at a learning rate.
    #[must_use]
    pub fn pace(&self, step: u32, rate: f64) -> Pace {
        let step = f64::from(step);
        Pace {
            kept: (1.0 - rate * self.weight_decay) as f32,
            rate: (rate / (1.0 - self.beta1.powf(step))) as f32,
            root: (1.0 - self.beta2.powf(step)).sqrt() as f32,
        }
    }

    /// Draws a step: from `gradients`, in the order of the weights, to outputs `weights`, `mean` and `square`, of which `weights` is
    /// the input that holds them now.
    pub(crate) fn draw(&self, tape: &mut Tape, weights: &Tensor, gradients: &[Tensor]) {
        let flat: Vec<Edge> = gradients
            .iter()
            .map(|gradient| tape.reshape(&gradient.edge, &[gradient.shape.iter().product()]))
            .collect();
        let count = weights.shape[0];
        let network = &mut tape.network;
        let flat: Vec<&Edge> = flat.iter().collect();
        let gradient = network.apply_with("Concat", &flat, &[("axis", Attribute::Int(0))]);
        let gradient = self.shortened(network, &gradient);
        let of = |network: &mut Network, name: &str| {
            network.input(name, DataType::F32, &[Length::Fixed(count)])
        };
        let (mean, square) = (of(network, "mean_now"), of(network, "square_now"));
        let mean = mixed(network, (&mean, &gradient), self.beta1);
        let squared = network.apply("Mul", &[&gradient, &gradient]);
        let square = mixed(network, (&square, &squared), self.beta2);
        let pace = ["kept", "rate", "root"].map(|name| network.input(name, DataType::F32, &[]));
        let [kept, rate, root] = &pace;
        let deviation = network.apply("Sqrt", &[&square]);
        let deviation = network.apply("Div", &[&deviation, root]);
        let epsilon = network.number(self.epsilon as f32);
        let deviation = network.apply("Add", &[&deviation, &epsilon]);
        let direction = network.apply("Div", &[&mean, &deviation]);
        let moved = network.apply("Mul", &[&direction, rate]);
        let kept = network.apply("Mul", &[&weights.edge, kept]);
        let weights = network.apply("Sub", &[&kept, &moved]);
        for (edge, name) in [(weights, "weights"), (mean, "mean"), (square, "square")] {
            network.output(&edge, name, &[Length::Fixed(count)]);
        }
    }

    /// The gradient, with its norm limited.
    fn shortened(&self, network: &mut Network, gradient: &Edge) -> Edge {
        let no_axis = [("keepdims", Attribute::Int(0))];
        let length = network.apply_with("ReduceL2", &[gradient], &no_axis);
        let little = network.number(1e-6);
        let length = network.apply("Add", &[&length, &little]);
        let longest = network.number(self.longest as f32);
        let share = network.apply("Div", &[&longest, &length]);
        let one = network.number(1.0);
        let share = network.apply("Min", &[&share, &one]);
        network.apply("Mul", &[gradient, &share])
    }
}

/// A mean that keeps the share `kept` of what it was.
fn mixed(network: &mut Network, (so_far, new): (&Edge, &Edge), kept: f64) -> Edge {
    let (old, share) = (
        network.number(kept as f32),
        network.number((1.0 - kept) as f32),
    );
    let so_far = network.apply("Mul", &[so_far, &old]);
    let new = network.apply("Mul", &[new, &share]);
    network.apply("Add", &[&so_far, &new])
}
