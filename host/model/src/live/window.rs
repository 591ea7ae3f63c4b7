use crate::ModelError;
use crate::source::Sound;

/// Sound that was heard, as a recording of its own.
pub(super) struct Window<'s> {
    samples: &'s [f32],
    gain: f32,
}

impl<'s> Window<'s> {
    pub(super) fn new(samples: &'s [f32], gain: f32) -> Self {
        Self { samples, gain }
    }
}

impl Sound for Window<'_> {
    fn len(&self) -> u64 {
        self.samples.len() as u64
    }

    fn samples(&self, start: i64, count: usize) -> Result<Vec<f32>, ModelError> {
        let at = |place: i64| {
            let sample = usize::try_from(place).ok();
            sample.and_then(|place| self.samples.get(place))
        };
        let wanted = start..start + count as i64;
        Ok(wanted
            .map(|place| at(place).map_or(0.0, |sample| sample * self.gain))
            .collect())
    }
}
