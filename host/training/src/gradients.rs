//! The gradients of a number with respect to tensors, appended to the network that computes it.

use vocalhost_onnx::{Attribute, Edge};

use crate::tape::{Convolution, Step, Tape, Tensor};

/// The gradients found while the tape is traversed backwards.
struct Backwards<'t> {
    tape: &'t mut Tape,
    /// For each tensor, by index, whether its gradient is needed.
    wanted: Vec<bool>,
    /// The sums so far, by index.
    gradients: Vec<Option<Edge>>,
}

impl Tape {
    /// The gradients of `number`, which has one value, with respect to each tensor of `with`, in the same shapes.
    ///
    /// # Panics
    /// When `number` does not depend on one of them: then the network is built wrongly.
    pub(crate) fn gradients(&mut self, number: &Tensor, with: &[Tensor]) -> Vec<Tensor> {
        let steps = std::mem::take(&mut self.steps);
        let mut wanted = vec![false; number.place + 1];
        for tensor in with {
            wanted[tensor.place] = true;
        }
        for step in &steps {
            let (from, to) = step.ends();
            if from.iter().any(|tensor| wanted[tensor.place]) {
                for tensor in to {
                    wanted[tensor.place] = true;
                }
            }
        }
        let one = self.network.number(1.0);
        let mut backwards = Backwards {
            gradients: vec![None; wanted.len()],
            wanted,
            tape: self,
        };
        backwards.gradients[number.place] = Some(one);
        for step in steps.iter().rev() {
            backwards.pass(step);
        }
        let gradients = backwards.gradients;
        let of = |tensor: &Tensor| gradients[tensor.place].clone();
        let found: Option<Vec<Edge>> = with.iter().map(of).collect();
        let found = found.expect("the number depends on all of them");
        let found = found.into_iter().zip(with);
        let found: Vec<Tensor> = found
            .map(|(edge, tensor)| self.tensor(edge, &tensor.shape))
            .collect();
        self.steps = steps;
        found
    }
}

impl Step {
    /// Inputs and outputs.
    fn ends(&self) -> (Vec<&Tensor>, Vec<&Tensor>) {
        match self {
            Self::Add(a, b, y)
            | Self::Subtract(a, b, y)
            | Self::Multiply(a, b, y)
            | Self::LogAddExp(a, b, y) => (vec![a, b], vec![y]),
            Self::Tanh(x, y)
            | Self::Sigmoid(x, y)
            | Self::Magnitude(x, y)
            | Self::Part(x, y, _)
            | Self::Reshape(x, y)
            | Self::Total(x, y) => (vec![x], vec![y]),
            Self::Halves(x, [first, second]) => (vec![x], vec![first, second]),
            Self::Convolution(of) => (vec![&of.x, &of.kernel, &of.bias], vec![&of.y]),
        }
    }
}

impl Backwards<'_> {
    fn pass(&mut self, step: &Step) {
        match step {
            Step::Add(a, b, y) => {
                let Some(g) = self.of(y) else { return };
                self.give_reduced(a, &g, y);
                self.give_reduced(b, &g, y);
            }
            Step::Subtract(a, b, y) => {
                let Some(g) = self.of(y) else { return };
                self.give_reduced(a, &g, y);
                if self.wanted[b.place] {
                    let g = self.apply("Neg", &[&g]);
                    self.give_reduced(b, &g, y);
                }
            }
            Step::Multiply(a, b, y) => {
                let Some(g) = self.of(y) else { return };
                for (to, factor) in [(a, b), (b, a)] {
                    if self.wanted[to.place] {
                        let g = self.apply("Mul", &[&g, &factor.edge]);
                        self.give_reduced(to, &g, y);
                    }
                }
            }
            Step::Tanh(x, y) => {
                let Some(g) = self.of(y) else { return };
                // 1 - tanh².
                let squared = self.apply("Mul", &[&y.edge, &y.edge]);
                let one = self.tape.network.number(1.0);
                let slope = self.apply("Sub", &[&one, &squared]);
                let g = self.apply("Mul", &[&g, &slope]);
                self.give(x, g);
            }
            Step::Sigmoid(x, y) => {
                let Some(g) = self.of(y) else { return };
                // s (1 - s).
                let one = self.tape.network.number(1.0);
                let rest = self.apply("Sub", &[&one, &y.edge]);
                let slope = self.apply("Mul", &[&y.edge, &rest]);
                let g = self.apply("Mul", &[&g, &slope]);
                self.give(x, g);
            }
            Step::Magnitude(x, y) => {
                let Some(g) = self.of(y) else { return };
                let sign = self.apply("Sign", &[&x.edge]);
                let g = self.apply("Mul", &[&g, &sign]);
                self.give(x, g);
            }
            Step::LogAddExp(a, b, y) => {
                let Some(g) = self.of(y) else { return };
                for (to, other) in [(a, b), (b, a)] {
                    if self.wanted[to.place] {
                        let apart = self.apply("Sub", &[&to.edge, &other.edge]);
                        let share = self.apply("Sigmoid", &[&apart]);
                        let g = self.apply("Mul", &[&g, &share]);
                        self.give(to, g);
                    }
                }
            }
            Step::Part(x, y, (axis, from)) => {
                let Some(g) = self.of(y) else { return };
                let behind = x.shape[*axis] - from - y.shape[*axis];
                let g = self.padded(&g, x.shape.len(), *axis, (*from, behind));
                self.give(x, g);
            }
            Step::Halves(x, [first, second]) => {
                let (Some(a), Some(b)) = (self.of(first), self.of(second)) else {
                    return;
                };
                let axis = [("axis", Attribute::Int(1))];
                let network = &mut self.tape.network;
                let g = network.apply_with("Concat", &[&a, &b], &axis);
                self.give(x, g);
            }
            Step::Reshape(x, y) => {
                let Some(g) = self.of(y) else { return };
                let g = self.tape.reshape(&g, &x.shape);
                self.give(x, g);
            }
            Step::Convolution(of) => {
                let Some(g) = self.of(&of.y) else { return };
                self.convolution(of, &g);
            }
            Step::Total(x, y) => {
                let Some(g) = self.of(y) else { return };
                let lengths: Vec<i64> = x.shape.iter().map(|length| *length as i64).collect();
                let lengths = self.tape.network.integers(&lengths);
                let g = self.apply("Expand", &[&g, &lengths]);
                self.give(x, g);
            }
        }
    }

    fn convolution(&mut self, of: &Convolution, g: &Edge) {
        let (taps, dilation) = (of.kernel.shape[2], of.dilation);
        let pad = (taps - 1) / 2 * dilation;
        if self.wanted[of.x.place] {
            let attributes = [
                ("dilations", Attribute::Ints(&[dilation as i64])),
                ("pads", Attribute::Ints(&[pad as i64, pad as i64])),
            ];
            let network = &mut self.tape.network;
            let inputs = [g, &of.kernel.edge];
            let to_x = network.apply_with("ConvTranspose", &inputs, &attributes);
            self.give(&of.x, to_x);
        }
        if self.wanted[of.kernel.place] {
            let kernel = self.of_kernel(of, g, pad);
            self.give(&of.kernel, kernel);
        }
        if self.wanted[of.bias.place] {
            let axes = self.tape.network.integers(&[0, 2]);
            let network = &mut self.tape.network;
            let no_axis = [("keepdims", Attribute::Int(0))];
            let bias = network.apply_with("ReduceSum", &[g, &axes], &no_axis);
            self.give(&of.bias, bias);
        }
    }

    /// One product of matrices for all taps: the input, shifted by each tap, with the gradient. ONNX Runtime computes it faster than a
    /// convolution with swapped axes.
    fn of_kernel(&mut self, of: &Convolution, g: &Edge, pad: u64) -> Edge {
        let &[batch, channels, length] = &of.x.shape[..] else {
            unreachable!("what is convolved has three axes")
        };
        let (out, taps) = (of.kernel.shape[0], of.kernel.shape[2]);
        let moved = if taps == 1 {
            of.x.edge.clone()
        } else {
            let padded = self.padded(&of.x.edge, 3, 2, (pad, pad));
            let parts = (0..taps).map(|tap| (tap * of.dilation, length));
            let parts = parts.map(|part| self.tape.slice(&padded, 2, part));
            let parts: Vec<Edge> = parts.collect();
            let parts: Vec<&Edge> = parts.iter().collect();
            let axis = [("axis", Attribute::Int(1))];
            self.tape.network.apply_with("Concat", &parts, &axis)
        };
        let moved = self.turned(&moved, &[0, 2, 1]);
        let moved = self
            .tape
            .reshape(&moved, &[batch * length, taps * channels]);
        let g = self.turned(g, &[1, 0, 2]);
        let g = self.tape.reshape(&g, &[out, batch * length]);
        let product = self.apply("MatMul", &[&g, &moved]);
        let product = self.tape.reshape(&product, &[out, taps, channels]);
        self.turned(&product, &[0, 2, 1])
    }

    /// The gradient of a tensor, if anything needs it.
    fn of(&self, tensor: &Tensor) -> Option<Edge> {
        let is_wanted = self.wanted[tensor.place];
        self.gradients[tensor.place].clone().filter(|_| is_wanted)
    }

    /// Adds to the gradient of a tensor.
    fn give(&mut self, to: &Tensor, gradient: Edge) {
        if !self.wanted[to.place] {
            return;
        }
        let sum = match self.gradients[to.place].take() {
            Some(so_far) => self.apply("Add", &[&so_far, &gradient]),
            None => gradient,
        };
        self.gradients[to.place] = Some(sum);
    }

    /// Adds to the gradient of a tensor that was repeated to the shape of `y`: the gradients of its repetitions are summed.
    fn give_reduced(&mut self, to: &Tensor, gradient: &Edge, y: &Tensor) {
        if !self.wanted[to.place] {
            return;
        }
        let offset = y.shape.len() - to.shape.len();
        let repeated = |axis: &usize| {
            let own = axis.checked_sub(offset).map(|axis| to.shape[axis]);
            own != Some(y.shape[*axis])
        };
        let axes: Vec<i64> = (0..y.shape.len())
            .filter(repeated)
            .map(|axis| axis as i64)
            .collect();
        let mut gradient = gradient.clone();
        if !axes.is_empty() {
            let axes = self.tape.network.integers(&axes);
            gradient = self.apply("ReduceSum", &[&gradient, &axes]);
            if offset > 0 {
                gradient = self.tape.reshape(&gradient, &to.shape);
            }
        }
        self.give(to, gradient);
    }

    fn apply(&mut self, operator: &str, inputs: &[&Edge]) -> Edge {
        self.tape.network.apply(operator, inputs)
    }

    fn turned(&mut self, x: &Edge, order: &[i64]) -> Edge {
        let order = [("perm", Attribute::Ints(order))];
        self.tape.network.apply_with("Transpose", &[x], &order)
    }

    /// Adds zeros at both ends of an axis.
    fn padded(&mut self, x: &Edge, axes: usize, axis: usize, (front, behind): (u64, u64)) -> Edge {
        let mut pads = vec![0_i64; 2 * axes];
        pads[axis] = front as i64;
        pads[axes + axis] = behind as i64;
        let pads = self.tape.network.integers(&pads);
        self.apply("Pad", &[x, &pads])
    }
}
