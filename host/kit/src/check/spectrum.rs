use vocalhost_fourier::num_complex::Complex;
use vocalhost_fourier::{forward_f64, inverse_f64};

/// How far `answer` lags behind `sound` where the two are most alike, in frames, and how much alike they are there: the
/// magnitude of the normalised cross-correlation, 1 for a copy at any gain and either polarity.
///
/// The correlation is computed by the transform (`J. O. Smith, Mathematics of the DFT`, cross-correlation theorem); the
/// part of the answer that each lag compares with is normalised by its own energy.
pub(super) fn likeness(sound: &[f32], answer: &[f32]) -> (usize, f64) {
    let lags = answer.len() - sound.len() + 1;
    let length = (answer.len() + sound.len()).next_power_of_two();
    let correlation = correlation(sound, answer, length);
    let energy = |samples: &[f32]| -> f64 {
        samples
            .iter()
            .map(|sample| f64::from(*sample).powi(2))
            .sum()
    };
    let ours = energy(sound);
    let mut theirs = energy(&answer[..sound.len()]);
    let whole = energy(answer);
    let mut best = (0, 0.0);
    for lag in 0..lags {
        // Rounding leaves a little of what was added and subtracted again, so next to nothing counts as nothing.
        let alike = if theirs > 1e-9 * whole {
            correlation[lag].abs() / (ours * theirs).sqrt()
        } else {
            0.0
        };
        if alike > best.1 {
            best = (lag, alike);
        }
        let leaving = f64::from(answer[lag]).powi(2);
        let coming = answer
            .get(lag + sound.len())
            .map_or(0.0, |sample| f64::from(*sample).powi(2));
        theirs += coming - leaving;
    }
    best
}

fn correlation(sound: &[f32], answer: &[f32], length: usize) -> Vec<f64> {
    let forward = forward_f64(length);
    let backward = inverse_f64(length);
    let transform = |samples: &[f32]| -> Vec<Complex<f64>> {
        let mut padded = vec![0.0; length];
        for (target, sample) in padded.iter_mut().zip(samples) {
            *target = f64::from(*sample);
        }
        let mut spectrum = forward.make_output_vec();
        forward
            .process(&mut padded, &mut spectrum)
            .expect("the plan's own lengths");
        spectrum
    };
    let mut product: Vec<Complex<f64>> = transform(sound)
        .iter()
        .zip(transform(answer))
        .map(|(sound, answer)| sound.conj() * answer)
        .collect();
    // The first and the last are real except for rounding, and the inverse requires it.
    product[0].im = 0.0;
    if let Some(last) = product.last_mut() {
        last.im = 0.0;
    }
    let mut correlation = backward.make_output_vec();
    backward
        .process(&mut product, &mut correlation)
        .expect("the plan's own lengths");
    correlation
        .iter()
        .map(|value| value / length as f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::signals::white;

    #[test]
    fn a_copy_is_found_at_its_lag_whatever_its_gain() {
        let noise = white(1, 4_096);
        let sound = noise.channel(0);
        for (lag, gain) in [(0, 1.0), (1, -0.01), (700, 30.0)] {
            let mut answer = vec![0.0; 6_000];
            for (target, sample) in answer[lag..].iter_mut().zip(sound) {
                *target = gain * sample;
            }
            let (found, alike) = likeness(sound, &answer);
            assert_eq!(found, lag);
            assert!((alike - 1.0).abs() < 1e-6, "{alike}");
        }
    }

    #[test]
    fn other_noise_and_silence_are_not_alike() {
        let (ours, theirs) = (white(2, 4_096), vec![0.0; 6_000]);
        assert!(likeness(ours.channel(0), &theirs).1 < 0.01);
        let (_, alike) = likeness(
            ours.channel(0),
            &[ours.channel(1), ours.channel(1)].concat(),
        );
        assert!(alike < 0.2, "{alike}");
    }
}
