//! What a server announces to the other servers of its database, so that they need not wait until they look again. Nothing depends on it:
//! whatever was missed is found by looking.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::{mpsc, oneshot};

use super::StoreError;
use super::secret::random_bytes;

/// Announcements that may wait for the next notice; those that do not fit in are left for the others to find.
const KEPT: usize = 4_096;

/// `NOTIFY` makes all transactions of a database that use it wait for each other when they commit. So it is never part of one of ours, and
/// a process sends a notice at most this often.
const PAUSE: Duration = Duration::from_millis(50);

/// Jobs in one notice, whose text may have 8,000 bytes.
const JOBS_IN_ONE: usize = 300;

/// How long the end of a process waits for its last notice.
const LAST_NOTICE: Duration = Duration::from_secs(1);

/// One announcement.
#[derive(Debug)]
enum Call {
    Job(i64),
    Due,
    News,
    /// Answered when everything before it was sent.
    Told(oneshot::Sender<()>),
}

/// Tells other servers. Cheap to clone; its task ends with the last clone.
#[derive(Debug, Clone)]
pub(super) struct Calls {
    sender: mpsc::Sender<Call>,
    /// The name of the channel: databases may have several schemas with an installation each.
    pub(super) channel: String,
    /// What notices of this process begin with.
    pub(super) from: String,
}

impl Calls {
    /// Begins to tell whoever uses the same database.
    pub(super) async fn open(pool: PgPool) -> Result<Self, StoreError> {
        let channel: String = sqlx::query_scalar(
            "SELECT 'vocalhost_' || oid FROM pg_namespace WHERE nspname = current_schema()",
        )
        .fetch_one(&pool)
        .await?;
        let from = format!("{:016x}", u64::from_be_bytes(random_bytes()?));
        let (sender, calls) = mpsc::channel(KEPT);
        tokio::spawn(call_out(pool, channel.clone(), from.clone(), calls));
        Ok(Self {
            sender,
            channel,
            from,
        })
    }

    /// A job has changed.
    pub(super) fn job(&self, id: i64) {
        self.call(Call::Job(id));
    }

    /// A job may have become due.
    pub(super) fn due(&self) {
        self.call(Call::Due);
    }

    /// There may be something to deliver to webhooks.
    pub(super) fn news(&self) {
        self.call(Call::News);
    }

    fn call(&self, call: Call) {
        // Servers that get no notice find out by looking.
        let _ = self.sender.try_send(call);
    }

    /// Waits a moment for all announcements to be sent.
    pub(super) async fn finish(&self) {
        let (told, all) = oneshot::channel();
        if self.sender.try_send(Call::Told(told)).is_ok() {
            // Sent or not, the process ends.
            let _ = tokio::time::timeout(LAST_NOTICE, all).await;
        }
    }
}

async fn call_out(pool: PgPool, channel: String, from: String, mut calls: mpsc::Receiver<Call>) {
    while let Some(first) = calls.recv().await {
        let mut batch = Batch::default();
        batch.add(first);
        while let Ok(more) = calls.try_recv() {
            batch.add(more);
        }
        for text in batch.texts(&from) {
            let notice = sqlx::query("SELECT pg_notify($1, $2)")
                .bind(&channel)
                .bind(text);
            if let Err(error) = notice.execute(&pool).await {
                tracing::debug!(%error, "cannot tell other servers what changed: they will look");
                break;
            }
        }
        for told in batch.told {
            // The caller may have stopped waiting.
            let _ = told.send(());
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The announcements that go out together.
#[derive(Debug, Default)]
struct Batch {
    jobs: BTreeSet<i64>,
    due: bool,
    news: bool,
    told: Vec<oneshot::Sender<()>>,
}

impl Batch {
    fn add(&mut self, call: Call) {
        match call {
            Call::Job(id) => {
                self.jobs.insert(id);
            }
            Call::Due => self.due = true,
            Call::News => self.news = true,
            Call::Told(told) => self.told.push(told),
        }
    }

    /// The texts of its notices.
    fn texts(&self, from: &str) -> Vec<String> {
        let mut words = String::new();
        for (said, word) in [(self.due, DUE), (self.news, NEWS)] {
            if said {
                words = words + " " + word;
            }
        }
        let jobs: Vec<&i64> = self.jobs.iter().collect();
        let mut texts = Vec::new();
        for some in jobs.chunks(JOBS_IN_ONE) {
            for id in some {
                // Writing to a text cannot fail.
                let _ = write!(words, " {id}");
            }
            texts.push(format!("{from}{words}"));
            words.clear();
        }
        if !words.is_empty() {
            texts.push(format!("{from}{words}"));
        }
        texts
    }
}

const DUE: &str = "due";
const NEWS: &str = "news";

/// The content of a notice.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Heard {
    /// Jobs that changed.
    pub(super) jobs: Vec<i64>,
    /// Whether a job may have become due.
    pub(super) due: bool,
    /// Whether there may be something to deliver to webhooks.
    pub(super) news: bool,
}

impl Heard {
    /// Reads the text of a notice; `None` when it is of the process `me` itself. Fields that another release adds are ignored.
    pub(super) fn read(text: &str, me: &str) -> Option<Self> {
        let (from, words) = text.split_once(' ')?;
        if from == me {
            return None;
        }
        let mut heard = Self::default();
        for word in words.split(' ') {
            match word {
                DUE => heard.due = true,
                NEWS => heard.news = true,
                id => heard.jobs.extend(id.parse::<i64>().ok()),
            }
        }
        Some(heard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_what_is_heard() {
        let mut batch = Batch::default();
        for call in [Call::Job(12), Call::Due, Call::Job(7), Call::Job(12)] {
            batch.add(call);
        }
        let texts = batch.texts("me");
        assert_eq!(texts, ["me due 7 12"]);
        assert_eq!(Heard::read(&texts[0], "me"), None);
        let heard = Heard::read(&texts[0], "another");
        let wanted = Heard {
            jobs: vec![7, 12],
            due: true,
            news: false,
        };
        assert_eq!(heard, Some(wanted));
        assert_eq!(Batch::default().texts("me"), [""; 0]);
    }

    #[test]
    fn many_jobs_go_out_in_several_notices_that_fit() {
        let mut batch = Batch::default();
        for id in 0..1_000 {
            batch.add(Call::Job(i64::MAX - id));
        }
        batch.add(Call::News);
        let texts = batch.texts("0123456789abcdef");
        assert!(texts.iter().all(|text| text.len() < 8_000), "{texts:?}");
        let heard: Vec<Heard> = texts
            .iter()
            .filter_map(|text| Heard::read(text, "another"))
            .collect();
        let jobs: usize = heard.iter().map(|heard| heard.jobs.len()).sum();
        assert_eq!(jobs, 1_000);
        assert_eq!(heard.iter().filter(|heard| heard.news).count(), 1);
    }
}
