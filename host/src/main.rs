//! The `vocalhost` program; see `vocalhost --help`.

use std::process::ExitCode;

use vocalhost::cli::{self, Cli};

fn main() -> ExitCode {
    cli::to_its_end(|| match cli::run(Cli::of_this_process()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("vocalhost: {error:#}");
            ExitCode::from(error.exit_status())
        }
    })
}
