//! UVR's VR models: those before version 5.1 (`CascadedASPPNet`) and those since (`CascadedNet`), as `lib_v5/vr_network` of
//! Anjok07/ultimatevocalremovergui has them.

mod network;
mod recurrent;
#[cfg(test)]
mod tests;
mod version;

use std::path::Path;

use toml::{Table, Value};

use super::drawn::{Drawn, weights};
use super::told::number;
use crate::asked::Asked;
use crate::drawing::DrawFault;
use crate::graphs::{DrawnSeparator, Stems, Transform};
use crate::known::{self, Bands};
use crate::torch::{Entry, TorchFile};
use crate::{ImportError, drawing::Weights};
use network::Plan;
use version::Version;

/// What names of its weights begin with.
pub(super) const MARKS: &[&str] = &[
    "stg1_low_band_net.",
    "stg1_high_band_net.",
    "stg3_full_band_net.",
];
/// What messages call a file with such weights.
const WHAT: &str = "VR model";
/// The question for the parameters of its bands, as UVR's own files about models call them.
const PARAMETERS: &str = "vr_model_param";
/// What else is kept, for training.
const PASSED_OVER: [&str; 4] = [
    "num_batches_tracked",
    "aux_out.weight",
    "aux1_out.weight",
    "aux2_out.weight",
];
/// How strongly the mask is bent, and frames of a piece, where nobody says it: UVR's own.
const USUAL_AGGRESSION: f64 = 5.0;
const USUAL_FRAMES: u64 = 512;
const MAX_FRAMES: u64 = 4_096;
/// Frames by which neighbouring pieces are faded into each other: those that the windows of the transform share.
const FADED_FRAMES: u64 = 4;

/// What is known once everything was asked.
struct Known {
    bands: Bands,
    name: String,
    stems: Stems,
    is_turned: bool,
    bent: Option<([f32; 2], u64)>,
    frames: u64,
}

/// Draws the network of a checkpoint, with what is known of it by its content.
pub(super) fn draw(
    (path, file): (&Path, &mut TorchFile),
    dict: Entry,
    by_content: Option<known::Vr>,
    mut asked: Asked<'_>,
) -> Result<Drawn, ImportError> {
    let fault = |fault: DrawFault| fault.of(path);
    let weights = weights(file, dict, WHAT, &PASSED_OVER).map_err(fault)?;
    let version = Version::of(&weights);
    let steps = steps(&weights, version);
    let known = ask(&mut asked, (version, steps), (&weights, by_content));
    asked.finish()?;
    let known = known
        .map_err(fault)?
        .ok_or_else(|| fault(DrawFault::refused("does not say what it is".to_owned())))?;
    let plan = Plan {
        version,
        bins: known.bands.bins,
        frames: known.frames,
        bent: known.bent,
        is_turned: known.is_turned,
    };
    let network = network::draw(file, weights, &plan).map_err(fault)?;
    let bytes = network.into_bytes("vr");
    let by_content = by_content.map_or("", |_| ", known by its content");
    let what = format!(
        "A VR model of UVR's {}{by_content}, bands {}",
        version.text(),
        known.name
    );
    Ok((bytes, described(known, version, what)))
}

/// Asks for what the weights do not say.
fn ask(
    asked: &mut Asked<'_>,
    (version, steps): (Version, u32),
    (weights, by_content): (&Weights, Option<known::Vr>),
) -> Result<Option<Known>, DrawFault> {
    let names: Vec<&str> = known::names_of_bands().collect();
    let text = "The parameters of its bands, by UVR's name for them; whoever published the model says it, and UVR shows it with the model.";
    let name: Option<String> = asked.fact(
        PARAMETERS,
        text,
        &names,
        by_content.map(|known| known.bands.to_owned()),
    );
    let bands = name.as_deref().and_then(known::bands);
    let heard = bins_read_along_frames(weights);
    let each = 1_u64 << (steps + 1);
    let reason = match heard {
        Some(bins) => format!("the network hears {bins} bins"),
        None => format!("the network halves its bins {} times", steps + 1),
    };
    let fits = |bands: &Bands| {
        heard.is_none_or(|bins| bins == bands.bins) && bands.bins.is_multiple_of(each)
    };
    let bands = asked.fitting(PARAMETERS, bands, fits, &reason);
    let stems = match by_content {
        Some(known) => match estimated(&known) {
            Some(word) => Some(Stems::of(&[word])),
            None if asked.names_said("stems").is_none() => {
                return Err(DrawFault::refused(format!(
                    "is a VR model of UVR's that estimates {} and nothing else, by its content; a separator gives the vocals, or all but \
                     the vocals, or what one of a single purpose gives",
                    known.stem
                )));
            }
            None => None,
        },
        None => None,
    };
    let stems = Stems::ask(asked, Some(1), stems);
    let text =
        "How strongly the mask is bent, -50 to 50; UVR calls it aggression setting, and has 5.";
    let aggression = asked.option("aggression", text, &[], USUAL_AGGRESSION);
    let is_known = |value: &f64| (-50.0..=50.0).contains(value);
    let aggression = asked.fitting(
        "aggression",
        aggression,
        is_known,
        "it is out of this range",
    );
    let text = "Frames of a piece that the network is shown at once; UVR calls it window size. More hear more of the song at once, and \
                take more memory.";
    let frames = asked.option("frames", text, &[], USUAL_FRAMES);
    let halved = 1_u64 << steps;
    let least = (2 * version.unsure_frames() + 2 * FADED_FRAMES).next_multiple_of(halved);
    let reason = format!("it must be a multiple of {halved}, {least} to {MAX_FRAMES}");
    let fits =
        |frames: &u64| frames.is_multiple_of(halved) && (least..=MAX_FRAMES).contains(frames);
    let frames = asked.fitting("frames", frames, fits, &reason);
    let (Some(name), Some(bands), Some(stems), Some(aggression), Some(frames)) =
        (name, bands, stems, aggression, frames)
    else {
        return Ok(None);
    };
    // What is wanted of a separator is what is heard in the mask's place; what its task leaves is what it takes away.
    let wanted = stems.instead_of_the_rest();
    let is_turned = wanted.is_some();
    // UVR bends masks of what it calls vocals more than those of the rest.
    let is_of_a_part = by_content.map_or(stems.is_of_voice(), |known| known.stem == "vocals");
    Ok(Some(Known {
        bent: bent(aggression, is_of_a_part, &bands),
        bands,
        name,
        stems: wanted.unwrap_or(stems),
        is_turned,
        frames,
    }))
}

/// What a known model estimates, in the words in which stems are asked for; nothing for a single instrument.
fn estimated(known: &known::Vr) -> Option<&'static str> {
    match (known.kind, known.stem) {
        (known::VrKind::Plain, "instrumental") => Some("backing"),
        (known::VrKind::Plain, stem @ ("vocals" | "no-reverb" | "no-echo" | "noise")) => Some(stem),
        (known::VrKind::Karaoke, "instrumental") | (known::VrKind::BackingVocals, "vocals") => {
            Some("no-lead")
        }
        (known::VrKind::Karaoke, "vocals") | (known::VrKind::BackingVocals, "instrumental") => {
            Some("lead")
        }
        _ => None,
    }
}

/// What the mask is raised to below and above a bin (`adjust_aggr` in UVR's `spec_utils.py`).
fn bent(aggression: f64, is_of_a_part: bool, bands: &Bands) -> Option<([f32; 2], u64)> {
    let strength = aggression / 50.0;
    if strength == 0.0 {
        return None;
    }
    let strength = if is_of_a_part {
        1.0 - strength
    } else {
        strength
    };
    let split = bands.each.first().map_or(0, |band| band.crop[1]);
    let exponents = [1.0 + strength / 3.0, 1.0 + strength];
    Some((exponents.map(|exponent| exponent as f32), split))
}

/// How often the network halves bins and frames of what it hears.
fn steps(weights: &Weights, version: Version) -> u32 {
    let levels = (1..)
        .map(|level| format!("stg3_full_band_net.enc{level}.conv1.conv.0.weight"))
        .skip(usize::from(version == Version::Newer))
        .take_while(|name| weights.find(name).is_some());
    levels.take(16).count() as u32
}

/// The bins that a newer network hears, told by what it reads along the frames: half of them.
fn bins_read_along_frames(weights: &Weights) -> Option<u64> {
    let dims = weights.find("stg3_full_band_net.lstm_dec2.lstm.weight_ih_l0")?;
    let half = *dims.get(1)?;
    half.checked_mul(2)
}

/// What the manifest says of it.
fn described(known: Known, version: Version, what: String) -> DrawnSeparator {
    let last = known.bands.each.last();
    let (rate_hz, hop) = last.map_or((0, 1), |band| (band.sample_rate_hz, band.hop));
    let unsure = version.unsure_frames();
    let kept = known.frames - 2 * unsure;
    DrawnSeparator {
        family: "band-mask",
        what,
        transform: Transform::Bands(rate_hz as u32, section(&known.bands, version)),
        chunk: vec![
            ("samples", number(known.frames * hop)),
            ("step", number(kept * hop)),
            ("border", number(unsure * hop)),
            ("trim", number((unsure - FADED_FRAMES / 2) * hop)),
            ("window", Value::from("linear-fade")),
            (
                "fade_frac",
                Value::from(FADED_FRAMES as f64 / known.frames as f64),
            ),
        ],
        stems: known.stems,
        normalize: Some("peak-magnitude"),
        layouts: ["b c f t", "b c f t"],
    }
}

/// The section of a manifest about bands.
fn section(bands: &Bands, version: Version) -> Table {
    let pair = |ends: [u64; 2]| Value::Array(ends.map(number).to_vec());
    let is_several = bands.each.len() > 1;
    let slope = match version {
        Version::Older if is_several => "decibels",
        _ => "linear",
    };
    let band = |band: &known::Band| {
        let stereo = match version {
            Version::Older => bands.stereo,
            Version::Newer => band.stereo,
        };
        let mut table = Table::new();
        let mut enter = |key: &str, value: Value| table.insert(key.to_owned(), value);
        enter("sample_rate_hz", number(band.sample_rate_hz));
        enter("n_fft", number(band.n_fft));
        enter("hop", number(band.hop));
        enter("crop", pair(band.crop));
        if let Some(ends) = band.high_pass {
            enter("high_pass", pair(ends));
        }
        if let Some(ends) = band.low_pass {
            enter("low_pass", pair(ends));
        }
        if let Some(stereo) = stereo {
            enter("stereo", Value::from(words_for(stereo)));
        }
        Value::Table(table)
    };
    let each: Vec<Value> = bands.each.iter().map(band).collect();
    let mut table = Table::new();
    table.insert("bins".to_owned(), number(bands.bins));
    table.insert("fade".to_owned(), pair(bands.fade));
    table.insert("fade_slope".to_owned(), Value::from(slope));
    table.insert("band".to_owned(), Value::Array(each));
    table
}

/// The word of manifests for one of UVR's.
fn words_for(stereo: &str) -> &'static str {
    match stereo {
        "mid_side" => "mid-side",
        "mid_side_b2" => "half-sides",
        "stereo_n" => "crossfeed",
        _ => "left-right",
    }
}
