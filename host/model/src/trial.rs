//! A trial run of a graph on its own: it shows what can be known of a voice without its encoder, and of an encoder or an F0 estimator
//! without a voice.

use super::content::frames_of;
use super::index::Index;
use super::manifest::{Dimension, Direction, ElementType, Manifest, TensorRole, TensorSpec};
use super::sections::Framing;
use super::session::{Input, Session, Values, View};
use super::{ModelError, Package, Runtime};

/// Frames of the trial: enough for every graph, and a multiple of what F0 estimators pad to.
const FRAMES: usize = 64;
/// Lengths that exporters commonly trace with.
const TRACED_FRAMES: [usize; 10] = [200, 100, 64, 96, 128, 256, 300, 400, 500, 1_000];
/// Samples of a frame at 16 kHz.
const FRAME_SAMPLES: usize = 160;
/// A note in the range of every voice.
const TONE_HZ: f32 = 220.0;

/// Loads the graph of a voice (with the voice's index), of a content encoder or of an F0 estimator, and runs it on two short sounds of
/// different length. Its inputs and outputs must match its manifest, and its numbers must be finite.
///
/// # Errors
/// When it does not load, fails, or does not give what its manifest promises.
pub fn try_graph(runtime: &Runtime, package: &Package) -> Result<(), ModelError> {
    let session = Session::load(runtime, package, 1)?;
    Index::load(runtime, package)?;
    let manifest = package.manifest();
    // A carelessly traced graph works for one length only.
    for frames in [FRAMES, FRAMES * 3 / 2] {
        let Err(error) = run(&session, manifest, frames) else {
            continue;
        };
        let only = TRACED_FRAMES.iter().copied();
        let only = only.filter(|other| *other != frames);
        let mut only = only.filter(|other| run(&session, manifest, *other).is_ok());
        return Err(match only.next() {
            Some(only) => session.fault(format!(
                "works on {only} frames of sound and fails on {frames}: it was traced for one length, as happens where a length is made \
                 a plain number (`int(x.shape[2])`) while a model is exported. Export it again with lengths that stay tensors, or \
                 import the checkpoint that it was made from"
            )),
            None => error,
        });
    }
    Ok(())
}

/// Runs the graph on a sound of so many frames.
fn run(session: &Session, manifest: &Manifest, frames: usize) -> Result<(), ModelError> {
    let of = |io| {
        manifest
            .tensors
            .iter()
            .filter(move |tensor| tensor.io == io)
    };
    let inputs = of(Direction::In).map(|tensor| input(manifest, tensor, frames));
    session.run_with(inputs.collect(), |outputs| {
        outputs
            .iter()
            .zip(of(Direction::Out))
            .try_for_each(|(output, tensor)| check(manifest, (output, tensor), frames))
            .map_err(|reason| session.fault(reason))
    })
}

/// Samples of a sound at 16 kHz of so many frames. Encoders whose windows lie inside the sound get half a frame more, so that those with a
/// vector for each 20 ms give the expected number.
fn samples(manifest: &Manifest, frames: usize) -> usize {
    let framing = manifest.content.as_ref().map(|content| content.framing);
    let more = match framing {
        Some(Framing::Inside) => FRAME_SAMPLES / 2,
        Some(Framing::Whole) | None => 0,
    };
    frames * FRAME_SAMPLES + more
}

fn input(manifest: &Manifest, tensor: &TensorSpec, frames: usize) -> Input {
    let samples = match tensor.role {
        TensorRole::SourceNoise => {
            frames
                * manifest
                    .voice
                    .as_ref()
                    .map_or(1, |voice| voice.upp as usize)
        }
        _ => samples(manifest, frames),
    };
    let length = |dimension: &Dimension| match dimension {
        Dimension::Fixed(length) => *length as usize,
        Dimension::Symbol(letter) if letter == "N" => samples,
        Dimension::Symbol(_) => frames,
    };
    let shape: Vec<usize> = tensor.shape.iter().map(length).collect();
    let count = shape.iter().product();
    let values = match (tensor.dtype, tensor.role) {
        (ElementType::I64, role) => Values::I64(vec![whole(manifest, role, frames); count]),
        (ElementType::F64, role) => {
            let values = (0..count).map(|place| f64::from(float(manifest, role, place)));
            Values::F64(values.collect())
        }
        (_, role) => Values::F32(
            (0..count)
                .map(|place| float(manifest, role, place))
                .collect(),
        ),
    };
    Input {
        role: tensor.role,
        shape,
        values,
    }
}

fn whole(manifest: &Manifest, role: TensorRole, frames: usize) -> i64 {
    match role {
        TensorRole::Length => frames as i64,
        // RVC's coarse pitch of 220 Hz.
        TensorRole::Pitch => 60,
        TensorRole::Speaker => manifest.voice.as_ref().map_or(0, |voice| voice.speaker),
        TensorRole::Layer => {
            let content = manifest.content.as_ref();
            let layer = content.and_then(|content| content.layer);
            i64::from(layer.unwrap_or(1))
        }
        _ => 1,
    }
}

fn float(manifest: &Manifest, role: TensorRole, place: usize) -> f32 {
    let phase = std::f32::consts::TAU * TONE_HZ * place as f32 / 16_000.0;
    match role {
        TensorRole::Pitchf => TONE_HZ,
        TensorRole::Phase => 0.0,
        TensorRole::Threshold => manifest.f0.as_ref().map_or(0.0, |f0| f0.threshold as f32),
        // Between silence and full scale, as logarithms.
        TensorRole::Mel => -6.0 + 4.0 * phase.sin(),
        _ => 0.3 * phase.sin(),
    }
}

/// Checks that the output has the lengths that the manifest says, and one as long as the rest of the host expects, to a frame where
/// transforms count differently.
fn check(
    manifest: &Manifest,
    (output, tensor): (&View<'_>, &TensorSpec),
    frames: usize,
) -> Result<(), String> {
    let (expected, slack) = match output.role {
        TensorRole::Audio => {
            let upp = manifest
                .voice
                .as_ref()
                .map_or(1, |voice| voice.upp as usize);
            (frames * upp, 0)
        }
        TensorRole::Content => {
            let framing = manifest.content.as_ref().map(|content| content.framing);
            let heard = samples(manifest, frames);
            (frames_of(heard, framing.unwrap_or_default()), 0)
        }
        _ => (frames, 1),
    };
    // The number of axes of length 1 does not matter.
    let found = output.shape.iter().copied().filter(|length| *length != 1);
    let promised = tensor
        .shape
        .iter()
        .filter(|axis| **axis != Dimension::Fixed(1));
    let is_right = |(found, axis): (usize, &Dimension)| match axis {
        Dimension::Fixed(length) => *length as usize == found,
        Dimension::Symbol(_) => found.abs_diff(expected) <= slack,
    };
    if found.clone().count() == promised.clone().count() && found.zip(promised).all(is_right) {
        return Ok(());
    }
    Err(format!(
        "gave the shape {:?} for {frames} frames, where {expected} were expected",
        output.shape
    ))
}
