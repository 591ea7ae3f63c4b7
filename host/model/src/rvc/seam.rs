/// Half the length of the cross-fade of neighbouring pieces.
const HALF_FADE_S: f64 = 0.005;

/// Concatenates the sounds of pieces. The padding of each piece is cut off, except for a few milliseconds over which
/// neighbours are cross-faded, if that is wanted.
pub(super) struct Seam {
    pad: usize,
    half_fade: usize,
    tail: Vec<f32>,
    is_first: bool,
}

impl Seam {
    /// For pieces that carry `pad` samples of padding at both ends.
    pub(super) fn new(pad: usize, sample_rate_hz: u32, cross_fade: bool) -> Self {
        let half_fade = (HALF_FADE_S * f64::from(sample_rate_hz)).round() as usize;
        Self {
            pad,
            half_fade: if cross_fade { half_fade.min(pad) } else { 0 },
            tail: Vec::new(),
            is_first: true,
        }
    }

    /// Takes the sound of the next piece and returns what is ready.
    pub(super) fn join(&mut self, sound: &[f32], is_last: bool) -> Vec<f32> {
        let end = sound.len().saturating_sub(self.pad).max(self.pad);
        let from = if self.is_first {
            self.pad
        } else {
            self.pad - self.half_fade
        };
        let to = if is_last { end } else { end - self.half_fade };
        let mut ready = sound.get(from..to).unwrap_or_default().to_vec();
        let length = self.tail.len() as f32;
        for (place, (new, old)) in ready.iter_mut().zip(&self.tail).enumerate() {
            let share = (place as f32 + 0.5) / length;
            *new = old + (*new - old) * share;
        }
        let kept = to..(end + self.half_fade).min(sound.len());
        self.tail = sound.get(kept).unwrap_or_default().to_vec();
        self.is_first = false;
        ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAD: usize = 100;

    fn join(sound: &[f32], cuts: &[usize], cross_fade: bool) -> Vec<f32> {
        let mut seam = Seam::new(PAD, 4_000, cross_fade);
        let borders: Vec<usize> = [0]
            .into_iter()
            .chain(cuts.iter().copied())
            .chain([sound.len() - 2 * PAD])
            .collect();
        let pieces = borders.windows(2).map(|border| {
            let is_last = border[1] == sound.len() - 2 * PAD;
            seam.join(&sound[border[0]..border[1] + 2 * PAD], is_last)
        });
        pieces.flatten().collect()
    }

    #[test]
    fn pieces_of_one_sound_join_to_that_sound() {
        let sound: Vec<f32> = (0..1_200)
            .map(|place| (place as f32 * 0.05).sin())
            .collect();
        for cross_fade in [false, true] {
            let joined = join(&sound, &[300, 620], cross_fade);
            let whole = &sound[PAD..sound.len() - PAD];
            assert_eq!(joined.len(), whole.len());
            let same = joined.iter().zip(whole).all(|(a, b)| (a - b).abs() < 1e-6);
            assert!(same, "{cross_fade}");
        }
    }

    #[test]
    fn a_cross_fade_goes_from_one_piece_to_the_next_without_a_step() {
        let mut seam = Seam::new(PAD, 4_000, true);
        let mut joined = seam.join(&[0.0; 400], false);
        joined.extend(seam.join(&[1.0; 400], true));
        assert_eq!(joined.len(), 400);
        let steepest = joined.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(steepest.fold(0.0, f32::max) < 0.03);
        let mut seam = Seam::new(PAD, 4_000, false);
        let mut joined = seam.join(&[0.0; 400], false);
        joined.extend(seam.join(&[1.0; 400], true));
        assert_eq!(joined.iter().sum::<f32>().to_bits(), 200.0_f32.to_bits());
    }
}
