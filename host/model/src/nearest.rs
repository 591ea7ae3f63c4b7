/// Keeps the best few of the rows offered.
#[derive(Clone)]
pub(super) struct Nearest {
    count: usize,
    /// Scores and the numbers of their rows, the best first.
    pub(super) found: Vec<(f32, usize)>,
}

impl Nearest {
    /// Room for the best `count`.
    pub(super) fn new(count: usize) -> Self {
        Self {
            count,
            found: Vec::with_capacity(count + 1),
        }
    }

    /// Offers a row with its score; lower is better.
    pub(super) fn offer(&mut self, score: f32, number: usize) {
        if self.found.len() == self.count && score >= self.found[self.count - 1].0 {
            return;
        }
        let place = self.found.partition_point(|(other, _)| *other <= score);
        self.found.insert(place, (score, number));
        self.found.truncate(self.count);
    }
}
