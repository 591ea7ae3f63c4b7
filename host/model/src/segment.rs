use std::ops::Range;

use super::pitch::FRAMES_PER_S;
use super::sections::SegmentLengths;

/// A piece of the track, in frames of 10 ms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    /// What the piece contributes.
    pub(super) core: Range<usize>,
    /// The input of the models for it: the core with context on both sides, within the track.
    pub(super) heard: Range<usize>,
}

/// Cuts a track of `frames` frames (an even number). Every border is even, so that pieces begin on whole content frames. A remainder
/// shorter than the context joins the piece before it.
pub(super) fn cut(frames: usize, lengths: &SegmentLengths) -> Vec<Segment> {
    let even_frames = |seconds: f64| (seconds * f64::from(FRAMES_PER_S) / 2.0).ceil() as usize * 2;
    let core = even_frames(lengths.core_s).max(2);
    let context = even_frames(lengths.context_s);
    let mut segments = Vec::new();
    let mut start = 0;
    while start < frames {
        let mut end = (start + core).min(frames);
        if frames - end <= context {
            end = frames;
        }
        segments.push(Segment {
            core: start..end,
            heard: start.saturating_sub(context)..(end + context).min(frames),
        });
        start = end;
    }
    segments
}

/// Joins the sound of neighbouring pieces with a linear cross-fade centred on their border. Neighbours are nearly equal
/// there, so the fade keeps the level.
pub(super) struct Joiner {
    hop_samples: usize,
    half_fade: usize,
    tail: Vec<f32>,
}

impl Joiner {
    pub(super) fn new(hop_samples: usize, lengths: &SegmentLengths) -> Self {
        let rate_hz = hop_samples as f64 * f64::from(FRAMES_PER_S);
        Self {
            hop_samples,
            half_fade: (lengths.crossfade_s * rate_hz / 2.0).round() as usize,
            tail: Vec::new(),
        }
    }

    /// Takes the sound of a segment's heard part and returns what is ready.
    pub(super) fn join(&mut self, segment: &Segment, sound: &[f32]) -> Vec<f32> {
        let place = |frame: usize| (frame - segment.heard.start) * self.hop_samples;
        let is_first = segment.core.start == segment.heard.start;
        let is_last = segment.core.end == segment.heard.end;
        let start = place(segment.core.start);
        let end = place(segment.core.end);
        let from = if is_first {
            start
        } else {
            start - self.half_fade
        };
        let ready_end = if is_last { end } else { end - self.half_fade };
        let mut ready = sound[from..ready_end].to_vec();
        fade_over(&mut ready, &self.tail);
        self.tail = if is_last {
            Vec::new()
        } else {
            sound[ready_end..end + self.half_fade].to_vec()
        };
        ready
    }
}

/// Cross-fades the beginning of `new` linearly from `old`.
pub(super) fn fade_over(new: &mut [f32], old: &[f32]) {
    let fade = old.len() as f32;
    for (index, (new, old)) in new.iter_mut().zip(old).enumerate() {
        let share = (index as f32 + 0.5) / fade;
        *new = old + (*new - old) * share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: SegmentLengths = SegmentLengths {
        core_s: 1.0,
        context_s: 0.2,
        crossfade_s: 0.02,
    };

    #[test]
    fn the_cores_cover_the_track_without_gap_or_overlap() {
        for frames in [2, 18, 100, 118, 120, 122, 1_000, 1_234] {
            let segments = cut(frames, &LENGTHS);
            let mut next = 0;
            for segment in &segments {
                assert_eq!(segment.core.start, next);
                assert!(segment.core.start.is_multiple_of(2));
                assert!(segment.heard.end <= frames);
                next = segment.core.end;
            }
            assert_eq!(next, frames);
        }
    }

    #[test]
    fn pieces_of_one_sound_join_to_that_sound() {
        let sound: Vec<f32> = (0..523 * 2 * 160)
            .map(|index| (index as f32 * 0.01).sin())
            .collect();
        let mut joiner = Joiner::new(160, &LENGTHS);
        let mut joined = Vec::new();
        for segment in cut(sound.len() / 160, &LENGTHS) {
            let heard = &sound[segment.heard.start * 160..segment.heard.end * 160];
            joined.extend(joiner.join(&segment, heard));
        }
        assert_eq!(joined.len(), sound.len());
        let worst = joined
            .iter()
            .zip(&sound)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f32::max);
        assert!(worst < 1e-6, "{worst}");
    }
}
