//! A stream that is open: what a client sends goes to the worker, and what the worker says to the client, until one of them ends it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream::SplitStream;
use serde_json::{Map, Value, json};
use tokio::time::{MissedTickBehavior, interval};
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::noting::Noting;
use super::session::Flow;
use super::tape::Tapes;
use super::told::{LAST, Socket, Told};
use super::warnings::Warnings;
use super::{form, frames, record};
use crate::Api;
use crate::v1::usable::named_in;
use vocalhost_catalogues::shelf::Listing;
use vocalhost_job::{LiveEnd, LiveSpec};
use vocalhost_store::LiveRecord;
use vocalhost_work::live::{LiveReport, LiveWorker};

/// How often the clock is looked at.
pub(super) const TICK: Duration = Duration::from_millis(100);
/// After how many ticks a client is told how it goes, and the figures are noted.
const STATS_EVERY: u32 = 10;
/// Without sound for so long it is over.
const IDLE: Duration = Duration::from_secs(30);
/// Messages that are no sound, in a second: more than anybody can turn knobs.
const MAX_WORDS: u32 = 50;
/// Changes that may wait for the one before them.
const MAX_WAITING: usize = 100;
/// How long the effects and pipelines that a change names may be looked up: sound waits for it.
const LOOKED_UP: Duration = Duration::from_millis(500);

pub(super) struct Link {
    api: Arc<Api>,
    live: LiveRecord,
    to_client: Told,
    tapes: Tapes,
    warnings: Warnings,
    /// The change that is being made: the number that the client gave it, and what the conversion does from then on.
    changing: Option<(Value, LiveSpec)>,
    /// The changes after it: each begins with the result of the one before.
    waiting: VecDeque<Map<String, Value>>,
    /// Why it is coming to its end, and since when.
    ending: Option<(LiveEnd, Instant)>,
    /// Whether the worker knows that.
    is_told: bool,
    heard_at: Instant,
    words: u32,
    ticks: u32,
}

impl Link {
    /// A stream whose worker is ready.
    pub(super) fn new(api: Arc<Api>, live: LiveRecord, to_client: Told, tapes: Tapes) -> Self {
        Self {
            api,
            warnings: Warnings::new(live.spec.sample_rate_hz),
            live,
            to_client,
            tapes,
            changing: None,
            waiting: VecDeque::new(),
            ending: None,
            is_told: false,
            heard_at: Instant::now(),
            words: 0,
            ticks: 0,
        }
    }

    /// Its last settings, and its recordings.
    pub(super) fn into_parts(self) -> (LiveSpec, Tapes) {
        (self.live.spec, self.tapes)
    }

    /// Passes sound and answers on until the stream ends, and says why it did.
    pub(super) async fn run(
        &mut self,
        mut source: SplitStream<Socket>,
        (worker, noting): (&mut LiveWorker, &mut Noting),
        flow: &mut Flow,
    ) -> LiveEnd {
        self.api.metrics.live_began();
        self.heard_at = Instant::now();
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let why = loop {
            let over = tokio::select! {
                message = source.next() => match message {
                    Some(Ok(message)) => self.said(message, flow),
                    Some(Err(error)) => Some(self.unread(&error)),
                    None => Some(LiveEnd::Disconnected),
                },
                report = worker.report() => self.answered(report, flow),
                _ = ticks.tick() => self.tick(flow, noting),
                () = noting.is_over() => Some(LiveEnd::Cancelled),
            };
            if let Some(why) = over {
                break why;
            }
            while self.changing.is_none()
                && let Some(words) = self.waiting.pop_front()
            {
                self.change(&words, worker).await;
            }
            if let Some(why) = self.give_on(worker, flow).await {
                break why;
            }
        };
        let figures = flow.figures();
        let dropped = Duration::from_secs_f64(figures.dropped_ms / 1e3);
        self.api.metrics.live_ended(figures.late_blocks, dropped);
        why
    }

    /// Gives the worker the sound that it may have. At the end the worker is told so once it has everything.
    async fn give_on(&mut self, worker: &LiveWorker, flow: &mut Flow) -> Option<LiveEnd> {
        while let Some(piece) = flow.next() {
            if !worker.hear(&piece) {
                return Some(LiveEnd::WorkerLost);
            }
        }
        if self.ending.is_some() && flow.is_empty() && !self.is_told {
            self.is_told = true;
            if worker.end().await.is_err() {
                return Some(LiveEnd::WorkerLost);
            }
        }
        None
    }

    fn said(&mut self, message: Message, flow: &mut Flow) -> Option<LiveEnd> {
        match message {
            Message::Binary(_) if self.ending.is_some() => None,
            Message::Binary(bytes) => {
                let Some(piece) = frames::read(&bytes, self.live.spec.sample_format) else {
                    return Some(self.wrong("A binary message has two numbers of 32 bits and then whole samples, at least one."));
                };
                let Some(ms) = flow.hear(&piece) else {
                    return Some(self.wrong("The number of a binary message is one more than that of the one before, from 0 on."));
                };
                self.tapes.said(&piece.samples);
                self.heard_at = Instant::now();
                self.warnings.hear(&piece.samples);
                if ms > 0.0 {
                    self.tell_of_gap(ms, "overload");
                }
                let most = f64::from(self.live.spec.max_minutes) * 60.0;
                if flow.seconds() >= most {
                    self.end(LiveEnd::Minutes);
                }
                None
            }
            Message::Text(text) => {
                self.words += 1;
                if self.words > MAX_WORDS {
                    return Some(self.wrong(
                        "More text messages came within a second than knobs can be turned.",
                    ));
                }
                let Ok(Value::Object(words)) = serde_json::from_str(&text) else {
                    return Some(self.wrong("A text message is a JSON object."));
                };
                self.asked(words)
            }
            Message::Close(_) => Some(LiveEnd::Disconnected),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => None,
        }
    }

    fn asked(&mut self, words: Map<String, Value>) -> Option<LiveEnd> {
        match words.get("type").and_then(Value::as_str) {
            Some("stop") => {
                self.end(LiveEnd::Stopped);
                None
            }
            Some("ping") => {
                let t = words.get("t").cloned().unwrap_or_default();
                self.to_client.say(&json!({ "type": "pong", "t": t }));
                None
            }
            Some("params") if self.waiting.len() == MAX_WAITING => {
                Some(self.wrong("More changes were asked for than can wait."))
            }
            Some("params") => {
                self.waiting.push_back(words);
                None
            }
            _ => Some(self.wrong("The `type` of a text message is `params`, `ping` or `stop`.")),
        }
    }

    /// Tells the client what cannot be understood, which ends the stream.
    fn wrong(&self, message: &str) -> LiveEnd {
        self.to_client
            .say(&json!({ "type": "error", "message": message }));
        LiveEnd::Protocol
    }

    /// Why the stream ends when a message cannot be read.
    fn unread(&self, error: &Error) -> LiveEnd {
        match error {
            Error::Capacity(_) => self.wrong("A message has at most 64 KiB."),
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => LiveEnd::Disconnected,
            Error::Protocol(_) | Error::Utf8(_) => LiveEnd::Protocol,
            _ => LiveEnd::Disconnected,
        }
    }

    fn end(&mut self, why: LiveEnd) {
        self.ending.get_or_insert_with(|| (why, Instant::now()));
    }

    async fn change(&mut self, words: &Map<String, Value>, worker: &LiveWorker) {
        let id = words.get("id").cloned().unwrap_or_default();
        let mut mistakes = Vec::new();
        let Some((effects, saved)) = self.looked_up(words).await else {
            self.refuse(
                &id,
                &json!([{ "field": "", "message": "The server cannot look that up now." }]),
            );
            return;
        };
        let mut spec = self.live.spec.clone();
        let (knobs, [pre, post]) =
            form::changes(words, spec.knobs, (&effects, &saved), &mut mistakes);
        if self.ending.is_some() || !mistakes.is_empty() {
            let errors: Vec<Value> = mistakes
                .iter()
                .map(|mistake| json!({ "field": mistake.field, "message": mistake.message }))
                .collect();
            self.refuse(&id, &json!(errors));
            return;
        }
        spec.knobs = knobs.unwrap_or(spec.knobs);
        for (chain, changed) in [(&mut spec.pre, &pre), (&mut spec.post, &post)] {
            if let Some(changed) = changed {
                chain.clone_from(changed);
            }
        }
        match worker.change(knobs, (pre, post)).await {
            Ok(()) => self.changing = Some((id, spec)),
            Err(error) => {
                tracing::warn!(
                    live = self.live.id,
                    error = error.in_full(),
                    "a live conversion was not changed"
                );
                self.refuse(&id, &json!([{ "field": "", "message": error.message() }]));
            }
        }
    }

    /// The effects and the pipelines that a change may name; where it names no chain, none are looked for.
    async fn looked_up(
        &self,
        words: &Map<String, Value>,
    ) -> Option<(Arc<Listing>, BTreeMap<String, Value>)> {
        if !["pre", "post"]
            .iter()
            .any(|field| words.contains_key(*field))
        {
            return Some((Arc::default(), BTreeMap::new()));
        }
        let fields = form::fields(words);
        let looking = async {
            let saved = named_in(&self.api, self.live.user_id, &fields).await;
            Some((self.api.shelf.current().await.ok()?, saved.ok()?))
        };
        tokio::time::timeout(LOOKED_UP, looking).await.ok()?
    }

    fn refuse(&self, id: &Value, errors: &Value) {
        self.to_client
            .say(&json!({ "type": "refused", "id": id, "errors": errors }));
    }

    fn answered(&mut self, report: LiveReport, flow: &mut Flow) -> Option<LiveEnd> {
        match report {
            LiveReport::Spoken {
                samples,
                took_us,
                input_rms,
            } => {
                flow.answered(took_us, input_rms);
                if let Some(took_us) = took_us {
                    self.api.metrics.live_block(Duration::from_micros(took_us));
                }
                self.send(&samples, flow);
                None
            }
            LiveReport::Changed { refused, delay } => {
                // One answer for each change.
                let (id, spec) = self.changing.take()?;
                flow.delayed(delay.effects_ms, delay.resampling_ms);
                if let Some(message) = refused {
                    self.refuse(&id, &json!([{ "field": "", "message": message }]));
                } else {
                    self.live.spec = spec;
                    let latency = record::latency(&self.live.spec, &flow.figures());
                    self.to_client.say(&json!({
                        "type": "applied", "id": id, "atFrame": flow.position(), "latencyMs": latency,
                    }));
                }
                None
            }
            LiveReport::Over(samples) => {
                self.send(&samples, flow);
                Some(self.ending.map_or(LiveEnd::WorkerLost, |(why, _)| why))
            }
            LiveReport::Failed(detail) => {
                tracing::warn!(live = self.live.id, detail, "a live conversion was lost");
                Some(LiveEnd::WorkerLost)
            }
        }
    }

    fn send(&mut self, samples: &[f32], flow: &mut Flow) {
        let mut rest = samples;
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(flow.until_gap(rest.len()));
            rest = later;
            let head = flow.send(piece.len());
            let format = self.live.spec.sample_format;
            let frame = frames::written(head, piece, format);
            let written = &frame[frames::SERVER_HEAD..];
            self.tapes.came_out(head.2, (written, format));
            if !self.to_client.sound(frame) {
                let ms = flow.not_sent(piece.len());
                self.tell_of_gap(ms, "client");
            }
        }
    }

    fn tell_of_gap(&self, ms: f64, why: &str) {
        self.to_client
            .say(&json!({ "type": "discontinuity", "ms": ms, "why": why }));
    }

    fn tick(&mut self, flow: &mut Flow, noting: &Noting) -> Option<LiveEnd> {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ending.is_some_and(|(_, since)| since.elapsed() > LAST) {
            return Some(LiveEnd::WorkerLost);
        }
        if self.api.is_draining() {
            return Some(LiveEnd::ServerStopped);
        }
        let silent = self.heard_at.elapsed();
        if silent > IDLE && self.ending.is_none() {
            return Some(LiveEnd::Idle);
        }
        if self.ending.is_none() && silent.as_secs_f64() * 1e3 > 2.0 * flow.block_ms() {
            flow.starved(TICK.as_secs_f64() * 1e3);
        }
        if self.ticks.is_multiple_of(STATS_EVERY) {
            self.words = 0;
            noting.tell(flow.figures());
            self.tell_how_it_goes(flow);
            self.warn();
        }
        None
    }

    fn warn(&mut self) {
        for warning in self.warnings.news(Instant::now()) {
            self.to_client
                .say(&json!({ "type": "warning", "what": warning }));
        }
    }

    fn tell_how_it_goes(&self, flow: &mut Flow) {
        let input_db = flow.peak_db();
        let figures = flow.figures();
        self.to_client.say(&json!({
            "type": "stats",
            "seconds": figures.seconds,
            "blockMs": { "median": figures.block_ms_median, "p99": figures.block_ms_p99 },
            "lateBlocks": figures.late_blocks,
            "droppedMs": figures.dropped_ms,
            "starvedMs": figures.starved_ms,
            "inputDb": input_db,
            "inputLevelRms": figures.input_rms,
        }));
    }
}
