//! Conversions while somebody speaks: each has a worker of its own from when its stream is opened until it ends. How sound comes from a client and
//! goes to it is for whoever has the stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;

use crate::scheduler::{StagingError, VoicesInUse, Workbench, order_effects, stage_voice};
use crate::worker::frame::{self, FrameError};
use crate::worker::protocol::{
    LiveChange, LiveOrder, Order, OrderedEffect, Report, of_text, to_text,
};
use crate::worker::{LiveProcess, StartError, WorkerProcess, exceeds, renice};
use vocalhost_job::{Chain, ChainItem, LiveKnobs, LiveSpec};
use vocalhost_pipeline::LiveLatency;
use vocalhost_system::token;

/// Orders and reports that may wait to be taken. Whoever has the stream lets only few pieces of sound be on their way at a time.
const QUEUE: usize = 16;

/// How much less nice than others its worker is, where the server may do that: a block that comes late is heard.
const NICENESS: i32 = -5;

/// Why a live conversion cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// No process could be started for it.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Its voice or its effects could not be brought to the process. The text is for clients.
    #[error("{0}")]
    Staging(String),
    /// The voice cannot be used, or an effect: the text is for clients, `detail` for the log.
    #[error("{message}")]
    Refused {
        /// For people.
        message: String,
        /// For the log.
        detail: String,
    },
    /// The process is gone, or does not speak as it should.
    #[error("the worker was lost: {0}")]
    Lost(String),
    /// There was no randomness for a name.
    #[error("cannot draw a name: {0}")]
    Randomness(std::io::Error),
}

impl LiveError {
    /// For clients: what they can do something about, and nothing of the inside.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Staging(message) | Self::Refused { message, .. } => message,
            Self::Start(_) | Self::Lost(_) | Self::Randomness(_) => {
                "The server has no worker for it now; try again later."
            }
        }
    }

    /// For the log.
    #[must_use]
    pub fn in_full(&self) -> String {
        match self {
            Self::Refused { message, detail } => format!("{message} {detail}"),
            other => other.to_string(),
        }
    }
}

impl From<StagingError> for LiveError {
    fn from(error: StagingError) -> Self {
        tracing::warn!(%error, "a live conversion cannot have its files");
        Self::Staging(error.failure().message)
    }
}

/// Where live conversions get their workers from. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LiveDesk {
    bench: Workbench,
    places: Arc<Semaphore>,
    count: usize,
    /// How many workers were started: they take the GPUs in turn.
    started: Arc<AtomicUsize>,
}

/// The right to have a worker, until it is dropped.
#[derive(Debug)]
pub struct LivePlace(
    #[expect(dead_code, reason = "it is given back when dropped")] OwnedSemaphorePermit,
);

/// What a worker says.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveReport {
    /// What is ready after a piece of sound: one for each piece that was given.
    Spoken {
        /// Samples, none until a block is whole.
        samples: Vec<f32>,
        /// The time of computing them, in microseconds, where there are any.
        took_us: Option<u64>,
        /// The level of the speaker, as far as it is known.
        input_rms: Option<f64>,
    },
    /// A change was made, or not: one for each that was asked for.
    Changed {
        /// Why not, for people.
        refused: Option<String>,
        /// How late sound is now.
        delay: LiveLatency,
    },
    /// The end, with the rest of the sound.
    Over(Vec<f32>),
    /// It failed or was lost: for the log.
    Failed(String),
}

impl LiveDesk {
    /// A desk for so many conversions at a time.
    #[must_use]
    pub fn new(bench: Workbench, places: usize) -> Self {
        Self {
            bench,
            places: Arc::new(Semaphore::new(places)),
            count: places,
            started: Arc::default(),
        }
    }

    /// How many conversions there can be at a time; 0 means that this server has none.
    #[must_use]
    pub fn places(&self) -> usize {
        self.count
    }

    /// How many go on now.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.count - self.places.available_permits()
    }

    /// A place, if one is free.
    #[must_use]
    pub fn take(&self) -> Option<LivePlace> {
        let permit = self.places.clone().try_acquire_owned();
        permit.ok().map(LivePlace)
    }

    /// Waits until all places are free, as they are soon after the server was told to stop.
    pub async fn is_empty(&self) {
        let all = u32::try_from(self.count).unwrap_or(u32::MAX);
        // Nobody closes it.
        let _all = self.places.acquire_many(all).await;
    }

    /// Starts a worker for a conversion, and waits until it can begin. `voice` is the number of the voice and the id of its package.
    pub async fn open(
        &self,
        place: LivePlace,
        (id, request_id): (i64, &str),
        spec: &LiveSpec,
        voice: (i64, &str),
    ) -> Result<(LiveWorker, LiveLatency), LiveError> {
        let mut in_use = VoicesInUse::default();
        let token = token::draw().map_err(LiveError::Randomness)?;
        let folder = stage_voice(&self.bench, voice, &token, &mut in_use).await?;
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let supervisor = self.bench.settings.supervisor(number);
        let mut process = WorkerProcess::start(&supervisor.command).await?;
        renice(process.pid, NICENESS);
        let effects = match self
            .staged(&process, spec.pre.iter().chain(&spec.post))
            .await
        {
            Ok(effects) => effects,
            Err(error) => {
                process.kill().await;
                return Err(error);
            }
        };
        let order = LiveOrder {
            id,
            request_id: request_id.to_owned(),
            spec: spec.clone(),
            voice: folder,
            effects,
        };
        let asked = async {
            process.order(&Order::Live(Box::new(order))).await?;
            process.report().await
        };
        let limit = self.bench.settings.job_timeout;
        let delay = match tokio::time::timeout(limit, asked).await {
            Ok(Ok(Report::Listening(delay))) => delay,
            Ok(Ok(Report::Failed { failure, detail })) => {
                process.kill().await;
                return Err(LiveError::Refused {
                    message: failure.message,
                    detail,
                });
            }
            Ok(Ok(_)) => {
                process.kill().await;
                return Err(LiveError::Lost("it says something else".to_owned()));
            }
            Ok(Err(error)) => return Err(LiveError::Lost(process.kill_and_tell(&error).await)),
            Err(_) => {
                process.kill().await;
                return Err(LiveError::Lost("it does not get ready".to_owned()));
            }
        };
        let memory_bytes = supervisor.memory_bytes;
        let worker = LiveWorker::lead(process, self.clone(), memory_bytes, (place, in_use))?;
        Ok((worker, delay))
    }

    async fn staged(
        &self,
        process: &WorkerProcess,
        chain: impl Iterator<Item = &ChainItem> + Send,
    ) -> Result<Vec<OrderedEffect>, LiveError> {
        let folder = process.folder();
        let folder = folder.map_err(|error| LiveError::Lost(error.to_string()))?;
        let chain: Vec<&ChainItem> = chain.collect();
        let from = (&self.bench.store, &self.bench.files);
        Ok(order_effects(from, &folder, &chain).await?)
    }
}

/// The worker of one live conversion. Dropping it ends the process.
#[derive(Debug)]
pub struct LiveWorker {
    desk: LiveDesk,
    folder: std::path::PathBuf,
    orders: mpsc::Sender<Order>,
    reports: mpsc::Receiver<LiveReport>,
    telling: JoinHandle<()>,
    hearing: JoinHandle<()>,
    process: Option<LiveProcess>,
    /// Its place, and the copies of voices that are to stay.
    _held: (LivePlace, VoicesInUse),
}

impl LiveWorker {
    fn lead(
        process: WorkerProcess,
        desk: LiveDesk,
        memory_bytes: u64,
        held: (LivePlace, VoicesInUse),
    ) -> Result<Self, LiveError> {
        let pid = process.pid;
        let folder = process.folder();
        let folder = folder.map_err(|error| LiveError::Lost(error.to_string()))?;
        let (mut input, mut output, process) = process.apart();
        let (orders, mut to_send) = mpsc::channel::<Order>(QUEUE);
        let telling = tokio::spawn(async move {
            while let Some(order) = to_send.recv().await {
                if let Err(error) = frame::send(&mut input, &order).await {
                    tracing::debug!(%error, "a live worker takes no orders");
                    return;
                }
            }
        });
        let (told, reports) = mpsc::channel(QUEUE);
        let hearing = tokio::spawn(async move {
            let listening = async {
                loop {
                    let report = said(frame::receive(&mut output).await);
                    let is_last = matches!(report, LiveReport::Over(_) | LiveReport::Failed(_));
                    if told.send(report).await.is_err() || is_last {
                        return;
                    }
                }
            };
            tokio::select! {
                () = listening => {}
                () = exceeds(pid, memory_bytes) => {
                    let failed = LiveReport::Failed(format!("more than {memory_bytes} bytes"));
                    let _gone = told.send(failed).await;
                }
            }
        });
        Ok(Self {
            desk,
            folder,
            orders,
            reports,
            telling,
            hearing,
            process: Some(process),
            _held: held,
        })
    }

    /// Gives it more sound. `false` when it takes nothing at present: it is stopped, or lost.
    #[must_use]
    pub fn hear(&self, samples: &[f32]) -> bool {
        self.orders.try_send(Order::Hear(to_text(samples))).is_ok()
    }

    /// Has it go on otherwise.
    pub async fn change(
        &self,
        knobs: Option<LiveKnobs>,
        (pre, post): (Option<Chain>, Option<Chain>),
    ) -> Result<(), LiveError> {
        let chain: Vec<&ChainItem> = pre.iter().chain(&post).flatten().collect();
        let from = (&self.desk.bench.store, &self.desk.bench.files);
        let effects = order_effects(from, &self.folder, &chain).await?;
        let change = LiveChange {
            knobs,
            pre,
            post,
            effects,
        };
        let sent = self.orders.try_send(Order::Change(Box::new(change)));
        sent.map_err(|_| LiveError::Lost("it takes no orders".to_owned()))
    }

    /// Tells it that no more sound comes.
    pub async fn end(&self) -> Result<(), LiveError> {
        let sent = self.orders.send(Order::EndLive).await;
        sent.map_err(|_| LiveError::Lost("it takes no orders".to_owned()))
    }

    /// Waits for what it says next. May be given up and asked again.
    pub async fn report(&mut self) -> LiveReport {
        let report = self.reports.recv().await;
        report.unwrap_or_else(|| LiveReport::Failed("it is gone".to_owned()))
    }

    /// Ends the process, and waits until it is gone.
    pub async fn close(mut self) {
        if let Some(process) = self.process.take() {
            process.kill().await;
        }
    }
}

impl Drop for LiveWorker {
    fn drop(&mut self) {
        self.telling.abort();
        self.hearing.abort();
    }
}

fn said(report: Result<Report, FrameError>) -> LiveReport {
    match report {
        Ok(Report::Spoken {
            sound,
            took_us,
            input_rms,
        }) => match of_text(&sound) {
            Some(samples) => LiveReport::Spoken {
                samples,
                took_us,
                input_rms,
            },
            None => LiveReport::Failed("it gives no sound".to_owned()),
        },
        Ok(Report::Changed { refused, delay }) => LiveReport::Changed { refused, delay },
        Ok(Report::Over { sound }) => LiveReport::Over(of_text(&sound).unwrap_or_default()),
        Ok(Report::Failed { detail, .. }) => LiveReport::Failed(detail),
        Ok(other) => LiveReport::Failed(format!("it reports {other:?}")),
        Err(error) => LiveReport::Failed(error.to_string()),
    }
}
