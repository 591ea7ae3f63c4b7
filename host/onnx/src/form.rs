//! The form of an ONNX file: which fields its messages have, what these hold, and how often they may occur (onnx-ml.proto, IR version 14).
//!
//! Protocol Buffers readers differ on messages that no program writes: of two values the last counts, or both are merged, and unknown
//! fields are skipped. ONNX Runtime could then run another graph than the one that was checked, so such files are refused.

use super::wire::{Field, Value, WireError, fields};

/// How deep messages may be nested: bodies of loops and branches take three levels each.
const MAX_DEPTH: usize = 64;

/// A message of ONNX's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// The whole file (`ModelProto`).
    Model,
    /// How it is trained (`TrainingInfoProto`).
    Training,
    /// An operator that the file defines (`FunctionProto`).
    Function,
    /// A graph (`GraphProto`).
    Graph,
    /// An operation (`NodeProto`).
    Node,
    /// An attribute of an operation (`AttributeProto`).
    Attribute,
    /// A tensor that is mostly zeros (`SparseTensorProto`).
    Sparse,
    /// A tensor with its values (`TensorProto`).
    Tensor,
    /// Which part of a tensor it is (`TensorProto.Segment`).
    Segment,
    /// An input or output (`ValueInfoProto`).
    Port,
    /// The type of a value (`TypeProto`).
    Type,
    /// The type of a tensor (`TypeProto.Tensor`).
    TensorType,
    /// The shape of a tensor (`TensorShapeProto`).
    Shape,
    /// A dimension of a shape (`TensorShapeProto.Dimension`).
    Dimension,
    /// A set of operators (`OperatorSetIdProto`).
    Opset,
    /// A key and a value (`StringStringEntryProto`).
    Entry,
    /// How a tensor is quantised (`TensorAnnotation`).
    Annotation,
    /// For types that are no tensors and for devices: these hold neither values nor operators and are not inspected.
    Foreign,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Number,
    Float,
    Double,
    Text,
    Message(Message),
}

/// A field that a message may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Known {
    holds: Holds,
    is_list: bool,
}

const fn one(holds: Holds) -> Known {
    Known {
        holds,
        is_list: false,
    }
}

const fn many(holds: Holds) -> Known {
    Known {
        holds,
        is_list: true,
    }
}

const fn message(of: Message) -> Known {
    one(Holds::Message(of))
}

const fn messages(of: Message) -> Known {
    many(Holds::Message(of))
}

impl Message {
    fn field(self, number: u32) -> Option<Known> {
        use Holds::{Double, Float, Number, Text};
        Some(match (self, number) {
            (Self::Model, 1 | 5)
            | (Self::Attribute, 3 | 20)
            | (Self::Tensor, 2 | 14)
            | (Self::Segment, 1 | 2)
            | (Self::TensorType | Self::Dimension, 1)
            | (Self::Opset, 2) => one(Number),
            (Self::Attribute, 8) | (Self::Sparse, 3) | (Self::Tensor, 1 | 5 | 7 | 11) => {
                many(Number)
            }
            (Self::Attribute, 2) => one(Float),
            (Self::Attribute, 7) | (Self::Tensor, 4) => many(Float),
            (Self::Tensor, 10) => many(Double),
            (Self::Model, 2 | 3 | 4 | 6)
            | (Self::Function, 1 | 8 | 10 | 13)
            | (Self::Graph, 2 | 10)
            | (Self::Node, 3 | 4 | 6 | 7 | 8)
            | (Self::Attribute, 1 | 4 | 13 | 21)
            | (Self::Tensor, 8 | 9 | 12)
            | (Self::Port, 1 | 3)
            | (Self::Type, 6)
            | (Self::Dimension, 2 | 3)
            | (Self::Opset | Self::Annotation, 1)
            | (Self::Entry, 1 | 2) => one(Text),
            (Self::Function, 4..=6)
            | (Self::Node, 1 | 2)
            | (Self::Attribute, 9)
            | (Self::Tensor, 6) => many(Text),
            (Self::Model, 7) | (Self::Training, 1 | 2) | (Self::Attribute, 6) => {
                message(Self::Graph)
            }
            (Self::Attribute, 11) => messages(Self::Graph),
            (Self::Model, 8) | (Self::Function, 9) => messages(Self::Opset),
            (Self::Model | Self::Function, 14)
            | (Self::Training, 3 | 4)
            | (Self::Graph, 16)
            | (Self::Node, 9)
            | (Self::Tensor, 13 | 16)
            | (Self::Port, 4)
            | (Self::Annotation, 2) => messages(Self::Entry),
            (Self::Model, 20) => messages(Self::Training),
            (Self::Model, 25) => messages(Self::Function),
            (Self::Graph, 1) | (Self::Function, 7) => messages(Self::Node),
            (Self::Node, 5) | (Self::Function, 11) => messages(Self::Attribute),
            (Self::Attribute, 5) | (Self::Sparse, 1 | 2) => message(Self::Tensor),
            (Self::Graph, 5) | (Self::Attribute, 10) => messages(Self::Tensor),
            (Self::Tensor, 3) => message(Self::Segment),
            (Self::Attribute, 22) => message(Self::Sparse),
            (Self::Graph, 15) | (Self::Attribute, 23) => messages(Self::Sparse),
            (Self::Graph, 11..=13) | (Self::Function, 12) => messages(Self::Port),
            (Self::Graph, 14) => messages(Self::Annotation),
            (Self::Port, 2) | (Self::Attribute, 14) => message(Self::Type),
            (Self::Attribute, 15) => messages(Self::Type),
            (Self::Type, 1 | 8) => message(Self::TensorType),
            (Self::Type, 4 | 5 | 7 | 9) => message(Self::Foreign),
            (Self::TensorType, 2) => message(Self::Shape),
            (Self::Shape, 1) => messages(Self::Dimension),
            (Self::Model, 26) | (Self::Node, 10) => messages(Self::Foreign),
            _ => return None,
        })
    }

    /// Fields of one place exclude each other: among alternatives of which a message may have one, the first stands for all.
    fn place(self, number: u32) -> u32 {
        match (self, number) {
            (Self::Type, 4 | 5 | 7 | 8 | 9) | (Self::Dimension, 2) => 1,
            _ => number,
        }
    }

    /// A word for it, for messages.
    fn text(self) -> &'static str {
        match self {
            Self::Model => "the model",
            Self::Training => "what it has for training",
            Self::Function => "a function",
            Self::Graph => "a graph",
            Self::Node => "a node",
            Self::Attribute => "an attribute",
            Self::Sparse => "a sparse tensor",
            Self::Tensor | Self::Segment => "a tensor",
            Self::Port => "an input, an output or a value",
            Self::Type | Self::TensorType | Self::Foreign => "a type",
            Self::Shape | Self::Dimension => "a shape",
            Self::Opset => "an opset",
            Self::Entry => "an entry of metadata",
            Self::Annotation => "an annotation",
        }
    }
}

/// Refuses a file that has a field unknown to ONNX, repeats a field that may occur once, or has a field with other contents than it may
/// hold, at any depth.
///
/// # Errors
/// What is wrong with the file, as the end of a sentence about it.
pub(crate) fn check_form(file: &[u8]) -> Result<(), String> {
    walk(file, &mut |_, _| Ok(()))
}

/// Checks the form of a file and passes each of its fields to `look`, including those of nested messages.
///
/// # Errors
/// What is wrong with the file, as the end of a sentence about it, and the errors of `look`.
pub fn walk(
    file: &[u8],
    look: &mut dyn FnMut(Message, &Field<'_>) -> Result<(), String>,
) -> Result<(), String> {
    inside(Message::Model, file, 0, look)
}

fn inside(
    of: Message,
    bytes: &[u8],
    depth: usize,
    look: &mut dyn FnMut(Message, &Field<'_>) -> Result<(), String>,
) -> Result<(), String> {
    if of == Message::Foreign {
        return Ok(());
    }
    if depth > MAX_DEPTH {
        return Err("has bodies of loops too deep in each other".to_owned());
    }
    let mut seen = 0_u32;
    for field in fields(bytes) {
        let field = field.map_err(damaged)?;
        let known = of.field(field.number).ok_or_else(|| {
            let text = of.text();
            format!(
                "has the field {} in {text}, which ONNX does not have",
                field.number
            )
        })?;
        // No known field has a number of more than five bits.
        let place = 1_u32 << of.place(field.number);
        if !known.is_list && seen & place != 0 {
            let (number, text) = (field.number, of.text());
            return Err(format!(
                "has the field {number} in {text} twice, where ONNX has one"
            ));
        }
        seen |= place;
        look(of, &field)?;
        match (known.holds, field.value) {
            (Holds::Message(of), Value::Bytes(bytes)) => inside(of, bytes, depth + 1, look)?,
            (Holds::Number, Value::Varint(_))
            | (Holds::Float, Value::Fixed32(_))
            | (Holds::Double, Value::Fixed64(_))
            | (Holds::Text, Value::Bytes(_)) => {}
            // The numbers of a list may be packed.
            (_, Value::Bytes(_)) if known.is_list => {}
            _ => return Err(damaged(WireError::Type(field.number))),
        }
    }
    Ok(())
}

fn damaged(error: WireError) -> String {
    format!("is damaged: {error}")
}

/// Nested messages, the outermost first, for tests.
#[must_use]
pub fn nested(numbers: &[u32], innermost: &[u8]) -> Vec<u8> {
    numbers
        .iter()
        .rev()
        .fold(innermost.to_vec(), |inside, number| {
            let mut message = Vec::new();
            super::wire::put_bytes(&mut message, *number, &inside);
            message
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{put_bytes, put_number};

    fn refused(file: &[u8]) -> String {
        check_form(file).expect_err("it is refused")
    }

    #[test]
    fn fields_that_onnx_does_not_have_are_refused_wherever_they_are() {
        let mut unknown = Vec::new();
        put_number(&mut unknown, 99, 1);
        let ways: [&[u32]; 9] = [
            &[],
            &[7],
            &[7, 1],
            &[7, 1, 5],
            &[7, 1, 5, 6, 1, 5, 5],
            &[7, 5],
            &[7, 11, 2, 1, 2, 1],
            &[25, 7],
            &[20, 1],
        ];
        for way in ways {
            let reason = refused(&nested(way, &unknown));
            assert!(reason.contains("field 99"), "{way:?}: {reason}");
        }
        assert_eq!(check_form(&nested(&[26], &unknown)), Ok(()));
    }

    #[test]
    fn what_may_be_there_once_is_refused_twice() {
        let (mut text, mut number) = (Vec::new(), Vec::new());
        put_bytes(&mut text, 4, b"Conv");
        put_number(&mut number, 14, 0);
        let operator = nested(&[7, 1], &text);
        assert_eq!(check_form(&operator), Ok(()));
        for twice in [
            operator.repeat(2),
            nested(&[7, 1], &text.repeat(2)),
            nested(&[7, 5], &number.repeat(2)),
            nested(&[7, 1, 5], &nested(&[5], b"").repeat(2)),
            nested(&[7, 1, 5], &nested(&[6], b"").repeat(2)),
        ] {
            let reason = refused(&twice);
            assert!(reason.contains("twice"), "{reason}");
        }
        assert_eq!(
            check_form(&nested(&[7], &nested(&[1], b"").repeat(2))),
            Ok(())
        );
    }

    #[test]
    fn of_what_excludes_each_other_there_is_one() {
        let mut both = Vec::new();
        put_number(&mut both, 1, 3);
        put_bytes(&mut both, 2, b"T");
        let reason = refused(&nested(&[7, 11, 2, 1, 2, 1], &both));
        assert!(reason.contains("in a shape twice"), "{reason}");
        let kinds = [nested(&[1], b""), nested(&[4], b"")].concat();
        assert!(refused(&nested(&[7, 11, 2], &kinds)).contains("in a type twice"));
    }

    #[test]
    fn fields_of_another_type_are_refused() {
        let (mut number, mut text) = (Vec::new(), Vec::new());
        put_number(&mut number, 4, 1);
        put_bytes(&mut text, 3, b"1");
        let reason = refused(&nested(&[7, 1], &number));
        assert!(reason.contains("another type"), "{reason}");
        assert!(refused(&nested(&[7, 1, 5], &text)).contains("another type"));
        // A list of numbers may be packed.
        assert_eq!(check_form(&nested(&[7, 1, 5, 8], &[1, 2])), Ok(()));
    }

    #[test]
    fn what_cannot_be_looked_through_is_refused() {
        assert!(check_form(b"broken").is_err());
        let deep: Vec<u32> = [7].into_iter().chain([1, 5, 6].repeat(40)).collect();
        let reason = refused(&nested(&deep, &[]));
        assert!(reason.contains("deep"), "{reason}");
    }
}
