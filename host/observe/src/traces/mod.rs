//! What happened to one request, from the API over the worker to the webhook, told to a collector of OpenTelemetry. Only a
//! handful of spans arise for each job, so they are recorded where they end and sent as OTLP over HTTP in JSON.

mod context;
mod exporter;
mod otlp;
mod tracer;

pub use context::TraceContext;
pub use exporter::{Export, Exporter};
pub use tracer::{OpenSpan, Span, SpanKind, Tracer};
