use super::bands::{BANDS, Bands, TOP_HZ, centre_hz};
use super::filter::Transform;

/// Frames down to this level, relative to that of the sound, count.
const HEARD_DB: f64 = -40.0;
/// Bands down to this level count, relative to the sound's level spread evenly over all bins up to [`TOP_HZ`].
const KNOWN_DB: f64 = -70.0;

/// A number for each band.
pub(super) type Row = [f64; BANDS];

/// A frame in bands.
pub(super) struct Movement {
    /// Natural logarithms of power.
    pub(super) logs: Row,
    /// Whether the band is loud enough to count.
    pub(super) known: [bool; BANDS],
    /// Whether the sound's sample rate reaches the band.
    pub(super) there: [bool; BANDS],
    /// Whether the frame is loud enough to count.
    pub(super) is_heard: bool,
}

/// Measures frames of a sound.
pub(super) struct Listener {
    transform: Transform,
    bands: Bands,
    /// Bins up to the highest band's centre.
    highest: usize,
    /// The least power of a frame that counts, summed over the bins, and that of a band.
    softest_frame: f64,
    softest_band: f64,
    there: [bool; BANDS],
}

impl Listener {
    /// For windows of `size` samples of a sound whose RMS over its sounding parts is `rms`.
    pub(super) fn new(size: usize, rate_hz: f64, rms: f64) -> Self {
        let bin_hz = rate_hz / size as f64;
        let highest = ((TOP_HZ / bin_hz).round() as usize + 1).min(size / 2 + 1);
        // The squares of the window add up to half its length, and one side of the spectrum has half the power.
        let level = rms.powi(2) * (size as f64).powi(2) / 4.0;
        Self {
            transform: Transform::new(size),
            bands: Bands::new(bin_hz),
            there: std::array::from_fn(|band| centre_hz(band as f64) <= rate_hz / 2.0),
            highest,
            softest_frame: 10.0_f64.powf(HEARD_DB / 10.0) * level,
            softest_band: 10.0_f64.powf(KNOWN_DB / 10.0) * level / highest as f64,
        }
    }

    /// Samples of a window.
    pub(super) fn size(&self) -> usize {
        self.transform.size()
    }

    /// Measures a window of this pitch, 0 where unvoiced.
    pub(super) fn hear(&mut self, samples: &[f32], f0_hz: f64) -> Movement {
        let bins = &self.transform.of(samples)[..self.highest];
        let power = bins
            .iter()
            .map(|bin| f64::from(bin.re).powi(2) + f64::from(bin.im).powi(2));
        let floor = self.softest_band;
        let is_heard = power.clone().sum::<f64>() > self.softest_frame;
        let found = self.bands.of(power, f0_hz);
        Movement {
            logs: found.map(|power| power.max(floor).ln()),
            known: found.map(|power| power > floor),
            there: self.there,
            is_heard,
        }
    }
}

/// Smooths over three frames.
pub(super) fn smooth(before: &Row, now: &Row, next: &Row) -> Row {
    std::array::from_fn(|band| 0.25 * before[band] + 0.5 * now[band] + 0.25 * next[band])
}
