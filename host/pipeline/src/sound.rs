use std::io;
use std::sync::Arc;

use super::abreast::Abreast;
use super::output::Steps;
use vocalhost_audio::{Block, Spool};

/// The sound of a result: a spool on disk, the rest of one sound without others, or a sum.
///
/// A rest is never stored before it is encoded. It is computed from the very samples that the other files get, so that
/// the files add up: an estimate lies on the steps of the files and is not rounded again, and only one file of a sum
/// can be off, by half a step.
pub enum Sound {
    /// It lies on disk.
    Kept {
        /// Where.
        spool: Spool,
        /// The steps that all its samples are multiples of, under any gain.
        steps: Option<Steps>,
    },
    /// The rest of a sound without others of the same shape.
    Left {
        /// The sound.
        whole: Arc<Sound>,
        /// The sounds to subtract from it.
        others: Vec<Arc<Sound>>,
    },
    /// The sum of sounds of the same shape, of which there is at least one.
    Mixed {
        /// What is added up.
        parts: Vec<Arc<Sound>>,
    },
}

impl Sound {
    /// Sound on disk that need not add up with other files.
    pub fn plain(spool: Spool) -> Self {
        Self::Kept { spool, steps: None }
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.spool().channels()
    }

    /// Frames per second.
    pub fn sample_rate_hz(&self) -> u32 {
        self.spool().sample_rate_hz()
    }

    /// Number of frames.
    pub fn frames(&self) -> u64 {
        self.spool().frames()
    }

    /// The spool that gives the sound its shape.
    fn spool(&self) -> &Spool {
        match self {
            Self::Kept { spool, .. } => spool,
            Self::Left { whole, .. } => whole.spool(),
            Self::Mixed { parts } => parts[0].spool(),
        }
    }

    /// Whether every sample lies on disk as it is.
    pub fn kept(&self) -> Option<&Spool> {
        match self {
            Self::Kept { spool, .. } => Some(spool),
            Self::Left { .. } | Self::Mixed { .. } => None,
        }
    }

    /// All frames from the beginning on, block by block.
    pub fn blocks(
        self: &Arc<Self>,
        gain: f32,
    ) -> impl Iterator<Item = io::Result<Arc<Block>>> + '_ {
        let alone = std::slice::from_ref(self);
        Abreast::new(alone, gain).map(|blocks| Ok(blocks?.remove(0)))
    }
}

/// Rounds every sample to a step.
pub fn stepped(block: Block, steps: Steps) -> Block {
    let rounding = steps.rounding();
    let channels = block.channels();
    let mut samples = block.into_planar();
    for sample in &mut samples {
        *sample = ((f64::from(*sample) + rounding) - rounding) as f32;
    }
    Block::from_planar(channels, samples)
}

/// Whether a gain is one.
pub(super) fn changes(gain: f32) -> bool {
    (gain - 1.0).abs() > 0.0
}

pub(super) fn scaled(block: Block, gain: f32) -> Block {
    if !changes(gain) {
        return block;
    }
    let channels = block.channels();
    let mut samples = block.into_planar();
    for sample in &mut samples {
        *sample *= gain;
    }
    Block::from_planar(channels, samples)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "steps of 24 bits are exact in floats")]
mod tests {
    use super::*;
    use crate::abreast::peak_of;
    use vocalhost_audio::SpoolWriter;

    const STEP: f32 = 1.0 / (1 << 23) as f32;

    fn spool(samples: Vec<f32>) -> Spool {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer =
            SpoolWriter::create(&folder.path().join("spool"), 2, 8_000).expect("creates");
        writer
            .write(&Block::from_planar(2, samples))
            .expect("writes");
        writer.finish().expect("finishes")
    }

    fn noise(seed: u32, peak: f64, count: usize) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((f64::from(state) / f64::from(u32::MAX) * 2.0 - 1.0) * peak) as f32
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn rounding_gives_whole_steps_next_to_the_sample() {
        let samples: Vec<f32> = [0.0, 0.3, -0.7, 1.0 - STEP, -1.5, STEP * 0.4, STEP * 0.6]
            .into_iter()
            .chain(noise(7, 0.9, 1_000))
            .collect();
        let rounded = stepped(Block::from_planar(1, samples.clone()), Steps::Of24Bits);
        for (rounded, sample) in rounded.as_planar().iter().zip(&samples) {
            assert_eq!((rounded / STEP).fract(), 0.0);
            assert!((rounded - sample).abs() <= STEP / 2.0, "{rounded} {sample}");
        }
        let coarse = stepped(Block::from_planar(1, samples), Steps::Of16Bits);
        for sample in coarse.as_planar() {
            assert_eq!((sample * 32_768.0).fract(), 0.0);
        }
    }

    #[test]
    fn what_is_left_adds_up_with_the_others_under_any_gain() {
        // With the gain of the peak guard: four sounds as loud as these reach 3.6 and 0.8.
        for (peak, gain) in [
            (0.9, 0.27),
            (0.9, 0.251),
            (0.2, 1.0),
            (0.2, 0.73),
            (0.05, 3.7),
        ] {
            let estimate = |seed| {
                let block = Block::from_planar(2, noise(seed, peak, 20_000));
                let block = stepped(block, Steps::Of24Bits);
                Arc::new(Sound::Kept {
                    spool: spool(block.into_planar()),
                    steps: Some(Steps::Of24Bits),
                })
            };
            let whole = Arc::new(Sound::plain(spool(noise(1, peak, 20_000))));
            let others = vec![estimate(2), estimate(3), estimate(4)];
            let left = Arc::new(Sound::Left {
                whole: Arc::clone(&whole),
                others: others.clone(),
            });
            let heard = peak_of(&[Arc::clone(&left)], 1).expect("reads");
            assert!(f64::from(heard) > peak);
            let steps = |sound: &Arc<Sound>| -> Vec<i64> {
                let blocks = sound.blocks(gain).map(|block| block.expect("reads"));
                let samples = blocks.flat_map(|block| block.channel(1).to_vec());
                samples
                    .map(|sample| (f64::from(sample) * 8_388_608.0).round() as i64)
                    .collect()
            };
            let mut sum = steps(&left);
            for other in &others {
                for (sum, other) in sum.iter_mut().zip(steps(other)) {
                    *sum += other;
                }
            }
            let worst = sum
                .iter()
                .zip(steps(&whole))
                .map(|(sum, whole)| (sum - whole).abs())
                .max();
            assert!(worst <= Some(1), "{worst:?} at {gain}");
        }
    }

    #[test]
    fn a_mixed_sound_is_the_sum_of_its_parts_under_any_gain() {
        let parts: Vec<_> = [1, 2]
            .map(|seed| Arc::new(Sound::plain(spool(noise(seed, 0.9, 10_000)))))
            .into();
        let mixed = Arc::new(Sound::Mixed {
            parts: parts.clone(),
        });
        assert_eq!((mixed.channels(), mixed.frames()), (2, 5_000));
        let all = [
            Arc::clone(&mixed),
            Arc::clone(&parts[0]),
            Arc::clone(&parts[1]),
        ];
        assert!(peak_of(&all, 2).expect("reads") > 1.0);
        for gain in [1.0, 0.5] {
            let mut frames = 0;
            for blocks in Abreast::new(&all, gain) {
                let blocks = blocks.expect("reads");
                frames += blocks[0].frames();
                let [sum, one, two] = [0, 1, 2].map(|sound: usize| blocks[sound].as_planar());
                for ((sum, one), two) in sum.iter().zip(one).zip(two) {
                    assert_eq!(*sum, one + two);
                }
            }
            assert_eq!(frames, 5_000);
        }
    }
}
