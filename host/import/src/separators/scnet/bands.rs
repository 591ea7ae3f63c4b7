//! How the bins of a spectrum are shared out among bands: short steps where much is heard, long ones where little is.

use crate::drawing::DrawFault;

use super::sizes::{BANDS, MAX_KERNEL, Sizes};

/// Shares of the bins in the low and in the middle band, as the class has them where settings do not say them.
pub(super) const USUAL_SHARES: [f64; 2] = [0.175, 0.392];
/// Strides of the kernels of each band, in bins, as the class has them.
pub(super) const USUAL_STRIDES: [u64; BANDS] = [1, 4, 16];

/// A band at a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Band {
    /// Bins that come in, and those that come out.
    pub(super) before: u64,
    pub(super) behind: u64,
    /// Silent bins below and above those that come in.
    pub(super) pads: [u64; 2],
    /// Bins that are cut off at the bottom when the band is brought back to its length.
    pub(super) cut: u64,
    pub(super) kernel: u64,
    pub(super) stride: u64,
}

/// A level: its bands from the lowest on.
pub(super) type Level = [Band; BANDS];

/// What a level makes of a spectrum in all.
pub(super) fn bins_behind(level: &Level) -> u64 {
    level.iter().map(|band| band.behind).sum()
}

/// The bands of all levels, for spectra of so many bins.
pub(super) fn levels(
    bins: u64,
    sizes: &Sizes,
    (shares, strides): ([f64; 2], [u64; BANDS]),
) -> Result<Vec<Level>, DrawFault> {
    let mut bins = bins;
    let mut levels = Vec::new();
    for number in 1..sizes.channels.len() {
        let level = level(bins, sizes.kernels, (shares, strides)).ok_or_else(|| {
            DrawFault::refused(format!(
                "has bands that do not share out the {bins} bins of its level {number}; its settings say how (band_SR, band_stride, nfft)"
            ))
        })?;
        bins = bins_behind(&level);
        levels.push(level);
    }
    Ok(levels)
}

/// The bands of a level; nothing if one of them would be empty, or not come to its own length again.
fn level(
    bins: u64,
    kernels: [u64; BANDS],
    (shares, strides): ([f64; 2], [u64; BANDS]),
) -> Option<Level> {
    let [low, middle] = shares;
    // In double precision, as Python counts.
    let up_to = |share: f64| (bins as f64 * share).ceil() as u64;
    let ends = [0, up_to(low), up_to(low + middle), bins];
    let mut level = [None; BANDS];
    for (place, found) in level.iter_mut().enumerate() {
        let before = ends[place + 1].checked_sub(ends[place])?;
        *found = Some(band(before, kernels[place], strides[place])?);
    }
    let [low, middle, high] = level;
    Some([low?, middle?, high?])
}

fn band(before: u64, kernel: u64, stride: u64) -> Option<Band> {
    let silent = match stride {
        1 => kernel.checked_sub(1)?,
        2..=MAX_KERNEL => before.next_multiple_of(stride) - before,
        _ => return None,
    };
    let steps = (before + silent).checked_sub(kernel)? / stride;
    let again = steps * stride + kernel;
    let cut = again.checked_sub(before)? / 2;
    (before > 0).then_some(Band {
        before,
        behind: steps + 1,
        pads: [silent / 2, silent - silent / 2],
        cut,
        kernel,
        stride,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(levels: usize) -> Sizes {
        Sizes {
            channels: vec![4; levels + 1],
            kernels: [3, 4, 16],
            layers: 6,
            stems: 4,
            masked_bins: None,
        }
    }

    #[test]
    fn the_published_network_has_these_bands() {
        let usual = (USUAL_SHARES, USUAL_STRIDES);
        let levels = levels(2_049, &sizes(3), usual).expect("they go together");
        let behind = |level: &Level| level.map(|band| band.behind);
        assert_eq!(levels[0].map(|band| band.before), [359, 803, 887]);
        assert_eq!(behind(&levels[0]), [359, 201, 56]);
        assert_eq!(levels[1].map(|band| band.before), [108, 242, 266]);
        assert_eq!(behind(&levels[1]), [108, 61, 17]);
        assert_eq!(behind(&levels[2]), [33, 19, 5]);
        assert_eq!(levels[0][0].pads, [1, 1]);
        assert_eq!((levels[0][0].cut, levels[0][2].pads), (1, [4, 5]));
    }

    #[test]
    fn bands_that_cannot_be_are_none() {
        for (bins, shares, strides) in [
            (2_049, [0.0, 0.5], USUAL_STRIDES),
            (2_049, [0.7, 0.5], USUAL_STRIDES),
            (2_049, [-0.5, 0.7], USUAL_STRIDES),
            (2, USUAL_SHARES, USUAL_STRIDES),
            (2_049, USUAL_SHARES, [1, 4, 64]),
            (2_049, USUAL_SHARES, [1, 0, 16]),
            (2_049, USUAL_SHARES, [1, 4, u64::MAX]),
        ] {
            assert!(
                levels(bins, &sizes(1), (shares, strides)).is_err(),
                "{bins}, {shares:?}"
            );
        }
    }
}
