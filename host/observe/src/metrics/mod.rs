//! Figures about the server for whoever watches it, in the text form that Prometheus reads. Counts and times are added where
//! they arise; what the database knows is asked for when somebody looks.

mod buckets;
mod labels;
mod live;

use std::time::Duration;

use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::sync::atomic::AtomicU64;

use labels::{Answered, How, OfKind, Outcome, Part, Worker};

/// What a queue looks like at a moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueueFigures {
    /// The kind of its jobs.
    pub kind: &'static str,
    /// Jobs that wait.
    pub waiting: u64,
    /// How long the oldest waiting job has waited, in seconds.
    pub oldest_wait_s: f64,
    /// Jobs at work.
    pub running: u64,
}

/// Every figure.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    request_times: Family<labels::Operation, Histogram>,
    upload_bytes: Counter,
    waiting: Family<OfKind, Gauge>,
    oldest_wait: Family<OfKind, Gauge<f64, AtomicU64>>,
    running: Family<OfKind, Gauge>,
    claim_waits: Family<OfKind, Histogram>,
    run_times: Family<OfKind, Histogram>,
    attempts: Family<Outcome, Counter>,
    crashes: Counter,
    stale_writes: Counter,
    work: Family<Part, Counter<f64, AtomicU64>>,
    work_wall: Family<OfKind, Counter<f64, AtomicU64>>,
    model_parts: Family<How, Counter>,
    workers: Family<Worker, Gauge>,
    webhook_backlog: Gauge,
    live: live::LiveMetrics,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("vocalhost"),
            requests: Family::default(),
            request_times: Family::new_with_constructor(buckets::answers),
            upload_bytes: Counter::default(),
            waiting: Family::default(),
            oldest_wait: Family::default(),
            running: Family::default(),
            claim_waits: Family::new_with_constructor(buckets::work),
            run_times: Family::new_with_constructor(buckets::work),
            attempts: Family::default(),
            crashes: Counter::default(),
            stale_writes: Counter::default(),
            work: Family::default(),
            work_wall: Family::default(),
            model_parts: Family::default(),
            workers: Family::default(),
            webhook_backlog: Gauge::default(),
            live: live::LiveMetrics::default(),
        };
        metrics.register_requests();
        metrics.register_jobs();
        metrics.register_work();
        metrics.live.register(&mut metrics.registry);
        metrics
    }
}

impl Metrics {
    fn register_requests(&mut self) {
        let registry = &mut self.registry;
        registry.register(
            "http_requests",
            "Requests by operation and status",
            self.requests.clone(),
        );
        registry.register_with_unit(
            "http_request_duration",
            "Time from a request's head to its answer's head",
            Unit::Seconds,
            self.request_times.clone(),
        );
        registry.register_with_unit(
            "upload",
            "Recordings that arrived whole",
            Unit::Bytes,
            self.upload_bytes.clone(),
        );
        registry.register(
            "webhook_backlog",
            "Deliveries of webhooks that are still to be made",
            self.webhook_backlog.clone(),
        );
    }

    fn register_jobs(&mut self) {
        let registry = &mut self.registry;
        registry.register(
            "jobs_waiting",
            "Jobs that wait for a worker",
            self.waiting.clone(),
        );
        registry.register_with_unit(
            "jobs_oldest_wait",
            "How long the job has waited that waits longest",
            Unit::Seconds,
            self.oldest_wait.clone(),
        );
        registry.register("jobs_running", "Jobs at work", self.running.clone());
        registry.register_with_unit(
            "job_claim_wait",
            "Time from a job's acceptance to its first claim",
            Unit::Seconds,
            self.claim_waits.clone(),
        );
        registry.register_with_unit(
            "job_run",
            "Time of attempts that completed their job",
            Unit::Seconds,
            self.run_times.clone(),
        );
    }

    fn register_work(&mut self) {
        let registry = &mut self.registry;
        registry.register(
            "attempts",
            "Attempts at jobs by how they ended",
            self.attempts.clone(),
        );
        registry.register(
            "worker_crashes",
            "Workers that died under a job",
            self.crashes.clone(),
        );
        registry.register(
            "stale_writes_rejected",
            "Attempts that came too late to record anything: their lease was somebody else's",
            self.stale_writes.clone(),
        );
        registry.register_with_unit(
            "work",
            "What the processor worked for jobs by part of the work, on however many threads, and their waiting for a device",
            Unit::Seconds,
            self.work.clone(),
        );
        registry.register_with_unit(
            "work_wall",
            "From the begin of jobs on workers to their end",
            Unit::Seconds,
            self.work_wall.clone(),
        );
        registry.register(
            "model_parts",
            "Graphs and indexes that jobs needed: loaded, or there already; and those that had to go for them",
            self.model_parts.clone(),
        );
        registry.register("workers", "Workers by what they do", self.workers.clone());
    }

    /// A request was answered; `status` is its number, or what happened instead.
    pub fn answered(&self, operation: &'static str, status: &str, took: Duration) {
        let labels = Answered {
            operation,
            status: status.to_owned(),
        };
        self.requests.get_or_create(&labels).inc();
        let times = self
            .request_times
            .get_or_create(&labels::Operation { operation });
        times.observe(took.as_secs_f64());
    }

    /// A recording arrived.
    pub fn uploaded(&self, bytes: u64) {
        self.upload_bytes.inc_by(bytes);
    }

    /// A job was claimed for the first time, `waited_s` after it was accepted.
    pub fn claimed(&self, kind: &'static str, waited_s: f64) {
        let waits = self.claim_waits.get_or_create(&OfKind { kind });
        waits.observe(waited_s.max(0.0));
    }

    /// An attempt ended in `outcome`.
    pub fn attempted(&self, kind: &'static str, outcome: &'static str) {
        self.attempts
            .get_or_create(&Outcome { kind, outcome })
            .inc();
    }

    /// An attempt completed its job.
    pub fn completed(&self, kind: &'static str, took: Duration) {
        let times = self.run_times.get_or_create(&OfKind { kind });
        times.observe(took.as_secs_f64());
    }

    /// A worker died under a job.
    pub fn crashed(&self) {
        self.crashes.inc();
    }

    /// An attempt came too late.
    pub fn came_too_late(&self) {
        self.stale_writes.inc();
    }

    /// A worker reports how long a job took, and the thread seconds of each part of the work.
    pub fn worked<'p>(
        &self,
        kind: &'static str,
        wall_s: f64,
        parts: impl Iterator<Item = (&'p str, f64)>,
    ) {
        self.work_wall
            .get_or_create(&OfKind { kind })
            .inc_by(wall_s);
        for (part, seconds) in parts {
            let part = Part {
                kind,
                part: part.to_owned(),
            };
            self.work.get_or_create(&part).inc_by(seconds);
        }
    }

    /// So many parts of models were `loaded`, `reused` or `evicted` for a job.
    pub fn used_models(&self, how: &'static str, parts: u64) {
        self.model_parts.get_or_create(&How { how }).inc_by(parts);
    }

    /// How many workers wait and work.
    pub fn workers(&self, idle: usize, busy: usize) {
        for (state, count) in [("idle", idle), ("busy", busy)] {
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            self.workers.get_or_create(&Worker { state }).set(count);
        }
    }

    /// Every figure in the text form of `OpenMetrics`, with what the database knows at the moment.
    #[must_use]
    pub fn render(&self, queues: &[QueueFigures], webhook_backlog: u64) -> String {
        for queue in queues {
            let of_kind = OfKind { kind: queue.kind };
            self.waiting
                .get_or_create(&of_kind)
                .set(queue.waiting as i64);
            self.oldest_wait
                .get_or_create(&of_kind)
                .set(queue.oldest_wait_s);
            self.running
                .get_or_create(&of_kind)
                .set(queue.running as i64);
        }
        self.webhook_backlog.set(webhook_backlog as i64);
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = text::encode(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_shown() {
        let metrics = Metrics::default();
        metrics.answered("getThing", "200", Duration::from_millis(7));
        metrics.uploaded(12);
        metrics.claimed("stem-split", 0.2);
        metrics.crashed();
        metrics.used_models("reused", 3);
        metrics.worked("stem-split", 2.0, [("network", 1.5)].into_iter());
        let queue = QueueFigures {
            kind: "stem-split",
            waiting: 3,
            oldest_wait_s: 1.25,
            running: 1,
        };
        let text = metrics.render(&[queue], 4);
        for line in [
            r#"vocalhost_http_requests_total{operation="getThing",status="200"} 1"#,
            r#"vocalhost_http_request_duration_seconds_count{operation="getThing"} 1"#,
            "vocalhost_upload_bytes_total 12",
            r#"vocalhost_jobs_waiting{kind="stem-split"} 3"#,
            r#"vocalhost_jobs_oldest_wait_seconds{kind="stem-split"} 1.25"#,
            r#"vocalhost_job_claim_wait_seconds_count{kind="stem-split"} 1"#,
            "vocalhost_worker_crashes_total 1",
            r#"vocalhost_work_seconds_total{kind="stem-split",part="network"} 1.5"#,
            r#"vocalhost_work_wall_seconds_total{kind="stem-split"} 2.0"#,
            r#"vocalhost_model_parts_total{how="reused"} 3"#,
            "vocalhost_webhook_backlog 4",
            "# EOF",
        ] {
            assert!(text.lines().any(|shown| shown == line), "{line}\n{text}");
        }
    }
}
