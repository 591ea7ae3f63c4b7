//! Every route of the tables, asked by whoever may not: nothing shows but existence, and that only as it is documented.

use std::time::{SystemTime, UNIX_EPOCH};

use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::blocking::multipart::Form;
use serde_json::{Value, json};
use vocalhost_api::UNDER_ROOT;
use vocalhost_http::signing::UrlSigner;
use vocalhost_job::Consent;
use vocalhost_store::Scope;
use vocalhost_testing::client::Request;

use super::harness::{Server, tone_part, until, vocalhost};

/// What only the owner may see.
const SECRET: &str = "the-owners-own-note";

/// Rows that are everybody's, where another user's key is as good as the owner's.
const OPEN_ROWS: [&str; 1] = ["/effects/{id}/component"];

/// One operation of the tables.
struct Asked {
    method: Method,
    route: &'static str,
    path: String,
    scope: Scope,
}

/// What the owner has.
struct Belongings {
    conversion: i64,
    separation: i64,
    split: i64,
    blend: i64,
    training: i64,
    voice: i64,
}

impl Belongings {
    fn make(server: &Server, key: &str) -> Self {
        let post = |path: &str| {
            server
                .anonymous(Method::POST, &server.url(path))
                .bearer_auth(key)
        };
        let id = |request: Request| -> Value {
            let answer = request.send().expect("the server answers");
            let status = answer.status();
            let record: Value = answer.json().expect("it is JSON");
            assert!(status.is_success(), "{record:#}");
            record
        };
        let notes = || Form::new().text("metadata", json!({ "note": SECRET }).to_string());
        let form = notes()
            .text("voiceModelId", server.voice())
            .part("soundFile", tone_part());
        let conversion = id(post("/voice-conversions").multipart(form));
        let form = || notes().part("inputFile", tone_part());
        let separation = id(post("/vocal-separations").multipart(form()));
        let split = id(post("/stem-splits").multipart(form()));
        let voices = server.get("/voice-models?perPage=2");
        let blend = id(post("/voice-blender").json(&json!({
            "title": SECRET,
            "modelId1": voices["data"][0]["id"],
            "modelId2": voices["data"][1]["id"],
            "alpha": 0.5,
        })));
        let consent = json!({ "statement": Consent::STATEMENT, "by": "self", "name": SECRET });
        let form = notes()
            .text("title", SECRET)
            .text("consent", consent.to_string())
            .part("soundFile", tone_part().file_name(SECRET));
        let training = id(post("/voice-trainings").multipart(form));
        let chain = json!([{ "effect": "reverb" }]);
        id(post("/pipelines").json(&json!({ "name": SECRET, "chain": chain })));
        let number = |record: &Value, field: &str| record[field].as_i64().expect("a number");
        Self {
            conversion: number(&conversion, "id"),
            separation: number(&separation, "id"),
            split: number(&split, "id"),
            blend: number(&blend, "id"),
            training: number(&training, "id"),
            voice: number(&blend, "outputModelId"),
        }
    }

    /// A path of the tables with the owner's things in it.
    fn fill(&self, route: &str) -> String {
        let kind = route.split('/').nth(1).unwrap_or_default();
        let id = match kind {
            "voice-conversions" => self.conversion.to_string(),
            "vocal-separations" => self.separation.to_string(),
            "stem-splits" => self.split.to_string(),
            "voice-blender" => self.blend.to_string(),
            "voice-trainings" => self.training.to_string(),
            "voice-models" => self.voice.to_string(),
            "pipelines" => SECRET.to_owned(),
            "effects" => "reverb".to_owned(),
            _ => "1".to_owned(),
        };
        let parts = route.split('/').map(|part| match part {
            "{id}" => id.as_str(),
            variable if variable.starts_with('{') => "1",
            plain => plain,
        });
        parts.collect::<Vec<_>>().join("/")
    }
}

fn operations(owned: &Belongings) -> Vec<Asked> {
    let mut found = Vec::new();
    for route in UNDER_ROOT.iter().copied().flatten() {
        for operation in route.operations {
            if let Some(scope) = operation.handler.scope() {
                found.push(Asked {
                    method: operation.method.clone(),
                    route: route.path,
                    path: owned.fill(route.path),
                    scope,
                });
            }
        }
    }
    assert!(
        found.len() > 20,
        "the tables have {} operations",
        found.len()
    );
    found
}

/// Status and body of a refusal, which must look like one and show nothing of the owner.
fn refusal(answer: Response, asked: &Asked) -> (u16, String) {
    let status = answer.status().as_u16();
    let text = answer.text().expect("the answer arrives");
    let what = format!("{} {}: {status} {text}", asked.method, asked.path);
    let body: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{what}"));
    let instance = body["instance"].as_str().expect("a path");
    assert!(instance.ends_with(&asked.path), "{what}");
    let fields = body.as_object().expect("an object");
    let rest: Value = fields
        .iter()
        .filter(|(name, _)| *name != "instance")
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    assert!(!rest.to_string().contains(SECRET), "{what}");
    (status, body["code"].as_str().unwrap_or_default().to_owned())
}

fn send(server: &Server, asked: &Asked, key: Option<&str>) -> Response {
    let mut request = server.anonymous(asked.method.clone(), &server.url(&asked.path));
    if let Some(key) = key {
        request = request.header("authorization", key);
    }
    if asked.method != Method::GET {
        request = request.json(&json!({}));
    }
    request.send().expect("the server answers")
}

/// A key that worked, and does no more.
fn expired(server: &Server) -> String {
    let key = server.key_of("expired", &[]);
    let id = key.split('.').next().expect("two parts");
    let output = vocalhost(
        server.data(),
        &["keys", "rotate", id, "--grace-seconds", "1"],
    );
    assert!(output.status.success(), "{output:?}");
    let url = server.url("/me");
    until("the key to expire", || {
        let answer = server
            .anonymous(Method::GET, &url)
            .bearer_auth(&key)
            .send()
            .ok()?;
        (answer.status() == 401).then_some(())
    });
    key
}

fn revoked(server: &Server) -> String {
    let key = server.key_of("revoked", &[]);
    let id = key.split('.').next().expect("two parts");
    let output = vocalhost(server.data(), &["keys", "revoke", id]);
    assert!(output.status.success(), "{output:?}");
    key
}

#[test]
fn nobody_sees_what_is_not_theirs() {
    let server = Server::start(&["--training", "users"]);
    let owner = server.key_of("owner", &[]);
    let owned = Belongings::make(&server, &owner);
    let operations = operations(&owned);

    let id = owner.split('.').next().expect("two parts");
    let no_keys = [
        None,
        Some(String::new()),
        Some("Bearer".to_owned()),
        Some("Bearer nonsense".to_owned()),
        Some(format!("Basic {owner}")),
        Some(format!("Bearer {owner}x")),
        Some(format!("Bearer {id}.")),
        Some(format!("Bearer {id}")),
        Some(format!("Bearer {}", expired(&server))),
        Some(format!("Bearer {}", revoked(&server))),
    ];
    for asked in &operations {
        for key in &no_keys {
            let answer = send(&server, asked, key.as_deref());
            let found = refusal(answer, asked);
            assert_eq!(
                found,
                (401, "E_UNAUTHORIZED_ACCESS".to_owned()),
                "{key:?} {}",
                asked.path
            );
        }
    }

    let reader = format!("Bearer {}", server.key_of("owner", &["--scope", "read"]));
    let writer = format!("Bearer {}", server.key_of("owner", &["--scope", "write"]));
    for asked in &operations {
        let lacking: &[&String] = match asked.scope {
            Scope::Read => &[&writer],
            Scope::Write => &[&reader],
            Scope::Admin => &[&reader, &writer],
        };
        for key in lacking {
            let found = refusal(send(&server, asked, Some(key)), asked);
            assert_eq!(
                found,
                (403, "E_FORBIDDEN_EXCEPTION".to_owned()),
                "{} {}",
                asked.method,
                asked.path
            );
        }
    }

    let stranger = format!("Bearer {}", server.key_of("stranger", &[]));
    for asked in operations.iter().filter(|asked| asked.route.contains('{')) {
        if OPEN_ROWS.contains(&asked.route) {
            continue;
        }
        let (status, code) = refusal(send(&server, asked, Some(&stranger)), asked);
        let is_hidden = matches!(
            (status, code.as_str()),
            (403, "E_FORBIDDEN_EXCEPTION") | (404, "E_ROW_NOT_FOUND")
        );
        assert!(
            is_hidden,
            "{} {}: {status} {code}",
            asked.method, asked.path
        );
    }
    // What a stranger lists or uses of the owner's.
    for asked in operations.iter().filter(|asked| {
        asked.method == Method::GET && asked.scope == Scope::Read && !asked.route.contains('{')
    }) {
        let text = send(&server, asked, Some(&stranger))
            .text()
            .expect("it arrives");
        assert!(!text.contains(SECRET), "{}: {text}", asked.path);
    }
    let form = Form::new()
        .text("voiceModelId", owned.voice.to_string())
        .part("soundFile", tone_part());
    let request = server.anonymous(Method::POST, &server.url("/voice-conversions"));
    let answer = request
        .header("authorization", &stranger)
        .multipart(form)
        .send()
        .expect("it answers");
    assert_eq!(answer.status(), 422);
}

/// A generator of numbers that are the same in every run (Steele, Lea and Flood's `SplitMix64`).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides as u64) as usize
    }
}

const CHARACTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./~%";

fn mutated(link: &str, dice: &mut Dice) -> String {
    let mut bytes = link.as_bytes().to_vec();
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(bytes.len());
        let other = CHARACTERS[dice.roll(CHARACTERS.len())];
        match dice.roll(4) {
            0 => bytes[at] = other,
            1 => bytes.insert(at, other),
            2 => {
                bytes.remove(at);
            }
            _ => {
                let with = dice.roll(bytes.len());
                bytes.swap(at, with);
            }
        }
    }
    String::from_utf8(bytes).expect("plain text")
}

#[test]
fn ten_thousand_altered_links_and_the_expired_ones_lead_nowhere() {
    let server = Server::start(&[]);
    let record = server.ended(server.accepted(super::harness::tone()));
    let link = record["outputFileUrl"].as_str().expect("a link").to_owned();
    let (root, signed) = link.split_once("/files/").expect("a link");
    let mut dice = Dice(1);
    let mut tried = 0;
    while tried < 10_000 {
        let other = mutated(signed, &mut dice);
        // A client would resolve dots and repeated slashes before it asks; a slash at the end is the same link.
        let is_same = other.trim_end_matches('/') == signed;
        let is_resolved = other.contains("./") || other.contains("//") || other.ends_with('.');
        if is_same || is_resolved || other.starts_with('/') {
            continue;
        }
        tried += 1;
        let answer = server
            .anonymous(Method::GET, &format!("{root}/files/{other}"))
            .send();
        let answer = answer.expect("the server answers");
        let status = answer.status().as_u16();
        let body: Value = answer.json().expect("a problem is JSON");
        let code = body["code"].as_str().unwrap_or_default();
        let refused = matches!(
            (status, code),
            (403, "E_URL_INVALID") | (404, "E_ROUTE_NOT_FOUND")
        );
        assert!(refused, "{other}: {status} {code}");
    }

    let key = std::fs::read(server.data().join("url-signing.key")).expect("it is kept there");
    let signer = UrlSigner::new(&key);
    let target = signed.splitn(3, '/').nth(2).expect("three parts");
    let now_s = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a clock")
        .as_secs();
    for (expiry, status, code) in [(now_s - 1, 403, "E_URL_EXPIRED"), (now_s + 600, 200, "")] {
        let url = format!("{root}/files/{}", signer.sign(target, expiry));
        let answer = server
            .anonymous(Method::GET, &url)
            .send()
            .expect("it answers");
        assert_eq!(answer.status(), status);
        if status != 200 {
            let body: Value = answer.json().expect("a problem is JSON");
            assert_eq!(body["code"], code);
        }
    }
    let other_key = UrlSigner::new(b"0123456789abcdef0123456789abcdef");
    let url = format!("{root}/files/{}", other_key.sign(target, now_s + 600));
    let answer = server
        .anonymous(Method::GET, &url)
        .send()
        .expect("it answers");
    assert_eq!(answer.status(), 403);
    // A link that is right, to a job that is not there.
    let url = format!(
        "{root}/files/{}",
        signer.sign("voice-conversions/999/output.wav", now_s + 600)
    );
    assert_eq!(
        server
            .anonymous(Method::GET, &url)
            .send()
            .expect("it answers")
            .status(),
        404
    );
}
