use std::cell::Cell;
use std::f32::consts::FRAC_1_SQRT_2;
use std::rc::Rc;

#[cfg(doc)]
use super::AudioInfo;
use super::{Block, Stage, StageError, speakers};

/// Folds any number of channels to one or two.
///
/// To mono: the arithmetic mean of all channels, so that equal channels keep their level.
///
/// To stereo: two channels pass untouched and one goes to both sides at its own level. More are folded with the
/// coefficients of ITU-R BS.775 (annex 4, table 2): front channels at unit gain to their side, the centre and the
/// surround of a side at -3 dB (1/√2), a rear centre at -6 dB (half) to both sides, no low-frequency channel.
/// Nothing is normalised: front channels keep their level, and the sum may pass full scale, which 32-bit floats hold.
/// The layout is the one that a file states, or follows from the number of channels, in the order that RFC 9639 (section 9.1.3)
/// and WAVE share.
pub struct Mixdown {
    into: Into,
}

enum Into {
    /// The mean of all channels; what it loses is summed up.
    Mean(Rc<Lost>),
    /// Half the difference of the first and the second of two channels.
    Difference,
    /// Two sides, from loudspeakers that stand where the mask says.
    Stereo(Option<u32>),
}

/// How much of a recording the mean of two channels keeps and how much it loses. DC offsets, which sound cards add, do not count.
#[derive(Debug, Default)]
pub struct Lost {
    left: Cell<Spread>,
    lost: Cell<Spread>,
}

/// Sums over samples.
#[derive(Debug, Default, Clone, Copy)]
struct Spread {
    count: f64,
    values: f64,
    squares: f64,
}

impl Spread {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.values += value;
        self.squares += value * value;
    }

    /// The sum of squares around the mean; none where it may be rounding.
    fn energy(&self) -> f64 {
        let around = self.squares - self.values * self.values / self.count.max(1.0);
        if around > ROUNDING * self.squares {
            around
        } else {
            0.0
        }
    }
}

/// The least share of the energy that a mean has to keep. Of uncorrelated channels, as of rooms and wide choirs, it keeps a half; 20 dB
/// below that, only what two sides of opposite polarity do not have in common is left.
const LEAST_LEFT: f64 = 0.01;
/// The share of a sum of squares, 90 dB below it, that rounding may have made: hundreds of millions of samples, each off by at most 1e-16
/// of the sum.
const ROUNDING: f64 = 1e-9;

impl Lost {
    /// Whether the channels were opposites of each other, as when one is wired the wrong way round.
    #[must_use]
    pub fn is_nearly_all(&self) -> bool {
        let [left, lost] = [&self.left, &self.lost].map(|spread| spread.get().energy());
        left < LEAST_LEFT * lost
    }

    /// Adds a block of a recording; only two channels can lose anything.
    pub fn note(&self, block: &Block) {
        if block.channels() != 2 {
            return;
        }
        let (first, second) = (block.channel(0), block.channel(1));
        let (mut left, mut lost) = (self.left.get(), self.lost.get());
        for (first, second) in first.iter().zip(second) {
            let (first, second) = (f64::from(*first), f64::from(*second));
            left.add(first + second);
            lost.add(first - second);
        }
        self.left.set(left);
        self.lost.set(lost);
    }
}

impl Mixdown {
    /// Folds to one channel.
    #[must_use]
    pub fn to_mono() -> Self {
        Self::to_mono_noting(&Rc::default())
    }

    /// Folds to one channel; with two channels, sums up what is lost.
    #[must_use]
    pub fn to_mono_noting(lost: &Rc<Lost>) -> Self {
        let into = Into::Mean(Rc::clone(lost));
        Self { into }
    }

    /// Folds two channels of opposite polarity to one, at the level of the first.
    #[must_use]
    pub fn to_difference() -> Self {
        let into = Into::Difference;
        Self { into }
    }

    /// Folds or spreads to two channels.
    #[must_use]
    pub fn to_stereo() -> Self {
        Self::to_stereo_from(None)
    }

    /// Folds or spreads to two channels; more than two are folded by where their loudspeakers stand, the mask of [`AudioInfo::speakers`]. A
    /// mask that does not name exactly as many as there are channels is ignored.
    #[must_use]
    pub fn to_stereo_from(speakers: Option<u32>) -> Self {
        let into = Into::Stereo(speakers);
        Self { into }
    }
}

impl Stage for Mixdown {
    fn process(&mut self, block: Block) -> Result<Block, StageError> {
        Ok(match &self.into {
            Into::Mean(lost) => {
                lost.note(&block);
                mono(block)
            }
            Into::Difference => difference(block),
            Into::Stereo(speakers) => stereo(block, *speakers),
        })
    }

    fn flush(&mut self) -> Result<Block, StageError> {
        let channels = match self.into {
            Into::Mean(_) | Into::Difference => 1,
            Into::Stereo(_) => 2,
        };
        Ok(Block::silent(channels, 0))
    }
}

/// Inverts the second of two channels; any other number of channels passes unchanged.
pub struct FlipSecond;

impl Stage for FlipSecond {
    fn process(&mut self, mut block: Block) -> Result<Block, StageError> {
        if block.channels() == 2 {
            for sample in block.channel_mut(1) {
                *sample = -*sample;
            }
        }
        Ok(block)
    }

    fn flush(&mut self) -> Result<Block, StageError> {
        Ok(Block::silent(2, 0))
    }
}

fn difference(block: Block) -> Block {
    if block.channels() != 2 {
        return mono(block);
    }
    let mut folded = Block::silent(1, block.frames());
    add(folded.channel_mut(0), block.channel(0), 0.5);
    add(folded.channel_mut(0), block.channel(1), -0.5);
    folded
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

fn stereo(block: Block, stated: Option<u32>) -> Block {
    if block.channels() == 2 {
        return block;
    }
    let mut folded = Block::silent(2, block.frames());
    let gains = gains(stated, block.channels());
    for (channel, gains) in gains.iter().enumerate() {
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

/// Gains to the left and right side for the loudspeaker of each bit of WAVE's mask, from the lowest bit on. Loudspeakers beside the centre
/// count as front ones, and overhead ones count as those around.
const BY_PLACE: [[f32; 2]; 18] = [
    LEFT,
    RIGHT,
    CENTRE,
    LOW_FREQUENCY,
    SURROUND_LEFT,
    SURROUND_RIGHT,
    LEFT,
    RIGHT,
    REAR_CENTRE,
    SURROUND_LEFT,
    SURROUND_RIGHT,
    REAR_CENTRE,
    SURROUND_LEFT,
    REAR_CENTRE,
    SURROUND_RIGHT,
    SURROUND_LEFT,
    REAR_CENTRE,
    SURROUND_RIGHT,
];

/// Gains to the left and right side of each channel.
fn gains(stated: Option<u32>, channels: usize) -> Vec<[f32; 2]> {
    if channels == 1 {
        return vec![[1.0, 1.0]];
    }
    let places = speakers::places(stated, channels).into_iter();
    places.map(|place| BY_PLACE[place]).collect()
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
    fn a_stated_layout_goes_before_the_usual_one() {
        let unit = |mask: u32, channels: usize, loud: usize| {
            let mut samples = vec![0.0; channels];
            samples[loud] = 1.0;
            let folded = Mixdown::to_stereo_from(Some(mask))
                .process(Block::from_planar(channels, samples))
                .expect("mixes");
            [folded.channel(0)[0], folded.channel(1)[0]]
        };
        // A voice in the middle goes to both sides unchanged, wherever its file places it.
        assert_eq!(unit(0x4, 1, 0), [1.0, 1.0]);
        // 3.1: left, right, centre, low frequencies.
        assert_eq!(unit(0xf, 4, 2), CENTRE);
        assert_eq!(unit(0xf, 4, 3), LOW_FREQUENCY);
        // 4.0 with a rear centre, 4.1, and 5.1 with its surrounds at the sides.
        assert_eq!(unit(0x107, 4, 3), REAR_CENTRE);
        assert_eq!(unit(0x3b, 5, 2), LOW_FREQUENCY);
        assert_eq!(unit(0x60f, 6, 4), SURROUND_LEFT);
        // A mask that names another number of channels, or unknown places, is ignored.
        assert_eq!(unit(0x3, 4, 3), SURROUND_RIGHT);
        assert_eq!(unit(0x8000_0007, 4, 3), SURROUND_RIGHT);
        assert_eq!(unit(0, 3, 2), CENTRE);
    }

    #[test]
    fn every_layout_is_symmetric_and_names_each_channel() {
        for channels in 1..=8 {
            let gains = gains(None, channels);
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

    #[test]
    fn opposite_channels_are_noticed_and_fold_to_the_first() {
        let noted = |second: f32| {
            let lost = Rc::default();
            let first = [0.5, -0.25, 0.125];
            let second = first.iter().map(|sample| second * sample);
            let block = Block::from_planar(2, first.iter().copied().chain(second).collect());
            let mut mean = Mixdown::to_mono_noting(&lost);
            mean.process(block.clone()).expect("mixes");
            (lost.is_nearly_all(), block)
        };
        for second in [1.0, 0.0, -0.5] {
            assert!(!noted(second).0, "{second}");
        }
        assert!(noted(-0.95).0);
        let (is_nearly_all, block) = noted(-1.0);
        assert!(is_nearly_all);
        let folded = Mixdown::to_difference().process(block).expect("mixes");
        assert_eq!(folded.channel(0), [0.5, -0.25, 0.125]);
        let silent = Rc::<Lost>::default();
        assert!(!silent.is_nearly_all());
    }

    #[test]
    fn offsets_of_two_sides_are_not_what_they_say() {
        let is_nearly_all = |offsets: [f32; 2], second: f32| {
            let lost = Lost::default();
            let wave = (0..4_096).map(|at| 0.002 * (at as f32 * 0.1).sin());
            let first = wave.clone().map(|sample| offsets[0] + sample);
            let other = wave.map(|sample| offsets[1] + second * sample);
            lost.note(&Block::from_planar(2, first.chain(other).collect()));
            lost.is_nearly_all()
        };
        assert!(!is_nearly_all([0.05, -0.05], 1.0));
        assert!(is_nearly_all([0.05, 0.05], -1.0));
        assert!(!is_nearly_all([0.05, -0.05], 0.0));
        let steady = Lost::default();
        let sides = [vec![0.1; 4_096], vec![-0.1; 4_096]].concat();
        steady.note(&Block::from_planar(2, sides));
        assert!(!steady.is_nearly_all());
    }
}
