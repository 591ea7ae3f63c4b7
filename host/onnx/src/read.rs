use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};

use super::Fault;
use super::message::{Dim, Element};
pub(crate) use super::number;
use super::order::put_in_order;
use super::places::Places;
use crate::form::check_form;
use crate::wire::{Field, Value, fields};
use vocalhost_letters::words::{plain, quoted};

/// The most messages and fields that are kept of a file; graphs of voices and separators have about ten thousand.
const MAX_ITEMS: usize = 2_000_000;
/// How deep bodies of loops and branches may be nested; exporters write two levels at most.
const MAX_DEPTH: usize = 8;
/// The most whole numbers of an attribute or dimensions of a tensor.
const MAX_INTEGERS: usize = 65_536;
/// The most characters of an operator's name in messages.
const MAX_OPERATOR: usize = 100;
/// The longest name; exporters derive names from a module's path.
const MAX_NAME_BYTES: usize = 4_096;

/// A parsed ONNX file.
#[derive(Debug)]
pub struct OnnxFile<'a> {
    /// The fields of the model, its graph among them, in the order of the file.
    pub fields: Vec<Field<'a>>,
    /// The fields of its graph, in the order of the file.
    pub graph_fields: Vec<Field<'a>>,
    /// Version of the format.
    pub ir_version: u64,
    /// The operator sets that it uses: domain and version.
    pub opsets: Vec<(&'a str, u64)>,
    /// Number of operators that it defines.
    pub functions: usize,
    /// Number of training descriptions.
    pub trainings: usize,
    /// Metadata from its maker.
    pub metadata: BTreeMap<&'a str, &'a str>,
    /// Its graph.
    pub graph: Graph<'a>,
    pub(crate) places: OnceCell<Places<'a>>,
}

/// A graph, or the body of a loop or a branch.
#[derive(Debug, Default)]
pub struct Graph<'a> {
    /// Its operations, in execution order.
    pub nodes: Vec<Node<'a>>,
    /// Its weights and constants.
    pub initializers: Vec<Initializer<'a>>,
    /// Its inputs; in old files initialisers as well.
    pub inputs: Vec<Port<'a>>,
    /// Its outputs.
    pub outputs: Vec<Port<'a>>,
    /// Declarations of intermediate tensors.
    pub values: Vec<Port<'a>>,
    /// Number of sparse weights.
    pub sparse: usize,
}

/// An operation.
#[derive(Debug, Default)]
pub struct Node<'a> {
    /// Its name, which may be empty.
    pub name: &'a str,
    /// Its operator.
    pub operator: &'a str,
    /// Domain of the operator; empty for ONNX's own.
    pub domain: &'a str,
    /// Its inputs; an empty name is an omitted input.
    pub inputs: Vec<&'a str>,
    /// Its outputs.
    pub outputs: Vec<&'a str>,
    /// Its attributes.
    pub attributes: Vec<Attribute<'a>>,
}

/// An attribute of an operation.
#[derive(Debug, Default)]
pub struct Attribute<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value, if it is a float.
    pub float: Option<f32>,
    /// Its value, if it is a whole number.
    pub int: Option<i64>,
    /// Its value, if it is a text.
    pub text: &'a [u8],
    /// Its values, if they are whole numbers.
    pub ints: Vec<i64>,
    /// Its tensors.
    pub tensors: Vec<Initializer<'a>>,
    /// Number of its sparse tensors.
    pub sparse: usize,
    /// Its graphs: bodies of loops and branches.
    pub graphs: Vec<Graph<'a>>,
}

/// A tensor with its values.
#[derive(Debug, Default)]
pub struct Initializer<'a> {
    /// Its name.
    pub name: &'a str,
    /// The type of its values.
    pub element: Element,
    /// Its dimensions.
    pub dims: Vec<u64>,
    /// Its values, little-endian, if they are stored as raw bytes.
    pub raw: Option<&'a [u8]>,
    /// Number of values that are stored in lists instead.
    pub listed: usize,
    /// Where its values are when they are in another file: keys and values.
    pub external: Option<BTreeMap<&'a str, &'a str>>,
    /// Whether it is one segment of several, which no program writes.
    pub is_segment: bool,
    /// The whole message.
    pub message: &'a [u8],
}

/// An input, an output, or the declaration of a tensor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Port<'a> {
    /// Its name.
    pub name: &'a str,
    /// The type of its values, if it is a tensor.
    pub element: Element,
    /// Its dimensions, when they are declared.
    pub dims: Option<Vec<Dim<'a>>>,
    /// Whether it is a tensor rather than a list or a map.
    pub is_tensor: bool,
}

impl<'a> OnnxFile<'a> {
    /// Parses a file.
    ///
    /// # Errors
    /// When it is no ONNX file, is damaged, does not have ONNX's form, or has more items than any real one.
    pub fn parse(file: &'a [u8]) -> Result<Self, Fault> {
        check_form(file).map_err(Fault::new)?;
        let mut reader = Reader { left: MAX_ITEMS };
        let mut model = Self {
            fields: Vec::new(),
            graph_fields: Vec::new(),
            ir_version: 0,
            opsets: Vec::new(),
            functions: 0,
            trainings: 0,
            metadata: BTreeMap::new(),
            graph: Graph::default(),
            places: OnceCell::new(),
        };
        let mut graphs = 0;
        for field in fields(file) {
            let field = reader.count(field?)?;
            match field.number {
                number::MODEL_IR_VERSION => model.ir_version = field.varint()?,
                number::MODEL_GRAPH => {
                    graphs += 1;
                    model.graph_fields = reader.list(field.bytes()?)?;
                    model.graph = reader.graph(&model.graph_fields, 0)?;
                }
                number::MODEL_OPSET_IMPORT => model.opsets.push(reader.opset(field.bytes()?)?),
                number::MODEL_METADATA => {
                    let (key, value) = reader.entry(field.bytes()?)?;
                    model.metadata.insert(key, value);
                }
                number::MODEL_TRAINING => model.trainings += 1,
                number::MODEL_FUNCTIONS => model.functions += 1,
                _ => {}
            }
            model.fields.push(field);
        }
        if graphs == 1 {
            put_in_order(&mut model);
            return Ok(model);
        }
        Err(Fault::new(format!("holds {graphs} graphs instead of one")))
    }

    /// Its inputs, without those that have a value already.
    pub fn inputs(&self) -> Vec<&Port<'a>> {
        let initializers = self.graph.initializers.iter();
        let valued: HashSet<&str> = initializers.map(|tensor| tensor.name).collect();
        let inputs = self.graph.inputs.iter();
        inputs.filter(|port| !valued.contains(port.name)).collect()
    }

    /// Whether weights need not be listed as inputs as well; before version 4 of the format they must be.
    pub fn keeps_weights_apart(&self) -> bool {
        self.ir_version >= 4
    }

    /// The version of ONNX's own operators.
    pub fn standard_opset(&self) -> Option<u64> {
        let mut opsets = self.opsets.iter();
        let standard = opsets.find(|(domain, _)| is_standard(domain));
        standard.map(|(_, version)| *version)
    }

    /// The messages of its nodes, in their order.
    pub fn node_messages(&self) -> Vec<&'a [u8]> {
        let nodes = self.graph_fields.iter();
        let nodes = nodes.filter(|field| field.number == number::GRAPH_NODE);
        nodes.filter_map(|node| node.bytes().ok()).collect()
    }

    /// Whether values of weights are in other files.
    pub fn has_weights_elsewhere(&self) -> bool {
        let mut weights = self.graph.initializers.iter();
        weights.any(|weight| weight.external.is_some())
    }
}

/// ONNX's own domain has two names.
fn is_standard(domain: &str) -> bool {
    matches!(domain, "" | "ai.onnx")
}

impl<'a> Node<'a> {
    /// Whether it is this operator of ONNX's own.
    #[must_use]
    pub fn is_standard(&self, operator: &str) -> bool {
        self.operator == operator && is_standard(self.domain)
    }

    /// The attribute of a name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }

    /// Operator and name for messages; without a name, its output.
    #[must_use]
    pub fn text(&self) -> String {
        let name = if self.name.is_empty() {
            self.outputs.first().copied().unwrap_or_default()
        } else {
            self.name
        };
        let operator = plain(self.operator, MAX_OPERATOR);
        format!("node {} ({operator})", quoted(name))
    }
}

/// Reads messages and counts what it keeps of them: a message of two bytes becomes a structure of a hundred.
struct Reader {
    left: usize,
}

impl Reader {
    fn count<'a>(&mut self, field: Field<'a>) -> Result<Field<'a>, Fault> {
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            Fault::new(format!("has more than {MAX_ITEMS} parts, as no real graph"))
        })?;
        Ok(field)
    }

    fn list<'a>(&mut self, message: &'a [u8]) -> Result<Vec<Field<'a>>, Fault> {
        fields(message).map(|field| self.count(field?)).collect()
    }

    fn text<'a>(field: &Field<'a>) -> Result<&'a str, Fault> {
        let text = std::str::from_utf8(field.bytes()?)
            .map_err(|_| Fault::new("has a name that is no UTF-8 text"))?;
        if text.len() > MAX_NAME_BYTES {
            return Err(Fault::new(format!(
                "has a name of {} bytes, {MAX_NAME_BYTES} are allowed",
                text.len()
            )));
        }
        Ok(text)
    }

    fn opset<'a>(&mut self, message: &'a [u8]) -> Result<(&'a str, u64), Fault> {
        let (mut domain, mut version) = ("", 0);
        for field in self.list(message)? {
            match field.number {
                1 => domain = Self::text(&field)?,
                2 => version = field.varint()?,
                _ => {}
            }
        }
        Ok((domain, version))
    }

    /// A key and its value, which may be long.
    fn entry<'a>(&mut self, message: &'a [u8]) -> Result<(&'a str, &'a str), Fault> {
        let (mut key, mut value) = ("", "");
        for field in self.list(message)? {
            match field.number {
                1 => key = Self::text(&field)?,
                2 => {
                    value = std::str::from_utf8(field.bytes()?)
                        .map_err(|_| Fault::new("has metadata that are no UTF-8 text"))?;
                }
                _ => {}
            }
        }
        Ok((key, value))
    }

    fn graph<'a>(&mut self, parts: &[Field<'a>], depth: usize) -> Result<Graph<'a>, Fault> {
        if depth > MAX_DEPTH {
            return Err(Fault::new(format!(
                "has bodies of loops more than {MAX_DEPTH} deep in each other"
            )));
        }
        let mut graph = Graph::default();
        for field in parts {
            match field.number {
                number::GRAPH_NODE => graph.nodes.push(self.node(field.bytes()?, depth)?),
                number::GRAPH_INITIALIZER => {
                    graph.initializers.push(self.tensor(field.bytes()?)?);
                }
                number::GRAPH_INPUT => graph.inputs.push(self.port(field.bytes()?)?),
                number::GRAPH_OUTPUT => graph.outputs.push(self.port(field.bytes()?)?),
                number::GRAPH_VALUE_INFO => graph.values.push(self.port(field.bytes()?)?),
                number::GRAPH_SPARSE_INITIALIZER => graph.sparse += 1,
                _ => {}
            }
        }
        Ok(graph)
    }

    fn node<'a>(&mut self, message: &'a [u8], depth: usize) -> Result<Node<'a>, Fault> {
        let mut node = Node::default();
        for field in fields(message) {
            let field = self.count(field?)?;
            match field.number {
                1 => node.inputs.push(Self::text(&field)?),
                2 => node.outputs.push(Self::text(&field)?),
                3 => node.name = Self::text(&field)?,
                4 => node.operator = Self::text(&field)?,
                5 => node.attributes.push(self.attribute(field.bytes()?, depth)?),
                7 => node.domain = Self::text(&field)?,
                _ => {}
            }
        }
        Ok(node)
    }

    fn attribute<'a>(&mut self, message: &'a [u8], depth: usize) -> Result<Attribute<'a>, Fault> {
        let mut attribute = Attribute::default();
        for field in fields(message) {
            let field = self.count(field?)?;
            match field.number {
                1 => attribute.name = Self::text(&field)?,
                2 => {
                    if let Value::Fixed32(bytes) = field.value {
                        attribute.float = Some(f32::from_le_bytes(bytes));
                    }
                }
                3 => attribute.int = Some(field.varint()? as i64),
                4 => attribute.text = field.bytes()?,
                5 | 10 => attribute.tensors.push(self.tensor(field.bytes()?)?),
                6 | 11 => {
                    let parts = self.list(field.bytes()?)?;
                    attribute.graphs.push(self.graph(&parts, depth + 1)?);
                }
                8 => {
                    let mut values = Vec::new();
                    integers(&field, &mut values)?;
                    let values = values.into_iter().map(|value| value as i64);
                    attribute.ints.extend(values);
                }
                22 | 23 => attribute.sparse += 1,
                _ => {}
            }
        }
        Ok(attribute)
    }

    fn tensor<'a>(&mut self, message: &'a [u8]) -> Result<Initializer<'a>, Fault> {
        let mut tensor = Initializer {
            message,
            ..Initializer::default()
        };
        let mut location = 0;
        let mut external = BTreeMap::new();
        for field in fields(message) {
            let field = self.count(field?)?;
            match field.number {
                number::TENSOR_DIMS => integers(&field, &mut tensor.dims)?,
                number::TENSOR_DATA_TYPE => tensor.element = Element(field.varint()?),
                number::TENSOR_SEGMENT => tensor.is_segment = true,
                // Floats, 32-bit integers, texts, 64-bit integers, doubles, unsigned integers.
                4 => tensor.listed += fixed(&field, 4)?,
                10 => tensor.listed += fixed(&field, 8)?,
                5 | 7 | 11 => tensor.listed += varints(&field)?,
                6 => tensor.listed += 1,
                number::TENSOR_NAME => tensor.name = Self::text(&field)?,
                number::TENSOR_RAW_DATA => tensor.raw = Some(field.bytes()?),
                number::TENSOR_EXTERNAL_DATA => {
                    let (key, value) = self.entry(field.bytes()?)?;
                    external.insert(key, value);
                }
                number::TENSOR_DATA_LOCATION => location = field.varint()?,
                _ => {}
            }
        }
        if location != 0 || !external.is_empty() {
            tensor.external = Some(external);
        }
        Ok(tensor)
    }

    fn port<'a>(&mut self, message: &'a [u8]) -> Result<Port<'a>, Fault> {
        let mut port = Port::default();
        for field in self.list(message)? {
            match field.number {
                1 => port.name = Self::text(&field)?,
                2 => {
                    for kind in self.list(field.bytes()?)? {
                        if kind.number == 1 {
                            port.is_tensor = true;
                            self.tensor_type(kind.bytes()?, &mut port)?;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(port)
    }

    fn tensor_type<'a>(&mut self, message: &'a [u8], port: &mut Port<'a>) -> Result<(), Fault> {
        for field in self.list(message)? {
            match field.number {
                1 => port.element = Element(field.varint()?),
                2 => {
                    let mut dims = Vec::new();
                    for dim in self.list(field.bytes()?)? {
                        if dim.number == 1 {
                            dims.push(self.dim(dim.bytes()?)?);
                        }
                    }
                    port.dims = Some(dims);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn dim<'a>(&mut self, message: &'a [u8]) -> Result<Dim<'a>, Fault> {
        let mut dim = Dim::Any("");
        for field in self.list(message)? {
            match field.number {
                1 => {
                    let value = field.varint()? as i64;
                    dim = u64::try_from(value).map_or(Dim::Any(""), Dim::Fixed);
                }
                2 => dim = Dim::Any(Self::text(&field)?),
                _ => {}
            }
        }
        Ok(dim)
    }
}

fn integers(field: &Field<'_>, into: &mut Vec<u64>) -> Result<(), Fault> {
    if varints(field)? + into.len() > MAX_INTEGERS {
        return Err(Fault::new(format!(
            "has an attribute or a shape of more than {MAX_INTEGERS} numbers"
        )));
    }
    Ok(field.varints(into)?)
}

/// The number of floats or doubles that a field adds to a list.
fn fixed(field: &Field<'_>, width: usize) -> Result<usize, Fault> {
    match field.value {
        Value::Bytes(packed) if packed.len().is_multiple_of(width) => Ok(packed.len() / width),
        Value::Fixed32(_) if width == 4 => Ok(1),
        Value::Fixed64(_) if width == 8 => Ok(1),
        _ => Err(Fault::new("has a list of numbers that is damaged")),
    }
}

/// The number of integers that a field adds to a list: each ends with a byte whose highest bit is clear.
fn varints(field: &Field<'_>) -> Result<usize, Fault> {
    match field.value {
        Value::Varint(_) => Ok(1),
        Value::Bytes(packed) => Ok(packed.iter().filter(|byte| **byte < 0x80).count()),
        _ => Err(Fault::new("has a list of numbers that is damaged")),
    }
}
