//! Steps of a training and analyses of a sound against `tests/parity/training`, and gradients against finite differences.

use serde_json::Value;
use vocalhost_model::{Given, Runtime, Steps};
use vocalhost_testing::repository;

use crate::tape::{Tape, Tensor};
use crate::world::{Envelopes, Roughness};
use crate::{AdamW, BANDS, FEATURES, Order, Sizes};

fn golden() -> Value {
    let file = repository("tests/fixtures/training/golden.json");
    let text = std::fs::read_to_string(file).expect("the fixture is there");
    serde_json::from_str(&text).expect("it is JSON")
}

fn numbers(value: &Value) -> Vec<f64> {
    let values = value.as_array().expect("a list").iter();
    values
        .map(|value| value.as_f64().expect("a number"))
        .collect()
}

fn runtime() -> Runtime {
    Runtime::load(None).expect("the set-up has installed the library")
}

/// As `waves` of the script.
fn waves(count: u64, pace: f64, offset: f64) -> Vec<f64> {
    let places = 0..count as u32;
    places
        .map(|place| (f64::from(place) * pace + offset).sin())
        .collect()
}

fn singles(values: impl IntoIterator<Item = f64>) -> Vec<f32> {
    values.into_iter().map(|value| value as f32).collect()
}

/// `[batch, frames, width]` to `[batch, width, frames]`.
fn channels_first<T: Copy>(values: &[T], (batch, frames, width): (u64, u64, u64)) -> Vec<T> {
    let mut turned = Vec::with_capacity(values.len());
    for stretch in 0..batch {
        for channel in 0..width {
            for frame in 0..frames {
                turned.push(values[((stretch * frames + frame) * width + channel) as usize]);
            }
        }
    }
    turned
}

/// The small network of the script.
fn order() -> Order {
    Order {
        sizes: Sizes {
            width: 12,
            dilations: vec![1, 2],
        },
        batch: 2,
        frames: 24,
        optimiser: AdamW::default(),
    }
}

fn weights(sizes: &Sizes) -> Vec<f32> {
    let mut row = Vec::new();
    for (number, (_, shape)) in (0_u32..).zip(sizes.weights()) {
        let count: u64 = shape.iter().product();
        let fan = (count / shape[0]).max(1) as f64;
        let number = f64::from(number);
        let values = waves(count, 0.7 + 0.01 * number, number);
        row.extend(values.iter().map(|value| (value / fan.sqrt()) as f32));
    }
    row
}

/// The script's batch as the graph takes it.
fn batch(order: &Order) -> Vec<Given<'static>> {
    let (batch, frames) = (order.batch, order.frames);
    let all = batch * frames;
    let content = waves(all * 65, 0.311, 0.2);
    let mut f0 = waves(all, 0.05, 0.0);
    for f0 in &mut f0 {
        *f0 = 220.0 * f0.exp2();
    }
    for (f0, wave) in f0.iter_mut().zip(waves(all, 0.9, 0.4)) {
        if wave < -0.4 {
            *f0 = 0.0;
        }
    }
    let mut features = Vec::new();
    for (content, f0) in content.chunks(65).zip(&f0) {
        let voiced = f64::from(u8::from(*f0 > 0.0));
        features.extend_from_slice(content);
        features.extend([(f0.max(50.0) / 200.0).log2() * voiced, voiced]);
    }
    let harmonic = waves(all * BANDS, 0.017, 0.1);
    let noise = waves(all * BANDS, 0.023, 0.6);
    let valid = waves(all, 1.3, 0.0);
    let valid: Vec<f64> = valid
        .iter()
        .map(|wave| f64::from(u8::from(*wave > -0.9)))
        .collect();
    let sum = valid.iter().sum::<f64>() * BANDS as f64;
    let weight = valid.iter().flat_map(|valid| [valid / sum; BANDS as usize]);
    let weight: Vec<f64> = weight.collect();
    let curves = |values: &[f64]| singles(channels_first(values, (batch, frames, BANDS)));
    let shape = |width: u64| vec![batch as usize, width as usize, frames as usize];
    let features = channels_first(&features, (batch, frames, FEATURES));
    let harmonic: Vec<f64> = harmonic.iter().map(|wave| -4.0 + 2.0 * wave).collect();
    let noise: Vec<f64> = noise.iter().map(|wave| -5.0 + wave).collect();
    let given = |name, width, values| Given {
        name,
        shape: shape(width),
        values,
    };
    vec![
        given("features", FEATURES, singles(features)),
        given("wanted_harmonic", BANDS, curves(&harmonic)),
        given("wanted_noise", BANDS, curves(&noise)),
        given(
            "pitched",
            1,
            singles(f0.iter().map(|f0| f64::from(u8::from(*f0 > 0.0)))),
        ),
        given("weight", BANDS, curves(&weight)),
    ]
}

fn keep_all(steps: &mut Steps, weights: Vec<f32>) {
    let nothing = vec![0.0; weights.len()];
    for (name, values) in [
        ("weights", weights),
        ("mean", nothing.clone()),
        ("square", nothing),
    ] {
        let kept = steps.keep(&format!("{name}_now"), name, values);
        kept.expect("there is memory");
    }
}

#[test]
fn steps_go_as_those_of_torch() {
    let (order, golden) = (order(), golden());
    let golden = &golden["steps"];
    assert_eq!(Some(order.count()), golden["count"].as_u64());
    let graph = order.step().expect("it is drawn");
    let mut steps = Steps::load(&runtime(), &graph).expect("it loads");
    keep_all(&mut steps, weights(&order.sizes));
    for (step, wanted) in (1..).zip(numbers(&golden["losses"])) {
        let pace = order.optimiser.pace(step, 2e-3);
        let mut given = batch(&order);
        for (name, value) in [
            ("kept", pace.kept),
            ("rate", pace.rate),
            ("root", pace.root),
        ] {
            given.push(Given {
                name,
                shape: Vec::new(),
                values: vec![value],
            });
        }
        let loss = f64::from(steps.step(given, "loss").expect("it runs"));
        assert!((loss - wanted).abs() < 1e-5, "{step}: {loss} {wanted}");
    }
    let found = steps.kept("weights_now").expect("they are kept");
    for (found, wanted) in found.iter().step_by(97).zip(numbers(&golden["weights"])) {
        // Where a gradient is next to nothing the optimiser moves by its sign.
        assert!(
            (f64::from(*found) - wanted).abs() < 2e-3,
            "{found} {wanted}"
        );
    }
}

#[test]
fn a_trial_tells_the_same_loss_as_a_step() {
    let (order, golden) = (order(), golden());
    let graph = order.trial().expect("it is drawn");
    let mut steps = Steps::load(&runtime(), &graph).expect("it loads");
    let row = weights(&order.sizes);
    let mut given = batch(&order);
    given.push(Given {
        name: "weights_now",
        shape: vec![row.len()],
        values: row,
    });
    let loss = steps.step(given, "loss").expect("it runs");
    let wanted = numbers(&golden["steps"]["losses"])[0];
    assert!((f64::from(loss) - wanted).abs() < 1e-5, "{loss} {wanted}");
}

/// The step of the finite differences.
const LITTLE: f32 = 1e-2;

/// Draws `value` of an input and its gradient; the gradient must be what moving each number a little does.
fn holds(shape: &[u64], value: impl Fn(&mut Tape, &Tensor) -> Tensor) {
    let mut tape = Tape::default();
    let x = tape.input("x", shape);
    let y = value(&mut tape, &x);
    tape.output(&y, "y");
    let gradients = tape.gradients(&y, std::slice::from_ref(&x));
    assert_eq!(gradients[0].shape, shape);
    tape.output(&gradients[0], "slope");
    let graph = tape.written().expect("it is drawn");
    let mut steps = Steps::load(&runtime(), &graph).expect("it loads");
    let count: u64 = shape.iter().product();
    let start = singles(waves(count, 1.7, 0.3));
    let lengths: Vec<usize> = shape.iter().map(|length| *length as usize).collect();
    let mut at = |values: &[f32]| {
        let given = Given {
            name: "x",
            shape: lengths.clone(),
            values: values.to_vec(),
        };
        steps.step(vec![given], "y").expect("it runs")
    };
    let mut moved = start.clone();
    let mut differences = Vec::new();
    for place in 0..start.len() {
        moved[place] = start[place] + LITTLE;
        let above = at(&moved);
        moved[place] = start[place] - LITTLE;
        differences.push((above - at(&moved)) / (2.0 * LITTLE));
        moved[place] = start[place];
    }
    let slope = steps.output_of(
        vec![Given {
            name: "x",
            shape: lengths,
            values: start,
        }],
        "slope",
    );
    let slope = slope.expect("it runs");
    let largest = differences
        .iter()
        .fold(0.0_f32, |most, one| most.max(one.abs()));
    for (place, (slope, difference)) in slope.iter().zip(&differences).enumerate() {
        let apart = (slope - difference).abs();
        assert!(
            apart < 2e-3 * largest.max(1.0),
            "{place}: {slope} {difference}"
        );
    }
}

#[test]
fn gradients_of_every_operation_are_what_small_moves_do() {
    let weigh = |tape: &mut Tape, y: &Tensor| {
        // Gives every value a different weight.
        let weights = tape.tanh(y);
        let y = tape.multiply(y, &weights);
        tape.total(&y)
    };
    holds(&[2, 3], |tape, x| {
        let two = tape.number(2.0);
        let y = tape.multiply(x, &two);
        let y = tape.add(&y, x);
        let y = tape.subtract(&two, &y);
        weigh(tape, &y)
    });
    holds(&[1, 4, 1], |tape, x| {
        let wide = tape.reshaped(x, &[2, 2]);
        let narrow = tape.part(&wide, 0, (1, 1));
        let y = tape.multiply(&wide, &narrow);
        weigh(tape, &y)
    });
    holds(&[2, 4, 3], |tape, x| {
        let [first, second] = tape.halves(x);
        let (first, second) = (tape.tanh(&first), tape.sigmoid(&second));
        let y = tape.log_add_exp(&first, &second);
        let y = tape.magnitude(&y);
        weigh(tape, &y)
    });
    holds(&[3], |tape, x| {
        // A bias for each channel, and a sum over everything else.
        let bias = tape.reshaped(x, &[1, 3, 1]);
        let wide = tape.reshaped(x, &[1, 1, 3]);
        let y = tape.add(&bias, &wide);
        weigh(tape, &y)
    });
}

#[test]
fn gradients_of_a_convolution_reach_sound_kernel_and_bias() {
    let (sound, kernel, bias) = (2 * 3 * 7, 4 * 3 * 3, 4);
    for dilation in [1, 2] {
        holds(&[sound + kernel + bias], |tape, x| {
            let part = |tape: &mut Tape, from, length, shape: &[u64]| {
                let part = tape.part(x, 0, (from, length));
                tape.reshaped(&part, shape)
            };
            let sound_part = part(tape, 0, sound, &[2, 3, 7]);
            let kernel_part = part(tape, sound, kernel, &[4, 3, 3]);
            let bias_part = part(tape, sound + kernel, bias, &[4]);
            let y = tape.convolve(&sound_part, (&kernel_part, &bias_part), dilation);
            let y = tape.tanh(&y);
            let squared = tape.multiply(&y, &y);
            tape.total(&squared)
        });
    }
}

/// As `sung` of the script.
fn sung(count: u32, rate: f64) -> Vec<f32> {
    let pitch = |place: u32| 160.0 * (0.3 * (f64::from(place) / (0.21 * rate)).sin()).exp2();
    let highest = (0..count).map(pitch).fold(0.0, f64::max);
    let harmonics = (rate / 2.0 / highest) as u32;
    let (mut phase, mut state) = (0.0, 12_345_u64);
    let mut samples = Vec::new();
    for place in 0..count {
        let f0 = pitch(place);
        phase += std::f64::consts::TAU * f0 / rate;
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        let noise = state as f64 / f64::from(1 << 30) - 1.0;
        let of = |number: u32| {
            let number = f64::from(number);
            let hz = number * f0;
            let near = |middle: f64, width: f64| 1.0 / (1.0 + ((hz - middle) / width).powi(2));
            let gain = near(600.0, 150.0) + 0.4 * near(1_900.0, 250.0) + 0.01;
            gain * (number * phase + number * number * 0.3).sin()
        };
        let wave: f64 = (1..harmonics).map(of).sum();
        samples.push((0.1 * wave + 0.004 * noise) as f32);
    }
    samples
}

#[test]
fn envelopes_and_roughness_are_those_of_world() {
    for case in golden()["world"].as_array().expect("cases") {
        let rate = case["rate"].as_u64().expect("a rate") as u32;
        let length = case["length"].as_u64().expect("a length") as usize;
        let samples = sung(rate / 2, f64::from(rate));
        let (mut envelopes, mut roughness) = (Envelopes::new(rate, length), Roughness::new(rate));
        let (moments, pitches) = (numbers(&case["moments"]), numbers(&case["pitches"]));
        let rows = |key: &str| case[key].as_array().expect("rows").clone();
        let wanted = rows("envelopes").into_iter().zip(rows("roughness_db"));
        for ((moment, pitch), (envelope, rough)) in moments.iter().zip(&pitches).zip(wanted) {
            let found = envelopes.at(&samples, *moment, *pitch);
            let found = found.iter().step_by(length / 64);
            for (bin, (found, wanted)) in found.zip(numbers(&envelope)).enumerate() {
                // A natural logarithm of power: 0.023 is a tenth of a decibel.
                assert!(
                    (found - wanted).abs() < 0.023,
                    "{moment} {bin}: {found} {wanted}"
                );
            }
            let found = roughness.at(&samples, *moment, *pitch);
            let found = found.unwrap_or_else(|| vec![0.0; roughness.bands()]);
            assert_eq!(found.len(), numbers(&rough).len());
            for (found, wanted) in found.iter().zip(numbers(&rough)) {
                assert!(
                    (found - wanted).abs() < 0.1,
                    "{moment}: {found} {wanted} dB"
                );
            }
        }
    }
}

#[test]
fn silence_has_an_envelope_and_no_voice() {
    let silence = vec![0.0; 16_000];
    let mut envelopes = Envelopes::new(16_000, 1024);
    let found = envelopes.at(&silence, 0.5, 150.0);
    assert!(
        found
            .iter()
            .all(|value| value.is_finite() && *value < -30.0)
    );
    assert_eq!(Roughness::new(16_000).at(&silence, 0.5, 150.0), None);
    assert!(
        envelopes
            .at(&[], 0.5, 0.0)
            .iter()
            .all(|value| value.is_finite())
    );
}
