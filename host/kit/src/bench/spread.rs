/// Several measurements of one thing: the middle one, and how far half of them lie apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// A quarter of the measurements lies below.
    pub low: f64,
    /// A quarter lies above.
    pub high: f64,
}

impl Spread {
    /// The spread of at least one measurement.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub(super) fn of(mut values: Vec<f64>) -> Self {
        assert!(!values.is_empty(), "something was measured");
        values.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let position = share * (values.len() - 1) as f64;
            let first = position as usize;
            let next = (first + 1).min(values.len() - 1);
            let part = position - first as f64;
            values[first] * (1.0 - part) + values[next] * part
        };
        Self {
            median: at(0.5),
            low: at(0.25),
            high: at(0.75),
        }
    }

    /// The distance of the quartiles as a share of the median.
    #[must_use]
    pub fn relative(&self) -> f64 {
        (self.high - self.low) / self.median
    }

    /// The same with every value through `map`, which must not fall.
    #[must_use]
    pub fn map(self, map: impl Fn(f64) -> f64) -> Self {
        Self {
            median: map(self.median),
            low: map(self.low),
            high: map(self.high),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wild_measurement_moves_neither_median_nor_quartiles_far() {
        let spread = Spread::of(vec![4.0, 1.0, 3.0, 1_000.0, 2.0]);
        assert_eq!((spread.low, spread.median, spread.high), (2.0, 3.0, 4.0));
        assert!((spread.relative() - 2.0 / 3.0).abs() < 1e-12);
        let doubled = Spread::of(vec![7.0]).map(|value| 2.0 * value);
        assert!((doubled.median - 14.0).abs() < 1e-12);
    }
}
