//! What every command that goes by settings takes.

use std::path::PathBuf;

use clap::Args;

use vocalhost_config::{InForce, LoadError, SettingFlags};
use vocalhost_work::worker;

/// Which settings are in force.
#[derive(Debug, Args)]
pub struct Chosen {
    /// File with settings; `VOCALHOST_CONFIG` names it too.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    #[command(flatten)]
    pub(super) flags: SettingFlags,
}

impl Chosen {
    /// The settings in force. Children that the command starts get the sandbox that these ask for.
    pub fn load(&self) -> Result<InForce, LoadError> {
        let variable = |name: &str| std::env::var(name).ok();
        let named = variable("VOCALHOST_CONFIG").filter(|path| !path.is_empty());
        let file = self.config.clone().or_else(|| named.map(PathBuf::from));
        let in_force = vocalhost_config::load(file.as_deref(), &variable, &self.flags)?;
        // Commands start children, too.
        worker::walls::choose(in_force.settings.sandbox);
        Ok(in_force)
    }
}
