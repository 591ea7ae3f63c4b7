//! Jobs with nothing special about them.

use vocalhost_job::{Chain, ConversionSpec, Output};

/// A conversion to the first voice with nothing special about it.
pub fn conversion() -> ConversionSpec {
    ConversionSpec {
        voice_model_id: 1,
        voice_title: None,
        successions: Vec::new(),
        conversion_strength: 0.5,
        model_volume_mix: 0.5,
        pitch_shift: 0.0,
        auto_pitch: false,
        seed: 0,
        isolate_vocals: false,
        clean: Vec::new(),
        f0_method: None,
        protect: None,
        speaker: None,
        silence_gate: None,
        pre: Chain::new(),
        post: Chain::new(),
        output: Output::default(),
        strict_input: false,
    }
}
