//! Convolution with long responses.

use vocalhost_effect::dsp::{RealFft, Spectrum};

/// One signal convolved with several responses, block by block.
///
/// Uniformly partitioned overlap-save: the spectrum of each block of input is kept and
/// multiplied with the spectrum of each part of the response (F. Wefers, *Partitioned
/// convolution algorithms for real-time auralization*, Aachen 2014, chapter 5). A block
/// of input must be complete before its answer begins, so the answer is a block late.
#[derive(Clone, Debug)]
pub struct Convolver {
    fft: RealFft,
    /// The parts of every response.
    responses: Vec<Vec<Spectrum>>,
    /// Spectra of the last blocks, as many as a response has parts.
    history: Vec<Spectrum>,
    newest: usize,
    /// Blocks since there was sound, up to the number of parts.
    silent_blocks: usize,
    sum: Spectrum,
    /// The last block and the one before, and room for their answer.
    window: Vec<f32>,
    answer: Vec<f32>,
}

impl Convolver {
    /// Convolution in blocks of `block` frames with responses of equal length.
    pub fn new(block: usize, responses: &[Vec<f32>]) -> Self {
        let mut fft = RealFft::new(2 * block);
        let silent = Spectrum::silent(fft.bins());
        let mut part = vec![0.0; 2 * block];
        let responses: Vec<Vec<Spectrum>> = responses
            .iter()
            .map(|response| {
                let transform = |samples: &[f32]| {
                    part.fill(0.0);
                    part[..samples.len()].copy_from_slice(samples);
                    let mut spectrum = silent.clone();
                    fft.forward(&part, &mut spectrum);
                    spectrum
                };
                response.chunks(block).map(transform).collect()
            })
            .collect();
        let parts = responses.first().map_or(1, Vec::len);
        Self {
            fft,
            responses,
            history: vec![silent.clone(); parts],
            newest: 0,
            silent_blocks: parts,
            sum: silent,
            window: vec![0.0; 2 * block],
            answer: vec![0.0; 2 * block],
        }
    }

    /// Takes a block of input and writes a block of the answer of every response.
    pub fn convolve(&mut self, input: &[f32], answers: &mut [Vec<f32>]) {
        let (block, parts) = (input.len(), self.history.len());
        self.window.copy_within(block.., 0);
        self.window[block..].copy_from_slice(input);
        if self.window.iter().all(|&sample| sample == 0.0) {
            self.silent_blocks = (self.silent_blocks + 1).min(parts);
        } else {
            self.silent_blocks = 0;
        }
        self.newest = (self.newest + 1) % parts;
        self.fft
            .forward(&self.window, &mut self.history[self.newest]);
        for (response, answer) in self.responses.iter().zip(answers) {
            if self.silent_blocks == parts {
                answer.fill(0.0);
                continue;
            }
            self.sum.re.fill(0.0);
            self.sum.im.fill(0.0);
            for (age, part) in response.iter().enumerate() {
                let past = &self.history[(self.newest + parts - age) % parts];
                add_product(&mut self.sum, past, part);
            }
            self.fft.inverse(&self.sum, &mut self.answer);
            answer.copy_from_slice(&self.answer[block..]);
        }
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        self.window.fill(0.0);
        self.silent_blocks = self.history.len();
        for spectrum in &mut self.history {
            spectrum.re.fill(0.0);
            spectrum.im.fill(0.0);
        }
    }
}

/// Adds the complex products of all bins.
fn add_product(sum: &mut Spectrum, one: &Spectrum, other: &Spectrum) {
    let bins = sum.re.len();
    let (sum_re, sum_im) = (&mut sum.re[..bins], &mut sum.im[..bins]);
    let (a_re, a_im) = (&one.re[..bins], &one.im[..bins]);
    let (b_re, b_im) = (&other.re[..bins], &other.im[..bins]);
    for bin in 0..bins {
        sum_re[bin] += a_re[bin] * b_re[bin] - a_im[bin] * b_im[bin];
        sum_im[bin] += a_re[bin] * b_im[bin] + a_im[bin] * b_re[bin];
    }
}

#[cfg(test)]
mod tests {
    use super::Convolver;
    use vocalhost_effect::testing::noise;

    #[test]
    fn it_agrees_with_the_sum_that_defines_convolution() {
        let (response, input) = (noise(1, 150), noise(2, 320));
        let mut convolver = Convolver::new(32, std::slice::from_ref(&response));
        let mut output = Vec::new();
        let mut answers = vec![vec![0.0; 32]];
        for block in input.chunks(32) {
            convolver.convolve(block, &mut answers);
            output.extend_from_slice(&answers[0]);
        }
        for (frame, &sample) in output.iter().enumerate() {
            let exact: f32 = (0..=frame.min(149))
                .map(|age| response[age] * input[frame - age])
                .sum();
            assert!((sample - exact).abs() < 1e-4, "{frame}");
        }
    }
}
