//! Projects that `vocalhost effect new` makes, and the sound of what is built in them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use vocalhost_audio::{Block, Stage as _};
use vocalhost_effects::{EffectHost, EffectLimits, StreamConfig};

pub const SAMPLE_RATE_HZ: u32 = 44_100;

/// `vocalhost effect …`.
pub fn vocalhost_effect(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vocalhost"));
    command.arg("effect").args(arguments);
    command.output().expect("it runs")
}

/// Makes a project in `parent` and says where it is.
pub fn project(parent: &Path, name: &str, language: &str) -> PathBuf {
    let into = parent.to_str().expect("the path is text");
    let made = vocalhost_effect(&["new", name, "--lang", language, "--into", into]);
    assert!(made.status.success(), "{}", error_of(&made));
    parent.join(name)
}

/// Runs a tool in a project as its author would: without what the outer cargo set.
pub fn tool(project: &Path, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(project).args(arguments);
    for (variable, _) in std::env::vars_os() {
        let name = variable.to_string_lossy();
        let from_outside = ["CARGO_", "RUSTC", "RUSTFLAGS", "CLIPPY_", "MAKE"];
        if name != "CARGO_HOME" && from_outside.iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(&variable);
        }
    }
    command
}

/// Runs a command to a good end.
pub fn succeed(command: &mut Command) {
    let done = command.output().expect("the tool runs");
    assert!(done.status.success(), "{}", error_of(&done));
}

/// What a command said on standard error.
pub fn error_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What the template's effect makes of ones in stereo, with its defaults: the gain of every frame, in the host.
pub fn gains_of(component: &[u8], frames: usize) -> Vec<f32> {
    let host = EffectHost::open(None, EffectLimits::default()).expect("the host opens");
    let effect = host.load(component).expect("the component is an effect");
    let config = StreamConfig {
        sample_rate_hz: SAMPLE_RATE_HZ,
        channels: 2,
        settings: BTreeMap::new(),
    };
    let mut stage = effect.start(&config).expect("it starts");
    let mut gains = Vec::new();
    for length in [1, 999, 4_096, 37].into_iter().cycle() {
        let length = length.min(frames - gains.len());
        let block = Block::from_planar(2, vec![1.0; 2 * length]);
        let answer = stage.process(block).expect("it runs");
        assert_eq!(answer.channel(0), answer.channel(1));
        gains.extend_from_slice(answer.channel(0));
        if gains.len() == frames {
            break;
        }
    }
    gains
}

/// The gain that the template's effect has by its formula: a sine of 50 Hz that begins with the stream.
pub fn expected_gain(frame: usize) -> f32 {
    let phase = 50.0 * frame as f64 / f64::from(SAMPLE_RATE_HZ);
    (std::f64::consts::TAU * phase).sin() as f32
}
