//! Estimators of pitch: RMVPE (from a spectrogram, or from a wave), FCPE and CREPE.

use toml::Value;

use super::order::Order;
use crate::asked::Asked;
use crate::draft::Draft;
use crate::loaded::{Axis, Loaded, declare, may_be, text};
use crate::onnx::{give_salience, refuse_random_nodes, salience_in};
use crate::{ImportError, Imported};
use vocalhost_onnx::{Dim, Element, Port};

/// Bins that all of them have, and the mel bands of their spectrograms.
const BINS: u64 = 360;
const MELS: u64 = 128;
/// Samples of a frame that CREPE hears.
const FRAME: u64 = 1_024;
/// Cents over 10 Hz of the first bin, and from bin to bin (`torchcrepe.convert`, RMVPE's table).
const CENTS: (f64, f64) = (1_997.379_408_437_619, 20.0);
/// The same of FCPE, whose bins stand evenly between 32.70 and 1975.5 Hz (`CFNaiveMelPE` of torchfcpe: `f0_min`, `f0_max`).
const CENTS_OF_FCPE: (f64, f64) = (2_051.148_762_868_03, 19.777_548_970_585_9);
/// Sound that is heard beyond what is estimated.
const CONTEXT_S: f64 = 1.0;
/// Frames that RMVPE pools into one, five times two (`infer/lib/rmvpe.py`).
const RMVPE_POOLS: i64 = 32;
/// Sound that RMVPE hears beyond what is estimated: four times as many.
const RMVPE_CONTEXT_S: f64 = 1.28;

/// The estimators that are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Estimator {
    /// Mel bands first: RMVPE.
    Rmvpe,
    /// Frames first: FCPE.
    Fcpe,
    /// Frames of sound: CREPE.
    Crepe,
    /// A wave, and the pitch itself: RMVPE with its spectrogram inside.
    Wave,
}

/// The input with the salience below which a frame is unvoiced, of graphs that find the pitch themselves.
const THRESHOLD: &str = "threshold";

const ONE: Axis = Axis::Is(1);
const FRAMES: Axis = Axis::Any("T");

impl Estimator {
    fn of(graph: &Loaded<'_>) -> Option<Self> {
        let salience = salience_before_pitch(graph);
        let inputs = graph.file.inputs();
        let heard = heard(graph, salience);
        let takes =
            |axes: &[Axis]| matches!(heard[..], [port] if has(port, axes, |length| length == 1));
        // Not every exporter says how many bins come out.
        let gives =
            |axes: &[Axis]| graph.output().dims.is_none() || has(graph.output(), axes, |_| true);
        let bins = salience.is_some() || gives(&[ONE, FRAMES, Axis::Is(BINS)]);
        if inputs.iter().any(|port| port.name == "waveform") {
            let known = |port: &&Port<'_>| matches!(port.name, "waveform" | THRESHOLD);
            return inputs.iter().all(known).then_some(Self::Wave);
        }
        if takes(&[ONE, Axis::Is(MELS), FRAMES]) && bins {
            return Some(Self::Rmvpe);
        }
        if takes(&[ONE, FRAMES, Axis::Is(MELS)]) && bins {
            return Some(Self::Fcpe);
        }
        let frames = takes(&[FRAMES, Axis::Is(FRAME)]);
        (frames && gives(&[FRAMES, Axis::Is(BINS)])).then_some(Self::Crepe)
    }

    fn family(self) -> &'static str {
        match self {
            Self::Rmvpe | Self::Fcpe => "salience-f0",
            Self::Crepe => "frames-f0",
            Self::Wave => "wave-f0",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Rmvpe => "RMVPE, from spectrograms",
            Self::Fcpe => "FCPE, from spectrograms",
            Self::Crepe => "CREPE, from frames of sound",
            Self::Wave => "RMVPE, from waves",
        }
    }
}

/// The tensor with the salience of each bin, of a graph that is told a threshold and finds the pitch itself.
fn salience_before_pitch<'a>(graph: &Loaded<'a>) -> Option<&'a str> {
    let inputs = graph.file.inputs();
    let takes = |name: &str| inputs.iter().any(|port| port.name == name);
    let finds_pitch = takes(THRESHOLD) && !takes("waveform");
    finds_pitch.then(|| salience_in(&graph.file)).flatten()
}

/// The inputs of a graph but for the threshold of one that is cut behind its salience.
fn heard<'g, 'a>(graph: &'g Loaded<'a>, salience: Option<&str>) -> Vec<&'g Port<'a>> {
    let mut inputs = graph.file.inputs();
    inputs.retain(|port| salience.is_none() || port.name != THRESHOLD);
    inputs
}

/// The port has as many axes as these, and none of those with a fixed length is declared with another length, or left open where
/// `may_be_open` does not allow it. Whether lengths of sound may change is asked later, so that a graph of one length is known for what
/// it is, and refused for that.
fn has(port: &Port<'_>, axes: &[Axis], may_be_open: fn(u64) -> bool) -> bool {
    let fits = |dims: &Vec<Dim<'_>>| {
        let mut pairs = dims.iter().zip(axes);
        let is_as_long = |(dim, axis): (&Dim<'_>, &Axis)| match axis {
            Axis::Is(length) => dim
                .fixed()
                .map_or(may_be_open(*length), |found| found == *length),
            Axis::Any(_) => true,
        };
        dims.len() == axes.len() && pairs.all(is_as_long)
    };
    let is_float = [Element::F32, Element::F16].contains(&port.element);
    is_float && port.dims.as_ref().is_some_and(fits)
}

/// What to do with an estimator that is none of these, but can be told: exporters of w-okada's forks let graphs of spectrograms find the
/// pitch itself.
pub(super) fn hint(graph: &Loaded<'_>) -> Option<&'static str> {
    let inputs = graph.file.inputs();
    let of_mels = |port: &&Port<'_>| {
        let mut dims = port.dims.iter().flatten();
        dims.any(|dim| dim.fixed() == Some(MELS))
    };
    let is_told = inputs.iter().any(|port| port.name == THRESHOLD);
    (is_told && inputs.iter().any(of_mels)).then_some(
        "; an estimator of pitch from spectrograms is needed in the form that gives the salience of 360 bins, one that finds the pitch \
         itself in the form that takes waves",
    )
}

pub(super) fn is(graph: &Loaded<'_>) -> bool {
    Estimator::of(graph).is_some()
}

pub(super) fn import(order: &Order<'_, '_>, mut asked: Asked<'_>) -> Result<Imported, ImportError> {
    let graph = order.graph;
    refuse_random_nodes(&graph.file).map_err(|fault| graph.refused(fault.to_string()))?;
    let Some(estimator) = Estimator::of(graph) else {
        return Err(graph.refused("is no estimator of pitch"));
    };
    let salience = salience_before_pitch(graph);
    // RVC's own thresholds; w-okada asks its export, whose output is `pitchf`, for a higher one, and deiteris asks its own.
    let usual = match estimator {
        Estimator::Wave if graph.output().name == "pitchf" => 0.3,
        Estimator::Rmvpe if salience.is_some() => 0.05,
        Estimator::Rmvpe | Estimator::Wave => 0.03,
        Estimator::Fcpe => 0.006,
        Estimator::Crepe => 0.1,
    };
    let text = "Salience below which a frame is unvoiced, 0 to 1.";
    let threshold = asked.option("threshold", text, &[], usual);
    asked.finish()?;
    let mut draft = Draft::new(order.request, graph.path, "f0", estimator.family());
    let mut edit = graph.edit();
    for port in heard(graph, salience) {
        let (role, axes) = input(estimator, port);
        if !may_be(port, &axes) {
            return Err(graph.refused(format!(
                "takes {}; export it with an axis that changes with the length of the sound",
                crate::loaded::text(port)
            )));
        }
        draft.tensor(declare(&mut edit, port, "in", role, &axes));
    }
    let out = graph.output();
    if let Some(salience) = salience {
        give_salience(&graph.file, &mut edit, (salience, out.name), THRESHOLD);
    }
    let (role, axes) = output(estimator, out)
        .filter(|(_, axes)| salience.is_some() || may_be(out, axes))
        .ok_or_else(|| graph.refused(format!("gives {}, which is no pitch", self::text(out))))?;
    draft.tensor(declare(&mut edit, out, "out", role, &axes));
    draft.section(
        "audio",
        [
            ("sample_rate_hz", Value::from(16_000)),
            ("channels", Value::from(1)),
        ],
    );
    let threshold = threshold.unwrap_or(usual);
    numbers(&mut draft, estimator, threshold);
    graph.write(&mut draft, "f0.onnx", &edit)?;
    draft.finish(vec![format!(
        "An estimator of pitch: {}. What has a salience below {threshold} is unvoiced.",
        estimator.name()
    )])
}

fn input(estimator: Estimator, port: &Port<'_>) -> (&'static str, Vec<Axis>) {
    let rank = port.dims.as_ref().map(Vec::len);
    let samples = Axis::Any("N");
    match estimator {
        Estimator::Rmvpe => ("mel", vec![ONE, Axis::Is(MELS), FRAMES]),
        Estimator::Fcpe => ("mel", vec![ONE, FRAMES, Axis::Is(MELS)]),
        Estimator::Crepe => ("frames", vec![FRAMES, Axis::Is(FRAME)]),
        Estimator::Wave if port.name == THRESHOLD => {
            ("threshold", vec![ONE; rank.unwrap_or(0).min(1)])
        }
        Estimator::Wave => match rank {
            Some(1) => ("source_wave", vec![samples]),
            Some(3) => ("source_wave", vec![ONE, ONE, samples]),
            _ => ("source_wave", vec![ONE, samples]),
        },
    }
}

fn output(estimator: Estimator, port: &Port<'_>) -> Option<(&'static str, Vec<Axis>)> {
    let rank = port.dims.as_ref().map(Vec::len);
    let last_is_one = port.dims.as_ref().and_then(|dims| dims.last()?.fixed()) == Some(1);
    Some(match (estimator, rank) {
        (Estimator::Crepe, _) => ("salience", vec![FRAMES, Axis::Is(BINS)]),
        (Estimator::Rmvpe | Estimator::Fcpe, _) => ("salience", vec![ONE, FRAMES, Axis::Is(BINS)]),
        (Estimator::Wave, Some(1)) => ("f0", vec![FRAMES]),
        (Estimator::Wave, None | Some(2)) => ("f0", vec![ONE, FRAMES]),
        (Estimator::Wave, Some(3)) if last_is_one => ("f0", vec![ONE, FRAMES, ONE]),
        (Estimator::Wave, Some(3)) => ("f0", vec![ONE, ONE, FRAMES]),
        (Estimator::Wave, _) => return None,
    })
}

/// The numbers around each of them: `infer/lib/rmvpe.py` of RVC, `mel_extractor.py` and `models_infer.py` of torchfcpe, and
/// torchcrepe.
fn numbers(draft: &mut Draft<'_>, estimator: Estimator, threshold: f64) {
    let context_s = match estimator {
        Estimator::Rmvpe | Estimator::Wave => RMVPE_CONTEXT_S,
        Estimator::Fcpe | Estimator::Crepe => CONTEXT_S,
    };
    draft.section(
        "f0",
        [
            ("hop", Value::from(160)),
            ("threshold", Value::from(threshold)),
            ("context_s", Value::from(context_s)),
            ("repair", Value::from(false)),
        ],
    );
    if estimator == Estimator::Wave {
        return;
    }
    let mut set = |key: &str, value: Value| draft.entry("f0", key, value);
    set("n_fft", Value::from(1_024));
    set("bins", Value::from(BINS as i64));
    let (base, step) = match estimator {
        Estimator::Fcpe => CENTS_OF_FCPE,
        _ => CENTS,
    };
    set("cents_base", Value::from(base));
    set("cents_step", Value::from(step));
    if estimator == Estimator::Crepe {
        // Bins outside of what RVC asks it for cannot win.
        set("fmin_hz", Value::from(50.0));
        set("fmax_hz", Value::from(1_100.0));
        // A graph that does it, too, hears no difference.
        set("standardize", Value::from(true));
        set("decode", Value::from("viterbi"));
        return;
    }
    set("mels", Value::from(MELS as i64));
    set("fmax_hz", Value::from(8_000.0));
    set("mel_norm", Value::from("slaney"));
    set("log_floor", Value::from(1e-5));
    if estimator == Estimator::Fcpe {
        set("fmin_hz", Value::from(0.0));
        set("mel_scale", Value::from("slaney"));
        set("power_floor", Value::from(1e-9));
        set("lead", Value::from(432));
        set("decode", Value::from("local-argmax"));
    } else {
        set("fmin_hz", Value::from(30.0));
        set("mel_scale", Value::from("htk"));
        set("pad_multiple", Value::from(RMVPE_POOLS));
        set("decode", Value::from("local-average"));
    }
}
