//! Several servers on this machine, set up as on several machines: over one database and one bucket, behind a balancer.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::balancer::balance;
use crate::cargo::cargo;
use crate::folders::{root, target_folder};
use crate::process::{capture, run};
use crate::{console, postgres, setup};

/// Where clients reach the whole.
const ADDRESS: &str = "127.0.0.1:8080";

/// The nodes that answer requests.
const API_NODES: usize = 2;

/// The nodes that do jobs.
const WORKERS: usize = 3;

/// A process of the cluster, which is killed when the value goes.
struct Running {
    name: String,
    process: Child,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have been killed by hand.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts everything, says what is what, and waits for Ctrl-C, which ends everything. Nothing of it stays.
pub fn run_all() -> Result<()> {
    // From here on, so that it ends what was started.
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let installed = setup::run()?;
    console::build()?;
    run(cargo().args(["build", "--release", "--package", "vocalhost"]))?;
    run(cargo()
        .args(["build", "--package", "vocalhost-testing"])
        .args(["--features", "s3", "--example", "s3"]))?;
    let listener = TcpListener::bind(ADDRESS).with_context(|| format!("{ADDRESS} is taken"))?;
    let database = postgres::Server::start()?;
    let (s3, mut shared) = bucket()?;
    for (name, value) in [
        ("DATABASE", database.address()),
        ("PUBLIC_URL", &format!("http://{ADDRESS}")),
    ] {
        shared.push((format!("VOCALHOST_{name}"), value.to_owned()));
    }
    let cluster = Cluster {
        folder: database.folder().join("nodes"),
        onnxruntime: installed.onnxruntime,
        shared,
    };
    fs::create_dir_all(&cluster.folder)?;
    let key = cluster.key()?;
    let mut nodes = Vec::new();
    let mut targets = Vec::new();
    for number in 1..=API_NODES {
        let (node, address) = cluster.node(&format!("api-{number}"), "api")?;
        nodes.push(node);
        targets.push(address);
    }
    for number in 1..=WORKERS {
        nodes.push(cluster.node(&format!("worker-{number}"), "worker")?.0);
    }
    balance(listener, targets);
    tell(&key, &cluster.folder, &s3, &nodes);
    signals.forever().next();
    eprintln!("ending all");
    Ok(())
}

#[allow(clippy::print_stdout, reason = "a command says what it did")]
fn tell(key: &str, folder: &Path, s3: &Running, nodes: &[Running]) {
    println!("\nhttp://{ADDRESS} with the key {key}\n");
    for running in nodes.iter().chain([s3]) {
        println!("  {:<9} process {}", running.name, running.process.id());
    }
    println!(
        "\nLogs are in {}. Kill what you like (kill -9, kill -STOP and -CONT):",
        folder.display()
    );
    println!("what was accepted is done all the same. Ctrl-C ends all.");
}

/// An S3 server, which ends with this process, and the variables by which it is used.
fn bucket() -> Result<(Running, Variables)> {
    let mut process = Command::new(target_folder().join("debug/examples/s3"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .context("cannot start the S3 server")?;
    let output = process.stdout.take().context("it is piped")?;
    let running = Running {
        name: "bucket".to_owned(),
        process,
    };
    let mut variables = Vec::new();
    for line in BufReader::new(output).lines() {
        let line = line?;
        let Some((name, value)) = line.split_once('=') else {
            break;
        };
        variables.push((name.to_owned(), value.to_owned()));
    }
    Ok((running, variables))
}

type Variables = Vec<(String, String)>;

struct Cluster {
    folder: PathBuf,
    onnxruntime: PathBuf,
    /// Settings that all nodes have.
    shared: Variables,
}

impl Cluster {
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(target_folder().join("release/vocalhost"));
        command
            .envs(self.shared.iter().map(|(name, value)| (name, value)))
            .env("VOCALHOST_DATA_DIR", self.folder.join(name))
            .env("VOCALHOST_MODELS_DIR", root().join("models"))
            .env("VOCALHOST_ONNXRUNTIME", &self.onnxruntime);
        command
    }

    /// A key of the first user.
    fn key(&self) -> Result<String> {
        let mut command = self.command("api-1");
        command.args(["keys", "create", "--user", "operator"]);
        let made = capture(&mut command)?.context("the server was built")?;
        if !made.status.success() {
            bail!("no key: {}", String::from_utf8_lossy(&made.stderr).trim());
        }
        Ok(String::from_utf8(made.stdout)?.trim().to_owned())
    }

    /// Starts a node, and gives the address at which it answers clients or its health checks.
    fn node(&self, name: &str, role: &str) -> Result<(Running, String)> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let log = File::create(self.folder.join(format!("{name}.log")))?;
        let mut command = self.command(name);
        command
            .args(["serve", "--workers", "1", "--role", role])
            .args(["--node-name", name, "--listen", &address]);
        let process = command
            // Ctrl-C is for this process, which ends the others.
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let name = name.to_owned();
        Ok((Running { name, process }, address))
    }
}
