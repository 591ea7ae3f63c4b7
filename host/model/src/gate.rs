use super::level::Levels;

/// At source levels this far below the recording's own, the voice is muted.
pub(super) const CLOSED_DB: f64 = -60.0;
/// From this source level on, the voice is untouched. Between the two the gain rises linearly with the level in decibels.
pub(super) const OPEN_DB: f64 = -48.0;
/// Frames of 10 ms on each side that keep the gate open, so that onsets and endings are not cut.
pub(super) const HOLD_FRAMES: usize = 2;

/// Keeps silence silent: a decoder adds breath noise even where the source is silent, because its loudness channel has a floor. The gate
/// follows the source's level over 20 ms; its gain is linear over each 10 ms, so that it cannot click. 60 ms into a digital silence the
/// output is exactly zero.
pub(super) struct Gate {
    gains: Vec<f32>,
    hop_samples: usize,
}

impl Gate {
    /// A gate for `frames` frames with `hop_samples` output samples each. `rms` is the recording's level over its sounding parts; without
    /// it the gate stays closed.
    pub(super) fn new(
        levels: &Levels,
        rms: Option<f64>,
        frames: usize,
        hop_samples: usize,
    ) -> Self {
        let level_db = |frame: usize| match rms {
            Some(rms) => 20.0 * (levels.frame_rms(frame) / rms).log10(),
            None => f64::NEG_INFINITY,
        };
        let own: Vec<f64> = (0..=frames).map(level_db).collect();
        let gain = |frame: usize| {
            let around =
                frame.saturating_sub(HOLD_FRAMES)..(frame + HOLD_FRAMES + 1).min(own.len());
            let loudest = own[around]
                .iter()
                .copied()
                .fold(f64::NEG_INFINITY, f64::max);
            ((loudest - CLOSED_DB) / (OPEN_DB - CLOSED_DB)).clamp(0.0, 1.0) as f32
        };
        Self {
            gains: (0..own.len()).map(gain).collect(),
            hop_samples,
        }
    }

    /// Applies the gate to samples, the first of which is number `first_sample` of the output.
    pub(super) fn apply(&self, samples: &mut [f32], first_sample: u64) {
        let last = self.gains.len() - 1;
        for (offset, sample) in samples.iter_mut().enumerate() {
            let position = first_sample as usize + offset;
            let frame = (position / self.hop_samples).min(last);
            let share = (position % self.hop_samples) as f32 / self.hop_samples as f32;
            let (now, next) = (self.gains[frame], self.gains[(frame + 1).min(last)]);
            *sample *= now + (next - now) * share;
        }
    }
}
