//! Cross-checks of a separator's manifest.

use super::super::contract::names;
use super::super::fault::{Fault, in_range, require, section};
use super::super::manifest::{Direction, ElementType, Family, Manifest, TensorRole, TensorSpec};
use super::bag::{self, BagOf, EnsembleFacts};
use super::bands_check;
use super::layout::{Layout, Sizes};
use super::sections::{
    Chunk, Divisor, Edge, JoinWindow, LastPiece, LevelNormalization, Padding, SpectralOutput,
    Stems, StftFormat,
};
use super::task::Task;

/// The longest piece: over a minute and a half at 44.1 kHz, eight times what any known model takes.
const MAX_PIECE_SAMPLES: usize = 1 << 22;
/// The longest transform; known models stop at 16,384.
pub(super) const MAX_N_FFT: u32 = 1 << 16;
/// The most values of a tensor, half a gigabyte of them, so that a manifest cannot make the host allocate without
/// limit.
const MAX_TENSOR_VALUES: usize = 1 << 27;
/// The most overlapping pieces; tools for these models use eight at most.
const MAX_PIECES_OVER_EACH_OTHER: usize = 64;
/// The most samples that the frames of a piece have in total: ten times those of a known model.
pub(super) const MAX_FRAME_SAMPLES: usize = 1 << 26;
/// The most passes over a recording; people who want the last tenth of a decibel use ten.
const MOST_SHIFTS: u32 = 20;
/// The most stems of a graph; known ones have six at most.
const MAX_STEMS: usize = 16;

/// The stem that a manifest leaves to the host.
pub(super) fn residual(stems: &Stems, task: Task) -> &str {
    stems.residual.as_deref().unwrap_or(task.usual_residual())
}

/// Lengths of the axes of a separator's tensors, for pieces of `samples` samples.
pub(super) fn sizes(manifest: &Manifest, samples: usize) -> Sizes {
    Sizes {
        stems: manifest.stems.as_ref().map_or(0, |stems| stems.names.len()),
        channels: manifest.audio.channels as usize,
        bins: match (&manifest.stft, &manifest.bands) {
            (Some(stft), _) => stft.bins(),
            (None, Some(bands)) => bands.bins(),
            (None, None) => 0,
        },
        frames: match (&manifest.stft, &manifest.bands) {
            (Some(stft), _) => stft.frames_of(samples),
            (None, Some(bands)) => bands.frames_of(samples),
            (None, None) => 0,
        },
        samples,
    }
}

/// Checks what only separators have.
pub(crate) fn check(manifest: &Manifest) -> Result<(), Fault> {
    in_range(
        f64::from(manifest.audio.channels),
        1.0,
        2.0,
        "audio.channels",
    )?;
    foreign_sections(manifest)?;
    let facts = section(manifest.separator.as_ref(), "separator")?;
    in_range(facts.compensate, 0.1, 10.0, "separator.compensate")?;
    let declared = section(manifest.stems.as_ref(), "stems")?;
    stems(declared, facts.task)?;
    require(
        manifest.ensemble.is_some() == (manifest.family == Family::Ensemble),
        "ensemble",
        "this section belongs to the family ensemble, which needs it",
    )?;
    if let Some(ensemble) = &manifest.ensemble {
        return of_others(manifest, ensemble);
    }
    if let Some(bag) = &manifest.bag {
        bag::check_bag(bag, declared.names.len())?;
    }
    transforms(manifest)?;
    if let Some(stft) = &manifest.stft {
        transform_numbers(stft, manifest.family)?;
    }
    let pieces = section(manifest.chunk.as_ref(), "chunk")?;
    let samples = piece_length(pieces, manifest.stft.as_ref())?;
    piece_numbers(pieces, samples)?;
    if let Some(stft) = &manifest.stft {
        reach(stft, samples)?;
    }
    if let Some(bands) = &manifest.bands {
        bands_check::check(bands, manifest, samples)?;
    }
    tensors(manifest, samples)
}

/// Checks that a separator has the transforms that its family needs, and no others.
fn transforms(manifest: &Manifest) -> Result<(), Fault> {
    let wanted = match manifest.family {
        Family::WaveToStems => None,
        Family::BandMask => Some("bands"),
        _ => Some("stft"),
    };
    for (key, is_there) in [
        ("stft", manifest.stft.is_some()),
        ("bands", manifest.bands.is_some()),
    ] {
        require(
            is_there == (wanted == Some(key)),
            key,
            match (is_there, wanted) {
                (false, _) => "this section is required for this family",
                (true, None) => "this family has its transforms inside the graph",
                (true, Some(_)) => "this family has no such section",
            },
        )?;
    }
    let facts = section(manifest.separator.as_ref(), "separator")?;
    require(
        facts.normalize != LevelNormalization::PeakMagnitude || manifest.family == Family::BandMask,
        "separator.normalize",
        "peak-magnitude is for the family band-mask",
    )
}

/// Checks that an ensemble has no graphs and arithmetic of its own, since it uses its members'.
fn of_others(manifest: &Manifest, ensemble: &EnsembleFacts) -> Result<(), Fault> {
    for (key, is_there) in [
        ("bag", manifest.bag.is_some()),
        ("stft", manifest.stft.is_some()),
        ("chunk", manifest.chunk.is_some()),
        ("bands", manifest.bands.is_some()),
        ("tensor", !manifest.tensors.is_empty()),
    ] {
        require(!is_there, key, "ensembles have no such section")?;
    }
    let facts = section(manifest.separator.as_ref(), "separator")?;
    let is_plain = facts.normalize == LevelNormalization::None
        && !facts.denoise
        && (facts.compensate - 1.0).abs() < f64::EPSILON;
    require(
        is_plain,
        "separator",
        "normalize, compensate and denoise are the members' own",
    )?;
    bag::check_ensemble(ensemble)
}

fn foreign_sections(manifest: &Manifest) -> Result<(), Fault> {
    for (key, is_there) in [
        ("voice", manifest.voice.is_some()),
        ("rvc", manifest.rvc.is_some()),
        ("index", manifest.index.is_some()),
        ("content", manifest.content.is_some()),
        ("normalize", manifest.normalize.is_some()),
        ("f0", manifest.f0.is_some()),
        ("segment", manifest.segment.is_some()),
    ] {
        require(!is_there, key, "separators have no such section")?;
    }
    Ok(())
}

fn stems(stems: &Stems, task: Task) -> Result<(), Fault> {
    let residual = residual(stems, task);
    let whole = task.stems();
    require(
        whole.contains(&residual),
        "stems.residual",
        format!("must be one of {}", whole.join(", ")),
    )?;
    require(
        (1..=MAX_STEMS).contains(&stems.names.len()),
        "stems.names",
        format!("must be 1 to {MAX_STEMS} names"),
    )?;
    for (place, name) in stems.names.iter().enumerate() {
        require(
            !stems.names[..place].contains(name),
            "stems.names",
            format!("{name:?} is there twice"),
        )?;
    }
    for stem in whole.iter().filter(|stem| **stem != residual) {
        require(
            stems.names.iter().any(|name| name == stem),
            "stems.names",
            format!("{stem:?} is missing, which this task needs"),
        )?;
    }
    Ok(())
}

fn transform_numbers(stft: &StftFormat, family: Family) -> Result<(), Fault> {
    let within = |value: u32, low: u32, high: u32, key: &str| {
        require(
            (low..=high).contains(&value),
            key,
            format!("must be {low} to {high}, is {value}"),
        )
    };
    within(stft.n_fft, 16, MAX_N_FFT, "stft.n_fft")?;
    require(stft.n_fft.is_multiple_of(2), "stft.n_fft", "must be even")?;
    within(stft.hop, 1, stft.n_fft, "stft.hop")?;
    let most_bins = stft.n_fft / 2 + 1;
    within(stft.win.unwrap_or(stft.n_fft), 2, stft.n_fft, "stft.win")?;
    within(
        stft.keep_bins.unwrap_or(most_bins),
        1,
        most_bins,
        "stft.keep_bins",
    )?;
    within(
        stft.zero_low_bins,
        0,
        stft.bins() as u32,
        "stft.zero_low_bins",
    )?;
    within(stft.frames.unwrap_or(1), 1, 1 << 20, "stft.frames")?;
    within(stft.frame_offset, 0, 64, "stft.frame_offset")?;
    within(stft.extra_pad_left, 0, stft.n_fft, "stft.extra_pad_left")?;
    within(
        stft.silence_behind,
        0,
        2 * stft.n_fft,
        "stft.silence_behind",
    )?;
    in_range(
        stft.inverse_scale.unwrap_or(1.0),
        1e-3,
        1e3,
        "stft.inverse_scale",
    )?;
    let is_magnitude = stft.output == SpectralOutput::Magnitude;
    require(
        is_magnitude == (family == Family::SpleeterMask),
        "stft.output",
        "must be magnitude for the family spleeter-mask, and is not for others",
    )
}

/// Checks that frames reach beyond a piece by less than its length, as it is mirrored only once, or not at all.
fn reach(stft: &StftFormat, samples: usize) -> Result<(), Fault> {
    let length = stft.heard_of(samples) as i64;
    let first = stft.first_sample();
    let frame_samples = stft.frames_of(samples).checked_mul(stft.n_fft as usize);
    require(
        frame_samples.is_some_and(|samples| samples <= MAX_FRAME_SAMPLES),
        "stft.hop",
        format!("a piece must have at most {MAX_FRAME_SAMPLES} samples in all its frames together"),
    )?;
    let hops = stft.frames_of(samples) as i64 - 1;
    let last_end = first + hops * i64::from(stft.hop) + i64::from(stft.n_fft);
    let beyond = (-first).max(last_end - length);
    match stft.pad {
        Padding::None => require(
            beyond <= 0,
            "stft.pad",
            format!("is none, and frames reach {beyond} samples beyond a piece"),
        ),
        Padding::Reflect | Padding::Zeros => require(
            beyond < length,
            "stft",
            format!("frames reach {beyond} samples beyond a piece, which has {length}"),
        ),
    }
}

fn piece_length(chunk: &Chunk, stft: Option<&StftFormat>) -> Result<usize, Fault> {
    let samples = chunk.piece_samples(stft);
    require(
        samples.is_some(),
        "chunk",
        "needs either samples, or frames and an [stft] section",
    )?;
    let samples = samples.unwrap_or_default();
    require(
        (1..=MAX_PIECE_SAMPLES).contains(&samples),
        "chunk",
        format!("a piece must have 1 to {MAX_PIECE_SAMPLES} samples, has {samples}"),
    )?;
    Ok(samples)
}

fn piece_numbers(chunk: &Chunk, samples: usize) -> Result<(), Fault> {
    let trim = chunk.trim as usize;
    require(
        2 * trim < samples,
        "chunk.trim",
        "must leave something of a piece",
    )?;
    in_range(chunk.overlap.unwrap_or(0.0), 0.0, 0.99, "chunk.overlap")?;
    let step = chunk.step_samples(samples).unwrap_or_default();
    let counted = samples - 2 * trim;
    let least = (samples / MAX_PIECES_OVER_EACH_OTHER).max(1);
    require(
        (least..=counted).contains(&step),
        "chunk.step",
        format!("step or overlap must give {least} to {counted} samples, gives {step}"),
    )?;
    let border = chunk.border_samples();
    require(
        (trim..=samples).contains(&border),
        "chunk.border",
        format!("must be {trim} (chunk.trim) to {samples}, is {border}"),
    )?;
    in_range(chunk.fade_frac, 0.0, 0.5, "chunk.fade_frac")?;
    let counts = chunk.window == JoinWindow::Rect
        && chunk.last == LastPiece::Pad
        && trim == 0
        && samples.is_multiple_of(step)
        && border >= samples - step;
    require(
        chunk.divisor != Divisor::One || (chunk.window == JoinWindow::Rect && trim == 0),
        "chunk.divisor",
        "one needs the window rect and no trim",
    )?;
    policies(chunk, trim)?;
    require(
        chunk.divisor != Divisor::Constant || counts,
        "chunk.divisor",
        "constant needs the window rect, the policy pad for the last piece, no trim, a border of samples - step, and a \
         step that divides a piece",
    )
}

/// Checks that settings of a policy for the ends of a recording occur only with that policy.
fn policies(chunk: &Chunk, trim: usize) -> Result<(), Fault> {
    let is_tapered = chunk.last == LastPiece::Taper;
    let fill_to = chunk.fill_to.map_or(1, |samples| samples as usize);
    require(
        chunk.fill_to.is_some() == is_tapered && (1..=MAX_PIECE_SAMPLES).contains(&fill_to),
        "chunk.fill_to",
        format!("belongs to the policy taper for the last piece: 1 to {MAX_PIECE_SAMPLES} samples"),
    )?;
    require(
        trim == 0 || !matches!(chunk.last, LastPiece::Taper | LastPiece::Mirror),
        "chunk.trim",
        "must be 0 with the policies taper and mirror for the last piece",
    )?;
    require(
        chunk.last != LastPiece::Mirror || chunk.edge == Edge::Reflect,
        "chunk.edge",
        "must be reflect with the policy mirror for the last piece",
    )?;
    require(
        chunk.shifts <= MOST_SHIFTS,
        "chunk.shifts",
        format!("must be 0 to {MOST_SHIFTS}"),
    )?;
    require(
        chunk.shifts == 0 || chunk.last == LastPiece::Center,
        "chunk.shifts",
        "need the policy center for the last piece",
    )
}

/// Checks the roles of the family, the axes of layouts, and the shapes that follow from them.
fn tensors(manifest: &Manifest, samples: usize) -> Result<(), Fault> {
    names(manifest)?;
    roles(manifest)?;
    let mut sizes = sizes(manifest, samples);
    if manifest
        .bag
        .as_ref()
        .is_some_and(|bag| bag.of == BagOf::Stems)
    {
        sizes.stems = 1;
    }
    for tensor in &manifest.tensors {
        let key = |field: &str| format!("tensor.{}.{field}", tensor.name);
        require(
            tensor.dtype == ElementType::F32,
            &key("dtype"),
            "must be f32",
        )?;
        let text = section(tensor.layout.as_ref(), &key("layout"))?;
        let layout = Layout::parse(text).map_err(|reason| Fault {
            key: key("layout"),
            reason,
        })?;
        let (needed, allowed) = axes(tensor, manifest, sizes);
        require(
            layout.is_of(&needed, &allowed),
            &key("layout"),
            format!("must have the axes {needed:?} and may have {allowed:?}"),
        )?;
        let values = layout
            .shape(&sizes)
            .iter()
            .try_fold(1_usize, |product, length| product.checked_mul(*length));
        require(
            values.is_some_and(|values| values <= MAX_TENSOR_VALUES),
            &key("shape"),
            format!("must have at most {MAX_TENSOR_VALUES} values"),
        )?;
        require(
            layout.fits(tensor, &sizes),
            &key("shape"),
            format!(
                "must be {:?} (letters only for batch, frames and samples)",
                layout.shape(&sizes)
            ),
        )?;
    }
    Ok(())
}

/// The axes that a tensor must have, and those that it may have besides.
fn axes(tensor: &TensorSpec, manifest: &Manifest, sizes: Sizes) -> (String, String) {
    let is_wave = matches!(tensor.role, TensorRole::MixWave | TensorRole::StemsWave);
    let mut needed = if is_wave { "n" } else { "ft" }.to_owned();
    let mut allowed = "b".to_owned();
    let mut add = |axis, is_needed| {
        if is_needed {
            needed.push(axis);
        } else {
            allowed.push(axis);
        }
    };
    add('c', sizes.channels > 1);
    if tensor.io == Direction::Out {
        add('s', sizes.stems > 1);
    }
    match tensor.role {
        TensorRole::MixSpec => add('k', true),
        TensorRole::StemsSpec => {
            let output = manifest.stft.map(|stft| stft.output);
            if manifest.family != Family::BandMask {
                add('k', output != Some(SpectralOutput::Mask));
            }
        }
        _ => {}
    }
    (needed, allowed)
}

fn roles(manifest: &Manifest) -> Result<(), Fault> {
    use TensorRole::{
        MixMagnitude, MixSpec, MixSpecIm, MixSpecRe, MixWave, StemsMagnitude, StemsSpec,
        StemsSpecIm, StemsSpecRe, StemsWave,
    };
    let sets: [&[&[TensorRole]]; 2] = match manifest.family {
        Family::WaveToStems => [&[&[MixWave]], &[&[StemsWave]]],
        Family::DemucsSplit => [&[&[MixWave, MixSpec]], &[&[StemsWave, StemsSpec]]],
        Family::RoformerSpec => [
            &[&[MixSpec], &[MixSpecRe, MixSpecIm]],
            &[&[StemsSpec], &[StemsSpecRe, StemsSpecIm]],
        ],
        Family::SpleeterMask => [&[&[MixMagnitude]], &[&[StemsMagnitude]]],
        Family::BandMask => [&[&[MixMagnitude]], &[&[StemsSpec]]],
        _ => [&[&[MixSpec]], &[&[StemsSpec]]],
    };
    for (io, sets) in [Direction::In, Direction::Out].into_iter().zip(sets) {
        let found: Vec<TensorRole> = manifest
            .tensors
            .iter()
            .filter(|tensor| tensor.io == io)
            .map(|tensor| tensor.role)
            .collect();
        let is_set = |set: &&[TensorRole]| {
            set.len() == found.len() && set.iter().all(|role| found.contains(role))
        };
        let word = match io {
            Direction::In => "inputs",
            Direction::Out => "outputs",
        };
        require(
            sets.iter().any(is_set),
            "tensor",
            format!("the {word} of this family have the roles {sets:?}, these are {found:?}"),
        )?;
    }
    Ok(())
}
