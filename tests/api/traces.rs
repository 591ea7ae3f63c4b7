//! What a collector of OpenTelemetry is told.

use reqwest::Method;
use reqwest::blocking::multipart::Form;
use serde_json::{Value, json};
use vocalhost_testing::receiver::Receiver;

use super::harness::{Server, tone_part, until};

/// Every span that has arrived.
fn spans(collector: &Receiver) -> Vec<Value> {
    let mut found = Vec::new();
    for arrived in collector.arrived() {
        assert_eq!(arrived.path, "/v1/traces");
        assert_eq!(arrived.header("content-type"), "application/json");
        let body = arrived.json();
        let resource = &body["resourceSpans"][0];
        let service = json!({"key": "service.name", "value": {"stringValue": "vocalhost"}});
        assert_eq!(resource["resource"]["attributes"][0], service);
        let list = resource["scopeSpans"][0]["spans"].as_array();
        found.extend(list.expect("a list").iter().cloned());
    }
    found
}

#[test]
fn a_trace_goes_from_the_request_over_the_job_to_the_webhook() {
    let collector = Receiver::start(&[]);
    let receiver = Receiver::start(&[]);
    let endpoint = format!("http://{}/", collector.address);
    let flags = [
        "--webhook-allow-private",
        "127.0.0.1",
        "--otlp-endpoint",
        &endpoint,
    ];
    let server = Server::start(&flags);
    let (trace, client) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .text("webhookUrl", receiver.url("/"))
        .part("soundFile", tone_part());
    let request = server.request(Method::POST, "/voice-conversions");
    let request = request.header("traceparent", format!("00-{trace}-{client}-01"));
    let made: Value = request
        .multipart(form)
        .send()
        .expect("an answer")
        .json()
        .expect("JSON");
    let told = receiver.until(1)[0].header("traceparent").to_owned();
    let find = |name: &str| {
        until(name, || {
            let spans = spans(&collector).into_iter();
            spans
                .into_iter()
                .find(|span| span["name"] == name && span["traceId"] == trace)
        })
    };
    let asked = find("createVoiceConversion");
    let worked = find("voice-conversion");
    let delivered = find("job.success");
    assert_eq!(asked["parentSpanId"], client);
    assert_eq!(worked["parentSpanId"], asked["spanId"]);
    assert_eq!(delivered["parentSpanId"], asked["spanId"]);
    let own = delivered["spanId"].as_str().expect("an id");
    assert_eq!(told, format!("00-{trace}-{own}-01"));
    let kinds = [&asked, &worked, &delivered].map(|span| span["kind"].clone());
    assert_eq!(kinds, [json!(2), json!(5), json!(3)]);
    let id = json!({"key": "vocalhost.job_id", "value": {"intValue": made["id"].to_string()}});
    for span in [&asked, &worked, &delivered] {
        let at = |name: &str| -> u64 {
            span[name]
                .as_str()
                .expect("a text")
                .parse()
                .expect("nanoseconds")
        };
        assert!(at("startTimeUnixNano") <= at("endTimeUnixNano"), "{span:#}");
        assert_eq!(span["status"], json!({}));
    }
    for span in [&worked, &delivered] {
        assert!(
            span["attributes"].as_array().expect("a list").contains(&id),
            "{span:#}"
        );
    }
    let about = worked["attributes"].as_array().expect("a list");
    let network = about
        .iter()
        .find(|about| about["key"] == "vocalhost.thread_seconds.network");
    let seconds = network.and_then(|about| about["value"]["doubleValue"].as_f64());
    assert!(seconds.is_some_and(|seconds| seconds > 0.0), "{worked:#}");
    // A request without a trace begins one of its own.
    let spans = spans(&collector);
    let other = spans.iter().find(|span| span["name"] == "listVoiceModels");
    assert!(other.is_some_and(|span| span["parentSpanId"] == "" && span["traceId"] != trace));
}
