//! Effects that are one filter of first order.

use super::render::{config, gain_db};
use super::rules::assert_conforms;
use crate::Effect;
use crate::dsp::FirstOrder;

/// How much louder an effect with the parameter [`FirstOrder::cutoff`] makes a tone, in
/// decibels, at 48 kHz.
///
/// # Panics
/// When the effect refuses the stream.
#[must_use]
pub fn gain_at<E: Effect>(cutoff_hz: f64, frequency_hz: f64) -> f64 {
    let config = config(48_000, 1, &[(FirstOrder::CUTOFF, cutoff_hz)]);
    gain_db::<E>(&config, frequency_hz)
}

/// The effect keeps the rules of the interface for low and high cut-offs, and a tone at
/// its cut-off is 3 dB softer.
///
/// # Panics
/// When a rule is broken or the tone is louder or softer.
pub fn assert_is_first_order<E: Effect>() {
    for (rate_hz, cutoff_hz) in [
        (8_000, 50.0),
        (48_000, 1.0),
        (192_000, 99_999.0),
        (44_100, 0.0),
    ] {
        assert_conforms::<E>(&config(rate_hz, 3, &[(FirstOrder::CUTOFF, cutoff_hz)]));
    }
    for cutoff_hz in [50.0, 1_000.0, 12_000.0] {
        let gain_db = gain_at::<E>(cutoff_hz, cutoff_hz);
        assert!((gain_db + 3.0103).abs() < 0.01, "{cutoff_hz}: {gain_db}");
    }
}
