use vocalhost_audio::Block;

/// Where decibels end: what is fainter is shown as this.
pub(crate) const FLOOR_DB: f64 = -200.0;

/// How loud a recording is, over all channels together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Levels {
    peak: f32,
    squares: f64,
    samples: u64,
    over: u64,
}

impl Levels {
    /// Takes a piece of the recording in.
    pub fn add(&mut self, block: &Block) {
        for sample in block.as_planar() {
            let magnitude = sample.abs();
            self.peak = self.peak.max(magnitude);
            self.squares += f64::from(*sample) * f64::from(*sample);
            self.over += u64::from(magnitude > 1.0);
        }
        self.samples += block.as_planar().len() as u64;
    }

    /// The largest magnitude in dBFS.
    #[must_use]
    pub fn peak_db(&self) -> f64 {
        decibels(f64::from(self.peak))
    }

    /// The root mean square in dB relative to a constant full scale: a full-scale sine has -3.01.
    #[must_use]
    pub fn rms_db(&self) -> f64 {
        if self.samples == 0 {
            return FLOOR_DB;
        }
        decibels((self.squares / self.samples as f64).sqrt())
    }

    /// Samples beyond full scale, which a file of integers cuts off.
    #[must_use]
    pub fn over_full_scale(&self) -> u64 {
        self.over
    }
}

/// A magnitude in decibels, never below [`FLOOR_DB`].
#[must_use]
pub(crate) fn decibels(magnitude: f64) -> f64 {
    if magnitude > 0.0 {
        (20.0 * magnitude.log10()).max(FLOOR_DB)
    } else {
        FLOOR_DB
    }
}

/// The magnitude of so many decibels.
#[must_use]
pub(crate) fn magnitude(decibels: f64) -> f64 {
    10.0_f64.powf(decibels / 20.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_sine_has_its_textbook_levels() {
        let sine = (0..48_000)
            .map(|frame| (std::f32::consts::TAU * frame as f32 / 48.0).sin())
            .collect();
        let mut levels = Levels::default();
        levels.add(&Block::from_planar(1, sine));
        assert!(levels.peak_db().abs() < 1e-3);
        assert!((levels.rms_db() + 3.0103).abs() < 1e-3);
        assert_eq!(levels.over_full_scale(), 0);
    }

    #[test]
    fn silence_and_nothing_have_the_floor() {
        let mut levels = Levels::default();
        assert!(levels.rms_db() <= FLOOR_DB);
        levels.add(&Block::silent(2, 10));
        assert!(levels.rms_db() <= FLOOR_DB && levels.peak_db() <= FLOOR_DB);
    }
}
