//! What is drawn of a Demucs: its settings, and its depth as its weights tell it.

use crate::drawing::{DrawFault, Weights};

use super::settings::Settings;

/// Bins of a spectrogram without its last.
pub(super) const BINS: u64 = 2_048;
/// The most layers of the encoder.
const MAX_DEPTH: usize = 8;

/// What is drawn.
pub(super) struct Plan {
    pub(super) settings: Settings,
    pub(super) depth: usize,
}

impl Plan {
    pub(super) fn stride(&self) -> u64 {
        self.settings.stride
    }

    pub(super) fn groups(&self) -> u64 {
        self.settings.groups
    }

    pub(super) fn widens(&self) -> bool {
        self.settings.widens
    }

    pub(super) fn heads(&self) -> u64 {
        self.settings.heads
    }

    pub(super) fn crosses_first(&self) -> bool {
        self.settings.crosses_first
    }

    pub(super) fn period(&self) -> f32 {
        self.settings.positions.0
    }

    pub(super) fn position_weight(&self) -> f32 {
        self.settings.positions.1
    }

    pub(super) fn has_gelu(&self) -> bool {
        self.settings.has_gelu
    }

    pub(super) fn of(weights: &Weights, settings: &Settings) -> Result<Self, DrawFault> {
        let depth = weights.count("encoder.", 1, |weights, layer| {
            weights.find(&format!("{layer}.conv.weight")).is_some()
        });
        let stride = settings.stride;
        // The branches of frequencies and of the wave stay apart as long as there are more bins than a kernel covers.
        let mut bins = BINS;
        for _ in 0..depth.min(MAX_DEPTH + 1) {
            if bins <= 2 * stride || !bins.is_multiple_of(stride) || !stride.is_multiple_of(2) {
                bins = 0;
                break;
            }
            bins /= stride;
        }
        if depth == 0 || depth > MAX_DEPTH || bins == 0 {
            return Err(DrawFault::refused(format!(
                "is a Demucs of another build: {depth} layers whose kernels go on by {stride} do not go together with {BINS} bins"
            )));
        }
        Ok(Self {
            settings: settings.clone(),
            depth,
        })
    }
}
