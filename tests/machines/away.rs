//! A database that is away: every answer says so, and soon.

use std::time::{Duration, Instant};

use reqwest::Method;
use reqwest::blocking::RequestBuilder;
use serde_json::{Value, json};
use vocalhost_testing::proxy::{Proxy, Way};

use super::node::Node;
use super::place::Place;

/// No answer takes longer: two seconds, and what a machine with other work adds. Whoever waits for the database itself takes half a minute.
const LIMIT: Duration = Duration::from_secs(10);

#[test]
fn while_the_database_is_away_every_answer_says_so_soon() {
    let mut place = Place::new();
    let proxy = Proxy::to(&place.postgres.place());
    let by_proxy = place.postgres.address_by(&proxy.address(), "postgres");
    let node = Node::start(place.flags(&by_proxy));
    let id = node.give_in_surely(0.5, &place.key, "before");
    let job = format!("/voice-conversions/{id}");
    node.until_ended(&job, &place.key);
    let models = node.get_surely("/voice-models", &place.key);
    let models: Value = models.json().expect("it is JSON");
    let link = models["data"][0]["demoUrl"].as_str().expect("a link");
    let (_, link) = link.split_once("/api/v1").expect("a link of the server's");
    for (name, way) in [("nothing arrives", Way::Hole), ("all is reset", Way::Reset)] {
        proxy.turn(way);
        everything_is_refused(&node, &place, (&job, link), name);
        proxy.turn(Way::Open);
        node.until_ready();
    }
    place.postgres.stop_hard();
    everything_is_refused(&node, &place, (&job, link), "it is stopped");
    place.postgres.start_again().expect("it recovers");
    node.until_ready();
    node.until_ended(&job, &place.key);
}

fn everything_is_refused(node: &Node, place: &Place, (job, link): (&str, &str), how: &str) {
    for path in [
        "/voice-models",
        "/jobs",
        "/me",
        "/usage",
        "/webhooks",
        "/pipelines",
        "/admin/nodes",
        "/admin/users",
        job,
        &format!("{job}/events"),
        link,
    ] {
        is_refused(node, place, (Method::GET, path), how, |request| request);
    }
    let pipeline = json!({ "name": "room", "chain": [{ "effect": "reverb" }] });
    let post = (Method::POST, "/pipelines");
    is_refused(node, place, post, how, |request| {
        request.header("idempotency-key", "one").json(&pipeline)
    });
    let delete = (Method::DELETE, job);
    is_refused(node, place, delete, how, |request| request);
    let ready = node.request(Method::GET, "/readyz").send();
    assert_eq!(ready.expect("it answers").status(), 503, "{how}");
    let alive = node.request(Method::GET, "/livez").send();
    assert_eq!(alive.expect("it answers").status(), 200, "{how}");
}

fn is_refused(
    node: &Node,
    place: &Place,
    (method, path): (Method, &str),
    how: &str,
    more: impl FnOnce(RequestBuilder) -> RequestBuilder,
) {
    let asked_at = Instant::now();
    let request = node.request(method.clone(), &format!("/api/v1{path}"));
    let answer = more(request.bearer_auth(&place.key)).send();
    let answer = answer.expect("it answers");
    let took = asked_at.elapsed();
    let at = format!("{method} {path} while {how}");
    assert_eq!(answer.status(), 503, "{at}");
    assert!(answer.headers().contains_key("retry-after"), "{at}");
    assert_eq!(
        answer.headers()["content-type"],
        "application/problem+json",
        "{at}"
    );
    let body: Value = answer.json().expect("a problem is JSON");
    assert_eq!(body["code"], "E_SERVICE_UNAVAILABLE", "{at}: {body:#}");
    assert!(took < LIMIT, "{at}: {took:?}");
}
