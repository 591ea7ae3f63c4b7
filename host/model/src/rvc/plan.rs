use std::ops::Range;

use crate::content::frames_of;
use crate::sections::Framing;

use super::cuts::HOP;

/// A piece of a recording; positions are in the padded recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// The samples that the content encoder hears.
    pub(super) heard: Range<usize>,
    /// Number of the first pitch frame.
    pub(super) first_frame: usize,
    /// Frames that the voice decodes.
    pub(super) frames: usize,
}

/// How a recording is cut into pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    /// The pieces, in order.
    pub(super) pieces: Vec<Piece>,
    /// Pitch frames of the recording with its padding.
    pub(super) frames: usize,
    /// Samples added before the recording.
    pub(super) pad: usize,
    /// Samples added after the recording.
    pub(super) tail: usize,
}

impl Plan {
    /// Cuts a recording of `length` samples at `cuts`, as RVC's `pipeline.py` does: each piece includes `pad` samples beyond both of its
    /// ends, and all but the last include one hop more at their end.
    ///
    /// A content encoder gives a vector per 20 ms, and none for an incomplete last window. The original decodes as many frames as it has
    /// content for, one or two fewer than it has pitch for. With `exact`, the encoder hears as much more as is needed for every piece to be
    /// as long as the sound between its cuts.
    pub(super) fn new(
        length: usize,
        cuts: &[usize],
        pad: usize,
        framing: Framing,
        exact: bool,
    ) -> Self {
        let whole = if exact {
            length.next_multiple_of(HOP)
        } else {
            length
        };
        let tail = pad + whole - length;
        let padded = whole + 2 * pad;
        let all_frames = padded / HOP;
        let starts = std::iter::once(0).chain(cuts.iter().copied());
        let ends = cuts.iter().map(Some).chain([None]);
        let pieces = starts.zip(ends).map(|(start, end)| {
            let (end, last_frame) = match end {
                Some(end) => (
                    (end + 2 * pad + HOP).min(padded),
                    (end + 2 * pad).min(padded) / HOP,
                ),
                None => (padded, all_frames),
            };
            let first_frame = start / HOP;
            let wanted = last_frame - first_frame;
            let mut heard = start..end;
            if exact {
                heard.end = heard.end.max(start + samples_for(wanted, framing));
            }
            Piece {
                frames: wanted.min(2 * frames_of(heard.len(), framing)),
                heard,
                first_frame,
            }
        });
        Self {
            pieces: pieces.collect(),
            frames: all_frames,
            pad,
            tail,
        }
    }

    /// Samples of the whole result at `upp` samples per frame.
    pub(super) fn output_samples(&self, upp: usize) -> u64 {
        let padding = 2 * self.pad / HOP;
        let frames: usize = self
            .pieces
            .iter()
            .map(|piece| piece.frames.saturating_sub(padding))
            .sum();
        (frames * upp) as u64
    }
}

/// Samples that an encoder must hear to give content for `frames` pitch frames.
fn samples_for(frames: usize, framing: Framing) -> usize {
    let vectors = frames.div_ceil(2);
    match framing {
        Framing::Whole => vectors * 320,
        Framing::Inside => vectors.saturating_sub(1) * 320 + 400,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAD: usize = 16_000;

    #[test]
    fn the_original_loses_a_frame_or_two_at_every_cut() {
        // 100 s at 16 kHz became 99.98 s with the original, measured.
        let plan = Plan::new(1_600_000, &[], PAD, Framing::Inside, false);
        assert_eq!(plan.output_samples(160), 1_600_000 - 2 * 160);
        let plan = Plan::new(1_600_000, &[640_160], PAD, Framing::Inside, false);
        let frames: Vec<usize> = plan.pieces.iter().map(|piece| piece.frames).collect();
        // Frames heard are even in the first piece and odd in the second one.
        assert_eq!(frames, [4_200, 6_198]);
        assert_eq!(plan.pieces[1].heard, 640_160..1_632_000);
    }

    #[test]
    fn an_exact_plan_is_as_long_as_the_recording_wherever_it_is_cut() {
        for framing in [Framing::Inside, Framing::Whole] {
            for length in [1, 159, 160, 161, 16_000, 50_001, 99_999] {
                for cuts in [vec![], vec![160], vec![160, 480], vec![320, 640, 16_160]] {
                    let cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < length).collect();
                    let plan = Plan::new(length, &cuts, PAD, framing, true);
                    let expected = length.div_ceil(160) * 320;
                    assert_eq!(
                        plan.output_samples(320),
                        expected as u64,
                        "{length} {cuts:?}"
                    );
                }
            }
        }
    }
}
