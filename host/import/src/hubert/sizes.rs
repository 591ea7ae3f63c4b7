use crate::drawing::{DrawFault, Weights};

use super::settings::{STRIDES, Settings};

/// Channels of a head, where nobody says how many heads there are.
const HEAD: u64 = 64;
/// Kernels of the layers that hear the wave: 400 samples of it in all.
const KERNELS: [u64; 7] = [10, 3, 3, 3, 3, 2, 2];
/// The most layers of a transformer.
const MAX_LAYERS: usize = 48;
/// The layer whose projection RVC's first generation listens to.
pub(super) const PROJECTED_LAYER: usize = 9;

/// The dimensions of an encoder, as its weights have them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sizes {
    /// Channels in, channels out and kernel of each layer that hears the wave.
    pub(super) features: Vec<[u64; 3]>,
    /// Channels of the transformer.
    pub(super) hidden: u64,
    /// Channels inside its layers.
    pub(super) inner: u64,
    /// Its layers.
    pub(super) layers: usize,
    /// Heads of each attention.
    pub(super) heads: u64,
    /// Kernel and groups of the convolution for positions.
    pub(super) positions: (u64, u64),
    /// Channels of the last projection, where RVC may use it.
    pub(super) projected: Option<u64>,
    /// What is added to variances of layers.
    pub(super) epsilon: f32,
}

impl Sizes {
    /// Reads the dimensions off the weights; `settings` say what these do not.
    pub(super) fn of(weights: &Weights, settings: &Settings) -> Result<Self, DrawFault> {
        let [hidden, _] = weights.dims("feature_projection.projection.weight")?;
        let [inner, _] = weights.dims("encoder.layers.0.feed_forward.intermediate_dense.weight")?;
        let [_, each, kernel] = weights.conv_dims("encoder.pos_conv_embed.conv")?;
        let layers = weights.count("encoder.layers.", 1, |weights, layer| {
            weights
                .find(&format!("{layer}.attention.q_proj.weight"))
                .is_some()
        });
        let heads = settings.heads.unwrap_or(hidden / HEAD);
        if heads == 0 || !hidden.is_multiple_of(heads) || heads > hidden {
            return Err(DrawFault::refused(format!(
                "has {hidden} channels and does not say in how many heads; give its config.json as well"
            )));
        }
        if layers > MAX_LAYERS || !hidden.is_multiple_of(each) {
            return Err(DrawFault::refused(
                "has layers whose shapes do not go together".to_owned(),
            ));
        }
        let projected = match weights.find("final_proj.weight") {
            Some([projected, _]) if layers >= PROJECTED_LAYER => Some(*projected),
            _ => None,
        };
        Ok(Self {
            features: features(weights)?,
            hidden,
            inner,
            layers,
            heads,
            positions: (kernel, hidden / each),
            projected,
            epsilon: settings.epsilon,
        })
    }
}

/// The layers that hear the wave.
fn features(weights: &Weights) -> Result<Vec<[u64; 3]>, DrawFault> {
    let prefix = |layer: usize| format!("feature_extractor.conv_layers.{layer}.conv");
    let count = weights.count("feature_extractor.conv_layers.", 1, |weights, layer| {
        weights.has_conv(&format!("{layer}.conv"))
    });
    let dims = (0..count.min(KERNELS.len() + 1)).map(|layer| {
        let [outputs, inputs, kernel] = weights.conv_dims(&prefix(layer))?;
        Ok([inputs, outputs, kernel])
    });
    let dims = dims.collect::<Result<Vec<_>, DrawFault>>()?;
    let kernels: Vec<u64> = dims.iter().map(|[_, _, kernel]| *kernel).collect();
    if kernels != KERNELS || dims.len() != STRIDES.len() {
        return Err(DrawFault::refused(format!(
            "hears the wave with kernels {kernels:?}, HuBERT does with {KERNELS:?}"
        )));
    }
    if weights
        .find("feature_extractor.conv_layers.1.layer_norm.weight")
        .is_some()
    {
        return Err(DrawFault::refused(
            "normalises each layer that hears the wave, as HuBERT's large sizes do; only its base size is supported"
                .to_owned(),
        ));
    }
    Ok(dims)
}
