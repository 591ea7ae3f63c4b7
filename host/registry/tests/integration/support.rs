//! A small registry that follows the distribution specification, as far as one repository goes, and fails as it is told.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use vocalhost_registry::{Contents, Credentials, Options, Reference, digest};

pub const LAYER_BYTES: &[u8] = b"\0asm\x0d\0\x01\0 a component, as far as a registry is concerned";

/// How a registry fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    OtherLayer,
    ShortLayer,
    OtherConfig,
    OtherManifest,
    EndlessManifest,
    EndlessLayer,
    LargeLayer,
    TwoLayers,
    NoManifest,
    ConfigOfAnother,
    OtherKey,
    OtherSignature,
    NoSignature,
    Loop,
    LeadAway(String),
}

/// How it wants to be told who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Basic,
    Bearer,
}

#[derive(Default)]
struct State {
    blobs: HashMap<String, Vec<u8>>,
    manifests: HashMap<String, Vec<u8>>,
    fault: Option<Fault>,
    wanted: Option<(Scheme, String)>,
    scopes: Vec<String>,
    authorizations: Vec<String>,
    asked: usize,
}

/// The registry. It ends with the test.
pub struct Fake {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

type Answer = Response<Full<Bytes>>;

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Fake {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it has one");
        let state = Arc::new(Mutex::new(State::default()));
        let shared = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shared = shared.clone();
                let service = hyper::service::service_fn(move |request| {
                    answer(request, shared.clone(), address)
                });
                let connection = hyper::server::conn::http1::Builder::new();
                tokio::spawn(connection.serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { address, state }
    }

    pub fn fail(&self, fault: Fault) {
        lock(&self.state).fault = Some(fault);
    }

    pub fn want_token(&self, user: &str, password: &str) {
        lock(&self.state).wanted = Some((Scheme::Bearer, basic(user, password)));
    }

    pub fn want_basic(&self, user: &str, password: &str) {
        lock(&self.state).wanted = Some((Scheme::Basic, basic(user, password)));
    }

    pub fn keep(&self, blob: &[u8]) {
        lock(&self.state).blobs.insert(digest(blob), blob.to_vec());
    }

    pub fn manifest(&self, tag: &str) -> Value {
        serde_json::from_slice(&lock(&self.state).manifests[tag]).expect("JSON")
    }

    pub fn blob(&self, digest: &str) -> Vec<u8> {
        lock(&self.state).blobs[digest].clone()
    }

    pub fn blob_address(&self, blob: &[u8]) -> String {
        format!(
            "http://{}/v2/anna/robot/blobs/{}",
            self.address,
            digest(blob)
        )
    }

    pub fn scopes(&self) -> Vec<String> {
        lock(&self.state).scopes.clone()
    }

    pub fn authorizations(&self) -> Vec<String> {
        lock(&self.state).authorizations.clone()
    }

    pub fn asked(&self) -> usize {
        lock(&self.state).asked
    }
}

fn basic(user: &str, password: &str) -> String {
    use base64::Engine as _;
    let words = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
    format!("Basic {words}")
}

pub fn reference(fake: &Fake, path: &str) -> Reference {
    format!("oci://{}/{path}", fake.address)
        .parse()
        .expect("it is a name")
}

pub fn options(user: &str, password: &str) -> Options {
    let name: Reference = "oci://localhost/a".parse().expect("it is a name");
    let environment = |name: &str| match name {
        "VOCALHOST_REGISTRY_USER" => Some(user.to_owned()),
        "VOCALHOST_REGISTRY_PASSWORD" => Some(password.to_owned()),
        _ => None,
    };
    let credentials = Credentials::find(&name, environment).expect("they are found");
    Options {
        credentials,
        plain_http: false,
    }
}

pub fn contents(component: &[u8]) -> Contents {
    Contents {
        component: component.to_vec(),
        file_name: "robot.wasm".to_owned(),
        author: Some("Anna".to_owned()),
        exports: vec!["vocalhost:effect/effect@0.1.0".to_owned()],
        ..Contents::default()
    }
}

fn plain(status: StatusCode, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(body.into()));
    *answer.status_mut() = status;
    answer
}

fn with(mut answer: Answer, header: &'static str, value: &str) -> Answer {
    answer
        .headers_mut()
        .insert(header, value.parse().expect("a value"));
    answer
}

async fn answer(
    request: Request<Incoming>,
    state: Arc<Mutex<State>>,
    address: SocketAddr,
) -> Result<Answer, Infallible> {
    let (head, body) = request.into_parts();
    let body = body
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default();
    let state = &mut *lock(&state);
    state.asked += 1;
    let authorization = head
        .headers
        .get("authorization")
        .and_then(|value| value.to_str().ok());
    let authorization = authorization.unwrap_or_default().to_owned();
    if !authorization.is_empty() {
        state.authorizations.push(authorization.clone());
    }
    let query = head.uri.query().unwrap_or_default();
    if head.uri.path() == "/token" {
        return Ok(token(state, &authorization, query));
    }
    if let Some(refusal) = refusal(state, &authorization, address) {
        return Ok(refusal);
    }
    let path = head
        .uri
        .path()
        .strip_prefix("/v2/anna/robot/")
        .unwrap_or_default();
    Ok(match path.split_once('/') {
        Some(("manifests", name)) if head.method == Method::PUT => {
            state.manifests.insert(name.to_owned(), body.to_vec());
            state.manifests.insert(digest(&body), body.to_vec());
            with(
                plain(StatusCode::CREATED, ""),
                "docker-content-digest",
                &digest(&body),
            )
        }
        Some(("manifests", name)) => manifest(state, name),
        Some(("blobs", "uploads/")) => {
            let accepted = plain(StatusCode::ACCEPTED, "");
            with(
                accepted,
                "location",
                "/v2/anna/robot/blobs/uploads/1?state=a%2Fb",
            )
        }
        Some(("blobs", upload)) if head.method == Method::PUT && upload.starts_with("uploads/") => {
            let named = query
                .split('&')
                .find_map(|part| part.strip_prefix("digest=sha256%3A"));
            let found = digest(&body);
            if named.map(|hex| format!("sha256:{hex}")).as_ref() != Some(&found)
                || !query.contains("state=a%2Fb")
            {
                return Ok(plain(StatusCode::BAD_REQUEST, ""));
            }
            state.blobs.insert(found, body.to_vec());
            plain(StatusCode::CREATED, "")
        }
        Some(("blobs", name)) => blob(state, name, head.method == Method::HEAD),
        _ => plain(StatusCode::NOT_FOUND, ""),
    })
}

fn token(state: &mut State, authorization: &str, query: &str) -> Answer {
    let scope = query
        .split('&')
        .find_map(|part| part.strip_prefix("scope="))
        .unwrap_or_default();
    state.scopes.push(
        scope
            .replace("%3A", ":")
            .replace("%2F", "/")
            .replace("%2C", ","),
    );
    let is_right = state
        .wanted
        .as_ref()
        .is_some_and(|(_, wanted)| wanted == authorization);
    if is_right {
        plain(StatusCode::OK, json!({ "token": "opaque" }).to_string())
    } else {
        plain(StatusCode::UNAUTHORIZED, "")
    }
}

fn refusal(state: &State, authorization: &str, address: SocketAddr) -> Option<Answer> {
    let (scheme, wanted) = state.wanted.as_ref()?;
    let (is_right, challenge) = match scheme {
        Scheme::Basic => (authorization == wanted, "Basic realm=\"here\"".to_owned()),
        Scheme::Bearer => (
            authorization == "Bearer opaque",
            // It would like more than it is given.
            format!(
                "Bearer realm=\"http://{address}/token\",service=\"here\",scope=\"repository:other/secret:pull,push\""
            ),
        ),
    };
    (!is_right).then(|| {
        with(
            plain(StatusCode::UNAUTHORIZED, ""),
            "www-authenticate",
            &challenge,
        )
    })
}

fn manifest(state: &State, name: &str) -> Answer {
    match state.fault {
        Some(Fault::EndlessManifest) => return plain(StatusCode::OK, vec![b' '; 5 << 20]),
        Some(Fault::NoManifest) => return plain(StatusCode::OK, "<html>"),
        Some(Fault::OtherManifest) => {
            return plain(StatusCode::OK, state.manifests["1.0.0"].clone());
        }
        _ => {}
    }
    let Some(bytes) = state.manifests.get(name) else {
        return plain(
            StatusCode::NOT_FOUND,
            json!({ "errors": [{ "code": "MANIFEST_UNKNOWN" }] }).to_string(),
        );
    };
    let mut manifest: Value = serde_json::from_slice(bytes).expect("JSON");
    let annotations = &mut manifest["annotations"];
    match state.fault {
        Some(Fault::OtherKey) => {
            annotations["vocalhost.effect.key"] = json!(format!("ed25519:{}=", "A".repeat(43)));
        }
        Some(Fault::OtherSignature) => {
            annotations["vocalhost.effect.signature"] = json!("A".repeat(86) + "==");
        }
        Some(Fault::NoSignature) => {
            annotations
                .as_object_mut()
                .expect("a list")
                .remove("vocalhost.effect.signature");
        }
        Some(Fault::TwoLayers) => {
            let layer = manifest["layers"][0].clone();
            manifest["layers"]
                .as_array_mut()
                .expect("a list")
                .push(layer);
        }
        Some(Fault::LargeLayer) => manifest["layers"][0]["size"] = json!(1_u64 << 60),
        Some(Fault::ConfigOfAnother) => {
            manifest["config"]["digest"] = json!(digest(OTHERS_CONFIG.as_bytes()));
            manifest["config"]["size"] = json!(OTHERS_CONFIG.len());
        }
        _ => return plain(StatusCode::OK, bytes.clone()),
    }
    plain(StatusCode::OK, manifest.to_string())
}

/// A configuration that names no layer of this artifact.
const OTHERS_CONFIG: &str = r#"{"created":"2026-01-01T00:00:00Z","architecture":"wasm","os":"wasip2","layerDigests":["sha256:00"]}"#;

fn blob(state: &State, name: &str, only_head: bool) -> Answer {
    if state.fault == Some(Fault::ConfigOfAnother) && name == digest(OTHERS_CONFIG.as_bytes()) {
        return plain(StatusCode::OK, OTHERS_CONFIG);
    }
    let Some(bytes) = state.blobs.get(name) else {
        return plain(StatusCode::NOT_FOUND, "");
    };
    let is_layer = name == digest(LAYER_BYTES);
    let changed = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        plain(StatusCode::OK, bytes)
    };
    match &state.fault {
        Some(Fault::OtherLayer) if is_layer => changed(10),
        Some(Fault::OtherConfig) if !is_layer => changed(0),
        Some(Fault::ShortLayer) if is_layer => plain(StatusCode::OK, bytes[1..].to_vec()),
        Some(Fault::EndlessLayer) if is_layer => plain(StatusCode::OK, vec![0; 2 << 20]),
        Some(Fault::Loop) => with(plain(StatusCode::TEMPORARY_REDIRECT, ""), "location", name),
        Some(Fault::LeadAway(to)) if is_layer => {
            with(plain(StatusCode::TEMPORARY_REDIRECT, ""), "location", to)
        }
        _ if only_head => plain(StatusCode::OK, ""),
        _ => plain(StatusCode::OK, bytes.clone()),
    }
}
