//! Demucs of the fourth generation: with its transforms in the graph (a wave in, waves out), and with them outside (wave and
//! spectrum in, waves and spectra out, which the host adds up). Several graphs are a bag.

use toml::Value;

use super::order::Order;
use super::stems::{ONE, Stems, begin, laid_out, lengths, lighten, no_random_nodes, write_graphs};
use crate::ImportError;
use crate::Imported;
use crate::asked::Asked;
use crate::draft::Draft;
use crate::loaded::{Axis, Loaded};
use vocalhost_onnx::{Edit, Port};

/// Samples of a segment: 39/5 seconds, as all published models have them.
pub(super) const SEGMENT: u64 = 343_980;
/// Samples between its frames, and length of its transforms (`htdemucs.py`).
const HOP: u64 = 1_024;
const N_FFT: u64 = 4_096;
/// What a person may say that waves of four or six stems come from.
const DEMUCS: &str = "demucs";
const OTHER: &str = "mdx23c";
/// The most passes over a recording.
const MOST_SHIFTS: u64 = 20;

/// A wave in and waves out.
#[derive(Debug, Clone, Copy)]
struct Waves<'l, 'a> {
    input: &'l Port<'a>,
    output: &'l Port<'a>,
    /// Those of a segment where the graph leaves them open.
    samples: u64,
    is_open: bool,
    /// How many, when the graph says it.
    stems: Option<u64>,
}

/// The spectra beside them.
#[derive(Debug, Clone, Copy)]
struct Spectra<'l, 'a> {
    input: &'l Port<'a>,
    output: &'l Port<'a>,
    /// How many, when the graph says it.
    stems: Option<u64>,
    bins: u64,
    frames: u64,
}

fn wave<'l, 'a>(ports: &[&'l Port<'a>]) -> Option<(&'l Port<'a>, Option<u64>)> {
    ports.iter().find_map(|port| match lengths(port)?[..] {
        [None | Some(1), Some(2), samples] => Some((*port, samples)),
        _ => None,
    })
}

fn waves<'l, 'a>(graph: &'l Loaded<'a>) -> Option<Waves<'l, 'a>> {
    let (input, declared) = wave(&graph.file.inputs())?;
    let samples = declared.unwrap_or(SEGMENT);
    let outputs = graph.file.graph.outputs.iter();
    // Exporters leave lengths open that they cannot follow through a transform.
    let mut outputs = outputs.filter_map(|port| match lengths(port).as_deref() {
        None => Some((port, None)),
        Some([None | Some(1), stems, None | Some(2), found])
            if found.is_none_or(|found| found == samples) =>
        {
            Some((port, *stems))
        }
        Some(_) => None,
    });
    let (output, stems) = outputs.next()?;
    Some(Waves {
        input,
        output,
        samples,
        is_open: declared.is_none(),
        stems,
    })
}

fn spectra<'l, 'a>(graph: &'l Loaded<'a>) -> Option<Spectra<'l, 'a>> {
    let inputs = graph.file.inputs();
    let (input, bins, frames) = inputs.iter().find_map(|port| match lengths(port)?[..] {
        [None | Some(1), Some(4), Some(bins), Some(frames)] => Some((*port, bins, frames)),
        _ => None,
    })?;
    let outputs = graph.file.graph.outputs.iter();
    let wanted = [Axis::Is(4), Axis::Is(bins), Axis::Is(frames)];
    let mut outputs = outputs.filter_map(|port| {
        let lengths = lengths(port)?;
        let fits = |(found, wanted): (&Option<u64>, &Axis)| {
            found.is_none_or(|found| Axis::Is(found) == *wanted)
        };
        let is_spectra = lengths.len() == 5 && lengths[2..].iter().zip(&wanted).all(fits);
        is_spectra.then(|| (port, lengths[1]))
    });
    let (output, stems) = outputs.next()?;
    Some(Spectra {
        input,
        output,
        stems,
        bins,
        frames,
    })
}

pub(super) fn is_split(graph: &Loaded<'_>) -> bool {
    let has_waves = waves(graph).is_some_and(|waves| !waves.is_open);
    graph.file.inputs().len() == 2 && has_waves && spectra(graph).is_some()
}

/// As many stems as a Demucs may have, or the segment that only Demucs has.
pub(super) fn is_whole(graph: &Loaded<'_>) -> bool {
    let waves = waves(graph);
    // Of open lengths only the stems tell, and waves of one stem may be anything that hears a wave.
    let is_one = |waves: Waves<'_, '_>| match (waves.is_open, waves.stems) {
        (true, stems) => matches!(stems, Some(4 | 6)),
        (false, stems) => is_usual(stems) || waves.samples == SEGMENT,
    };
    graph.file.inputs().len() == 1 && waves.is_some_and(is_one)
}

/// Whether a Demucs has so many stems; one that nobody knows may be such a number.
fn is_usual(stems: Option<u64>) -> bool {
    matches!(stems, None | Some(4 | 6))
}

/// Waves of four or six stems are also what a separator such as MDX23C gives, which wants its recording in other pieces and not
/// normalised, and has its stems in another order: unless the segment or the number of graphs tells, a person does. The stems
/// that a person names count where the graph does not say how many there are.
pub(super) fn import_whole(
    order: &Order<'_, '_>,
    mut asked: Asked<'_>,
) -> Result<Imported, ImportError> {
    let waves = waves(order.graph);
    let is_segment = waves.is_some_and(|waves| waves.samples == SEGMENT && !waves.is_open);
    let stems = waves.and_then(|waves| waves.stems);
    let text = "What made it: demucs, which hears normalised segments, or another separator of waves, such as mdx23c.";
    let told = if is_segment || !order.more.is_empty() {
        Some(DEMUCS.to_owned())
    } else {
        let is_other = !is_usual(stems.or(asked.names_said("stems")));
        is_other.then(|| OTHER.to_owned())
    };
    let architecture = asked.settled("architecture", text, &[DEMUCS, OTHER], told);
    match architecture.as_deref() {
        Some(DEMUCS) => import(order, asked, None),
        Some(_) => super::waves::import(order, asked),
        None => Err(asked.so_far()),
    }
}

pub(super) fn import_split(
    order: &Order<'_, '_>,
    asked: Asked<'_>,
) -> Result<Imported, ImportError> {
    let Some(spectra) = spectra(order.graph) else {
        return Err(order.graph.refused("is no Demucs"));
    };
    import(order, asked, Some(spectra))
}

fn import(
    order: &Order<'_, '_>,
    mut asked: Asked<'_>,
    spectra: Option<Spectra<'_, '_>>,
) -> Result<Imported, ImportError> {
    let graph = order.graph;
    no_random_nodes(order)?;
    let Some(waves) = waves(graph) else {
        return Err(graph.refused("is no Demucs"));
    };
    // An exporter that could not follow the waves through a transform may still say it of the spectra.
    let stated = waves.stems.or(spectra.and_then(|spectra| spectra.stems));
    let known = stated.and_then(Stems::of_demucs);
    let stems = Stems::ask(&mut asked, stated, known);
    let Some(count) = stated.or(stems.as_ref().map(Stems::count)) else {
        // What a bag counts of each stem depends on it.
        return Err(asked.so_far());
    };
    let (overlap, shifts) = passes(&mut asked);
    let weights = weights(order, &mut asked, count);
    asked.finish()?;
    let (Some(stems), Some(overlap), Some(shifts), Some(weights)) =
        (stems, overlap, shifts, weights)
    else {
        return Err(graph.refused("does not say what it is"));
    };
    let family = if spectra.is_some() {
        "demucs-split"
    } else {
        "wave-to-stems"
    };
    let mut draft = begin(order, family, &stems);
    draft.entry("separator", "normalize", "mean-std-mono");
    draft.section(
        "chunk",
        [
            ("samples", Value::from(waves.samples as i64)),
            ("overlap", Value::from(overlap)),
            ("window", Value::from("triangle")),
            ("last", Value::from("center")),
            ("shifts", Value::from(shifts as i64)),
        ],
    );
    if let Some(spectra) = spectra {
        transform(graph, &mut draft, waves, spectra)?;
    }
    let mut edit = graph.edit();
    for entry in tensors(&mut edit, (waves, count), spectra) {
        draft.tensor(entry);
    }
    let lightened = lighten(graph, &mut edit);
    let graphs = write_graphs(order, &mut draft, &edit, |graph, edit| {
        if let Some(waves) = self::waves(graph) {
            let spectra = spectra.and_then(|_| self::spectra(graph));
            tensors(edit, (waves, count), spectra);
        }
        lighten(graph, edit);
    })?;
    if !graphs.is_empty() && !weights.is_empty() {
        draft.entry("bag", "weights", Value::Array(weights));
    }
    let mut found = what(waves, spectra, &stems, graphs.len());
    found.extend(lightened.text());
    draft.finish(found)
}

/// How much segments have in common, and how many passes there are.
fn passes(asked: &mut Asked<'_>) -> (Option<f64>, Option<u64>) {
    let overlap = asked.option(
        "overlap",
        "Share of a segment that it has in common with the next, 0 to 0.99.",
        &[],
        0.25,
    );
    let shifts = asked.option(
        "shifts",
        "Number of passes over a recording, each a little later, whose mean counts, at most 20; 0 is one pass.",
        &[],
        0_u64,
    );
    let fits = |shifts: &u64| *shifts <= MOST_SHIFTS;
    let shifts = asked.fitting("shifts", shifts, fits, "they are more than 20");
    (overlap, shifts)
}

/// What a person reads of it.
fn what(
    waves: Waves<'_, '_>,
    spectra: Option<Spectra<'_, '_>>,
    stems: &Stems,
    graphs: usize,
) -> Vec<String> {
    let form = match spectra {
        Some(_) => "with its transforms outside of the graph",
        None => "with its transforms in the graph",
    };
    let mut found = vec![format!("Demucs, {form}; it estimates {}.", stems.text())];
    if waves.is_open {
        found.push(format!(
            "It takes any length and is shown {SEGMENT} samples at a time."
        ));
    }
    found.extend(stems.without_a_file());
    if graphs > 0 {
        found.push(format!("{graphs} graphs make one package."));
    }
    found
}

fn transform(
    graph: &Loaded<'_>,
    draft: &mut Draft<'_>,
    waves: Waves<'_, '_>,
    spectra: Spectra<'_, '_>,
) -> Result<(), ImportError> {
    let frames = waves.samples.div_ceil(HOP);
    if (spectra.bins, spectra.frames) != (N_FFT / 2, frames) {
        return Err(graph.refused(format!(
            "has spectra of {} bins and {} frames, where Demucs has {} and {frames} for {} samples",
            spectra.bins,
            spectra.frames,
            N_FFT / 2,
            waves.samples
        )));
    }
    draft.section(
        "stft",
        [
            ("n_fft", Value::from(N_FFT as i64)),
            ("hop", Value::from(HOP as i64)),
            ("normalized", Value::from(true)),
            ("keep_bins", Value::from((N_FFT / 2) as i64)),
            ("extra_pad_left", Value::from((HOP / 2 * 3) as i64)),
            ("frames", Value::from(frames as i64)),
            ("frame_offset", Value::from(2)),
        ],
    );
    Ok(())
}

fn tensors(
    edit: &mut Edit<'_, '_>,
    (waves, stems): (Waves<'_, '_>, u64),
    spectra: Option<Spectra<'_, '_>>,
) -> Vec<toml::Table> {
    let (two, samples, stems) = (Axis::Is(2), Axis::Is(waves.samples), Axis::Is(stems));
    let mut entries = vec![
        laid_out(
            edit,
            waves.input,
            ("in", "mix_wave"),
            &[ONE, two, samples],
            "b c n",
        ),
        laid_out(
            edit,
            waves.output,
            ("out", "stems_wave"),
            &[ONE, stems, two, samples],
            "b s c n",
        ),
    ];
    if let Some(spectra) = spectra {
        let (parts, bins, frames) = (
            Axis::Is(4),
            Axis::Is(spectra.bins),
            Axis::Is(spectra.frames),
        );
        let axes = [ONE, parts, bins, frames];
        entries.push(laid_out(
            edit,
            spectra.input,
            ("in", "mix_spec"),
            &axes,
            "b (c k) f t",
        ));
        let axes = [ONE, stems, parts, bins, frames];
        entries.push(laid_out(
            edit,
            spectra.output,
            ("out", "stems_spec"),
            &axes,
            "b s (c k) f t",
        ));
    }
    entries
}

/// What each graph of a bag counts for each stem; nothing for one graph and for graphs that count the same.
fn weights(order: &Order<'_, '_>, asked: &mut Asked<'_>, stems: u64) -> Option<Vec<Value>> {
    if order.more.is_empty() {
        return Some(Vec::new());
    }
    let graphs = order.more.len() as u64 + 1;
    let text = format!(
        "What each graph counts for each stem: equal, or one-hot where each graph is for the stem of its place (as \
         htdemucs_ft), or {graphs} rows with semicolons between them, of {stems} numbers with commas between them."
    );
    let said: String = asked.fact("weights", &text, &[], None)?;
    let row = |row: Vec<f64>| Value::Array(row.into_iter().map(Value::from).collect());
    let rows: Option<Vec<Vec<f64>>> = match said.trim() {
        "equal" => return Some(Vec::new()),
        "one-hot" if graphs == stems => {
            let of = |graph| (0..stems).map(move |stem| f64::from(u8::from(graph == stem)));
            Some((0..graphs).map(|graph| of(graph).collect()).collect())
        }
        rows => {
            let numbers = |row: &str| {
                row.split(',')
                    .map(|number| number.trim().parse().ok())
                    .collect()
            };
            rows.split(';').map(numbers).collect()
        }
    };
    let fits = |rows: &Vec<Vec<f64>>| {
        rows.len() as u64 == graphs && rows.iter().all(|row| row.len() as u64 == stems)
    };
    let Some(rows) = rows.filter(fits) else {
        let reason = format!("it is none of these, for {graphs} graphs and {stems} stems");
        asked.wrong("weights", &reason);
        return None;
    };
    Some(rows.into_iter().map(row).collect())
}
