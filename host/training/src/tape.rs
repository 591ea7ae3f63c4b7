//! A network built as a graph while every operation is recorded, so that the gradients of its result can be appended in plain ONNX
//! operators (reverse accumulation: Griewank and Walther, "Evaluating Derivatives", 2008, chapter 3).

use std::io;

use vocalhost_onnx::{Attribute, DataType, Edge, Length, Network};

/// A tensor of the graph with known dimensions.
#[derive(Debug, Clone)]
pub(crate) struct Tensor {
    pub(crate) edge: Edge,
    /// Its dimensions.
    pub(crate) shape: Vec<u64>,
    /// Its index among all tensors of the tape.
    pub(crate) place: usize,
}

/// An operation with its inputs and its output.
#[derive(Debug)]
pub(crate) enum Step {
    Add(Tensor, Tensor, Tensor),
    Subtract(Tensor, Tensor, Tensor),
    Multiply(Tensor, Tensor, Tensor),
    Tanh(Tensor, Tensor),
    Sigmoid(Tensor, Tensor),
    Magnitude(Tensor, Tensor),
    LogAddExp(Tensor, Tensor, Tensor),
    /// A slice along an axis, from an index on.
    Part(Tensor, Tensor, (usize, u64)),
    Halves(Tensor, [Tensor; 2]),
    Reshape(Tensor, Tensor),
    Convolution(Convolution),
    /// The sum of all values.
    Total(Tensor, Tensor),
}

/// A convolution along the last axis that keeps its length.
#[derive(Debug)]
pub(crate) struct Convolution {
    pub(crate) x: Tensor,
    pub(crate) kernel: Tensor,
    pub(crate) bias: Tensor,
    pub(crate) y: Tensor,
    pub(crate) dilation: u64,
}

/// A graph under construction.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    pub(crate) network: Network,
    pub(crate) steps: Vec<Step>,
    tensors: usize,
}

impl Tape {
    /// An input of the graph, in single precision.
    pub(crate) fn input(&mut self, name: &str, shape: &[u64]) -> Tensor {
        let lengths: Vec<Length<'_>> = shape.iter().map(|length| Length::Fixed(*length)).collect();
        let edge = self.network.input(name, DataType::F32, &lengths);
        self.tensor(edge, shape)
    }

    /// One number.
    pub(crate) fn number(&mut self, value: f32) -> Tensor {
        let edge = self.network.number(value);
        self.tensor(edge, &[])
    }

    /// Makes a tensor an output of the graph.
    pub(crate) fn output(&mut self, tensor: &Tensor, name: &str) {
        let lengths = tensor.shape.iter().map(|length| Length::Fixed(*length));
        let lengths: Vec<Length<'_>> = lengths.collect();
        self.network.output(&tensor.edge, name, &lengths);
    }

    /// The sum, with broadcasting: dimensions of 1 are repeated, and so are missing leading axes.
    pub(crate) fn add(&mut self, a: &Tensor, b: &Tensor) -> Tensor {
        let y = self.pair("Add", a, b);
        self.steps.push(Step::Add(a.clone(), b.clone(), y.clone()));
        y
    }

    /// The difference, with broadcasting as for a sum.
    pub(crate) fn subtract(&mut self, a: &Tensor, b: &Tensor) -> Tensor {
        let y = self.pair("Sub", a, b);
        self.steps
            .push(Step::Subtract(a.clone(), b.clone(), y.clone()));
        y
    }

    /// The elementwise product, with broadcasting as for a sum.
    pub(crate) fn multiply(&mut self, a: &Tensor, b: &Tensor) -> Tensor {
        let y = self.pair("Mul", a, b);
        self.steps
            .push(Step::Multiply(a.clone(), b.clone(), y.clone()));
        y
    }

    /// The hyperbolic tangent of every value.
    pub(crate) fn tanh(&mut self, x: &Tensor) -> Tensor {
        let y = self.each("Tanh", x);
        self.steps.push(Step::Tanh(x.clone(), y.clone()));
        y
    }

    /// The logistic function of every value.
    pub(crate) fn sigmoid(&mut self, x: &Tensor) -> Tensor {
        let y = self.each("Sigmoid", x);
        self.steps.push(Step::Sigmoid(x.clone(), y.clone()));
        y
    }

    /// The absolute value of every value.
    pub(crate) fn magnitude(&mut self, x: &Tensor) -> Tensor {
        let y = self.each("Abs", x);
        self.steps.push(Step::Magnitude(x.clone(), y.clone()));
        y
    }

    /// The logarithm of the sum of the exponentials of two tensors of the same shape.
    pub(crate) fn log_add_exp(&mut self, a: &Tensor, b: &Tensor) -> Tensor {
        let network = &mut self.network;
        let larger = network.apply("Max", &[&a.edge, &b.edge]);
        let apart = network.apply("Sub", &[&a.edge, &b.edge]);
        let apart = network.apply("Abs", &[&apart]);
        let apart = network.apply("Neg", &[&apart]);
        let share = network.apply("Exp", &[&apart]);
        let one = network.number(1.0);
        let share = network.apply("Add", &[&share, &one]);
        let share = network.apply("Log", &[&share]);
        let edge = network.apply("Add", &[&larger, &share]);
        let y = self.tensor(edge, &a.shape);
        self.steps
            .push(Step::LogAddExp(a.clone(), b.clone(), y.clone()));
        y
    }

    /// A slice of `length` along an axis, from an index on.
    pub(crate) fn part(&mut self, x: &Tensor, axis: usize, (from, length): (u64, u64)) -> Tensor {
        let edge = self.slice(&x.edge, axis, (from, length));
        let mut shape = x.shape.clone();
        shape[axis] = length;
        let y = self.tensor(edge, &shape);
        self.steps
            .push(Step::Part(x.clone(), y.clone(), (axis, from)));
        y
    }

    /// Both halves along the second axis, the channels.
    pub(crate) fn halves(&mut self, x: &Tensor) -> [Tensor; 2] {
        let mut shape = x.shape.clone();
        shape[1] /= 2;
        let (first, second) = self.network.halves(&x.edge, 1, shape[1]);
        let halves = [first, second].map(|edge| self.tensor(edge, &shape));
        self.steps.push(Step::Halves(x.clone(), halves.clone()));
        halves
    }

    /// The same values in another shape.
    pub(crate) fn reshaped(&mut self, x: &Tensor, shape: &[u64]) -> Tensor {
        let edge = self.reshape(&x.edge, shape);
        let y = self.tensor(edge, shape);
        self.steps.push(Step::Reshape(x.clone(), y.clone()));
        y
    }

    /// Convolves `x` `[batch, channels, length]` with an odd kernel `[channels out, channels, taps]`, and adds the bias `[channels
    /// out]`. There are zeros around, so the length stays.
    pub(crate) fn convolve(
        &mut self,
        x: &Tensor,
        (kernel, bias): (&Tensor, &Tensor),
        dilation: u64,
    ) -> Tensor {
        let pad = (kernel.shape[2] - 1) / 2 * dilation;
        let attributes = [
            ("dilations", Attribute::Ints(&[dilation as i64])),
            ("pads", Attribute::Ints(&[pad as i64, pad as i64])),
        ];
        let inputs = [&x.edge, &kernel.edge, &bias.edge];
        let edge = self.network.apply_with("Conv", &inputs, &attributes);
        let y = self.tensor(edge, &[x.shape[0], kernel.shape[0], x.shape[2]]);
        self.steps.push(Step::Convolution(Convolution {
            x: x.clone(),
            kernel: kernel.clone(),
            bias: bias.clone(),
            y: y.clone(),
            dilation,
        }));
        y
    }

    /// The sum of all values.
    pub(crate) fn total(&mut self, x: &Tensor) -> Tensor {
        let no_axis = [("keepdims", Attribute::Int(0))];
        let edge = self.network.apply_with("ReduceSum", &[&x.edge], &no_axis);
        let y = self.tensor(edge, &[]);
        self.steps.push(Step::Total(x.clone(), y.clone()));
        y
    }

    /// The graph as an ONNX file.
    ///
    /// # Errors
    /// None in practice: it is written into memory.
    pub(crate) fn written(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.network.write("training", &mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn tensor(&mut self, edge: Edge, shape: &[u64]) -> Tensor {
        self.tensors += 1;
        Tensor {
            edge,
            shape: shape.to_vec(),
            place: self.tensors - 1,
        }
    }

    pub(crate) fn slice(&mut self, x: &Edge, axis: usize, (from, length): (u64, u64)) -> Edge {
        let network = &mut self.network;
        let begin = network.integers(&[from as i64]);
        let end = network.integers(&[(from + length) as i64]);
        let axis = network.integers(&[axis as i64]);
        network.apply("Slice", &[x, &begin, &end, &axis])
    }

    pub(crate) fn reshape(&mut self, x: &Edge, shape: &[u64]) -> Edge {
        let lengths: Vec<i64> = shape.iter().map(|length| *length as i64).collect();
        let lengths = self.network.integers(&lengths);
        self.network.apply("Reshape", &[x, &lengths])
    }

    fn each(&mut self, operator: &str, x: &Tensor) -> Tensor {
        let edge = self.network.apply(operator, &[&x.edge]);
        self.tensor(edge, &x.shape)
    }

    fn pair(&mut self, operator: &str, a: &Tensor, b: &Tensor) -> Tensor {
        let edge = self.network.apply(operator, &[&a.edge, &b.edge]);
        let (long, short) = if a.shape.len() < b.shape.len() {
            (b, a)
        } else {
            (a, b)
        };
        let mut shape = long.shape.clone();
        let offset = shape.len() - short.shape.len();
        for (length, other) in shape[offset..].iter_mut().zip(&short.shape) {
            *length = (*length).max(*other);
        }
        self.tensor(edge, &shape)
    }
}
