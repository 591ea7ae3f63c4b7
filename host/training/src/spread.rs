//! The variance of a voice's curves, and weights whose curves vary as much.
//!
//! Where a network is uncertain it gives the mean of all possible curves, and so its curves are flatter than the voice's own. The
//! statistics of both tell by how much: "A Speech Parameter Generation Algorithm Considering Global Variance for HMM-Based Speech
//! Synthesis", Toda and Tokuda 2007. This is its simplest form, an affine map of each band. It is applied only to the harmonic part: the
//! noise also forms consonants, and single words became worse (`docs/training.md`).

use crate::batches::Batch;
use crate::envelope::{BANDS, Sizes};

const BAND_COUNT: usize = BANDS as usize;

/// Frames whose mean gain is this far below the loudest ones, in nepers, are ignored: 26 dB.
const QUIET: f32 = 3.0;
/// The share of frames above the level that counts as loud.
const LOUDEST_SHARE: f64 = 0.05;
/// The least number of frames for a reliable variance.
const FEWEST_FRAMES: usize = 200;
/// A network is less certain about other people's speech than about its training data, so its curves are flatter still. With this extra
/// factor all four voices of `docs/training.md` came closer to their persons; with twice the extra no further.
const OF_OTHERS: f64 = 1.15;
/// The factors by which a band may be widened: it is never made narrower.
const WIDENED: std::ops::RangeInclusive<f64> = 1.0..=1.6;
/// Statistics are averaged over so many bands on either side: neighbours overlap, and frames are few.
const NEIGHBOURS: usize = 2;

/// Collects the curves of the harmonic part in frames with a pitch, both the network's and the recorded ones.
#[derive(Debug, Default)]
pub struct Spread {
    drawn: Vec<[f32; BAND_COUNT]>,
    recorded: Vec<[f32; BAND_COUNT]>,
}

impl Spread {
    /// Adds a network's curves for a batch of stretches of so many frames: `[batch, 64, frames]`, like the recorded ones in the batch.
    pub fn add(&mut self, batch: &Batch, drawn: &[f32], frames: usize) {
        for stretch in 0..batch.pitched.len() / frames {
            for frame in 0..frames {
                let counts = batch.weight[stretch * BAND_COUNT * frames + frame] > 0.0;
                if !counts || batch.pitched[stretch * frames + frame] <= 0.0 {
                    continue;
                }
                let of = |curves: &[f32]| {
                    let at = |band| curves[(stretch * BAND_COUNT + band) * frames + frame];
                    std::array::from_fn(at)
                };
                self.drawn.push(of(drawn));
                self.recorded.push(of(&batch.wanted_harmonic));
            }
        }
    }

    /// The weights of a network of these sizes whose curves vary as much as the recorded ones. Only the last layer changes; the level of a
    /// frame stays.
    #[must_use]
    pub fn widened(&self, sizes: &Sizes, weights: &[f32]) -> Vec<f32> {
        let mut widened = weights.to_vec();
        let Some(map) = self.map() else {
            return widened;
        };
        let width = sizes.width as usize;
        let (result, style) = (2 * BAND_COUNT * width, sizes.style() as usize);
        let place = widened.len() - (result + 2 * BAND_COUNT + style);
        let (matrix, rest) = widened[place..].split_at_mut(result);
        let (bias, style) = rest.split_at_mut(2 * BAND_COUNT);
        // The harmonic part comes first.
        for column in 0..width {
            let values = std::array::from_fn(|band| f64::from(matrix[band * width + column]));
            for (band, value) in map.widened(&values).into_iter().enumerate() {
                matrix[band * width + column] = value as f32;
            }
        }
        // The last numbers of the style are added to the bias.
        let of_style = &style[style.len() - 2 * BAND_COUNT..];
        let added: [f64; BAND_COUNT] = std::array::from_fn(|band| f64::from(of_style[band]));
        let values = std::array::from_fn(|band| f64::from(bias[band]) + added[band]);
        let moved = map.widened(&values).into_iter().zip(map.moved()).zip(added);
        for (to, ((value, offset), added)) in bias.iter_mut().zip(moved) {
            *to = (value + offset - added) as f32;
        }
        widened
    }

    /// How the network's shapes have to change; none where too few frames sound.
    fn map(&self) -> Option<Map> {
        let level = |curve: &[f32; BAND_COUNT]| curve.iter().sum::<f32>() / BANDS as f32;
        let levels: Vec<f32> = self.recorded.iter().map(level).collect();
        let mut ordered = levels.clone();
        ordered.sort_by(f32::total_cmp);
        let loud = (ordered.len() as f64 * (1.0 - LOUDEST_SHARE)) as usize;
        let least = ordered.get(loud)? - QUIET;
        let sounding = |curves: &[[f32; BAND_COUNT]]| {
            let frames = curves.iter().zip(&levels);
            let sounding = frames.filter(|(_, level)| **level > least);
            sounding
                .map(|(curve, _)| *curve)
                .collect::<Vec<[f32; BAND_COUNT]>>()
        };
        let (drawn, recorded) = (sounding(&self.drawn), sounding(&self.recorded));
        if drawn.len() < FEWEST_FRAMES {
            return None;
        }
        let ((drawn, narrow), (recorded, wide)) = (statistics(&drawn), statistics(&recorded));
        let ratio: [f64; BAND_COUNT] =
            std::array::from_fn(|band| wide[band] / narrow[band].max(1e-6));
        let width = std::array::from_fn(|band: usize| {
            let first = band.saturating_sub(NEIGHBOURS);
            let near = &ratio[first..(band + NEIGHBOURS + 1).min(BAND_COUNT)];
            let mean = near.iter().sum::<f64>() / near.len() as f64;
            (OF_OTHERS * mean).clamp(*WIDENED.start(), *WIDENED.end())
        });
        Some(Map {
            width,
            drawn,
            recorded,
        })
    }
}

/// The map of a curve's shape, that is of the curve less its mean.
struct Map {
    width: [f64; BAND_COUNT],
    drawn: [f64; BAND_COUNT],
    recorded: [f64; BAND_COUNT],
}

impl Map {
    /// The linear part: the mean of the values stays, and the deviations from it are widened.
    fn widened(&self, values: &[f64; BAND_COUNT]) -> [f64; BAND_COUNT] {
        let mean = mean_of(values);
        let wide = std::array::from_fn(|band| self.width[band] * (values[band] - mean));
        let left = mean_of(&wide);
        wide.map(|value| mean + value - left)
    }

    /// The offset then added, so that the mean shape is that of the recordings.
    fn moved(&self) -> [f64; BAND_COUNT] {
        let offset =
            std::array::from_fn(|band| self.recorded[band] - self.width[band] * self.drawn[band]);
        let left = mean_of(&offset);
        offset.map(|value| value - left)
    }
}

fn mean_of(values: &[f64; BAND_COUNT]) -> f64 {
    values.iter().sum::<f64>() / BAND_COUNT as f64
}

/// The mean and the standard deviation of the shapes of curves in each band.
fn statistics(curves: &[[f32; BAND_COUNT]]) -> ([f64; BAND_COUNT], [f64; BAND_COUNT]) {
    let (mut sum, mut square) = ([0.0; BAND_COUNT], [0.0; BAND_COUNT]);
    for curve in curves {
        let curve = curve.map(f64::from);
        let mean = mean_of(&curve);
        for band in 0..BAND_COUNT {
            let value = curve[band] - mean;
            sum[band] += value;
            square[band] += value * value;
        }
    }
    let count = curves.len() as f64;
    let mean = sum.map(|sum| sum / count);
    let deviation = std::array::from_fn(|band: usize| {
        let variance = square[band] / count - mean[band] * mean[band];
        variance.max(0.0).sqrt()
    });
    (mean, deviation)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Curves that swing by so much around a shape, all frames at a level of their own.
    fn curves(swing: f32, tilt: f32, frames: usize) -> Vec<f32> {
        let at = |band: usize, frame: usize| {
            let place = band as f32 / BANDS as f32 - 0.5;
            let wave = ((frame * 7 + band * band) as f32).sin();
            -3.0 + (frame as f32 * 0.1).sin() + tilt * place + swing * wave
        };
        let bands = 0..BAND_COUNT;
        bands
            .flat_map(|band| (0..frames).map(move |frame| at(band, frame)))
            .collect()
    }

    fn batch(frames: usize) -> Batch {
        Batch {
            wanted_harmonic: curves(1.0, 2.0, frames),
            pitched: vec![1.0; frames],
            weight: vec![1.0; BAND_COUNT * frames],
            ..Batch::default()
        }
    }

    #[test]
    fn narrow_curves_are_widened_to_those_recorded_and_wide_ones_stay() {
        let frames = 1_000;
        let mut spread = Spread::default();
        let narrow = curves(0.8, 1.0, frames);
        spread.add(&batch(frames), &narrow, frames);
        let map = spread.map().expect("it sounds");
        let width = 1.25 * OF_OTHERS;
        assert!(map.width.iter().all(|got| (got - width).abs() < 0.01));
        let values = std::array::from_fn(|band| f64::from(narrow[band * frames + 5]));
        let became = map.widened(&values).into_iter().zip(map.moved());
        let of_frame = |curves: &[f32]| -> [f64; BAND_COUNT] {
            std::array::from_fn(|band| f64::from(curves[band * frames + 5]))
        };
        let wanted = of_frame(&batch(frames).wanted_harmonic);
        let mean = mean_of(&wanted);
        for (band, (value, offset)) in became.enumerate() {
            // As far from the mean shape as in the recording, and the share for others more.
            let usual = mean + map.recorded[band];
            let wanted = usual + OF_OTHERS * (wanted[band] - usual);
            assert!((value + offset - wanted).abs() < 0.1, "band {band}");
        }
        let mut spread = Spread::default();
        spread.add(&batch(frames), &curves(1.6, 0.0, frames), frames);
        let map = spread.map().expect("it sounds");
        assert!(map.width.iter().all(|width| *width < 1.0 + 1e-9));
    }

    #[test]
    fn the_last_layer_draws_what_the_map_says_and_the_others_stay() {
        let frames = 300;
        let mut spread = Spread::default();
        let narrow = curves(0.8, 1.0, frames);
        spread.add(&batch(frames), &narrow, frames);
        let sizes = Sizes {
            width: 2,
            dilations: vec![1],
        };
        let count: u64 = sizes
            .weights()
            .iter()
            .map(|(_, shape)| shape.iter().product::<u64>())
            .sum();
        let weights: Vec<f32> = (0..count).map(|at| ((at * at) as f32).sin()).collect();
        let widened = spread.widened(&sizes, &weights);
        let style = sizes.style() as usize;
        let last = 2 * BAND_COUNT * 2 + 2 * BAND_COUNT;
        let first = weights.len() - style - last;
        assert_eq!(widened[..first], weights[..first]);
        assert_eq!(widened[first + last..], weights[first + last..]);
        // What the layer gives of one hidden frame.
        let drawn = |weights: &[f32], part: usize| -> [f64; BAND_COUNT] {
            let bias = &weights[first + 2 * BAND_COUNT * 2..];
            let of_style = &weights[weights.len() - 2 * BAND_COUNT..];
            std::array::from_fn(|band| {
                let row = part * BAND_COUNT + band;
                let matrix = &weights[first + row * 2..];
                f64::from(0.3 * matrix[0] - 0.7 * matrix[1] + bias[row] + of_style[row])
            })
        };
        let map = spread.map().expect("it sounds");
        let wanted = map.widened(&drawn(&weights, 0)).into_iter();
        let wanted = wanted.zip(map.moved());
        let became = drawn(&widened, 0).into_iter();
        for (got, (value, offset)) in became.zip(wanted) {
            assert!((got - value - offset).abs() < 1e-4, "{got}");
        }
        let of_noise = |weights| drawn(weights, 1).map(f64::to_bits);
        assert_eq!(of_noise(&widened), of_noise(&weights));
    }

    #[test]
    fn too_little_sound_changes_nothing() {
        let sizes = Sizes::default();
        let count: u64 = sizes
            .weights()
            .iter()
            .map(|(_, shape)| shape.iter().product::<u64>())
            .sum();
        let weights = vec![0.5; count as usize];
        assert_eq!(Spread::default().widened(&sizes, &weights), weights);
    }
}
