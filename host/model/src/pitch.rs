/// Pitch frames per second, in every family.
pub(super) const FRAMES_PER_S: u32 = 100;

/// The lower and upper end of RVC's coarse pitch: 50 and 1,100 Hz in mels, as `coarse` has them.
const COARSE_MEL_LOW: f64 = 77.754_966_165_794_26;
const COARSE_MEL_HIGH: f64 = 1_064.408_233_163_639_4;

/// RVC's coarse pitch, 1 to 255, of a frequency in hertz (0 where unvoiced). From its `pipeline.py`: mel scale, stretched
/// to 254 steps, rounded half to even.
pub(super) fn coarse(f0_hz: f32) -> i64 {
    let mel = 1_127.0 * (1.0 + f64::from(f0_hz) / 700.0).ln();
    if mel <= 0.0 {
        return 1;
    }
    let step = (mel - COARSE_MEL_LOW) * 254.0 / (COARSE_MEL_HIGH - COARSE_MEL_LOW) + 1.0;
    step.clamp(1.0, 255.0).round_ties_even() as i64
}

/// The factor of a shift in semitones.
pub(super) fn shift_factor(semitones: f64) -> f32 {
    2.0_f64.powf(semitones / 12.0) as f32
}

/// Semitones that may bring a sound into a register: octaves, and fifths, which stay in tune with an accompaniment.
const REGISTER_SHIFTS: [f64; 9] = [-24.0, -19.0, -12.0, -7.0, 0.0, 7.0, 12.0, 19.0, 24.0];
/// The fewest voiced frames that tell a register: 0.3 s.
const FEWEST_VOICED: usize = 30;

/// The shift that brings the mean log pitch of a track in hertz, 0 where unvoiced, nearest to `mean_f0_hz`. `None` where that is not known,
/// or hardly anything is voiced.
pub(super) fn suggested_shift(f0_hz: &[f32], mean_f0_hz: f64) -> Option<f64> {
    let voiced = f0_hz.iter().filter(|f0| **f0 > 0.0);
    let (count, sum) = voiced.fold((0_usize, 0.0), |(count, sum), f0| {
        (count + 1, sum + f64::from(*f0).log2())
    });
    if count < FEWEST_VOICED || mean_f0_hz <= 0.0 {
        return None;
    }
    let wanted = 12.0 * (mean_f0_hz.log2() - sum / count as f64);
    let off = |shift: &f64| (shift - wanted).abs();
    let shifts = REGISTER_SHIFTS.into_iter();
    shifts.min_by(|a, b| off(a).total_cmp(&off(b)))
}

/// The phase of the fundamental at the start of each segment.
///
/// A decoder begins its sine at the given phase. The phase is summed in 64 bits over the whole track exactly as the decoder sums it inside
/// a segment (per frame, half-way to the next voiced frame's pitch), so that segments join as if there were only one. In 32 bits it would
/// be off by whole periods within a minute.
pub(super) struct PhaseClock<'f> {
    f0_hz: &'f [f32],
    frame: usize,
    cycles: f64,
}

impl<'f> PhaseClock<'f> {
    pub(super) fn new(f0_hz: &'f [f32]) -> Self {
        Self {
            f0_hz,
            frame: 0,
            cycles: 0.0,
        }
    }

    /// The phase after a frame of the pitch `now` that begins at the phase `cycles`; `next` is the pitch of the following frame.
    pub(super) fn after(cycles: f64, now: f32, next: Option<f32>) -> f64 {
        let next = next.filter(|next| now > 0.0 && *next > 0.0).unwrap_or(now);
        let mean = f64::midpoint(f64::from(now), f64::from(next));
        (cycles + mean / f64::from(FRAMES_PER_S)).fract()
    }

    /// The phase at the start of `frame`, as a fraction of a period. Frames must be asked for in rising order.
    pub(super) fn at(&mut self, frame: usize) -> f64 {
        while self.frame < frame {
            let next = self.f0_hz.get(self.frame + 1).copied();
            self.cycles = Self::after(self.cycles, self.f0_hz[self.frame], next);
            self.frame += 1;
        }
        self.cycles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_pitch_equals_the_published_vectors() {
        // Computed from RVC's formula with NumPy.
        for (hz, step) in [
            (0.0, 1),
            (49.0, 1),
            (50.0, 1),
            (51.0, 1),
            (55.0, 3),
            (100.0, 20),
            (110.0, 23),
            (220.0, 60),
            (440.0, 122),
            (880.0, 217),
            (1_100.0, 255),
            (1_200.0, 255),
        ] {
            assert_eq!(coarse(hz), step, "{hz} Hz");
        }
    }

    #[test]
    fn a_register_is_reached_by_octaves_and_fifths() {
        let shift = |own: f32, mean| suggested_shift(&[0.0, own, own].repeat(20), mean);
        for (own, mean, semitones) in [
            (110.0, 115.0, 0.0),
            (110.0, 220.0, 12.0),
            (110.0, 170.0, 7.0),
            (220.0, 75.0, -19.0),
            (100.0, 2_000.0, 24.0),
        ] {
            assert_eq!(shift(own, mean), Some(semitones), "{own} to {mean} Hz");
        }
        assert_eq!(shift(110.0, 0.0), None, "a voice of which nothing is known");
        assert_eq!(suggested_shift(&[110.0; 29], 220.0), None);
        assert_eq!(suggested_shift(&[0.0; 900], 220.0), None);
    }

    #[test]
    fn twelve_semitones_are_an_octave() {
        assert!((shift_factor(12.0) - 2.0).abs() < 1e-6);
        assert!((shift_factor(-24.0) - 0.25).abs() < 1e-6);
    }

    #[test]
    fn the_phase_of_a_steady_tone_is_its_frequency_times_time() {
        let f0 = vec![123.4_f32; 360_001];
        let phase = PhaseClock::new(&f0).at(360_000);
        let expected = (f64::from(123.4_f32) * 3_600.0).fract();
        assert!((phase - expected).abs() < 1e-6, "{phase} {expected}");
    }

    #[test]
    fn the_phase_stands_still_where_nothing_is_voiced() {
        let f0 = [100.0, 100.0, 0.0, 0.0, 0.0];
        let mut clock = PhaseClock::new(&f0);
        let start = clock.at(2);
        assert_eq!(clock.at(5).to_bits(), start.to_bits());
    }
}
