//! A look at an uploaded recording, in a child process with limits of its own.

use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::Resource;
use serde::{Deserialize, Serialize};
use tokio::process::Command;

use super::child::{Limit, limit_this_process, one_line};
use crate::audio::{self, AudioInfo, AudioLimits, DecodeError};

/// How long a client waits for the look at its recording, at the most; the child's own limit is usually nearer.
const WALL_LIMIT: Duration = Duration::from_secs(20);

/// Address space of the child: some ten times what the look at an honest file takes, the program's own text included.
const ADDRESS_SPACE_BYTES: u64 = 512 << 20;

/// Processor time of the child, in seconds: counting the frames of hours of MP3 takes less.
const CPU_LIMIT_S: u64 = 10;

/// The longest answer of the child: it is one short line.
const MAX_ANSWER_BYTES: u64 = 64 << 10;

/// The limits of the child. One that is ended leaves no copy of its memory on the disk.
const LIMITS: [Limit; 3] = [
    (Resource::As, ADDRESS_SPACE_BYTES),
    (Resource::Cpu, CPU_LIMIT_S),
    (Resource::Core, 0),
];

/// Why a recording was not looked at with success.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The recording is not taken; the client may read why.
    #[error("{message}")]
    Rejected {
        /// Which rule it breaks: `empty`, `format`, `channels`, `sampleRate`, `duration` or `decode`.
        rule: String,
        /// For people.
        message: String,
    },
    /// The look itself failed, which says nothing about the recording.
    #[error("cannot look at a recording: {0}")]
    Broken(String),
}

/// The one line that the child prints.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Ok(AudioInfo),
    Error { rule: String, message: String },
    Broken(String),
}

/// Looks at the recording `path` in a child process, `program probe PATH --max-duration-s N`, so that whatever the
/// bytes do to a decoder they do not do to the server.
pub async fn probe_in_child(
    program: &Path,
    path: &Path,
    limits: &AudioLimits,
) -> Result<AudioInfo, ProbeError> {
    let mut command = Command::new(program);
    command
        .arg("probe")
        .arg(path)
        .arg("--max-duration-s")
        .arg(limits.max_duration_s.to_string());
    match tokio::time::timeout(WALL_LIMIT, one_line(command, MAX_ANSWER_BYTES)).await {
        Ok(Ok((status, line))) => understand(status, &line),
        Ok(Err(error)) => Err(ProbeError::Broken(error.to_string())),
        Err(_) => Err(too_much()),
    }
}

fn understand(status: ExitStatus, line: &[u8]) -> Result<AudioInfo, ProbeError> {
    match serde_json::from_slice(line) {
        Ok(Answer::Ok(info)) => Ok(info),
        Ok(Answer::Error { rule, message }) => Err(ProbeError::Rejected { rule, message }),
        Ok(Answer::Broken(reason)) => Err(ProbeError::Broken(reason)),
        // It was ended by a signal: that of a limit, or that of an allocation which a limit refused.
        Err(_) if status.code().is_none() => Err(too_much()),
        Err(error) => Err(ProbeError::Broken(format!(
            "the child ended with {status} and no answer: {error}"
        ))),
    }
}

fn too_much() -> ProbeError {
    ProbeError::Rejected {
        rule: "decode".to_owned(),
        message:
            "the file cannot be decoded: it asks for more time or memory than any recording needs"
                .to_owned(),
    }
}

/// The child's side, to be called before anything else in a process of its own: limits this process for good, looks at the recording, and returns the line to print.
#[must_use]
pub fn answer(path: &Path, limits: &AudioLimits) -> String {
    let answer = match limit_this_process(&LIMITS) {
        Ok(()) => describe(audio::probe(path, limits)),
        // Without limits the file is not touched.
        Err(error) => Answer::Broken(format!("the limits cannot be set: {error}")),
    };
    serde_json::to_string(&answer).unwrap_or_else(|error| format!("{{\"broken\":\"{error}\"}}"))
}

fn describe(probed: Result<AudioInfo, DecodeError>) -> Answer {
    let error = match probed {
        Ok(info) => return Answer::Ok(info),
        Err(error) => error,
    };
    let mut message = error.to_string();
    let rule = match &error {
        DecodeError::Io(source) => return Answer::Broken(source.to_string()),
        DecodeError::Empty => "empty",
        // Which formats are accepted is the endpoint's to say.
        DecodeError::Format { found } => {
            message = format!("the file is {found}");
            "format"
        }
        DecodeError::Channels { .. } => "channels",
        DecodeError::SampleRate { .. } => "sampleRate",
        DecodeError::TooLong { .. } => "duration",
        DecodeError::Undecodable { .. } | DecodeError::Damaged { .. } => "decode",
    };
    Answer::Error {
        rule: rule.to_owned(),
        message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_recording_names_its_rule() {
        let line = serde_json::to_string(&describe(Err(DecodeError::Empty))).expect("plain data");
        assert_eq!(
            line,
            r#"{"error":{"rule":"empty","message":"the file holds no sound"}}"#
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_child_that_a_limit_ended_speaks_against_the_file_and_one_that_failed_does_not() {
        use std::os::unix::process::ExitStatusExt as _;

        let by_signal = ExitStatus::from_raw(9);
        assert!(matches!(
            understand(by_signal, b""),
            Err(ProbeError::Rejected { .. })
        ));
        let by_itself = ExitStatus::from_raw(1 << 8);
        assert!(matches!(
            understand(by_itself, b""),
            Err(ProbeError::Broken(_))
        ));
    }
}
