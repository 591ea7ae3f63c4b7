use std::f64::consts::PI;

/// The kind of window, and how many periods it spans.
#[derive(Debug, Clone, Copy)]
pub(super) enum Window {
    /// Hann's, over so many periods.
    Hann(f64),
    /// Blackman's, over so many periods.
    Blackman(f64),
}

impl Window {
    fn periods(self) -> f64 {
        match self {
            Self::Hann(periods) | Self::Blackman(periods) => periods,
        }
    }

    /// Its value at a position; the middle is 0 and the ends are -1 and 1.
    fn at(self, place: f64) -> f64 {
        let angle = PI * place;
        match self {
            Self::Hann(_) => 0.5 + 0.5 * angle.cos(),
            Self::Blackman(_) => 0.42 + 0.5 * angle.cos() + 0.08 * (2.0 * angle).cos(),
        }
    }
}

/// A windowed stretch of a sound around a moment. Its mean under the window is removed, so that an offset does not leak.
#[derive(Debug, Default)]
pub(super) struct Stretch {
    pub(super) samples: Vec<f64>,
    window: Vec<f64>,
}

/// A sound at a rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sound<'s> {
    pub(super) samples: &'s [f32],
    pub(super) rate_hz: f64,
}

impl Stretch {
    /// Takes the stretch around `moment_s`. Beyond its ends the sound's first or last sample is repeated. With `is_normal` the window has
    /// unit power.
    pub(super) fn take(
        &mut self,
        sound: Sound<'_>,
        (window, is_normal): (Window, bool),
        moment_s: f64,
        f0_hz: f64,
    ) {
        let half = (window.periods() / 2.0 * sound.rate_hz / f0_hz).round() as i64;
        let middle = (moment_s * sound.rate_hz + 0.001).round() as i64;
        let last = sound.samples.len().saturating_sub(1) as i64;
        let scale = 2.0 / window.periods() / sound.rate_hz * f0_hz;
        self.window.clear();
        self.samples.clear();
        for offset in -half..=half {
            self.window.push(window.at(offset as f64 * scale));
            let place = (middle + offset).clamp(0, last) as usize;
            let sample = sound.samples.get(place).copied().unwrap_or(0.0);
            self.samples.push(f64::from(sample));
        }
        if is_normal {
            let power: f64 = self.window.iter().map(|value| value * value).sum();
            let root = power.sqrt();
            for value in &mut self.window {
                *value /= root;
            }
        }
        let mut weighted = 0.0;
        for (sample, value) in self.samples.iter_mut().zip(&self.window) {
            *sample *= value;
            weighted += *sample;
        }
        let mean = weighted / self.window.iter().sum::<f64>();
        for (sample, value) in self.samples.iter_mut().zip(&self.window) {
            *sample -= value * mean;
        }
    }
}
