use ebur128::{EbuR128, Mode};

use super::true_peak::TruePeak;
use super::{Block, StageError};

/// How loud a recording is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Loudness {
    /// The integrated loudness in LUFS (ITU-R BS.1770, gated); none below the gate of -70 LUFS, and none of less than
    /// 0.4 s, which is the shortest that is measured.
    pub integrated_lufs: Option<f64>,
    /// The true peak in dB of full scale (BS.1770 annex 2, oversampled); none of digital silence.
    pub true_peak_dbtp: Option<f64>,
}

/// Measures the loudness of sound that passes by.
pub struct LoudnessMeter {
    meter: EbuR128,
    peak: TruePeak,
    channels: usize,
}

impl LoudnessMeter {
    /// Begins to measure.
    pub fn new(channels: usize, sample_rate_hz: u32) -> Result<Self, StageError> {
        // With the histogram, memory does not grow with the length; its bins are a tenth of a LU.
        let mode = Mode::I | Mode::HISTOGRAM;
        let meter = EbuR128::new(channels as u32, sample_rate_hz, mode);
        Ok(Self {
            meter: meter.map_err(failed)?,
            peak: TruePeak::new(channels, sample_rate_hz),
            channels,
        })
    }

    /// Listens to a block.
    ///
    /// # Panics
    /// When the block has another number of channels.
    pub fn listen(&mut self, block: &Block) -> Result<(), StageError> {
        assert_eq!(block.channels(), self.channels, "sound keeps its channels");
        let channels: Vec<&[f32]> = (0..self.channels)
            .map(|channel| block.channel(channel))
            .collect();
        self.peak.listen(block);
        self.meter.add_frames_planar_f32(&channels).map_err(failed)
    }

    /// What was heard.
    pub fn measured(&self) -> Result<Loudness, StageError> {
        let integrated = self.meter.loudness_global().map_err(failed)?;
        let peak = f64::from(self.peak.highest());
        Ok(Loudness {
            integrated_lufs: integrated.is_finite().then_some(integrated),
            true_peak_dbtp: (peak > 0.0).then(|| 20.0 * peak.log10()),
        })
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn failed(error: ebur128::Error) -> StageError {
    StageError::Meter(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(peak: f32, hz: f32, seconds: f32) -> Vec<f32> {
        let frames = (seconds * 48_000.0) as usize;
        let turn = std::f32::consts::TAU * hz / 48_000.0;
        (0..frames)
            .map(|at| peak * (turn * at as f32).sin())
            .collect()
    }

    fn measure(channels: usize, planar: Vec<f32>) -> Loudness {
        let mut meter = LoudnessMeter::new(channels, 48_000).expect("begins");
        meter
            .listen(&Block::from_planar(channels, planar))
            .expect("listens");
        meter.measured().expect("measures")
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
