//! The bands of bins that a `RoFormer` hears: one after the other, or those of a mel scale, which overlap.

use std::ops::RangeInclusive;

/// Which bins of a spectrum the bands hear, one band behind the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bands {
    /// Bins of each band.
    pub(super) widths: Vec<u64>,
    /// The bins of all bands, where they are not simply all bins in their order.
    pub(super) heard: Option<Vec<u64>>,
    /// Bins of the spectrum.
    pub(super) bins: u64,
}

/// The transforms that mel bands are looked for at, where nobody says their length: powers of two, and what else is in use.
const POWERS: RangeInclusive<u32> = 5..=15;
const OTHERS: [u64; 4] = [3_072, 5_120, 6_144, 7_680];

impl Bands {
    /// Bands one after the other; `None` where their sum fits no transform.
    pub(super) fn in_a_row(widths: &[u64], n_fft: Option<u64>) -> Option<Self> {
        let bins = widths
            .iter()
            .try_fold(0_u64, |sum, width| sum.checked_add(*width))?;
        let is_whole = match n_fft {
            Some(n_fft) => bins == n_fft / 2 + 1,
            // Of two channels, an even transform has an odd number of bins.
            None => bins % 2 == 1,
        };
        is_whole.then(|| Self {
            widths: widths.to_vec(),
            heard: None,
            bins,
        })
    }

    /// The bands of a mel scale that are as wide as these, at a rate in hertz.
    pub(super) fn of_mel(widths: &[u64], n_fft: Option<u64>, rate_hz: f64) -> Option<Self> {
        let powers = POWERS.map(|power| 1 << power);
        let mut lengths: Vec<u64> = match n_fft {
            Some(n_fft) => vec![n_fft],
            None => powers.chain(OTHERS).collect(),
        };
        lengths.retain(|n_fft| n_fft / 2 >= widths.len() as u64);
        lengths.into_iter().find_map(|n_fft| {
            let found = mel(widths.len(), n_fft, rate_hz);
            let same = found
                .iter()
                .map(|band| band.len() as u64)
                .eq(widths.iter().copied());
            same.then(|| Self {
                widths: widths.to_vec(),
                heard: Some(found.concat()),
                bins: n_fft / 2 + 1,
            })
        })
    }
}

/// The bins that each band of a mel scale hears (Slaney's Auditory Toolbox, 1998): linear up to 1 kHz and logarithmic above, triangles
/// from the middle of the band before to that of the band behind. The lowest bin and the highest are heard in any case, as in
/// Mel-Band `RoFormer` ("Mel-Band `RoFormer` for Music Source Separation", Wang and others 2023).
fn mel(count: usize, n_fft: u64, rate_hz: f64) -> Vec<Vec<u64>> {
    let top = mels(rate_hz / 2.0);
    let middle = |number: usize| hertz(top * number as f64 / (count + 1) as f64);
    let last = n_fft / 2;
    let band = |number: usize| {
        let (low, centre, high) = (middle(number), middle(number + 1), middle(number + 2));
        let hears = |bin: &u64| {
            let at = *bin as f64 * rate_hz / n_fft as f64;
            let weight = ((at - low) / (centre - low)).min((high - at) / (high - centre));
            let is_forced = number == 0 && *bin == 0 || number + 1 == count && *bin == last;
            weight > 0.0 || is_forced
        };
        (0..=last).filter(hears).collect()
    };
    (0..count).map(band).collect()
}

/// Mels below which the scale is linear, hertz of each of them, and the step of the logarithm above.
const LINEAR: f64 = 15.0;
const HERTZ: f64 = 200.0 / 3.0;

fn step() -> f64 {
    6.4_f64.ln() / 27.0
}

fn mels(hertz: f64) -> f64 {
    let linear = hertz / HERTZ;
    if linear < LINEAR {
        linear
    } else {
        LINEAR + (linear / LINEAR).ln() / step()
    }
}

fn hertz(mels: f64) -> f64 {
    if mels < LINEAR {
        mels * HERTZ
    } else {
        LINEAR * HERTZ * ((mels - LINEAR) * step()).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mel_bands_are_told_by_their_widths() {
        let bands = mel(60, 2_048, 44_100.0);
        let widths: Vec<u64> = bands.iter().map(|band| band.len() as u64).collect();
        // What `librosa.filters.mel` 0.11 gives.
        assert_eq!(widths[..8], [7, 6, 6, 6, 6, 6, 6, 6]);
        assert_eq!(widths[56..], [105, 113, 122, 130]);
        let found = Bands::of_mel(&widths, None, 44_100.0).expect("they are mel bands");
        assert_eq!(found.bins, 1_025);
        let heard = found.heard.expect("they lie over each other");
        assert!((0..1_025).all(|bin| heard.contains(&bin)));
        assert_eq!(Bands::of_mel(&widths, Some(4_096), 44_100.0), None);
        assert_eq!(Bands::of_mel(&widths, None, 48_000.0), None);
    }

    #[test]
    fn bands_in_a_row_are_all_bins() {
        let bands = Bands::in_a_row(&[2, 3, 4, 8], None).expect("17 bins");
        assert_eq!((bands.bins, bands.heard), (17, None));
        assert_eq!(Bands::in_a_row(&[2, 2], None), None);
        assert_eq!(Bands::in_a_row(&[2, 3], Some(16)), None);
        assert_eq!(Bands::in_a_row(&[u64::MAX, 2], None), None);
    }
}
