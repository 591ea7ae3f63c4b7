//! The log: structured, on standard error, so that standard output stays free for answers.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

use crate::config::LogFormat;

/// Why the log could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The directives are not understood.
    #[error("`log` is not understood: {0}")]
    Directives(#[from] tracing_subscriber::filter::ParseError),
    /// A log is set up already.
    #[error("the log is set up already: {0}")]
    Twice(#[from] TryInitError),
}

/// Sets the log up for the whole process. `directives` is a level or a list such as `vocalhost=debug,info`.
pub fn start(directives: &str, format: LogFormat) -> Result<(), TelemetryError> {
    let filter = EnvFilter::try_new(directives)?;
    let registry = tracing_subscriber::registry().with(filter);
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    match format {
        LogFormat::Text => {
            let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
            registry.with(layer.with_ansi(colours)).try_init()?;
        }
        LogFormat::Json => registry.with(layer.json().flatten_event(true)).try_init()?,
    }
    Ok(())
}
