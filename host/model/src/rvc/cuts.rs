use crate::ModelError;
use crate::source::{Sound as _, mirrored};

use super::Cuts;
use super::high_pass::HighPassed;

/// Samples of a pitch frame: 10 ms at 16 kHz.
pub(super) const HOP: usize = 160;
/// The sample rate of all models.
const RATE_HZ: f64 = 16_000.0;

/// The samples at which a recording is cut, each a multiple of a hop: near every multiple of `center_s`, where 10 ms of
/// sound are quietest. None when the recording is short enough for one piece. From RVC's `pipeline.py`.
pub(super) fn cut_points(sound: &HighPassed<'_>, cuts: &Cuts) -> Result<Vec<usize>, ModelError> {
    let length = sound.len() as usize;
    if length + HOP <= samples(cuts.max_s) {
        return Ok(Vec::new());
    }
    let (center, query) = (samples(cuts.center_s), samples(cuts.query_s));
    let mut points = Vec::new();
    for ideal in (center..length).step_by(center) {
        let (from, to) = (ideal - query, (ideal + query).min(length));
        let quietest = from + quietest(sound, from, to)?;
        points.push(quietest / HOP * HOP);
    }
    Ok(points)
}

/// Where in `from..to` the sum of magnitudes in the hop around a sample is least; the first of equals.
fn quietest(sound: &HighPassed<'_>, from: usize, to: usize) -> Result<usize, ModelError> {
    let start = from as i64 - HOP as i64 / 2;
    let count = to - from + HOP;
    let heard = mirrored(start, count, sound.len(), |start, count| {
        sound.precise(start, count)
    })?;
    let magnitudes: Vec<f64> = heard.into_iter().map(f64::abs).collect();
    let mut best = (f64::INFINITY, 0);
    for (place, hop) in magnitudes.windows(HOP).take(to - from).enumerate() {
        let sum: f64 = hop.iter().sum();
        if sum < best.0 {
            best = (sum, place);
        }
    }
    Ok(best.1)
}

fn samples(seconds: f64) -> usize {
    (seconds * RATE_HZ).round() as usize
}

/// Padding at the ends of a piece, in whole hops.
pub(super) fn pad_samples(cuts: &Cuts) -> usize {
    (cuts.pad_s * 100.0).round() as usize * HOP
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocalhost_audio::{Block, SpoolWriter};

    const CUTS: Cuts = Cuts {
        pad_s: 0.3,
        query_s: 0.4,
        center_s: 1.0,
        max_s: 1.5,
    };

    fn cut(samples: Vec<f32>) -> Vec<usize> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("spool");
        let mut writer = SpoolWriter::create(&path, 1, 16_000).expect("made");
        let block = Block::from_planar(1, samples);
        writer.write(&block).expect("written");
        let spool = writer.finish().expect("finished");
        cut_points(&HighPassed::new(&spool), &CUTS).expect("cut")
    }

    fn tone(count: usize) -> Vec<f32> {
        (0..count).map(|n| (n as f32 * 0.3).sin() * 0.5).collect()
    }

    #[test]
    fn a_recording_is_cut_where_it_is_quiet() {
        let mut samples = tone(40_000);
        samples[13_000..13_400].fill(0.0);
        samples[35_000..35_400].fill(0.0);
        let points = cut(samples);
        assert_eq!(points.len(), 2);
        for (point, pause) in points.iter().zip([13_000, 35_000]) {
            assert!((pause..pause + 400).contains(point), "{point}");
            assert!(point.is_multiple_of(HOP));
        }
    }

    #[test]
    fn a_short_recording_stays_whole_and_ends_are_no_trouble() {
        assert!(cut(tone(24_000 - HOP)).is_empty());
        assert_eq!(cut(tone(24_000 - HOP + 1)).len(), 1);
        // The search window of the second cut is truncated by the end of the recording.
        assert_eq!(cut(tone(32_001)).len(), 2);
    }
}
