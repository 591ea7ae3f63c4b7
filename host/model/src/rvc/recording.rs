use crate::ModelError;
use crate::source::Sound;

/// A recording with its padding, which mirrors it at both ends; beyond that is silence.
pub(super) struct Padded<'s> {
    inner: &'s dyn Sound,
    pad: usize,
    tail: usize,
    gain: f32,
}

impl<'s> Padded<'s> {
    /// Adds `pad` samples before the recording and `tail` after it, and multiplies all by `gain`.
    pub(super) fn new(inner: &'s dyn Sound, pad: usize, tail: usize, gain: f64) -> Self {
        Self {
            inner,
            pad,
            tail,
            gain: gain as f32,
        }
    }
}

impl Sound for Padded<'_> {
    fn len(&self) -> u64 {
        self.inner.len() + (self.pad + self.tail) as u64
    }

    fn samples(&self, start: i64, count: usize) -> Result<Vec<f32>, ModelError> {
        let length = self.len() as i64;
        let first = start.clamp(0, length);
        let end = (start + count as i64).clamp(first, length);
        let mut window = vec![0.0; count];
        let heard = self
            .inner
            .reflected(first - self.pad as i64, (end - first) as usize)?;
        for (sample, heard) in window[(first - start) as usize..].iter_mut().zip(heard) {
            *sample = heard * self.gain;
        }
        Ok(window)
    }
}
