//! What the store is told about a stream that is open.

use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use super::recordings::delete_files;
use super::session::Flow;
use crate::Api;
use vocalhost_job::{LiveEnd, LiveFigures, LiveRecorded, LiveSpec};
use vocalhost_store::{LiveRecord, Store};
use vocalhost_system::clock;

/// How often it is told: several times before a conversion without reports counts as lost.
const EVERY: Duration = Duration::from_secs(5);

/// Reports regularly that a conversion goes on, and how, beginning before its voice is loaded. It runs beside the stream, so that a
/// database that is slow or away holds up no sound.
pub(super) struct Noting {
    figures: watch::Sender<LiveFigures>,
    task: JoinHandle<()>,
}

impl Noting {
    pub(super) fn begin(store: Store, id: i64) -> Self {
        let (figures, latest) = watch::channel(LiveFigures::default());
        let task = tokio::spawn(async move {
            let mut ticks = interval(EVERY);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let figures = *latest.borrow();
                match store.note_live(id, &figures, clock::now_us()).await {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(error) => {
                        tracing::warn!(live = id, %error, "cannot note how a live conversion goes");
                    }
                }
            }
        });
        Self { figures, task }
    }

    /// How it goes by now.
    pub(super) fn tell(&self, figures: LiveFigures) {
        self.figures.send_replace(figures);
    }

    /// Waits until the store says that the conversion is over, such as one that was deleted. The wait may be dropped and begun again.
    pub(super) async fn is_over(&mut self) {
        // It ends by itself only then.
        let _ended = (&mut self.task).await;
    }

    /// Stops reporting.
    pub(super) async fn end(self) {
        if !self.task.is_finished() {
            self.task.abort();
            let _cancelled = self.task.await;
        }
    }
}

/// Notes the end of a stream, and gives the record.
pub(super) async fn note_end(
    api: &Api,
    id: i64,
    (why, spec): (LiveEnd, &LiveSpec),
    flow: &Flow,
) -> Option<LiveRecord> {
    let figures = flow.figures();
    let ended = api
        .store
        .end_live(id, (why, &figures, spec), clock::now_us());
    match ended.await {
        Ok(live) => live,
        Err(error) => {
            tracing::error!(live = id, %error, "cannot note the end of a live conversion");
            None
        }
    }
}

/// Notes what was recorded. Files of a conversion that was deleted meanwhile go.
pub(super) async fn note_recorded(
    api: &Api,
    id: i64,
    recorded: &LiveRecorded,
) -> Option<LiveRecord> {
    match api.store.keep_live_files(id, recorded).await {
        Ok(Some(live)) => Some(live),
        Ok(None) => {
            let keys: Vec<String> = recorded.files().map(|file| file.key.clone()).collect();
            delete_files(api, id, &keys).await;
            None
        }
        Err(error) => {
            tracing::error!(live = id, %error, "cannot note the recordings of a live conversion");
            None
        }
    }
}
