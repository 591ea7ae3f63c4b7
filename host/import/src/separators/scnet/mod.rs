//! `SCNet`, and the build of it that gives masks.

mod bands;
mod network;
mod recurrent;
mod sizes;

use std::path::Path;

use toml::Value;

use super::drawn::{Drawn, weights};
use super::settings::Settings;
use super::told::{Known, Told, number};
use crate::ImportError;
use crate::asked::{Asked, names_of};
use crate::drawing::DrawFault;
use crate::graphs::{DrawnSeparator, Transform, by_mean_and_deviation};
use crate::torch::{Entry, TorchFile};
use bands::{USUAL_SHARES, USUAL_STRIDES};
use network::Plan;
use sizes::{BANDS, Sizes};

/// What names of its weights begin with.
pub(super) const MARKS: &[&str] = &["encoder.0.SDlayer.convs.", "separation_net.dp_modules."];
/// What messages call a file with such weights.
const WHAT: &str = "separator of SCNet's architecture";
/// Samples of its transform and between frames, as the class and all published networks have them; and those of a piece where nobody
/// says it: eleven seconds.
const USUAL_N_FFT: u64 = 4_096;
const USUAL_HOP: u64 = 1_024;
const USUAL_SAMPLES: u64 = 485_100;
/// The longest transform that manifests have.
const MAX_N_FFT: u64 = 1 << 16;
/// The most frames of a piece, eight times those of the published networks: each becomes a frequency of all of them.
const MAX_FRAMES: u64 = 4_096;

/// What settings say of an `SCNet`.
#[derive(Debug)]
struct OfSettings {
    told: Told,
    n_fft: Option<u64>,
    hop: Option<u64>,
    win: Option<u64>,
    normalized: bool,
    /// Shares of the bins in the low and in the middle band.
    shares: Option<[f64; 2]>,
    strides: [u64; BANDS],
}

impl OfSettings {
    fn of(settings: &Settings) -> Result<Self, DrawFault> {
        let hop = settings.whole("model.hop_size")?;
        // What the class has where its settings say nothing.
        let usual_shares = settings.has("model.dims").then_some(USUAL_SHARES);
        let shares =
            numbers(settings, "model.band_SR")?.map(|[low, middle, _]: [f64; BANDS]| [low, middle]);
        Ok(Self {
            told: Told::of(settings, hop)?,
            n_fft: settings.whole("model.nfft")?,
            hop,
            win: settings.whole("model.win_size")?,
            normalized: settings.truth("model.normalized")?.unwrap_or(true),
            shares: shares.or(usual_shares),
            strides: numbers(settings, "model.band_stride")?.unwrap_or(USUAL_STRIDES),
        })
    }
}

/// The numbers of a setting that has one for each band.
fn numbers<T: std::str::FromStr + Copy>(
    settings: &Settings,
    name: &str,
) -> Result<Option<[T; BANDS]>, DrawFault> {
    let Some(texts) = settings.list(name)? else {
        return Ok(None);
    };
    let read = texts.iter().map(|text| text.parse().ok());
    let read: Option<Vec<T>> = read.collect();
    let read = read.and_then(|numbers| numbers.try_into().ok());
    let wrong = || {
        DrawFault::refused(format!(
            "says in {name} other than {BANDS} numbers, one for each band"
        ))
    };
    read.map(Some).ok_or_else(wrong)
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
    let weights = weights(file, dict, WHAT, &[]).map_err(fault)?;
    let sizes = Sizes::of(&weights).map_err(fault)?;
    let text = "Samples of its transform, mostly 4096; its settings (.yaml) call them nfft.";
    let n_fft = match sizes.masked_bins {
        Some(bins) => asked.settled("n_fft", text, &[], Some(2 * (bins.max(2) - 1))),
        None => asked.option("n_fft", text, &[], said.n_fft.unwrap_or(USUAL_N_FFT)),
    };
    let reason = format!("a transform has an even number of samples, 16 to {MAX_N_FFT}");
    let fits = |n_fft: &u64| (16..=MAX_N_FFT).contains(n_fft) && n_fft.is_multiple_of(2);
    let n_fft = asked.fitting("n_fft", n_fft, fits, &reason);
    let text = "Samples between its frames, mostly 1024; its settings (.yaml) call them hop_size.";
    let hop = asked.option("hop", text, &[], said.hop.unwrap_or(USUAL_HOP));
    let reason = "a hop is 1 sample to as many as the transform has";
    let most = n_fft.unwrap_or(MAX_N_FFT);
    let hop = asked.fitting("hop", hop, |hop| (1..=most).contains(hop), reason);
    let shares = shares(&mut asked, said.shares);
    let usual = (hop.unwrap_or(USUAL_HOP), USUAL_SAMPLES);
    let (evens_level, win, normalized) = (said.told.levels, said.win, said.normalized);
    let known = said.told.ask(&mut asked, sizes.stems, usual);
    let hops = known.as_ref().map(|known| hops_of(known.samples, usual.0));
    if hops.is_some_and(|hops| hops >= MAX_FRAMES) {
        let reason = format!("a piece has at most {MAX_FRAMES} frames, one more than hops");
        asked.wrong("samples", &reason);
    }
    asked.finish()?;
    let (Some(n_fft), Some(hop), Some(shares), Some(known), Some(hops)) =
        (n_fft, hop, shares, known, hops)
    else {
        return Err(fault(DrawFault::refused(
            "does not say what it is".to_owned(),
        )));
    };
    let bins = n_fft / 2 + 1;
    let plan = Plan {
        levels: bands::levels(bins, &sizes, (shares, said.strides)).map_err(fault)?,
        sizes,
        bins,
        frames: 1 + hops,
    };
    let network = network::draw(file, weights, &plan).map_err(fault)?;
    let bytes = network.into_bytes("scnet");
    let stft = vec![
        ("n_fft", number(n_fft)),
        ("hop", number(hop)),
        ("win", number(win.unwrap_or(n_fft))),
        ("normalized", Value::from(normalized)),
        ("silence_behind", number(hops * hop - known.samples)),
    ];
    let is_masked = plan.sizes.masked_bins.is_some();
    Ok((bytes, described(known, (is_masked, evens_level), stft)))
}

/// What there is to say of the graph.
fn described(
    known: Known,
    (is_masked, evens_level): (bool, bool),
    mut stft: Vec<(&'static str, Value)>,
) -> DrawnSeparator {
    // The one without masks gives torch no window.
    let (name, window, output) = if is_masked {
        ("SCNet separator that gives masks", "hann-periodic", "mask")
    } else {
        ("SCNet separator", "rect", "spectrum")
    };
    stft.push(("window", Value::from(window)));
    stft.push(("output", Value::from(output)));
    let step = (known.samples / known.pieces).max(1);
    DrawnSeparator {
        family: "mdx-net",
        what: format!("An {name}"),
        stems: known.stems,
        transform: Transform::Whole(stft),
        chunk: vec![
            ("samples", number(known.samples)),
            ("step", number(step)),
            ("border", number(known.samples - step)),
            ("edge", Value::from("reflect")),
            ("window", Value::from("linear-fade")),
            ("last", Value::from("mirror")),
        ],
        normalize: by_mean_and_deviation(evens_level),
        layouts: ["b (c k) f t", "b (s c k) f t"],
    }
}

/// Hops of a piece with the silence that is put behind it: more than the piece has, and an odd number, so that frames are an even one.
fn hops_of(samples: u64, hop: u64) -> u64 {
    let hops = samples / hop + 1;
    if hops.is_multiple_of(2) {
        hops + 1
    } else {
        hops
    }
}

/// Which bins are in which band. No weight tells it.
fn shares(asked: &mut Asked<'_>, known: Option<[f64; 2]>) -> Option<[f64; 2]> {
    let text = "Shares of the bins in the low and in the middle band, with a comma between them, such as 0.175,0.392 of SCNet, 0.225,0.372 of \
                SCNet-large; its settings (.yaml) call them band_SR.";
    let known = known.map(|[low, middle]| format!("{low},{middle}"));
    let said: String = asked.fact("bands", text, &[], known)?;
    let numbers = names_of(&said).map(|share| share.parse::<f64>().ok());
    let numbers: Option<Vec<f64>> = numbers.collect();
    let shares = match numbers.as_deref() {
        Some([low, middle] | [low, middle, _]) => Some([*low, *middle]),
        _ => None,
    };
    let fits = |shares: &[f64; 2]| {
        shares.iter().all(|share| *share > 0.0) && shares.iter().sum::<f64>() < 1.0
    };
    let shares = shares.filter(fits);
    if shares.is_none() {
        asked.wrong("bands", "two shares are above 0, and together below 1");
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_the_frames_that_the_original_gives_them() {
        // As published: 485,100 samples, a hop of 1,024.
        assert_eq!(hops_of(485_100, 1_024), 475);
        assert_eq!(hops_of(264_600, 1_024), 259);
        // A whole number of hops gets one more, or two.
        assert_eq!(hops_of(1_024 * 6, 1_024), 7);
        assert_eq!(hops_of(1_024 * 7, 1_024), 9);
    }
}
