use std::ops::Range;

/// How far below the loudest frame a frame is silent, as power: 40 dB.
const SILENT_RATIO: f64 = 1e-4;
/// Silences longer than this are cut: 0.3 s.
const LONGEST_SILENCE: usize = 30;
/// What is left of a cut silence on each side.
const LEFT: usize = 15;
/// The shortest and the longest stretch, in frames of 10 ms.
const SHORTEST: usize = 100;
const LONGEST: usize = 1_000;
/// A stretch of at least this length ends at the next cut.
const ENOUGH: usize = 300;

/// What is left of a recording, in frames of 10 ms.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cut {
    /// The parts of the recording that are kept, in order.
    pub kept: Vec<Range<usize>>,
    /// Stretches of 1 to 10 s in the joined parts.
    pub stretches: Vec<Range<usize>>,
    /// How many of the kept frames sound.
    pub sounding: usize,
}

impl Cut {
    /// How many frames are kept.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.kept.iter().map(ExactSizeIterator::len).sum()
    }
}

/// Removes long silences from a recording whose frames have these powers, and divides the rest into stretches. At most `most` frames are
/// kept.
#[must_use]
pub fn cut(powers: &[f64], most: usize) -> Cut {
    let loudest = powers.iter().copied().fold(0.0, f64::max);
    let threshold = loudest * SILENT_RATIO;
    let sounds = |frame: &usize| loudest > 0.0 && powers[*frame] >= threshold;
    let mut cut = Cut::default();
    let (mut room, mut last): (usize, Option<usize>) = (most, None);
    let mut keep = |from: usize, to: usize, cut: &mut Cut| {
        let to = to.min(from.saturating_add(room)).min(powers.len());
        room -= to - from;
        match cut.kept.last_mut() {
            Some(before) if before.end == from => before.end = to,
            _ if to > from => cut.kept.push(from..to),
            _ => {}
        }
    };
    for frame in (0..powers.len()).filter(sounds) {
        let from = match last {
            Some(last) if frame - last <= LONGEST_SILENCE => last + 1,
            Some(last) => {
                keep(last + 1, last + 1 + LEFT, &mut cut);
                frame - LEFT
            }
            None => frame.saturating_sub(LEFT),
        };
        keep(from, frame + 1, &mut cut);
        last = Some(frame);
    }
    if let Some(last) = last {
        keep(last + 1, last + 1 + LEFT, &mut cut);
    }
    let kept: Vec<f64> = cut
        .kept
        .iter()
        .flat_map(|part| &powers[part.clone()])
        .copied()
        .collect();
    cut.sounding = kept.iter().filter(|power| **power >= threshold).count();
    cut.stretches = stretches(&cut.kept, &kept);
    cut
}

/// Divides the joined `kept` parts, at their borders if that gives sensible lengths, otherwise where it is quietest.
fn stretches(kept: &[Range<usize>], powers: &[f64]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut start, mut end) = (0, 0);
    for part in kept {
        end += part.len();
        while end - start > LONGEST {
            let looked = start + LONGEST / 2..start + LONGEST;
            let quiet = looked.min_by(|a, b| powers[*a].total_cmp(&powers[*b]));
            let border = quiet.unwrap_or(start + LONGEST);
            found.push(start..border);
            start = border;
        }
        if end - start >= ENOUGH {
            found.push(start..end);
            start = end;
        }
    }
    let rest = end - start;
    match found.last_mut() {
        Some(before) if rest < SHORTEST && before.len() + rest <= LONGEST => before.end = end,
        _ if rest >= SHORTEST => found.push(start..end),
        _ => {}
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silences_are_cut_and_the_rest_is_divided() {
        // 4 s of sound, 2 s of silence, 25 s of sound with a quiet frame, 0.2 s of silence, 1 s of sound.
        let mut powers = vec![1.0; 400];
        powers.extend(vec![0.0; 200]);
        powers.extend(vec![1.0; 2_500]);
        powers[600 + 700] = 0.5;
        powers.extend(vec![0.0; 20]);
        powers.extend(vec![1.0; 100]);
        let found = cut(&powers, usize::MAX);
        assert_eq!(found.kept, [0..415, 585..3_220]);
        assert_eq!(found.sounding, 3_000);
        assert_eq!(found.frames(), 415 + 2_635);
        assert_eq!(found.stretches[0], 0..415);
        // 15 frames before the sound, then the quiet frame.
        assert_eq!(found.stretches[1], 415..415 + 15 + 700);
        assert!(
            found
                .stretches
                .iter()
                .all(|one| (100..=1_000).contains(&one.len()))
        );
        assert_eq!(found.stretches.last().expect("some").end, found.frames());
    }

    #[test]
    fn silence_has_no_stretches_and_long_recordings_are_cut_short() {
        assert_eq!(cut(&[0.0; 500], 1_000), Cut::default());
        assert_eq!(cut(&[], 1_000), Cut::default());
        let found = cut(&vec![1.0; 5_000], 1_200);
        assert_eq!(found.frames(), 1_200);
        assert_eq!(found.sounding, 1_200);
    }
}
