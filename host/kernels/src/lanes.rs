use super::vector::{VECTORS, Vector, copy_panel};

/// Lays out the input of a panel of lanes from an image whose channels have so many samples. For each of the distances, channel by channel,
/// a line holds the samples at that distance after the lanes, and zeros where there are none. The remaining lines are 1, for a bias.
#[inline(always)]
pub(super) fn read_lanes<V: Vector>(
    (image, samples): (&[f32], usize),
    distances: &[isize],
    first: usize,
    columns: &mut [f32],
) {
    let panel = VECTORS * V::FLOATS;
    let mut lines = columns.chunks_exact_mut(panel);
    for distance in distances {
        let from = first as isize + distance;
        // Lanes that lie before the first sample.
        let outside = (-from).clamp(0, panel as isize) as usize;
        let from = from.clamp(0, samples as isize) as usize;
        let inside = (samples - from).min(panel - outside);
        for (channel, line) in image.chunks_exact(samples).zip(&mut lines) {
            if inside == panel {
                copy_panel::<V>(&channel[from..], line);
                continue;
            }
            line[..outside].fill(0.0);
            line[outside..][..inside].copy_from_slice(&channel[from..][..inside]);
            line[outside + inside..].fill(0.0);
        }
    }
    lines.for_each(|line| line.fill(1.0));
}

#[cfg(test)]
mod tests {
    use super::super::task::{Task, run};
    use super::super::vector::Instructions;
    use super::*;

    /// Reads a panel of an image of two channels, with an extra line.
    struct Reading<'a> {
        image: &'a [f32],
        distance: isize,
        first: usize,
        found: &'a mut Vec<f32>,
    }

    impl Task for Reading<'_> {
        #[inline(always)]
        fn run<V: Vector, const BLOCK: usize>(self, working: &mut [f32]) {
            let image = (self.image, self.image.len() / 2);
            let columns = &mut working[..3 * VECTORS * V::FLOATS];
            read_lanes::<V>(image, &[self.distance], self.first, columns);
            *self.found = columns.to_vec();
        }
    }

    #[test]
    fn beyond_the_image_are_zeros_and_ones_are_left() {
        let image: Vec<f32> = (1..=400_u16).map(f32::from).collect();
        for instructions in Instructions::all_here() {
            let panel = VECTORS * instructions.floats();
            for (distance, first) in [(0, 0), (-2, 0), (1, 190), (-70, 48), (-900, 0), (9, 500)] {
                let mut found = Vec::new();
                let reading = Reading {
                    image: &image,
                    distance,
                    first,
                    found: &mut found,
                };
                run(instructions, 3 * panel, reading);
                let (read, ones) = found.split_at(2 * panel);
                assert!(ones.iter().all(|one| (one - 1.0).abs() < f32::EPSILON));
                for (at, value) in read.iter().enumerate() {
                    let sample = (first + at % panel) as isize + distance;
                    let inside = usize::try_from(sample).ok().filter(|at| *at < 200);
                    let wanted = inside.map_or(0.0, |sample| image[at / panel * 200 + sample]);
                    assert!(
                        (value - wanted).abs() < f32::EPSILON,
                        "{distance} {first} {at}"
                    );
                }
            }
        }
    }
}
