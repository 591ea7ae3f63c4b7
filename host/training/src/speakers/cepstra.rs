use std::f64::consts::PI;

use vocalhost_fourier::forward;

use crate::ANALYSIS_RATE_HZ;

/// Values of a frame: the cepstrum without its first coefficient, the level.
pub const NUMBERS: usize = 19;
/// The cepstrum of 20 ms of speech.
pub type Frame = [f64; NUMBERS];
/// Samples from frame to frame: 20 ms, as content has them.
const HOP: usize = 640;
/// Samples of a transform.
const LENGTH: usize = 1_024;
/// Bands of the spectrum, and their range in hertz, which every recording for training covers.
const BANDS: usize = 40;
const LOWEST_HZ: f64 = 50.0;
const HIGHEST_HZ: f64 = 5_000.0;
/// The share of each band's mean that is added to it, so that noise below it makes no difference, nor do microphones.
const FLOOR_RATIO: f64 = 0.01;
/// How far below the loudest frame a frame is silent, as power: 30 dB.
const SILENT_RATIO: f64 = 1e-3;

/// The cepstra of sound at the rate of the analysis, for the first `most` frames; none for silent frames. Levels and filters, such as
/// microphones, add a constant to all of them.
pub fn cepstra(samples: &[f32], most: usize) -> Vec<Option<Frame>> {
    let plan = forward(LENGTH);
    let (mut input, mut bins) = (plan.make_input_vec(), plan.make_output_vec());
    let filters = filters();
    let highest = LENGTH * 8_000 / ANALYSIS_RATE_HZ as usize;
    let window: Vec<f32> = (0..LENGTH)
        .map(|place| {
            let angle = std::f32::consts::TAU * place as f32 / LENGTH as f32;
            0.5 - 0.5 * angle.cos()
        })
        .collect();
    let count = most.min(samples.len() / HOP);
    let mut heard: Vec<(f64, Vec<f64>)> = Vec::with_capacity(count);
    for frame in 0..count {
        // The transform is centred on the frame.
        let first = (frame * HOP) as isize - ((LENGTH - HOP) / 2) as isize;
        for (place, (to, weight)) in input.iter_mut().zip(&window).enumerate() {
            let at = usize::try_from(first + place as isize).ok();
            let sample = at.and_then(|at| samples.get(at)).copied();
            *to = weight * sample.unwrap_or(0.0);
        }
        if plan.process(&mut input, &mut bins).is_err() {
            break;
        }
        let power = |bin: usize| f64::from(bins[bin].norm_sqr());
        let bands = filters.iter().map(|filter| {
            let weighted = filter.iter().map(|(bin, weight)| weight * power(*bin));
            weighted.sum::<f64>()
        });
        heard.push(((0..=highest).map(power).sum(), bands.collect()));
    }
    let loudest = heard.iter().map(|(power, _)| *power).fold(0.0, f64::max);
    let sounds = |power: f64| loudest > 0.0 && power > loudest * SILENT_RATIO;
    let floors = floors(heard.iter().filter(|(power, _)| sounds(*power)));
    let waves = waves();
    let frame = |(power, bands): (f64, Vec<f64>)| {
        sounds(power).then(|| {
            let logarithms = bands
                .iter()
                .zip(&floors)
                .map(|(band, floor)| (band + floor).ln());
            let logarithms: Vec<f64> = logarithms.collect();
            waves.each_ref().map(|wave| {
                let products = wave.iter().zip(&logarithms).map(|(a, b)| a * b);
                products.sum()
            })
        })
    };
    heard.into_iter().map(frame).collect()
}

/// What is added to each band.
fn floors<'b>(sounding: impl Iterator<Item = &'b (f64, Vec<f64>)>) -> [f64; BANDS] {
    let (mut sums, mut count) = ([0.0; BANDS], 0_u32);
    for (_, bands) in sounding {
        sums.iter_mut()
            .zip(bands)
            .for_each(|(sum, band)| *sum += band);
        count += 1;
    }
    sums.map(|sum| FLOOR_RATIO * sum / f64::from(count.max(1)) + f64::MIN_POSITIVE)
}

/// Triangles on the mel scale, each of unit sum: bins and their weights.
fn filters() -> Vec<Vec<(usize, f64)>> {
    let to_mel = |hz: f64| 2_595.0 * (1.0 + hz / 700.0).log10();
    let from_mel = |mel: f64| 700.0 * (10.0_f64.powf(mel / 2_595.0) - 1.0);
    let step = (to_mel(HIGHEST_HZ) - to_mel(LOWEST_HZ)) / (BANDS + 1) as f64;
    let point = |place: usize| from_mel(to_mel(LOWEST_HZ) + place as f64 * step);
    let per_bin = f64::from(ANALYSIS_RATE_HZ) / LENGTH as f64;
    let filter = |band: usize| {
        let [low, middle, high] = [point(band), point(band + 1), point(band + 2)];
        let weights = (0..LENGTH / 2).map(|bin| {
            let hz = bin as f64 * per_bin;
            let weight = ((hz - low) / (middle - low)).min((high - hz) / (high - middle));
            (bin, weight)
        });
        let weights: Vec<(usize, f64)> = weights.filter(|(_, weight)| *weight > 0.0).collect();
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let scaled = weights
            .into_iter()
            .map(|(bin, weight)| (bin, weight / (sum + 1e-8)));
        scaled.collect()
    };
    (0..BANDS).map(filter).collect()
}

/// The cosine transform of the bands, from its second row on.
fn waves() -> [[f64; BANDS]; NUMBERS] {
    std::array::from_fn(|number| {
        std::array::from_fn(|band| {
            let angle = PI * (number + 1) as f64 * (band as f64 + 0.5) / BANDS as f64;
            angle.cos() * (2.0 / BANDS as f64).sqrt()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_and_a_filter_add_the_same_to_all_frames() {
        let mut state = 1_u64;
        let mut draw = || {
            state = (state * 1_103_515_245 + 12_345) % (1 << 31);
            state as f32 / (1_u64 << 30) as f32 - 1.0
        };
        let loud = |place: u32| 0.1 + 0.05 * (place as f32 / 4_000.0).sin();
        let plain: Vec<f32> = (0..64_000).map(|place| loud(place) * draw()).collect();
        // Louder, and softer towards high frequencies.
        let mut last = 0.0;
        let filtered: Vec<f32> = plain
            .iter()
            .map(|sample| {
                let sum = 2.0 * (sample + 0.5 * last);
                last = *sample;
                sum
            })
            .collect();
        let heard = |samples: &[f32]| -> Vec<Frame> {
            let frames = cepstra(samples, 90);
            assert_eq!(frames.len(), 90);
            frames.into_iter().flatten().collect()
        };
        let (plain, filtered) = (heard(&plain), heard(&filtered));
        assert_eq!((plain.len(), filtered.len()), (90, 90));
        let apart = |number: usize| {
            let apart = plain
                .iter()
                .zip(&filtered)
                .map(|(a, b)| a[number] - b[number]);
            let (least, most) = apart.fold((f64::MAX, f64::MIN), |(least, most), one| {
                (least.min(one), most.max(one))
            });
            (least, most)
        };
        let (least, most) = apart(0);
        assert!(most - least < 0.05 && least.abs() > 0.2, "{least} {most}");
        let silent = cepstra(&vec![0.0; 6_400], 90);
        assert!(silent.iter().all(Option::is_none) && silent.len() == 10);
    }
}
