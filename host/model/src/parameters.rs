//! What may be chosen about a conversion, and what a conversion finds out.

/// What a caller may choose about a conversion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConversionParameters {
    /// Share of retrieved content, 0 to 1: RVC's index rate.
    pub conversion_strength: f64,
    /// Weight of the model's own loudness against the source's envelope, 0 to 1: RVC's `rms_mix_rate`.
    pub model_volume_mix: f64,
    /// Semitones that the pitch is raised by.
    pub pitch_shift: f64,
    /// Whether the pitch is also moved into the voice's register, as [`Converted::suggested_pitch_shift`] says.
    pub auto_pitch: bool,
    /// Seed of the noise.
    pub seed: u64,
}

impl ConversionParameters {
    /// Semitones that the pitch is raised by in all.
    pub(super) fn shift_by(&self, heard: Converted) -> f64 {
        let suggested = heard.suggested_pitch_shift.filter(|_| self.auto_pitch);
        self.pitch_shift + suggested.unwrap_or(0.0)
    }
}

/// What was found out about a recording during its conversion.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Converted {
    /// Semitones that would bring the recording into the voice's register: whole octaves or fifths, 0 where it is there already. `None`
    /// where the voice's register is not known, or hardly any pitch was found.
    pub suggested_pitch_shift: Option<f64>,
}
