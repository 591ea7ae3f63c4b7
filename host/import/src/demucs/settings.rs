//! What a checkpoint of Demucs says of its network: the arguments of its class, which are read and never passed to anything.

use crate::drawing::DrawFault;
use crate::torch::{Document, Entry, Name, Node};
use vocalhost_letters::words::quoted;

/// What messages call a file with the weights of a Demucs.
pub(super) const WHAT: &str = "Demucs of the fourth generation";
/// The sample rate of every recording that it takes.
pub(super) const RATE: u64 = 44_100;
/// The shortest and the longest piece that is drawn, in samples; the published ones have 343,980.
const PIECES: std::ops::RangeInclusive<u64> = 4_096..=60 * RATE;
/// The most stems.
const MAX_STEMS: usize = 16;

/// The settings of a network that its weights do not tell, with the defaults that its class has for them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Settings {
    /// Its stems in their order.
    pub(super) sources: Vec<String>,
    /// Samples of a piece.
    pub(super) samples: u64,
    /// The stride of the kernels of its branches.
    pub(super) stride: u64,
    /// Groups of channels that are normalised together.
    pub(super) groups: u64,
    /// Whether each convolution of a residual branch looks twice as far as the one before.
    pub(super) widens: bool,
    /// What the embedding of frequencies is multiplied by, one after the other.
    pub(super) embedding: [f32; 2],
    /// Heads of each attention.
    pub(super) heads: u64,
    /// Whether the transformer's layers look at the other branch first.
    pub(super) crosses_first: bool,
    /// The longest period of the positional encoding, and the weight of the encoding.
    pub(super) positions: (f32, f32),
    /// Whether the transformer's own layers have GELU; otherwise they have `ReLU`.
    pub(super) has_gelu: bool,
}

/// Settings that must have these values, since they decide how the network is put together.
const NUMBERS: [(&str, f64); 4] = [
    ("audio_channels", 2.0),
    ("samplerate", RATE as f64),
    ("nfft", 4_096.0),
    ("t_sin_random_shift", 0.0),
];
const SWITCHES: [(&str, bool); 8] = [
    ("cac", true),
    ("multi_freqs", false),
    ("use_train_segment", true),
    ("t_norm_in", true),
    ("t_norm_first", true),
    ("t_group_norm", false),
    ("t_sparse_self_attn", false),
    ("t_sparse_cross_attn", false),
];

/// Whether a document is what Demucs saves of a network of the fourth generation.
pub(super) fn is_one(document: &Document) -> bool {
    let class = document
        .root()
        .and_then(|root| document.member(root, "klass"));
    matches!(class, Some(Node::Name(Name::HtDemucs)))
}

impl Settings {
    /// Reads the arguments in `kwargs` and `args` beside the class.
    pub(super) fn of(document: &Document) -> Result<Self, DrawFault> {
        let root = document.root();
        let part = |name: &str| root.and_then(|root| document.member_entry(root, name));
        let named = part("kwargs");
        let read = Arguments { document, named };
        read.check()?;
        let placed = part("args").and_then(|args| document.elements(args));
        let placed = placed.unwrap_or_default();
        let sources = match (read.get("sources"), placed) {
            (Some(sources), []) | (None, &[sources]) => read.names(sources)?,
            _ => return Err(refused("does not say which stems it has, in sources")),
        };
        Ok(Self {
            sources,
            samples: read.samples()?,
            stride: read.whole("stride", 4, (2, 16))?,
            groups: read.whole("norm_groups", 4, (1, 1_024))?,
            widens: read.number("dconv_depth", 2.0)? > 0.0,
            embedding: [
                read.number("emb_scale", 10.0)? as f32,
                read.number("freq_emb", 0.2)? as f32,
            ],
            heads: read.whole("t_heads", 8, (1, 256))?,
            crosses_first: read.switch("t_cross_first", false),
            positions: (
                read.number("t_max_period", 10_000.0)? as f32,
                read.number("t_weight_pos_embed", 1.0)? as f32,
            ),
            has_gelu: read.switch("t_gelu", true),
        })
    }
}

/// The arguments of a network's class.
struct Arguments<'d> {
    document: &'d Document,
    named: Option<Entry>,
}

impl Arguments<'_> {
    fn get(&self, key: &str) -> Option<Entry> {
        self.document.member_entry(self.named?, key)
    }

    /// Refuses what makes it another network.
    fn check(&self) -> Result<(), DrawFault> {
        for (key, wanted) in NUMBERS {
            let said = self.number(key, wanted)?;
            if said.to_bits() != wanted.to_bits() {
                let reason = format!(
                    "is a Demucs of another build: its {key} is {said}, and only {wanted} is supported"
                );
                return Err(DrawFault::refused(reason));
            }
        }
        for (key, wanted) in SWITCHES {
            if self.switch(key, wanted) != wanted {
                let (is, only) = if wanted { ("off", "on") } else { ("on", "off") };
                let reason = format!(
                    "is a Demucs of another build: its {key} is {is}, and only {only} is supported"
                );
                return Err(DrawFault::refused(reason));
            }
        }
        match self.get("t_emb").map(|entry| self.document.get(entry)) {
            Some(Node::Text(word)) if word != "sin" => Err(DrawFault::refused(format!(
                "is a Demucs of another build: its t_emb is {}, and only \"sin\" is supported",
                quoted(word)
            ))),
            _ => Ok(()),
        }
    }

    fn number(&self, key: &str, otherwise: f64) -> Result<f64, DrawFault> {
        let Some(entry) = self.get(key) else {
            return Ok(otherwise);
        };
        match self.document.get(entry) {
            Node::None | Node::Bool(false) => Ok(0.0),
            _ => self
                .document
                .number(entry)
                .filter(|number| number.is_finite() && number.abs() <= 1e9)
                .ok_or_else(|| refused(&format!("has a setting {key} that is no usable number"))),
        }
    }

    fn whole(
        &self,
        key: &str,
        otherwise: u64,
        (least, most): (u64, u64),
    ) -> Result<u64, DrawFault> {
        let number = self.number(key, otherwise as f64)?;
        let whole = number as u64;
        if number.fract() == 0.0 && number >= 0.0 && (least..=most).contains(&whole) {
            return Ok(whole);
        }
        Err(refused(&format!(
            "has a setting {key} of {number}, where {least} to {most} are possible"
        )))
    }

    /// A setting that Python takes as true or false.
    fn switch(&self, key: &str, otherwise: bool) -> bool {
        let Some(entry) = self.get(key) else {
            return otherwise;
        };
        match self.document.get(entry) {
            Node::None => false,
            Node::Bool(yes) => *yes,
            Node::Int(number) => *number != 0,
            Node::Float(number) => *number != 0.0,
            Node::Text(text) => !text.is_empty(),
            Node::List(elements) => !elements.is_empty(),
            Node::Dict(pairs) => !pairs.is_empty(),
            Node::Tensor(_) | Node::Name(_) | Node::Storage { .. } => true,
        }
    }

    fn names(&self, list: Entry) -> Result<Vec<String>, DrawFault> {
        let fault = || refused("has stems (sources) that are no list of short names");
        let elements = self.document.elements(list).ok_or_else(fault)?;
        let names = elements
            .iter()
            .map(|entry| match self.document.get(*entry) {
                Node::Text(name) if is_name(name) => Ok(name.clone()),
                _ => Err(fault()),
            });
        let names = names.collect::<Result<Vec<_>, _>>()?;
        if (1..=MAX_STEMS).contains(&names.len()) {
            Ok(names)
        } else {
            Err(fault())
        }
    }

    /// How long a piece is: so many seconds, or a fraction of them.
    fn samples(&self) -> Result<u64, DrawFault> {
        let samples = match self.get("segment") {
            None => Some(10 * RATE),
            Some(entry) => match self.document.get(entry) {
                Node::Text(fraction) => of_fraction(fraction),
                _ => self.document.number(entry).and_then(of_seconds),
            },
        };
        samples
            .filter(|samples| PIECES.contains(samples))
            .ok_or_else(|| refused("has a segment that is no usable number of seconds"))
    }
}

/// Samples of so many seconds, cut off as its program does; nothing for a length that no piece has.
pub(super) fn of_seconds(seconds: f64) -> Option<u64> {
    let samples = (seconds * RATE as f64).trunc();
    let is_length = samples >= *PIECES.start() as f64 && samples <= *PIECES.end() as f64;
    is_length.then_some(samples as u64)
}

fn of_fraction(text: &str) -> Option<u64> {
    let (over, under) = text.split_once('/').unwrap_or((text, "1"));
    let (over, under): (u64, u64) = (over.parse().ok()?, under.parse().ok()?);
    over.checked_mul(RATE)?.checked_div(under)
}

/// Whether a word can be the name of a stem.
fn is_name(word: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_- ".contains(letter);
    (1..=40).contains(&word.len()) && word.chars().all(is_letter)
}

fn refused(reason: &str) -> DrawFault {
    DrawFault::refused(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_a_number_of_seconds_or_a_fraction() {
        assert_eq!(of_fraction("39/5"), Some(343_980));
        assert_eq!(of_fraction("8"), Some(352_800));
        assert_eq!(of_seconds(7.8), Some(343_980));
        for other in ["39/0", "-1/5", "a/b", "18446744073709551615/1"] {
            assert_eq!(of_fraction(other), None, "{other}");
        }
        for other in [f64::NAN, -1.0, 1e300, 0.01] {
            assert_eq!(of_seconds(other), None, "{other}");
        }
    }
}
