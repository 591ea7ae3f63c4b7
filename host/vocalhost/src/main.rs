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

/// Has ONNX Runtime tell its makers nothing. Since 1.31 its builds for Linux keep a number for the machine and events about it and what
/// runs in `~/.cache/Microsoft`, and send them; it makes both when it is loaded, before anybody can ask it not to in another way.
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
