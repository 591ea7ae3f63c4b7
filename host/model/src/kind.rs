use serde::{Deserialize, Serialize};

/// What a package is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A voice that can be chosen.
    Voice,
    /// A content encoder that voices refer to.
    Content,
    /// An F0 estimator that voices refer to.
    F0,
    /// A separator of recordings into stems.
    Separator,
    /// A speaker encoder, which recognises recordings of one person.
    Speaker,
}

impl Kind {
    /// The word that manifests and records have for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Voice => "voice",
            Self::Content => "content",
            Self::F0 => "f0",
            Self::Separator => "separator",
            Self::Speaker => "speaker",
        }
    }

    /// Whether voices use it to listen.
    #[must_use]
    pub fn is_voice_part(self) -> bool {
        matches!(self, Self::Content | Self::F0)
    }
}
