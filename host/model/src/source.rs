use vocalhost_audio::Spool;

use super::ModelError;

/// The sample rate of the models' input.
pub(super) const SOURCE_RATE_HZ: u32 = 16_000;

/// Mono sound for models; any window of it can be read.
pub(super) trait Sound: Sync {
    /// Number of samples.
    fn len(&self) -> u64;

    /// `count` samples from `start` on; silence before the beginning and after the end.
    fn samples(&self, start: i64, count: usize) -> Result<Vec<f32>, ModelError>;

    /// As [`Sound::samples`], but mirrored at both ends, which is how spectrograms with centred frames are padded
    /// (`torch.stft(center=True, pad_mode="reflect")`).
    fn reflected(&self, start: i64, count: usize) -> Result<Vec<f32>, ModelError> {
        mirrored(start, count, self.len(), |start, count| {
            self.samples(start, count)
        })
    }
}

/// A window of a sound of `length` samples that is mirrored beyond its ends; `read` gives a window inside.
pub(super) fn mirrored<T: Copy>(
    start: i64,
    count: usize,
    length: u64,
    read: impl FnOnce(i64, usize) -> Result<Vec<T>, ModelError>,
) -> Result<Vec<T>, ModelError> {
    let length = length as i64;
    if start >= 0 && start + count as i64 <= length {
        return read(start, count);
    }
    let positions: Vec<i64> = (start..start + count as i64)
        .map(|position| reflect(position, length))
        .collect();
    let (Some(low), Some(high)) = (positions.iter().min(), positions.iter().max()) else {
        return Ok(Vec::new());
    };
    let samples = read(*low, (high - low + 1) as usize)?;
    let pick = |position: &i64| samples[(position - low) as usize];
    Ok(positions.iter().map(pick).collect())
}

/// The spooled recording brought to the models' level.
pub(super) struct Source<'s> {
    spool: &'s Spool,
    gain: f32,
}

impl<'s> Source<'s> {
    pub(super) fn new(spool: &'s Spool, gain: f64) -> Self {
        Self {
            spool,
            gain: gain as f32,
        }
    }
}

impl Sound for Source<'_> {
    fn len(&self) -> u64 {
        self.spool.frames()
    }

    fn samples(&self, start: i64, count: usize) -> Result<Vec<f32>, ModelError> {
        let mut samples = self.spool.read(start, count)?.into_planar();
        for sample in &mut samples {
            *sample *= self.gain;
        }
        Ok(samples)
    }
}

/// Mirrors a position into `0..length` without repeating the end samples, as often as needed.
pub(super) fn reflect(position: i64, length: i64) -> i64 {
    let period = 2 * (length - 1);
    if period <= 0 {
        return 0;
    }
    let folded = position.rem_euclid(period);
    folded.min(period - folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_mirrored_as_numpy_pads() {
        // numpy.pad(numpy.arange(4), 5, mode="reflect")
        let mirrored: Vec<i64> = (-5..9).map(|position| reflect(position, 4)).collect();
        assert_eq!(mirrored, [1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2]);
        assert_eq!(reflect(7, 1), 0);
    }
}
