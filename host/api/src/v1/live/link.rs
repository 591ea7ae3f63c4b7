//! A stream that is open: what a client sends goes to the worker, and what the worker says to the client, until one of them ends it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream::SplitStream;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value, json};
use tokio::time::{MissedTickBehavior, interval};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::session::Flow;
use super::tape::Tapes;
use super::told::{Told, close_code};
use super::warnings::Warnings;
use super::{delete_files, form, frames, record};
use crate::Api;
use crate::v1::pipelines;
use vocalhost_job::{LiveEnd, LiveRecorded, LiveSpec};
use vocalhost_store::LiveRecord;
use vocalhost_system::clock;
use vocalhost_work::live::{LiveError, LivePlace, LiveReport, LiveWorker};

pub(super) type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// How often it is looked at the clock.
const TICK: Duration = Duration::from_millis(100);
/// How often a client is told how it goes, and the store.
const STATS_EVERY: u32 = 10;
const NOTE_EVERY: u32 = 50;
/// Without sound for so long it is over.
const IDLE: Duration = Duration::from_secs(30);
/// How long a worker may take for the rest, and a client to take what it is told last.
pub(super) const LAST: Duration = Duration::from_secs(10);
/// Messages that are no sound, in a second: more than anybody can turn knobs.
const MAX_WORDS: u32 = 50;

/// A stream that is about to open.
pub(super) struct Opened {
    pub(super) api: Arc<Api>,
    pub(super) live: LiveRecord,
    pub(super) place: LivePlace,
    /// The root under which it was asked for.
    pub(super) root: String,
    pub(super) request_id: String,
}

impl Opened {
    /// Serves the stream to its end, and notes how it went.
    pub(super) async fn serve(self, upgrade: OnUpgrade) {
        let (id, api, root) = (self.live.id, self.api.clone(), self.root.clone());
        let mut flow = Flow::new(&self.live.spec);
        let socket = match upgrade.await {
            Ok(upgraded) => {
                let largest = Some(frames::MAX_BYTES);
                let config = WebSocketConfig::default()
                    .max_message_size(largest)
                    .max_frame_size(largest);
                let io = TokioIo::new(upgraded);
                Some(Socket::from_raw_socket(io, Role::Server, Some(config)).await)
            }
            Err(error) => {
                tracing::debug!(live = id, %error, "a stream did not open");
                None
            }
        };
        let Some(socket) = socket else {
            let spec = &self.live.spec;
            note_end(&api, id, (LiveEnd::Disconnected, spec), &flow).await;
            return;
        };
        let (sink, source) = socket.split();
        let (to_client, telling) = Told::new(sink);
        let mut spec = self.live.spec.clone();
        let (why, worker, tapes) = match self.begin(&mut flow, &to_client).await {
            Ok((mut link, mut worker)) => {
                let why = link.run(source, &mut worker, &mut flow).await;
                spec = link.live.spec;
                (why, Some(worker), link.tapes)
            }
            Err(error) => {
                tracing::warn!(live = id, %error, "a live conversion did not begin");
                to_client.say(&json!({ "type": "error", "message": error.to_string() }));
                (LiveEnd::WorkerLost, None, Tapes::default())
            }
        };
        let mut ended = note_end(&api, id, (why, &spec), &flow).await;
        let recorded = tapes.keep(&api, id).await;
        if recorded != LiveRecorded::default() {
            ended = note_recorded(&api, id, &recorded).await;
        }
        // Its place is free before the client hears that it is over.
        if let Some(worker) = worker {
            worker.close().await;
        }
        if let Some(live) = ended {
            let shown = super::shown(&api, &root, &live).await;
            let record = shown.unwrap_or(Value::Null);
            to_client.say(&json!({ "type": "ended", "record": record }));
        }
        to_client.close(close_code(why), why.as_str()).await;
        let _ended_or_not = tokio::time::timeout(LAST, telling).await;
    }

    async fn begin(
        self,
        flow: &mut Flow,
        to_client: &Told,
    ) -> Result<(Link, LiveWorker), LiveError> {
        let Self {
            api,
            live,
            place,
            request_id,
            ..
        } = self;
        let gone = || LiveError::Staging("The voice model cannot be used any more.".to_owned());
        let voice = api.store.model(live.spec.voice_model_id).await;
        let voice = voice.ok().flatten().filter(|voice| voice.usable);
        let voice = voice.ok_or_else(gone)?;
        let of = (voice.id, voice.package_id.as_str());
        let opening = api.live.open(place, (live.id, &request_id), &live.spec, of);
        let (worker, delay) = opening.await?;
        let tapes = Tapes::begin(&api.settings.uploads_path(), &live.spec);
        let tapes = tapes.map_err(|error| {
            tracing::error!(live = live.id, %error, "cannot record a live conversion");
            LiveError::Staging("The server cannot record now.".to_owned())
        })?;
        flow.delayed(delay.effects_ms, delay.resampling_ms);
        let latency = record::latency(&live.spec, &flow.figures());
        to_client.say(&json!({ "type": "ready", "latencyMs": latency }));
        let link = Link {
            api,
            warnings: Warnings::new(live.spec.sample_rate_hz),
            live,
            to_client: to_client.clone(),
            tapes,
            changes: VecDeque::new(),
            ending: None,
            is_told: false,
            heard_at: Instant::now(),
            words: 0,
            ticks: 0,
        };
        Ok((link, worker))
    }
}

struct Link {
    api: Arc<Api>,
    live: LiveRecord,
    to_client: Told,
    tapes: Tapes,
    warnings: Warnings,
    /// The changes that are being made: the number that the client gave each, and what the conversion does from then on.
    changes: VecDeque<(Value, LiveSpec)>,
    /// Why it is coming to its end, and since when.
    ending: Option<(LiveEnd, Instant)>,
    /// Whether the worker knows that.
    is_told: bool,
    heard_at: Instant,
    words: u32,
    ticks: u32,
}

impl Link {
    async fn run(
        &mut self,
        mut source: SplitStream<Socket>,
        worker: &mut LiveWorker,
        flow: &mut Flow,
    ) -> LiveEnd {
        self.api.metrics.live_began();
        self.heard_at = Instant::now();
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let why = loop {
            let over = tokio::select! {
                message = source.next() => match message {
                    Some(Ok(message)) => self.said(message, worker, flow).await,
                    Some(Err(error)) => Some(self.unread(&error)),
                    None => Some(LiveEnd::Disconnected),
                },
                report = worker.report() => self.answered(report, flow),
                _ = ticks.tick() => self.tick(flow).await,
            };
            if let Some(why) = over {
                break why;
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

    /// Gives the worker what it may have. At the end it is told so once it has everything.
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

    async fn said(
        &mut self,
        message: Message,
        worker: &LiveWorker,
        flow: &mut Flow,
    ) -> Option<LiveEnd> {
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
                self.asked(&words, worker).await
            }
            Message::Close(_) => Some(LiveEnd::Disconnected),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => None,
        }
    }

    async fn asked(&mut self, words: &Map<String, Value>, worker: &LiveWorker) -> Option<LiveEnd> {
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
            Some("params") => {
                self.change(words, worker).await;
                None
            }
            _ => Some(self.wrong("The `type` of a text message is `params`, `ping` or `stop`.")),
        }
    }

    /// Says what cannot be understood, which is the end.
    fn wrong(&self, message: &str) -> LiveEnd {
        self.to_client
            .say(&json!({ "type": "error", "message": message }));
        LiveEnd::Protocol
    }

    /// What a message means that cannot be read.
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
        let fields = form::fields(words);
        let named = pipelines::named_in(&self.api, self.live.user_id, &fields).await;
        let (Ok(effects), Ok(saved)) = (self.api.shelf.current().await, named) else {
            self.refuse(
                &id,
                &json!([{ "field": "", "message": "The server cannot look that up now." }]),
            );
            return;
        };
        let last = self.changes.back().map(|(_, spec)| spec);
        let mut spec = last.unwrap_or(&self.live.spec).clone();
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
            Ok(()) => self.changes.push_back((id, spec)),
            Err(error) => self.refuse(&id, &json!([{ "field": "", "message": error.to_string() }])),
        }
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
                let (id, spec) = self.changes.pop_front()?;
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

    async fn tick(&mut self, flow: &mut Flow) -> Option<LiveEnd> {
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
            self.tell_how_it_goes(flow);
            self.warn();
        }
        if self.ticks.is_multiple_of(NOTE_EVERY) {
            let figures = flow.figures();
            let store = &self.api.store;
            let noted = store.note_live(self.live.id, &figures, clock::now_us());
            match noted.await {
                Ok(true) => {}
                Ok(false) => return Some(LiveEnd::Cancelled),
                Err(error) => {
                    tracing::warn!(live = self.live.id, %error, "cannot note how a live conversion goes");
                }
            }
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

async fn note_end(
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
async fn note_recorded(api: &Api, id: i64, recorded: &LiveRecorded) -> Option<LiveRecord> {
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
