//! The network beside a stream of any rate.
//!
//! The network hears the sound at 48 kHz, and what it would change is brought back to the stream's rate and added to the sound itself. So
//! what the network does not hear, above 24 kHz, stays as it is, and an amount of 0 gives the very samples. Every channel has a network.

use crate::kernel::Kernel;
use crate::line::Line;
use crate::network::{FRAME, Network, RATE_HZ};
use vocalhost_effect::Planar;

/// How long the network goes on after the sound, in seconds: its frames, and its filter below 50 Hz, whose pole is at 0.996.
const TAIL_S: f64 = 0.25;

/// A denoise over any number of channels.
pub struct Denoise {
    amount: f32,
    rates: Rates,
    channels: Vec<Channel>,
}

/// How places in the stream and places in what the network hears belong together.
struct Rates {
    stream_hz: u32,
    /// Over the stream; `None` when the stream has the network's rate.
    into: Option<Kernel>,
    /// Over the changes that the network wants.
    back: Option<Kernel>,
    latency: u32,
}

struct Channel {
    sound: Line,
    changes: Line,
    /// How many samples the network has heard.
    heard: i64,
    network: Network,
}

impl Denoise {
    /// A denoise that takes out a share of the noise.
    #[must_use]
    pub fn for_channels(rate_hz: u32, amount: f64, channels: usize) -> Self {
        let rates = Rates::new(rate_hz);
        let channel = || Channel {
            sound: Line::new(rates.latency as usize + 2 * rates.reach_into() + 2),
            changes: Line::new(4 * FRAME + 2 * rates.reach_back()),
            heard: 0,
            network: Network::new(),
        };
        Self {
            amount: amount as f32,
            channels: (0..channels).map(|_| channel()).collect(),
            rates,
        }
    }

    /// By how many frames the answer lags behind.
    #[must_use]
    pub fn latency_frames(&self) -> u32 {
        self.rates.latency
    }

    /// How long the answer goes on.
    #[must_use]
    pub fn tail_frames(&self) -> u64 {
        (TAIL_S * f64::from(self.rates.stream_hz)) as u64
    }

    /// Takes the noise out of the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        for (channel, samples) in self.channels.iter_mut().zip(sound.channels()) {
            for sample in samples {
                *sample = channel.next(*sample, self.amount, &self.rates);
            }
        }
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        for channel in &mut self.channels {
            channel.sound.forget();
            channel.changes.forget();
            channel.heard = 0;
            channel.network.forget();
        }
    }
}

impl Rates {
    fn new(stream_hz: u32) -> Self {
        let between = |from, to| (stream_hz != RATE_HZ).then(|| Kernel::new(from, to));
        let mut rates = Self {
            stream_hz,
            into: between(stream_hz, RATE_HZ),
            back: between(RATE_HZ, stream_hz),
            latency: 0,
        };
        // The change of a sample is there when the frame after its own is full; then come the places that both kernels reach to.
        let of_the_network = (2 * FRAME + rates.reach_back() + 2) as f64;
        let in_the_stream = of_the_network * f64::from(stream_hz) / f64::from(RATE_HZ);
        rates.latency = in_the_stream.ceil() as u32 + rates.reach_into() as u32 + 1;
        rates
    }

    fn reach_into(&self) -> usize {
        self.into.as_ref().map_or(0, Kernel::reach)
    }

    fn reach_back(&self) -> usize {
        self.back.as_ref().map_or(0, Kernel::reach)
    }
}

/// Where the sample `number` of a signal at `from_hz` lies in one at `to_hz`: a sample and what is beyond it.
fn place(number: i64, from_hz: u32, to_hz: u32) -> (i64, f64) {
    let (product, from_hz) = (number * i64::from(to_hz), i64::from(from_hz));
    let beyond = product.rem_euclid(from_hz) as f64 / from_hz as f64;
    (product.div_euclid(from_hz), beyond)
}

impl Channel {
    fn next(&mut self, sample: f32, amount: f32, rates: &Rates) -> f32 {
        let delayed = self.sound.count() - i64::from(rates.latency);
        self.sound.push(sample);
        let dry = self.sound.get(delayed);
        // At the ends of the range the share is exact, and nothing has to be computed for nothing.
        if amount == 0.0 {
            return dry;
        }
        self.have_heard(rates);
        let change = match &rates.back {
            None => self.changes.get(delayed),
            Some(back) => {
                let (at, fraction) = place(delayed, rates.stream_hz, RATE_HZ);
                back.look(at, fraction, |number| self.changes.get(number))
            }
        };
        dry + amount * change
    }

    /// Has the network hear all that is there.
    fn have_heard(&mut self, rates: &Rates) {
        loop {
            let (at, fraction) = place(self.heard, RATE_HZ, rates.stream_hz);
            if at + rates.reach_into() as i64 >= self.sound.count() {
                return;
            }
            let sample = match &rates.into {
                None => self.sound.get(at),
                Some(into) => into.look(at, fraction, |number| self.sound.get(number)),
            };
            self.heard += 1;
            // The first answer is about the frame before the first, which is silence.
            let is_first = self.heard <= FRAME as i64;
            let changes = &mut self.changes;
            self.network.take(sample, |change| {
                if !is_first {
                    changes.push(change);
                }
            });
        }
    }
}
