//! Figures of conversions while somebody speaks.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use super::{Metrics, buckets};

/// The figures.
#[derive(Debug)]
pub(super) struct LiveMetrics {
    sessions: Gauge,
    blocks: Histogram,
    late: Counter,
    dropped: Counter<f64, AtomicU64>,
}

impl Default for LiveMetrics {
    fn default() -> Self {
        Self {
            sessions: Gauge::default(),
            blocks: buckets::blocks(),
            late: Counter::default(),
            dropped: Counter::default(),
        }
    }
}

impl LiveMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "live_sessions",
            "Live conversions whose stream is open",
            self.sessions.clone(),
        );
        registry.register_with_unit(
            "live_block",
            "Time of computing a block of a live conversion",
            Unit::Seconds,
            self.blocks.clone(),
        );
        registry.register(
            "live_late_blocks",
            "Blocks of live conversions that took longer than they last",
            self.late.clone(),
        );
        registry.register_with_unit(
            "live_dropped",
            "Sound of live conversions that was dropped because somebody was behind",
            Unit::Seconds,
            self.dropped.clone(),
        );
    }
}

impl Metrics {
    /// A live conversion has begun.
    pub fn live_began(&self) {
        self.live.sessions.inc();
    }

    /// A block of a live conversion was computed.
    pub fn live_block(&self, took: Duration) {
        self.live.blocks.observe(took.as_secs_f64());
    }

    /// A live conversion is over, with the number of its late blocks and the sound that was dropped.
    pub fn live_ended(&self, late_blocks: u64, dropped: Duration) {
        self.live.sessions.dec();
        self.live.late.inc_by(late_blocks);
        self.live.dropped.inc_by(dropped.as_secs_f64());
    }
}
