//! The tensors that each family has, and whether a manifest declares them.

use super::fault::{Fault, require};
use super::manifest::{Dimension, Direction, ElementType, Manifest, TensorRole, TensorSpec};

/// The most channels of prior noise: RVC has 192, and a sample each at 192 kHz would be 1,920.
const MOST_CHANNELS: u32 = 4_096;

/// The most inputs and outputs: a content encoder may give each of its layers.
const MOST_TENSORS: usize = 72;

/// No name and no role occurs twice in one direction, except for the outputs that a content encoder lists.
pub(super) fn names(manifest: &Manifest) -> Result<(), Fault> {
    let tensors = &manifest.tensors;
    let content = manifest.content.as_ref();
    let told_apart = |tensor: &TensorSpec| {
        tensor.io == Direction::Out
            && tensor.role == TensorRole::Content
            && content.is_some_and(|content| !content.outputs.is_empty())
    };
    require(
        tensors.len() <= MOST_TENSORS,
        "tensor",
        format!("at most {MOST_TENSORS} inputs and outputs"),
    )?;
    for (position, tensor) in tensors.iter().enumerate() {
        // Messages quote names long after the manifest was read.
        let is_plain = !tensor.name.contains(char::is_control);
        require(is_plain, "tensor.name", "must have no control characters")?;
        let twin = tensors[..position].iter().any(|other| {
            let same_role = other.role == tensor.role && !told_apart(tensor);
            other.io == tensor.io && (other.name == tensor.name || same_role)
        });
        require(
            !twin,
            &format!("tensor.{}", tensor.name),
            "this name or role is there twice",
        )?;
    }
    Ok(())
}

/// Checks that the tensors are exactly those that the family may have. A shape is a text such as `1 T 65`: numbers are fixed dimensions,
/// `T` and `N` are dimensions that change, `C` is any fixed number. Several shapes, separated by ` | `, are alternatives, and `-` is the
/// shape of a single number.
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
            format!("must be {}", described(&entry.shape)),
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

fn described(shapes: &str) -> String {
    let texts = shapes.split(" | ").map(|shape| match shape {
        "-" => "[]".to_owned(),
        shape => format!("[{}]", shape.replace(' ', ", ")),
    });
    texts.collect::<Vec<String>>().join(" or ")
}

fn fits(shape: &[Dimension], wanted: &str) -> bool {
    wanted.split(" | ").any(|wanted| fits_one(shape, wanted))
}

fn fits_one(shape: &[Dimension], wanted: &str) -> bool {
    let wanted: Vec<&str> = wanted
        .split(' ')
        .filter(|dimension| *dimension != "-")
        .collect();
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
