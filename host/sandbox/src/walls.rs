use std::path::{Path, PathBuf};

use super::layer::{Layer, LayerState, Report, Sandbox};

/// What a process may still reach once its walls stand.
///
/// Besides what is named here it may read the system's libraries and what the kernel says about the machine and about the process
/// itself.
#[derive(Debug, Clone, Default)]
pub struct Walls {
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    devices: bool,
    max_file_bytes: Option<u64>,
    without: Vec<Layer>,
}

/// Why a process has no walls that must have them.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// A layer is missing where all are required.
    #[error("the sandbox is required, and its layer {layer} is missing: {reason}")]
    Missing {
        /// Which one.
        layer: Layer,
        /// Why.
        reason: String,
    },
}

impl Walls {
    /// Walls with nothing inside.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows reading a file, or a folder with everything in it. A path that does not exist is left out.
    #[must_use]
    pub fn reading(mut self, path: &Path) -> Self {
        self.read.push(path.to_owned());
        self
    }

    /// Allows writing a file, or making, changing and deleting files in a folder. A path that does not exist is left out.
    #[must_use]
    pub fn writing(mut self, path: &Path) -> Self {
        self.write.push(path.to_owned());
        self
    }

    /// Allows GPU devices, their drivers' libraries and the system calls of those: far more of the kernel than sound needs.
    #[must_use]
    pub fn with_devices(mut self, devices: bool) -> Self {
        self.devices = devices;
        self
    }

    /// The largest file that may be written, in bytes; no limit unless this is called.
    #[must_use]
    pub fn largest_file(mut self, bytes: u64) -> Self {
        self.max_file_bytes = Some(bytes);
        self
    }

    /// Leaves a layer out, to see what the others refuse.
    #[must_use]
    pub fn without(mut self, layer: Layer) -> Self {
        self.without.push(layer);
        self
    }

    /// Raises the walls around this process, for good.
    ///
    /// For a process with a single thread: an older Landlock holds only the thread that asks for it and those that it starts.
    ///
    /// # Errors
    /// When a layer is missing that `how` requires. The other layers then stand all the same.
    pub fn raise(&self, how: Sandbox) -> Result<Report, SandboxError> {
        if how == Sandbox::Off {
            return Ok(Report::default());
        }
        let wanted = Layer::ALL.into_iter();
        let wanted = wanted.filter(|layer| !self.without.contains(layer));
        let layers = wanted.map(|layer| self.state_of(layer)).collect();
        let report = Report { layers };
        if how == Sandbox::Required
            && let Some(state) = report.missing().next()
        {
            return Err(SandboxError::Missing {
                layer: state.layer,
                reason: state.remark.clone(),
            });
        }
        Ok(report)
    }

    fn state_of(&self, layer: Layer) -> LayerState {
        let raised = self.raise_one(layer);
        LayerState {
            layer,
            holds: raised.is_ok(),
            remark: raised.unwrap_or_else(|reason| reason),
        }
    }

    #[cfg(target_os = "linux")]
    fn raise_one(&self, layer: Layer) -> Result<String, String> {
        use super::{calls, files, limits, namespaces, privileges};

        match layer {
            Layer::Limits => limits::raise(self.max_file_bytes),
            Layer::Namespaces => namespaces::raise(&self.read, &self.write, self.devices),
            Layer::Privileges => privileges::raise(),
            Layer::Landlock => files::raise(&self.read, &self.write, self.devices),
            Layer::Seccomp => calls::raise(self.devices),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn raise_one(&self, _layer: Layer) -> Result<String, String> {
        let _ = (&self.read, &self.write, self.devices, self.max_file_bytes);
        Err("it is there on Linux alone".to_owned())
    }
}
