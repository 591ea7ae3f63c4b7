//! One step of a training as a graph: forwards, backwards and the optimiser.

use std::io;

use vocalhost_onnx::Edge;

use crate::envelope::{FEATURES, Sizes, Wanted};
use crate::optimiser::AdamW;
use crate::tape::{Tape, Tensor};

/// The parameters of a training's graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// The network's dimensions.
    pub sizes: Sizes,
    /// Stretches of a batch.
    pub batch: u64,
    /// Frames of a stretch, of 10 ms each.
    pub frames: u64,
    /// How the weights move.
    pub optimiser: AdamW,
}

impl Default for Order {
    fn default() -> Self {
        Self {
            sizes: Sizes::default(),
            batch: 16,
            frames: 128,
            optimiser: AdamW::default(),
        }
    }
}

impl Order {
    /// Number of values of all weights.
    #[must_use]
    pub fn count(&self) -> u64 {
        lengths(&self.sizes).iter().sum()
    }

    /// Builds a step. Inputs: `weights_now`, `mean_now` and `square_now`, each all weights in one row; `features` `[batch, 67, frames]`;
    /// `wanted_harmonic`, `wanted_noise` and `weight` `[batch, 64, frames]` and `pitched` `[batch, 1, frames]`, as in a
    /// [`Batch`](crate::Batch); and `kept`, `rate` and `root` of a [`Pace`](crate::Pace). Outputs: `loss`, before the step, and `weights`,
    /// `mean` and `square` after it.
    ///
    /// # Errors
    /// None in practice: it writes into memory.
    pub fn step(&self) -> io::Result<Vec<u8>> {
        let mut tape = Tape::default();
        let (row, weights, loss) = self.forwards(&mut tape);
        tape.output(&loss, "loss");
        let gradients = tape.gradients(&loss, &weights);
        self.optimiser.draw(&mut tape, &row, &gradients);
        tape.written()
    }

    /// Builds a graph that computes the loss for given weights, for held-out stretches: the inputs of [`Order::step`] without the
    /// optimiser's.
    ///
    /// # Errors
    /// As [`Order::step`].
    pub fn trial(&self) -> io::Result<Vec<u8>> {
        let mut tape = Tape::default();
        let (_, _, loss) = self.forwards(&mut tape);
        tape.output(&loss, "loss");
        tape.written()
    }

    /// Builds the network by itself. Inputs: `weights_now` and `features` of [`Order::step`]. Output: `harmonic`, the logarithms of the
    /// gains of the harmonic part, `[batch, 64, frames]`.
    ///
    /// # Errors
    /// As [`Order::step`].
    pub fn curves(&self) -> io::Result<Vec<u8>> {
        let mut tape = Tape::default();
        let row = tape.input("weights_now", &[self.count()]);
        let weights = self.weights_of(&mut tape, &row);
        let features = tape.input("features", &[self.batch, FEATURES, self.frames]);
        let [harmonic, _] = self.sizes.draw(&mut tape, &features, &weights);
        tape.output(&harmonic, "harmonic");
        tape.written()
    }

    /// The row of all weights, the weights, and the loss.
    fn forwards(&self, tape: &mut Tape) -> (Tensor, Vec<Tensor>, Tensor) {
        let row = tape.input("weights_now", &[self.count()]);
        let weights = self.weights_of(tape, &row);
        let features = tape.input("features", &[self.batch, FEATURES, self.frames]);
        let curves = self.sizes.draw(tape, &features, &weights);
        let wanted = Wanted::inputs(tape, self.batch, self.frames);
        let loss = wanted.loss(tape, &curves);
        (row, weights, loss)
    }

    fn weights_of(&self, tape: &mut Tape, row: &Tensor) -> Vec<Tensor> {
        let parts: Vec<Edge> = tape.network.split(&row.edge, 0, &lengths(&self.sizes));
        let shapes = self.sizes.weights().into_iter().map(|(_, shape)| shape);
        let mut weights = Vec::with_capacity(parts.len());
        for (part, shape) in parts.into_iter().zip(shapes) {
            let edge = tape.reshape(&part, &shape);
            weights.push(tape.tensor(edge, &shape));
        }
        weights
    }
}

fn lengths(sizes: &Sizes) -> Vec<u64> {
    let weights = sizes.weights().into_iter();
    weights.map(|(_, shape)| shape.iter().product()).collect()
}
