use vocalhost_fourier::forward;
use vocalhost_fourier::num_complex::Complex;

/// Samples from this magnitude on count as full scale.
const FULL_SCALE: f32 = 0.999;
/// Width of the bands in which the bandwidth is measured.
const BAND_HZ: f64 = 250.0;
/// Samples of a transform.
const LENGTH: usize = 1_024;
/// How far below the loudest band a band is empty, as power: 65 dB.
const EMPTY_RATIO: f64 = 3.16e-7;
/// A band's level is that of its frame at this quantile.
const LOUD_SHARE: f64 = 0.95;

/// How many samples are at full scale next to others that are, which does not happen in sound that is not clipped.
#[must_use]
pub fn clipped_samples(samples: &[f32]) -> u64 {
    let is_full = |sample: &f32| sample.abs() >= FULL_SCALE;
    let runs = samples.chunk_by(|a, b| is_full(a) && is_full(b));
    let runs = runs.filter(|run| run.len() > 1);
    runs.map(|run| run.len() as u64).sum()
}

/// The level of the sounding frames over the quietest, in decibels. `None` where nothing sounds.
#[must_use]
pub fn signal_to_noise_db(powers: &[f64]) -> Option<f64> {
    // Single quiet frames occur between two pulses of a low voice.
    let smooth: Vec<f64> = powers
        .windows(3)
        .map(|three| three.iter().sum::<f64>() / 3.0)
        .collect();
    let mut sorted = smooth.clone();
    sorted.sort_by(f64::total_cmp);
    let noise = *sorted.get(sorted.len() / 20)?;
    let loudest = *sorted.last()?;
    if loudest <= 0.0 {
        return None;
    }
    let sounding = smooth.iter().filter(|power| **power >= loudest * 1e-4);
    let (count, sum) = sounding.fold((0_u32, 0.0), |(count, sum), power| (count + 1, sum + power));
    let signal = sum / f64::from(count.max(1));
    // Nothing is quieter than the noise of 24 bits.
    let ratio = (signal - noise).max(0.0) / noise.max(loudest * 1e-10);
    Some((10.0 * ratio.max(1e-3).log10()).min(90.0))
}

/// The range of a pitch: the semitones within which eight of ten voiced frames lie. 0 where hardly any is voiced.
#[must_use]
pub fn spread_semitones(f0_hz: &[f32]) -> f64 {
    let voiced = f0_hz.iter().filter(|f0| **f0 > 0.0);
    let mut heights: Vec<f64> = voiced.map(|f0| 12.0 * f64::from(*f0).log2()).collect();
    if heights.len() < 10 {
        return 0.0;
    }
    heights.sort_by(f64::total_cmp);
    heights[heights.len() * 9 / 10] - heights[heights.len() / 10]
}

/// Measures the bandwidth of a sound.
pub struct Bandwidth {
    rate_hz: f64,
    /// The powers of every frame, band by band.
    bands: Vec<Vec<f64>>,
}

impl Bandwidth {
    /// Of sound at a rate.
    #[must_use]
    pub fn new(rate_hz: u32) -> Self {
        let rate_hz = f64::from(rate_hz);
        Self {
            rate_hz,
            bands: vec![Vec::new(); (rate_hz / 2.0 / BAND_HZ) as usize],
        }
    }

    /// Adds sound, in steps of 40 ms.
    ///
    /// # Panics
    /// Never: the lengths of the transform are its own.
    pub fn hear(&mut self, samples: &[f32]) {
        let plan = forward(LENGTH);
        let (mut input, mut bins) = (plan.make_input_vec(), plan.make_output_vec());
        let window = |place: usize| {
            let angle = std::f32::consts::TAU * place as f32 / LENGTH as f32;
            0.5 - 0.5 * angle.cos()
        };
        let step = (self.rate_hz / 25.0) as usize;
        for start in (0..samples.len().saturating_sub(LENGTH)).step_by(step) {
            for (place, (to, from)) in input.iter_mut().zip(&samples[start..]).enumerate() {
                *to = from * window(place);
            }
            let done = plan.process(&mut input, &mut bins);
            done.expect("the lengths are the plan's own");
            let per_band = BAND_HZ * LENGTH as f64 / self.rate_hz;
            for (number, band) in self.bands.iter_mut().enumerate() {
                let from = (number as f64 * per_band) as usize;
                let to = ((number + 1) as f64 * per_band) as usize;
                let power: f32 = bins[from..to].iter().map(Complex::norm_sqr).sum();
                band.push(f64::from(power));
            }
        }
    }

    /// The upper end of the highest band that is not empty, in hertz.
    #[must_use]
    pub fn hz(&self) -> f64 {
        let loud = |band: &Vec<f64>| {
            let mut sorted = band.clone();
            sorted.sort_by(f64::total_cmp);
            let place = (sorted.len() as f64 * LOUD_SHARE) as usize;
            sorted.get(place).copied().unwrap_or(0.0)
        };
        let levels: Vec<f64> = self.bands.iter().map(loud).collect();
        let loudest = levels.iter().copied().fold(0.0, f64::max);
        let is_full = |level: &f64| *level > loudest * EMPTY_RATIO;
        let highest = levels.iter().rposition(is_full);
        highest.map_or(0.0, |number| (number + 1) as f64 * BAND_HZ)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(count: usize) -> Vec<f32> {
        let mut state = 1_u64;
        let mut draw = || {
            state = (state * 1_103_515_245 + 12_345) % (1 << 31);
            state as f32 / (1_u64 << 30) as f32 - 1.0
        };
        (0..count).map(|_| 0.1 * draw()).collect()
    }

    #[test]
    fn a_sound_goes_up_as_far_as_it_does() {
        let samples = noise(64_000);
        let mut whole = Bandwidth::new(32_000);
        whole.hear(&samples);
        assert!((whole.hz() - 16_000.0).abs() < 1.0, "{}", whole.hz());
        // A tone of 3 kHz.
        let tone = |place: u32| (f64::from(place) * 0.589).sin() as f32;
        let tone: Vec<f32> = (0..64_000).map(tone).collect();
        let mut low = Bandwidth::new(32_000);
        low.hear(&tone);
        assert!(low.hz() < 4_500.0, "{}", low.hz());
    }

    #[test]
    fn clipping_noise_and_spread_have_figures() {
        let mut samples = noise(1_000);
        samples[10] = 1.0;
        assert_eq!(clipped_samples(&samples), 0);
        samples[11..15].fill(-1.0);
        assert_eq!(clipped_samples(&samples), 5);
        // Sound at a power of 1 for nine tenths, noise at a hundredth.
        let powers: Vec<f64> = (0..1_000)
            .map(|frame| if frame % 10 < 9 { 1.0 } else { 0.01 })
            .collect();
        let runs: Vec<f64> = powers
            .chunks(10)
            .flat_map(|ten| [ten; 10].concat())
            .collect();
        let mut sorted = runs.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let found = signal_to_noise_db(&sorted).expect("it sounds");
        assert!((found - 19.5).abs() < 1.0, "{found}");
        assert_eq!(signal_to_noise_db(&[0.0; 100]), None);
        let pitches: Vec<f32> = (0..100)
            .map(|frame| 100.0 * (frame as f32 / 100.0).exp2())
            .collect();
        assert!((spread_semitones(&pitches) - 9.6).abs() < 0.2);
    }
}
