//! `/metrics`: what happened is counted.

use reqwest::Method;

use super::harness::{Server, header, tone, until};

/// The value of the line that begins so, as it is written; `0` when there is none yet.
fn value<'a>(text: &'a str, beginning: &str) -> &'a str {
    let line = text.lines().find(|line| {
        let rest = line.strip_prefix(beginning);
        rest.is_some_and(|rest| rest.starts_with(' '))
    });
    let number = line.and_then(|line| line.rsplit(' ').next());
    number.unwrap_or("0")
}

#[test]
fn a_job_leaves_its_figures() {
    let server = Server::start(&[]);
    let read = || {
        let url = format!("http://{}/metrics", server.address);
        let answer = server.anonymous(Method::GET, &url).send();
        let answer = answer.expect("the server answers");
        assert_eq!(answer.status(), 200);
        let media_type = header(answer.headers(), "content-type");
        assert!(media_type.starts_with("application/openmetrics-text"));
        answer.text().expect("text")
    };
    assert_eq!(value(&read(), "vocalhost_upload_bytes_total"), "0");
    let sound = tone();
    let bytes = sound.len().to_string();
    let id = server.accepted(sound);
    assert_eq!(server.ended(id)["status"], "success");
    let missing = server
        .request(Method::GET, "/voice-conversions/999999")
        .send();
    assert_eq!(missing.expect("the server answers").status(), 404);
    let kind = r#"kind="voice-conversion""#;
    // The attempt is counted a moment after its end can be seen.
    let text = until("the attempt to be counted", || {
        let text = read();
        let ended = format!(r#"vocalhost_attempts_total{{{kind},outcome="completed"}}"#);
        (value(&text, &ended) != "0").then_some(text)
    });
    assert_eq!(value(&text, "vocalhost_upload_bytes_total"), bytes);
    for (name, wanted) in [
        (
            format!("vocalhost_job_claim_wait_seconds_count{{{kind}}}"),
            "1",
        ),
        (format!("vocalhost_job_run_seconds_count{{{kind}}}"), "1"),
        (format!("vocalhost_jobs_waiting{{{kind}}}"), "0"),
        (
            r#"vocalhost_http_requests_total{operation="createVoiceConversion",status="201"}"#
                .to_owned(),
            "1",
        ),
        (
            r#"vocalhost_http_requests_total{operation="getVoiceConversion",status="404"}"#
                .to_owned(),
            "1",
        ),
        ("vocalhost_worker_crashes_total".to_owned(), "0"),
        ("vocalhost_webhook_backlog".to_owned(), "0"),
    ] {
        assert_eq!(value(&text, &name), wanted, "{name}\n{text}");
    }
    let share = |part: &str| -> f64 {
        let name = format!(r#"vocalhost_work_seconds_total{{{kind},part="{part}"}}"#);
        value(&text, &name).parse().expect("a number")
    };
    let parts = [
        "decode",
        "network",
        "transforms",
        "join",
        "measure",
        "encode",
        "hash",
        "rest",
    ];
    assert!(parts.iter().all(|part| share(part) > 0.0), "{text}");
    assert!(
        !text.contains(&format!(r#"{{{kind},part="effects"}}"#)),
        "there were none: {text}"
    );
    let wall = value(
        &text,
        &format!("vocalhost_work_wall_seconds_total{{{kind}}}"),
    );
    assert!(wall.parse::<f64>().expect("a number") > 0.0, "{text}");
    let workers = |state: &str| -> u32 {
        let name = format!(r#"vocalhost_workers{{state="{state}"}}"#);
        value(&text, &name).parse().expect("a number")
    };
    assert_eq!(workers("idle") + workers("busy"), 1);
}
