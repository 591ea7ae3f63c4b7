use super::level::{Places, envelope_point, envelope_points, envelope_reach};

/// The least level of the voice's envelope that is followed, or its silence would be amplified without end. From RVC's
/// pipeline.
const SMALLEST_ENVELOPE: f64 = 1e-6;

/// Mixes the source's loudness with the voice's own: `y * source^(1 - mix) * voice^(mix - 1)`, where both envelopes are
/// the RMS of one second at every half second. This is RVC's `rms_mix_rate`.
///
/// At 1 the voice keeps its own level, at 0 it follows the source's. Sound is processed as it passes, with the delay of
/// the look-ahead: about one second and a half.
pub(super) struct VolumeMix {
    source_envelope: Vec<f64>,
    exponent: f64,
    total_samples: u64,
    hop_samples: usize,
    hops: Vec<f64>,
    received: u64,
    envelope: Vec<f64>,
    held: Vec<f32>,
    given: u64,
}

impl VolumeMix {
    /// A mix for `total_samples` samples with `hop_samples` samples in 10 ms.
    pub(super) fn new(
        source_envelope: Vec<f64>,
        mix: f64,
        total_samples: u64,
        hop_samples: usize,
    ) -> Self {
        Self {
            source_envelope,
            exponent: 1.0 - mix,
            total_samples,
            hop_samples,
            hops: Vec::new(),
            received: 0,
            envelope: Vec::new(),
            held: Vec::new(),
            given: 0,
        }
    }

    /// Takes the next samples and returns those whose surroundings are known.
    pub(super) fn process(&mut self, samples: Vec<f32>) -> Vec<f32> {
        if self.exponent == 0.0 {
            return samples;
        }
        let mut rest = &samples[..];
        while !rest.is_empty() {
            let hop = (self.received / self.hop_samples as u64) as usize;
            if hop == self.hops.len() {
                self.hops.push(0.0);
            }
            let until_next = self.hop_samples - (self.received % self.hop_samples as u64) as usize;
            let (of_hop, others) = rest.split_at(until_next.min(rest.len()));
            for sample in of_hop {
                self.hops[hop] += f64::from(*sample).powi(2);
            }
            self.received += of_hop.len() as u64;
            rest = others;
        }
        self.held.extend(samples);
        let points = envelope_points(self.total_samples, self.hop_samples);
        let whole_hops = (self.received / self.hop_samples as u64) as usize;
        let ended = self.received >= self.total_samples;
        while self.envelope.len() < points
            && (ended || envelope_reach(self.envelope.len()) <= whole_hops)
        {
            let point = envelope_point(&self.hops, self.hop_samples, self.envelope.len());
            self.envelope.push(point);
        }
        self.release(points)
    }

    /// Returns the held samples for which both neighbouring points of the voice's envelope are known.
    fn release(&mut self, points: usize) -> Vec<f32> {
        let voice = Places::new(points, self.total_samples);
        let source = Places::new(self.source_envelope.len(), self.total_samples);
        let mut ready = 0;
        for sample in &mut self.held {
            let (first, second, share) = voice.of(self.given);
            if second >= self.envelope.len() {
                break;
            }
            let voice = between(self.envelope[first], self.envelope[second], share);
            let (first, second, share) = source.of(self.given);
            let (from, to) = (self.source_envelope[first], self.source_envelope[second]);
            // In 32 bits, as samples are: in 64 bits the power takes four times as long.
            let ratio = (between(from, to, share) / voice.max(SMALLEST_ENVELOPE)) as f32;
            *sample *= ratio.powf(self.exponent as f32);
            ready += 1;
            self.given += 1;
        }
        let rest = self.held.split_off(ready);
        std::mem::replace(&mut self.held, rest)
    }
}

fn between(from: f64, to: f64, share: f64) -> f64 {
    from * (1.0 - share) + to * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;
    use crate::level::envelope_points;

    const HOP: usize = 160;

    fn envelope_of(samples: &[f32]) -> Vec<f64> {
        let mut hops = vec![0.0; samples.len().div_ceil(HOP)];
        for (index, sample) in samples.iter().enumerate() {
            hops[index / HOP] += f64::from(*sample).powi(2);
        }
        (0..envelope_points(samples.len() as u64, HOP))
            .map(|point| envelope_point(&hops, HOP, point))
            .collect()
    }

    #[test]
    fn the_mix_equals_the_reference_numbers_however_the_sound_is_cut() {
        let source = golden::signal(53_000);
        let voice: Vec<f32> = source.iter().rev().copied().collect();
        for piece in [7_777, 53_000] {
            let mut mix = VolumeMix::new(envelope_of(&source), 0.3, 53_000, HOP);
            let mut mixed = Vec::new();
            for piece in voice.chunks(piece) {
                mixed.extend(mix.process(piece.to_vec()));
            }
            assert_eq!(mixed.len(), voice.len());
            let expected = golden::numbers("/volume/values");
            for (at, expected) in golden::numbers("/volume/at").into_iter().zip(expected) {
                let found = f64::from(mixed[at as usize]);
                // A hop is 10 ms, so a second's last partial hop may count a little differently.
                assert!(
                    (found - expected).abs() < 1e-3 * expected.abs() + 1e-7,
                    "{found} {expected}"
                );
            }
        }
    }

    #[test]
    fn a_mix_of_one_leaves_every_sample_as_it_is() {
        let voice = golden::signal(5_000);
        let mut mix = VolumeMix::new(vec![0.0; 3], 1.0, 5_000, HOP);
        assert_eq!(mix.process(voice.clone()), voice);
    }
}
