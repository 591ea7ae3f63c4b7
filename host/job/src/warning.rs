use serde::{Deserialize, Serialize};

/// Something wrong with a recording that was accepted all the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InputWarning {
    /// What kind of thing.
    pub code: WarningCode,
    /// For people.
    pub message: String,
    /// The position in the sound as it is heard, in seconds.
    pub at_s: f64,
    /// How much of the sound is not heard, in seconds, where that is known.
    pub duration_s: Option<f64>,
    /// Whether it is about the recording that goes under the result.
    #[serde(default)]
    pub of_backing: bool,
}

/// A voice that has the number of an earlier generation of it, whose package is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Succession {
    /// The voice's number.
    pub model_id: i64,
    /// The id of the package that had the number before.
    pub earlier: String,
    /// The id of the package that has it now.
    pub later: String,
}

impl Succession {
    /// The word of records.
    pub const CODE: &str = "voice_replaced";

    /// What to tell people.
    #[must_use]
    pub fn message(&self) -> String {
        let Self { earlier, later, .. } = self;
        format!("the voice was {earlier} before, whose place {later} has taken")
    }
}

/// What can be wrong with a recording that was accepted all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// The file ends before its header or tag says.
    InputCut,
    /// A stretch cannot be decoded and is silent.
    InputDamaged,
    /// Samples are no finite numbers and are zero.
    InputNotFinite,
    /// The pitch of the recordings that a voice is trained on hardly moves.
    InputMonotone,
    /// More was given to train a voice on than is used.
    InputTooLong,
    /// The recordings that a voice is trained on may be of more than one person.
    InputSeveralSpeakers,
}

impl WarningCode {
    /// Every code, in the order in which they are described.
    pub const ALL: [Self; 6] = [
        Self::InputCut,
        Self::InputDamaged,
        Self::InputNotFinite,
        Self::InputMonotone,
        Self::InputTooLong,
        Self::InputSeveralSpeakers,
    ];

    /// The word of records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InputCut => "input_cut",
            Self::InputDamaged => "input_damaged",
            Self::InputNotFinite => "input_not_finite",
            Self::InputMonotone => "input_monotone",
            Self::InputTooLong => "input_too_long",
            Self::InputSeveralSpeakers => "input_several_speakers",
        }
    }
}
