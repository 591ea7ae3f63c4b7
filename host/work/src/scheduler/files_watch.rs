use std::time::Duration;

use tokio::time::Instant;

use vocalhost_files::FileStore;
use vocalhost_system::token;

/// How often a file store that failed is checked again.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Watches the file store for the scheduler: while nothing can be written there, a job would be computed in vain.
#[derive(Debug)]
pub(super) struct FilesWatch {
    answered: bool,
    next_look: Instant,
}

impl FilesWatch {
    pub(super) fn new() -> Self {
        Self {
            answered: true,
            next_look: Instant::now(),
        }
    }

    /// Whether jobs may begin. The store is asked only after it has failed.
    pub(super) async fn answers(&mut self, files: &FileStore) -> bool {
        if !files.is_failing() {
            if !self.answered {
                tracing::info!("the file store answers again: jobs go on");
                self.answered = true;
            }
            return true;
        }
        if Instant::now() < self.next_look {
            return self.answered;
        }
        let checked = match token::draw() {
            Ok(name) => files.check(&name).await.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        self.next_look = Instant::now() + LOOK_EVERY;
        if let Err(reason) = &checked
            && self.answered
        {
            tracing::warn!(reason, "the file store does not answer: jobs wait");
        }
        let answers = checked.is_ok();
        if answers && !self.answered {
            tracing::info!("the file store answers again: jobs go on");
        }
        self.answered = answers;
        answers
    }
}
