//! The network of a designed voice: it gives the spectral envelopes that a fixed synthesis turns into sound. It is described in
//! `models/training/voices/decoder.py`.

use crate::tape::{Tape, Tensor};

/// Curve values per frame: gains of this many bands of the harmonic part, and as many of the noise.
pub const BANDS: u64 = 64;
/// Features of an input frame: 64 of what is said, the loudness, the octave of the pitch and whether there is one.
pub const FEATURES: u64 = 67;
/// The initial output of a fresh network.
const RESULT_OFFSET: f32 = -4.0;
/// Taps of the first layer and of the others.
const STEM_TAPS: u64 = 5;
const TAPS: u64 = 3;

/// Dimensions of such a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    /// Values of a frame between the layers.
    pub width: u64,
    /// Distance between the taps of each gated layer, in frames.
    pub dilations: Vec<u64>,
}

impl Default for Sizes {
    /// Those of the voices that come with the program.
    fn default() -> Self {
        Self {
            width: 144,
            dilations: vec![1, 2, 4, 1, 2, 4],
        }
    }
}

impl Sizes {
    /// The number of values that distinguish the voices of a network: a bias for every layer and for the result.
    #[must_use]
    pub(crate) fn style(&self) -> u64 {
        self.dilations.len() as u64 * 2 * self.width + 2 * BANDS
    }

    /// Names and shapes of all weights, in the order in which training keeps them. The names are those in packages.
    #[must_use]
    pub fn weights(&self) -> Vec<(String, Vec<u64>)> {
        let width = self.width;
        let mut weights = vec![
            ("stem.weight".to_owned(), vec![width, FEATURES, STEM_TAPS]),
            ("stem.bias".to_owned(), vec![width]),
        ];
        for number in 0..self.dilations.len() {
            let named = |part: &str| format!("blocks.{number}.{part}");
            weights.push((named("open.weight"), vec![2 * width, width, TAPS]));
            weights.push((named("open.bias"), vec![2 * width]));
            weights.push((named("close.weight"), vec![width, width, 1]));
            weights.push((named("close.bias"), vec![width]));
        }
        weights.push(("result.weight".to_owned(), vec![2 * BANDS, width, 1]));
        weights.push(("result.bias".to_owned(), vec![2 * BANDS]));
        weights.push(("style".to_owned(), vec![1, self.style()]));
        weights
    }

    /// Builds the network: `features` `[batch, 67, frames]` become the logarithms of the gains of the harmonic part and of the noise, each
    /// `[batch, 64, frames]`. `weights` are those of [`Sizes::weights`].
    ///
    /// # Panics
    /// When there are fewer.
    pub(crate) fn draw(
        &self,
        tape: &mut Tape,
        features: &Tensor,
        weights: &[Tensor],
    ) -> [Tensor; 2] {
        let [stem, stem_bias, rest @ ..] = weights else {
            panic!("a network has a first layer")
        };
        let [blocks @ .., result, result_bias, style] = rest else {
            panic!("a network has a result and a style")
        };
        let mut hidden = tape.convolve(features, (stem, stem_bias), 1);
        let numbers = (0..).zip(&self.dilations);
        for ((number, dilation), block) in numbers.zip(blocks.chunks_exact(4)) {
            let [open, open_bias, close, close_bias] = block else {
                unreachable!("chunks are of four")
            };
            let opened = tape.convolve(&hidden, (open, open_bias), *dilation);
            let bias = Self::of_style(tape, style, (number * 2 * self.width, 2 * self.width));
            let opened = tape.add(&opened, &bias);
            let [value, gate] = tape.halves(&opened);
            let (value, gate) = (tape.tanh(&value), tape.sigmoid(&gate));
            let gated = tape.multiply(&value, &gate);
            let closed = tape.convolve(&gated, (close, close_bias), 1);
            hidden = tape.add(&hidden, &closed);
        }
        let gains = tape.convolve(&hidden, (result, result_bias), 1);
        let bias = Self::of_style(tape, style, (self.style() - 2 * BANDS, 2 * BANDS));
        let gains = tape.add(&gains, &bias);
        let offset = tape.number(RESULT_OFFSET);
        let gains = tape.add(&gains, &offset);
        tape.halves(&gains)
    }

    /// A stretch of the style as a bias of every frame: `[1, length, 1]`.
    fn of_style(tape: &mut Tape, style: &Tensor, (from, length): (u64, u64)) -> Tensor {
        let part = tape.part(style, 1, (from, length));
        tape.reshaped(&part, &[1, length, 1])
    }
}

/// The targets of a batch's curves, each `[batch, bands, frames]` or repeated to that shape.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// The harmonic part's gains.
    pub(crate) harmonic: Tensor,
    /// The noise's gains.
    pub(crate) noise: Tensor,
    /// 1 where there is a pitch, otherwise 0: `[batch, 1, frames]`.
    pub(crate) pitched: Tensor,
    /// The weight of each value; they add up to 1.
    pub(crate) weight: Tensor,
}

/// How much the harmonic part is lowered where there is no pitch, as twice a logarithm of gain, so that it is inaudible there.
const SILENT: f32 = 40.0;

impl Wanted {
    /// The inputs of a graph for a batch of so many stretches of so many frames.
    pub(crate) fn inputs(tape: &mut Tape, batch: u64, frames: u64) -> Self {
        let curves = [batch, BANDS, frames];
        Self {
            harmonic: tape.input("wanted_harmonic", &curves),
            noise: tape.input("wanted_noise", &curves),
            pitched: tape.input("pitched", &[batch, 1, frames]),
            weight: tape.input("weight", &curves),
        }
    }

    /// The mean absolute error of the log gains: of both parts, and of their sum.
    pub(crate) fn loss(&self, tape: &mut Tape, [harmonic, noise]: &[Tensor; 2]) -> Tensor {
        let one = tape.number(1.0);
        let unpitched = tape.subtract(&one, &self.pitched);
        let silent = tape.number(SILENT);
        let silent = tape.multiply(&unpitched, &silent);
        let whole = whole(tape, (harmonic, noise), &silent);
        let wanted = self::whole(tape, (&self.harmonic, &self.noise), &silent);
        let whole = error(tape, (&whole, &wanted), 0.5);
        let harmonic = error(tape, (harmonic, &self.harmonic), 0.4);
        let harmonic = tape.multiply(&harmonic, &self.pitched);
        let noise = error(tape, (noise, &self.noise), 0.4);
        let parts = tape.add(&harmonic, &noise);
        let sum = tape.add(&whole, &parts);
        let sum = tape.multiply(&sum, &self.weight);
        tape.total(&sum)
    }
}

/// The power of both parts together, as a logarithm.
fn whole(tape: &mut Tape, (harmonic, noise): (&Tensor, &Tensor), silent: &Tensor) -> Tensor {
    let two = tape.number(2.0);
    let harmonic = tape.multiply(harmonic, &two);
    let harmonic = tape.subtract(&harmonic, silent);
    let noise = tape.multiply(noise, &two);
    tape.log_add_exp(&harmonic, &noise)
}

fn error(tape: &mut Tape, (drawn, wanted): (&Tensor, &Tensor), share: f32) -> Tensor {
    let error = tape.subtract(drawn, wanted);
    let error = tape.magnitude(&error);
    let share = tape.number(share);
    tape.multiply(&error, &share)
}
