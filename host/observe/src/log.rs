//! The log: structured, on standard error, so that standard output stays free for answers.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::PanicHookInfo;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

/// Why the log could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The directives are not understood.
    #[error("`log` is not understood: {0}")]
    Directives(#[from] tracing_subscriber::filter::ParseError),
    /// A log is set up already.
    #[error("the log is set up already: {0}")]
    Twice(#[from] TryInitError),
}

/// How a line of the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// For people.
    Text,
    /// A JSON object a line, for programs.
    Json,
}

/// Sets the log up for the whole process. `directives` is a level or a list such as `vocalhost=debug,info`.
pub fn start(directives: &str, lines: Lines) -> Result<(), LogError> {
    let filter = EnvFilter::try_new(directives)?;
    let registry = tracing_subscriber::registry().with(filter);
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    match lines {
        Lines::Text => {
            let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
            registry.with(layer.with_ansi(colours)).try_init()?;
        }
        Lines::Json => {
            registry.with(layer.json().flatten_event(true)).try_init()?;
            std::panic::set_hook(Box::new(log_panic));
        }
    }
    Ok(())
}

/// Writes a panic as a line of the log: its usual text is not JSON, which readers of the log may expect.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string);
    let backtrace = Backtrace::capture();
    let backtrace =
        (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
    let text = panic.payload_as_str().unwrap_or("a panic without a text");
    tracing::error!(place, backtrace, "panicked: {text}");
}
