//! Typical content vectors of a voice, which conversions draw towards, found as in `models/training/retrieval_index.py`.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Consecutive rows of a matrix.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'r> {
    /// All values.
    pub values: &'r [f32],
    /// Length of a row.
    pub width: usize,
}

impl<'r> Rows<'r> {
    /// Number of rows.
    #[must_use]
    pub fn count(&self) -> usize {
        self.values.len() / self.width
    }

    fn row(&self, number: usize) -> &'r [f32] {
        &self.values[number * self.width..][..self.width]
    }
}

/// `count` means of the rows by Lloyd's algorithm ("Least squares quantization in PCM", 1982), starting from rows drawn by `seed`. A mean
/// without any near row restarts at the row that is farthest from its own mean. Fewer means where there are fewer rows.
#[must_use]
pub fn means(rows: Rows<'_>, count: usize, rounds: usize, seed: u64) -> Vec<f32> {
    let count = count.min(rows.count());
    let mut numbers: Vec<usize> = (0..rows.count()).collect();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for place in 0..count {
        let rest = (numbers.len() - place) as u64;
        numbers.swap(place, place + (random.next_u64() % rest) as usize);
    }
    let drawn = numbers[..count].iter();
    let mut means: Vec<f32> = drawn
        .flat_map(|number| rows.row(*number))
        .copied()
        .collect();
    for _ in 0..rounds {
        let near = nearest(
            rows,
            Rows {
                values: &means,
                ..rows
            },
        );
        let mut sums = vec![0.0_f64; means.len()];
        let mut counts = vec![0_u32; count];
        for (number, (mean, _)) in near.iter().enumerate() {
            counts[*mean] += 1;
            let sums = &mut sums[mean * rows.width..][..rows.width];
            for (sum, value) in sums.iter_mut().zip(rows.row(number)) {
                *sum += f64::from(*value);
            }
        }
        let mut far: Vec<usize> = (0..near.len()).collect();
        far.sort_by(|a, b| near[*b].1.total_cmp(&near[*a].1));
        let mut far = far.into_iter();
        for (mean, count) in counts.iter().enumerate() {
            let place = mean * rows.width;
            let to = &mut means[place..place + rows.width];
            if *count > 0 {
                for (to, sum) in to.iter_mut().zip(&sums[place..]) {
                    *to = (sum / f64::from(*count)) as f32;
                }
            } else if let Some(number) = far.next() {
                to.copy_from_slice(rows.row(number));
            }
        }
    }
    means
}

/// The nearest of `others` to each row, and the squared distance from it.
#[must_use]
pub(crate) fn nearest(rows: Rows<'_>, others: Rows<'_>) -> Vec<(usize, f32)> {
    let of = |number: usize| {
        let row = rows.row(number);
        let distances = others.values.chunks_exact(others.width).map(|other| {
            let squares = row.iter().zip(other).map(|(a, b)| (a - b) * (a - b));
            squares.sum::<f32>()
        });
        let distances = distances.enumerate();
        let nearest = distances.min_by(|(_, a), (_, b)| a.total_cmp(b));
        nearest.unwrap_or((0, f32::INFINITY))
    };
    (0..rows.count()).map(of).collect()
}

/// The squared distance from the nearest of `others` that nine in ten rows do not exceed.
#[must_use]
pub fn reach(rows: Rows<'_>, others: Rows<'_>) -> f64 {
    let mut distances: Vec<f32> = nearest(rows, others)
        .into_iter()
        .map(|(_, far)| far)
        .collect();
    distances.sort_by(f32::total_cmp);
    let place = distances.len() * 9 / 10;
    distances.get(place).copied().map_or(0.0, f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heaps_are_found() {
        let heaps = [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]];
        let values: Vec<f32> = (0..90)
            .flat_map(|place| {
                let [x, y] = heaps[place % 3];
                let off = (place as f32).sin();
                [x + off, y - off]
            })
            .collect();
        let rows = Rows {
            values: &values,
            width: 2,
        };
        let found = |seed| means(rows, 3, 20, seed);
        // A bad start may lead to a bad end.
        let best = (0..8).map(|seed| {
            let found = found(seed);
            let others = Rows {
                values: &found,
                width: 2,
            };
            reach(rows, others)
        });
        let best = best.fold(f64::INFINITY, f64::min);
        assert!(best < 2.1, "{best}");
        assert_eq!(found(3), found(3));
        assert_eq!(means(rows, 500, 1, 0).len(), values.len());
    }
}
