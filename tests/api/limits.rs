//! Limits of users and of addresses.

use std::time::Duration;

use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::Value;
use vocalhost_testing::poll::again_if;

use super::harness::{Server, header, problem, shared, tone};

fn asked(server: &Server, key: &str, path: &str) -> Response {
    let request = server.anonymous(Method::GET, &server.url(path));
    request.bearer_auth(key).send().expect("the server answers")
}

fn is_too_many(answer: Response) -> bool {
    if answer.status() != 429 {
        return false;
    }
    let wait: u64 = header(answer.headers(), "retry-after")
        .parse()
        .expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    let (_, code, _) = problem(answer);
    assert_eq!(code, "E_TOO_MANY_REQUESTS");
    true
}

/// Looks again, at another server, where looking took so long that one more was allowed meanwhile, which is every `refill_s` seconds.
fn unless_more_comes_back(refill_s: u64, look: impl Fn()) {
    let refill = Duration::from_secs(refill_s);
    again_if(|took| took >= refill, look);
}

#[test]
fn a_users_reads_are_counted_over_all_keys_and_said_in_every_answer() {
    unless_more_comes_back(12, || {
        let server = Server::start(&["--rate-limit-reads-per-min", "5"]);
        let ann = server.key_of("ann", &[]);
        let same = server.key_of("ann", &["--scope", "write"]);
        let answer = asked(&server, &ann, "/voice-conversions");
        let headers = answer.headers();
        assert_eq!(header(headers, "ratelimit-policy"), "\"read\";q=5;w=60");
        assert!(header(headers, "ratelimit").starts_with("\"read\";r=4;t="));
        assert_eq!(header(headers, "x-ratelimit-limit"), "5");
        assert_eq!(header(headers, "x-ratelimit-remaining"), "4");
        assert!(header(headers, "x-ratelimit-reset").parse::<u64>().is_ok());
        // Problems say it, too; and they count.
        let missing = asked(&server, &ann, "/voice-conversions/999");
        assert_eq!(missing.status(), 404);
        assert_eq!(header(missing.headers(), "x-ratelimit-remaining"), "3");
        let scope = asked(&server, &same, "/voice-conversions");
        assert_eq!(scope.status(), 403);
        assert_eq!(header(scope.headers(), "x-ratelimit-remaining"), "2");
        // Counted, but never refused.
        for _ in 0..10 {
            assert_eq!(asked(&server, &ann, "/voice-models").status(), 200);
            assert_eq!(asked(&server, &ann, "/stem-splits").status(), 200);
        }
        assert!(is_too_many(asked(&server, &ann, "/voice-conversions")));
        assert_eq!(asked(&server, &ann, "/stem-splits/9/peaks").status(), 404);
        // Nobody else is held up, and neither are the user's creations.
        assert_eq!(
            asked(&server, &server.key, "/voice-conversions").status(),
            200
        );
        let made = server.anonymous(Method::POST, &server.url("/voice-conversions"));
        let made = made.bearer_auth(&ann).multipart(Form::new()).send();
        assert_eq!(made.expect("the server answers").status(), 422);
    });
}

#[test]
fn creations_have_a_limit_of_their_own() {
    unless_more_comes_back(30, || {
        let server = Server::start(&["--rate-limit-creations-per-min", "2"]);
        let refused = server.post(Form::new());
        assert_eq!(refused.status(), 422);
        let policy = header(refused.headers(), "ratelimit-policy");
        assert_eq!(policy, "\"create\";q=2;w=60");
        assert_eq!(server.post_to("/stem-splits", Form::new()).status(), 422);
        assert!(is_too_many(server.post(Form::new())));
        assert_eq!(
            server
                .request(Method::GET, "/voice-conversions")
                .send()
                .expect("it answers")
                .status(),
            200
        );
    });
}

#[test]
fn what_is_not_there_is_counted_and_never_refused() {
    unless_more_comes_back(20, || {
        let server = Server::start(&["--rate-limit-reads-per-min", "3"]);
        for (method, path, status, left) in [
            (Method::GET, "/nothing", 404, "2"),
            (Method::DELETE, "/me", 405, "1"),
            (Method::GET, "/voice-conversions", 200, "0"),
        ] {
            let answer = server.request(method, path).send();
            let answer = answer.expect("the server answers");
            assert_eq!(answer.status(), status, "{path}");
            assert_eq!(header(answer.headers(), "x-ratelimit-remaining"), left);
        }
        let refused = server.request(Method::GET, "/voice-conversions").send();
        assert!(is_too_many(refused.expect("the server answers")));
        let stray = server.request(Method::GET, "/nothing").send();
        assert_eq!(stray.expect("the server answers").status(), 404);
    });
}

#[test]
fn failed_authentications_are_limited_by_address() {
    unless_more_comes_back(20, || {
        let flags = [
            "--rate-limit-auth-failures-per-min",
            "3",
            "--trusted-proxies",
            "127.0.0.0/8",
        ];
        let server = Server::start(&flags);
        let from = |address: &str, key: &str| {
            let request = server.anonymous(Method::GET, &server.url("/voice-conversions"));
            let request = request.header("x-forwarded-for", address).bearer_auth(key);
            request.send().expect("the server answers")
        };
        for left in ["2", "1", "0"] {
            let answer = from("203.0.113.7", "no.key");
            assert_eq!(answer.status(), 401);
            assert_eq!(header(answer.headers(), "x-ratelimit-remaining"), left);
        }
        assert!(is_too_many(from("203.0.113.7", "no.key")));
        // What the client itself put in front is not believed.
        assert!(is_too_many(from("192.0.2.1, 203.0.113.7", "no.key")));
        assert_eq!(from("203.0.113.8", "no.key").status(), 401);
        assert_eq!(from("203.0.113.7", &server.key).status(), 200);
    });
}

#[test]
fn only_trusted_proxies_are_believed() {
    let server = Server::start(&["--rate-limit-auth-failures-per-min", "1"]);
    let from = |address: &str| {
        let request = server.anonymous(Method::GET, &server.url("/voice-conversions"));
        let request = request.header("x-forwarded-for", address);
        request.send().expect("the server answers")
    };
    assert_eq!(from("203.0.113.7").status(), 401);
    assert!(is_too_many(from("203.0.113.8")));
}

#[test]
fn a_trusted_proxy_may_have_any_number_of_connections() {
    let flags = [
        "--max-connections-per-address",
        "1",
        "--trusted-proxies",
        "127.0.0.1",
    ];
    let server = Server::start(&flags);
    let _held = [server.connect(), server.connect(), server.connect()];
    assert_eq!(server.get("/voice-models")["meta"]["currentPage"], 1);
}

#[test]
fn web_pages_may_read_the_headers_of_the_limits() {
    let server = Server::start(&["--cors-origins", "https://app.example"]);
    let answer = server
        .request(Method::GET, "/voice-conversions")
        .header("origin", "https://app.example")
        .send()
        .expect("the server answers");
    let exposed = header(answer.headers(), "access-control-expose-headers");
    for name in [
        "ratelimit",
        "ratelimit-policy",
        "x-ratelimit-reset",
        "retry-after",
    ] {
        assert!(
            exposed.split(',').any(|one| one.trim() == name),
            "{exposed}"
        );
    }
    let url = server.url("/voice-conversions");
    let preflight = server
        .anonymous(Method::OPTIONS, &url)
        .header("origin", "https://app.example")
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "authorization,idempotency-key",
        )
        .send()
        .expect("the server answers");
    let allowed = header(preflight.headers(), "access-control-allow-headers");
    assert!(allowed.contains("idempotency-key"), "{allowed}");

    // What is no page's question is answered as without pages.
    let discovery = server
        .anonymous(Method::OPTIONS, &server.url("/uploads"))
        .header("origin", "https://app.example")
        .send()
        .expect("the server answers");
    assert_eq!(header(discovery.headers(), "tus-version"), "1.0.0");
    let origin = header(discovery.headers(), "access-control-allow-origin");
    assert_eq!(origin, "https://app.example");
    let nowhere = server.anonymous(Method::OPTIONS, &server.url("/nowhere"));
    assert_eq!(nowhere.send().expect("the server answers").status(), 404);
}

#[test]
fn without_limits_answers_say_nothing_of_them() {
    let answer = shared().request(Method::GET, "/voice-models").send();
    let answer = answer.expect("the server answers");
    assert!(!answer.headers().contains_key("ratelimit"));
}

#[test]
fn a_disk_with_too_little_room_takes_no_new_work() {
    // More than any disk has.
    let server = Server::start(&["--min-free-bytes", "9000000000000000000"]);
    let form = Form::new().text("voiceModelId", server.voice());
    let refused = server.post(form.part("soundFile", Part::bytes(tone())));
    assert!(refused.headers().contains_key("retry-after"));
    let (status, code, _) = problem(refused);
    assert_eq!((status, code.as_str()), (503, "E_SERVICE_UNAVAILABLE"));
    let ready = format!("http://{}/readyz", server.address);
    let answer = server.anonymous(Method::GET, &ready).send();
    let answer = answer.expect("the server answers");
    assert_eq!(answer.status(), 503);
    let said: Value = answer.json().expect("it says what is missing");
    assert_eq!(said["checks"]["storage"], false, "{said:#}");
    assert_eq!(said["checks"]["database"], true, "{said:#}");
    // What needs no room is done.
    let listed = server.request(Method::GET, "/voice-conversions").send();
    assert_eq!(listed.expect("the server answers").status(), 200);
}
