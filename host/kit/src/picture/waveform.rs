use vocalhost_audio::Block;

/// How far the wave of each channel reaches at each moment.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Waveform {
    lanes: Vec<Vec<Option<(f32, f32)>>>,
    axis_frames: u64,
    frames: u64,
}

/// The most channels with a lane each; more share one lane, since each lane would be too flat to show anything.
const MAX_LANES: usize = 2;

impl Waveform {
    pub(super) fn new(channels: usize, axis_frames: u64, columns: usize) -> Self {
        let lanes = if channels > MAX_LANES { 1 } else { channels };
        Self {
            lanes: vec![vec![None; columns]; lanes],
            axis_frames: axis_frames.max(1),
            frames: 0,
        }
    }

    pub(super) fn add(&mut self, block: &Block) {
        for channel in 0..block.channels() {
            let lane = channel % self.lanes.len();
            let columns = self.lanes[lane].len() as u64;
            for (frame, sample) in block.channel(channel).iter().enumerate() {
                let position = self.frames + frame as u64;
                let first = position * columns / self.axis_frames;
                // Where a frame is wider than a column it fills several.
                let end = ((position + 1) * columns / self.axis_frames).max(first + 1);
                for column in first..end.min(columns) {
                    let reach = self.lanes[lane][column as usize].get_or_insert((*sample, *sample));
                    *reach = (reach.0.min(*sample), reach.1.max(*sample));
                }
            }
        }
        self.frames += block.frames() as u64;
    }

    /// Lowest and highest sample by column, none after the end, for each lane.
    pub(super) fn lanes(&self) -> &[Vec<Option<(f32, f32)>>] {
        &self.lanes
    }

    /// The largest magnitude.
    pub(super) fn peak(&self) -> f32 {
        let reaches = self.lanes.iter().flatten().flatten();
        reaches.fold(0.0, |peak, (low, high)| peak.max(-low).max(*high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_reaches_from_its_lowest_to_its_highest_sample() {
        let mut wave = Waveform::new(2, 8, 2);
        wave.add(&Block::from_planar(2, vec![0.1, -0.2, 0.3, 0.4, 1.0, 1.0]));
        wave.add(&Block::from_planar(2, vec![0.5, 0.5]));
        let first = [Some((-0.2, 0.3)), None];
        assert_eq!(wave.lanes()[0][0], Some((-0.2, 0.5)));
        assert_eq!(wave.lanes()[0][1], first[1]);
        assert_eq!(wave.lanes()[1][0], Some((0.4, 1.0)));
        assert!((wave.peak() - 1.0).abs() < f32::EPSILON);
    }
}
