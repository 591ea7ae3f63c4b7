use ebur128::{Channel, EbuR128, Mode};

#[cfg(doc)]
use super::AudioInfo;
use super::true_peak::TruePeak;
use super::{Block, StageError, speakers};

/// What the meter calls the loudspeaker of each bit of WAVE's mask. Surrounds beside the listener count more (BS.1770, table 3).
const BY_PLACE: [Channel; 18] = [
    Channel::Left,
    Channel::Right,
    Channel::Center,
    Channel::Unused,
    Channel::LeftSurround,
    Channel::RightSurround,
    Channel::MpSC,
    Channel::MmSC,
    Channel::Mp180,
    Channel::Mp090,
    Channel::Mm090,
    Channel::Tp000,
    Channel::Up030,
    Channel::Up000,
    Channel::Um030,
    Channel::Up135,
    Channel::Up180,
    Channel::Um135,
];
/// The loudspeakers behind the listener where others are beside: bits of the mask, and what they are called then.
const BEHIND: [(usize, Channel); 2] = [(4, Channel::Mp135), (5, Channel::Mm135)];
/// Bits of the mask that stand for what is beside the listener.
const BESIDE: [usize; 2] = [9, 10];

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
    /// Begins to measure channels whose loudspeakers stand where [`AudioInfo::speakers`] says.
    pub fn new(
        channels: usize,
        sample_rate_hz: u32,
        stated: Option<u32>,
    ) -> Result<Self, StageError> {
        // With the histogram, memory does not grow with the length; its bins are a tenth of a LU.
        let mode = Mode::I | Mode::HISTOGRAM;
        let meter = EbuR128::new(channels as u32, sample_rate_hz, mode);
        let mut meter = meter.map_err(failed)?;
        meter
            .set_channel_map(&channel_map(stated, channels))
            .map_err(failed)?;
        Ok(Self {
            meter,
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

fn channel_map(stated: Option<u32>, channels: usize) -> Vec<Channel> {
    if channels == 1 {
        return vec![Channel::Left];
    }
    let places = speakers::places(stated, channels);
    let has_beside = BESIDE.iter().any(|place| places.contains(place));
    let named = places.iter().map(|place| {
        let behind = BEHIND.iter().find(|(behind, _)| behind == place);
        behind
            .filter(|_| has_beside)
            .map_or(BY_PLACE[*place], |(_, channel)| *channel)
    });
    named.collect()
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
        let mut meter = LoudnessMeter::new(channels, 48_000, None).expect("begins");
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

    /// BS.1770, table 3: 1.41 times the energy from beside the listener, as it is from in front and behind, nothing of low frequencies.
    #[test]
    fn loudspeakers_count_by_where_they_stand() {
        let one = tone(0.070_795, 1_000.0, 4.0);
        let alone = |channels: usize, loud: usize, stated: Option<u32>| {
            let mut meter = LoudnessMeter::new(channels, 48_000, stated).expect("begins");
            let mut planar = vec![0.0; channels * one.len()];
            planar[loud * one.len()..][..one.len()].copy_from_slice(&one);
            let sound = Block::from_planar(channels, planar);
            meter.listen(&sound).expect("listens");
            let loudness = meter.measured().expect("measures");
            // To half a LU: the histogram is no finer than a tenth.
            loudness.integrated_lufs.map(|lufs| (2.0 * lufs).round())
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
