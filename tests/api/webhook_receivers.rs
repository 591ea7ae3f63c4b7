//! What arrives at the receivers of webhooks, and what does not.

use std::io::{BufReader, Read as _, Write as _};
use std::net::TcpListener;

use reqwest::Method;
use reqwest::blocking::multipart::Form;
use serde_json::{Value, json};
use vocalhost_hooks::signature;
use vocalhost_testing::poll::PATIENCE;
use vocalhost_testing::receiver::{Arrived, Receiver, read_request};

use super::harness::{Server, problem, tone_part, until};

/// A server that may send to this machine, and tries again soon.
fn server(more: &[&str]) -> Server {
    let flags = [
        "--webhook-allow-private",
        "127.0.0.0/8",
        "--webhook-retries-s",
        "0.1,0.1,0.1",
    ];
    Server::start(&[&flags[..], more].concat())
}

fn hook(server: &Server, body: &Value) -> Value {
    let request = server.request(Method::POST, "/webhooks").json(body);
    let answer = request.send().expect("the server answers");
    assert_eq!(answer.status(), 201);
    answer.json().expect("the answer is JSON")
}

/// Asks for a conversion whose voice does not matter: cancelled or not, it ends.
fn job(server: &Server, fields: &[(&str, &str)]) -> i64 {
    let mut form = Form::new().text("voiceModelId", server.voice());
    for (name, value) in fields {
        form = form.text((*name).to_owned(), (*value).to_owned());
    }
    let answer = server.post(form.part("soundFile", tone_part()));
    let status = answer.status();
    let record: Value = answer.json().expect("the answer is JSON");
    assert_eq!(status, 201, "{record:#}");
    record["id"].as_i64().expect("an id")
}

fn post(server: &Server, path: &str) -> Value {
    let answer = server.request(Method::POST, path).send();
    let answer = answer.expect("the server answers");
    assert_eq!(answer.status(), 202, "{path}");
    answer.json().expect("the answer is JSON")
}

/// The first delivery to a webhook once it has this state.
fn delivery(server: &Server, hook: &Value, state: &str) -> Value {
    let path = format!("/webhooks/{}/deliveries", hook["id"]);
    until(state, || {
        let first = server.get(&path)["data"][0].clone();
        (first["state"] == state).then_some(first)
    })
}

fn check_signature(arrived: &Arrived, secret: &Value) {
    let timestamp = arrived
        .header("webhook-timestamp")
        .parse()
        .expect("seconds");
    let secret = secret.as_str().expect("a secret");
    let wanted = signature(
        secret,
        arrived.header("webhook-id"),
        timestamp,
        &arrived.body,
    );
    let given: Vec<&str> = arrived.header("webhook-signature").split(' ').collect();
    assert!(given.contains(&wanted.as_str()), "{given:?}");
}

#[test]
fn the_end_of_a_job_is_told_signed_and_with_its_record() {
    let server = server(&[]);
    let receiver = Receiver::start(&[]);
    let all = hook(&server, &json!({"url": receiver.url("/all?x=1")}));
    let errors = json!({"url": receiver.url("/errors"), "events": ["job.error"]});
    let errors = hook(&server, &errors);
    let own = hook(&server, &json!({"forJobs": true}));
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .text("webhookUrl", receiver.url("/own"))
        .part("soundFile", tone_part());
    let request = server.request(Method::POST, "/voice-conversions");
    let answer = request.header("traceparent", trace).multipart(form).send();
    let made: Value = answer.expect("the server answers").json().expect("JSON");
    assert_eq!(made["webhookUrl"], receiver.url("/own"));

    let mut arrived = receiver.until(2);
    arrived.sort_by(|one, other| one.path.cmp(&other.path));
    let paths: Vec<&str> = arrived.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, ["/all?x=1", "/own"]);
    check_signature(&arrived[0], &all["secret"]);
    check_signature(&arrived[1], &own["secret"]);
    assert_eq!(
        arrived[0].header("webhook-id"),
        arrived[1].header("webhook-id")
    );
    let record = server.job(made["id"].as_i64().expect("an id"));
    for one in &arrived {
        assert_eq!(one.header("host"), receiver.address);
        assert_eq!(one.header("content-type"), "application/json");
        let body = one.json();
        assert_eq!(body["type"], "job.success");
        assert_eq!(body["data"]["kind"], "voice-conversion");
        for same in ["id", "status", "createdAt", "jobEndTime", "voiceModelId"] {
            assert_eq!(body["data"][same], record[same], "{same}");
        }
        let link = body["data"]["outputFileUrl"].as_str().expect("a link");
        assert!(server.fetch(link).starts_with(b"RIFF"));
        assert_eq!(one.header("traceparent"), trace);
    }
    let told = delivery(&server, &all, "delivered");
    assert_eq!(told["messageId"], arrived[0].header("webhook-id"));
    assert_eq!(told["jobId"], record["id"]);
    assert_eq!(told["attempts"][0]["status"], 200);
    assert_eq!(
        server.get(&format!("/webhooks/{}/deliveries", errors["id"]))["data"],
        json!([])
    );
    let seen = server.get(&format!("/webhooks/{}", all["id"]));
    assert!(seen["lastSuccessAt"].is_string(), "{seen:#}");
}

#[test]
fn a_receiver_that_fails_is_asked_again_and_a_replay_repeats_what_it_had() {
    let server = server(&[]);
    let failing = "HTTP/1.1 500 Oh\r\ncontent-length: 9\r\n\r\nnot today";
    let receiver = Receiver::start(&[failing, "nonsense", "HTTP/1.1 204 No Content"]);
    let hook = hook(&server, &json!({"url": receiver.url("/")}));
    job(&server, &[]);
    let arrived = receiver.until(3);
    assert!(
        arrived
            .iter()
            .all(|one| one.header("webhook-id") == arrived[0].header("webhook-id"))
    );
    let told = delivery(&server, &hook, "delivered");
    let attempts = told["attempts"].as_array().expect("a list");
    let statuses: Vec<&Value> = attempts.iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, [&json!(500), &Value::Null, &json!(204)]);
    assert_eq!(attempts[0]["answer"], "not today");
    assert!(attempts[1]["error"].is_string(), "{told:#}");

    // After a change of the secret both sign.
    let rotated = server.request(Method::POST, &format!("/webhooks/{}/rotate", hook["id"]));
    let rotated: Value = rotated.send().expect("an answer").json().expect("JSON");
    let path = format!("/webhooks/{}/deliveries/{}/replay", hook["id"], told["id"]);
    let replayed = post(&server, &path);
    assert_eq!(
        (&replayed["id"], &replayed["state"]),
        (&told["id"], &json!("pending"))
    );
    let again = &receiver.until(4)[3];
    assert_eq!(again.header("webhook-id"), arrived[0].header("webhook-id"));
    check_signature(again, &hook["secret"]);
    check_signature(again, &rotated["secret"]);
    assert_eq!(
        delivery(&server, &hook, "delivered")["attempts"]
            .as_array()
            .map(Vec::len),
        Some(4)
    );
}

#[test]
fn an_endpoint_that_stays_away_is_disabled_until_its_owner_enables_it() {
    let server = server(&[]);
    let never = "HTTP/1.1 503 No\r\ncontent-length: 0";
    let receiver = Receiver::start(&[never; 5]);
    let hook = hook(&server, &json!({"url": receiver.url("/")}));
    let path = format!("/webhooks/{}", hook["id"]);
    post(&server, &format!("{path}/test"));
    assert_eq!(
        delivery(&server, &hook, "failed")["attempts"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    // What means nothing has no consequences.
    assert_eq!(server.get(&path)["enabled"], true);

    job(&server, &[]);
    assert_eq!(receiver.until(5)[1].json()["type"], "job.success");
    let seen = until("the endpoint to be given up", || {
        let seen = server.get(&path);
        (seen["enabled"] == false).then_some(seen)
    });
    assert!(seen["disabledReason"].is_string());
    let failed = server.get(&format!("{path}/deliveries?order=desc"))["data"][0].clone();
    assert_eq!(failed["state"], "failed");
    assert_eq!(failed["attempts"].as_array().map(Vec::len), Some(4));
    let replay = format!("{path}/deliveries/{}/replay", failed["id"]);
    let answer = server.request(Method::POST, &replay).send();
    assert_eq!(problem(answer.expect("an answer")).1, "E_WEBHOOK_DISABLED");

    let request = server
        .request(Method::PATCH, &path)
        .json(&json!({"enabled": true}));
    let seen: Value = request.send().expect("an answer").json().expect("JSON");
    assert_eq!(
        (&seen["enabled"], &seen["disabledReason"]),
        (&json!(true), &Value::Null)
    );
    post(&server, &replay);
    assert_eq!(
        receiver.until(6)[5].header("webhook-id"),
        failed["messageId"]
    );
}

#[test]
fn redirects_are_not_followed_and_gone_means_gone() {
    let server = server(&[]);
    let elsewhere = Receiver::start(&[]);
    let redirect = format!(
        "HTTP/1.1 307 Elsewhere\r\nlocation: {}\r\ncontent-length: 0",
        elsewhere.url("/")
    );
    let receiver = Receiver::start(&[&redirect, "HTTP/1.1 410 Gone\r\ncontent-length: 0"]);
    let hook = hook(&server, &json!({"url": receiver.url("/")}));
    job(&server, &[]);
    let failed = delivery(&server, &hook, "failed");
    assert_eq!(failed["attempts"][0]["status"], 307);
    assert_eq!(failed["attempts"][1]["status"], 410);
    assert_eq!(failed["attempts"].as_array().map(Vec::len), Some(2));
    assert!(elsewhere.arrived().is_empty());
    assert_eq!(
        server.get(&format!("/webhooks/{}", hook["id"]))["enabled"],
        false
    );
}

#[test]
fn private_addresses_are_refused_by_number_and_by_name() {
    let server = Server::start(&["--webhook-retries-s", "0.1"]);
    let receiver = Receiver::start(&[]);
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .text("webhookUrl", receiver.url("/"))
        .part("soundFile", tone_part());
    assert_eq!(problem(server.post(form)).2, ["webhookUrl url"]);
    let (_, port) = receiver.address.rsplit_once(':').expect("a port");
    let hook = hook(
        &server,
        &json!({"url": format!("http://localhost:{port}/")}),
    );
    post(&server, &format!("/webhooks/{}/test", hook["id"]));
    let failed = delivery(&server, &hook, "failed");
    let error = failed["attempts"][0]["error"].as_str().expect("a reason");
    assert_eq!(error, "the host has no address on the public internet");
    assert!(receiver.arrived().is_empty());
}

#[test]
fn a_receiver_that_hangs_holds_nobody_up_and_is_given_up_in_time() {
    // The time is the quick one's, too.
    let server = server(&["--webhook-timeout-s", "10"]);
    // It is listened to, but nobody takes the connection from the queue.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let silent_at = silent.local_addr().expect("it is bound");
    let receiver = Receiver::start(&[]);
    let hanging = hook(&server, &json!({"url": format!("http://{silent_at}/")}));
    let quick = hook(&server, &json!({"url": receiver.url("/")}));
    for _ in 0..3 {
        post(&server, &format!("/webhooks/{}/test", hanging["id"]));
    }
    post(&server, &format!("/webhooks/{}/test", quick["id"]));
    let arrived = receiver.until(1);
    assert_eq!(arrived[0].json()["type"], "webhook.test");
    let failed = delivery(&server, &hanging, "failed");
    let attempt = &failed["attempts"][0];
    assert_eq!(attempt["error"], "there was no answer within 10 s");
    assert!(attempt["durationMs"].as_u64().expect("a number") >= 10_000);
}

#[test]
fn an_answer_counts_from_its_head_on_whether_its_body_ends_or_not() {
    let server = server(&["--webhook-timeout-s", "30"]);
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let at = listener.local_addr().expect("it is bound");
    let endless = hook(&server, &json!({"url": format!("http://{at}/")}));
    let talking = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("somebody calls");
        let asked = stream.read(&mut [0; 4_096]);
        assert!(asked.expect("somebody asks") > 0);
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n";
        stream.write_all(head.as_bytes()).expect("somebody listens");
        // Until the caller has heard enough.
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    });
    post(&server, &format!("/webhooks/{}/test", endless["id"]));
    let told = delivery(&server, &endless, "delivered");
    let attempt = &told["attempts"][0];
    assert_eq!(
        (&attempt["status"], &attempt["answer"]),
        (&json!(200), &json!("ok"))
    );
    talking.join().expect("it was called");
}

#[test]
fn what_is_in_the_outbox_survives_a_power_cut() {
    let mut server = server(&["--webhook-retries-s", "1,1,1,1,1,1,1,1,1,1"]);
    // Nobody listens there yet, and the port stays ours to give.
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = port.local_addr().expect("it is bound");
    drop(port);
    let hook = hook(&server, &json!({"url": format!("http://{address}/")}));
    let id = job(&server, &[]);
    server.ended(id);
    let path = format!("/webhooks/{}/deliveries", hook["id"]);
    until("a first try", || {
        let tried = server.get(&path)["data"][0]["attempts"][0]["error"].is_string();
        tried.then_some(())
    });
    server.kill();
    // Somebody listens before the server has used up its tries.
    let listener = TcpListener::bind(address).expect("the port is still free");
    listener.set_nonblocking(true).expect("it can be set");
    server.start_again();
    let arrived = until("the delivery to come", || {
        let (stream, _) = listener.accept().ok()?;
        stream.set_nonblocking(false).expect("it can be set");
        let set = stream.set_read_timeout(Some(PATIENCE));
        set.expect("it can be set");
        // One that the power cut broke off has nothing.
        let arrived = read_request(&mut BufReader::new(&stream)).ok()?;
        (!arrived.body.is_empty()).then_some(arrived)
    });
    check_signature(&arrived, &hook["secret"]);
    assert_eq!(arrived.json()["data"]["id"], id);
}
