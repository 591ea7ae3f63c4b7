use crate::drawing::{DrawFault, Weights};
use vocalhost_letters::words::quoted;

/// Numbers of a bin: two channels, each with a real and an imaginary part.
pub(super) const EACH_BIN: u64 = 4;
/// The most parts of a kind; published networks have five levels and a few stems.
const MAX_LEVELS: usize = 12;
const MAX_STEMS: u64 = 16;
/// The most that a level makes an axis shorter by.
const MAX_SCALE: u64 = 16;

/// How channels are normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Norm {
    /// Each by itself.
    Instance,
    /// By what training has found.
    Batch,
}

impl Norm {
    /// The one of this name in settings; without a name, that of the published networks.
    pub(super) fn of(name: Option<&str>) -> Result<Self, DrawFault> {
        match name {
            None | Some("InstanceNorm") => Ok(Self::Instance),
            Some("BatchNorm") => Ok(Self::Batch),
            Some(other) => Err(DrawFault::refused(format!(
                "says that model.norm is {}, and InstanceNorm and BatchNorm are supported; export the model as ONNX",
                quoted(other)
            ))),
        }
    }
}

/// What comes behind a normalisation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Activation {
    Gelu,
    Relu,
    Elu(f32),
}

impl Activation {
    /// The one of this name in settings; without a name, that of the published networks.
    pub(super) fn of(name: Option<&str>) -> Result<Self, DrawFault> {
        let elu = |name: &str| {
            let alpha: f32 = name.strip_prefix("elu")?.parse().ok()?;
            alpha.is_finite().then_some(Self::Elu(alpha))
        };
        match name {
            None | Some("gelu") => Ok(Self::Gelu),
            Some("relu") => Ok(Self::Relu),
            Some(other) => elu(other).ok_or_else(|| {
                DrawFault::refused(format!(
                    "says that model.act is {}, and gelu, relu and elu with its number are supported; export the model as ONNX",
                    quoted(other)
                ))
            }),
        }
    }
}

/// The dimensions of an MDX23C, as its weights have them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Parts of the spectrum that lie over each other as channels.
    pub(super) subbands: u64,
    /// Bins that it hears.
    pub(super) bins: u64,
    /// Channels at the top.
    pub(super) channels: u64,
    /// How often it goes down, and what frames and bins are divided by each time.
    pub(super) levels: usize,
    pub(super) scale: [u64; 2],
    /// Stems.
    pub(super) stems: u64,
}

impl Sizes {
    /// Reads the dimensions off the weights.
    pub(super) fn of(weights: &Weights) -> Result<Self, DrawFault> {
        let [channels, inputs, ..] = weights.dims::<4>("first_conv.weight")?;
        let [_, width] = weights.dims("encoder_blocks.0.tfc_tdf.blocks.0.tdf.2.weight")?;
        let [_, _, frames, bins] = weights.dims::<4>("encoder_blocks.0.downscale.conv.2.weight")?;
        let [outputs, ..] = weights.dims::<4>("final_conv.2.weight")?;
        let levels = weights.count("encoder_blocks.", 1, |weights, level| {
            let conv = format!("{level}.downscale.conv.2.weight");
            weights.find(&conv).is_some()
        });
        let subbands = inputs / EACH_BIN;
        let fits = subbands > 0
            && inputs.is_multiple_of(EACH_BIN)
            && outputs.is_multiple_of(inputs)
            && outputs / inputs <= MAX_STEMS
            && levels <= MAX_LEVELS
            && [frames, bins]
                .iter()
                .all(|scale| (1..=MAX_SCALE).contains(scale))
            && width.is_multiple_of(bins.saturating_pow(levels as u32));
        let all = width.checked_mul(subbands).filter(|bins| *bins > 1);
        match all {
            Some(whole) if fits => Ok(Self {
                subbands,
                bins: whole,
                channels,
                levels,
                scale: [frames, bins],
                stems: outputs / inputs,
            }),
            _ => Err(DrawFault::refused(
                "has layers whose shapes do not go together, or hears other than two channels"
                    .to_owned(),
            )),
        }
    }
}
