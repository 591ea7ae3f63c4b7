//! MDX23C, the third version of TFC-TDF ("KUIELab-MDX-Net", Kim and others 2021; "Sound Demixing Challenge 2023", its third place).

mod network;
mod sizes;

use std::path::Path;

use toml::Value;

use super::drawn::{Drawn, weights};
use super::settings::Settings;
use super::told::{Told, number};
use crate::ImportError;
use crate::asked::Asked;
use crate::drawing::DrawFault;
use crate::graphs::{DrawnSeparator, Transform, by_mean_and_deviation};
use crate::torch::{Entry, TorchFile};
use network::Plan;
use sizes::{Activation, Norm, Sizes};

/// What names of its weights begin with.
pub(super) const MARKS: &[&str] = &[
    "first_conv.",
    "encoder_blocks.0.tfc_tdf.",
    "bottleneck_block.",
];
/// What messages call a file with such weights.
const WHAT: &str = "separator of MDX23C's architecture";
/// What else is kept, for training.
const PASSED_OVER: [&str; 1] = ["num_batches_tracked"];
/// Samples between frames and frames of a piece where nobody says it, as in the published networks.
const USUAL_HOP: u64 = 1_024;
const USUAL_FRAMES: u64 = 256;
/// The longest transform that manifests have.
const MAX_N_FFT: u64 = 1 << 16;

/// What settings say of an MDX23C.
#[derive(Debug)]
struct OfSettings {
    told: Told,
    n_fft: Option<u64>,
    hop: Option<u64>,
    norm: Norm,
    activation: Activation,
}

impl OfSettings {
    fn of(settings: &Settings) -> Result<Self, DrawFault> {
        let hop = settings.whole("audio.hop_length")?;
        Ok(Self {
            told: Told::of(settings, hop)?,
            n_fft: settings.whole("audio.n_fft")?,
            hop,
            norm: Norm::of(settings.text("model.norm")?)?,
            activation: Activation::of(settings.text("model.act")?)?,
        })
    }
}

/// Draws the network of a checkpoint.
pub(super) fn draw(
    (path, file): (&Path, &mut TorchFile),
    dict: Entry,
    (settings, config): (&Settings, &Path),
    mut asked: Asked<'_>,
) -> Result<Drawn, ImportError> {
    let said = OfSettings::of(settings).map_err(|fault| fault.of(config))?;
    let fault = |fault: DrawFault| fault.of(path);
    let weights = weights(file, dict, WHAT, &PASSED_OVER).map_err(fault)?;
    let sizes = Sizes::of(&weights).map_err(fault)?;
    let (n_fft, hop) = transform(&mut asked, (said.n_fft, said.hop), sizes.bins);
    let usual_hop = hop.unwrap_or(USUAL_HOP);
    let levels = said.told.levels;
    let usual = (usual_hop, usual_hop * (USUAL_FRAMES - 1));
    let known = said.told.ask(&mut asked, sizes.stems, usual);
    // What is halved on the way down must come to the same length on the way up.
    let each = sizes.scale[0].saturating_pow(sizes.levels as u32);
    let halves = |samples: u64| (1 + samples / usual_hop).is_multiple_of(each);
    if known.as_ref().is_some_and(|known| !halves(known.samples)) {
        let reason = format!("a piece must have a multiple of {each} frames, one more than hops");
        asked.wrong("samples", &reason);
    }
    asked.finish()?;
    let (Some(n_fft), Some(hop), Some(known)) = (n_fft, hop, known) else {
        return Err(fault(DrawFault::refused(
            "does not say what it is".to_owned(),
        )));
    };
    let plan = Plan {
        frames: 1 + known.samples / hop,
        norm: said.norm,
        activation: said.activation,
        sizes,
    };
    let network = network::draw(file, weights, &plan).map_err(fault)?;
    let bytes = network.into_bytes("mdx23c");
    let step = (known.samples / known.pieces).max(1);
    let mut chunk = vec![
        ("samples", number(known.samples)),
        ("step", number(step)),
        ("border", number(known.samples - step)),
        ("window", Value::from("rect")),
    ];
    // Where pieces do not lie over each other evenly, their number is counted.
    if known.samples.is_multiple_of(step) {
        chunk.push(("divisor", Value::from("constant")));
    }
    let drawn = DrawnSeparator {
        family: "mdx-net",
        what: format!("An MDX23C separator, transforms of {n_fft} samples"),
        stems: known.stems,
        transform: Transform::Whole(vec![
            ("n_fft", number(n_fft)),
            ("hop", number(hop)),
            ("keep_bins", number(plan.sizes.bins)),
        ]),
        chunk,
        normalize: by_mean_and_deviation(levels),
        layouts: ["b (c k) f t", "b (s c k) f t"],
    };
    Ok((bytes, drawn))
}

/// Samples of its transform and between its frames.
fn transform(
    asked: &mut Asked<'_>,
    (n_fft, hop): (Option<u64>, Option<u64>),
    bins: u64,
) -> (Option<u64>, Option<u64>) {
    let text = "Samples of its transform, such as 8192; its settings (.yaml) say it (n_fft).";
    let n_fft = asked.fact("n_fft", text, &[], n_fft);
    let least = 2 * (bins - 1);
    let reason =
        format!("its {bins} bins come from a transform of an even length, {least} to {MAX_N_FFT}");
    let fits = |n_fft: &u64| (least..=MAX_N_FFT).contains(n_fft) && n_fft.is_multiple_of(2);
    let n_fft = asked.fitting("n_fft", n_fft, fits, &reason);
    let text = "Samples between its frames, mostly 1024; its settings (.yaml) say it (hop_length).";
    let hop = asked.fact("hop", text, &[], hop);
    let reason = "a hop is 1 sample to as many as the transform has";
    let most = n_fft.unwrap_or(MAX_N_FFT);
    let hop = asked.fitting("hop", hop, |hop| (1..=most).contains(hop), reason);
    (n_fft, hop)
}
