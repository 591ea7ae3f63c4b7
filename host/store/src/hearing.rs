//! How a server learns what the other servers of its database do: by looking at the events of all jobs, once for the whole process however
//! many clients wait, and by notices, which only make it faster.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::{PgListener, PgPoolOptions};
use tokio::sync::Notify;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::calls::{Calls, Heard};
use super::{EventKind, Store, StoreError};
use crate::sql::query;

/// How often the events are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long a look may take. A connection whose network is gone stays silent for ever.
const LOOK_LIMIT: Duration = Duration::from_secs(5);

/// The pause before listening again after the connection was lost.
const LISTEN_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// How long listening waits for a server that does not answer.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// Events are numbered when they are written but become visible when they are committed, so one may appear after later ones. Each look goes
/// back so far.
const LOOK_BACK: i64 = 1_000;

/// Events that are read at a time; more than a look goes back.
const AT_A_TIME: i64 = 2_000;

impl Store {
    /// Listens to the other servers of the database, and announces here what they do like what this one does. Runs until it is dropped;
    /// returns at once when no other server can use the database.
    pub async fn hear_others(&self) {
        let (Some(pool), Some(calls)) = (self.server(), self.calls()) else {
            return;
        };
        let lost = Notify::new();
        tokio::join!(self.look(&lost), self.listen(pool, calls, &lost));
    }

    /// Looks at the events from time to time; says when that failed.
    async fn look(&self, lost: &Notify) {
        let mut seen = None;
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            let looked = timeout(LOOK_LIMIT, self.look_once(&mut seen)).await;
            let well = matches!(looked, Ok(Ok(())));
            if self.hears().swap(well, Ordering::Relaxed) && !well {
                tracing::warn!(
                    "the database does not say what changes: everybody looks by themselves"
                );
            }
            if !well {
                // If this connection hangs, so does the one that listens.
                lost.notify_one();
            }
        }
    }

    async fn look_once(&self, seen: &mut Option<Seen>) -> Result<(), StoreError> {
        let is_first = seen.is_none();
        let seen = if let Some(seen) = seen {
            seen
        } else {
            let newest: i64 = query("SELECT COALESCE(MAX(id), 0) FROM job_events")
                .value(self.readers())
                .await?;
            seen.insert(Seen {
                newest,
                told: BTreeSet::new(),
            })
        };
        loop {
            let rows =
                query("SELECT id, job_id, kind FROM job_events WHERE id > $1 ORDER BY id LIMIT $2")
                    .bind(seen.newest - LOOK_BACK)
                    .bind(AT_A_TIME)
                    .fetch_all(self.readers())
                    .await?;
            let mut heard = Heard::default();
            for row in &rows {
                if !seen.is_new(row.try_get("id")?) || is_first {
                    continue;
                }
                let kind: String = row.try_get("kind")?;
                let is = |one: EventKind| kind == one.as_str();
                heard.due |= is(EventKind::Created) || is(EventKind::Requeued);
                heard.news |= is(EventKind::Ended);
                heard.jobs.push(row.try_get("job_id")?);
            }
            heard.jobs.sort_unstable();
            heard.jobs.dedup();
            self.tell_here(&heard);
            seen.forget();
            if (rows.len() as i64) < AT_A_TIME {
                return Ok(());
            }
        }
    }

    /// Listens to notices, again and again.
    async fn listen(&self, pool: &PgPool, calls: &Calls, lost: &Notify) {
        loop {
            let listened = tokio::select! {
                listened = self.listen_once(pool, calls) => listened,
                () = lost.notified() => Ok(()),
            };
            if let Err(error) = listened {
                tracing::debug!(%error, "cannot listen to other servers: what they do is looked for");
            }
            sleep(LISTEN_AGAIN_AFTER).await;
        }
    }

    /// Listens until the connection is lost.
    async fn listen_once(&self, pool: &PgPool, calls: &Calls) -> Result<(), sqlx::Error> {
        let options = pool.connect_options().as_ref().clone();
        // A connection of its own, which is never given back.
        let own = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(CONNECT_LIMIT)
            .connect_lazy_with(options.application_name("vocalhost-listen"));
        let mut listener = PgListener::connect_with(&own).await?;
        listener.listen(&calls.channel).await?;
        self.tell_here_of_everything();
        while let Some(notice) = listener.try_recv().await? {
            if let Some(heard) = Heard::read(notice.payload(), &calls.from) {
                self.tell_here(&heard);
            }
        }
        Ok(())
    }
}

/// Which events have been announced already.
#[derive(Debug)]
struct Seen {
    newest: i64,
    /// Those that the next look reads again.
    told: BTreeSet<i64>,
}

impl Seen {
    /// Whether an event is seen for the first time.
    fn is_new(&mut self, id: i64) -> bool {
        self.newest = self.newest.max(id);
        self.told.insert(id)
    }

    /// Forgets those that no look reads any more.
    fn forget(&mut self) {
        self.told = self.told.split_off(&(self.newest - LOOK_BACK + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_turns_up_late_is_told_of_once() {
        let mut seen = Seen {
            newest: 0,
            told: BTreeSet::new(),
        };
        assert!(seen.is_new(5));
        assert!(seen.is_new(7));
        seen.forget();
        assert!(seen.is_new(6));
        seen.forget();
        assert!(!seen.is_new(5) && !seen.is_new(6) && !seen.is_new(7));
        assert!(seen.is_new(7 + LOOK_BACK));
        seen.forget();
        assert_eq!(seen.told.len(), 1);
    }
}
