//! A hostile child: what an attacker would try after taking over a worker. The test starts itself once for each deed and each set of
//! layers. Without walls a deed must succeed, or it proves nothing; with all of them none does; and each layer alone refuses what
//! `docs/sandbox.md` says that it refuses.

#[cfg(target_os = "linux")]
mod deed;
#[cfg(target_os = "linux")]
mod on_files;
#[cfg(target_os = "linux")]
mod on_kernel;
#[cfg(target_os = "linux")]
mod on_network;
#[cfg(target_os = "linux")]
mod on_processes;
#[cfg(target_os = "linux")]
mod raw;
#[cfg(target_os = "linux")]
mod table;
#[cfg(target_os = "linux")]
mod trials;
#[cfg(target_os = "linux")]
mod world;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use std::process::ExitCode;

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["deed", world, without, name] => trials::commit(world, without, name),
        // For `docs/sandbox.md`.
        ["--table"] => {
            let _ = std::io::Write::write_all(&mut std::io::stdout(), table::whole().as_bytes());
            ExitCode::SUCCESS
        }
        // The runner lists tests in this way.
        given if given.contains(&"--list") => ExitCode::SUCCESS,
        _ => {
            trials::all();
            ExitCode::SUCCESS
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}
