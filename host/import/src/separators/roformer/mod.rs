//! `BS-RoFormer` and Mel-Band `RoFormer`.

mod attention;
mod bands;
mod network;
mod sizes;

use std::path::Path;

use toml::Value;

use super::drawn::{Drawn, weights};
use super::settings::{RATE_HZ, Settings};
use super::told::{Told, number};
use crate::ImportError;
use crate::asked::Asked;
use crate::drawing::DrawFault;
use crate::graphs::{DrawnSeparator, Transform, by_mean_and_deviation};
use crate::torch::{Entry, TorchFile};
use bands::Bands;
use network::Plan;
use sizes::Sizes;

/// What names of its weights begin with.
pub(super) const MARKS: &[&str] = &["band_split.to_features.", "mask_estimators."];
/// What messages call a file with such weights.
const WHAT: &str = "RoFormer separator of the builds that are drawn here";
/// What else its programs keep: which bins a band hears, and rotations.
const PASSED_OVER: [&str; 6] = [
    "freq_indices",
    "freqs_per_band",
    "num_freqs_per_band",
    "num_bands_per_freq",
    "cached_freqs",
    "rotary_embed.dummy",
];
/// Samples between frames where settings do not say it, and those of a piece where nobody does: eight seconds.
const USUAL_HOP: u64 = 512;
const USUAL_SAMPLES: u64 = 8 * RATE_HZ;

/// What settings say of a `RoFormer`.
#[derive(Debug)]
struct OfSettings {
    told: Told,
    n_fft: Option<u64>,
    hop: Option<u64>,
    win: Option<u64>,
    normalized: bool,
    rate_hz: f64,
    skips: bool,
    silences_lowest: bool,
}

impl OfSettings {
    fn of(settings: &Settings) -> Result<Self, DrawFault> {
        if settings.truth("model.use_pope")? == Some(true) {
            return Err(DrawFault::refused(
                "says use_pope, which is not supported; export the model as ONNX".to_owned(),
            ));
        }
        let hop = settings.whole("model.stft_hop_length")?;
        let hop = hop.or(settings.has("model.dim").then_some(USUAL_HOP));
        let rate_hz = settings.whole("model.sample_rate")?.unwrap_or(RATE_HZ);
        let yes = |name: &str| Ok::<_, DrawFault>(settings.truth(name)? == Some(true));
        Ok(Self {
            told: Told::of(settings, hop)?,
            n_fft: settings.whole("model.stft_n_fft")?,
            hop,
            win: settings.whole("model.stft_win_length")?,
            normalized: yes("model.stft_normalized")?,
            rate_hz: rate_hz as f64,
            skips: yes("model.skip_connection")?,
            silences_lowest: settings.truth("model.zero_dc")?.unwrap_or(true),
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
    let (bands, name) = bands(&sizes, &said).map_err(fault)?;
    let n_fft = 2 * (bands.bins - 1);
    let text = "Samples between its frames, mostly 441 or 512; its settings (.yaml) call them stft_hop_length.";
    let hop = asked.fact("hop", text, &[], said.hop);
    let reason = format!("its transforms have {n_fft} samples, and hops are 1 to as many");
    let hop = asked.fitting("hop", hop, |hop| (1..=n_fft).contains(hop), &reason);
    let (win, levels) = (said.win.unwrap_or(n_fft), said.told.levels);
    let usual = (hop.unwrap_or(USUAL_HOP), USUAL_SAMPLES);
    let known = said.told.ask(&mut asked, sizes.stems as u64, usual);
    asked.finish()?;
    let (Some(hop), Some(known)) = (hop, known) else {
        return Err(fault(DrawFault::refused(
            "does not say what it is".to_owned(),
        )));
    };
    let plan = Plan {
        frames: 1 + known.samples / hop,
        bands,
        sizes,
        skips: said.skips,
        silences_lowest: said.silences_lowest,
    };
    let network = network::draw(file, weights, &plan).map_err(fault)?;
    let bytes = network.into_bytes("roformer");
    let drawn = DrawnSeparator {
        family: "roformer-spec",
        what: format!("A {name}, transforms of {n_fft} samples"),
        stems: known.stems,
        transform: Transform::Whole(vec![
            ("n_fft", number(n_fft)),
            ("hop", number(hop)),
            ("win", number(win)),
            ("normalized", Value::from(said.normalized)),
            ("output", Value::from("mask")),
        ]),
        chunk: vec![
            ("samples", number(known.samples)),
            ("step", number((known.samples / known.pieces).max(1))),
            ("window", Value::from("hamming-symmetric")),
            ("last", Value::from("align-end")),
        ],
        normalize: by_mean_and_deviation(levels),
        layouts: [
            "b (f c) t k",
            if plan.sizes.stems > 1 {
                "b s (f c) t k"
            } else {
                "b (f c) t k"
            },
        ],
    };
    Ok((bytes, drawn))
}

/// The bins of the bands, and what such a network is called.
fn bands(sizes: &Sizes, said: &OfSettings) -> Result<(Bands, &'static str), DrawFault> {
    let mel = Bands::of_mel(&sizes.widths, said.n_fft, said.rate_hz);
    let mel = mel.map(|bands| (bands, "Mel-Band RoFormer"));
    let found = mel.or_else(|| {
        let bands = Bands::in_a_row(&sizes.widths, said.n_fft)?;
        Some((bands, "BS-RoFormer"))
    });
    found.ok_or_else(|| {
        DrawFault::refused(match said.n_fft {
            Some(n_fft) => format!(
                "has {} bands that do not fit a transform of {n_fft} samples, as its settings say (stft_n_fft)",
                sizes.widths.len()
            ),
            None => "has bands that lie over each other in a way that is not known here; give its settings (.yaml) as well"
                .to_owned(),
        })
    })
}
