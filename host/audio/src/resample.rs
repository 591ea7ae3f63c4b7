use rubato::audioadapter_buffers::direct::SequentialSlice;
use vocalhost_fourier::{RateConverter, RateError};

use super::frame_queue::FrameQueue;
use super::info::{MAX_SAMPLE_RATE_HZ, MIN_SAMPLE_RATE_HZ};
use super::{Block, Stage, StageError};

/// Chooses a converter for a number of channels and two rates.
type Method = fn(usize, u32, u32) -> Result<RateConverter, RateError>;

/// Changes the sample rate.
///
/// Output frame `k` is the sound at `k / to_hz` seconds, from the first frame on, and `n` frames in are
/// `n * to_hz / from_hz` frames out, halves rounded up. Equal rates pass through untouched.
///
/// Rubato converts, by the method that [`RateConverter::new`] chooses; memory is a few MiB for any two rates.
pub struct Resampler {
    from_hz: u32,
    to_hz: u32,
    channels: usize,
    /// None when the rates are equal.
    conversion: Option<Conversion>,
    received_frames: u64,
    given_frames: u64,
}

struct Conversion {
    converter: RateConverter,
    input: FrameQueue,
    planar: Vec<f32>,
}

impl Resampler {
    /// Prepares to turn `from_hz` into `to_hz`, both within 8 to 192 kHz.
    pub fn new(channels: usize, from_hz: u32, to_hz: u32) -> Result<Self, StageError> {
        Self::by(RateConverter::new, channels, (from_hz, to_hz))
    }

    /// The same for sound that somebody waits for: less delay, and less of the highest frequencies is kept.
    pub fn prompt(channels: usize, from_hz: u32, to_hz: u32) -> Result<Self, StageError> {
        Self::by(RateConverter::prompt, channels, (from_hz, to_hz))
    }

    /// The longest delay, in milliseconds: the length of a chunk and half of the filter.
    #[must_use]
    pub fn lag_ms(&self) -> u32 {
        let held = self.conversion.as_ref();
        let held = held.map_or(0, |conversion| conversion.converter.held_frames as u64);
        (held * 1_000).div_ceil(u64::from(self.from_hz)) as u32
    }

    fn by(
        method: Method,
        channels: usize,
        (from_hz, to_hz): (u32, u32),
    ) -> Result<Self, StageError> {
        let legal = MIN_SAMPLE_RATE_HZ..=MAX_SAMPLE_RATE_HZ;
        if channels == 0 || !legal.contains(&from_hz) || !legal.contains(&to_hz) {
            return Err(StageError::Resample(format!(
                "{channels} channels from {from_hz} Hz to {to_hz} Hz"
            )));
        }
        let conversion = if from_hz == to_hz {
            None
        } else {
            Some(Conversion::new(method, channels, (from_hz, to_hz))?)
        };
        Ok(Self {
            from_hz,
            to_hz,
            channels,
            conversion,
            received_frames: 0,
            given_frames: 0,
        })
    }

    /// Frames that `frames` frames become.
    pub(crate) fn converted_frames(&self, frames: u64) -> u64 {
        let (from, to) = (u128::from(self.from_hz), u128::from(self.to_hz));
        ((2 * u128::from(frames) * to + from) / (2 * from)) as u64
    }
}

impl Stage for Resampler {
    fn process(&mut self, block: Block) -> Result<Block, StageError> {
        let Some(conversion) = &mut self.conversion else {
            return Ok(block);
        };
        self.received_frames += block.frames() as u64;
        conversion.input.push(&block);
        let mut output = FrameQueue::new(self.channels);
        while conversion.input.frames() >= conversion.converter.method.input_frames_next() {
            conversion.step(&mut output)?;
        }
        let frames = output.frames();
        self.given_frames += frames as u64;
        Ok(output.take(frames))
    }

    fn flush(&mut self) -> Result<Block, StageError> {
        let whole = self.converted_frames(self.received_frames);
        let wanted = whole.saturating_sub(self.given_frames);
        let mut output = FrameQueue::new(self.channels);
        if let Some(conversion) = &mut self.conversion {
            while (output.frames() as u64) < wanted {
                let missing = conversion.converter.method.input_frames_next();
                let missing = missing.saturating_sub(conversion.input.frames());
                conversion.input.push_silence(missing);
                conversion.step(&mut output)?;
            }
            self.given_frames += wanted;
        }
        let frames = output.frames().min(wanted as usize);
        Ok(output.take(frames))
    }
}

impl Conversion {
    fn new(
        method: Method,
        channels: usize,
        (from_hz, to_hz): (u32, u32),
    ) -> Result<Self, StageError> {
        let converter = method(channels, from_hz, to_hz)
            .map_err(|error| StageError::Resample(error.to_string()))?;
        let mut input = FrameQueue::new(channels);
        input.push_silence(converter.silence_frames);
        Ok(Self {
            converter,
            input,
            planar: Vec::new(),
        })
    }

    /// Converts one chunk.
    fn step(&mut self, output: &mut FrameQueue) -> Result<(), StageError> {
        let channels = self.input.channels();
        let taken = self.input.take(self.converter.method.input_frames_next());
        let frames = self.converter.method.output_frames_next();
        self.planar.clear();
        self.planar.resize(frames * channels, 0.0);
        let source = SequentialSlice::new(taken.as_planar(), channels, taken.frames())
            .map_err(|error| StageError::Resample(error.to_string()))?;
        let mut target = SequentialSlice::new_mut(&mut self.planar, channels, frames)
            .map_err(|error| StageError::Resample(error.to_string()))?;
        let (_, written) = self
            .converter
            .method
            .process_into_buffer(&source, &mut target, None)
            .map_err(|error| StageError::Resample(error.to_string()))?;
        let skipped = self.converter.lead_frames.min(written);
        self.converter.lead_frames -= skipped;
        for channel in 0..channels {
            let samples = &self.planar[channel * frames..channel * frames + written];
            output.extend(channel, samples[skipped..].iter().copied());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES_HZ: [u32; 11] = [
        8_000, 11_025, 22_050, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000, 12_345, 47_999,
    ];

    fn convert(from_hz: u32, to_hz: u32, input: &[f32]) -> Vec<f32> {
        let mut resampler = Resampler::new(1, from_hz, to_hz).expect("legal rates");
        let mut output = Vec::new();
        // Uneven blocks: nothing may depend on where the stream is cut.
        for block in input.chunks(1_237) {
            let block = Block::from_planar(1, block.to_vec());
            output.extend(resampler.process(block).expect("converts").into_planar());
        }
        output.extend(resampler.flush().expect("converts").into_planar());
        output
    }

    fn sine(frequency_hz: f64, rate_hz: u32, frames: usize) -> Vec<f32> {
        let step = std::f64::consts::TAU * frequency_hz / f64::from(rate_hz);
        (0..frames)
            .map(|n| (0.5 * (step * n as f64).sin()) as f32)
            .collect()
    }

    fn decibels(ratio: f64) -> f64 {
        20.0 * ratio.max(1e-12).log10()
    }

    /// The middle of a signal, away from its switched-on and switched-off ends.
    fn middle(signal: &[f32]) -> &[f32] {
        &signal[signal.len() / 4..signal.len() * 3 / 4]
    }

    fn rms(signal: impl Iterator<Item = f64>) -> f64 {
        let (sum, count) = signal.fold((0.0, 0.0), |(sum, count), x| (sum + x * x, count + 1.0));
        f64::sqrt(sum / count)
    }

    fn rms_of(signal: &[f32]) -> f64 {
        rms(signal.iter().map(|sample| f64::from(*sample)))
    }

    #[test]
    fn any_two_rates_give_the_exact_length_and_a_sine_in_place() {
        for from_hz in RATES_HZ {
            for to_hz in RATES_HZ {
                let frames = from_hz as usize / 2 + 7;
                let output = convert(from_hz, to_hz, &sine(997.0, from_hz, frames));
                let expected = (frames as f64 * f64::from(to_hz) / f64::from(from_hz)).round();
                assert_eq!(output.len(), expected as usize, "{from_hz} to {to_hz}");
                let ideal = sine(997.0, to_hz, output.len());
                let error = rms(middle(&output)
                    .iter()
                    .zip(middle(&ideal))
                    .map(|(a, b)| f64::from(a - b)));
                let residual = decibels(error / rms_of(middle(&ideal)));
                assert!(residual < -80.0, "{from_hz} to {to_hz}: {residual:.1} dB");
            }
        }
    }

    #[test]
    fn what_somebody_waits_for_comes_within_the_time_of_a_few_blocks_and_in_place() {
        for (from_hz, to_hz) in [(48_000, 16_000), (32_000, 48_000), (44_100, 16_000)] {
            let mut resampler = Resampler::prompt(1, from_hz, to_hz).expect("legal rates");
            let told_s = f64::from(resampler.lag_ms() + 1) / 1e3;
            let input = sine(997.0, from_hz, from_hz as usize / 2);
            let (mut output, mut behind_s) = (Vec::new(), 0.0_f64);
            for (number, block) in input.chunks(64).enumerate() {
                let block = Block::from_planar(1, block.to_vec());
                output.extend(resampler.process(block).expect("converts").into_planar());
                let read_s = (number + 1) as f64 * 64.0 / f64::from(from_hz);
                behind_s = behind_s.max(read_s - output.len() as f64 / f64::from(to_hz));
            }
            assert!(
                behind_s < told_s && told_s < 0.012,
                "{from_hz} to {to_hz}: {behind_s} s"
            );
            output.extend(resampler.flush().expect("converts").into_planar());
            let ideal = sine(997.0, to_hz, output.len());
            let error = middle(&output).iter().zip(middle(&ideal));
            let error = rms(error.map(|(a, b)| f64::from(a - b)));
            assert!(decibels(error / rms_of(middle(&ideal))) < -60.0);
        }
    }

    #[test]
    fn the_pass_band_is_flat_to_0_45_of_the_lower_rate() {
        for (from_hz, to_hz) in [
            (44_100, 48_000),
            (48_000, 16_000),
            (16_000, 44_100),
            (44_100, 47_999),
            (191_999, 8_000),
            (8_000, 191_999),
        ] {
            for share in [0.01, 0.2, 0.4, 0.45] {
                let frequency_hz = share * f64::from(from_hz.min(to_hz));
                let input = sine(frequency_hz, from_hz, from_hz as usize / 2);
                let output = convert(from_hz, to_hz, &input);
                let gain = decibels(rms_of(middle(&output)) / rms_of(middle(&input)));
                assert!(
                    gain.abs() < 0.1,
                    "{from_hz} to {to_hz} at {frequency_hz} Hz: {gain:.3} dB"
                );
            }
        }
    }

    #[test]
    fn what_does_not_fit_below_the_new_rate_is_gone_by_90_db() {
        for (from_hz, to_hz, frequency_hz) in [
            (48_000, 44_100, 22_600.0),
            (44_100, 16_000, 8_200.0),
            (44_100, 16_000, 15_000.0),
            (192_000, 8_000, 4_100.0),
            (192_000, 47_999, 25_000.0),
            (48_000, 44_101, 22_600.0),
        ] {
            let input = sine(frequency_hz, from_hz, from_hz as usize / 2);
            let output = convert(from_hz, to_hz, &input);
            let left = decibels(rms_of(middle(&output)) / rms_of(middle(&input)));
            assert!(
                left < -90.0,
                "{from_hz} to {to_hz} at {frequency_hz} Hz: {left:.1} dB"
            );
        }
    }

    #[test]
    fn an_impulse_stays_where_it_was() {
        for (from_hz, to_hz) in [
            (44_100, 48_000),
            (48_000, 16_000),
            (16_000, 48_000),
            (44_100, 47_999),
            (47_999, 8_000),
            (8_000, 12_345),
        ] {
            for position_s in [0.0, 0.1, 0.25] {
                let position = (position_s * f64::from(from_hz)) as usize;
                let mut input = vec![0.0; from_hz as usize / 2];
                input[position] = 1.0;
                let output = convert(from_hz, to_hz, &input);
                let loudest = (0..output.len())
                    .max_by(|a, b| output[*a].abs().total_cmp(&output[*b].abs()))
                    .expect("there is output");
                let expected = position as f64 * f64::from(to_hz) / f64::from(from_hz);
                assert!(
                    (loudest as f64 - expected).abs() <= 1.0,
                    "{from_hz} to {to_hz}: {loudest} instead of {expected}"
                );
            }
        }
    }

    #[test]
    fn equal_rates_pass_untouched_and_few_frames_keep_their_number() {
        let input = sine(440.0, 44_100, 5_000);
        assert_eq!(convert(44_100, 44_100, &input), input);
        for frames in [0, 1, 2, 3] {
            assert_eq!(convert(8_000, 48_000, &input[..frames]).len(), frames * 6);
            assert_eq!(convert(47_999, 48_000, &input[..frames]).len(), frames);
        }
    }

    #[test]
    fn rates_outside_the_limits_never_reach_a_converter() {
        for (from_hz, to_hz) in [(0, 48_000), (48_000, 7_999), (4_000_000_000, 48_000)] {
            assert!(Resampler::new(1, from_hz, to_hz).is_err());
        }
        assert!(Resampler::new(0, 44_100, 48_000).is_err());
    }

    #[test]
    fn what_voices_hear_is_what_soxr_makes_of_it() {
        let document = include_str!("../../../tests/fixtures/dsp/golden.json");
        let document: serde_json::Value = serde_json::from_str(document).expect("JSON");
        let tones = |n: usize| {
            let tone = |hz: f64| (std::f64::consts::TAU * hz * n as f64 / 44_100.0 + hz).sin();
            (0.2 * [110.0, 997.0, 3_000.0, 6_100.0]
                .map(tone)
                .iter()
                .sum::<f64>()) as f32
        };
        let found = convert(
            44_100,
            16_000,
            &(0..44_100).map(tones).collect::<Vec<f32>>(),
        );
        let expected = document["resampled"].as_array().expect("numbers");
        for (found, expected) in found[4_000..4_200].iter().zip(expected) {
            let off = f64::from(*found) - expected.as_f64().expect("a number");
            assert!(off.abs() < 1e-4, "off by {off}");
        }
    }
}
