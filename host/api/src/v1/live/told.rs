//! What a client is told on its socket.

use std::time::Duration;

use futures_util::SinkExt as _;
use futures_util::stream::SplitSink;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use vocalhost_job::LiveEnd;

/// The socket of a stream.
pub(super) type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// How long a worker may take for the rest, and a client to take what it is told last.
pub(super) const LAST: Duration = Duration::from_secs(10);

/// Messages that may wait to be taken by a client. When there is no room, the newest sound is dropped.
const QUEUE: usize = 8;

/// What a client is told, in order.
#[derive(Clone)]
pub(super) struct Told(mpsc::Sender<Message>);

impl Told {
    /// To this socket; the task ends once the last message is out.
    pub(super) fn new(mut sink: SplitSink<Socket, Message>) -> (Self, JoinHandle<()>) {
        let (sender, mut messages) = mpsc::channel::<Message>(QUEUE);
        let telling = tokio::spawn(async move {
            while let Some(message) = messages.recv().await {
                let is_last = message.is_close();
                if sink.send(message).await.is_err() || is_last {
                    return;
                }
            }
        });
        (Self(sender), telling)
    }

    /// Says something, unless the client is too far behind to hear it.
    pub(super) fn say(&self, words: &Value) -> bool {
        self.0.try_send(Message::text(words.to_string())).is_ok()
    }

    /// Sends sound, unless the client does not take it.
    pub(super) fn sound(&self, frame: bytes::Bytes) -> bool {
        self.0.try_send(Message::Binary(frame)).is_ok()
    }

    /// Closes the stream after what waits.
    pub(super) async fn close(&self, code: u16, reason: &'static str) {
        let frame = CloseFrame {
            code: CloseCode::from(code),
            reason: reason.into(),
        };
        let closing = self.0.send(Message::Close(Some(frame)));
        let _gone_or_not = tokio::time::timeout(LAST, closing).await;
    }
}

/// What the stream is closed with.
pub(super) fn close_code(why: LiveEnd) -> u16 {
    match why {
        LiveEnd::Stopped | LiveEnd::Cancelled | LiveEnd::Disconnected | LiveEnd::Expired => 1000,
        LiveEnd::ServerStopped => 1001,
        LiveEnd::Protocol => 4400,
        LiveEnd::Idle => 4408,
        LiveEnd::Minutes => 4429,
        LiveEnd::WorkerLost => 4503,
    }
}
