use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval, timeout};
use vocalhost_system::clock;

use super::{Store, StoreError};
use crate::sql::{Database, query};

/// How often the server of a database is asked what time it is.
const BEAT: Duration = Duration::from_secs(5);

/// An answer that takes longer is none.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);

/// How long the first answer may take, while connections are made.
const FIRST_WITHIN: Duration = Duration::from_secs(15);

/// If two answers are further apart than this, the database was out of reach, or this process stood still.
const GAP: Duration = Duration::from_secs(12);

/// How many answers the time is taken from: those of half a minute, so that a change of the clock is followed soon.
const KEPT: usize = 6;

/// Whether a database server can be reached, and what its clock says.
#[derive(Debug, Default)]
pub(super) struct Pulse(Mutex<Beats>);

#[derive(Debug, Default)]
struct Beats {
    /// The server's time when our steady clock was 0, according to each of the last answers.
    began_at_us: VecDeque<i64>,
    /// Since when it has been answering, and when it last did.
    answering: Option<(Instant, Instant)>,
}

impl Beats {
    /// Takes in an answer that has just come. Returns the server's time when our steady clock was 0.
    ///
    /// An answer gives a time before its arrival, so each estimate is a little too early, and the latest one is the best. A lease given by
    /// it is no longer than it says, and none is taken away too early.
    fn answered(&mut self, (server_us, steady_us): (i64, i64), now: Instant) -> i64 {
        self.began_at_us.truncate(KEPT - 1);
        self.began_at_us.push_front(server_us - steady_us);
        let since = match self.answering {
            Some((since, last)) if now.duration_since(last) <= GAP => since,
            _ => now,
        };
        self.answering = Some((since, now));
        self.began_at_us.iter().copied().fold(i64::MIN, i64::max)
    }

    fn has_answered_for(&self, span: Duration, now: Instant) -> bool {
        self.answering.is_some_and(|(since, last)| {
            now.duration_since(last) <= GAP && now.duration_since(since) >= span
        })
    }
}

impl Pulse {
    fn beats(&self) -> MutexGuard<'_, Beats> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks once. From then on the whole process goes by the answers.
    async fn beat(&self, database: &Database, within: Duration) -> Result<(), StoreError> {
        let asked = query("SELECT now_us()").value(database.readers());
        let said = timeout(within, asked).await;
        match said.unwrap_or(Err(sqlx::Error::PoolTimedOut)) {
            Ok(server_us) => {
                let answer = (server_us, clock::steady_us());
                clock::follow(self.beats().answered(answer, Instant::now()));
                Ok(())
            }
            Err(error) => {
                self.beats().answering = None;
                Err(error.into())
            }
        }
    }
}

/// Starts to follow the pulse of a database's server, until nobody holds it any more.
pub(super) async fn listen(database: &Database) -> Result<Arc<Pulse>, StoreError> {
    let pulse = Arc::new(Pulse::default());
    // A late answer is better than none; later ones are more precise.
    pulse.beat(database, FIRST_WITHIN).await?;
    tokio::spawn(go_on(Arc::downgrade(&pulse), database.clone()));
    Ok(pulse)
}

async fn go_on(pulse: Weak<Pulse>, database: Database) {
    let mut beats = interval(BEAT);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beats.tick().await;
        let Some(pulse) = pulse.upgrade() else { return };
        if database.is_closed() {
            return;
        }
        if let Err(error) = pulse.beat(&database, ANSWERS_WITHIN).await {
            tracing::warn!(%error, "the database does not say what time it is");
        }
    }
}

impl Store {
    /// Whether the database has been reachable for so long without a gap. A process that was itself cut off cannot say that others are
    /// gone. A file is always reachable.
    #[must_use]
    pub fn has_been_reached_for(&self, span: Duration) -> bool {
        self.pulse()
            .is_none_or(|pulse| pulse.beats().has_answered_for(span, Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_that_was_fastest_says_the_time_and_a_clock_that_was_set_is_followed() {
        let (mut beats, now) = (Beats::default(), Instant::now());
        // The clock is 1,000 ahead, and answers arrive late by 30, 10 and 20.
        assert_eq!(beats.answered((1_100, 130), now), 970);
        assert_eq!(beats.answered((1_200, 210), now), 990);
        assert_eq!(beats.answered((1_300, 320), now), 990);
        // It is put back by 500.
        let last = (0..KEPT as i64).map(|beat| beats.answered((900 + beat, 400 + beat), now));
        assert_eq!(last.last(), Some(500));
    }

    #[test]
    fn a_gap_begins_the_count_anew() {
        let (mut beats, began) = (Beats::default(), Instant::now());
        let at = |s| began + Duration::from_secs(s);
        let reached = |beats: &Beats, s| beats.has_answered_for(Duration::from_secs(30), at(s));
        for s in [0, 10, 20, 30] {
            beats.answered((0, 0), at(s));
        }
        assert!(!reached(&beats, 29) && reached(&beats, 31));
        assert!(!reached(&beats, 50), "it has been silent for too long");
        beats.answered((0, 0), at(60));
        assert!(!reached(&beats, 61));
        for s in [70, 80, 90] {
            beats.answered((0, 0), at(s));
        }
        assert!(reached(&beats, 91));
        beats.answering = None;
        assert!(!reached(&beats, 91));
    }
}
