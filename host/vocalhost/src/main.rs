//! The `vocalhost` program; see `vocalhost --help`.

use std::process::ExitCode;

use vocalhost::cli::{self, Cli};

fn main() -> ExitCode {
    keep_the_library_quiet();
    cli::to_its_end(|| match cli::run(Cli::of_this_process()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("vocalhost: {error:#}");
            ExitCode::from(error.exit_status())
        }
    })
}

/// Has ONNX Runtime tell its makers nothing. Since 1.31 its builds for Linux keep an id of the machine, and events about the machine
/// and what runs, in `~/.cache/Microsoft`, and send them. It makes both when it is loaded, before there is any other way to ask it not
/// to.
#[allow(
    unsafe_code,
    reason = "threads that read the environment meanwhile would race"
)]
fn keep_the_library_quiet() {
    // SAFETY: this is the first thing that the program does, so there is no other thread.
    unsafe {
        std::env::set_var("ORT_DISABLE_TELEMETRY", "1");
    }
}
