use crate::torch::{TorchFile, Values};

use super::fault::DrawFault;
use super::weights::Weights;
use super::{Attribute, DataType, Edge, Network};

/// A graph in the making: operations are added to the network, and each layer fetches its weights from the checkpoint by the name
/// that they have there. They keep that name in the graph, so that voices blend name by name.
pub(crate) struct Layers<'a, A> {
    pub(crate) network: Network,
    /// The dimensions of what is drawn.
    pub(crate) architecture: &'a A,
    pub(crate) weights: Weights,
    pub(crate) file: &'a mut TorchFile,
    /// Whether the graph holds every weight in single precision and nothing widens it.
    in_singles: bool,
}

impl<'a, A> Layers<'a, A> {
    /// Begins a graph.
    pub(crate) fn new(file: &'a mut TorchFile, weights: Weights, architecture: &'a A) -> Self {
        Self {
            network: Network::default(),
            architecture,
            weights,
            file,
            in_singles: false,
        }
    }

    /// Holds every weight in single precision, whatever the file has: the code that makes graphs lighter knows only weights that
    /// are used directly.
    pub(crate) fn in_singles(self) -> Self {
        Self {
            in_singles: true,
            ..self
        }
    }

    /// A weight, in single precision. What is stored in half precision stays so in the file and is widened by the graph; that
    /// operation is always there, except in a graph that is [`Layers::in_singles`], so that networks of either precision have the
    /// same operations.
    pub(crate) fn weight(&mut self, key: &str, dims: &[u64]) -> Result<Edge, DrawFault> {
        let values = self.values(key, dims)?;
        Ok(self.stored(key, (values, dims)))
    }

    /// The numbers of a weight that must have these dimensions.
    pub(crate) fn values(&mut self, key: &str, dims: &[u64]) -> Result<Values, DrawFault> {
        self.weights.read(self.file, key, dims)
    }

    /// Numbers as a weight of the graph.
    pub(crate) fn stored(&mut self, key: &str, (values, dims): (Values, &[u64])) -> Edge {
        if self.in_singles {
            let bytes = match values {
                Values::F32(bytes) => bytes,
                halves @ Values::F16(_) => single_bytes(&halves),
            };
            return self.network.initializer(key, DataType::F32, dims, &bytes);
        }
        let stored = match &values {
            Values::F16(bytes) => self.network.initializer(key, DataType::F16, dims, bytes),
            Values::F32(bytes) => self.network.initializer(key, DataType::F32, dims, bytes),
        };
        let single = [("to", Attribute::Int(DataType::F32 as i64))];
        self.network.apply_with("Cast", &[&stored], &single)
    }

    /// `x` where it is positive, `slope` times it elsewhere.
    pub(crate) fn leaky(&mut self, input: &Edge, slope: f32) -> Edge {
        let slope = [("alpha", Attribute::Float(slope))];
        self.network.apply_with("LeakyRelu", &[input], &slope)
    }

    /// The product with a number.
    pub(crate) fn scaled(&mut self, input: &Edge, factor: f32) -> Edge {
        let factor = self.network.number(factor);
        self.network.apply("Mul", &[input, &factor])
    }

    /// The axes in another order.
    pub(crate) fn transposed(&mut self, input: &Edge, order: &[i64]) -> Edge {
        let order = [("perm", Attribute::Ints(order))];
        self.network.apply_with("Transpose", &[input], &order)
    }

    /// Other dimensions for the same numbers; one of them may be -1, which is what is left.
    pub(crate) fn reshaped(&mut self, input: &Edge, shape: &[i64]) -> Edge {
        let shape = self.network.integers(shape);
        self.network.apply("Reshape", &[input, &shape])
    }

    /// Numbers as another type.
    pub(crate) fn cast(&mut self, input: &Edge, kind: DataType) -> Edge {
        let to = [("to", Attribute::Int(kind as i64))];
        self.network.apply_with("Cast", &[input], &to)
    }
}

fn single_bytes(values: &Values) -> Vec<u8> {
    let singles = values.singles().into_iter();
    singles.flat_map(f32::to_le_bytes).collect()
}
