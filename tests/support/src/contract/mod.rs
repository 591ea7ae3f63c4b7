//! Holds every answer that the suite gets against the server's own OpenAPI document: path, method, status, media type,
//! headers and body.

mod schema;

use std::sync::{Arc, Mutex, PoisonError};

use reqwest::blocking::{Client, Response};
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Method, ResponseBuilderExt as _};
use serde_json::Value;

static KNOWN: Mutex<Option<Arc<Contract>>> = Mutex::new(None);

/// What the server says about itself.
pub struct Contract {
    document: Value,
}

/// The contract of this build, from the server that gave `answer`.
fn contract(client: &Client, answer: &Response) -> Arc<Contract> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(contract) = &*known {
        return contract.clone();
    }
    let mut url = answer.url().clone();
    url.set_query(None);
    url.set_path("/api/v1/openapi.json");
    let document = client.get(url).send().and_then(Response::json);
    let document = document.expect("the server has its description");
    let contract = Arc::new(Contract { document });
    *known = Some(contract.clone());
    contract
}

/// Hands the answer on when it is what the document promises, and fails the test when it is not.
pub fn checked(client: &Client, method: &Method, answer: Response) -> reqwest::Result<Response> {
    let contract = contract(client, &answer);
    let media_type = media_type(answer.headers());
    let is_json = media_type
        .as_deref()
        .is_some_and(|media_type| media_type.ends_with("json"));
    if !is_json || method == Method::HEAD {
        contract.check(method, &answer, None);
        return Ok(answer);
    }
    let (status, url) = (answer.status(), answer.url().clone());
    let (version, headers) = (answer.version(), answer.headers().clone());
    let text = answer.bytes()?;
    let body: Value = serde_json::from_slice(&text)
        .unwrap_or_else(|error| panic!("{method} {url}: the body is no JSON: {error}"));
    // Reading has used the answer up: one with the same body takes its place.
    let again = hyper::Response::builder()
        .status(status)
        .version(version)
        .url(url)
        .body(text)
        .expect("it was an answer before");
    let (mut parts, text) = again.into_parts();
    parts.headers = headers;
    let again = Response::from(hyper::Response::from_parts(parts, text));
    contract.check(method, &again, Some(&body));
    Ok(again)
}

fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let essence = value.split(';').next().unwrap_or_default();
    Some(essence.trim().to_ascii_lowercase())
}

impl Contract {
    fn check(&self, method: &Method, answer: &Response, body: Option<&Value>) {
        let status = answer.status().as_u16();
        let at = format!("{method} {} {status}", answer.url());
        if *method == Method::OPTIONS {
            return;
        }
        let Some(item) = self.path_item(answer.url().path()) else {
            assert_eq!(status, 404, "{at}: the path is not in the document");
            self.check_problem(&at, body, "E_ROUTE_NOT_FOUND");
            return;
        };
        let name = match *method {
            Method::HEAD => "get".to_owned(),
            _ => method.as_str().to_ascii_lowercase(),
        };
        let Some(operation) = item.get(&name) else {
            assert_eq!(status, 405, "{at}: the method is not in the document");
            self.check_problem(&at, body, "E_METHOD_NOT_ALLOWED");
            return;
        };
        let response = operation["responses"].get(status.to_string());
        let response =
            response.unwrap_or_else(|| panic!("{at}: the status is not in the document; {body:?}"));
        let response = self.resolved(response);
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            let header = self.resolved(header);
            let needed = header["required"] == true;
            assert!(
                !needed || answer.headers().contains_key(name),
                "{at}: the header {name} is missing"
            );
        }
        self.check_content(&at, answer.headers(), response, body);
    }

    fn check_content(&self, at: &str, headers: &HeaderMap, response: &Value, body: Option<&Value>) {
        let given = media_type(headers);
        let Some(content) = response.get("content").and_then(Value::as_object) else {
            assert!(body.is_none(), "{at}: a body that is not in the document");
            return;
        };
        let given = given.unwrap_or_default();
        let wanted = content
            .get(&given)
            .unwrap_or_else(|| panic!("{at}: the media type {given:?} is not in the document"));
        if let Some(body) = body {
            let found = schema::mistakes(&self.document, &wanted["schema"], body);
            assert!(found.is_empty(), "{at}: {found:#?} in {body:#}");
        }
    }

    fn check_problem(&self, at: &str, body: Option<&Value>, code: &str) {
        // The answer to a `HEAD` has none.
        if let Some(body) = body {
            let problem = &self.document["components"]["schemas"]["Problem"];
            let found = schema::mistakes(&self.document, problem, body);
            assert!(found.is_empty(), "{at}: {found:#?} in {body:#}");
            assert_eq!(body["code"], code, "{at}");
        }
    }

    /// What may be asked at a path, under whatever root it is.
    fn path_item(&self, path: &str) -> Option<&Value> {
        let paths = self.document["paths"].as_object().expect("there are paths");
        let path = path.trim_end_matches('/');
        if matches!(path, "" | "/api/v1") {
            return paths.get("/");
        }
        let starts = path.match_indices('/').map(|(at, _)| &path[at..]);
        let mut found = starts.filter_map(|rest| {
            let fitting = paths.iter().filter(|(template, _)| fits(template, rest));
            // The one with the fewest variables is meant.
            fitting.min_by_key(|(template, _)| template.matches('{').count())
        });
        found.next().map(|(_, item)| item)
    }

    fn resolved<'v>(&'v self, value: &'v Value) -> &'v Value {
        let Some(name) = value["$ref"].as_str() else {
            return value;
        };
        let target = self.document.pointer(name.trim_start_matches('#'));
        target.expect("the name is there")
    }
}

/// Whether a path is one of a template's. The variable of links to files stands for all the rest.
fn fits(template: &str, path: &str) -> bool {
    if let Some(start) = template.strip_suffix("/{target}") {
        let depth = start.matches('/').count();
        let Some((end, _)) = path.match_indices('/').nth(depth) else {
            return false;
        };
        return path.len() > end && fits(start, &path[..end]);
    }
    let (template, path) = (template.split('/'), path.split('/'));
    template.clone().count() == path.clone().count()
        && template
            .zip(path)
            .all(|(wanted, given)| wanted.starts_with('{') && !given.is_empty() || wanted == given)
}
