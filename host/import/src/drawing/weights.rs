use std::collections::{BTreeMap, BTreeSet};

use crate::torch::{Document, Entry, Node, StoredTensor, TorchFile, Values};

use super::fault::DrawFault;

/// The longest name of a weight: those that are known have up to 70 characters.
const MAX_NAME_BYTES: usize = 256;

/// The weights of a checkpoint, by the names that its network has for them.
#[derive(Debug)]
pub(crate) struct Weights {
    tensors: BTreeMap<String, StoredTensor>,
    used: BTreeSet<String>,
    /// What messages about a missing weight call the network, such as "voice of RVC's architecture".
    what: &'static str,
}

impl Weights {
    /// Collects the tensors of a dictionary. `name` gives the name that a weight has here, or nothing for one that nobody needs;
    /// `file_bytes` is the length of the file that they lie in.
    pub(crate) fn of(
        (document, dict): (&Document, Entry),
        file_bytes: u64,
        what: &'static str,
        name: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, DrawFault> {
        let mut tensors = BTreeMap::new();
        for (key, entry) in document.members(dict) {
            let key = without_wrapping(key);
            if key.len() > MAX_NAME_BYTES {
                return Err(DrawFault::refused(format!(
                    "has a weight whose name is longer than {MAX_NAME_BYTES} bytes"
                )));
            }
            let Some(name) = name(key) else {
                continue;
            };
            let Node::Tensor(tensor) = document.get(entry) else {
                return Err(DrawFault::refused(format!("weight {key:?} is no tensor")));
            };
            let count: u64 = tensor.dims.iter().product();
            if count == 0 || count.saturating_mul(tensor.element.width()) > file_bytes {
                let reason = format!(
                    "weight {key:?} has the shape {:?}, which cannot be in a file of this length",
                    tensor.dims
                );
                return Err(DrawFault::refused(reason));
            }
            tensors.insert(plain_name(&name), tensor.clone());
        }
        Ok(Self {
            tensors,
            used: BTreeSet::new(),
            what,
        })
    }

    /// The dimensions of a weight, if it is there.
    pub(crate) fn find(&self, key: &str) -> Option<&[u64]> {
        self.tensors.get(key).map(|tensor| &tensor.dims[..])
    }

    /// The dimensions of a weight that has to be there, with as many of them as the caller counts on.
    pub(crate) fn dims<const N: usize>(&self, key: &str) -> Result<[u64; N], DrawFault> {
        let dims = self.find(key).ok_or_else(|| self.missing(key))?;
        dims.try_into().map_err(|_| {
            DrawFault::refused(format!(
                "weight {key:?} has the shape {dims:?}, which has not {N} dimensions"
            ))
        })
    }

    /// The dimensions of a convolution's weight, whether its length and direction are kept apart or not.
    pub(crate) fn conv_dims(&self, prefix: &str) -> Result<[u64; 3], DrawFault> {
        let whole = format!("{prefix}.weight");
        if self.find(&whole).is_some() {
            return self.dims(&whole);
        }
        self.dims(&format!("{prefix}.weight_v"))
    }

    /// How many of `{prefix}0{suffix}`, `{prefix}1{suffix}` and so on there are; `step` is the distance of their numbers.
    pub(crate) fn count(
        &self,
        prefix: &str,
        step: usize,
        has: impl Fn(&Self, &str) -> bool,
    ) -> usize {
        (0..self.tensors.len())
            .take_while(|number| has(self, &format!("{prefix}{}", number * step)))
            .count()
    }

    /// Whether there is a convolution of this name.
    pub(crate) fn has_conv(&self, prefix: &str) -> bool {
        ["weight", "weight_v"]
            .iter()
            .any(|part| self.tensors.contains_key(&format!("{prefix}.{part}")))
    }

    /// Reads a weight that must have these dimensions.
    pub(crate) fn read(
        &mut self,
        file: &mut TorchFile,
        key: &str,
        dims: &[u64],
    ) -> Result<Values, DrawFault> {
        let tensor = self.tensors.get(key).ok_or_else(|| self.missing(key))?;
        if tensor.dims != dims {
            let reason = format!(
                "weight {key:?} has the shape {:?}, where this architecture has {dims:?}",
                tensor.dims
            );
            return Err(DrawFault::refused(reason));
        }
        let values = file.values(tensor)?;
        if !values.are_finite() {
            let reason = format!("weight {key:?} holds a value that is not a finite number");
            return Err(DrawFault::refused(reason));
        }
        self.used.insert(key.to_owned());
        Ok(values)
    }

    fn missing(&self, key: &str) -> DrawFault {
        let what = self.what;
        DrawFault::refused(format!("lacks the weight {key:?}, so that it is no {what}"))
    }

    /// Counts weights as read that have no part in what is drawn.
    pub(crate) fn pass_over(&mut self, prefix: &str) {
        let names = self.tensors.keys();
        let names = names.filter(|name| name.starts_with(prefix)).cloned();
        self.used.extend(names.collect::<Vec<_>>());
    }

    /// A weight that nothing has read.
    pub(crate) fn left_over(&self) -> Option<&str> {
        let mut left = self.tensors.keys().filter(|key| !self.used.contains(*key));
        left.next().map(String::as_str)
    }
}

/// The name of a weight without what torch puts in front of it where a network was trained on several devices, or compiled
/// (`torch.nn.DataParallel`, `torch.compile`).
pub(crate) fn without_wrapping(key: &str) -> &str {
    const WRAPPINGS: [&str; 2] = ["module.", "_orig_mod."];
    let stripped = WRAPPINGS.iter().find_map(|prefix| key.strip_prefix(prefix));
    stripped.map_or(key, without_wrapping)
}

/// Newer versions of torch keep a weight's length and direction under other names than older ones.
fn plain_name(key: &str) -> String {
    key.replace(".parametrizations.weight.original0", ".weight_g")
        .replace(".parametrizations.weight.original1", ".weight_v")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_torch_wraps_networks_in_is_taken_off_their_names() {
        for name in [
            "dec.ups.0.weight",
            "module.dec.ups.0.weight",
            "_orig_mod.module.dec.ups.0.weight",
        ] {
            assert_eq!(without_wrapping(name), "dec.ups.0.weight");
        }
    }
}
