use crate::drawing::DrawFault;
use crate::torch::{Document, Entry, Node};

/// What FCPE's settings have to be, where a file says them: those that its released networks were trained with, and the host computes
/// spectrograms and bins by. Sections, names, and numbers.
const NUMBERS: [(&str, &str, f64); 10] = [
    ("mel", "sampling_rate", 16_000.0),
    ("mel", "sr", 16_000.0),
    ("mel", "hop_size", 160.0),
    ("mel", "num_mels", 128.0),
    ("mel", "n_fft", 1_024.0),
    ("mel", "win_size", 1_024.0),
    ("mel", "fmin", 0.0),
    ("mel", "fmax", 8_000.0),
    ("model", "f0_min", 32.70),
    ("model", "f0_max", 1_975.5),
];
/// Where files have their settings: torchfcpe's, and those of the first releases.
const PLACES: [&str; 2] = ["config_dict", "config"];
/// How far a number may be from what it has to be.
const CLOSE: f64 = 1e-3;

/// Whether attentions compare queries and keys by their direction alone. A network of FCPE's that was trained with other settings than
/// these is refused.
pub(super) fn is_normed(document: &Document) -> Result<bool, DrawFault> {
    let settings = document.root().and_then(|root| {
        let mut places = PLACES.into_iter();
        places.find_map(|place| document.member_entry(root, place))
    });
    let Some(settings) = settings else {
        return Ok(false);
    };
    for (section, name, wanted) in NUMBERS {
        let found = member(document, settings, section, name).and_then(|node| number(&node));
        if let Some(found) = found.filter(|found| (found - wanted).abs() > CLOSE) {
            return Err(DrawFault::refused(format!(
                "is an FCPE of another build: its setting {section}.{name} is {found}, and only {wanted} is supported"
            )));
        }
    }
    let normed = member(document, settings, "model", "use_fa_norm");
    Ok(matches!(normed, Some(Node::Bool(true))))
}

fn member(document: &Document, settings: Entry, section: &str, name: &str) -> Option<Node> {
    let section = document.member_entry(settings, section)?;
    document.member(section, name).cloned()
}

fn number(node: &Node) -> Option<f64> {
    match node {
        Node::Int(number) => Some(*number as f64),
        Node::Float(number) => Some(*number),
        _ => None,
    }
}
