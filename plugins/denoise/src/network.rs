//! The network, frame by frame.

use nnnoiseless::DenoiseState;

/// The rate of the network.
pub const RATE_HZ: u32 = 48_000;

/// What the network takes at a time: 10 ms.
pub const FRAME: usize = DenoiseState::FRAME_SIZE;

/// Full scale, as the network has it.
const SCALE: f32 = 32_768.0;

/// The loudest that the network hears, 24 dB over full scale: it computes fourth powers of sums of samples, which must stay finite.
const LOUDEST: f32 = 16.0;

/// `RNNoise` (J.-M. Valin, "A Hybrid DSP/Deep Learning Approach to Real-Time Full-Band Speech Enhancement", IEEE MMSP 2018): 42 features of
/// 20 ms, three gated recurrent layers, gains of 22 bands and a comb filter at the pitch.
pub struct Network {
    state: Box<DenoiseState<'static>>,
    /// The frame that is being gathered.
    coming: Vec<f32>,
    /// The frame before, which the next answer is about.
    before: Vec<f32>,
    answer: Vec<f32>,
}

impl Network {
    pub fn new() -> Self {
        Self {
            state: DenoiseState::new(),
            coming: Vec::with_capacity(FRAME),
            before: vec![0.0; FRAME],
            answer: vec![0.0; FRAME],
        }
    }

    /// Takes the next sample. With the last one of a frame, `tell` is given what is to be added to each sample of the frame before it
    /// to take the noise out.
    pub fn take(&mut self, sample: f32, tell: impl FnMut(f32)) {
        self.coming.push(sample.clamp(-LOUDEST, LOUDEST) * SCALE);
        if self.coming.len() == FRAME {
            self.state.process_frame(&mut self.answer, &self.coming);
            let pairs = self.answer.iter().zip(&self.before);
            pairs
                .map(|(clean, noisy)| (clean - noisy) / SCALE)
                .for_each(tell);
            std::mem::swap(&mut self.before, &mut self.coming);
            self.coming.clear();
        }
    }

    pub fn forget(&mut self) {
        self.state = DenoiseState::new();
        self.coming.clear();
        self.before.fill(0.0);
    }
}
