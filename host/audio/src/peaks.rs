use serde::{Deserialize, Serialize};

use super::Block;

/// The lowest and highest samples of each channel over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Peaks {
    /// Frames per second.
    pub sample_rate_hz: u32,
    /// Frames of the recording.
    pub frames: u64,
    /// For each channel the lowest sample of each moment, to four digits.
    pub min: Vec<Vec<f64>>,
    /// For each channel the highest sample of each moment, to four digits.
    pub max: Vec<Vec<f64>>,
}

impl Peaks {
    /// Number of moments.
    #[must_use]
    pub fn points(&self) -> usize {
        self.min.first().map_or(0, Vec::len)
    }

    /// The same with at most so many moments; each covers those of the finer table that begin in it.
    #[must_use]
    pub fn folded(&self, points: usize) -> Self {
        let fine = self.points();
        let points = points.clamp(1, fine.max(1));
        let fold = |channel: &Vec<f64>, pick: fn(f64, f64) -> f64| -> Vec<f64> {
            let cuts = (0..points).map(|point| point * fine / points..(point + 1) * fine / points);
            cuts.filter_map(|cut| channel[cut].iter().copied().reduce(pick))
                .collect()
        };
        Self {
            min: self.min.iter().map(|one| fold(one, f64::min)).collect(),
            max: self.max.iter().map(|one| fold(one, f64::max)).collect(),
            ..self.clone()
        }
    }
}

/// Measures peaks of sound block by block, in memory that does not grow with its length.
pub struct PeakMeter {
    sample_rate_hz: u32,
    /// For each channel the lowest and highest sample of each moment.
    reaches: Vec<Vec<(f32, f32)>>,
    axis_frames: u64,
    frames: u64,
}

impl PeakMeter {
    /// Begins a table of at most `points` moments for a recording of `axis_frames` frames.
    #[must_use]
    pub fn new(channels: usize, sample_rate_hz: u32, axis_frames: u64, points: usize) -> Self {
        let points = (points as u64).min(axis_frames) as usize;
        Self {
            sample_rate_hz,
            // A moment without samples is silent.
            reaches: vec![vec![(0.0, 0.0); points]; channels],
            axis_frames,
            frames: 0,
        }
    }

    /// Adds a block; what goes beyond the axis is not shown.
    pub fn add(&mut self, block: &Block) {
        for (channel, reaches) in self.reaches.iter_mut().enumerate() {
            let points = reaches.len() as u64;
            for (frame, sample) in block.channel(channel).iter().enumerate() {
                let position = self.frames + frame as u64;
                if position >= self.axis_frames {
                    break;
                }
                let point = position * points / self.axis_frames;
                let begins = (point * self.axis_frames).div_ceil(points) == position;
                let reach = &mut reaches[point as usize];
                *reach = if begins {
                    (*sample, *sample)
                } else {
                    (reach.0.min(*sample), reach.1.max(*sample))
                };
            }
        }
        self.frames += block.frames() as u64;
    }

    /// The table.
    #[must_use]
    pub fn finish(self) -> Peaks {
        let rounded = |sample: f32| (f64::from(sample) * 1e4).round() / 1e4;
        let table = |pick: fn(&(f32, f32)) -> f32| -> Vec<Vec<f64>> {
            let channels = self.reaches.iter();
            channels
                .map(|reaches| reaches.iter().map(|reach| rounded(pick(reach))).collect())
                .collect()
        };
        Peaks {
            sample_rate_hz: self.sample_rate_hz,
            frames: self.frames,
            min: table(|reach| reach.0),
            max: table(|reach| reach.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peaks(axis_frames: u64, points: usize, blocks: &[Vec<f32>]) -> Peaks {
        let mut meter = PeakMeter::new(2, 8_000, axis_frames, points);
        for planar in blocks {
            meter.add(&Block::from_planar(2, planar.clone()));
        }
        meter.finish()
    }

    #[test]
    fn a_moment_reaches_from_its_lowest_to_its_highest_sample() {
        let blocks = [vec![0.5, -0.25, 0.75, 1.0, 1.0, 1.0], vec![0.25, -1.0]];
        let table = peaks(4, 2, &blocks);
        assert_eq!((table.frames, table.points()), (4, 2));
        assert_eq!(table.min, [[-0.25, 0.25], [1.0, -1.0]]);
        assert_eq!(table.max, [[0.5, 0.75], [1.0, 1.0]]);
        let whole = table.folded(1);
        assert_eq!(
            (whole.min, whole.max),
            (vec![vec![-0.25], vec![-1.0]], vec![vec![0.75], vec![1.0]])
        );
    }

    #[test]
    fn there_are_never_more_moments_than_frames() {
        let table = peaks(3, 100, &[vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6]]);
        assert_eq!(table.max, [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]);
        assert_eq!(table.folded(50).points(), 3);
        assert_eq!(peaks(0, 9, &[]).folded(5).points(), 0);
    }

    #[test]
    fn folding_loses_no_peak() {
        let sound: Vec<f32> = (0..1_000)
            .map(|at| ((at * 37) % 101) as f32 / 101.0)
            .collect();
        let fine = peaks(1_000, 250, &[[sound.clone(), sound].concat()]);
        for points in [1, 7, 100, 249] {
            let folded = fine.folded(points);
            assert_eq!(folded.points(), points);
            let top = |table: &Peaks| table.max[0].iter().copied().fold(0.0, f64::max);
            assert!((top(&folded) - top(&fine)).abs() < f64::EPSILON);
        }
    }
}
