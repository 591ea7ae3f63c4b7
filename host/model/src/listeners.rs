//! Cross-checks of content encoders and F0 estimators.

use super::contract::{TensorContract, optional, tensor, tensors};
use super::fault::{Fault, in_range, require, section};
use super::identity::is_identity;
use super::limits::MAX_CONTENT_DIM;
use super::manifest::{Direction, ElementType, Family, Manifest, TensorRole};
use super::sections::{Content, Decode, F0};

/// The rate that content encoders and F0 estimators listen at.
pub(super) const LISTENING_RATE_HZ: u32 = 16_000;
const FLOATS: &[ElementType] = &[ElementType::F32, ElementType::F16];
const SINGLE: &[ElementType] = &[ElementType::F32];
const INTEGERS: &[ElementType] = &[ElementType::I64];
/// The most outputs of a content encoder that can be told apart: all layers of the largest encoder, the input of the first, and some that
/// are named twice.
const MAX_OUTPUTS: usize = 64;
/// The longest window of an encoder for live conversions, two seconds: a live conversion keeps that much.
pub(super) const MAX_LIVE_VECTORS: u32 = 100;
/// The most frames that a live estimator gives at once: a block and its look-ahead never have more.
const MAX_LIVE_FRAMES: u32 = 300;

/// Checks a content encoder.
pub(super) fn content(manifest: &Manifest) -> Result<(), Fault> {
    let content = section(manifest.content.as_ref(), "content")?;
    require(content.rate_hz == 50, "content.rate_hz", "must be 50")?;
    require(
        content.dim >= 1 && content.dim <= MAX_CONTENT_DIM,
        "content.dim",
        format!("must be 1 to {MAX_CONTENT_DIM}"),
    )?;
    in_range(content.context_s, 0.0, 10.0, "content.context_s")?;
    identity(content.identity.as_deref(), "content.identity")?;
    if let Some(live) = &content.live {
        require(
            (1..=MAX_LIVE_VECTORS).contains(&live.vectors),
            "content.live.vectors",
            format!("must be 1 to {MAX_LIVE_VECTORS}"),
        )?;
        require(
            live.first < live.vectors,
            "content.live.first",
            "must be one of the window's vectors",
        )?;
    }
    match &manifest.normalize {
        Some(normalize) => in_range(normalize.rms, 0.001, 1.0, "normalize.rms")?,
        // Encoders of the HuBERT kind take sound as it is; all others must state the level that they want.
        None => require(
            content.layer.is_some() || !content.outputs.is_empty(),
            "normalize",
            "this section is required without content.layer",
        )?,
    }
    outputs(manifest, content)?;
    let mut contract = vec![
        tensor(
            Direction::In,
            TensorRole::SourceWave,
            FLOATS,
            "1 1 N | 1 N | N",
        ),
        optional(TensorRole::Mask, INTEGERS, "1 N"),
        optional(TensorRole::Layer, INTEGERS, "- | 1"),
    ];
    let mut dims: Vec<u32> = content.outputs.iter().map(|output| output.dim).collect();
    if dims.is_empty() {
        dims.push(content.dim);
    }
    let shapes: Vec<String> = dims
        .iter()
        .map(|dim| format!("1 T {dim} | 1 {dim} T"))
        .collect();
    contract.push(tensor(
        Direction::Out,
        TensorRole::Content,
        FLOATS,
        &shapes.join(" | "),
    ));
    tensors(manifest, &contract)
}

/// Checks a speaker encoder.
pub(super) fn speaker(manifest: &Manifest) -> Result<(), Fault> {
    let speaker = section(manifest.speaker.as_ref(), "speaker")?;
    require(
        (1..=MAX_CONTENT_DIM).contains(&speaker.dim),
        "speaker.dim",
        format!("must be 1 to {MAX_CONTENT_DIM}"),
    )?;
    require(
        (1_600..=160_000).contains(&speaker.window),
        "speaker.window",
        "must be 1600 to 160000 samples",
    )?;
    require(
        (1..=speaker.window).contains(&speaker.step),
        "speaker.step",
        "must be at most the window",
    )?;
    let normalize = section(manifest.normalize.as_ref(), "normalize")?;
    in_range(normalize.rms, 0.001, 1.0, "normalize.rms")?;
    let contract = [
        tensor(Direction::In, TensorRole::SourceWave, FLOATS, "1 N"),
        tensor(
            Direction::Out,
            TensorRole::Embedding,
            FLOATS,
            &format!("1 {}", speaker.dim),
        ),
    ];
    tensors(manifest, &contract)
}

/// Checks that the identity of an encoder is valid.
pub(super) fn identity(identity: Option<&str>, key: &str) -> Result<(), Fault> {
    require(
        identity.is_none_or(is_identity),
        key,
        "must be a name of an encoder in lower-case letters, such as contentvec",
    )
}

/// Checks that the listed outputs exist, each with vectors of the stated length.
fn outputs(manifest: &Manifest, content: &Content) -> Result<(), Fault> {
    let takes_layer = manifest.tensor(Direction::In, TensorRole::Layer).is_some();
    require(
        content.outputs.len() <= MAX_OUTPUTS,
        "content.output",
        format!("at most {MAX_OUTPUTS}"),
    )?;
    require(
        !takes_layer || !content.outputs.is_empty(),
        "content.output",
        "is required when the graph is told the layer",
    )?;
    let is_output = |name: &str| {
        manifest.tensors.iter().any(|tensor| {
            tensor.io == Direction::Out && tensor.role == TensorRole::Content && tensor.name == name
        })
    };
    for output in &content.outputs {
        let key = format!("content.output.{}", output.tensor);
        require(
            is_output(&output.tensor),
            &key,
            "there is no output of this name and of role content",
        )?;
        require(
            output.dim >= 1 && output.dim <= MAX_CONTENT_DIM,
            &key,
            format!("dim must be 1 to {MAX_CONTENT_DIM}"),
        )?;
        require(
            output.layer.is_some() || takes_layer,
            &key,
            "must say its layer, as the graph has no input of role layer",
        )?;
    }
    match content.outputs.first() {
        Some(first) => require(
            first.dim == content.dim,
            "content.dim",
            "must be the first output's",
        ),
        None => Ok(()),
    }
}

/// Checks an F0 estimator.
pub(super) fn f0(manifest: &Manifest) -> Result<(), Fault> {
    let f0 = section(manifest.f0.as_ref(), "f0")?;
    f0_numbers(f0)?;
    require(
        f0.decode != Decode::Viterbi || manifest.family == Family::FramesF0,
        "f0.decode",
        "viterbi is for the family frames-f0",
    )?;
    if let Some(normalize) = &manifest.normalize {
        in_range(normalize.rms, 0.001, 1.0, "normalize.rms")?;
    }
    tensors(manifest, &f0_contract(manifest.family, f0)?)
}

fn f0_contract(family: Family, f0: &F0) -> Result<Vec<TensorContract>, Fault> {
    let salience = |shapes: &str| tensor(Direction::Out, TensorRole::Salience, FLOATS, shapes);
    Ok(match family {
        Family::WaveF0 => vec![
            tensor(
                Direction::In,
                TensorRole::SourceWave,
                FLOATS,
                "1 1 N | 1 N | N",
            ),
            optional(TensorRole::Threshold, SINGLE, "- | 1"),
            tensor(
                Direction::Out,
                TensorRole::F0,
                FLOATS,
                "1 T | 1 T 1 | 1 1 T | T",
            ),
        ],
        Family::FramesF0 => {
            pitch_bins(f0)?;
            in_range(f0.fmin_hz, 0.0, 1_000.0, "f0.fmin_hz")?;
            // 0 means no upper limit.
            let highest = f64::from(LISTENING_RATE_HZ) / 2.0;
            in_range(f0.fmax_hz, 0.0, highest, "f0.fmax_hz")?;
            require(
                (256..=8_192).contains(&f0.n_fft),
                "f0.n_fft",
                "must be 256 to 8192, the samples of a frame",
            )?;
            let frames = format!("T {}", f0.n_fft);
            vec![
                tensor(Direction::In, TensorRole::Frames, FLOATS, &frames),
                salience(&format!("T {}", f0.bins)),
            ]
        }
        _ => {
            pitch_bins(f0)?;
            spectrogram(f0)?;
            let (mels, bins) = (f0.mels, f0.bins);
            vec![
                tensor(
                    Direction::In,
                    TensorRole::Mel,
                    FLOATS,
                    &format!("1 {mels} T | 1 T {mels}"),
                ),
                salience(&format!("1 T {bins}")),
            ]
        }
    })
}

fn f0_numbers(f0: &F0) -> Result<(), Fault> {
    require(f0.hop == 160, "f0.hop", "must be 160, 10 ms")?;
    require(
        (1..=1_024).contains(&f0.pad_multiple),
        "f0.pad_multiple",
        "must be 1 to 1024",
    )?;
    if let Some(live) = &f0.live {
        require(
            (1..=MAX_LIVE_FRAMES).contains(&live.frames),
            "f0.live.frames",
            format!("must be 1 to {MAX_LIVE_FRAMES}"),
        )?;
    }
    in_range(f0.threshold, 0.0, 1.0, "f0.threshold")?;
    in_range(f0.context_s, 0.0, 10.0, "f0.context_s")
}

fn pitch_bins(f0: &F0) -> Result<(), Fault> {
    require(
        (24..=4_096).contains(&f0.bins),
        "f0.bins",
        "must be 24 to 4096",
    )?;
    in_range(f0.cents_base, 0.0, 10_000.0, "f0.cents_base")?;
    in_range(f0.cents_step, 1.0, 100.0, "f0.cents_step")
}

fn spectrogram(f0: &F0) -> Result<(), Fault> {
    require(
        (256..=8_192).contains(&f0.n_fft) && f0.n_fft.is_multiple_of(2),
        "f0.n_fft",
        "must be even and 256 to 8192",
    )?;
    require(
        (8..=1_024).contains(&f0.mels),
        "f0.mels",
        "must be 8 to 1024",
    )?;
    in_range(f0.fmin_hz, 0.0, 1_000.0, "f0.fmin_hz")?;
    let highest = f64::from(LISTENING_RATE_HZ) / 2.0;
    in_range(f0.fmax_hz, 2_000.0, highest, "f0.fmax_hz")?;
    in_range(f0.log_floor, 1e-12, 1.0, "f0.log_floor")?;
    in_range(f0.power_floor, 0.0, 1.0, "f0.power_floor")?;
    require(
        f0.lead.is_none_or(|lead| lead <= f0.n_fft),
        "f0.lead",
        "must be at most f0.n_fft",
    )
}
