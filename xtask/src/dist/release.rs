//! What everything of a release has in common: its version, its time and its name.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::capture;

/// What is being released, and where it goes.
pub struct Release {
    pub version: &'static str,
    /// Seconds since 1970 that every file gets.
    pub time: u64,
    /// The folder for what is made.
    pub folder: PathBuf,
}

impl Release {
    /// The name of the archive and of the folder in it.
    pub fn name(&self) -> String {
        let (system, processor) = (env::consts::OS, env::consts::ARCH);
        format!("vocalhost-{}-{system}-{processor}", self.version)
    }

    /// The time in words of `date`.
    pub fn date(&self, format: &str) -> Result<String> {
        let at = format!("@{}", self.time);
        let told = capture(
            Command::new("date")
                .args(["-u", "-d", &at, format])
                .env("LC_ALL", "C"),
        )?;
        let told = told.context("there is no `date`")?;
        Ok(String::from_utf8(told.stdout)?.trim().to_owned())
    }
}
