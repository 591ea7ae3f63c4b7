/// Bands, evenly spaced in mel from 0 to [`TOP_HZ`].
pub(super) const BANDS: usize = 40;
/// The highest centre.
pub(super) const TOP_HZ: f64 = 8_000.0;
/// Power is averaged over at least this width, or over the fundamental where that is higher, so that single harmonics
/// do not show.
const NARROWEST_HZ: f64 = 100.0;

/// Mel as 1127 ln(1 + f / 700), in bands.
fn place(hz: f64) -> f64 {
    (hz / 700.0).ln_1p() / (TOP_HZ / 700.0).ln_1p() * (BANDS - 1) as f64
}

/// The centre of a band.
pub(super) fn centre_hz(band: f64) -> f64 {
    700.0 * (band / (BANDS - 1) as f64 * (TOP_HZ / 700.0).ln_1p()).exp_m1()
}

/// Mean power around the centres of the bands.
pub(super) struct Bands {
    bin_hz: f64,
    /// Each centre, and half the distance between its neighbours.
    centres: [(f64, f64); BANDS],
    /// The sum of the power below each bin.
    sums: Vec<f64>,
}

impl Bands {
    pub(super) fn new(bin_hz: f64) -> Self {
        let centre = |band: usize| {
            let (below, above) = (band.saturating_sub(1), (band + 1).min(BANDS - 1));
            let apart = centre_hz(above as f64) - centre_hz(below as f64);
            (centre_hz(band as f64), apart / (above - below) as f64)
        };
        Self {
            bin_hz,
            centres: std::array::from_fn(centre),
            sums: Vec::new(),
        }
    }

    /// From the power of the bins up to [`TOP_HZ`], averaged over the distance of the neighbours or of the harmonics.
    pub(super) fn of(&mut self, power: impl Iterator<Item = f64>, f0_hz: f64) -> [f64; BANDS] {
        self.sums.clear();
        let mut sum = 0.0;
        self.sums.push(sum);
        self.sums.extend(power.map(|power| {
            sum += power;
            sum
        }));
        let bins = self.sums.len() - 1;
        let up_to = |place: f64| {
            let low = (place as usize).min(bins - 1);
            self.sums[low] + (place - low as f64) * (self.sums[low + 1] - self.sums[low])
        };
        self.centres.map(|(centre, width)| {
            let half = f0_hz.max(NARROWEST_HZ).max(width) / 2.0;
            let edge = |hz: f64| (hz / self.bin_hz + 0.5).clamp(0.0, bins as f64);
            let (low, high) = (edge(centre - half), edge(centre + half));
            if high > low {
                (up_to(high) - up_to(low)) / (high - low)
            } else {
                // A voice of a low sample rate has no such band.
                0.0
            }
        })
    }
}

/// From bands to the bins of a spectrum: linear between the centres, and constant above the highest.
pub(super) struct Spread {
    /// The lower band of each bin, and the share of the one above it.
    places: Vec<(usize, f64)>,
}

impl Spread {
    pub(super) fn new(size: usize, rate_hz: f64) -> Self {
        let of_bin = |bin: usize| {
            let place = place(bin as f64 * rate_hz / size as f64);
            let low = (place as usize).min(BANDS - 2);
            (low, (place - low as f64).min(1.0))
        };
        Self {
            places: (0..=size / 2).map(of_bin).collect(),
        }
    }

    /// Amplitude factors from logarithms of power.
    pub(super) fn to_bins(&self, gains: &[f64; BANDS]) -> Vec<f32> {
        let bins = self.places.iter().map(|&(low, share)| {
            let gain = gains[low] * (1.0 - share) + gains[low + 1] * share;
            (0.5 * gain).exp() as f32
        });
        bins.collect()
    }
}
