//! The commands that the README names: set-up, the server, the whole test suite.

mod balancer;
mod book;
mod cargo;
mod clients;
mod cluster;
mod cmake;
mod console;
mod damaged;
mod dist;
mod figures;
mod folders;
mod node;
mod parity;
mod postgres;
mod process;
mod python;
mod scratch;
mod setup;
mod suite;
mod wheel;

use std::env;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use cargo::cargo;
use folders::{root, target_folder};
use process::run;

const USAGE: &str = "\
usage: cargo xtask <command>

  serve [-- ARGS]   do all the set-up, build and start the server; ARGS go to `vocalhost serve`
  cluster           do all the set-up, build and start several servers over one database and one bucket, behind a balancer
  test              do all the set-up, check formatting and lints, run every test
  fuzz-api [N]      let a fuzzer read the API's description and try N examples of each operation (200)
  fuzz-audio [N] [--FLAG]...
                    damage recordings of every format in N ways (10000) and hold how they are heard against PyAV
  parity [TOPIC]... [--FLAG]...
                    do all the set-up, build, and compare with the programs whose models the host runs (in Python);
                    `parity separation --speed` compares time and memory
  console           build the console, which the program embeds
  book              make a site of the documentation, with a search, in target/book
  dist [archive|deb|image]... [--program FILE]
                    build the program for others and make an archive (the default), a Debian package or an image of it, with
                    all that it needs, in target/dist; with --program of one that is built already
  pictures          take the pictures of docs/pictures in a browser
  live [SECONDS [LATENCY]]
                    speak live in a browser for so long (600) and tell of gaps, late blocks and delay; the machine has to be idle
  setup             do the set-up alone
  bench [-- ARGS]   do all the set-up and run the benches; ARGS go to `cargo bench`
  bench --write [NAME]...
                    run the benches that docs/measurements has places for, or those named, and write their tables there
";

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.skip_while(|argument| argument == "--").collect();
    let outcome = match command.as_str() {
        "serve" => serve(&rest),
        "cluster" => cluster::run_all(),
        "test" => test(),
        "fuzz-api" => fuzz_api(&rest),
        "fuzz-audio" => damaged::fuzz(&rest),
        "parity" => parity::parity(&rest),
        "console" => console::build(),
        "book" => book::build(),
        "dist" => dist::run(&rest),
        "pictures" => in_a_browser("console::pictures_of_the_console", &[]),
        "live" => in_a_browser("console::minutes_of_a_live_conversion", &rest),
        "setup" => setup::run().map(|_| ()),
        "bench" => bench(&rest),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve(arguments: &[String]) -> Result<()> {
    let installed = setup::run()?;
    console::build()?;
    run(cargo().args(["build", "--release", "--package", "vocalhost"]))?;
    let mut server = Command::new(target_folder().join("release/vocalhost"));
    server.arg("serve").args(arguments);
    if !has_flag(arguments, "--models-dir") && env::var_os("VOCALHOST_MODELS_DIR").is_none() {
        server.arg("--models-dir").arg(root().join("models"));
    }
    if !has_flag(arguments, "--onnxruntime") && env::var_os("VOCALHOST_ONNXRUNTIME").is_none() {
        server.arg("--onnxruntime").arg(&installed.onnxruntime);
    }
    process::replace_with(server)
}

fn test() -> Result<()> {
    let installed = setup::run()?;
    console::build()?;
    run(cargo().args(["fmt", "--all", "--check"]))
        .context("the formatting is off: run `cargo fmt`")?;
    let clients = clients::install()?;
    let postgres = postgres::Server::start()?;
    let scratch = scratch::Scratch::in_memory()?;
    let scratch = scratch.as_ref().map(scratch::Scratch::path);
    suite::run_all(&postgres, scratch, &|| {
        let mut command = cargo();
        command
            .env("RUST_TEST_THREADS", test_threads().to_string())
            .env("ORT_DYLIB_PATH", &installed.onnxruntime)
            .envs(clients.clone());
        command
    })
}

/// Tests that run at a time: most of them wait for a server more than they compute.
fn test_threads() -> usize {
    2 * std::thread::available_parallelism().map_or(1, usize::from)
}

fn fuzz_api(arguments: &[String]) -> Result<()> {
    let installed = setup::run()?;
    console::build()?;
    let examples = arguments.first().map_or("200", String::as_str);
    run(cargo()
        .args(["test", "--package", "vocalhost"])
        .args(["--test", "program", "clients::fuzz"])
        .env("ORT_DYLIB_PATH", &installed.onnxruntime)
        .envs(clients::install()?)
        .env("VOCALHOST_FUZZ_EXAMPLES", examples))
}

/// Runs one of the scripts for the browser that are no tests. Its arguments go along in variables.
fn in_a_browser(script: &str, asked: &[String]) -> Result<()> {
    let installed = setup::run()?;
    console::build()?;
    let asked = ["VOCALHOST_LIVE_SECONDS", "VOCALHOST_LIVE_LATENCY"]
        .into_iter()
        .zip(asked);
    run(cargo()
        .args(["test", "--workspace", "--test", "program"])
        .args([script, "--", "--ignored", "--nocapture"])
        .env("ORT_DYLIB_PATH", &installed.onnxruntime)
        .envs(asked)
        .envs(clients::install()?))
}

fn bench(arguments: &[String]) -> Result<()> {
    let installed = setup::run()?;
    console::build()?;
    let command = || {
        let mut command = cargo();
        command
            .args(["bench", "--package", "vocalhost"])
            .env("ORT_DYLIB_PATH", &installed.onnxruntime);
        command
    };
    if let Some((flag, named)) = arguments.split_first()
        && flag == "--write"
    {
        return figures::write(named, |name| {
            let mut command = command();
            command.args(["--bench", name]);
            command
        });
    }
    run(command().args(arguments))
}

fn has_flag(arguments: &[String], flag: &str) -> bool {
    arguments
        .iter()
        .any(|argument| argument.split('=').next() == Some(flag))
}
