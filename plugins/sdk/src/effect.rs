//! The trait that an effect implements.

use crate::{Descriptor, Planar, Settings, Tail};

/// The stream an effect is made for; it does not change while the effect lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Frames per second, 8,000 to 192,000.
    pub sample_rate_hz: u32,
    /// Channels that come in.
    pub inputs: usize,
    /// Channels that go out.
    pub outputs: usize,
    /// No call to [`Effect::process`] carries more frames than this.
    pub max_frames: usize,
}

impl Stream {
    /// The sample rate as the number that formulas need.
    #[must_use]
    pub fn rate_hz(&self) -> f64 {
        f64::from(self.sample_rate_hz)
    }
}

/// An audio effect: what it is, and one running stream of it.
pub trait Effect: Sized + 'static {
    /// Identity, wording and parameters. Pure: the same answer at every call.
    fn describe() -> Descriptor;

    /// Prepares a stream; everything that allocates or takes long happens here.
    ///
    /// The error is a sentence for the person who wrote the request, for
    /// combinations of settings that the descriptor cannot rule out.
    fn new(stream: &Stream, settings: &Settings) -> Result<Self, String>;

    /// By how many frames the output lags behind the input.
    fn latency(&self) -> u32 {
        0
    }

    /// How long sound goes on after the input has fallen silent, on top of the
    /// latency, with the settings the stream was made with.
    fn tail(&self) -> Tail;

    /// Changes the next frames of the stream in place.
    ///
    /// The result may not depend on where the stream is cut into blocks. Samples
    /// are finite and within ±[`MAX_SAMPLE`](crate::MAX_SAMPLE).
    fn process(&mut self, sound: &mut Planar<'_>);

    /// Forgets all sound but not the settings, as if just made.
    fn reset(&mut self);
}
