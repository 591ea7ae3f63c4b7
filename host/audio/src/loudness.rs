//! Loudness as ITU-R BS.1770-4 defines it: each channel passes two filters that model the head (K-weighting), and the power of every 400 ms
//! is averaged over those blocks that are loud enough.
//!
//! This is not left to a library because it is faster: two channels pass the filters side by side, since each waits for its own feedback,
//! and the power of each 100 ms is computed once for the four blocks that contain it. Tests compare it with a library.

use std::f64::consts::PI;

#[cfg(doc)]
use super::AudioInfo;
use super::true_peak::TruePeak;
use super::{Block, speakers};

/// Factor on the power of a channel that stands beside the listener (BS.1770-4, table 3): 1.5 dB.
const BESIDE_WEIGHT: f64 = 1.41;

/// The bits of WAVE's mask for channels beside the listener, for those behind (which count as beside where there are none of the former),
/// and for low frequencies.
const BESIDE: [usize; 2] = [9, 10];
const BEHIND: [usize; 2] = [4, 5];
const LOW_FREQUENCIES: usize = 3;

/// Blocks below the absolute gate do not count (BS.1770-4: -70 LUFS), nor those further below the mean of the others than the relative
/// gate.
const ABSOLUTE_GATE_LUFS: f64 = -70.0;
const RELATIVE_GATE_LU: f64 = -10.0;

/// What BS.1770-4 adds to the level of the filtered power, since the filters make a tone of 997 Hz louder by this.
const OFFSET_LUFS: f64 = -0.691;

/// Steps of a block; blocks begin one step apart.
const STEPS: usize = 4;

/// Bins for the powers of blocks, each a tenth of a LU wide, from the absolute gate up to 30 LUFS, so that memory does not grow with the
/// length. Their sums are exact, so only blocks within a tenth of a LU of the relative gate may count wrongly.
const BINS: usize = 1_000;
const BINS_PER_LU: f64 = 10.0;

/// Feedback below this is cleared, before it becomes denormal numbers, with which processors are slow.
const INAUDIBLE: f64 = 1e-60;

/// How loud a recording is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Loudness {
    /// The integrated loudness in LUFS (ITU-R BS.1770, gated); none below the gate of -70 LUFS, and none for less than 0.4 s, the shortest
    /// that can be measured.
    pub integrated_lufs: Option<f64>,
    /// The true peak in dB of full scale (BS.1770 annex 2, oversampled); none for digital silence.
    pub true_peak_dbtp: Option<f64>,
}

/// Measures the loudness of sound block by block.
pub struct LoudnessMeter {
    channels: Vec<Channel>,
    k: [Biquad; 2],
    step_frames: usize,
    /// Frames of the current step.
    frames: usize,
    /// The powers of the last steps, all channels together.
    steps: [f64; STEPS],
    /// Steps so far.
    count: u64,
    bins: Vec<Bin>,
    peak: TruePeak,
}

/// Blocks of about the same power.
#[derive(Clone, Copy, Default)]
struct Bin {
    blocks: u64,
    power: f64,
}

impl Bin {
    fn and(self, other: Self) -> Self {
        Self {
            blocks: self.blocks + other.blocks,
            power: self.power + other.power,
        }
    }

    fn mean(self) -> Option<f64> {
        (self.blocks > 0).then(|| self.power / self.blocks as f64)
    }
}

/// The filter state of a channel.
#[derive(Clone)]
struct Channel {
    weight: f64,
    /// The state of both filters.
    memory: [[f64; 2]; 2],
    /// Sum of squares in the current step.
    squares: f64,
}

/// A filter of second order, `(b0 + b1/z + b2/z2) / (1 + a1/z + a2/z2)`.
#[derive(Clone, Copy)]
struct Biquad {
    b: [f64; 3],
    a: [f64; 2],
}

impl Biquad {
    /// The two stages of BS.1770's filter at a rate. The constants are those of the analogue prototypes that give its coefficients at 48
    /// kHz, as in libebur128.
    fn k_weighting(sample_rate_hz: u32) -> [Self; 2] {
        let warped = |hz: f64| (PI * hz / f64::from(sample_rate_hz)).tan();
        let head = {
            let (k, q) = (warped(1_681.974_450_955_533), 0.707_175_236_955_419_6);
            let high = 10_f64.powf(3.999_843_853_973_347 / 20.0);
            let band = high.powf(0.499_666_774_154_541_6);
            Self::over(
                [
                    high + band * k / q + k * k,
                    2.0 * (k * k - high),
                    high - band * k / q + k * k,
                ],
                (k, q),
            )
        };
        let low = {
            let (k, q) = (warped(38.135_470_876_024_44), 0.500_327_037_323_877_3);
            let Self { a, .. } = Self::over([0.0; 3], (k, q));
            Self {
                b: [1.0, -2.0, 1.0],
                a,
            }
        };
        [head, low]
    }

    fn over(b: [f64; 3], (k, q): (f64, f64)) -> Self {
        let a0 = 1.0 + k / q + k * k;
        Self {
            b: b.map(|b| b / a0),
            a: [2.0 * (k * k - 1.0) / a0, (1.0 - k / q + k * k) / a0],
        }
    }

    /// One sample, in the transposed direct form II.
    #[inline]
    fn step(&self, memory: &mut [f64; 2], sample: f64) -> f64 {
        let filtered = self.b[0] * sample + memory[0];
        memory[0] = self.b[1] * sample - self.a[0] * filtered + memory[1];
        memory[1] = self.b[2] * sample - self.a[1] * filtered;
        filtered
    }
}

impl LoudnessMeter {
    /// Begins to measure channels whose loudspeakers stand where [`AudioInfo::speakers`] says.
    #[must_use]
    pub fn new(channels: usize, sample_rate_hz: u32, stated: Option<u32>) -> Self {
        let channel = |weight| Channel {
            weight,
            memory: [[0.0; 2]; 2],
            squares: 0.0,
        };
        Self {
            channels: weights(stated, channels).into_iter().map(channel).collect(),
            k: Biquad::k_weighting(sample_rate_hz),
            step_frames: ((sample_rate_hz + 5) / 10) as usize,
            frames: 0,
            steps: [0.0; STEPS],
            count: 0,
            bins: vec![Bin::default(); BINS],
            peak: TruePeak::new(channels, sample_rate_hz),
        }
    }

    /// Measures a block.
    ///
    /// # Panics
    /// When the block has another number of channels.
    pub fn listen(&mut self, block: &Block) {
        assert_eq!(
            block.channels(),
            self.channels.len(),
            "sound keeps its channels"
        );
        self.peak.listen(block);
        let mut heard = 0;
        while heard < block.frames() {
            let count = (self.step_frames - self.frames).min(block.frames() - heard);
            for (pair, channels) in self.channels.chunks_mut(2).enumerate() {
                let sound = |side: usize| &block.channel(2 * pair + side)[heard..heard + count];
                match channels {
                    [one, other] => Channel::hear_both([one, other], &self.k, [sound(0), sound(1)]),
                    alone => alone.iter_mut().for_each(|one| one.hear(&self.k, sound(0))),
                }
            }
            heard += count;
            self.frames += count;
            if self.frames == self.step_frames {
                self.end_step();
            }
        }
    }

    fn end_step(&mut self) {
        self.frames = 0;
        self.steps.rotate_left(1);
        let powers = self.channels.iter_mut().map(Channel::take_power);
        self.steps[STEPS - 1] = powers.sum();
        self.count += 1;
        let power = self.steps.iter().sum::<f64>() / (STEPS * self.step_frames) as f64;
        let above = lufs(power) - ABSOLUTE_GATE_LUFS;
        if self.count >= STEPS as u64 && above >= 0.0 {
            let bin = ((above * BINS_PER_LU) as usize).min(BINS - 1);
            self.bins[bin] = self.bins[bin].and(Bin { blocks: 1, power });
        }
    }

    /// The result so far.
    #[must_use]
    pub fn measured(&self) -> Loudness {
        let all = |bins: &[Bin]| {
            bins.iter()
                .fold(Bin::default(), |all, bin| all.and(*bin))
                .mean()
        };
        let gate = all(&self.bins).map(|mean| lufs(mean) + RELATIVE_GATE_LU);
        let loud = gate.and_then(|gate| {
            let is_loud = |bin: &Bin| bin.mean().is_some_and(|mean| lufs(mean) >= gate);
            let first = self.bins.iter().position(is_loud)?;
            all(&self.bins[first..])
        });
        let peak = f64::from(self.peak.highest());
        Loudness {
            integrated_lufs: loud.map(lufs),
            true_peak_dbtp: (peak > 0.0).then(|| 20.0 * peak.log10()),
        }
    }
}

impl Channel {
    fn hear(&mut self, [head, low]: &[Biquad; 2], sound: &[f32]) {
        for sample in sound {
            let sample = head.step(&mut self.memory[0], f64::from(*sample));
            let sample = low.step(&mut self.memory[1], sample);
            self.squares += sample * sample;
        }
        self.end_feedback();
    }

    /// The same for two channels, side by side.
    fn hear_both(channels: [&mut Self; 2], [head, low]: &[Biquad; 2], sounds: [&[f32]; 2]) {
        let [left, right] = channels;
        for (one, other) in sounds[0].iter().zip(sounds[1]) {
            let one = head.step(&mut left.memory[0], f64::from(*one));
            let other = head.step(&mut right.memory[0], f64::from(*other));
            let one = low.step(&mut left.memory[1], one);
            let other = low.step(&mut right.memory[1], other);
            left.squares += one * one;
            right.squares += other * other;
        }
        left.end_feedback();
        right.end_feedback();
    }

    fn end_feedback(&mut self) {
        for memory in self.memory.as_flattened_mut() {
            if memory.abs() < INAUDIBLE {
                *memory = 0.0;
            }
        }
    }

    /// Its power in the step that ends.
    fn take_power(&mut self) -> f64 {
        self.weight * std::mem::take(&mut self.squares)
    }
}

fn lufs(power: f64) -> f64 {
    10.0 * power.log10() + OFFSET_LUFS
}

/// The weight of each channel's power.
fn weights(stated: Option<u32>, channels: usize) -> Vec<f64> {
    if channels == 1 {
        return vec![1.0];
    }
    let places = speakers::places(stated, channels);
    let has_beside = BESIDE.iter().any(|place| places.contains(place));
    let weight = |place: &usize| match *place {
        LOW_FREQUENCIES => 0.0,
        place if BESIDE.contains(&place) => BESIDE_WEIGHT,
        place if BEHIND.contains(&place) && !has_beside => BESIDE_WEIGHT,
        _ => 1.0,
    };
    places.iter().map(weight).collect()
}

#[cfg(test)]
mod tests {
    use ebur128::{EbuR128, Mode};

    use super::*;

    fn tone(peak: f32, hz: f32, seconds: f32) -> Vec<f32> {
        let frames = (seconds * 48_000.0) as usize;
        let turn = std::f32::consts::TAU * hz / 48_000.0;
        (0..frames)
            .map(|at| peak * (turn * at as f32).sin())
            .collect()
    }

    fn measure(channels: usize, planar: Vec<f32>) -> Loudness {
        let mut meter = LoudnessMeter::new(channels, 48_000, None);
        meter.listen(&Block::from_planar(channels, planar));
        meter.measured()
    }

    /// EBU Tech 3341, case 1: a stereo tone of 1 kHz at -23 dBFS measures -23 LUFS within 0.1 LU.
    #[test]
    fn the_first_test_case_of_the_ebu_measures_as_it_should() {
        let one = tone(0.070_795, 1_000.0, 20.0);
        let loudness = measure(2, [one.clone(), one].concat());
        let integrated = loudness.integrated_lufs.expect("is loud");
        assert!((integrated + 23.0).abs() < 0.1, "{integrated}");
        let peak = loudness.true_peak_dbtp.expect("has a peak");
        assert!((peak + 23.0).abs() < 0.2, "{peak}");
    }

    /// BS.1770, table 3: 1.41 times the energy from beside the listener, as it is from in front and behind, nothing of low frequencies.
    #[test]
    fn loudspeakers_count_by_where_they_stand() {
        let one = tone(0.070_795, 1_000.0, 4.0);
        let alone = |channels: usize, loud: usize, stated: Option<u32>| {
            let mut meter = LoudnessMeter::new(channels, 48_000, stated);
            let mut planar = vec![0.0; channels * one.len()];
            planar[loud * one.len()..][..one.len()].copy_from_slice(&one);
            let sound = Block::from_planar(channels, planar);
            meter.listen(&sound);
            // To half a LU: a tone is not quite as loud in all of its blocks.
            let loudness = meter.measured().integrated_lufs;
            loudness.map(|lufs| (2.0 * lufs).round())
        };
        let (front, beside) = (Some(-52.0), Some(-49.0));
        // 5.1, its surrounds at the sides as well; 7.1; 6.1; and 2.1.
        for (loud, expected) in [front, front, front, None, beside, beside]
            .iter()
            .enumerate()
        {
            assert_eq!(alone(6, loud, None), *expected, "{loud}");
            assert_eq!(alone(6, loud, Some(0x60f)), *expected, "{loud}");
        }
        let around = [front, front, front, None, front, front, beside, beside];
        for (loud, expected) in around.iter().enumerate() {
            assert_eq!(alone(8, loud, None), *expected, "{loud}");
        }
        assert_eq!(alone(7, 4, None), front);
        assert_eq!(alone(7, 6, None), beside);
        assert_eq!(alone(3, 2, Some(0xb)), None);
        assert_eq!(alone(1, 0, None), front);
    }

    /// A library that many players measure with, asked for exact powers.
    fn theirs(channels: &[&[f32]], rate: u32) -> f64 {
        let mut meter = EbuR128::new(channels.len() as u32, rate, Mode::I).expect("begins");
        meter.add_frames_planar_f32(channels).expect("listens");
        meter.loudness_global().expect("measures")
    }

    #[test]
    fn loudness_is_that_of_another_meter() {
        for rate in [8_000, 11_025, 44_100, 48_000, 96_000, 192_000] {
            // Sound that swells, rests and pauses for a while, so that both gates take effect.
            let frames = 9 * rate as usize + 17;
            let level = |at: usize| match 9 * at / frames {
                0 | 1 => 0.3,
                2 => 0.0,
                3 | 4 => 0.01,
                5 => 1e-5,
                _ => 0.5 * (at as f32 / 9_000.0).sin(),
            };
            let noise = vocalhost_testing::sound::noise(5, 2 * frames);
            let sound = |channel: usize| -> Vec<f32> {
                let samples = noise[channel * frames..][..frames].iter().enumerate();
                samples.map(|(at, sample)| level(at) * sample).collect()
            };
            let (left, right) = (sound(0), sound(1));
            for channels in [vec![&left[..]], vec![&left[..], &right[..]]] {
                let mut meter = LoudnessMeter::new(channels.len(), rate, None);
                // In blocks that end within steps.
                for start in (0..frames).step_by(3_001) {
                    let end = (start + 3_001).min(frames);
                    let block: Vec<&[f32]> =
                        channels.iter().map(|sound| &sound[start..end]).collect();
                    meter.listen(&Block::from_planar(channels.len(), block.concat()));
                }
                let ours = meter.measured().integrated_lufs.expect("is loud");
                let theirs = theirs(&channels, rate);
                let apart = (ours - theirs).abs();
                assert!(apart < 0.005, "{rate}: {ours} and {theirs}");
            }
        }
    }

    #[test]
    fn long_silence_behind_sound_costs_no_more_than_sound() {
        let mut meter = LoudnessMeter::new(1, 48_000, None);
        meter.listen(&Block::from_planar(1, tone(0.5, 440.0, 1.0)));
        for _ in 0..100 {
            meter.listen(&Block::silent(1, 4_800));
        }
        let memory = meter.channels[0].memory.as_flattened();
        assert!(
            memory.iter().all(|value| !value.is_subnormal()),
            "{memory:?}"
        );
        assert!(memory.iter().all(|value| *value == 0.0), "{memory:?}");
    }

    #[test]
    fn silence_has_no_loudness_and_no_peak() {
        assert_eq!(measure(1, vec![0.0; 48_000]), Loudness::default());
    }

    #[test]
    fn a_peak_between_samples_is_found() {
        // A quarter of the rate, an eighth of a turn late: samples reach 0.707 of the wave.
        let wave = |at: usize| {
            let phase = std::f32::consts::FRAC_PI_2 * at as f32 + std::f32::consts::FRAC_PI_4;
            phase.sin()
        };
        let loudness = measure(1, (0..48_000).map(wave).collect());
        let peak = loudness.true_peak_dbtp.expect("has a peak");
        assert!(peak.abs() < 0.3, "{peak}");
    }
}
