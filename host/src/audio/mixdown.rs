use std::f32::consts::FRAC_1_SQRT_2;

use super::{Block, Stage, StageError};

/// Folds any number of channels to one or two.
///
/// To mono: the arithmetic mean of all channels, so that equal channels keep their level.
///
/// To stereo: two channels pass untouched and one goes to both sides at its own level. More are folded with the
/// coefficients of ITU-R BS.775 (annex 4, table 2): front channels at unit gain to their side, the centre and the
/// surround of a side at -3 dB (1/√2), a rear centre at -6 dB (half) to both sides, no low-frequency channel.
/// Nothing is normalised: front channels keep their level, and the sum may pass full scale, which 32-bit floats hold.
/// The layout follows from the number of channels, in the order that RFC 9639 (section 9.1.3) and WAVE share.
pub struct Mixdown {
    to_stereo: bool,
}

impl Mixdown {
    /// Folds to one channel.
    #[must_use]
    pub fn to_mono() -> Self {
        Self { to_stereo: false }
    }

    /// Folds or spreads to two channels.
    #[must_use]
    pub fn to_stereo() -> Self {
        Self { to_stereo: true }
    }
}

impl Stage for Mixdown {
    fn process(&mut self, block: Block) -> Result<Block, StageError> {
        Ok(if self.to_stereo {
            stereo(block)
        } else {
            mono(block)
        })
    }

    fn flush(&mut self) -> Result<Block, StageError> {
        Ok(Block::silent(if self.to_stereo { 2 } else { 1 }, 0))
    }
}

fn mono(block: Block) -> Block {
    let channels = block.channels();
    if channels == 1 {
        return block;
    }
    let mut folded = Block::silent(1, block.frames());
    for channel in 0..channels {
        add(folded.channel_mut(0), block.channel(channel), 1.0);
    }
    for sample in folded.channel_mut(0) {
        *sample /= channels as f32;
    }
    folded
}

fn stereo(block: Block) -> Block {
    if block.channels() == 2 {
        return block;
    }
    let mut folded = Block::silent(2, block.frames());
    for (channel, gains) in stereo_gains(block.channels()).iter().enumerate() {
        for (side, gain) in gains.iter().enumerate() {
            if *gain != 0.0 {
                add(folded.channel_mut(side), block.channel(channel), *gain);
            }
        }
    }
    folded
}

fn add(sum: &mut [f32], channel: &[f32], gain: f32) {
    for (sum, sample) in sum.iter_mut().zip(channel) {
        *sum += gain * sample;
    }
}

const LEFT: [f32; 2] = [1.0, 0.0];
const RIGHT: [f32; 2] = [0.0, 1.0];
const CENTRE: [f32; 2] = [FRAC_1_SQRT_2, FRAC_1_SQRT_2];
const LOW_FREQUENCY: [f32; 2] = [0.0, 0.0];
const SURROUND_LEFT: [f32; 2] = [FRAC_1_SQRT_2, 0.0];
const SURROUND_RIGHT: [f32; 2] = [0.0, FRAC_1_SQRT_2];
const REAR_CENTRE: [f32; 2] = [0.5, 0.5];

/// Gains to the left and right side of each channel of a layout.
fn stereo_gains(channels: usize) -> &'static [[f32; 2]] {
    const BOTH: [f32; 2] = [1.0, 1.0];
    match channels {
        1 => &[BOTH],
        2 => &[LEFT, RIGHT],
        3 => &[LEFT, RIGHT, CENTRE],
        4 => &[LEFT, RIGHT, SURROUND_LEFT, SURROUND_RIGHT],
        5 => &[LEFT, RIGHT, CENTRE, SURROUND_LEFT, SURROUND_RIGHT],
        6 => &[
            LEFT,
            RIGHT,
            CENTRE,
            LOW_FREQUENCY,
            SURROUND_LEFT,
            SURROUND_RIGHT,
        ],
        7 => &[
            LEFT,
            RIGHT,
            CENTRE,
            LOW_FREQUENCY,
            REAR_CENTRE,
            SURROUND_LEFT,
            SURROUND_RIGHT,
        ],
        _ => &[
            LEFT,
            RIGHT,
            CENTRE,
            LOW_FREQUENCY,
            SURROUND_LEFT,
            SURROUND_RIGHT,
            SURROUND_LEFT,
            SURROUND_RIGHT,
        ],
    }
}

#[cfg(test)]
#[expect(
    clippy::float_cmp,
    reason = "what is only moved or scaled by a power of two is exact"
)]
mod tests {
    use super::*;

    #[test]
    fn one_and_two_channels_keep_their_level_to_the_bit() {
        let voice = Block::from_planar(1, vec![0.1, -0.7, 1.5]);
        let both = Mixdown::to_stereo().process(voice.clone()).expect("mixes");
        assert_eq!(both.channel(0), voice.channel(0));
        assert_eq!(both.channel(1), voice.channel(0));
        assert_eq!(
            Mixdown::to_mono().process(voice.clone()).expect("mixes"),
            voice
        );
        let pair = Block::from_planar(2, vec![0.1, 0.2, 0.3, 0.4]);
        assert_eq!(
            Mixdown::to_stereo().process(pair.clone()).expect("mixes"),
            pair
        );
        assert_eq!(Mixdown::to_mono().process(both).expect("mixes"), voice);
    }

    #[test]
    fn five_point_one_folds_with_the_coefficients_of_bs_775() {
        let unit = |loud: usize| {
            let mut samples = vec![0.0; 6];
            samples[loud] = 1.0;
            let folded = Mixdown::to_stereo()
                .process(Block::from_planar(6, samples))
                .expect("mixes");
            [folded.channel(0)[0], folded.channel(1)[0]]
        };
        let minus_3_db = 0.5_f32.sqrt();
        assert_eq!(unit(0), [1.0, 0.0]);
        assert_eq!(unit(1), [0.0, 1.0]);
        assert_eq!(unit(2), [minus_3_db, minus_3_db]);
        assert_eq!(unit(3), [0.0, 0.0]);
        assert_eq!(unit(4), [minus_3_db, 0.0]);
        assert_eq!(unit(5), [0.0, minus_3_db]);
    }

    #[test]
    fn every_layout_is_symmetric_and_names_each_channel() {
        for channels in 1..=8 {
            let gains = stereo_gains(channels);
            assert_eq!(gains.len(), channels);
            let sides = gains
                .iter()
                .fold([0.0, 0.0], |sum, gain| [sum[0] + gain[0], sum[1] + gain[1]]);
            assert!((sides[0] - sides[1]).abs() < 1e-6, "{channels} channels");
        }
    }

    #[test]
    fn mono_is_the_mean_of_all_channels() {
        let block = Block::from_planar(3, vec![0.3, 0.0, 0.6, 0.0, 0.0, 0.9]);
        let folded = Mixdown::to_mono().process(block).expect("mixes");
        assert!((folded.channel(0)[0] - 0.3).abs() < 1e-6);
        assert!((folded.channel(0)[1] - 0.3).abs() < 1e-6);
    }
}
