use super::super::tests::noise;
use super::super::vector::Instructions;
use super::run::{Matrix, multiply};

#[test]
fn results_are_those_of_the_definition() {
    for instructions in Instructions::all_here() {
        for (count, inputs, outputs) in [(1, 1, 1), (7, 5, 24), (16, 33, 48), (35, 19, 101)] {
            let (rows, values) = (noise(count * inputs, 1), noise(inputs * outputs, 2));
            let bias = noise(outputs, 3);
            for (is_transposed, bias) in [(false, Some(&bias[..])), (true, None)] {
                let matrix = Matrix {
                    inputs,
                    outputs,
                    is_transposed,
                    values: &values,
                    bias,
                };
                let mut result = vec![f32::NAN; count * outputs];
                multiply(instructions, &rows, &matrix, &mut result);
                for (at, found) in result.iter().enumerate() {
                    let (row, output) = (at / outputs, at % outputs);
                    let products = (0..inputs).map(|input| {
                        let weight = if is_transposed {
                            values[output * inputs + input]
                        } else {
                            values[input * outputs + output]
                        };
                        f64::from(rows[row * inputs + input]) * f64::from(weight)
                    });
                    let wanted =
                        products.sum::<f64>() + bias.map_or(0.0, |bias| f64::from(bias[output]));
                    let apart = (f64::from(*found) - wanted).abs();
                    assert!(apart < 2e-6, "{apart:e}: {instructions:?} {row} {output}");
                }
            }
        }
    }
}

#[test]
fn a_matrix_that_is_packed_in_parts_is_done_in_all_of_them() {
    for instructions in Instructions::all_here() {
        // Of 9,000 rows, a panel of 48 columns takes 1.7 MB.
        let (inputs, outputs) = (9_000, 300);
        let rows = noise(3 * inputs, 1);
        let values: Vec<f32> = (0..inputs * outputs)
            .map(|at| {
                if at / outputs == at % outputs {
                    2.0
                } else {
                    0.0
                }
            })
            .collect();
        let matrix = Matrix {
            inputs,
            outputs,
            is_transposed: false,
            values: &values,
            bias: None,
        };
        let mut result = vec![f32::NAN; 3 * outputs];
        multiply(instructions, &rows, &matrix, &mut result);
        for (row, found) in result.chunks(outputs).enumerate() {
            let wanted: Vec<f32> = rows[row * inputs..][..outputs]
                .iter()
                .map(|value| 2.0 * value)
                .collect();
            assert_eq!(found, wanted, "{instructions:?}");
        }
    }
}
