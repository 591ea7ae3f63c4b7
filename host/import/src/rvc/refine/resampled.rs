//! A row of samples made longer or shorter by a whole number.

use super::super::layers::Layers;
use crate::drawing::{Attribute, Edge};

/// The filter in front of shortening: zero crossings on a side, its edge as a share of half the new rate, and the shape of its Kaiser
/// window (the numbers that Applio hands to `torchaudio.functional.resample`).
const CROSSINGS: f64 = 64.0;
const EDGE: f64 = 0.947_593_716_739_959_6;
const SHAPE: f64 = 14.769_656_459_379_492;

/// `[1, C, L]` made `rate` times as long, on straight lines between samples, each of which stands in the middle of its new ones. In front
/// of the first middle and behind the last the value stays (`torch.nn.Upsample`, linear).
pub(super) fn lengthened(net: &mut Layers<'_>, x: &Edge, (channels, rate): (u64, u64)) -> Edge {
    let mut shares = vec![0.0; 3 * rate as usize];
    for place in 0..rate as usize {
        let from = (place as f64 + 0.5) / rate as f64 - 0.5;
        let other = if from < 0.0 { 0 } else { 2 };
        shares[other * rate as usize + place] = from.abs() as f32;
        shares[rate as usize + place] = (1.0 - from.abs()) as f32;
    }
    let network = &mut net.network;
    let [zero, one, time] = [0, 1, 2].map(|number| network.integers(&[number]));
    let (last, end) = (network.integers(&[-1]), network.integers(&[i64::MAX]));
    let along = [("axis", Attribute::Int(2))];
    let cut = |network: &mut crate::drawing::Network, from: &Edge, to: &Edge| {
        network.apply("Slice", &[x, from, to, &time])
    };
    let (head, body) = (cut(network, &zero, &one), cut(network, &zero, &last));
    let before = network.apply_with("Concat", &[&head, &body], &along);
    let (body, tail) = (cut(network, &one, &end), cut(network, &last, &end));
    let behind = network.apply_with("Concat", &[&body, &tail], &along);
    let apart = network.integers(&[3]);
    let three = [&before, x, &behind].map(|row| network.apply("Unsqueeze", &[row, &apart]));
    let beside = [("axis", Attribute::Int(3))];
    let three = network.apply_with("Concat", &[&three[0], &three[1], &three[2]], &beside);
    let shares = network.numbers(&shares);
    let shares = net.reshaped(&shares, &[3, rate as i64]);
    let made = net.network.apply("MatMul", &[&three, &shares]);
    net.reshaped(&made, &[1, channels as i64, -1])
}

/// `[1, C, L]` made `rate` times shorter, behind a low-pass; `L` is a multiple of `rate`.
pub(super) fn shortened(net: &mut Layers<'_>, x: &Edge, (channels, rate): (u64, u64)) -> Edge {
    let (filter, width) = low_pass(rate);
    let length = filter.len() as i64;
    let filter = net.network.numbers(&filter);
    let filter = net.reshaped(&filter, &[1, 1, length]);
    let apart = net.reshaped(x, &[channels as i64, 1, -1]);
    let attributes = [
        ("kernel_shape", Attribute::Ints(&[length])),
        ("strides", Attribute::Ints(&[rate as i64])),
        ("pads", Attribute::Ints(&[width, width])),
    ];
    let inputs = [&apart, &filter];
    let short = net.network.apply_with("Conv", &inputs, &attributes);
    net.reshaped(&short, &[1, channels as i64, -1])
}

/// The filter for a rate, and how far it reaches in front of a sample: a sinc under a Kaiser window ("Digital Audio Resampling Home
/// Page", J. O. Smith).
fn low_pass(rate: u64) -> (Vec<f32>, i64) {
    let width = (CROSSINGS * rate as f64 / EDGE).ceil() as i64;
    let value = |place: i64| {
        let at = (place as f64 / rate as f64 * EDGE).clamp(-CROSSINGS, CROSSINGS);
        let inside = (1.0 - (at / CROSSINGS).powi(2)).max(0.0).sqrt();
        let window = bessel(SHAPE * inside) / bessel(SHAPE);
        let angle = at * std::f64::consts::PI;
        let sinc = if place == 0 { 1.0 } else { angle.sin() / angle };
        (sinc * window * EDGE / rate as f64) as f32
    };
    let filter = (-width..width + rate as i64).map(value).collect();
    (filter, width)
}

/// The modified Bessel function of the first kind and order 0, by its power series.
fn bessel(x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut sum, mut term) = (1.0, 1.0);
    for number in 1..=64 {
        term *= quarter / f64::from(number * number);
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_lets_a_constant_through_and_knows_its_middle() {
        // Abramowitz and Stegun, table 9.8: I0(1) and I0(5).
        assert!((bessel(1.0) - 1.266_065_877_752_008).abs() < 1e-12);
        assert!((bessel(5.0) - 27.239_871_823_604_44).abs() < 1e-9);
        for rate in [2, 6, 10, 12] {
            let (filter, width) = low_pass(rate);
            let sum: f64 = filter.iter().map(|value| f64::from(*value)).sum();
            assert!((sum - 1.0).abs() < 1e-4, "{rate}: {sum}");
            let middle = filter[width as usize];
            assert!(filter.iter().all(|value| *value <= middle), "{rate}");
            assert_eq!(filter.len() as u64, 2 * width as u64 + rate);
        }
    }
}
