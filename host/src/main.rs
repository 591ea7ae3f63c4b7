//! The `vocalhost` program; see `vocalhost --help`.

use std::process::ExitCode;

use clap::Parser;
use vocalhost::cli::Cli;

fn main() -> ExitCode {
    // Wrong usage ends here with status 2.
    let cli = Cli::parse();
    match vocalhost::cli::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("vocalhost: {error:#}");
            ExitCode::from(error.exit_status())
        }
    }
}
