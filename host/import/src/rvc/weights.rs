use std::collections::{BTreeMap, BTreeSet};

use crate::torch::{Document, Entry, Node, StoredTensor, TorchFile, Values};

use super::VoiceFault;

/// What only training needs: the encoder of the recordings that a voice learned from.
const TRAINING_ONLY: &str = "enc_q.";

/// What takes the spectra of these recordings.
const SPECTRA: &str = "enc_q.pre.weight";

/// The longest name of a weight: RVC's have up to 60 characters.
const MAX_NAME_BYTES: usize = 256;

/// The weights of a voice, by their names in the original's network.
#[derive(Debug)]
pub(super) struct Weights {
    tensors: BTreeMap<String, StoredTensor>,
    /// Bins of the spectra that it was trained on, where a training file says them.
    spectrum: Option<u64>,
    used: BTreeSet<String>,
}

impl Weights {
    /// Collects the tensors of a dictionary; `file_bytes` is the length of the file that they lie in.
    pub(super) fn of(
        document: &Document,
        dict: Entry,
        file_bytes: u64,
    ) -> Result<Self, VoiceFault> {
        let (mut tensors, mut spectrum) = (BTreeMap::new(), None);
        for (key, entry) in document.members(dict) {
            let key = without_wrapping(key);
            if key.starts_with(TRAINING_ONLY) {
                if let (SPECTRA, Node::Tensor(tensor)) = (key, document.get(entry)) {
                    spectrum = tensor.dims.get(1).copied();
                }
                continue;
            }
            if key.len() > MAX_NAME_BYTES {
                return Err(VoiceFault::refused(format!(
                    "has a weight whose name is longer than {MAX_NAME_BYTES} bytes"
                )));
            }
            let Node::Tensor(tensor) = document.get(entry) else {
                return Err(VoiceFault::refused(format!("weight {key:?} is no tensor")));
            };
            let count: u64 = tensor.dims.iter().product();
            if count == 0 || count.saturating_mul(tensor.element.width()) > file_bytes {
                let reason = format!(
                    "weight {key:?} has the shape {:?}, which cannot be in a file of this length",
                    tensor.dims
                );
                return Err(VoiceFault::refused(reason));
            }
            tensors.insert(plain_name(key), tensor.clone());
        }
        let used = BTreeSet::new();
        Ok(Self {
            tensors,
            spectrum,
            used,
        })
    }

    /// Whether the spectra that it was trained on are those of voices at this rate: RVC's transforms have 1,024 samples at 32 kHz and
    /// 2,048 above (`configs/`). What does not say its spectra may be of any.
    pub(super) fn may_be_at(&self, sample_rate_hz: u64) -> bool {
        const BINS: u64 = 513;
        self.spectrum
            .is_none_or(|bins| (bins == BINS) == (sample_rate_hz <= 32_000))
    }

    /// The dimensions of a weight, if it is there.
    pub(super) fn find(&self, key: &str) -> Option<&[u64]> {
        self.tensors.get(key).map(|tensor| &tensor.dims[..])
    }

    /// The dimensions of a weight that has to be there, with as many of them as the caller counts on.
    pub(super) fn dims<const N: usize>(&self, key: &str) -> Result<[u64; N], VoiceFault> {
        let dims = self.find(key).ok_or_else(|| missing(key))?;
        dims.try_into().map_err(|_| {
            VoiceFault::refused(format!(
                "weight {key:?} has the shape {dims:?}, which has not {N} dimensions"
            ))
        })
    }

    /// The dimensions of a convolution's weight, whether its length and direction are kept apart or not.
    pub(super) fn conv_dims(&self, prefix: &str) -> Result<[u64; 3], VoiceFault> {
        let whole = format!("{prefix}.weight");
        if self.find(&whole).is_some() {
            return self.dims(&whole);
        }
        self.dims(&format!("{prefix}.weight_v"))
    }

    /// How many of `{prefix}0{suffix}`, `{prefix}1{suffix}` and so on there are; `step` is the distance of their numbers.
    pub(super) fn count(
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
    pub(super) fn has_conv(&self, prefix: &str) -> bool {
        ["weight", "weight_v"]
            .iter()
            .any(|part| self.tensors.contains_key(&format!("{prefix}.{part}")))
    }

    /// Reads a weight that must have these dimensions.
    pub(super) fn read(
        &mut self,
        file: &mut TorchFile,
        key: &str,
        dims: &[u64],
    ) -> Result<Values, VoiceFault> {
        let tensor = self.tensors.get(key).ok_or_else(|| missing(key))?;
        if tensor.dims != dims {
            let reason = format!(
                "weight {key:?} has the shape {:?}, where this architecture has {dims:?}",
                tensor.dims
            );
            return Err(VoiceFault::refused(reason));
        }
        let values = file.values(tensor)?;
        if !values.are_finite() {
            let reason = format!("weight {key:?} holds a value that is not a finite number");
            return Err(VoiceFault::refused(reason));
        }
        self.used.insert(key.to_owned());
        Ok(values)
    }

    /// A weight that nothing has read.
    pub(super) fn left_over(&self) -> Option<&str> {
        let mut left = self.tensors.keys().filter(|key| !self.used.contains(*key));
        left.next().map(String::as_str)
    }
}

/// The name of a weight without what torch puts in front of it where a network was trained on several devices, or compiled
/// (`torch.nn.DataParallel`, `torch.compile`).
pub(super) fn without_wrapping(key: &str) -> &str {
    const WRAPPINGS: [&str; 2] = ["module.", "_orig_mod."];
    let stripped = WRAPPINGS.iter().find_map(|prefix| key.strip_prefix(prefix));
    stripped.map_or(key, without_wrapping)
}

/// Newer versions of torch keep a weight's length and direction under other names than older ones.
fn plain_name(key: &str) -> String {
    key.replace(".parametrizations.weight.original0", ".weight_g")
        .replace(".parametrizations.weight.original1", ".weight_v")
}

fn missing(key: &str) -> VoiceFault {
    VoiceFault::refused(format!(
        "lacks the weight {key:?}, so that it is no voice of RVC's architecture"
    ))
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

    #[test]
    fn the_spectra_of_training_tell_32_khz_from_48() {
        let weights = |spectrum| Weights {
            tensors: BTreeMap::new(),
            spectrum,
            used: BTreeSet::new(),
        };
        let rates = |spectrum| [32_000, 48_000].map(|rate| weights(spectrum).may_be_at(rate));
        assert_eq!(rates(Some(513)), [true, false]);
        assert_eq!(rates(Some(1_025)), [false, true]);
        assert_eq!(rates(None), [true, true]);
    }
}
