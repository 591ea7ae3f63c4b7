use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat};
use futures_util::future::BoxFuture;
use rand::TryRng as _;
use rand::rngs::SysRng;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::{Id, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::{Client, Message, SendError, Sent, schedule};
use vocalhost_observe::traces::{SpanKind, Tracer};
use vocalhost_store::{
    AfterAttempt, DeliveryAttempt, DeliveryClaim, DueDelivery, Store, StoreError, TEST_EVENT,
};
use vocalhost_system::{clock, token};

/// Deliveries under way at a time.
const MAX_AT_ONCE: usize = 64;

/// Deliveries to one webhook at a time, so that a receiver that hangs does not take all slots.
const MAX_AT_ONCE_EACH: u64 = 2;

/// How much longer a claim lasts than a delivery may take: time to prepare and to record it.
const CLAIMED_BEYOND: Duration = Duration::from_secs(15);

/// How often deliveries whose pause is over are looked for; new ones are announced.
const POLL: Duration = Duration::from_secs(1);

/// How often old deliveries are forgotten.
const FORGET_EVERY: Duration = Duration::from_hours(1);

/// The name of that chore among the servers that share a database.
const FORGET: &str = "deliveries";

/// How many deliveries one transaction forgets.
const FORGET_AT_ONCE: u64 = 500;

/// A receiver cannot put us off for longer.
const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(24);

/// The receiver wants nothing more, for good (RFC 9110, 15.5.11).
const GONE: u16 = 410;

/// Makes the record of a job as the API shows it, by kind and number; nothing when the job is forgotten.
pub type Render = Arc<dyn Fn(String, i64) -> BoxFuture<'static, Option<Value>> + Send + Sync>;

/// How to deliver.
#[derive(Debug, Clone, PartialEq)]
pub struct DelivererSettings {
    /// The pauses between tries; after the last one the delivery is given up.
    pub pauses: Vec<Duration>,
    /// How long ended deliveries are remembered.
    pub retention: Duration,
    /// How long deliveries may go on when the server is told to end.
    pub grace_period: Duration,
}

/// Delivers what is in the outbox. A delivery that was under way when the server ended is made again: receivers get
/// everything at least once. Where several servers share a database, each makes the deliveries that it has claimed.
#[derive(Clone)]
pub struct Deliverer {
    /// The outbox.
    pub store: Store,
    /// How to send.
    pub client: Client,
    /// What to say of a job.
    pub render: Render,
    /// Tells a collector what happened to deliveries.
    pub tracer: Tracer,
    /// How to deliver.
    pub settings: DelivererSettings,
}

impl Deliverer {
    /// Delivers until `shutdown` becomes true or its sender is gone, and then until what is under way has ended or the
    /// grace period is over.
    pub async fn run(self, mut shutdown: watch::Receiver<bool>) {
        let Some(token) = self.begin().await else {
            return;
        };
        let mut under_way = UnderWay::default();
        let mut poll = interval(POLL);
        let mut forget = interval(FORGET_EVERY);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        forget.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if let Err(error) = self.start_due(&mut under_way, &token).await {
                tracing::error!(%error, "cannot look for webhooks to deliver");
            }
            tokio::select! {
                () = told(&mut shutdown) => break,
                () = under_way.one_ended(), if !under_way.is_empty() => {}
                () = self.store.webhook_due() => {}
                _ = poll.tick() => {}
                _ = forget.tick() => self.forget_old().await,
            }
        }
        let ending = async {
            while !under_way.is_empty() {
                under_way.one_ended().await;
            }
        };
        // What is not done by then is still in the outbox, for whoever looks first.
        let _ = timeout(self.settings.grace_period, ending).await;
        drop(under_way);
        if let Err(error) = self.store.release_deliveries(Some(&token)).await {
            tracing::warn!(%error, "cannot give deliveries back");
        }
    }

    /// Draws the token that claims are made under. A server without others on its database first takes back what it had
    /// claimed before.
    async fn begin(&self) -> Option<Arc<str>> {
        if !self.store.is_shared()
            && let Err(error) = self.store.release_deliveries(None).await
        {
            // They are made when their claims are over.
            tracing::warn!(%error, "cannot take deliveries back");
        }
        token::draw()
            .inspect_err(|error| tracing::error!(%error, "cannot deliver webhooks"))
            .ok()
            .map(Into::into)
    }

    async fn start_due(
        &self,
        under_way: &mut UnderWay,
        token: &Arc<str>,
    ) -> Result<(), StoreError> {
        let for_time = self.client.timeout + CLAIMED_BEYOND;
        let claim = DeliveryClaim {
            token,
            for_us: i64::try_from(for_time.as_micros()).unwrap_or(i64::MAX),
            per_webhook: MAX_AT_ONCE_EACH,
            limit: (MAX_AT_ONCE - under_way.ids.len().min(MAX_AT_ONCE)) as u64,
        };
        let claimed = self.store.claim_deliveries(&claim, clock::now_us());
        for delivery in claimed.await? {
            // A delivery that waits for the database may outlast its claim.
            if !under_way.has(delivery.id) {
                let id = delivery.id;
                under_way.start(id, self.clone().deliver(delivery, token.clone()));
            }
        }
        Ok(())
    }

    async fn deliver(self, mut delivery: DueDelivery, token: Arc<str>) {
        let at_us = clock::now_us();
        let parent = delivery.trace_parent.as_deref();
        let span = parent.and_then(|parent| self.tracer.begin(Some(parent), at_us));
        if let Some(span) = &span {
            delivery.trace_parent = Some(span.context.header());
        }
        let began = Instant::now();
        let message = self.message(&delivery, at_us).await;
        let sent = self.client.post(&delivery.url, &message).await;
        let attempt = attempt(at_us, began.elapsed(), &sent);
        let now_us = clock::now_us();
        let after = self.after(&delivery, &sent, now_us);
        if let Some(span) = span {
            let attributes = vec![
                ("http.response.status_code".into(), json!(attempt.status)),
                ("vocalhost.delivery_id".into(), json!(delivery.id)),
                ("vocalhost.job_id".into(), json!(delivery.job_id)),
            ];
            let name = (delivery.event.clone(), SpanKind::Client);
            let about = (attributes, after != AfterAttempt::Delivered);
            self.tracer.end(span, name, now_us, about);
        }
        tracing::info!(
            delivery = delivery.id,
            event = delivery.event,
            status = attempt.status,
            error = attempt.error,
            "a webhook was tried"
        );
        let recorded = self
            .store
            .record_attempt((delivery.id, &token), &attempt, &after, now_us);
        if let Err(error) = recorded.await {
            // It is due again when its claim is over.
            tracing::error!(delivery = delivery.id, %error, "cannot record a delivery");
        }
    }

    async fn message(&self, delivery: &DueDelivery, at_us: i64) -> Message {
        let mut data = delivery.payload.clone();
        let kind = data["kind"].as_str().map(str::to_owned);
        if let (Some(job_id), Some(kind)) = (delivery.job_id, kind)
            && let Some(Value::Object(record)) = (self.render)(kind.clone(), job_id).await
        {
            data = json!({ "kind": kind });
            data.as_object_mut()
                .expect("it was just made")
                .extend(record);
        }
        let body = json!({
            "type": delivery.event,
            "timestamp": DateTime::from_timestamp_micros(delivery.created_at_us)
                .map(|at| at.to_rfc3339_opts(SecondsFormat::Micros, true)),
            "data": data,
        });
        Message {
            id: delivery.message_id.clone(),
            timestamp_s: at_us / clock::US_PER_S,
            body: body.to_string().into_bytes(),
            secrets: delivery.secrets.clone(),
            trace_parent: delivery.trace_parent.clone(),
        }
    }

    fn after(
        &self,
        delivery: &DueDelivery,
        sent: &Result<Sent, SendError>,
        now_us: i64,
    ) -> AfterAttempt {
        let (status, retry_after) = match sent {
            Ok(sent) => (Some(sent.status), sent.retry_after),
            Err(_) => (None, None),
        };
        match status {
            Some(200..=299) => return AfterAttempt::Delivered,
            _ if delivery.event == TEST_EVENT => return AfterAttempt::GivenUp,
            Some(GONE) => {
                return AfterAttempt::EndpointGone {
                    reason: "The receiver answered with 410: it wants no more.".to_owned(),
                };
            }
            _ => {}
        }
        match schedule::pause(&self.settings.pauses, delivery.tries + 1, chance()) {
            Some(pause) => {
                let asked = retry_after.unwrap_or_default().min(LONGEST_RETRY_AFTER);
                let pause_us = i64::try_from(pause.max(asked).as_micros()).unwrap_or(i64::MAX);
                AfterAttempt::Again {
                    at_us: now_us.saturating_add(pause_us),
                }
            }
            None => AfterAttempt::EndpointDead {
                reason: "Nothing came through while a delivery used up all its tries.".to_owned(),
            },
        }
    }

    async fn forget_old(&self) {
        let taken = self.store.take_chore(FORGET, FORGET_EVERY, clock::now_us());
        match taken.await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                tracing::error!(%error, "cannot look whether old deliveries are to be forgotten");
                return;
            }
        }
        let retention_us = i64::try_from(self.settings.retention.as_micros());
        let before_us = clock::now_us().saturating_sub(retention_us.unwrap_or(i64::MAX));
        loop {
            match self
                .store
                .forget_deliveries(before_us, FORGET_AT_ONCE)
                .await
            {
                Ok(FORGET_AT_ONCE) => {}
                Ok(_) => break,
                Err(error) => {
                    tracing::error!(%error, "cannot forget old deliveries");
                    break;
                }
            }
        }
    }
}

/// The deliveries that are being made.
#[derive(Default)]
struct UnderWay {
    tasks: JoinSet<()>,
    ids: HashMap<Id, i64>,
}

impl UnderWay {
    fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    fn has(&self, delivery_id: i64) -> bool {
        self.ids.values().any(|id| *id == delivery_id)
    }

    fn start(&mut self, delivery_id: i64, task: impl Future<Output = ()> + Send + 'static) {
        let id = self.tasks.spawn(task).id();
        self.ids.insert(id, delivery_id);
    }

    async fn one_ended(&mut self) {
        let id = match self.tasks.join_next_with_id().await {
            Some(Ok((id, ()))) => id,
            Some(Err(error)) => {
                tracing::error!(%error, "a delivery broke");
                error.id()
            }
            None => return,
        };
        self.ids.remove(&id);
    }
}

fn attempt(at_us: i64, took: Duration, sent: &Result<Sent, SendError>) -> DeliveryAttempt {
    let base = DeliveryAttempt {
        at_us,
        duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        ..DeliveryAttempt::default()
    };
    match sent {
        Ok(sent) => DeliveryAttempt {
            status: Some(sent.status),
            answer: Some(sent.excerpt.clone()).filter(|text| !text.is_empty()),
            ..base
        },
        Err(error) => DeliveryAttempt {
            error: Some(error.to_string()),
            ..base
        },
    }
}

/// Returns once `shutdown` is true or its sender is gone.
async fn told(shutdown: &mut watch::Receiver<bool>) {
    // The borrowed value is dropped at once: holding it would block the sender.
    let _ = shutdown.wait_for(|stop| *stop).await;
}

/// A number between 0 and 1; without randomness 0, which only means that nothing is spread.
fn chance() -> f64 {
    f64::from(SysRng.try_next_u32().unwrap_or(0)) / f64::from(u32::MAX)
}
