use std::borrow::Cow;

use rand::TryRng as _;
use rand::rngs::SysRng;
use serde_json::Value;
use tokio::sync::mpsc;

use super::TraceContext;

/// Which side of an exchange a span is, by OpenTelemetry's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// It answers a request.
    Server = 2,
    /// It sends one.
    Client = 3,
    /// It does what was put into a queue.
    Consumer = 5,
}

/// Something that happened, from its beginning to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// Where it is in its trace.
    pub context: TraceContext,
    /// The span that it belongs to.
    pub parent_id: Option<String>,
    /// What it is.
    pub name: String,
    /// Which side it is.
    pub kind: SpanKind,
    /// When it began, in microseconds since the Unix epoch.
    pub began_us: i64,
    /// When it ended.
    pub ended_us: i64,
    /// What there is to say about it.
    pub attributes: Vec<(Cow<'static, str>, Value)>,
    /// Whether it failed.
    pub failed: bool,
}

/// A span that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenSpan {
    /// Where it is in its trace.
    pub context: TraceContext,
    /// The span that it belongs to.
    pub parent_id: Option<String>,
    /// When it began, in microseconds since the Unix epoch.
    pub began_us: i64,
}

/// Takes spans to the exporter; without one it only passes contexts on. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Tracer {
    spans: Option<mpsc::Sender<Span>>,
}

impl Tracer {
    /// A tracer whose spans arrive at the receiver. When the receiver is too slow, spans are lost; nobody waits.
    #[must_use]
    pub fn bounded(spans: usize) -> (Self, mpsc::Receiver<Span>) {
        let (sender, receiver) = mpsc::channel(spans);
        let tracer = Self {
            spans: Some(sender),
        };
        (tracer, receiver)
    }

    /// Begins a span under `parent`, the header of the caller; without one it begins a trace. Nothing begins when nobody
    /// listens, or when whoever began the trace does not record it.
    #[must_use]
    pub fn begin(&self, parent: Option<&str>, now_us: i64) -> Option<OpenSpan> {
        self.spans.as_ref()?;
        let parent = parent.and_then(TraceContext::parse);
        if parent.as_ref().is_some_and(|parent| !parent.sampled) {
            return None;
        }
        let trace_id = match &parent {
            Some(parent) => parent.trace_id.clone(),
            None => format!("{:032x}", u128::from_be_bytes(random()?)),
        };
        Some(OpenSpan {
            context: TraceContext {
                trace_id,
                span_id: format!("{:016x}", u64::from_be_bytes(random()?)),
                sampled: true,
            },
            parent_id: parent.map(|parent| parent.span_id),
            began_us: now_us,
        })
    }

    /// Ends a span with what there is to say about it.
    pub fn end(&self, open: OpenSpan, (name, kind): (String, SpanKind), now_us: i64, about: About) {
        let Some(spans) = &self.spans else {
            return;
        };
        let span = Span {
            context: open.context,
            parent_id: open.parent_id,
            name,
            kind,
            began_us: open.began_us,
            ended_us: now_us.max(open.began_us),
            attributes: about.0,
            failed: about.1,
        };
        if spans.try_send(span).is_err() {
            tracing::debug!("a span is lost: the collector is too slow");
        }
    }
}

/// Attributes of a span, and whether it failed.
pub type About = (Vec<(Cow<'static, str>, Value)>, bool);

/// `None` when the system has no random numbers: then there is no trace.
fn random<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0; N];
    SysRng.try_fill_bytes(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_span_belongs_to_its_parent_and_a_trace_begins_without_one() {
        let (tracer, mut spans) = Tracer::bounded(4);
        let first = tracer.begin(None, 5).expect("it begins");
        let second = tracer
            .begin(Some(&first.context.header()), 6)
            .expect("it begins");
        assert_eq!(second.context.trace_id, first.context.trace_id);
        assert_eq!(second.parent_id.as_ref(), Some(&first.context.span_id));
        assert_ne!(second.context.span_id, first.context.span_id);
        tracer.end(
            second,
            ("work".to_owned(), SpanKind::Consumer),
            9,
            (vec![], false),
        );
        let span = spans.recv().await.expect("it arrives");
        assert_eq!((span.began_us, span.ended_us), (6, 9));
    }

    #[test]
    fn nothing_begins_when_nobody_records() {
        assert_eq!(Tracer::default().begin(None, 0), None);
        let (tracer, _spans) = Tracer::bounded(1);
        let unsampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
        assert_eq!(tracer.begin(Some(unsampled), 0), None);
    }
}
