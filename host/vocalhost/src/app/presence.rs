use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

use vocalhost_config::Settings;
use vocalhost_store::{NodeRecord, Store};
use vocalhost_system::{clock, machine};

/// How often a server says that it is there to those that share its database.
const BEAT: Duration = Duration::from_secs(5);

/// How often it says so where there are no others: for whoever looks at the list, and not to wake the disk.
const BEAT_ALONE: Duration = Duration::from_mins(1);

/// How long a server that ends waits for the database to take that in.
const LAST_WORD: Duration = Duration::from_secs(2);

/// Says in the database that this server is there, and what it does.
pub(super) struct Presence {
    store: Store,
    node: NodeRecord,
}

impl Presence {
    pub(super) fn new(settings: &Settings, store: &Store) -> Self {
        let now_us = clock::now_us();
        let kinds = settings.kinds().into_iter();
        Self {
            store: store.clone(),
            node: NodeRecord {
                id: store.node().to_owned(),
                name: settings.node_name.clone().unwrap_or_else(machine::name),
                role: settings.role.as_str().to_owned(),
                release: env!("CARGO_PKG_VERSION").to_owned(),
                queues: kinds.map(|kind| kind.as_str().to_owned()).collect(),
                started_at_us: now_us,
                seen_at_us: now_us,
                draining: false,
            },
        }
    }

    /// Says so from time to time, and at once when the server is `told` to stop, until this is dropped.
    pub(super) async fn tell(mut self, mut told: watch::Receiver<bool>) {
        let mut beats = interval(if self.store.is_shared() {
            BEAT
        } else {
            BEAT_ALONE
        });
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = beats.tick() => {}
                () = until_told(&mut told), if !self.node.draining => self.node.draining = true,
            }
            self.node.seen_at_us = clock::now_us();
            if let Err(error) = self.store.node_is_there(&self.node).await {
                tracing::debug!(%error, "cannot say that this server is there");
            }
        }
    }
}

async fn until_told(told: &mut watch::Receiver<bool>) {
    // The sender is gone only when the server ends.
    let _told = told.wait_for(|told| *told).await.is_ok();
}

/// Takes this server from the list.
pub(super) async fn leave(store: &Store) {
    // It goes by itself after a while, too.
    let left = timeout(LAST_WORD, store.node_is_gone(store.node())).await;
    if !matches!(left, Ok(Ok(()))) {
        tracing::debug!("cannot take this server from the list of servers");
    }
}
