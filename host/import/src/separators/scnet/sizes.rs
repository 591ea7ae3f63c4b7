use crate::drawing::{DrawFault, Weights};

/// Numbers of a bin: two channels, each with a real and an imaginary part.
pub(super) const EACH_BIN: u64 = 4;
/// Bands that each level takes a spectrum apart into.
pub(super) const BANDS: usize = 3;
/// The most parts of a kind; published networks have three levels, six or eight layers and a few stems.
const MAX_LEVELS: usize = 12;
const MAX_LAYERS: usize = 64;
const MAX_STEMS: u64 = 16;
/// The longest kernel, and so the longest step, along the bins.
pub(super) const MAX_KERNEL: u64 = 256;

/// The dimensions of an `SCNet`, as its weights have them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Channels of the spectrum, and those that each level makes.
    pub(super) channels: Vec<u64>,
    /// Bins that the kernels of each band hear.
    pub(super) kernels: [u64; BANDS],
    /// Layers between encoder and decoder.
    pub(super) layers: usize,
    /// Stems.
    pub(super) stems: u64,
    /// Of a network that gives masks the bins of its spectrum, which one of its weights has.
    pub(super) masked_bins: Option<u64>,
}

impl Sizes {
    /// Reads the dimensions off the weights.
    pub(super) fn of(weights: &Weights) -> Result<Self, DrawFault> {
        let down = |level: usize, band: usize| {
            weights.dims::<4>(&format!("encoder.{level}.SDlayer.convs.{band}.weight"))
        };
        let levels = weights.count("encoder.", 1, |weights, level| {
            let conv = format!("{level}.SDlayer.convs.0.weight");
            weights.find(&conv).is_some()
        });
        let layers = weights.count("separation_net.dp_modules.", 1, |weights, layer| {
            let connected = format!("{layer}.linear_layers.0.weight");
            weights.find(&connected).is_some()
        });
        weights.dims::<2>("separation_net.dp_modules.0.linear_layers.0.weight")?;
        let [_, heard, ..] = down(0, 0)?;
        let mut channels = vec![heard];
        for level in 0..levels.min(MAX_LEVELS) {
            let [given, ..] = down(level, 0)?;
            channels.push(given);
        }
        let mut kernels = [0; BANDS];
        for (band, kernel) in kernels.iter_mut().enumerate() {
            let [_, _, length, _] = down(0, band)?;
            *kernel = length;
        }
        let last = levels.saturating_sub(1);
        let [_, given, ..] = weights.dims::<4>(&format!("decoder.{last}.1.convtrs.0.weight"))?;
        let masked_bins = match weights.find("pos_embed_f") {
            Some([1, _, bins, 1]) => Some(*bins),
            Some(dims) => {
                return Err(DrawFault::refused(format!(
                    "weight \"pos_embed_f\" has the shape {dims:?}, which are no bins"
                )));
            }
            None => None,
        };
        let fits = heard == EACH_BIN
            && levels <= MAX_LEVELS
            && (2..=MAX_LAYERS).contains(&layers)
            && layers.is_multiple_of(2)
            && given.is_multiple_of(EACH_BIN)
            && (1..=MAX_STEMS).contains(&(given / EACH_BIN))
            && kernels
                .iter()
                .all(|length| (1..=MAX_KERNEL).contains(length));
        if !fits {
            return Err(DrawFault::refused(
                "has layers whose shapes do not go together, or hears other than two channels"
                    .to_owned(),
            ));
        }
        Ok(Self {
            channels,
            kernels,
            layers,
            stems: given / EACH_BIN,
            masked_bins,
        })
    }
}
