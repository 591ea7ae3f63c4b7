use serde::Deserialize;

/// What a separator separates, which decides the stems that it must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// A mix into `vocals` and `backing`.
    Vocals,
    /// A mix into `vocals`, `drums`, `bass` and `other`.
    Stems,
    /// Singing into `lead`, `harmony` and `reverb`.
    Lead,
    /// A mix or singing into the `lead` and its `backing`: music, and the voices behind the lead.
    Karaoke,
    /// A sound into what is `dry` and its `reverb`.
    Dereverb,
    /// A sound into what is `dry` and its `echo`.
    Deecho,
    /// A sound into what is `clean` and its `noise`.
    Denoise,
    /// A recording of a concert into what is `clean` and the `crowd`.
    Crowd,
}

impl Task {
    /// Every task.
    pub const ALL: [Self; 8] = [
        Self::Vocals,
        Self::Stems,
        Self::Lead,
        Self::Karaoke,
        Self::Dereverb,
        Self::Deecho,
        Self::Denoise,
        Self::Crowd,
    ];

    /// The tasks without which whole kinds of jobs are impossible. Separators for the other tasks have a single purpose and are missed only
    /// by those who ask for it.
    pub const NEEDED: [Self; 3] = [Self::Vocals, Self::Stems, Self::Lead];

    /// The word for it in a manifest.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Vocals => "vocals",
            Self::Stems => "stems",
            Self::Lead => "lead",
            Self::Karaoke => "karaoke",
            Self::Dereverb => "dereverb",
            Self::Deecho => "deecho",
            Self::Denoise => "denoise",
            Self::Crowd => "crowd",
        }
    }

    /// The task of a word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|task| task.as_str() == word)
    }

    /// The stems that make up the whole.
    #[must_use]
    pub fn stems(self) -> &'static [&'static str] {
        match self {
            Self::Vocals => &["vocals", "backing"],
            Self::Stems => &["vocals", "drums", "bass", "other"],
            Self::Lead => &["lead", "harmony", "reverb"],
            Self::Karaoke => &["lead", "backing"],
            Self::Dereverb => &["dry", "reverb"],
            Self::Deecho => &["dry", "echo"],
            Self::Denoise => &["clean", "noise"],
            Self::Crowd => &["clean", "crowd"],
        }
    }

    /// The stem that is the residual when the manifest names none.
    #[must_use]
    pub fn usual_residual(self) -> &'static str {
        match self {
            Self::Vocals | Self::Karaoke => "backing",
            Self::Stems => "other",
            Self::Lead | Self::Dereverb => "reverb",
            Self::Deecho => "echo",
            Self::Denoise => "noise",
            Self::Crowd => "crowd",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_has_a_word_of_its_own_and_leaves_one_of_its_stems() {
        for task in Task::ALL {
            assert_eq!(Task::parse(task.as_str()), Some(task));
            assert!(task.stems().contains(&task.usual_residual()), "{task:?}");
        }
        assert_eq!(Task::parse("Karaoke"), None);
    }
}
