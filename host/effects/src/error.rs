use vocalhost_audio::StageError;

use super::ParameterError;

/// What went wrong with an effect. `effect` is its id, or `component sha256:…` as long as the id is not known.
#[derive(Debug, thiserror::Error)]
pub enum PluginError {
    /// wasmtime refuses to run on this machine.
    #[error("the effect host cannot start: {0}")]
    Engine(String),
    /// The folder for compiled effects cannot be used.
    #[error("the folder for compiled effects cannot be used: {0}")]
    Cache(std::io::Error),
    /// The bytes are more than a component may have.
    #[error("{effect} is too large: {bytes} bytes, at most {limit}")]
    TooLarge {
        /// Which component.
        effect: String,
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The bytes are no WebAssembly component, or a broken one.
    #[error("{effect} is not a WebAssembly component: {reason}")]
    NotAComponent {
        /// Which bytes.
        effect: String,
        /// What is wrong with them.
        reason: String,
    },
    /// The component imports something that effects do not get from the host.
    #[error("{effect} imports {import}, which effects are not given")]
    UnknownImport {
        /// Which component.
        effect: String,
        /// The import's name.
        import: String,
    },
    /// The component does not export `vocalhost:effect/effect` as this host knows it.
    #[error("{effect} is not an effect: {reason}")]
    NotAnEffect {
        /// Which component.
        effect: String,
        /// What is missing or different.
        reason: String,
    },
    /// The effect describes itself in a way that the interface forbids.
    #[error("{effect} describes itself wrongly: {reason}")]
    Descriptor {
        /// Which effect.
        effect: String,
        /// The first rule that it breaks.
        reason: String,
    },
    /// A setting does not fit the effect's parameters.
    #[error("{effect}: {parameter}: {reason}")]
    Setting {
        /// Which effect.
        effect: String,
        /// The parameter's id.
        parameter: String,
        /// What is wrong with the value.
        reason: ParameterError,
    },
    /// No layout of the effect can run this many channels.
    #[error("{effect} cannot run with {channels} channels")]
    Channels {
        /// Which effect.
        effect: String,
        /// Channels of the stream.
        channels: usize,
    },
    /// A sample rate that effects are not made for.
    #[error("{effect} cannot run at {sample_rate_hz} Hz")]
    SampleRate {
        /// Which effect.
        effect: String,
        /// Of the stream.
        sample_rate_hz: u32,
    },
    /// The effect lags further behind than a host makes up for.
    #[error("{effect} has a latency of {frames} frames, at most {limit}")]
    Latency {
        /// Which effect.
        effect: String,
        /// What it declares.
        frames: u32,
        /// The limit at this sample rate.
        limit: u32,
    },
    /// The effect itself refused its settings.
    #[error("{effect} refused its settings: {reason}")]
    Refused {
        /// Which effect.
        effect: String,
        /// Its own sentence, bounded in length.
        reason: String,
    },
    /// A call took more work than it may.
    #[error("{effect} ran out of time in {call}")]
    OutOfTime {
        /// Which effect.
        effect: String,
        /// The call of the interface.
        call: &'static str,
    },
    /// A call needed more memory than the effect may have.
    #[error(
        "{effect} ran out of memory in {call}: it wanted {wanted_bytes} bytes, at most {limit}"
    )]
    OutOfMemory {
        /// Which effect.
        effect: String,
        /// The call of the interface.
        call: &'static str,
        /// Bytes of all its memories together.
        wanted_bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// A call wanted to wait, which would hold up the host.
    #[error("{effect} wanted to wait in {call}, which effects may not")]
    Waited {
        /// Which effect.
        effect: String,
        /// The call of the interface.
        call: &'static str,
    },
    /// A call ended the component.
    #[error("{effect} ended itself in {call}")]
    Exited {
        /// Which effect.
        effect: String,
        /// The call of the interface.
        call: &'static str,
    },
    /// A call trapped: a panic, an access out of bounds, a stack overflow, a broken answer.
    #[error("{effect} failed in {call}: {reason}")]
    Trapped {
        /// Which effect.
        effect: String,
        /// The call of the interface.
        call: &'static str,
        /// The kind of trap and what the effect wrote to its standard error; bounded in length.
        reason: String,
    },
    /// The answer is not as long as the input demands.
    #[error("{effect} answered with {samples} samples instead of {expected}")]
    WrongLength {
        /// Which effect.
        effect: String,
        /// Samples that it gave.
        samples: usize,
        /// Samples that the interface demands.
        expected: usize,
    },
    /// The answer holds a NaN or an infinity.
    #[error("{effect} answered with a sample that is not finite, at frame {frame} of the stream")]
    NotFinite {
        /// Which effect.
        effect: String,
        /// Counted from the beginning of the stream.
        frame: u64,
    },
    /// The answer holds a sample with which nothing can be computed.
    #[error(
        "{effect} answered with a sample more than 680 dB above full scale, at frame {frame} of the stream"
    )]
    TooLoud {
        /// Which effect.
        effect: String,
        /// Counted from the beginning of the stream.
        frame: u64,
    },
    /// The instance failed before and may not be used again.
    #[error("{effect} failed before and cannot go on")]
    Poisoned {
        /// Which effect.
        effect: String,
    },
}

impl PluginError {
    /// The id of the effect that the error is about; none when the host itself is at fault.
    #[must_use]
    pub fn effect(&self) -> Option<&str> {
        match self {
            Self::Engine(_) | Self::Cache(_) => None,
            Self::TooLarge { effect, .. }
            | Self::NotAComponent { effect, .. }
            | Self::UnknownImport { effect, .. }
            | Self::NotAnEffect { effect, .. }
            | Self::Descriptor { effect, .. }
            | Self::Setting { effect, .. }
            | Self::Channels { effect, .. }
            | Self::SampleRate { effect, .. }
            | Self::Latency { effect, .. }
            | Self::Refused { effect, .. }
            | Self::OutOfTime { effect, .. }
            | Self::OutOfMemory { effect, .. }
            | Self::Waited { effect, .. }
            | Self::Exited { effect, .. }
            | Self::Trapped { effect, .. }
            | Self::WrongLength { effect, .. }
            | Self::NotFinite { effect, .. }
            | Self::TooLoud { effect, .. }
            | Self::Poisoned { effect } => Some(effect),
        }
    }

    /// The cause alone, for a sentence that has already named the effect.
    fn reason(&self) -> String {
        let sentence = self.to_string();
        let named = self.effect().and_then(|id| sentence.strip_prefix(id));
        named.map_or_else(
            || sentence.clone(),
            |rest| rest.trim_start_matches([':', ' ']).to_owned(),
        )
    }
}

impl From<PluginError> for StageError {
    fn from(error: PluginError) -> Self {
        let id = error.effect().unwrap_or("host").to_owned();
        match error {
            PluginError::Refused { reason, .. } => Self::Refused { id, reason },
            error => Self::Effect {
                reason: error.reason(),
                id,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_error_names_the_effect_once() {
        let error = StageError::from(PluginError::OutOfTime {
            effect: "org.example.loop".to_owned(),
            call: "process",
        });
        assert_eq!(
            error.to_string(),
            "effect org.example.loop: ran out of time in process"
        );
    }

    #[test]
    fn a_refusal_stays_a_refusal() {
        let error = StageError::from(PluginError::Refused {
            effect: "org.example.band".to_owned(),
            reason: "the band is upside down".to_owned(),
        });
        assert!(matches!(error, StageError::Refused { .. }));
    }
}
