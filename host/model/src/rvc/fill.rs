/// Gives unvoiced frames a pitch, interpolated linearly between the voiced frames around them and constant before the first and after the
/// last of these, as in RVC 2.3 (`get_f0` in its `infer/vc/pipeline.py`). A track without any voiced frame stays.
pub(super) fn fill_unvoiced(track: &mut [f32]) {
    let mut before: Option<(usize, f64)> = None;
    for frame in 0..track.len() {
        if track[frame] == 0.0 {
            continue;
        }
        let now = f64::from(track[frame]);
        let (start, from) = before.map_or((0, now), |(place, from)| (place + 1, from));
        let steps = (frame + 1 - start) as f64;
        for (step, f0) in (1..).zip(&mut track[start..frame]) {
            *f0 = (from + (now - from) * f64::from(step) / steps) as f32;
        }
        before = Some((frame, now));
    }
    if let Some((last, f0)) = before {
        track[last + 1..].fill(f0 as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_lines_and_the_ends_go_on_as_they_are() {
        for (track, filled) in [
            (
                vec![0.0, 0.0, 100.0, 0.0, 0.0, 0.0, 200.0, 150.0, 0.0],
                vec![
                    100.0, 100.0, 100.0, 125.0, 150.0, 175.0, 200.0, 150.0, 150.0,
                ],
            ),
            (vec![0.0, 0.0], vec![0.0, 0.0]),
            (vec![], vec![]),
            (vec![80.0], vec![80.0]),
        ] {
            let mut found: Vec<f32> = track;
            fill_unvoiced(&mut found);
            assert_eq!(found, filled);
        }
    }
}
