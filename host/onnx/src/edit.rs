use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::message::opset_message;
use super::nodes::Constants;
use super::read::{OnnxFile, number};
use crate::wire::{fields, put_bytes, put_head};

/// Where the values of a weight are, if they are in another of the given files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    /// The weight's index among the graph's initialisers.
    pub initializer: usize,
    /// The file.
    pub file: PathBuf,
    /// Where in it they begin, in bytes.
    pub offset: u64,
    /// How many bytes they take.
    pub bytes: u64,
}

/// Changes to a file; what is not changed is written as it was, to the byte.
#[derive(Debug)]
pub struct Edit<'e, 'a> {
    file: &'e OnnxFile<'a>,
    /// The nodes that replace the one at an index.
    nodes: BTreeMap<usize, Vec<Vec<u8>>>,
    /// The messages that replace inputs and outputs, by name.
    ports: BTreeMap<String, Vec<u8>>,
    /// Added inputs.
    inputs: Vec<Vec<u8>>,
    /// Removed inputs.
    dropped: BTreeSet<String>,
    /// Nodes inserted before all others.
    first: Vec<Vec<u8>>,
    /// Added operator sets: domain and version.
    opsets: Vec<(&'static str, u64)>,
    /// Added weights.
    constants: Constants,
    /// Whether the declarations of intermediate tensors are removed.
    forgets_values: bool,
    external: Vec<External>,
}

/// A part of the output.
enum Piece<'p> {
    Borrowed(&'p [u8]),
    Owned(Vec<u8>),
    Range {
        file: PathBuf,
        offset: u64,
        bytes: u64,
    },
}

impl<'e, 'a> Edit<'e, 'a> {
    /// No changes, except that weights from other files are written into this one.
    pub fn new(file: &'e OnnxFile<'a>, external: Vec<External>) -> Self {
        Self {
            file,
            nodes: BTreeMap::new(),
            ports: BTreeMap::new(),
            inputs: Vec::new(),
            dropped: BTreeSet::new(),
            first: Vec::new(),
            opsets: Vec::new(),
            constants: Constants::of(file, "constant"),
            forgets_values: false,
            external,
        }
    }

    /// Replaces a node by others.
    pub fn replace_node(&mut self, place: usize, nodes: Vec<Vec<u8>>) {
        self.nodes.insert(place, nodes);
    }

    /// Replaces the message of an input or an output.
    pub fn replace_port(&mut self, name: &str, message: Vec<u8>) {
        self.ports.insert(name.to_owned(), message);
    }

    /// Adds an input.
    pub fn add_input(&mut self, message: Vec<u8>) {
        self.inputs.push(message);
    }

    /// Turns an input into a tensor that these nodes make.
    pub fn make_input(&mut self, name: &str, nodes: Vec<Vec<u8>>) {
        self.dropped.insert(name.to_owned());
        self.first.extend(nodes);
    }

    /// The added weights, for new nodes to use. Files older than version 4 of the format have no place for them.
    pub fn constants(&mut self) -> &mut Constants {
        &mut self.constants
    }

    /// Declares the operator set that nodes belong to, if the file does not.
    pub fn use_operators(&mut self, domain: &'static str, version: u64) {
        let mut known = self.file.opsets.iter();
        let is_known = known.any(|(known, _)| *known == domain);
        if !is_known && !self.opsets.contains(&(domain, version)) {
            self.opsets.push((domain, version));
        }
    }

    /// Removes the graph's declarations of intermediate tensors, which follow from the rest.
    pub fn forget_values(&mut self) {
        self.forgets_values = true;
    }

    /// Size of the written file in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        length(&self.pieces())
    }

    /// Writes the file.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for piece in self.pieces() {
            match piece {
                Piece::Borrowed(bytes) => out.write_all(bytes)?,
                Piece::Owned(bytes) => out.write_all(&bytes)?,
                Piece::Range {
                    file,
                    offset,
                    bytes,
                } => {
                    let mut source = File::open(file)?;
                    source.seek(SeekFrom::Start(offset))?;
                    let copied = io::copy(&mut source.take(bytes), out)?;
                    if copied != bytes {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
            }
        }
        Ok(())
    }

    fn pieces(&self) -> Vec<Piece<'_>> {
        let graph = self.graph();
        let mut file = Vec::new();
        let mut graph = Some(graph);
        for field in &self.file.fields {
            if field.number == number::MODEL_GRAPH {
                let pieces = graph.take().unwrap_or_default();
                file.push(head(number::MODEL_GRAPH, length(&pieces)));
                file.extend(pieces);
            } else {
                file.push(Piece::Borrowed(field.encoded));
            }
        }
        let opsets = self.opsets.iter();
        file.extend(opsets.map(|(domain, version)| {
            let message = opset_message(domain, *version);
            owned(number::MODEL_OPSET_IMPORT, &message)
        }));
        file
    }

    fn graph(&self) -> Vec<Piece<'_>> {
        let external: BTreeMap<usize, &External> = self
            .external
            .iter()
            .map(|external| (external.initializer, external))
            .collect();
        let (mut nodes, mut initializers, mut inputs, mut outputs) = (0, 0, 0, 0);
        let first = self.first.iter();
        let mut pieces: Vec<_> = first.map(|node| owned(number::GRAPH_NODE, node)).collect();
        let next = |counter: &mut usize| {
            *counter += 1;
            *counter - 1
        };
        for field in &self.file.graph_fields {
            let as_it_was = Piece::Borrowed(field.encoded);
            match field.number {
                number::GRAPH_NODE => match self.nodes.get(&next(&mut nodes)) {
                    Some(others) => {
                        pieces.extend(others.iter().map(|node| owned(field.number, node)));
                    }
                    None => pieces.push(as_it_was),
                },
                number::GRAPH_INITIALIZER => {
                    let place = next(&mut initializers);
                    match external.get(&place) {
                        Some(external) => pieces.extend(self.inlined(place, external)),
                        None => pieces.push(as_it_was),
                    }
                }
                number::GRAPH_INPUT => {
                    let name = self.file.graph.inputs[next(&mut inputs)].name;
                    if self.dropped.contains(name) {
                        continue;
                    }
                    pieces.push(self.port(field.number, name).unwrap_or(as_it_was));
                }
                number::GRAPH_OUTPUT => {
                    let name = self.file.graph.outputs[next(&mut outputs)].name;
                    pieces.push(self.port(field.number, name).unwrap_or(as_it_was));
                }
                number::GRAPH_VALUE_INFO if self.forgets_values => {}
                _ => pieces.push(as_it_was),
            }
        }
        let added = self.inputs.iter();
        pieces.extend(added.map(|input| owned(number::GRAPH_INPUT, input)));
        let constants = self.constants.messages().iter();
        pieces.extend(constants.map(|one| owned(number::GRAPH_INITIALIZER, one)));
        pieces
    }

    fn port(&self, field: u32, name: &str) -> Option<Piece<'_>> {
        Some(owned(field, self.ports.get(name)?))
    }

    /// A weight whose own message holds the values from another file.
    fn inlined(&self, place: usize, external: &External) -> Vec<Piece<'_>> {
        let elsewhere = [
            number::TENSOR_EXTERNAL_DATA,
            number::TENSOR_DATA_LOCATION,
            number::TENSOR_RAW_DATA,
        ];
        let mut tensor = Vec::new();
        // The message was read before, so every field is valid.
        let parts = fields(self.file.graph.initializers[place].message).flatten();
        for part in parts.filter(|part| !elsewhere.contains(&part.number)) {
            tensor.extend_from_slice(part.encoded);
        }
        put_head(&mut tensor, number::TENSOR_RAW_DATA, external.bytes);
        let values = Piece::Range {
            file: external.file.clone(),
            offset: external.offset,
            bytes: external.bytes,
        };
        let bytes = tensor.len() as u64 + external.bytes;
        vec![
            head(number::GRAPH_INITIALIZER, bytes),
            Piece::Owned(tensor),
            values,
        ]
    }
}

fn head<'p>(number: u32, bytes: u64) -> Piece<'p> {
    let mut head = Vec::new();
    put_head(&mut head, number, bytes);
    Piece::Owned(head)
}

fn owned<'p>(number: u32, message: &[u8]) -> Piece<'p> {
    let mut field = Vec::new();
    put_bytes(&mut field, number, message);
    Piece::Owned(field)
}

fn length(pieces: &[Piece<'_>]) -> u64 {
    let bytes = pieces.iter().map(|piece| match piece {
        Piece::Borrowed(bytes) => bytes.len() as u64,
        Piece::Owned(bytes) => bytes.len() as u64,
        Piece::Range { bytes, .. } => *bytes,
    });
    bytes.sum()
}
