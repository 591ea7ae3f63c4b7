//! The constant difference between the voice and its source, which is that between two people: a linear map from the voice's movements to
//! the expected difference, fitted by least squares as the recording goes on.

use super::bands::BANDS;
use super::movement::Row;

/// What is known of a frame: the voice's movements, and whether there is a pitch.
pub(super) const KNOWN: usize = BANDS + 1;
/// Frames after a frame that its map has learned from as well: 10 s.
pub(super) const AHEAD: usize = 1_250;
/// Frames that share a map.
pub(super) const REFRESH: usize = 32;
/// Frames, sounding or not, after which what was learned counts e times less: 30 s.
const FORGET: f64 = 3_750.0;
/// Added to the variances of the voice's movements (squares of natural logarithms of power), against chance.
const RIDGE: f64 = 0.02;
/// Frames that `RIDGE` is added for besides those learned from, so that little is explained before some seconds have been heard.
const DOUBT: f64 = 1_000.0;

/// What has been learned so far.
pub(super) struct Constant {
    squares: Box<[[f64; KNOWN]; KNOWN]>,
    products: Box<[Row; KNOWN]>,
    count: f64,
}

/// From what is known of a frame to its expected differences.
pub(super) struct Map(Box<[Row; KNOWN]>);

impl Constant {
    pub(super) fn new() -> Self {
        Self {
            squares: Box::new([[0.0; KNOWN]; KNOWN]),
            products: Box::new([[0.0; BANDS]; KNOWN]),
            count: 0.0,
        }
    }

    /// Learns from a frame, which counts by its weight, 0 or 1.
    pub(super) fn learn(&mut self, known: &[f64; KNOWN], differences: &Row, weight: f64) {
        let keep = (-1.0 / FORGET).exp();
        self.count = self.count * keep + weight;
        let rows = self.squares.iter_mut().zip(self.products.iter_mut());
        for ((squares, products), one) in rows.zip(known) {
            let part = weight * one;
            for (square, other) in squares.iter_mut().zip(known) {
                *square = *square * keep + part * other;
            }
            for (product, difference) in products.iter_mut().zip(differences) {
                *product = *product * keep + part * difference;
            }
        }
    }

    /// The least-squares map, by Cholesky decomposition.
    pub(super) fn map(&self) -> Map {
        let mut lower = self.squares.clone();
        for (place, row) in lower.iter_mut().enumerate() {
            row[place] += RIDGE * (self.count + DOUBT);
        }
        let mut map = self.products.clone();
        for row in 0..KNOWN {
            for column in 0..=row {
                let before: f64 = (0..column)
                    .map(|place| lower[row][place] * lower[column][place])
                    .sum();
                let rest = lower[row][column] - before;
                lower[row][column] = if row == column {
                    rest.sqrt()
                } else {
                    rest / lower[column][column]
                };
            }
        }
        for row in 0..KNOWN {
            let (done, rest) = map.split_at_mut(row);
            for (place, above) in done.iter().enumerate() {
                subtract(&mut rest[0], above, lower[row][place]);
            }
            divide(&mut rest[0], lower[row][row]);
        }
        for row in (0..KNOWN).rev() {
            let (rest, done) = map.split_at_mut(row + 1);
            for (place, below) in done.iter().enumerate() {
                subtract(&mut rest[row], below, lower[row + 1 + place][row]);
            }
            divide(&mut rest[row], lower[row][row]);
        }
        Map(map)
    }
}

impl Map {
    /// The expected differences.
    pub(super) fn of(&self, known: &[f64; KNOWN]) -> Row {
        let mut expected = [0.0; BANDS];
        for (row, one) in self.0.iter().zip(known) {
            subtract(&mut expected, row, -one);
        }
        expected
    }
}

fn subtract(from: &mut Row, row: &Row, times: f64) {
    for (value, other) in from.iter_mut().zip(row) {
        *value -= times * other;
    }
}

fn divide(row: &mut Row, by: f64) {
    for value in row {
        *value /= by;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_always_follows_is_found_and_what_comes_by_chance_is_not() {
        let mut state = 1_u32;
        let mut chance = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state) / f64::from(u32::MAX) - 0.5
        };
        let mut constant = Constant::new();
        for _ in 0..3_000 {
            let known: [f64; KNOWN] = std::array::from_fn(|_| 4.0 * chance());
            // Each band moves half as far as the one above it, plus a random part.
            let differences = std::array::from_fn(|band| 0.5 * known[band + 1] + chance());
            constant.learn(&known, &differences, 1.0);
        }
        let known: [f64; KNOWN] = std::array::from_fn(|place| place as f64 / 10.0 - 2.0);
        let expected = constant.map().of(&known);
        for (band, expected) in expected.iter().enumerate() {
            let wanted = 0.5 * known[band + 1];
            assert!(
                (expected - wanted).abs() < 0.15,
                "{band}: {expected} {wanted}"
            );
        }
    }

    #[test]
    fn where_nothing_was_heard_nothing_is_expected() {
        let expected = Constant::new().map().of(&[1.0; KNOWN]);
        assert!(expected.iter().all(|value| *value == 0.0), "{expected:?}");
    }
}
