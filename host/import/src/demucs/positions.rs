//! The transformer's positional encoding: sinusoids of many periods, in single precision throughout, since rounding decides the
//! last digits of long ones ("Attention Is All You Need", Vaswani and others 2017).

/// `cos` and `sin` of every place in a row: a row of `width` numbers each.
pub(super) fn of_row(length: u64, width: u64, period: f32) -> Vec<f32> {
    let half = width / 2;
    let steps: Vec<f32> = (0..half)
        .map(|number| period.powf(number as f32 / (half - 1) as f32))
        .collect();
    let mut numbers = Vec::with_capacity((length * width) as usize);
    for place in 0..length {
        let phases = || steps.iter().map(|step| f64::from(place as f32 / step));
        numbers.extend(phases().map(|phase| phase.cos() as f32));
        numbers.extend(phases().map(|phase| phase.sin() as f32));
    }
    numbers
}

/// The places of a spectrogram, frame by frame: the first half of a row's `width` numbers tells the frame, the second the band.
pub(super) fn of_plane((bands, frames): (u64, u64), width: u64, period: f32) -> Vec<f32> {
    let half = width / 2;
    let step = -(period.ln() / half as f32);
    let factors: Vec<f32> = (0..half)
        .step_by(2)
        .map(|number| (number as f32 * step).exp())
        .collect();
    let waves = |place: u64| {
        let phases = factors
            .iter()
            .map(move |factor| f64::from(place as f32 * factor));
        phases.flat_map(|phase| [phase.sin() as f32, phase.cos() as f32])
    };
    let mut numbers = Vec::with_capacity((frames * bands * width) as usize);
    for frame in 0..frames {
        for band in 0..bands {
            numbers.extend(waves(frame));
            numbers.extend(waves(band));
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_waves_of_growing_periods() {
        let row = of_row(3, 4, 10_000.0);
        assert_eq!(row[..4], [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(row[4..6], [1.0_f32.cos(), 1e-4_f32.cos()]);
        assert_eq!(row[6..8], [1.0_f32.sin(), 1e-4_f32.sin()]);
        let plane = of_plane((2, 2), 4, 10_000.0);
        assert_eq!(plane.len(), 2 * 2 * 4);
        // The first frame's second band, and the second frame's first.
        assert_eq!(plane[4..8], [0.0, 1.0, 1.0_f32.sin(), 1.0_f32.cos()]);
        assert_eq!(plane[8..12], [1.0_f32.sin(), 1.0_f32.cos(), 0.0, 1.0]);
    }
}
