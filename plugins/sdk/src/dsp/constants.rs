//! Numbers that the building blocks and the effects made of them have in common.

/// Level at which a decaying sound counts as gone: −120 dB under full scale.
pub const SILENCE: f64 = 1.0e-6;

/// Frames that effects work on at a time where several passes over a short
/// stretch are faster than one long one: it stays in the first-level cache.
pub const STRETCH_FRAMES: usize = 64;
