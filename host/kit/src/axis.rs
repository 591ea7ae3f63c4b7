/// Round values from `low` to `high`, at most about `wanted` of them: 1, 2 or 5 times a power of ten apart.
pub(super) fn round_ticks(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let rough = (high - low) / wanted.max(1) as f64;
    if !rough.is_finite() || rough <= 0.0 {
        return vec![low];
    }
    let power = 10.0_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= rough * (1.0 - 1e-9))
        .unwrap_or(10.0 * power);
    stepped_ticks(low, high, step)
}

/// Every multiple of `step` from `low` to `high`.
pub(super) fn stepped_ticks(low: f64, high: f64, step: f64) -> Vec<f64> {
    let first = (low / step - 1e-6).ceil() as i64;
    let last = (high / step + 1e-6).floor() as i64;
    (first..=last).map(|index| index as f64 * step).collect()
}

/// A frequency in few letters: `250`, `1k`, `2.5k`.
pub(super) fn hertz_label(frequency_hz: f64) -> String {
    if frequency_hz >= 1_000.0 {
        format!("{}k", plain(frequency_hz / 1_000.0))
    } else {
        plain(frequency_hz)
    }
}

/// A number without needless digits: at most three after the point.
pub(super) fn plain(number: f64) -> String {
    let text = format!("{number:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}

/// A moment: seconds, or minutes and seconds where the axis is longer than two minutes.
pub(super) fn time_label(time_s: f64, axis_s: f64) -> String {
    if axis_s <= 120.0 {
        return plain(time_s);
    }
    let whole = time_s.round() as u64;
    format!("{}:{:02}", whole / 60, whole % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_stay_inside() {
        assert_eq!(
            round_ticks(0.0, 3.0, 6),
            [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
        );
        assert_eq!(round_ticks(-1.0, 1.0, 4), [-1.0, -0.5, 0.0, 0.5, 1.0]);
        assert_eq!(round_ticks(-73.0, 4.0, 4), [-60.0, -40.0, -20.0, 0.0]);
        assert_eq!(round_ticks(1.0, 1.0, 4), [1.0]);
    }

    #[test]
    fn labels_are_short() {
        for (value, label) in [(63.0, "63"), (1_000.0, "1k"), (2_500.0, "2.5k")] {
            assert_eq!(hertz_label(value), label);
        }
        assert_eq!(plain(-0.000_1), "0");
        assert_eq!(time_label(0.25, 3.0), "0.25");
        assert_eq!(time_label(125.0, 600.0), "2:05");
    }
}
