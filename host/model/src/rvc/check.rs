use crate::contract::{optional, tensor, tensors};
use crate::fault::{Fault, in_range, require, section};
use crate::listeners::identity;
use crate::manifest::{Direction, ElementType, Manifest, TensorRole};
use crate::sections::{MEAN_F0_HZ, Voice};

use super::Rvc;

/// The most speakers: the original's pre-trained models have 109.
const MAX_SPEAKERS: usize = 4_096;
/// The longest name of a speaker.
const MAX_NAME_BYTES: usize = 256;
const FLOATS: &[ElementType] = &[ElementType::F32, ElementType::F16];
const INTEGERS: &[ElementType] = &[ElementType::I64];

/// Checks a voice of RVC's family; what all voices have in common is checked before.
pub(crate) fn voice(manifest: &Manifest, voice: &Voice) -> Result<(), Fault> {
    let rvc = section(manifest.rvc.as_ref(), "rvc")?;
    require(
        voice.mean_f0_hz == 0.0 || MEAN_F0_HZ.contains(&voice.mean_f0_hz),
        "voice.mean_f0_hz",
        format!(
            "must be {} to {}, or 0 where it is not known",
            MEAN_F0_HZ.start(),
            MEAN_F0_HZ.end()
        ),
    )?;
    require(
        manifest.segment.is_none(),
        "segment",
        "voices of this family are cut as [rvc.cuts] says",
    )?;
    require(
        rvc.content_dim == voice.content_dim && voice.energy_channels == 0,
        "rvc.content_dim",
        "must be voice.content_dim, without energy channels",
    )?;
    require(
        (1..=48).contains(&rvc.content_layer),
        "rvc.content_layer",
        "must be 1 to 48",
    )?;
    in_range(rvc.protect, 0.0, 1.0, "rvc.protect")?;
    identity(rvc.encoder.as_deref(), "rvc.encoder")?;
    let is_digest =
        |text: &String| text.len() <= 64 && text.bytes().all(|one| one.is_ascii_hexdigit());
    require(
        rvc.structure.as_ref().is_none_or(is_digest),
        "rvc.structure",
        "must be hexadecimal digits",
    )?;
    speakers(rvc)?;
    cuts(rvc)?;
    pitch(manifest, rvc)?;
    tensors(
        manifest,
        &[
            tensor(
                Direction::In,
                TensorRole::Content,
                FLOATS,
                &format!("1 T {}", rvc.content_dim),
            ),
            optional(TensorRole::Length, INTEGERS, "1"),
            optional(TensorRole::Pitch, INTEGERS, "1 T"),
            optional(TensorRole::Pitchf, FLOATS, "1 T"),
            optional(TensorRole::Speaker, INTEGERS, "1"),
            optional(TensorRole::PriorNoise, FLOATS, "1 C T"),
            optional(TensorRole::SourceNoise, FLOATS, "1 N 1"),
            tensor(Direction::Out, TensorRole::Audio, FLOATS, "1 1 N | 1 N | N"),
        ],
    )
}

fn speakers(rvc: &Rvc) -> Result<(), Fault> {
    let named = |name: &str| !name.trim().is_empty() && name.len() <= MAX_NAME_BYTES;
    require(
        rvc.speakers.len() <= MAX_SPEAKERS
            && rvc
                .speakers
                .iter()
                .all(|speaker| speaker.id >= 0 && named(&speaker.name)),
        "rvc.speakers",
        format!("must be at most {MAX_SPEAKERS}, each with a number from 0 on and a name"),
    )
}

fn cuts(rvc: &Rvc) -> Result<(), Fault> {
    let cuts = &rvc.cuts;
    in_range(cuts.center_s, 0.5, 300.0, "rvc.cuts.center_s")?;
    // What is heard around a piece costs as much to compute as the piece.
    let longest_pad = f64::min(10.0, 2.0 * cuts.center_s);
    in_range(cuts.pad_s, 0.1, longest_pad, "rvc.cuts.pad_s")?;
    in_range(cuts.max_s, cuts.center_s, 600.0, "rvc.cuts.max_s")?;
    // Half the distance keeps neighbouring cuts apart and in order.
    in_range(cuts.query_s, 0.01, cuts.center_s / 2.0, "rvc.cuts.query_s")
}

/// A graph takes the pitch in both forms or not at all.
fn pitch(manifest: &Manifest, rvc: &Rvc) -> Result<(), Fault> {
    for role in [TensorRole::Pitch, TensorRole::Pitchf] {
        require(
            manifest.tensor(Direction::In, role).is_some() == rvc.f0,
            "rvc.f0",
            "must say whether the graph has the inputs pitch and pitchf",
        )?;
    }
    Ok(())
}
