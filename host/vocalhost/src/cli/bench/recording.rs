use std::f64::consts::TAU;
use std::path::Path;

use vocalhost_audio::{Block, EncodeError, WavSamples, WavWriter};

/// Frames per second, as music mostly has.
const RATE_HZ: u32 = 44_100;
/// Seconds from one syllable and one chord to the next.
const SYLLABLE_S: f64 = 0.4;
const CHORD_S: f64 = 2.0;
/// The notes of the melody, in semitones from its lowest.
const MELODY: [f64; 8] = [0.0, 2.0, 4.0, 7.0, 9.0, 7.0, 4.0, 2.0];
/// The lowest notes of the chords.
const ROOTS_HZ: [f64; 4] = [110.0, 87.3, 130.8, 98.0];

/// Writes a made song of so many seconds: a voice of harmonics that sings in syllables with rests, chords that stand wide, a drum of
/// noise on every beat. Nothing in it is random but a fixed noise, so that every run works on the same samples.
pub fn write(path: &Path, seconds: f64) -> Result<(), EncodeError> {
    let mut writer = WavWriter::create_as(WavSamples::Int16, path, 2, RATE_HZ)?;
    let frames = (seconds * f64::from(RATE_HZ)) as usize;
    let mut noise = Noise(1);
    let mut phase = 0.0;
    for start in (0..frames).step_by(vocalhost_audio::BLOCK_FRAMES) {
        let end = (start + vocalhost_audio::BLOCK_FRAMES).min(frames);
        let mut sides = [Vec::new(), Vec::new()];
        for frame in start..end {
            let at_s = frame as f64 / f64::from(RATE_HZ);
            let voice = voice(at_s, &mut phase);
            let drum = noise.next() * (-(at_s % (2.0 * SYLLABLE_S)) * 30.0).exp() * 0.3;
            let [left, right] = chord(at_s);
            sides[0].push((voice + drum + left) as f32);
            sides[1].push((voice + drum + right) as f32);
        }
        writer.write(&Block::from_planar(2, sides.concat()))?;
    }
    writer.finish()
}

/// Eleven harmonics under one formant, silent at the end of every syllable and in every fourth.
fn voice(at_s: f64, phase: &mut f64) -> f64 {
    let syllable = at_s / SYLLABLE_S;
    let note = MELODY[syllable as usize % MELODY.len()];
    let f0_hz = 180.0 * (note / 12.0).exp2() * (1.0 + 0.006 * (TAU * 5.5 * at_s).sin());
    *phase = (*phase + f0_hz / f64::from(RATE_HZ)).fract();
    if syllable as usize % 4 == 3 {
        return 0.0;
    }
    let formant_hz = 500.0 + 300.0 * (syllable * 0.9).sin();
    let harmonics = (1..12).map(|number| {
        let hz = f0_hz * f64::from(number);
        let level = 1.0 / (1.0 + ((hz - formant_hz) / 250.0).powi(2)) + 0.02;
        level * (TAU * f64::from(number) * *phase).sin()
    });
    let envelope = (std::f64::consts::PI * syllable.fract()).sin().powf(0.5);
    0.2 * envelope * harmonics.sum::<f64>()
}

/// Three notes, the second a little later on the right.
fn chord(at_s: f64) -> [f64; 2] {
    let root_hz = ROOTS_HZ[(at_s / CHORD_S) as usize % ROOTS_HZ.len()];
    let note = |semitones: f64, late_s: f64| {
        let hz = root_hz * (semitones / 12.0).exp2();
        let turn = (hz * (at_s - late_s)).fract();
        0.06 * (2.0 * turn - 1.0)
    };
    [0.0, 0.004].map(|late_s| note(0.0, 0.0) + note(4.0, late_s) + note(7.0, 2.0 * late_s))
}

/// Numerical Recipes' quick generator (2nd edition, section 7.1), from -1 to 1.
struct Noise(u32);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0) / f64::from(u32::MAX) * 2.0 - 1.0
    }
}
