//! A stream from its opening on: its worker is fetched, sound goes to and fro, and the outcome is noted at the end.

use std::sync::Arc;

use futures_util::StreamExt as _;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::time::interval;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::link::{Link, TICK};
use super::noting::{Noting, note_end, note_recorded};
use super::session::Flow;
use super::tape::Tapes;
use super::told::{LAST, Socket, Told, close_code};
use super::{frames, record};
use crate::Api;
use vocalhost_job::{LiveEnd, LiveRecorded};
use vocalhost_store::LiveRecord;
use vocalhost_work::live::{LiveError, LivePlace, LiveWorker};

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
        let mut noting = Noting::begin(api.store.clone(), id);
        let begun = tokio::select! {
            begun = self.begin(&mut flow, &to_client) => begun.map_err(|error| {
                tracing::warn!(live = id, error = error.in_full(), "a live conversion did not begin");
                to_client.say(&json!({ "type": "error", "message": error.message() }));
                LiveEnd::WorkerLost
            }),
            () = noting.is_over() => Err(LiveEnd::Cancelled),
            () = draining(&api) => Err(LiveEnd::ServerStopped),
        };
        let (why, worker, tapes) = match begun {
            Ok((mut link, mut worker)) => {
                let with = (&mut worker, &mut noting);
                let why = link.run(source, with, &mut flow).await;
                let tapes;
                (spec, tapes) = link.into_parts();
                (why, Some(worker), tapes)
            }
            Err(why) => (why, None, Tapes::default()),
        };
        noting.end().await;
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
            let shown = record::shown(&api, &root, &live).await;
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
        let link = Link::new(api, live, to_client.clone(), tapes);
        Ok((link, worker))
    }
}

/// Waits until the server is told to stop.
async fn draining(api: &Api) {
    let mut ticks = interval(TICK);
    while !api.is_draining() {
        ticks.tick().await;
    }
}
