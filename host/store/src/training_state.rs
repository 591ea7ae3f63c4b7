//! How far a training is, and news of it.

use serde::{Deserialize, Serialize};

use vocalhost_job::{FileContent, FileRole, ResultFile, TrainingStep};

/// How many checkpoints of a training are kept: if one turns out to be damaged, there is an earlier one.
const KEPT_CHECKPOINTS: usize = 2;

/// How far a training is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrainingState {
    /// What was measured every few steps, in their order.
    pub curve: Vec<TrainingStep>,
    /// Tests of the voice, each after some of the steps, in their order.
    pub heard: Vec<ResultFile>,
    /// Where a training can be gone on from, the latest last.
    pub checkpoints: Vec<Checkpoint>,
}

/// What a training can be gone on from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The last step that was reported before it.
    pub step: u32,
    /// Where it lies in the file store.
    pub key: String,
    /// What is in it.
    pub content: FileContent,
}

/// What is new of a training.
#[derive(Debug, Clone, PartialEq)]
pub enum TrainingNews {
    /// Some more steps were taken.
    Step(TrainingStep),
    /// A test of the voice as it is, published.
    Heard(ResultFile),
    /// A checkpoint, published.
    Checkpoint(Checkpoint),
}

impl TrainingState {
    /// Takes in news, and returns the keys of files that are no longer needed. What an interrupted attempt had reported after its last
    /// checkpoint is reported again, and replaces the earlier reports.
    pub fn note(&mut self, news: TrainingNews) -> Vec<String> {
        let mut unneeded = Vec::new();
        match news {
            TrainingNews::Step(step) => {
                self.curve.retain(|known| known.step < step.step);
                self.curve.push(step);
            }
            TrainingNews::Heard(file) => {
                let is_later = |known: &mut ResultFile| after(known.role) >= after(file.role);
                let later = self.heard.extract_if(.., is_later).map(|known| known.key);
                unneeded.extend(later.filter(|key| *key != file.key));
                self.heard.push(file);
            }
            TrainingNews::Checkpoint(checkpoint) => {
                self.checkpoints.retain(|known| known.key != checkpoint.key);
                self.checkpoints.push(checkpoint);
                let more = self.checkpoints.len().saturating_sub(KEPT_CHECKPOINTS);
                unneeded.extend(self.checkpoints.drain(..more).map(|known| known.key));
            }
        }
        unneeded
    }

    /// The step of the last checkpoint.
    pub(super) fn reached(&self) -> Option<u32> {
        self.checkpoints.last().map(|checkpoint| checkpoint.step)
    }

    /// Whether one of its files lies there.
    pub(super) fn names(&self, key: &str) -> bool {
        let heard = self.heard.iter().map(|file| &file.key);
        let checkpoints = self.checkpoints.iter().map(|checkpoint| &checkpoint.key);
        heard.chain(checkpoints).any(|known| known == key)
    }
}

/// After how many steps a test was made.
fn after(role: FileRole) -> u32 {
    match role {
        FileRole::Heard(step) => step,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content() -> FileContent {
        FileContent {
            bytes: 1,
            sha256: String::new(),
            crc32: None,
        }
    }

    fn step(step: u32) -> TrainingNews {
        TrainingNews::Step(TrainingStep {
            step,
            steps: 100,
            loss: 1.0,
            held_out_loss: None,
            eta_s: 0.0,
        })
    }

    fn checkpoint(step: u32, key: &str) -> TrainingNews {
        TrainingNews::Checkpoint(Checkpoint {
            step,
            key: key.to_owned(),
            content: content(),
        })
    }

    fn heard(step: u32, key: &str) -> TrainingNews {
        TrainingNews::Heard(ResultFile {
            role: FileRole::Heard(step),
            key: key.to_owned(),
            content: Some(content()),
        })
    }

    #[test]
    fn what_an_attempt_says_again_takes_the_place_of_what_an_earlier_one_said() {
        let mut state = TrainingState::default();
        for at in [10, 20, 30, 40, 30, 40] {
            assert!(state.note(step(at)).is_empty());
        }
        let steps: Vec<u32> = state.curve.iter().map(|step| step.step).collect();
        assert_eq!(steps, [10, 20, 30, 40]);
        assert!(state.note(heard(30, "a")).is_empty());
        assert!(state.note(heard(100, "b")).is_empty());
        assert_eq!(state.note(heard(100, "c")), ["b"]);
        let keys: Vec<&str> = state.heard.iter().map(|file| file.key.as_str()).collect();
        assert_eq!(keys, ["a", "c"]);
    }

    #[test]
    fn two_checkpoints_are_kept() {
        let mut state = TrainingState::default();
        assert!(state.note(checkpoint(10, "a")).is_empty());
        assert!(state.note(checkpoint(20, "b")).is_empty());
        assert!(state.note(checkpoint(20, "b")).is_empty());
        assert_eq!(state.note(checkpoint(30, "c")), ["a"]);
        assert!(state.names("b") && state.names("c") && !state.names("a"));
    }
}
