use super::super::tests::noise;
use super::super::vector::Instructions;
use super::filter::{Filter, Weights};
use super::run::convolve;

/// The convolution as its definition has it, in double precision.
fn expected(weights: &Weights<'_>, line: &[f32]) -> Vec<f64> {
    let samples = line.len() / weights.inputs;
    let reach = (weights.taps / 2) as isize;
    let mut outputs = Vec::new();
    for output in 0..weights.outputs {
        for sample in 0..samples as isize {
            let mut sum = weights.bias.map_or(0.0, |bias| f64::from(bias[output]));
            for input in 0..weights.inputs {
                for tap in 0..weights.taps {
                    let at = sample + (tap as isize - reach) * weights.dilation as isize;
                    if (0..samples as isize).contains(&at) {
                        let own = (output * weights.inputs + input) * weights.taps + tap;
                        let value = line[input * samples + at as usize];
                        sum += f64::from(weights.values[own]) * f64::from(value);
                    }
                }
            }
            outputs.push(sum);
        }
    }
    if !weights.is_gated {
        return outputs;
    }
    let (values, gates) = outputs.split_at(outputs.len() / 2);
    let pairs = values.iter().zip(gates);
    pairs
        .map(|(value, gate)| value / (1.0 + (-gate).exp()))
        .collect()
}

#[test]
fn results_are_those_of_the_definition() {
    for instructions in Instructions::all_here() {
        for (taps, dilation, is_gated) in
            [(3, 1, false), (3, 70, false), (1, 1, true), (3, 2, true)]
        {
            for (outputs, samples) in [(2, 1), (6, 47), (22, 200)] {
                let inputs = 19;
                let values = noise(outputs * inputs * taps, 1);
                let bias = noise(outputs, 2);
                let weights = Weights {
                    outputs,
                    inputs,
                    taps,
                    dilation,
                    is_gated,
                    values: &values,
                    bias: Some(&bias),
                };
                let line = noise(inputs * samples, 3);
                let filter = Filter::new(instructions, &weights);
                let mut result = vec![f32::NAN; filter.results * samples];
                convolve(&filter, &line, &mut result);
                let expected = expected(&weights, &line);
                assert_eq!(result.len(), expected.len());
                for (found, wanted) in result.iter().zip(&expected) {
                    let apart = (f64::from(*found) - wanted).abs();
                    assert!(
                        apart < 2e-6,
                        "{apart:e}: {instructions:?} {taps} {dilation} {is_gated} {outputs} {samples}"
                    );
                }
            }
        }
    }
}
