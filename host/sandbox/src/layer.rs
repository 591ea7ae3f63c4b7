use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One kind of wall. Each uses a different feature of the system, so any of them may be missing alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// Limits of the process: no core dump, and no more open files and no larger files than the work needs.
    Limits,
    /// A root of the file system with only what was named in it, and a network without a way out.
    Namespaces,
    /// No rights beyond those of its user, and no way to get any.
    Privileges,
    /// Only the files that were named: Landlock. Where the kernel is new enough, no TCP and no signals to others either.
    Landlock,
    /// Only the system calls that the work takes: seccomp.
    Seccomp,
}

impl Layer {
    /// Every layer, in the order in which they are raised.
    pub const ALL: [Self; 5] = [
        Self::Limits,
        Self::Namespaces,
        Self::Privileges,
        Self::Landlock,
        Self::Seccomp,
    ];

    /// What people call it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Limits => "limits",
            Self::Namespaces => "namespaces",
            Self::Privileges => "privileges",
            Self::Landlock => "landlock",
            Self::Seccomp => "seccomp",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// How much of the walls there has to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sandbox {
    /// What the system has.
    #[default]
    Auto,
    /// All layers: if one is missing, no work is done. Of [`Layer::Namespaces`] and [`Layer::Landlock`], which keep the same files from a
    /// process, one is enough.
    Required,
    /// None of it.
    Off,
}

impl Sandbox {
    /// The word in settings and arguments.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Required => "required",
            Self::Off => "off",
        }
    }
}

/// A word that says nothing about walls.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be `auto`, `required` or `off`")]
pub struct UnknownSandbox;

impl FromStr for Sandbox {
    type Err = UnknownSandbox;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let all = [Self::Auto, Self::Required, Self::Off];
        let found = all.into_iter().find(|one| one.as_str() == word);
        found.ok_or(UnknownSandbox)
    }
}

/// What became of a layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerState {
    /// Which one.
    pub layer: Layer,
    /// Whether it stands.
    pub holds: bool,
    /// Why the layer does not stand, or what this system's version of it cannot refuse; empty when there is nothing to say.
    pub remark: String,
}

/// What became of the layers that were to be raised.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// One entry a layer, in the order in which they were raised.
    pub layers: Vec<LayerState>,
}

impl Report {
    /// The layers that do not stand and that no other layer replaces.
    pub fn missing(&self) -> impl Iterator<Item = &LayerState> {
        let missing = self.layers.iter().filter(|state| !state.holds);
        missing.filter(|state| self.stand_in(state.layer).is_none())
    }

    /// The other layer that stands and keeps the same files from the process as this one.
    #[must_use]
    pub fn stand_in(&self, layer: Layer) -> Option<Layer> {
        let other = match layer {
            Layer::Namespaces => Layer::Landlock,
            Layer::Landlock => Layer::Namespaces,
            Layer::Limits | Layer::Privileges | Layer::Seccomp => return None,
        };
        let stands = |state: &LayerState| state.layer == other && state.holds;
        self.layers.iter().any(stands).then_some(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_the_layers_that_keep_files_away_stands_in_for_the_other() {
        let missing = |without: &[Layer]| -> Vec<Layer> {
            let state = |layer| LayerState {
                layer,
                holds: !without.contains(&layer),
                remark: String::new(),
            };
            let layers = Layer::ALL.map(state).into();
            let report = Report { layers };
            report.missing().map(|state| state.layer).collect()
        };
        assert!(missing(&[Layer::Landlock]).is_empty());
        assert!(missing(&[Layer::Namespaces]).is_empty());
        let both = [Layer::Namespaces, Layer::Landlock];
        assert_eq!(missing(&both), both);
        assert_eq!(missing(&[Layer::Seccomp]), [Layer::Seccomp]);
    }

    #[test]
    fn the_words_of_the_setting_are_understood_and_others_are_not() {
        for word in ["auto", "required", "off"] {
            assert_eq!(word.parse::<Sandbox>().map(Sandbox::as_str), Ok(word));
        }
        assert_eq!("on".parse::<Sandbox>(), Err(UnknownSandbox));
    }
}
