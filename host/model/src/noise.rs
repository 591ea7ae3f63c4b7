use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The Gaussian noise that goes into a decoder.
///
/// The values of a frame depend only on the seed and the frame's number in the track, so segments may begin anywhere and run on any number
/// of threads. `ChaCha8` can seek to any position; each frame owns a stretch of it.
pub(super) struct PriorNoise {
    seed: u64,
    stream: u64,
    rows: usize,
    scale: f64,
}

impl PriorNoise {
    /// Noise of `rows` values per frame with the standard deviation `scale`.
    pub(super) fn new(seed: u64, rows: usize, scale: f64) -> Self {
        Self {
            seed,
            stream: 0,
            rows,
            scale,
        }
    }

    /// Noise of the same seed that is independent of the prior's: `per_frame` values of deviation 1 in each frame, which a sine source adds
    /// to its sine.
    pub(super) fn of_source(seed: u64, per_frame: usize) -> Self {
        Self {
            seed,
            stream: 1,
            rows: per_frame,
            scale: 1.0,
        }
    }

    /// The noise of `frames` frames from `first_frame` on, frame after frame (`[frames, rows]`).
    pub(super) fn in_time(&self, first_frame: u64, frames: usize) -> Vec<f32> {
        let by_rows = self.frames(first_frame, frames);
        (0..frames)
            .flat_map(|frame| (0..self.rows).map(move |row| row * frames + frame))
            .map(|place| by_rows[place])
            .collect()
    }

    /// The noise of `frames` frames from `first_frame` on, row after row (`[rows, frames]`).
    pub(super) fn frames(&self, first_frame: u64, frames: usize) -> Vec<f32> {
        let mut noise = vec![0.0; self.rows * frames];
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(self.stream);
        // Box-Muller makes two values out of two words, so a frame uses an even number of words.
        let words_per_frame = self.rows.next_multiple_of(2) as u128;
        for frame in 0..frames {
            random.set_word_pos((u128::from(first_frame) + frame as u128) * words_per_frame);
            for pair in 0..self.rows.div_ceil(2) {
                let (first, second) = self.gaussian_pair(&mut random);
                noise[2 * pair * frames + frame] = first;
                if 2 * pair + 1 < self.rows {
                    noise[(2 * pair + 1) * frames + frame] = second;
                }
            }
        }
        noise
    }

    /// Two independent normal values by the Box-Muller transform.
    fn gaussian_pair(&self, random: &mut ChaCha8Rng) -> (f32, f32) {
        let unit = |word: u32| (f64::from(word) + 0.5) / 4_294_967_296.0;
        let radius = self.scale * (-2.0 * unit(random.next_u32()).ln()).sqrt();
        let (sine, cosine) = (std::f64::consts::TAU * unit(random.next_u32())).sin_cos();
        ((radius * cosine) as f32, (radius * sine) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_the_same_wherever_a_segment_begins() {
        let noise = PriorNoise::new(7, 192, 1.0);
        let whole = noise.frames(0, 50);
        let part = noise.frames(20, 10);
        for row in 0..192 {
            assert_eq!(whole[row * 50 + 20..row * 50 + 30], part[row * 10..][..10]);
        }
    }

    #[test]
    fn a_source_has_noise_of_its_own_in_the_order_of_time() {
        let source = PriorNoise::of_source(7, 80);
        let whole = source.in_time(0, 12);
        assert_eq!(whole[4 * 80..9 * 80], source.in_time(4, 5));
        let by_rows = source.frames(0, 12);
        assert_eq!(by_rows[5].to_bits(), whole[5 * 80].to_bits());
        assert_ne!(
            source.frames(0, 12),
            PriorNoise::new(7, 80, 1.0).frames(0, 12)
        );
    }

    #[test]
    fn another_seed_is_another_noise() {
        let of_seed = |seed| PriorNoise::new(seed, 192, 1.0).frames(3, 4);
        assert_eq!(of_seed(1), of_seed(1));
        assert_ne!(of_seed(1), of_seed(2));
    }

    #[test]
    fn the_values_are_normal_with_the_asked_deviation() {
        let values = PriorNoise::new(0, 191, 0.5).frames(0, 500);
        let count = values.len() as f64;
        let moment = |power: i32| {
            let sum: f64 = values.iter().map(|x| f64::from(*x).powi(power)).sum();
            sum / count
        };
        assert!(moment(1).abs() < 0.01, "mean {}", moment(1));
        assert!((moment(2) - 0.25).abs() < 0.01, "variance {}", moment(2));
        // The fourth moment of a normal distribution is three times the squared variance.
        assert!((moment(4) / moment(2).powi(2) - 3.0).abs() < 0.1);
    }
}
