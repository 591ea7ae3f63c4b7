use super::cepstra::{Frame, NUMBERS};
use super::compare::Piece;
use super::mean;

/// The smaller part has at least this share, and this number of pieces.
const LEAST_SHARE: f64 = 0.1;
const LEAST_PIECES: usize = 4;
const ROUNDS: usize = 8;

/// Divides pieces into two parts by their sound: Lloyd's algorithm, started from every other piece and the one farthest from it, where
/// distances are relative to how frames vary within pieces. `None` where it finds no parts of a sensible size.
pub fn divide(pieces: &[Piece]) -> Option<[Vec<&Piece>; 2]> {
    let root = root(&within(pieces));
    let means: Vec<Frame> = smooth(pieces)
        .into_iter()
        .map(|mean| measured(&root, mean))
        .collect();
    let least = LEAST_PIECES.max((LEAST_SHARE * means.len() as f64).ceil() as usize);
    let mut best: Option<(f64, Vec<bool>)> = None;
    for first in means.iter().step_by(2) {
        let far = means
            .iter()
            .max_by(|a, b| squared(first, a).total_cmp(&squared(first, b)));
        let found = far.and_then(|far| rounds(&means, [*first, *far], least));
        if let Some((rest, is_second)) = found
            && best.as_ref().is_none_or(|(least, _)| rest < *least)
        {
            best = Some((rest, is_second));
        }
    }
    let (_, is_second) = best?;
    let part = |second: bool| -> Vec<&Piece> {
        let own = pieces
            .iter()
            .zip(&is_second)
            .filter(|(_, is)| **is == second);
        own.map(|(piece, _)| piece).collect()
    };
    Some([part(false), part(true)])
}

/// The mean of each piece with its neighbours, so that the speaker shows through what is said; turns of a few seconds still show.
fn smooth(pieces: &[Piece]) -> Vec<Frame> {
    let recordings = pieces.chunk_by(|a, b| a.recording == b.recording);
    let of_one = |own: &[Piece]| -> Vec<Frame> {
        let means: Vec<Frame> = own.iter().map(|piece| mean(&piece.frames)).collect();
        let beside = |place: usize| place.saturating_sub(1)..(place + 2).min(means.len());
        (0..means.len())
            .map(|place| mean(&means[beside(place)]))
            .collect()
    };
    recordings.flat_map(of_one).collect()
}

/// Which means are in the second of two parts, and the remaining variance; `None` where a part has fewer than `least`.
fn rounds(means: &[Frame], mut middles: [Frame; 2], least: usize) -> Option<(f64, Vec<bool>)> {
    let mut is_second = Vec::new();
    for _ in 0..ROUNDS {
        let near = means
            .iter()
            .map(|one| squared(one, &middles[1]) < squared(one, &middles[0]));
        is_second = near.collect();
        for (second, middle) in [false, true].into_iter().zip(&mut middles) {
            let own = means
                .iter()
                .zip(&is_second)
                .filter(|(_, is)| **is == second);
            let own: Vec<Frame> = own.map(|(one, _)| *one).collect();
            if own.len() < least {
                return None;
            }
            *middle = mean(&own);
        }
    }
    let rest = means
        .iter()
        .zip(&is_second)
        .map(|(one, second)| squared(one, &middles[usize::from(*second)]));
    Some((rest.sum(), is_second))
}

fn squared(a: &Frame, b: &Frame) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The covariance of frames around the mean of their piece.
fn within(pieces: &[Piece]) -> [Frame; NUMBERS] {
    let (mut products, mut count) = ([[0.0; NUMBERS]; NUMBERS], 0_u32);
    for piece in pieces {
        let mean = mean(&piece.frames);
        for frame in &piece.frames {
            let off: Frame = std::array::from_fn(|number| frame[number] - mean[number]);
            for (row, a) in products.iter_mut().zip(&off) {
                row.iter_mut().zip(&off).for_each(|(sum, b)| *sum += a * b);
            }
            count += 1;
        }
    }
    products.map(|row| row.map(|sum| sum / f64::from(count.max(1))))
}

/// The Cholesky factor of a covariance matrix, a lower triangle.
fn root(variances: &[Frame; NUMBERS]) -> [Frame; NUMBERS] {
    let mut root = [[0.0; NUMBERS]; NUMBERS];
    for (row, variances) in variances.iter().enumerate() {
        for column in 0..=row {
            let done = root[row].iter().zip(&root[column]).take(column);
            let rest = variances[column] - done.map(|(a, b)| a * b).sum::<f64>();
            root[row][column] = if row == column {
                rest.max(1e-9).sqrt()
            } else {
                rest / root[column][column]
            };
        }
    }
    root
}

/// A vector in units of that matrix.
fn measured(root: &[Frame; NUMBERS], vector: Frame) -> Frame {
    let mut found = [0.0; NUMBERS];
    for (row, (root, value)) in root.iter().zip(vector).enumerate() {
        let done = root.iter().zip(&found).take(row);
        let rest = value - done.map(|(a, b)| a * b).sum::<f64>();
        found[row] = rest / root[row];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_measured_by_how_numbers_vary_together() {
        // Two numbers that vary together, the others alone.
        let mut variances = [[0.0; NUMBERS]; NUMBERS];
        for (number, row) in variances.iter_mut().enumerate() {
            row[number] = 4.0;
        }
        (variances[0][1], variances[1][0]) = (3.0, 3.0);
        let root = root(&variances);
        let length = |vector: Frame| -> f64 {
            let found = measured(&root, vector);
            found.iter().map(|value| value * value).sum()
        };
        let mut vector = [0.0; NUMBERS];
        (vector[0], vector[1]) = (1.0, 1.0);
        assert!((length(vector) - 2.0 / 7.0).abs() < 1e-9);
        vector[1] = -1.0;
        assert!((length(vector) - 2.0).abs() < 1e-9);
    }
}
