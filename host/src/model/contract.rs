//! Which tensors a family has, and whether a manifest keeps to them.

use super::check::{Fault, require};
use super::manifest::{Dimension, Direction, ElementType, Manifest, TensorRole, TensorSpec};

/// The most channels of prior noise: RVC has 192, and a sample each at 192 kHz would be 1,920.
const MOST_CHANNELS: u32 = 4_096;

/// No name and no role is there twice in one direction.
pub(super) fn names(tensors: &[TensorSpec]) -> Result<(), Fault> {
    require(
        tensors.len() <= 16,
        "tensor",
        "at most 16 inputs and outputs",
    )?;
    for (position, tensor) in tensors.iter().enumerate() {
        let twin = tensors[..position].iter().any(|other| {
            other.io == tensor.io && (other.name == tensor.name || other.role == tensor.role)
        });
        require(
            !twin,
            &format!("tensor.{}", tensor.name),
            "this name or role is there twice",
        )?;
    }
    Ok(())
}

/// Checks that the tensors are exactly those that the family may have. A shape is a text such as `1 T 65`: numbers are
/// fixed dimensions, `T` and `N` are dimensions that change, `C` is any fixed number.
pub(super) fn tensors(manifest: &Manifest, contract: &[TensorContract]) -> Result<(), Fault> {
    for tensor in &manifest.tensors {
        let key = format!("tensor.{}", tensor.name);
        let entry = contract
            .iter()
            .find(|entry| entry.io == tensor.io && entry.role == tensor.role);
        let Some(entry) = entry else {
            return Err(Fault {
                key: format!("{key}.role"),
                reason: "this family has no tensor of this role and direction".to_owned(),
            });
        };
        require(
            entry.element_types.contains(&tensor.dtype),
            &format!("{key}.dtype"),
            format!("must be one of {:?}", entry.element_types).to_lowercase(),
        )?;
        require(
            fits(&tensor.shape, &entry.shape),
            &format!("{key}.shape"),
            format!("must be [{}]", entry.shape.replace(' ', ", ")),
        )?;
    }
    for entry in contract.iter().filter(|entry| entry.required) {
        require(
            manifest.tensor(entry.io, entry.role).is_some(),
            "tensor",
            format!("a tensor of role {:?} is missing", entry.role).to_lowercase(),
        )?;
    }
    Ok(())
}

fn fits(shape: &[Dimension], wanted: &str) -> bool {
    let wanted: Vec<&str> = wanted.split(' ').collect();
    shape.len() == wanted.len()
        && shape
            .iter()
            .zip(wanted)
            .all(|(dimension, wanted)| match dimension {
                Dimension::Fixed(length) => {
                    *length > 0
                        && ((wanted == "C" && *length <= MOST_CHANNELS)
                            || wanted.parse() == Ok(*length))
                }
                Dimension::Symbol(_) => wanted == "T" || wanted == "N",
            })
}

/// A tensor that a family has.
pub(super) struct TensorContract {
    io: Direction,
    role: TensorRole,
    element_types: &'static [ElementType],
    shape: String,
    required: bool,
}

/// A tensor that must be there.
pub(super) fn tensor(
    io: Direction,
    role: TensorRole,
    element_types: &'static [ElementType],
    shape: &str,
) -> TensorContract {
    TensorContract {
        io,
        role,
        element_types,
        shape: shape.to_owned(),
        required: true,
    }
}

/// An input that may be there.
pub(super) fn optional(
    role: TensorRole,
    element_types: &'static [ElementType],
    shape: &str,
) -> TensorContract {
    TensorContract {
        required: false,
        ..tensor(Direction::In, role, element_types, shape)
    }
}
