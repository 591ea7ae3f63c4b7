//! Writes ONNX's messages field by field.

use crate::wire::{put_bytes, put_float, put_number};

/// Element type of a tensor, by ONNX's number (`TensorProto.DataType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Element(pub u64);

impl Element {
    /// 32-bit floats.
    pub const F32: Self = Self(1);
    /// 64-bit integers with a sign.
    pub const I64: Self = Self(7);
    /// Half floats (IEEE 754 binary16).
    pub const F16: Self = Self(10);
    /// Truth values, a byte each.
    pub const BOOL: Self = Self(9);
    /// 64-bit floats.
    pub const F64: Self = Self(11);

    /// Bytes of a value; `None` for texts and types without a whole number of bytes.
    #[must_use]
    pub fn width(self) -> Option<u64> {
        match self.0 {
            2 | 3 | 9 | 17..=20 => Some(1),
            4 | 5 | 10 | 16 => Some(2),
            1 | 6 | 12 => Some(4),
            7 | 11 | 13 | 14 => Some(8),
            15 => Some(16),
            _ => None,
        }
    }

    /// A word for it, for messages.
    #[must_use]
    pub fn text(self) -> String {
        let word = match self.0 {
            0 => "nothing",
            1 => "f32",
            2 => "u8",
            3 => "i8",
            6 => "i32",
            7 => "i64",
            8 => "text",
            9 => "bool",
            10 => "f16",
            11 => "f64",
            16 => "bf16",
            other => return format!("type {other}"),
        };
        word.to_owned()
    }
}

/// A dimension: a number, or one that changes from run to run, with a name that may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dim<'a> {
    /// A number.
    Fixed(u64),
    /// A name, or nothing, for one that changes.
    Any(&'a str),
}

impl Dim<'_> {
    /// The number, if it is one.
    #[must_use]
    pub fn fixed(self) -> Option<u64> {
        match self {
            Self::Fixed(length) => Some(length),
            Self::Any(_) => None,
        }
    }
}

/// A `ValueInfoProto` of a tensor.
#[must_use]
pub fn port_message(name: &str, element: Element, dims: &[Dim<'_>]) -> Vec<u8> {
    let mut shape = Vec::new();
    for dim in dims {
        let mut message = Vec::new();
        match dim {
            Dim::Fixed(length) => put_number(&mut message, 1, *length),
            Dim::Any(name) => put_bytes(&mut message, 2, name.as_bytes()),
        }
        put_bytes(&mut shape, 1, &message);
    }
    let mut tensor = Vec::new();
    put_number(&mut tensor, 1, element.0);
    put_bytes(&mut tensor, 2, &shape);
    let mut kind = Vec::new();
    put_bytes(&mut kind, 1, &tensor);
    let mut port = Vec::new();
    put_bytes(&mut port, 1, name.as_bytes());
    put_bytes(&mut port, 2, &kind);
    port
}

/// A `NodeProto` of the standard domain. `attributes` are whole messages.
#[must_use]
pub fn node_message(
    operator: &str,
    name: &str,
    inputs: &[&str],
    output: &str,
    attributes: &[Vec<u8>],
) -> Vec<u8> {
    node_message_of(("", operator), name, inputs, output, attributes)
}

/// A `NodeProto` of an operator of some domain.
#[must_use]
pub fn node_message_of(
    (domain, operator): (&str, &str),
    name: &str,
    inputs: &[&str],
    output: &str,
    attributes: &[Vec<u8>],
) -> Vec<u8> {
    let mut node = Vec::new();
    for input in inputs {
        put_bytes(&mut node, 1, input.as_bytes());
    }
    put_bytes(&mut node, 2, output.as_bytes());
    put_bytes(&mut node, 3, name.as_bytes());
    put_bytes(&mut node, 4, operator.as_bytes());
    for attribute in attributes {
        put_bytes(&mut node, 5, attribute);
    }
    if !domain.is_empty() {
        put_bytes(&mut node, 7, domain.as_bytes());
    }
    node
}

/// An `AttributeProto` that holds a tensor (type 4).
#[must_use]
pub fn tensor_attribute(name: &str, tensor: &[u8]) -> Vec<u8> {
    let mut attribute = Vec::new();
    put_bytes(&mut attribute, 1, name.as_bytes());
    put_bytes(&mut attribute, 5, tensor);
    put_number(&mut attribute, 20, 4);
    attribute
}

/// An `AttributeProto` that holds a whole number (type 2).
#[must_use]
pub fn whole_attribute(name: &str, value: i64) -> Vec<u8> {
    let mut attribute = Vec::new();
    put_bytes(&mut attribute, 1, name.as_bytes());
    put_number(&mut attribute, 3, value as u64);
    put_number(&mut attribute, 20, 2);
    attribute
}

/// An `AttributeProto` that holds whole numbers (type 7).
#[must_use]
pub fn wholes_attribute(name: &str, values: &[i64]) -> Vec<u8> {
    let mut attribute = Vec::new();
    put_bytes(&mut attribute, 1, name.as_bytes());
    for value in values {
        put_number(&mut attribute, 8, *value as u64);
    }
    put_number(&mut attribute, 20, 7);
    attribute
}

/// An `AttributeProto` that holds a number (type 1).
#[must_use]
pub fn float_attribute(name: &str, value: f32) -> Vec<u8> {
    let mut attribute = Vec::new();
    put_bytes(&mut attribute, 1, name.as_bytes());
    put_float(&mut attribute, 2, value);
    put_number(&mut attribute, 20, 1);
    attribute
}

/// An `OperatorSetIdProto`.
pub fn opset_message(domain: &str, version: u64) -> Vec<u8> {
    let mut opset = Vec::new();
    put_bytes(&mut opset, 1, domain.as_bytes());
    put_number(&mut opset, 2, version);
    opset
}

/// A `TensorProto`; `values` are little-endian.
#[must_use]
pub fn tensor_message(name: &str, element: Element, dims: &[u64], values: &[u8]) -> Vec<u8> {
    let mut tensor = Vec::new();
    for dim in dims {
        put_number(&mut tensor, 1, *dim);
    }
    put_number(&mut tensor, 2, element.0);
    put_bytes(&mut tensor, 8, name.as_bytes());
    put_bytes(&mut tensor, 9, values);
    tensor
}
