use serde::{Deserialize, Serialize};

/// What is taken out of a voice before it is converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CleanStep {
    /// The voices behind the lead.
    Lead,
    /// The room that the voice is in.
    Dereverb,
    /// Its echo.
    Deecho,
    /// Noise.
    Denoise,
}

impl CleanStep {
    /// Every step, in the order in which they are taken.
    pub const ALL: [Self; 4] = [Self::Lead, Self::Dereverb, Self::Deecho, Self::Denoise];

    /// The word of requests and records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lead => "lead",
            Self::Dereverb => "dereverb",
            Self::Deecho => "deecho",
            Self::Denoise => "denoise",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_the_word_of_the_record() {
        for step in CleanStep::ALL {
            let stored = serde_json::to_value(step).expect("JSON");
            assert_eq!(stored, step.as_str());
        }
    }
}
