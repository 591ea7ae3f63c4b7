/// From this value on, nothing is protected.
const NO_PROTECTION: f64 = 0.5;
/// Frames below this many hertz are unvoiced, as in RVC's pipeline.
const VOICED_HZ: f32 = 1.0;

/// Whether a setting protects anything.
pub(super) fn protects(protect: f64) -> bool {
    protect < NO_PROTECTION
}

/// Gives unvoiced frames back most of what they had before retrieval, so that breath and consonants keep their shape:
/// `content * protect + before * (1 - protect)`. From RVC's `pipeline.py`; `content` and `before` have `width` values for each
/// value of `f0_hz`.
pub(super) fn protect(
    content: &mut [f32],
    before: &[f32],
    width: usize,
    f0_hz: &[f32],
    protect: f64,
) {
    let share = protect as f32;
    let frames = content.chunks_exact_mut(width);
    for ((now, before), f0) in frames.zip(before.chunks_exact(width)).zip(f0_hz) {
        if *f0 < VOICED_HZ {
            for (now, before) in now.iter_mut().zip(before) {
                *now = *now * share + before * (1.0 - share);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unvoiced_frames_go_back_and_voiced_ones_stay() {
        let mut content = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0];
        protect(&mut content, &[0.0; 6], 2, &[0.0, 100.0, 0.5], 0.25);
        let expected = [0.25_f32, 0.25, 2.0, 2.0, 0.75, 0.75];
        assert_eq!(content.map(f32::to_bits), expected.map(f32::to_bits));
        assert!(protects(0.33) && !protects(0.5));
    }
}
