use serde::{Deserialize, Serialize};

/// How long a voice is trained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// 100 steps: enough for a minute of sound.
    #[default]
    Quick,
    /// 300 steps.
    Standard,
    /// 1,000 steps.
    Long,
}

impl Preset {
    /// All of them, the shortest first.
    pub const ALL: [Self; 3] = [Self::Quick, Self::Standard, Self::Long];

    /// As it is spelled in orders and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Standard => "standard",
            Self::Long => "long",
        }
    }

    /// The preset of a spelling.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.as_str() == text)
    }

    /// How many steps a training takes at most.
    #[must_use]
    pub fn steps(self) -> u32 {
        match self {
            Self::Quick => 100,
            Self::Standard => 300,
            Self::Long => 1_000,
        }
    }
}

/// Who agreed to a voice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// It is the voice of whoever trains it.
    #[serde(rename = "self")]
    Own,
    /// The person whose voice it is agreed.
    OwnerAgreed,
    /// The recordings are under a licence that allows it.
    Licence,
}

impl By {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Own, Self::OwnerAgreed, Self::Licence];

    /// As it is spelled in orders and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Own => "self",
            Self::OwnerAgreed => "owner-agreed",
            Self::Licence => "licence",
        }
    }

    /// Who a spelling means.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.as_str() == text)
    }
}

/// What somebody declared before a voice was trained. It is kept in the voice's package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Consent {
    /// The version of the statement's text.
    pub version: u32,
    /// The text that was shown.
    pub statement: String,
    /// Who agreed.
    pub by: By,
    /// Whose voice it is, where that is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The number that was to be spoken, where that person has also said it in a recording, which comes after those of the voice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spoken: Option<String>,
}

impl Consent {
    /// The version of [`Consent::STATEMENT`].
    pub const VERSION: u32 = 1;
    /// What has to be declared before a voice is trained.
    pub const STATEMENT: &'static str = "The person whose voice is in these recordings has agreed that a voice is made from them and used \
        to convert other sound, or the recordings are under a licence that allows it. The voice will not be used to deceive anybody \
        about who is speaking.";

    /// Today's statement, declared.
    #[must_use]
    pub fn to_statement(by: By, name: Option<String>) -> Self {
        Self {
            version: Self::VERSION,
            statement: Self::STATEMENT.to_owned(),
            by,
            name,
            spoken: None,
        }
    }
}

/// How a training stands after some of its steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrainingStep {
    /// Steps taken.
    pub step: u32,
    /// Steps to be taken at most.
    pub steps: u32,
    /// The mean loss of the steps since the last report: how far the voice's curves are from those of the recordings, in nepers.
    pub loss: f64,
    /// The same loss on held-out stretches, which nothing is learned from, where it has just been measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out_loss: Option<f64>,
    /// How long the rest will take at this pace, in seconds.
    pub eta_s: f64,
}

/// What is wrong with recordings that a voice is to be trained on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrainingFinding {
    /// What it is.
    pub code: FindingCode,
    /// The same in words, with figures.
    pub message: String,
    /// The number of the recording, counted from 0, where it is about one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<usize>,
}

/// What can be wrong with recordings that a voice is to be trained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingCode {
    /// Less than half a minute sounds.
    TooShort,
    /// Less than a quarter of a minute is voiced.
    TooLittleVoice,
    /// Too many samples are at full scale.
    Clipped,
    /// High frequencies are missing.
    NarrowBand,
    /// Noise is loud behind the voice.
    Noisy,
    /// The pitch hardly moves; a warning.
    Monotone,
    /// More than one person is heard.
    SeveralSpeakers,
    /// More than one person may be heard; a warning.
    MaybeSeveralSpeakers,
    /// It is a voice that the operator has protected.
    Protected,
    /// The person who says the consent is not heard in the recordings.
    ConsentSpeaker,
    /// The recording of the consent says too little.
    ConsentTooShort,
    /// Only the first part was used; a warning.
    Cut,
}

impl FindingCode {
    /// Whether a voice is trained in spite of it.
    #[must_use]
    pub fn is_warning(self) -> bool {
        matches!(
            self,
            Self::Monotone | Self::MaybeSeveralSpeakers | Self::Cut
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_those_of_orders() {
        for preset in Preset::ALL {
            let written = serde_json::to_value(preset).expect("it is written");
            assert_eq!(written, preset.as_str());
            assert_eq!(Preset::parse(preset.as_str()), Some(preset));
        }
        for by in By::ALL {
            assert_eq!(
                serde_json::to_value(by).expect("it is written"),
                by.as_str()
            );
            assert_eq!(By::parse(by.as_str()), Some(by));
        }
        assert_eq!(By::parse("own"), None);
    }
}
