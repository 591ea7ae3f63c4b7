//! Convolutions compared with their definition in double precision.

use super::super::tests::noise;
use super::super::vector::Instructions;
use super::filter::{Filter, Norm, Weights};
use super::lines::Axis;
use super::operator::After;
use super::run::{Size, convolve};

/// The convolution as its definition has it, in double precision.
fn expected(weights: &Weights<'_>, image: &[f32], size: Size, dilation: usize) -> Vec<f64> {
    let (height, width) = (size.height as isize, size.width as isize);
    let mut result = Vec::new();
    for output in 0..weights.outputs {
        for row in 0..height {
            for column in 0..width {
                let mut sum = weights.bias.map_or(0.0, |bias| f64::from(bias[output]));
                for input in 0..weights.inputs {
                    let taps = weights.axis.taps() * 3;
                    for tap in 0..taps {
                        let down = if taps == 9 { tap as isize / 3 - 1 } else { 0 };
                        let right = (tap as isize % 3 - 1) * dilation as isize;
                        let (row, column) = (row + down, column + right);
                        if !(0..height).contains(&row) || !(0..width).contains(&column) {
                            continue;
                        }
                        let at = (input as isize * height + row) * width + column;
                        let weight = weights.values[(output * weights.inputs + input) * taps + tap];
                        sum += f64::from(weight) * f64::from(image[at as usize]);
                    }
                }
                if let Some(norm) = &weights.norm {
                    let variance = f64::from(norm.variance[output]) + f64::from(norm.epsilon);
                    sum = (sum - f64::from(norm.mean[output])) / variance.sqrt()
                        * f64::from(norm.scale[output])
                        + f64::from(norm.offset[output]);
                }
                result.push(sum);
            }
        }
    }
    result
}

/// The largest difference from the definition, for a filter of these dimensions.
fn difference(
    instructions: Instructions,
    axis: Axis,
    [inputs, outputs]: [usize; 2],
    size: Size,
    dilation: usize,
    after: After,
) -> f64 {
    let values = noise(outputs * inputs * axis.taps() * 3, 1);
    let (bias, scale) = (noise(outputs, 2), noise(outputs, 3));
    let (offset, mean) = (noise(outputs, 4), noise(outputs, 5));
    let variance: Vec<f32> = noise(outputs, 6).iter().map(|v| v + 1.0).collect();
    let weights = Weights {
        axis,
        outputs,
        inputs,
        values: &values,
        bias: Some(&bias),
        norm: Some(Norm {
            scale: &scale,
            offset: &offset,
            mean: &mean,
            variance: &variance,
            epsilon: 1e-3,
        }),
    };
    let image = noise(inputs * size.samples(), 7);
    let filter = Filter::new(instructions, &weights, dilation, after);
    let mut result = vec![f32::NAN; filter.results() * size.samples()];
    convolve(&filter, &image, size, &mut result);
    let expected = expected(&weights, &image, size, dilation);
    let (_, gates) = expected.split_at(result.len() % expected.len());
    let wanted = expected.iter().zip(gates);
    let wanted = wanted.map(|(value, gate)| match after {
        After::Nothing => *value,
        After::Rectifier => value.max(0.0),
        After::Gate => value / (1.0 + (-gate).exp()),
    });
    let pairs = result.iter().zip(wanted);
    pairs.fold(0.0, |worst, (found, wanted)| {
        let apart = (f64::from(*found) - wanted).abs();
        // A result that was never written must not go unnoticed.
        if apart.is_nan() {
            f64::INFINITY
        } else {
            apart.max(worst)
        }
    })
}

#[test]
fn results_are_those_of_the_definition() {
    let mut tried = 0;
    for instructions in Instructions::all_here() {
        for axis in [Axis::Rows, Axis::Line] {
            for (height, width) in [(1, 1), (2, 7), (5, 48), (6, 130), (33, 9)] {
                for (dilation, after) in [
                    (1, After::Nothing),
                    (2, After::Rectifier),
                    (16, After::Gate),
                ] {
                    let size = Size { height, width };
                    let apart = difference(instructions, axis, [19, 22], size, dilation, after);
                    // A sum of 171 products of up to a quarter.
                    assert!(
                        apart < 2e-5,
                        "{apart:e}: {instructions:?} {axis:?} {size:?} {dilation} {after:?}"
                    );
                    tried += 1;
                }
            }
        }
    }
    assert_eq!(tried % 30, 0);
}

#[test]
fn an_image_of_many_groups_is_done_in_all_of_them() {
    for instructions in Instructions::all_here() {
        let size = Size {
            height: 70,
            width: 300,
        };
        let apart = difference(instructions, Axis::Rows, [16, 16], size, 1, After::Gate);
        assert!(apart < 2e-5, "{apart:e}: {instructions:?}");
        let size = Size {
            height: 1,
            width: 21_000,
        };
        let apart = difference(instructions, Axis::Line, [16, 16], size, 1, After::Gate);
        assert!(apart < 2e-5, "{apart:e}: {instructions:?}");
    }
}
