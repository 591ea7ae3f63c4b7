use super::wire::{WireError, fields};

/// How deep messages may lie in each other: bodies of loops and branches take four levels each.
const MAX_DEPTH: usize = 64;

/// A message of ONNX's format that may lead to a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Model,
    Training,
    Function,
    Graph,
    Node,
    Attribute,
    Sparse,
    Tensor,
}

impl Kind {
    /// What lies in a field (onnx.proto, IR version 13).
    fn of_field(self, number: u32) -> Option<Self> {
        let kind = match (self, number) {
            (Self::Model, 7) | (Self::Training, 1 | 2) | (Self::Attribute, 6 | 11) => Self::Graph,
            (Self::Model, 20) => Self::Training,
            (Self::Model, 25) => Self::Function,
            (Self::Graph, 1) | (Self::Function, 7) => Self::Node,
            (Self::Node, 5) | (Self::Function, 11) => Self::Attribute,
            (Self::Graph, 15) | (Self::Attribute, 22 | 23) => Self::Sparse,
            (Self::Graph, 5) | (Self::Attribute, 5 | 10) | (Self::Sparse, 1 | 2) => Self::Tensor,
            _ => return None,
        };
        Some(kind)
    }
}

/// Refuses an ONNX file whose values lie anywhere but in itself. ONNX Runtime would read them from whatever file the graph
/// names, or from its own memory.
///
/// # Errors
/// When a tensor says where else its values are (`TensorProto.external_data`, field 13, or `data_location`, field 14), and
/// when the file cannot be looked through: a damaged one is not left to the library to make something of.
pub(super) fn check_all_inside(file: &[u8]) -> Result<(), String> {
    look(Kind::Model, file, 0)
}

fn look(kind: Kind, message: &[u8], depth: usize) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err("has bodies of loops too deep in each other".to_owned());
    }
    let damaged = |error: WireError| format!("is damaged: {error}");
    for field in fields(message) {
        let field = field.map_err(damaged)?;
        if kind == Kind::Tensor {
            let is_inside = match field.number {
                13 => false,
                14 => field.varint().map_err(damaged)? == 0,
                _ => true,
            };
            if !is_inside {
                return Err("keeps values outside of its own file, which is not allowed".to_owned());
            }
        } else if let Some(kind) = kind.of_field(field.number) {
            look(kind, field.bytes().map_err(damaged)?, depth + 1)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::wire::{put_bytes, put_number};

    /// Messages in each other, the outermost first.
    fn nested(numbers: &[u32], innermost: &[u8]) -> Vec<u8> {
        numbers
            .iter()
            .rev()
            .fold(innermost.to_vec(), |inside, number| {
                let mut message = Vec::new();
                put_bytes(&mut message, *number, &inside);
                message
            })
    }

    #[test]
    fn values_outside_are_found_wherever_a_tensor_may_be() {
        let (mut named, mut placed, mut inside) = (Vec::new(), Vec::new(), Vec::new());
        put_bytes(&mut named, 13, b"\x0a\x08location\x12\x09../secret");
        put_number(&mut placed, 14, 1);
        put_number(&mut inside, 14, 0);
        let ways: [&[u32]; 7] = [
            &[7, 5],
            &[7, 15, 1],
            &[7, 1, 5, 5],
            &[7, 1, 5, 6, 1, 5, 11, 5],
            &[7, 1, 5, 22, 2],
            &[20, 1, 5],
            &[25, 7, 5, 10],
        ];
        for way in ways {
            for tensor in [&named, &placed] {
                let refused = check_all_inside(&nested(way, tensor)).expect_err("it is refused");
                assert!(refused.contains("outside"), "{way:?}: {refused}");
            }
            assert_eq!(check_all_inside(&nested(way, &inside)), Ok(()), "{way:?}");
        }
    }

    #[test]
    fn what_cannot_be_looked_through_is_refused() {
        assert!(check_all_inside(b"broken").is_err());
        let deep: Vec<u32> = [7].into_iter().chain([1, 5, 6].repeat(40)).collect();
        let refused = check_all_inside(&nested(&deep, &[])).expect_err("it is refused");
        assert!(refused.contains("deep"), "{refused}");
    }
}
