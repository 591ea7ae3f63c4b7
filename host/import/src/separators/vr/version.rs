//! The two networks of VR models, which their weights tell apart.

use crate::drawing::Weights;

/// Which network it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    Older,
    Newer,
}

impl Version {
    pub(super) fn of(weights: &Weights) -> Self {
        match weights.find("stg2_low_band_net.0.enc1.conv.0.weight") {
            Some(_) => Self::Newer,
            None => Self::Older,
        }
    }

    /// Frames at both ends of a piece whose mask does not count.
    pub(super) fn unsure_frames(self) -> u64 {
        match self {
            Self::Older => 128,
            Self::Newer => 64,
        }
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Older => "before version 5.1",
            Self::Newer => "of version 5.1",
        }
    }
}
