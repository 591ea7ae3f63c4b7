use vocalhost_fourier::forward_f64;

use super::rig::SAMPLE_RATE_HZ;
use super::rig::{Rig, tone};
use crate::KitError;
use crate::levels::decibels;

/// How many harmonics are measured, the tone itself being the first.
pub const HARMONICS: usize = 10;

/// Frames that are looked at: one second, so that a bin is 1 Hz.
const MEASURED_FRAMES: usize = SAMPLE_RATE_HZ as usize;
/// Seconds before the measurement: level followers have settled, and echoes have arrived.
const SETTLING_S: usize = 5;

/// Measures the level of each harmonic of a sine of 1 kHz at -6 dBFS, in dBFS.
///
/// The window attenuates what is not harmonic, such as the shifted tone of a pitch shifter, by 92 dB.
pub(super) fn measure(rig: Rig) -> Result<Vec<f64>, KitError> {
    let sound = tone(0.5, (SETTLING_S + 1) * MEASURED_FRAMES);
    let answer = rig.run(&sound)?.left;
    let window = blackman_harris(MEASURED_FRAMES);
    let fft = forward_f64(MEASURED_FRAMES);
    let settled = &answer[SETTLING_S * MEASURED_FRAMES..];
    let mut windowed: Vec<f64> = settled
        .iter()
        .zip(&window)
        .map(|(sample, weight)| f64::from(*sample) * weight)
        .collect();
    let mut spectrum = fft.make_output_vec();
    fft.process(&mut windowed, &mut spectrum)
        .expect("the buffers have the lengths of the plan");
    let scale = 2.0 / window.iter().sum::<f64>();
    let harmonics =
        (1..=HARMONICS).map(|harmonic| decibels(scale * spectrum[harmonic * 1_000].norm()));
    Ok(harmonics.collect())
}

/// The window of four terms with the lowest side lobes (F. J. Harris, "On the use of windows for harmonic analysis with
/// the discrete Fourier transform", Proc. IEEE 66 (1), 1978).
fn blackman_harris(frames: usize) -> Vec<f64> {
    const TERMS: [f64; 4] = [0.358_75, -0.488_29, 0.141_28, -0.011_68];
    let turn = std::f64::consts::TAU / frames as f64;
    (0..frames)
        .map(|frame| {
            let terms = TERMS.iter().enumerate();
            terms
                .map(|(order, term)| term * (turn * (order * frame) as f64).cos())
                .sum()
        })
        .collect()
}
