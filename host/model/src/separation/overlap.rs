use super::pieces::{Cutter, Piece};

/// Adds up the weighted estimates of pieces, in order, and returns what no later piece changes.
pub(super) struct Overlap {
    /// One for each channel of each stem, from `start` on.
    sums: Vec<Vec<f32>>,
    weights: Vec<f32>,
    divisor: Option<f32>,
    start: i64,
    frames: i64,
}

impl Overlap {
    /// For a recording of `frames` frames, estimated as `rows` channels of all stems together.
    pub(super) fn new(cutter: &Cutter, rows: usize, frames: u64) -> Self {
        Self {
            sums: vec![Vec::new(); rows],
            weights: Vec::new(),
            divisor: cutter.divisor,
            start: 0,
            frames: frames as i64,
        }
    }

    /// Adds a piece's estimate, row after row; none means silence.
    pub(super) fn add(&mut self, cutter: &Cutter, piece: &Piece, estimate: Option<&[f32]>) {
        let from = piece.counted.start.max(self.start);
        let end = piece.counted.end.min(self.frames);
        if end <= from {
            return;
        }
        let place = (from - self.start) as usize..(end - self.start) as usize;
        let weights = cutter.weights_of(piece);
        let weights = &weights[(from - piece.counted.start) as usize..][..place.len()];
        if self.weights.len() < place.end {
            self.weights.resize(place.end, 0.0);
        }
        for (sum, weight) in self.weights[place.clone()].iter_mut().zip(weights) {
            *sum += weight;
        }
        let heard = (from - piece.heard_from) as usize;
        for (row, sums) in self.sums.iter_mut().enumerate() {
            if sums.len() < place.end {
                sums.resize(place.end, 0.0);
            }
            let Some(estimate) = estimate else {
                continue;
            };
            let sound = &estimate[row * cutter.samples + heard..][..place.len()];
            let weighted = sound.iter().zip(weights);
            for (sum, (sample, weight)) in sums[place.clone()].iter_mut().zip(weighted) {
                *sum += sample * weight;
            }
        }
    }

    /// Returns everything before `end`, row after row; the caller adds nothing there any more.
    pub(super) fn take_until(&mut self, end: i64) -> (usize, Vec<Vec<f32>>) {
        let count = (end.min(self.frames) - self.start).max(0) as usize;
        let count = count.min(self.weights.len());
        let weights: Vec<f32> = self.weights.drain(..count).collect();
        let finished = |sums: &mut Vec<f32>| -> Vec<f32> {
            let sums = sums.drain(..count);
            match self.divisor {
                Some(divisor) => sums.map(|sum| sum / divisor).collect(),
                None => sums
                    .zip(&weights)
                    .map(|(sum, weight)| sum / weight)
                    .collect(),
            }
        };
        let rows = self.sums.iter_mut().map(finished).collect();
        self.start += count as i64;
        (count, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sections::{Divisor, JoinWindow, LastPiece};
    use super::super::testing::chunk;
    use super::*;

    /// Cuts a ramp with its negative as a second row, and joins the pieces again.
    fn joined(cutter: &Cutter, frames: usize) -> Vec<Vec<f32>> {
        let value = |place: i64| (place as f32 * 0.37).sin();
        let mut overlap = Overlap::new(cutter, 2, frames as u64);
        let mut out = vec![Vec::new(); 2];
        let pieces: Vec<Piece> = cutter.pieces(frames as u64, 0).collect();
        for (index, piece) in pieces.iter().enumerate() {
            let places = piece.heard_from..piece.heard_from + cutter.samples as i64;
            let sound = places.clone().map(value);
            let estimate: Vec<f32> = sound.chain(places.map(|place| -value(place))).collect();
            overlap.add(cutter, piece, Some(&estimate));
            let settled = pieces
                .get(index + 1)
                .map_or(i64::MAX, |next| next.counted.start);
            for (all, ready) in out.iter_mut().zip(overlap.take_until(settled).1) {
                all.extend(ready);
            }
        }
        out
    }

    #[test]
    fn a_model_that_changes_nothing_gives_the_recording_with_every_policy() {
        for window in [
            JoinWindow::Rect,
            JoinWindow::HannSymmetric,
            JoinWindow::HammingSymmetric,
            JoinWindow::Triangle,
            JoinWindow::LinearFade,
        ] {
            for last in [
                LastPiece::Pad,
                LastPiece::AlignEnd,
                LastPiece::Center,
                LastPiece::Taper,
                LastPiece::Mirror,
            ] {
                for (trim, step) in [(0, 25), (0, 60), (0, 99), (10, 70)] {
                    if trim > 0 && matches!(last, LastPiece::Taper | LastPiece::Mirror) {
                        continue;
                    }
                    let mut format = chunk(100, step);
                    (format.window, format.last, format.trim) = (window, last, trim);
                    let cutter = Cutter::new(&format, 100, step as usize);
                    for frames in [1, 2, 59, 60, 61, 99, 100, 101, 777] {
                        let out = joined(&cutter, frames);
                        assert_eq!((out[0].len(), out[1].len()), (frames, frames));
                        for (place, sample) in (0..).zip(&out[0]) {
                            let error = (sample - (place as f32 * 0.37).sin()).abs();
                            assert!(error < 1e-5, "{window:?} {last:?} {step} {frames} {place}");
                            assert!((sample + out[1][place as usize]).abs() < 1e-6);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_constant_divisor_counts_the_pieces_over_each_other() {
        let mut format = chunk(120, 30);
        format.window = JoinWindow::Rect;
        format.divisor = Divisor::Constant;
        format.border = Some(90);
        let cutter = Cutter::new(&format, 120, 30);
        for frames in [1, 29, 30, 500] {
            let out = joined(&cutter, frames);
            assert_eq!(out[0].len(), frames);
            for (place, sample) in (0..).zip(&out[0]) {
                assert!(
                    (sample - (place as f32 * 0.37).sin()).abs() < 1e-5,
                    "{place}"
                );
            }
        }
    }

    #[test]
    fn silence_is_added_as_silence() {
        let cutter = Cutter::new(&chunk(10, 5), 10, 5);
        let mut overlap = Overlap::new(&cutter, 1, 12);
        for piece in cutter.pieces(12, 0) {
            overlap.add(&cutter, &piece, None);
        }
        let (count, rows) = overlap.take_until(i64::MAX);
        assert_eq!((count, &rows[0]), (12, &vec![0.0; 12]));
    }
}
