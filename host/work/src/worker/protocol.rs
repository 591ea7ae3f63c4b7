//! The protocol between supervisor and worker: frames of a `u32` little-endian length and that many bytes of JSON, with orders on the
//! worker's standard input and reports on its standard output.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};

use vocalhost_job::{
    Chain, Failure, FileContent, JobResult, JobSpec, LiveKnobs, LiveSpec, Progress, SampleFormat,
    Timings, TrainingStep,
};
use vocalhost_pipeline::{Beside, LiveLatency};

/// From the supervisor. The content stands beside the tag, not among its fields: serde reads an internally tagged enum through a buffer, in
/// which keys that are numbers do not survive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "order", content = "work", rename_all = "snake_case")]
pub enum Order {
    /// Do this job. There is at most one at a time.
    Run(Box<WorkOrder>),
    /// Convert sound as it comes, until [`Order::EndLive`]. No job runs meanwhile.
    Live(Box<LiveOrder>),
    /// More of the sound: mono samples, floats of 32 bits, little-endian, in base64. Each is answered by one [`Report::Spoken`].
    Hear(String),
    /// Change the settings. Answered by one [`Report::Changed`].
    Change(Box<LiveChange>),
    /// No more sound follows. Answered by [`Report::Over`].
    EndLive,
}

/// A live conversion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiveOrder {
    /// For the log.
    pub id: i64,
    /// For the log: the request that opened the stream.
    pub request_id: String,
    /// What to do.
    pub spec: LiveSpec,
    /// The folder of the voice's package.
    pub voice: PathBuf,
    /// Where the effects are, and their limits; an effect that is not listed is built in.
    pub effects: Vec<OrderedEffect>,
}

/// The changes from now on; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveChange {
    /// The settings of the conversion.
    pub knobs: Option<LiveKnobs>,
    /// Effects before the voice.
    pub pre: Option<Chain>,
    /// Effects after it.
    pub post: Option<Chain>,
    /// Where those effects are.
    pub effects: Vec<OrderedEffect>,
}

/// A job, and everything that the worker may see to do it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkOrder {
    /// For the log.
    pub job_id: i64,
    /// For the log: the request that made the job.
    pub request_id: String,
    /// For the log: the trace that the job belongs to, as the header `traceparent` has it.
    pub trace_parent: Option<String>,
    /// What to do.
    pub spec: JobSpec,
    /// The recording, inside `scratch`; a blend has none, and a training several.
    pub input: Option<PathBuf>,
    /// The recording that goes under a converted voice, inside `scratch`, if there is one.
    pub backing: Option<PathBuf>,
    /// A folder of this attempt alone; spools and results go here.
    pub scratch: PathBuf,
    /// The folder of each voice's package, by the voice's number in the catalogue.
    pub voices: BTreeMap<i64, PathBuf>,
    /// Pictures and demos that voices of a blend have beside their packages, inside `scratch`, by the voice's number.
    pub beside: BTreeMap<i64, Beside>,
    /// What a training works on.
    pub training: Option<TrainingFiles>,
    /// Where the effects of the job are, and their limits; an effect that is not listed is built in.
    pub effects: Vec<OrderedEffect>,
}

impl WorkOrder {
    /// The same order after its scratch folder was moved to `place`.
    pub(super) fn moved_to(mut self, place: &Path) -> Self {
        let from = std::mem::replace(&mut self.scratch, place.to_owned());
        let beside = self.beside.values_mut();
        let beside = beside.flat_map(|beside| [&mut beside.picture, &mut beside.demo]);
        let effects = self.effects.iter_mut().map(|effect| &mut effect.component);
        let optional = [&mut self.input, &mut self.backing].into_iter();
        let mut training = self.training.as_mut();
        let checkpoint = training.as_mut().map(|files| &mut files.checkpoint);
        let optional = optional.chain(beside).chain(effects).chain(checkpoint);
        let optional = optional.flatten().chain(self.voices.values_mut());
        for path in optional {
            if let Ok(within) = path.strip_prefix(&from) {
                *path = place.join(within);
            }
        }
        let training = self.training.iter_mut();
        let training = training.map(|files| [&mut files.recordings, &mut files.protected]);
        for path in training.flatten().flatten() {
            if let Ok(within) = path.strip_prefix(&from) {
                *path = place.join(within);
            }
        }
        self
    }
}

/// The files for a training, inside the scratch folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainingFiles {
    /// The recordings.
    pub recordings: Vec<PathBuf>,
    /// Recordings of voices that are not to be trained.
    pub protected: Vec<PathBuf>,
    /// The checkpoint of an earlier attempt, if there was one.
    pub checkpoint: Option<PathBuf>,
}

/// Samples as a text: floats of 32 bits, little-endian, in base64.
#[must_use]
pub(crate) fn to_text(samples: &[f32]) -> String {
    BASE64_STANDARD.encode(SampleFormat::F32le.written(samples))
}

/// The samples of a text. None when it is no such text.
#[must_use]
pub(crate) fn of_text(text: &str) -> Option<Vec<f32>> {
    let bytes = BASE64_STANDARD.decode(text).ok()?;
    Some(SampleFormat::F32le.read(&bytes))
}

/// A file that a worker has made during a job, in the scratch folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeFile {
    /// Its name there.
    pub name: String,
    /// What is in it.
    pub content: FileContent,
}

/// News of a training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Milestone {
    /// Some more steps were taken.
    Step(TrainingStep),
    /// A checkpoint from which it can go on.
    Checkpoint {
        /// The last step that was reported.
        step: u32,
        /// The file with everything that the next attempt needs.
        file: MadeFile,
    },
    /// A test of the voice in its present state.
    Heard {
        /// After so many steps.
        step: u32,
        /// The sound.
        file: MadeFile,
    },
}

/// What a worker needs to know about an effect of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OrderedEffect {
    /// SHA-256 of its component, lower-case hex.
    pub digest: String,
    /// The component, inside the scratch folder; `None` for a built-in effect.
    pub component: Option<PathBuf>,
    /// Memory that it may use, when it has a limit of its own.
    pub memory_bytes: Option<u64>,
    /// Seconds of work per second of audio, when it has a limit of its own.
    pub work_per_audio: Option<f64>,
}

/// The cost of a job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkTimes {
    /// Time.
    pub timings: Timings,
    /// How its models were found.
    #[serde(default)]
    pub models: ModelUse,
}

/// Parts of models (graphs, indexes) that a job needed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelUse {
    /// They had to be loaded.
    pub loaded: u64,
    /// They were loaded already.
    pub reused: u64,
    /// Others that were unloaded to make room.
    pub evicted: u64,
}

impl ModelUse {
    /// The difference between two counts of one worker.
    #[must_use]
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            loaded: self.loaded.saturating_sub(before.loaded),
            reused: self.reused.saturating_sub(before.reused),
            evicted: self.evicted.saturating_sub(before.evicted),
        }
    }
}

/// From the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "report", rename_all = "snake_case")]
pub enum Report {
    /// It has started and waits for an order.
    Ready,
    /// The job goes on.
    Progress(Progress),
    /// A training has reached a new point; its file stays in place until the job ends.
    Milestone {
        /// What is new.
        news: Box<Milestone>,
    },
    /// A live conversion can begin: everything is loaded and has run once.
    Listening(LiveLatency),
    /// The next sound of a live conversion.
    Spoken {
        /// The sound, as in [`Order::Hear`]; empty until a block is whole.
        sound: String,
        /// The time of computing it, if anything was computed.
        took_us: Option<u64>,
        /// The level of the speaker, as far as it is known.
        input_rms: Option<f64>,
    },
    /// The settings were changed, or not.
    Changed {
        /// Why they were not; everything is then as it was before.
        refused: Option<String>,
        /// The latency from now on.
        delay: LiveLatency,
    },
    /// A live conversion has come to its end.
    Over {
        /// The rest of the sound.
        sound: String,
    },
    /// The cost of the job; sent before its end.
    Took(WorkTimes),
    /// The job is done; keys are file names in the scratch folder.
    Done(Box<JobResult>),
    /// The job cannot be done. `detail` is for the log alone.
    Failed {
        /// What the record shows.
        failure: Failure,
        /// What the log shows.
        detail: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocalhost_job::SeparationSpec;

    #[test]
    fn an_order_arrives_as_it_was_given() {
        let order = Order::Run(Box::new(WorkOrder {
            job_id: 1,
            request_id: "request".to_owned(),
            trace_parent: None,
            spec: JobSpec::VocalSeparation(SeparationSpec::default()),
            input: None,
            backing: None,
            scratch: "scratch".into(),
            voices: BTreeMap::from([(3, "voice-3".into()), (12, "voice-12".into())]),
            beside: BTreeMap::from([(3, Beside::default())]),
            training: None,
            effects: Vec::new(),
        }));
        let sent = serde_json::to_vec(&order).expect("plain data");
        let received: Order = serde_json::from_slice(&sent).expect("is understood");
        assert_eq!(received, order);
    }

    #[test]
    fn an_order_is_right_after_its_folder_was_moved() {
        let order = WorkOrder {
            job_id: 1,
            request_id: "request".to_owned(),
            trace_parent: None,
            spec: JobSpec::VocalSeparation(SeparationSpec::default()),
            input: Some("/a/1/input.wav".into()),
            backing: None,
            scratch: "/a/1".into(),
            voices: BTreeMap::from([(3, "/models/voice".into())]),
            beside: BTreeMap::from([(
                3,
                Beside {
                    picture: Some("/a/1/voice-3.png".into()),
                    demo: None,
                },
            )]),
            training: Some(TrainingFiles {
                recordings: vec!["/a/1/recording-0.wav".into()],
                protected: vec!["/a/1/protected-0.wav".into()],
                checkpoint: Some("/a/1/checkpoint".into()),
            }),
            effects: vec![OrderedEffect {
                digest: "ab".to_owned(),
                component: Some("/a/1/ab.wasm".into()),
                memory_bytes: None,
                work_per_audio: None,
            }],
        };
        let moved = order.moved_to(Path::new("/b/job"));
        assert_eq!(moved.scratch, Path::new("/b/job"));
        assert_eq!(moved.input.as_deref(), Some(Path::new("/b/job/input.wav")));
        assert_eq!(moved.voices[&3], Path::new("/models/voice"));
        let picture = moved.beside[&3].picture.as_deref();
        assert_eq!(picture, Some(Path::new("/b/job/voice-3.png")));
        let training = moved.training.as_ref().expect("it goes along");
        assert_eq!(training.recordings, [Path::new("/b/job/recording-0.wav")]);
        assert_eq!(training.protected, [Path::new("/b/job/protected-0.wav")]);
        let checkpoint = training.checkpoint.as_deref();
        assert_eq!(checkpoint, Some(Path::new("/b/job/checkpoint")));
        let component = moved.effects[0].component.as_deref();
        assert_eq!(component, Some(Path::new("/b/job/ab.wasm")));
    }
}
