//! The true-peak meter of ITU-R BS.1770-4, Annex 2.

use vocalhost_effect::dsp::STRETCH_FRAMES;

/// Taps of the interpolation filter per phase.
pub const TAPS: usize = 12;

/// Frames whose sums are kept in registers while all taps pass over them.
const TOGETHER: usize = 16;

/// The order-48, four-phase interpolating filter that the recommendation prints: phases
/// 0 and 1. Phases 3 and 2 are these backwards.
const PHASES: [[f32; TAPS]; 2] = [
    [
        0.001_708_984_4,
        0.010_986_328,
        -0.019_653_32,
        0.033_203_125,
        -0.059_448_242,
        0.137_329_1,
        0.972_167_97,
        -0.102_294_92,
        0.047_607_42,
        -0.026_611_328,
        0.014_892_578,
        -0.008_300_781,
    ],
    [
        -0.029_174_805,
        0.029_296_875,
        -0.051_757_813,
        0.089_111_33,
        -0.166_503_9,
        0.465_087_9,
        0.779_785_16,
        -0.200_317_38,
        0.101_562_5,
        -0.058_227_54,
        0.033_081_055,
        -0.018_920_898,
    ],
];

/// The peaks of one channel at four times its sample rate.
#[derive(Clone, Debug)]
pub struct TruePeak {
    /// The last frames of the stretch before, then the current stretch.
    window: [f32; TAPS - 1 + STRETCH_FRAMES],
}

impl Default for TruePeak {
    fn default() -> Self {
        Self {
            window: [0.0; TAPS - 1 + STRETCH_FRAMES],
        }
    }
}

impl TruePeak {
    /// Raises each of `peaks` to the largest magnitude that the waveform reaches around
    /// that frame: the samples themselves and the four points between the sixth and the
    /// fifth frame before. There are as many peaks as samples, at most a stretch.
    pub fn raise(&mut self, peaks: &mut [f32], samples: &[f32]) {
        let frames = samples.len();
        self.window[TAPS - 1..][..frames].copy_from_slice(samples);
        for (peak, sample) in peaks.iter_mut().zip(samples) {
            *peak = larger(*peak, sample.abs());
        }
        for (group, peaks) in peaks.chunks_mut(TOGETHER).enumerate() {
            // A last group that is not full also looks at what an earlier stretch left
            // behind it, which is dropped.
            let window = &self.window[group * TOGETHER..][..TAPS - 1 + TOGETHER];
            for phase in &PHASES {
                let (mut forwards, mut backwards) = ([0.0; TOGETHER], [0.0; TOGETHER]);
                for (tap, &weight) in phase.iter().enumerate() {
                    let later = &window[TAPS - 1 - tap..][..TOGETHER];
                    for (sum, sample) in forwards.iter_mut().zip(later) {
                        *sum += weight * sample;
                    }
                    let earlier = &window[tap..][..TOGETHER];
                    for (sum, sample) in backwards.iter_mut().zip(earlier) {
                        *sum += weight * sample;
                    }
                }
                for ((peak, one), two) in peaks.iter_mut().zip(&forwards).zip(&backwards) {
                    *peak = larger(*peak, larger(one.abs(), two.abs()));
                }
            }
        }
        self.window.copy_within(frames..frames + TAPS - 1, 0);
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        self.window.fill(0.0);
    }
}

/// Not `f32::max`, which is a call on WebAssembly because of how it treats NaN.
#[inline]
fn larger(one: f32, two: f32) -> f32 {
    if one > two { one } else { two }
}

#[cfg(test)]
mod tests {
    use super::TruePeak;
    use vocalhost_effect::dsp::STRETCH_FRAMES;

    /// The loudest point of `signal`, metered in stretches of `frames`.
    fn peak(signal: &[f32], frames: usize) -> f32 {
        let mut meter = TruePeak::default();
        let mut loudest = 0.0_f32;
        for stretch in signal.chunks(frames) {
            let mut peaks = [0.0; STRETCH_FRAMES];
            meter.raise(&mut peaks[..stretch.len()], stretch);
            loudest = peaks.into_iter().fold(loudest, f32::max);
        }
        loudest
    }

    #[test]
    fn a_tone_between_the_samples_is_measured_by_its_true_peak() {
        // A quarter of the rate, sampled 45° off its peaks: all samples are at 0.707.
        let tone: Vec<f32> = (0..400)
            .map(|at| (std::f32::consts::FRAC_PI_2 * (at as f32 + 0.5)).sin())
            .collect();
        // The first frames are the start of a tone out of silence, which overshoots.
        let mut settled = TruePeak::default();
        let mut peaks = [0.0; STRETCH_FRAMES];
        settled.raise(&mut peaks[..40], &tone[..40]);
        peaks.fill(0.0);
        settled.raise(&mut peaks[..40], &tone[40..80]);
        let loudest = peaks.into_iter().fold(0.0, f32::max);
        assert!((20.0 * loudest.log10()).abs() < 0.2, "{loudest}");
    }

    #[test]
    fn stretches_of_any_length_measure_the_same() {
        let signal: Vec<f32> = (0..300)
            .map(|at| ((at * 37 % 101) as f32 - 50.0) / 50.0)
            .collect();
        for frames in [1, 3, 11, 64] {
            assert!(peak(&signal, frames).to_bits() == peak(&signal, 64).to_bits());
        }
    }
}
