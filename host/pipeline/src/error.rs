use std::io;

use vocalhost_audio::{DecodeError, EncodeError, StageError};
use vocalhost_effects::PluginError;
use vocalhost_job::{Failure, FailureCode, TrainingFinding};
use vocalhost_model::{BlendError, ModelError};

/// Why a job could not be done.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// The recording cannot be read.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The recording that goes under the result cannot be read.
    #[error("the backing: {0}")]
    Backing(#[source] DecodeError),
    /// An effect or a resampler failed in the middle.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// An effect could not be started.
    #[error(transparent)]
    Plugin(#[from] PluginError),
    /// The chain names an effect that this worker does not have.
    #[error("effect {id} {version} is not installed any more")]
    EffectMissing {
        /// The effect's id.
        id: String,
        /// The version that the job was pinned to.
        version: String,
    },
    /// The component of an effect is not what the job was accepted with, or does not load.
    #[error("effect {id} {version} cannot be used: {reason}")]
    EffectUnusable {
        /// The effect's id.
        id: String,
        /// The version that the job was pinned to.
        version: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The voice, or a model that it needs, cannot be loaded.
    #[error("cannot load the voice: {0}")]
    Load(#[source] ModelError),
    /// No package for this task is installed.
    #[error("there is no separator for {task}")]
    SeparatorMissing {
        /// What is to be separated.
        task: &'static str,
    },
    /// A separator cannot be loaded.
    #[error("cannot load the separator: {0}")]
    Separator(#[source] ModelError),
    /// The model failed on this input.
    #[error("the model failed: {0}")]
    Model(#[from] ModelError),
    /// A blended voice failed on its own demo recording, so that it is not published.
    #[error("the new voice failed on its demo recording: {0}")]
    Demo(#[source] ModelError),
    /// The voices cannot be blended.
    #[error("cannot blend: {0}")]
    Blend(#[from] BlendError),
    /// No voice can be trained on the recordings: everything that is in the way, and what is to be known besides.
    #[error("no voice can be trained on this: {}", in_words(.0))]
    Unfit(Vec<TrainingFinding>),
    /// One of several recordings cannot be read.
    #[error("{name}: {source}")]
    Recording {
        /// As people know it.
        name: String,
        /// Why.
        #[source]
        source: DecodeError,
    },
    /// The checkpoint that a training is to go on from is damaged, or of another training.
    #[error(
        "the checkpoint is damaged or of another training: of other recordings, settings or models, or of another release"
    )]
    Checkpoint,
    /// The job's minimum of output would leave too little room on the disk.
    #[error(
        "the job writes at least {needed_bytes} bytes, which does not leave {min_free_bytes} free"
    )]
    NoRoom {
        /// The minimum that it writes.
        needed_bytes: u64,
        /// How much has to stay free.
        min_free_bytes: u64,
    },
    /// A result cannot be written.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The scratch folder cannot be read or written.
    #[error("scratch file: {0}")]
    Scratch(#[from] io::Error),
}

impl PipelineError {
    /// The failure in the job's record; the cause of a fault of ours goes to the log alone.
    #[must_use]
    pub fn failure(&self) -> Failure {
        if let Some(message) = self.of_provider() {
            return Failure::new(FailureCode::ModelUnavailable, message);
        }
        let (code, message) = match self {
            Self::NoRoom { .. } => return Failure::out_of_space(),
            Self::Decode(DecodeError::Io(_))
            | Self::Backing(DecodeError::Io(_))
            | Self::Recording {
                source: DecodeError::Io(_),
                ..
            }
            | Self::Checkpoint
            | Self::Stage(StageError::Resample(_))
            | Self::Encode(_)
            | Self::Blend(
                BlendError::Count(_)
                | BlendError::Shares(_)
                | BlendError::Manifest(_)
                | BlendError::Write { .. },
            )
            | Self::Scratch(_) => (
                FailureCode::Internal,
                "the server could not finish this job".to_owned(),
            ),
            Self::Decode(_) | Self::Backing(_) | Self::Recording { .. } => {
                (FailureCode::InputDamaged, self.to_string())
            }
            Self::Stage(StageError::Refused { .. }) | Self::Plugin(PluginError::Refused { .. }) => {
                (FailureCode::EffectRefused, self.to_string())
            }
            Self::Stage(StageError::Effect { .. })
            | Self::Plugin(_)
            | Self::EffectMissing { .. }
            | Self::EffectUnusable { .. } => (FailureCode::EffectFailed, self.to_string()),
            Self::Blend(
                error @ (BlendError::Family(_)
                | BlendError::Size(_)
                | BlendError::Differs { .. }
                | BlendError::Graph { .. }),
            ) => (FailureCode::ModelsDiffer, error.to_string()),
            Self::Unfit(_) => (FailureCode::RecordingsUnfit, self.to_string()),
            Self::Load(_) | Self::Blend(BlendError::Package(_)) => (
                FailureCode::ModelUnavailable,
                "the voice model cannot be used on this server at present".to_owned(),
            ),
            Self::SeparatorMissing { task } => (
                FailureCode::ModelUnavailable,
                format!("no model that separates {task} is installed on this server"),
            ),
            Self::Separator(_) => (
                FailureCode::ModelUnavailable,
                "a separation model cannot be used on this server at present".to_owned(),
            ),
            Self::Demo(_) => (
                FailureCode::ModelFailed,
                "the new voice failed when it was to speak its demo recording".to_owned(),
            ),
            Self::Model(_) => (
                FailureCode::ModelFailed,
                "the model failed on this recording".to_owned(),
            ),
        };
        Failure::new(code, message)
    }

    /// The message when models cannot run on the provider that the settings want. ONNX Runtime's own message names files of this machine,
    /// so it only goes to the log.
    fn of_provider(&self) -> Option<String> {
        let (Self::Load(error)
        | Self::Separator(error)
        | Self::Model(error)
        | Self::Demo(error)
        | Self::Blend(BlendError::Package(error))) = self
        else {
            return None;
        };
        match error {
            ModelError::ProviderMissing(_) | ModelError::Elsewhere { .. } => {
                Some(error.to_string())
            }
            ModelError::Provider { provider, .. } => Some(format!(
                "models are to run on {provider} alone, which does not work on this server at present"
            )),
            _ => None,
        }
    }
}

/// The findings that prevent a training, in words; warnings are left out.
fn in_words(findings: &[TrainingFinding]) -> String {
    let refusals = findings.iter().filter(|finding| !finding.code.is_warning());
    let refusals: Vec<&str> = refusals.map(|finding| &*finding.message).collect();
    refusals.join("; ")
}
