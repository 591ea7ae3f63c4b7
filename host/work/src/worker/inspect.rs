//! A look at a component that is to be installed, in a child process with limits of its own: the server itself neither compiles nor runs
//! it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Resource;
use serde::{Deserialize, Serialize};
use tokio::process::Command;

use super::child::{self, BESIDE_JOBS, Fault, Look, absolute};
use super::compiled::Compiled;
use vocalhost_audio::{Block, Stage as _, StageError};
use vocalhost_effects::{
    Descriptor, Effect, EffectHost, EffectLimits, MAX_FRAMES, PluginError, StreamConfig,
};
use vocalhost_sandbox::Walls;

/// The longest answer of the child. An effect's description is kept in memory and sent to every client that lists effects: tens of
/// kilobytes are much.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// Processor time, measured: an effect in JavaScript, which brings its engine along in 12 MB, compiles in 18 s, and the largest component
/// that is accepted, full of code, in 35 s. Running it has its own fuel.
///
/// Private writable memory, which the compiler needs most of, measured: the effect in JavaScript takes half a gigabyte; one function of 7
/// MB, which no compiler of effects makes, takes more than this and is refused. The limit is on this number and not on the address space,
/// because the memory of each guest reserves 4 GiB of addresses that it never touches. The kernel enforces it, since watching from outside
/// would notice a fast process only after some gigabytes.
///
/// Files: compiled code is several times as large as its component.
const LOOK: Look = Look {
    wall: Duration::from_mins(3),
    limits: &[
        (Resource::Data, 2 << 30),
        (Resource::Cpu, 120),
        (Resource::Fsize, 512 << 20),
    ],
    niceness: BESIDE_JOBS,
    max_answer_bytes: MAX_ANSWER_BYTES,
};

/// The stream that a new effect is started for.
const SAMPLE_RATE_HZ: u32 = 48_000;

/// Blocks of sound that it must carry.
const BLOCKS: usize = 8;

/// How to inspect.
#[derive(Debug, Clone, PartialEq)]
pub struct InspectOptions {
    /// Where compiled effects are kept: the code compiled here ends up there.
    pub effect_cache: PathBuf,
    /// Memory that the effect may use.
    pub memory_bytes: u64,
    /// Seconds of work that it may take per second of audio.
    pub work_per_audio: f64,
}

impl InspectOptions {
    fn limits(&self) -> EffectLimits {
        EffectLimits::of(self.memory_bytes as usize, self.work_per_audio)
    }
}

/// What a component turned out to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    /// What it says about itself.
    pub descriptor: Descriptor,
    /// Its SHA-256, lower-case hex.
    pub digest: String,
    /// Its size.
    pub bytes: u64,
}

/// Why the inspection of a component did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// It cannot be installed as an effect; the operator may read why.
    #[error("{0}")]
    Rejected(String),
    /// The look itself failed, which says nothing about the component.
    #[error("cannot look at a component: {0}")]
    Broken(String),
}

type Answer = child::Answer<Inspection, String>;

/// Looks at the component in the file `path` in a child process, `program inspect-effect PATH …`: compiles it, asks it
/// what it is, and sends a little sound through it.
///
/// The child compiles into a folder of its own, from which only the code of this component is kept: files in the cache run in every process
/// without further checks, and a component that took its child over could leave other code there, for other effects.
pub async fn inspect_in_child(
    program: &Path,
    path: &Path,
    options: &InspectOptions,
) -> Result<Inspection, InspectError> {
    let broken = |error: std::io::Error| InspectError::Broken(error.to_string());
    let component = tokio::fs::read(path).await.map_err(broken)?;
    let digest = EffectHost::digest(&component);
    let compiled = Compiled::beside(&absolute(path)).map_err(broken)?;
    let mut command = Command::new(program);
    command
        .arg("inspect-effect")
        .arg(absolute(path))
        .arg("--effect-cache")
        .arg(compiled.folder())
        .arg("--effect-memory-bytes")
        .arg(options.memory_bytes.to_string())
        .arg("--effect-work-per-audio")
        .arg(options.work_per_audio.to_string());
    let inspection: Inspection = LOOK.ask(command, path).await.map_err(|fault| {
        match fault {
        Fault::Rejected(reason) => InspectError::Rejected(reason),
        Fault::TooMuch => InspectError::Rejected(
            "the component asks for more time or memory than compiling and starting an effect takes"
                .to_owned(),
        ),
        Fault::TooLong => InspectError::Rejected(format!(
            "the effect says more about itself than {} KiB",
            MAX_ANSWER_BYTES >> 10
        )),
        Fault::Panicked(reason) | Fault::Broken(reason) => InspectError::Broken(reason),
    }
    })?;
    if inspection.digest != digest {
        let reason = "the child speaks of another component".to_owned();
        return Err(InspectError::Broken(reason));
    }
    compiled.keep(&digest, &options.effect_cache);
    Ok(inspection)
}

/// The child's side, to be called before anything else in a process of its own: limits this process for good, looks at
/// the component, and returns the line to print.
#[must_use]
pub fn answer(path: &Path, options: &InspectOptions) -> String {
    let walls = Walls::new().reading(path).writing(&options.effect_cache);
    LOOK.answer(walls, || look_at(path, options))
}

fn look_at(path: &Path, options: &InspectOptions) -> Answer {
    let component = match std::fs::read(path) {
        Ok(component) => component,
        Err(error) => return Answer::Broken(error.to_string()),
    };
    let loaded = EffectHost::open(Some(&options.effect_cache), options.limits())
        .and_then(|host| host.load(&component));
    let effect = match loaded {
        Ok(effect) => effect,
        Err(error @ (PluginError::Engine(_) | PluginError::Cache(_))) => {
            return Answer::Broken(error.to_string());
        }
        Err(error) => return Answer::Rejected(error.to_string()),
    };
    match try_out(&effect) {
        Ok(()) => Answer::Ok(Inspection {
            descriptor: effect.descriptor().clone(),
            digest: effect.digest().to_owned(),
            bytes: component.len() as u64,
        }),
        Err(reason) => Answer::Rejected(reason),
    }
}

/// Sends a little sound through the effect with its default settings, in the number of channels that suits it.
fn try_out(effect: &Effect) -> Result<(), String> {
    let mut refusal = None;
    for channels in [2, 1, 3, 4, 5, 6, 7, 8] {
        let stream = StreamConfig {
            sample_rate_hz: SAMPLE_RATE_HZ,
            channels,
            settings: BTreeMap::new(),
        };
        match effect.start(&stream) {
            Ok(mut stage) => {
                let sound = |_| stage.process(a_tone(channels));
                let carried: Result<Vec<Block>, StageError> = (0..BLOCKS).map(sound).collect();
                return carried.map(drop).map_err(|error| error.to_string());
            }
            Err(error @ PluginError::Channels { .. }) => {
                refusal.get_or_insert(error.to_string());
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    refusal.map_or(Ok(()), Err)
}

/// A block of a quiet tone in every channel.
fn a_tone(channels: usize) -> Block {
    let mut block = Block::silent(channels, MAX_FRAMES);
    for channel in 0..channels {
        for (frame, sample) in block.channel_mut(channel).iter_mut().enumerate() {
            *sample = 0.25 * (0.05 * frame as f32).sin();
        }
    }
    block
}
