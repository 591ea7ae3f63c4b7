use serde_json::{Value, json};

use super::Span;

/// OpenTelemetry's number for a span that failed.
const STATUS_ERROR: u8 = 2;

/// The request of OTLP over HTTP with these spans, in its JSON form: ids in hex, 64-bit numbers as text
/// (opentelemetry.io, OTLP specification 1.x, "JSON Protobuf Encoding").
pub(super) fn request(spans: &[Span]) -> Value {
    let spans: Vec<Value> = spans.iter().map(encoded).collect();
    json!({
        "resourceSpans": [{
            "resource": {
                "attributes": [
                    attribute("service.name", &json!("vocalhost")),
                    attribute("service.version", &json!(env!("CARGO_PKG_VERSION"))),
                ],
            },
            "scopeSpans": [{ "scope": { "name": "vocalhost" }, "spans": spans }],
        }],
    })
}

fn encoded(span: &Span) -> Value {
    let attributes = span.attributes.iter();
    let attributes: Vec<Value> = attributes
        .map(|(name, value)| attribute(name, value))
        .collect();
    let status = if span.failed {
        json!({ "code": STATUS_ERROR })
    } else {
        json!({})
    };
    json!({
        "traceId": span.context.trace_id,
        "spanId": span.context.span_id,
        "parentSpanId": span.parent_id.as_deref().unwrap_or_default(),
        "name": span.name,
        "kind": span.kind as u8,
        "startTimeUnixNano": nanoseconds(span.began_us),
        "endTimeUnixNano": nanoseconds(span.ended_us),
        "attributes": attributes,
        "status": status,
    })
}

fn nanoseconds(at_us: i64) -> String {
    (i128::from(at_us) * 1_000).to_string()
}

fn attribute(name: &str, value: &Value) -> Value {
    let value = match value {
        Value::Bool(value) => json!({ "boolValue": value }),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => json!({ "intValue": whole.to_string() }),
            None => json!({ "doubleValue": number }),
        },
        Value::String(text) => json!({ "stringValue": text }),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            json!({ "stringValue": value.to_string() })
        }
    };
    json!({ "key": name, "value": value })
}
