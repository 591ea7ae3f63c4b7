//! A look at an uploaded recording, in a child process with limits of its own.

use std::path::Path;
use std::time::Duration;

use rustix::process::Resource;
use serde::{Deserialize, Serialize};
use tokio::process::Command;

use super::child::{self, Fault, Look, absolute};
use vocalhost_audio::{AudioInfo, AudioLimits, DecodeError, InputFormat, Probed};
use vocalhost_job::InputWarning;
use vocalhost_pipeline::warnings_of;
use vocalhost_sandbox::Walls;

/// Address space: some ten times what the look at an honest file takes, the program's own text included. Processor time:
/// counting the frames of hours of MP3 takes less.
const LOOK: Look = Look {
    wall: Duration::from_secs(20),
    limits: &[(Resource::As, 512 << 20), (Resource::Cpu, 10)],
    niceness: 0,
    max_answer_bytes: 64 << 10,
};

/// Why probing a recording did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The recording is refused; the client may read why.
    #[error("{message}")]
    Rejected {
        /// Which rule it breaks: `empty`, `format`, `channels`, `sampleRate`, `duration` or `decode`.
        rule: String,
        /// For people.
        message: String,
        /// Its format, as far as it is known: endpoints that refuse a format look no further.
        format: Option<InputFormat>,
    },
    /// The look itself failed, which says nothing about the recording.
    #[error("cannot look at a recording: {0}")]
    Broken(String),
}

/// The rule that a recording breaks, and words for people.
#[derive(Debug, Serialize, Deserialize)]
struct Refusal {
    rule: String,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<InputFormat>,
}

/// A recording that is accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// What it is.
    pub info: AudioInfo,
    /// What is wrong with it, as far as it was read.
    #[serde(default)]
    pub warnings: Vec<InputWarning>,
}

type Answer = child::Answer<Seen, Refusal>;

/// Looks at the recording `path` in a child process, `program probe PATH --max-duration-s N`, so that bytes which harm a decoder do not
/// harm the server.
pub async fn probe_in_child(
    program: &Path,
    path: &Path,
    limits: &AudioLimits,
) -> Result<Seen, ProbeError> {
    let mut command = Command::new(program);
    command
        .arg("probe")
        .arg(absolute(path))
        .arg("--max-duration-s")
        .arg(limits.max_duration_s.to_string());
    LOOK.ask(command, path).await.map_err(|fault| match fault {
        Fault::Rejected(Refusal {
            rule,
            message,
            format,
        }) => ProbeError::Rejected {
            rule,
            message,
            format,
        },
        Fault::TooMuch | Fault::TooLong => ProbeError::Rejected {
            rule: "decode".to_owned(),
            message:
                "the file cannot be decoded: it asks for more time or memory than any recording needs"
                    .to_owned(),
            format: None,
        },
        Fault::Panicked(reason) | Fault::Broken(reason) => ProbeError::Broken(reason),
    })
}

/// The child's side, to be called before anything else in a process of its own: limits this process for good, looks at the recording, and
/// returns the line to print.
#[must_use]
pub fn answer(path: &Path, limits: &AudioLimits) -> String {
    LOOK.answer(Walls::new().reading(path), || {
        describe(vocalhost_audio::probe(path, limits), || {
            vocalhost_audio::format_of(path)
        })
    })
}

fn describe(
    probed: Result<Probed, DecodeError>,
    format: impl FnOnce() -> Option<InputFormat>,
) -> Answer {
    let error = match probed {
        Ok(Probed { info, findings }) => {
            let warnings = warnings_of(findings);
            return Answer::Ok(Seen { info, warnings });
        }
        Err(error) => error,
    };
    let mut message = error.to_string();
    let rule = match &error {
        DecodeError::Io(source) => return Answer::Broken(source.to_string()),
        DecodeError::Empty => "empty",
        // Which formats are accepted is for the endpoint to decide.
        DecodeError::Format { found } => {
            message = format!("the file is {found}");
            "format"
        }
        DecodeError::Channels { .. } => "channels",
        DecodeError::SampleRate { .. } => "sampleRate",
        DecodeError::TooLong { .. } => "duration",
        DecodeError::Undecodable { .. } | DecodeError::Damaged { .. } => "decode",
    };
    Answer::Rejected(Refusal {
        rule: rule.to_owned(),
        message,
        format: format(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_recording_names_its_rule() {
        let line = describe(Err(DecodeError::Empty), || None);
        let line = serde_json::to_string(&line).expect("plain data");
        assert_eq!(
            line,
            r#"{"rejected":{"rule":"empty","message":"the file holds no sound"}}"#
        );
    }
}
