//! The `vocalhost` program; see `vocalhost --help`.

use std::process::ExitCode;

use vocalhost::cli::Cli;

fn main() -> ExitCode {
    match vocalhost::cli::run(Cli::of_this_process()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("vocalhost: {error:#}");
            ExitCode::from(error.exit_status())
        }
    }
}
