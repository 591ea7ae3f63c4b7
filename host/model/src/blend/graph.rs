use super::tensor::{Tensor, TensorError};
use vocalhost_onnx::number;
use vocalhost_onnx::wire::{Field, WireError, fields, put_bytes};

/// An ONNX file, parsed as far as a blend needs.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    /// The fields of the model, including the graph.
    file: Vec<Field<'a>>,
    /// The fields of the graph, in the order of the file.
    parts: Vec<Field<'a>>,
    /// Its initialisers, in the order of the file.
    pub(super) tensors: Vec<Tensor<'a>>,
}

/// Why a file is not a graph that can be blended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum GraphError {
    /// The encoding is broken.
    #[error("the graph is damaged: {0}")]
    Wire(#[from] WireError),
    /// An initialiser is broken.
    #[error(transparent)]
    Tensor(TensorError),
    /// The file has no graph, or two.
    #[error("the file holds {0} graphs instead of one")]
    Graphs(usize),
}

impl From<TensorError> for GraphError {
    fn from(error: TensorError) -> Self {
        match error {
            TensorError::Wire(error) => Self::Wire(error),
            error => Self::Tensor(error),
        }
    }
}

impl<'a> Graph<'a> {
    /// Parses an ONNX file.
    pub(super) fn parse(file: &'a [u8]) -> Result<Self, GraphError> {
        let file: Vec<Field<'a>> = fields(file).collect::<Result<_, _>>()?;
        let graphs: Vec<&Field<'a>> = of(&file, number::MODEL_GRAPH).collect();
        let [graph] = graphs[..] else {
            return Err(GraphError::Graphs(graphs.len()));
        };
        let parts: Vec<Field<'a>> = fields(graph.bytes()?).collect::<Result<_, _>>()?;
        let tensors = of(&parts, number::GRAPH_INITIALIZER)
            .map(|tensor| Ok(Tensor::parse(tensor.bytes()?)?))
            .collect::<Result<_, GraphError>>()?;
        Ok(Self {
            file,
            parts,
            tensors,
        })
    }

    /// Whether all weights are finite numbers.
    pub(super) fn is_finite(&self) -> bool {
        self.tensors.iter().all(Tensor::is_finite)
    }

    /// The operator versions that it uses.
    pub(super) fn opset_imports(&self) -> Result<Vec<&'a [u8]>, WireError> {
        messages(&self.file, number::MODEL_OPSET_IMPORT)
    }

    /// The functions that it defines.
    pub(super) fn functions(&self) -> Result<Vec<&'a [u8]>, WireError> {
        messages(&self.file, number::MODEL_FUNCTIONS)
    }

    /// Its operations, in the order in which they run.
    pub(super) fn nodes(&self) -> Result<Vec<&'a [u8]>, WireError> {
        messages(&self.parts, number::GRAPH_NODE)
    }

    /// Its inputs.
    pub(super) fn inputs(&self) -> Result<Vec<&'a [u8]>, WireError> {
        messages(&self.parts, number::GRAPH_INPUT)
    }

    /// Its outputs.
    pub(super) fn outputs(&self) -> Result<Vec<&'a [u8]>, WireError> {
        messages(&self.parts, number::GRAPH_OUTPUT)
    }

    /// Sparse initialisers; no known voice has them, so they are compared but not interpolated.
    pub(super) fn sparse_tensors(&self) -> Result<Vec<&'a [u8]>, WireError> {
        messages(&self.parts, number::GRAPH_SPARSE_INITIALIZER)
    }

    /// The file with the initialisers replaced by the messages in `tensors`, where one is given. Nothing else changes,
    /// to the byte.
    pub(super) fn with_tensors(&self, tensors: &[Option<Vec<u8>>]) -> Vec<u8> {
        let mut graph = Vec::new();
        let mut tensors = tensors.iter();
        for field in &self.parts {
            let replacement = match field.number {
                number::GRAPH_INITIALIZER => tensors.next().and_then(Option::as_ref),
                _ => None,
            };
            match replacement {
                Some(tensor) => put_bytes(&mut graph, number::GRAPH_INITIALIZER, tensor),
                None => graph.extend_from_slice(field.encoded),
            }
        }
        let mut file = Vec::with_capacity(graph.len() + 1_024);
        for field in &self.file {
            if field.number == number::MODEL_GRAPH {
                put_bytes(&mut file, number::MODEL_GRAPH, &graph);
            } else {
                file.extend_from_slice(field.encoded);
            }
        }
        file
    }
}

fn of<'f, 'a>(fields: &'f [Field<'a>], number: u32) -> impl Iterator<Item = &'f Field<'a>> {
    fields.iter().filter(move |field| field.number == number)
}

fn messages<'a>(fields: &[Field<'a>], number: u32) -> Result<Vec<&'a [u8]>, WireError> {
    of(fields, number).map(Field::bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tiny::{TinyGraph, TinyTensor};
    use super::*;

    #[test]
    fn a_file_without_changes_is_written_as_it_was() {
        let file = TinyGraph::with(vec![TinyTensor::singles("w", &[1.0])]).file();
        let graph = Graph::parse(&file).expect("a graph");
        assert!(graph.with_tensors(&[None]) == file);
        assert!(graph.with_tensors(&[]) == file);
    }

    #[test]
    fn a_file_that_is_cut_anywhere_is_refused_or_has_fewer_fields() {
        let file = TinyGraph::with(vec![TinyTensor::singles("w", &[1.0])]).file();
        for end in 0..file.len() {
            if let Ok(graph) = Graph::parse(&file[..end]) {
                assert!(graph.with_tensors(&[]) == file[..end], "cut at {end}");
            }
        }
        assert_eq!(
            Graph::parse(&[]).expect_err("no graph"),
            GraphError::Graphs(0)
        );
    }
}
