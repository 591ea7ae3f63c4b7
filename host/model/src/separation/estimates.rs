use std::ops::ControlFlow;

use super::super::ModelError;

/// The sound of every channel of every estimated stem, row after row, all of the same length.
pub(super) type Rows = Vec<Vec<f32>>;

/// Estimates of a recording from its first frame to its last, some frames at a time.
pub(super) trait Estimates {
    /// The next frames, at least one; none after the end.
    fn next(&mut self) -> Result<Option<Rows>, ModelError>;

    /// Passes everything to `sink`, until `sink` breaks off.
    fn each(&mut self, sink: &mut dyn FnMut(Rows) -> ControlFlow<()>) -> Result<(), ModelError> {
        while let Some(rows) = self.next()? {
            if sink(rows).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Several estimates of one recording, read side by side, however many frames each gives at a time.
///
/// Only an estimate without frames left is asked for more, so at most one portion of each is buffered.
pub(super) struct Abreast<'e> {
    sources: Vec<Box<dyn Estimates + 'e>>,
    waiting: Vec<Rows>,
}

impl<'e> Abreast<'e> {
    pub(super) fn new(sources: Vec<Box<dyn Estimates + 'e>>) -> Self {
        Self {
            waiting: vec![Rows::new(); sources.len()],
            sources,
        }
    }

    /// The next frames of all, the same number of each; none after the end of the first.
    pub(super) fn next(&mut self) -> Result<Option<Vec<Rows>>, ModelError> {
        for (source, waiting) in self.sources.iter_mut().zip(&mut self.waiting) {
            if frames(waiting) == 0 {
                match source.next()? {
                    Some(rows) => *waiting = rows,
                    None => return Ok(None),
                }
            }
        }
        let count = self.waiting.iter().map(frames).min();
        let count = count.unwrap_or_default();
        let take = |rows: &mut Rows| -> Rows {
            rows.iter_mut()
                .map(|row| {
                    let rest = row.split_off(count);
                    std::mem::replace(row, rest)
                })
                .collect()
        };
        Ok(Some(self.waiting.iter_mut().map(take).collect()))
    }
}

/// The weighted mean of several estimates.
pub(super) struct Mean<'e> {
    abreast: Abreast<'e>,
    /// For each estimate, the share of every row; the shares of a row add up to one.
    shares: Vec<Vec<f32>>,
}

impl<'e> Mean<'e> {
    /// For estimates with a weight for every row of each. In every row, at least one weight must be above zero.
    pub(super) fn new(weighted: Vec<(Box<dyn Estimates + 'e>, Vec<f64>)>) -> Self {
        let (sources, weights): (Vec<_>, Vec<Vec<f64>>) = weighted.into_iter().unzip();
        let total = |row: usize| weights.iter().map(|weights| weights[row]).sum::<f64>();
        let shares = weights.iter().map(|weights| {
            let each = weights.iter().enumerate();
            each.map(|(row, weight)| (weight / total(row)) as f32)
                .collect()
        });
        Self {
            shares: shares.collect(),
            abreast: Abreast::new(sources),
        }
    }
}

impl Estimates for Mean<'_> {
    fn next(&mut self) -> Result<Option<Rows>, ModelError> {
        let Some(all) = self.abreast.next()? else {
            return Ok(None);
        };
        let mut mean: Rows = all.first().map_or_else(Rows::new, |rows| {
            rows.iter().map(|row| vec![0.0; row.len()]).collect()
        });
        for (rows, shares) in all.iter().zip(&self.shares) {
            for ((sum, row), share) in mean.iter_mut().zip(rows).zip(shares) {
                for (sum, sample) in sum.iter_mut().zip(row) {
                    *sum += share * sample;
                }
            }
        }
        Ok(Some(mean))
    }
}

/// The number of frames of rows.
pub(super) fn frames(rows: &Rows) -> usize {
    rows.first().map_or(0, Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that are given in portions of fixed lengths.
    struct Portions {
        rows: Rows,
        length: usize,
    }

    impl Portions {
        fn of(rows: Rows, length: usize) -> Self {
            Self { rows, length }
        }
    }

    impl Estimates for Portions {
        fn next(&mut self) -> Result<Option<Rows>, ModelError> {
            let count = self.length.min(frames(&self.rows));
            let rows: Rows = (self.rows.iter_mut())
                .map(|row| row.drain(..count).collect())
                .collect();
            Ok((count > 0).then_some(rows))
        }
    }

    #[test]
    fn a_mean_does_not_depend_on_the_portions_and_weighs_each_row() {
        let rows = |factor: f32| -> Rows {
            let row = |sign: f32| (0..100).map(|n| sign * factor * n as f32).collect();
            vec![row(1.0), row(-1.0)]
        };
        for lengths in [[100, 100], [7, 31], [31, 7], [1, 100]] {
            let mut mean = Mean::new(vec![
                (
                    Box::new(Portions::of(rows(1.0), lengths[0])) as Box<dyn Estimates>,
                    vec![1.0, 0.0],
                ),
                (
                    Box::new(Portions::of(rows(5.0), lengths[1])),
                    vec![3.0, 2.0],
                ),
            ]);
            let mut found: Rows = vec![Vec::new(); 2];
            while let Some(next) = mean.next().expect("no fault") {
                assert!(frames(&next) > 0);
                for (all, row) in found.iter_mut().zip(next) {
                    all.extend(row);
                }
            }
            assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [100, 100]);
            for (n, (first, second)) in found[0].iter().zip(&found[1]).enumerate() {
                assert!((first - 4.0 * n as f32).abs() < 1e-4);
                assert!((second + 5.0 * n as f32).abs() < 1e-4);
            }
        }
    }
}
