//! Reference numbers for the unit tests, made by `tests/fixtures/model/golden.py`.

use serde_json::Value;

use crate::sections::{Decode, F0, MelNorm, MelScale};

/// The numbers of `tests/parity/dsp`, from `SciPy`, librosa, `PyTorch` and FAISS.
pub(super) fn of_libraries() -> Value {
    let text = include_str!("../../../tests/fixtures/dsp/golden.json");
    serde_json::from_str(text).expect("the fixture is JSON")
}

/// The numbers of a JSON array.
pub(super) fn listed(array: &Value) -> Vec<f64> {
    let array = array.as_array().expect("an array");
    array
        .iter()
        .map(|value| value.as_f64().expect("a number"))
        .collect()
}

/// An estimator with 128 bands of 0 to 8,000 Hz and 360 bins of 20 cents; tests change what they are about.
pub(super) fn estimator() -> F0 {
    F0 {
        hop: 160,
        n_fft: 1_024,
        mels: 128,
        fmin_hz: 0.0,
        fmax_hz: 8_000.0,
        mel_scale: MelScale::Htk,
        mel_norm: MelNorm::Slaney,
        log_floor: 1e-5,
        bins: 360,
        cents_base: 1_997.379_408_437_619,
        cents_step: 20.0,
        threshold: 0.3,
        context_s: 0.0,
        power_floor: 0.0,
        lead: None,
        standardize: false,
        pad_multiple: 1,
        decode: Decode::LocalArgmax,
        live: None,
        repair: false,
    }
}

/// The signal with an offset and a rumble of `tests/parity/dsp`.
pub(super) fn rumbling(count: usize) -> Vec<f32> {
    let tau = std::f64::consts::TAU;
    (0..count)
        .map(|index| {
            let n = index as f64 / 16_000.0;
            let low = 0.3 + 0.2 * (tau * 7.0 * n).sin();
            (low + 0.3 * (tau * 220.0 * n).sin() + 0.1 * (tau * 1_234.5 * n + 1.0).sin()) as f32
        })
        .collect()
}

/// All numbers.
pub(super) fn document() -> Value {
    let text = include_str!("../../../tests/fixtures/model/golden.json");
    serde_json::from_str(text).expect("the fixture is JSON")
}

/// The array at a JSON pointer.
pub(super) fn numbers(pointer: &str) -> Vec<f64> {
    let document = document();
    listed(document.pointer(pointer).expect("the fixture has it"))
}

/// The signal that the script works on.
pub(super) fn signal(count: usize) -> Vec<f32> {
    let tau = std::f64::consts::TAU;
    (0..count)
        .map(|index| {
            let n = index as f64;
            let low = 0.3 * (tau * 220.0 * n / 16_000.0).sin();
            let high = 0.1 * (tau * 1_234.5 * n / 16_000.0 + 1.0).sin();
            ((low + high) * (0.2 + 0.8 * (n * 0.000_2).sin().abs())) as f32
        })
        .collect()
}
