use crate::drawing::{DrawFault, Weights};

/// The most parts of a kind that a network has here; published ones stop at 62 bands, 12 layers and a few stems.
const MAX_BANDS: usize = 512;
const MAX_LAYERS: usize = 64;
const MAX_STEMS: usize = 16;
/// Numbers of a bin: two channels, each with a real and an imaginary part.
pub(super) const EACH_BIN: u64 = 4;

/// The dimensions of a `RoFormer`, as its weights have them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Channels.
    pub(super) dim: u64,
    /// Heads of each attention, and channels of each.
    pub(super) heads: u64,
    pub(super) head: u64,
    /// Layers along the frames and along the bands, in each block.
    pub(super) blocks: Vec<[usize; 2]>,
    /// Bins of each band.
    pub(super) widths: Vec<u64>,
    /// Stems.
    pub(super) stems: usize,
    /// Fully connected layers that make a mask of a band.
    pub(super) depth: usize,
}

impl Sizes {
    /// Reads the dimensions off the weights.
    pub(super) fn of(weights: &Weights) -> Result<Self, DrawFault> {
        let has = |weights: &Weights, name: &str| weights.find(name).is_some();
        let bands = weights.count("band_split.to_features.", 1, |weights, band| {
            has(weights, &format!("{band}.1.weight"))
        });
        let [dim, _] = weights.dims("band_split.to_features.0.1.weight")?;
        let widths = (0..bands).map(|band| {
            let [_, inputs] =
                weights.dims(&format!("band_split.to_features.{band}.1.weight"))?;
            if inputs % EACH_BIN != 0 {
                return Err(DrawFault::refused(format!(
                    "hears {inputs} numbers in its band {band}, which are no bins of two channels; only separators of stereo are supported"
                )));
            }
            Ok(inputs / EACH_BIN)
        });
        let widths = widths.collect::<Result<Vec<u64>, _>>()?;
        if has(weights, "layers.0.0.layers.0.0.to_qkv.0.weight") {
            return Err(DrawFault::refused(
                "has attention of the linear kind (linear_transformer_depth), which is not supported; export it as ONNX"
                    .to_owned(),
            ));
        }
        let [heads, _] = weights.dims("layers.0.0.layers.0.0.to_gates.weight")?;
        let [outputs, _] = weights.dims("layers.0.0.layers.0.0.to_qkv.weight")?;
        let layers = |prefix: &str| {
            weights.count(prefix, 1, |weights, layer| {
                has(weights, &format!("{layer}.0.to_qkv.weight"))
            })
        };
        let blocks = weights.count("layers.", 1, |weights, block| {
            has(weights, &format!("{block}.0.layers.0.0.to_qkv.weight"))
        });
        let blocks = 0..blocks;
        let blocks = blocks
            .map(|block| [0, 1].map(|axis| layers(&format!("layers.{block}.{axis}.layers."))));
        let blocks: Vec<[usize; 2]> = blocks.collect();
        let stems = weights.count("mask_estimators.", 1, |weights, stem| {
            has(weights, &format!("{stem}.to_freqs.0.0.0.weight"))
        });
        let depth = weights.count("mask_estimators.0.to_freqs.0.0.", 2, has_weight);
        let layer_count: usize = blocks.iter().flatten().sum();
        let is_even = heads > 0 && outputs % (3 * heads) == 0 && outputs / (3 * heads) % 2 == 0;
        if bands > MAX_BANDS || layer_count > MAX_LAYERS || stems > MAX_STEMS || !is_even {
            return Err(DrawFault::refused(
                "has layers whose shapes do not go together".to_owned(),
            ));
        }
        Ok(Self {
            dim,
            heads,
            head: outputs / (3 * heads),
            blocks,
            widths,
            stems,
            depth,
        })
    }
}

fn has_weight(weights: &Weights, layer: &str) -> bool {
    weights.find(&format!("{layer}.weight")).is_some()
}
