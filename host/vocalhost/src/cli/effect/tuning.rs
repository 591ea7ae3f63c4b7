//! The settings of an effect that an author tries out.

use clap::Args;

use vocalhost_effects::Descriptor;
use vocalhost_kit::{KitError, Settings, parse_settings};

/// How an effect is to be set.
#[derive(Debug, Args)]
pub struct Tuning {
    /// Set a parameter, in any spelling of its name; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(super) assignments: Vec<String>,
    /// Begin with a preset of the effect.
    #[arg(long, value_name = "ID")]
    pub(super) preset: Option<String>,
}

impl Tuning {
    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        self.assignments.is_empty() && self.preset.is_none()
    }

    /// The settings that were asked for, over those of the preset.
    pub fn settings(&self, descriptor: &Descriptor) -> Result<Settings, KitError> {
        parse_settings(descriptor, self.preset.as_deref(), &self.assignments)
    }
}
