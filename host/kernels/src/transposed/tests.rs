use super::super::tests::noise;
use super::super::vector::Instructions;
use super::filter::Filter;
use super::run::{Size, convolve};

const INPUTS: usize = 19;
const OUTPUTS: usize = 5;

/// The convolution as its definition has it, in double precision.
fn expected(weights: &[f32], bias: &[f32], image: &[f32], stride: usize, size: Size) -> Vec<f64> {
    let Size { height, width, .. } = size;
    let mut result = Vec::new();
    for output in 0..OUTPUTS {
        let mut rows = vec![f64::from(bias[output]); (height + 1) * stride * width];
        for input in 0..INPUTS {
            for sample in 0..height * width {
                let value = f64::from(image[input * height * width + sample]);
                for tap in 0..2 * stride {
                    let weight = weights[(input * OUTPUTS + output) * 2 * stride + tap];
                    let row = sample / width * stride + tap;
                    rows[row * width + sample % width] += value * f64::from(weight);
                }
            }
        }
        result.extend(&rows[size.begin * width..][..size.results * width]);
    }
    result
}

#[test]
fn results_are_those_of_the_definition() {
    for instructions in Instructions::all_here() {
        for (height, width) in [(1, 1), (200, 1), (3, 7), (9, 60)] {
            for (stride, begin, end) in [(1, 0, 0), (4, 0, 0), (4, 2, 2), (5, 3, 0), (2, 2, 1)] {
                let weights = noise(INPUTS * OUTPUTS * 2 * stride, 1);
                let (bias, image) = (noise(OUTPUTS, 2), noise(INPUTS * height * width, 3));
                let size = Size {
                    height,
                    width,
                    begin,
                    results: (height + 1) * stride - begin - end,
                };
                let sides = [INPUTS, OUTPUTS, stride];
                let filter = Filter::new(instructions, sides, &weights, Some(&bias));
                let mut result = vec![f32::NAN; OUTPUTS * size.results * width];
                convolve(&filter, &image, size, &mut result);
                let expected = expected(&weights, &bias, &image, stride, size);
                for (found, wanted) in result.iter().zip(&expected) {
                    let apart = (f64::from(*found) - wanted).abs();
                    assert!(
                        apart < 2e-6,
                        "{apart:e}: {instructions:?} {size:?} {stride}"
                    );
                }
            }
        }
    }
}
