use sha2::{Digest as _, Sha256};

use super::graph::{Graph, GraphError};
use super::same::canonical;
use super::speakers;
use crate::manifest::FileRole;
use crate::{ModelError, Package};

/// Bytes of the digest that are kept: enough that no two structures on a server collide by chance.
const DIGEST_BYTES: usize = 16;

impl Package {
    /// A digest of what the graph of a voice computes apart from its weights, in hexadecimal digits: voices can be blended if their digests
    /// are equal. None for a graph that cannot be blended.
    ///
    /// # Errors
    /// When the graph is not what the manifest says.
    pub fn structure(&self) -> Result<Option<String>, ModelError> {
        let (_, file) = self.read(FileRole::Graph)?;
        Ok(Graph::parse(&file).and_then(|graph| structure(&graph)).ok())
    }
}

/// Tensors with fewer values than this, such as a scale or a shape, do not distinguish networks.
const LEAST_WEIGHTS: u64 = 64;

/// A digest of the weights of a graph, regardless of their names and order; `None` where there are none or they cannot be read.
pub(crate) fn weights_digest(file: &[u8]) -> Option<Vec<u8>> {
    let graph = Graph::parse(file).ok()?;
    let weights = graph.tensors.iter().filter(|tensor| {
        let count: u64 = tensor.dims.iter().product();
        tensor.float().is_some() && count >= LEAST_WEIGHTS
    });
    let digests = weights.map(|tensor| Some(Sha256::digest(tensor.values().ok()?)));
    let mut digests: Vec<_> = digests.collect::<Option<_>>()?;
    if digests.is_empty() {
        return None;
    }
    digests.sort_unstable();
    let mut whole = Sha256::new();
    for digest in digests {
        whole.update(digest);
    }
    Some(whole.finalize().to_vec())
}

fn structure(graph: &Graph<'_>) -> Result<String, GraphError> {
    let mut digest = Sha256::new();
    let mut put = |text: &[u8]| {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    };
    for part in canonical(graph)? {
        put(&part);
    }
    let mut tensors: Vec<_> = graph.tensors.iter().collect();
    tensors.sort_by(|a, b| a.name.cmp(&b.name));
    for tensor in tensors {
        put(tensor.name.as_bytes());
        let rows = usize::from(speakers::is_table(tensor));
        for dim in &tensor.dims[rows.min(tensor.dims.len())..] {
            put(&dim.to_le_bytes());
        }
        // Voices differ in their weights and in the width that these are stored in.
        if tensor.float().is_none() {
            put(tensor.shape_text().as_bytes());
            put(&tensor.values()?);
        }
    }
    let digest = digest.finalize();
    Ok(base16ct::lower::encode_string(&digest[..DIGEST_BYTES]))
}

#[cfg(test)]
mod tests {
    use super::super::tiny::{TinyGraph, TinyTensor};
    use super::*;

    fn of(change: impl FnOnce(&mut TinyGraph)) -> String {
        let mut graph = TinyGraph::with(vec![
            TinyTensor::singles("w", &[1.0, 2.0]),
            TinyTensor::integers("axes", &[1]),
        ]);
        change(&mut graph);
        let file = graph.file();
        structure(&Graph::parse(&file).expect("a graph")).expect("readable")
    }

    #[test]
    fn it_is_that_of_every_graph_that_blends_and_of_no_other() {
        let plain = of(|_| {});
        assert_eq!(plain.len(), 2 * DIGEST_BYTES);
        let same = of(|graph| {
            graph.producer = "somebody else";
            graph.nodes[1].name = "renamed";
            graph.tensors[0] = TinyTensor::singles("w", &[-5.0, 0.5]);
            graph.tensors.reverse();
        });
        assert_eq!(same, plain);
        let others: [fn(&mut TinyGraph); 7] = [
            |graph| graph.opset = 18,
            |graph| graph.input = "z",
            |graph| graph.nodes[1].operator = "Split",
            |graph| graph.nodes[0].inputs = vec!["x", "v"],
            |graph| graph.nodes[1].axis = 2,
            |graph| graph.tensors[0] = TinyTensor::singles("w", &[1.0]),
            |graph| graph.tensors[1] = TinyTensor::integers("axes", &[2]),
        ];
        for (place, change) in others.into_iter().enumerate() {
            assert_ne!(of(change), plain, "{place}");
        }
    }
}
