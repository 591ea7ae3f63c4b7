#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod clean;
mod failure;
mod live;
mod output;
mod progress;
mod result;
mod spec;
mod state;
mod status;
mod training;
mod training_spec;
mod transition;
mod turn;
mod warning;

pub use clean::CleanStep;
pub use failure::{Failure, FailureCode};
pub use live::{
    LiveEnd, LiveFigures, LiveFile, LiveKnobs, LivePace, LiveRecorded, LiveRecording, LiveSide,
    LiveSpec, LiveState, SampleFormat,
};
pub use output::{LossyFiles, Output, OutputFormat};
pub use progress::{JobStage, Progress};
pub use result::{
    EffectUsed, FileContent, FileRole, JobResult, Measured, ModelUsed, ResultFile, Stem, Timings,
};
pub use spec::{
    BlendPart, BlendSpec, Chain, ChainItem, ConversionSpec, JobKind, JobSpec, SeparationSpec,
    SettingValue,
};
pub use state::{JobState, Run};
pub use status::JobStatus;
pub use training::{By, Consent, FindingCode, Preset, TrainingFinding, TrainingStep};
pub use training_spec::TrainingSpec;
pub use transition::{Event, MAX_DEATHS, MAX_EXPIRIES, MAX_FAILURES, Refused, next};
pub use turn::Turn;
pub use warning::{InputWarning, Succession, WarningCode};
