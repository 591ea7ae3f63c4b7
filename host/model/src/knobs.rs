use super::{Family, Manifest};

/// A job's choices for a voice, each of which overrides what the voice's package says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VoiceKnobs {
    /// The id of an F0 estimator, or `pyin` for the method without a model.
    pub f0_method: Option<String>,
    /// How much of what retrieval changed reaches unvoiced frames, 0 to 0.5, where 0.5 protects nothing.
    pub protect: Option<f64>,
    /// Number of the speaker to speak as.
    pub speaker: Option<i64>,
    /// Whether the voice is muted where the recording is silent.
    pub silence_gate: Option<bool>,
    /// Whether the voice is to speak live: it then uses an encoder made for that, where there is one.
    pub live: bool,
}

impl VoiceKnobs {
    /// The first of the given knobs that voices of a family do not support, by its name in requests.
    #[must_use]
    pub fn foreign_to(&self, family: Family) -> Option<&'static str> {
        let given = [
            ("protect", self.protect.is_some()),
            ("speakerId", self.speaker.is_some()),
        ];
        let given = given.into_iter().filter(|(_, is_given)| *is_given);
        let mut foreign = given.filter(|_| family != Family::Rvc);
        foreign.next().map(|(name, _)| name)
    }

    /// How many speakers the voice has, where the given one is beyond them.
    #[must_use]
    pub fn too_few_speakers(&self, voice: &Manifest) -> Option<u32> {
        let count = voice.rvc.as_ref()?.speaker_count?;
        (self.speaker? >= i64::from(count)).then_some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_voices_of_rvc_protect_and_have_speakers() {
        let gated = VoiceKnobs {
            silence_gate: Some(true),
            f0_method: Some("pyin".to_owned()),
            ..VoiceKnobs::default()
        };
        let protecting = VoiceKnobs {
            protect: Some(0.2),
            ..gated.clone()
        };
        let speaking = VoiceKnobs {
            speaker: Some(3),
            ..gated.clone()
        };
        for (knobs, foreign) in [
            (gated, None),
            (protecting, Some("protect")),
            (speaking, Some("speakerId")),
        ] {
            assert_eq!(knobs.foreign_to(Family::DdspRvc), foreign);
            assert_eq!(knobs.foreign_to(Family::Rvc), None);
        }
    }
}
