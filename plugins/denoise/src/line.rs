//! The last samples of a signal, by their numbers.

/// Keeps as many samples as it was made for; those before the first are silence.
#[derive(Clone, Debug)]
pub struct Line {
    samples: Vec<f32>,
    /// How many have come.
    count: i64,
}

impl Line {
    /// A line that remembers at least `length` samples.
    pub fn new(length: usize) -> Self {
        Self {
            samples: vec![0.0; length.next_power_of_two()],
            count: 0,
        }
    }

    /// How many samples have come.
    pub fn count(&self) -> i64 {
        self.count
    }

    pub fn push(&mut self, sample: f32) {
        let place = self.place(self.count);
        self.samples[place] = sample;
        self.count += 1;
    }

    /// The sample with a number, which has come and is not forgotten, or is before the first.
    pub fn get(&self, number: i64) -> f32 {
        debug_assert!(number < self.count, "{number} has not come");
        self.samples[self.place(number)]
    }

    pub fn forget(&mut self) {
        self.samples.fill(0.0);
        self.count = 0;
    }

    fn place(&self, number: i64) -> usize {
        number as usize & (self.samples.len() - 1)
    }
}
