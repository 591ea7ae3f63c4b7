use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::refusals::Refusals;
use crate::rules::describe::schema::id;
use crate::rules::describe::{Description, Good};
use crate::rules::route::{Class, Operation};

/// An operation as OpenAPI writes it; `path` has its variables in braces. What it is refused with is added to `refusals`.
#[must_use]
pub fn operation(path: &str, operation: &Operation, refusals: &mut Refusals) -> Value {
    let description = (operation.describe)();
    let mut shown = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [description.tag],
    });
    if !description.text.is_empty() {
        shown["description"] = json!(description.text);
    }
    if operation.handler.scope().is_none() {
        // The document asks for a key everywhere else.
        shown["security"] = json!([]);
    }
    let parts = variables(path).into_iter().map(|name| {
        let given = description.parts.iter().find(|(part, _)| *part == name);
        let schema = given.map_or_else(id, |(_, schema)| schema.clone());
        json!({ "name": name, "in": "path", "required": true, "schema": schema })
    });
    let parameters = parts.chain(description.parameters.clone());
    let parameters: Vec<Value> = parameters.chain(following_headers(operation)).collect();
    if !parameters.is_empty() {
        shown["parameters"] = json!(parameters);
    }
    if let Some((media_type, schema)) = &description.body {
        shown["requestBody"] = json!({
            "required": !description.body_is_optional,
            "content": { *media_type: { "schema": schema } },
        });
        if let Some(form) = &description.form_instead {
            shown["requestBody"]["content"]["multipart/form-data"] = json!({ "schema": form });
        }
    }
    shown["responses"] = responses(path, operation, &description, refusals);
    shown
}

/// The headers that a request may have wherever it makes or reads a job.
fn following_headers(operation: &Operation) -> Vec<Value> {
    let header = |name: &str, schema: Value, text: &str| json!({ "name": name, "in": "header", "description": text, "schema": schema });
    let mut headers = Vec::new();
    if operation.takes_key() {
        let schema = json!({ "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$" });
        let text = "The same key makes the same request happen once, for a day.";
        headers.push(header("Idempotency-Key", schema, text));
    }
    headers
}

/// A path as OpenAPI writes it, which knows no variable for the rest of a path, and none without a slash.
#[must_use]
pub fn shown_path(path: &str) -> String {
    if path.is_empty() {
        return "/".to_owned();
    }
    path.replace("{*", "{")
}

/// The names of the variables in a path.
fn variables(path: &str) -> Vec<&str> {
    let behind = path.split('{').skip(1);
    behind
        .filter_map(|rest| Some(rest.split_once('}')?.0.trim_start_matches('*')))
        .collect()
}

fn responses(
    path: &str,
    operation: &Operation,
    description: &Description,
    refusals: &mut Refusals,
) -> Value {
    let counted = operation.class != Class::Uncounted;
    let mut responses = Map::new();
    for answer in &description.answers {
        responses.insert(answer.status.to_string(), good(answer, counted));
    }
    let mut codes: BTreeMap<u16, Vec<&'static str>> = BTreeMap::new();
    let following = following(path, operation, description);
    for (status, code) in following.into_iter().chain(description.problems.clone()) {
        codes.entry(status).or_default().push(code);
    }
    for (status, codes) in codes {
        responses.insert(status.to_string(), refusals.one(status, codes));
    }
    Value::Object(responses)
}

/// The problems that follow from where an operation lies, who may ask, and what it takes.
fn following(
    path: &str,
    operation: &Operation,
    description: &Description,
) -> Vec<(u16, &'static str)> {
    let mut problems = vec![(500, "E_INTERNAL")];
    if operation.handler.scope().is_some() {
        problems.push((401, "E_UNAUTHORIZED_ACCESS"));
        problems.push((403, "E_FORBIDDEN_EXCEPTION"));
        // Failed attempts are limited by address, before anybody knows whose they are.
        problems.push((429, "E_TOO_MANY_REQUESTS"));
        if path.contains('{') {
            problems.push((404, "E_ROW_NOT_FOUND"));
        }
    }
    if description.has_query() || description.body.is_some() {
        problems.push((422, "E_VALIDATION_FAILURE"));
    }
    if description.body.is_some() {
        problems.push((408, "E_REQUEST_TIMEOUT"));
        problems.push((415, "E_UNSUPPORTED_MEDIA_TYPE"));
    }
    if operation.takes_key() {
        problems.push((409, "E_IDEMPOTENCY_IN_PROGRESS"));
        problems.push((422, "E_IDEMPOTENCY_KEY_REUSED"));
        problems.push((422, "E_VALIDATION_FAILURE"));
    }
    if operation.class == Class::Creation {
        problems.push((429, "E_QUOTA_EXCEEDED"));
    }
    // Operations with a key may need the file store, which is another program when it is a bucket.
    if operation.writes() || operation.handler.scope().is_some() {
        problems.push((503, "E_SERVICE_UNAVAILABLE"));
    }
    problems
}

fn good(answer: &Good, counted: bool) -> Value {
    let mut shown = json!({ "description": answer.text, "headers": headers(counted) });
    for (name, text, is_always_there) in &answer.headers {
        shown["headers"][*name] = json!({ "description": text, "required": is_always_there, "schema": { "type": "string" } });
    }
    if !answer.content.is_empty() {
        let content = answer.content.iter();
        shown["content"] = content
            .map(|(media_type, schema)| ((*media_type).to_owned(), json!({ "schema": schema })))
            .collect();
    }
    shown
}

/// The headers of every answer; those about limits are there when the limit is on.
pub fn headers(counted: bool) -> Value {
    let reference = |name: &str| json!({ "$ref": format!("#/components/headers/{name}") });
    let mut headers = json!({ "X-Request-Id": reference("RequestId") });
    if counted {
        for (name, component) in [
            ("RateLimit-Policy", "RateLimitPolicy"),
            ("RateLimit", "RateLimit"),
            ("X-RateLimit-Limit", "RateLimitCount"),
            ("X-RateLimit-Remaining", "RateLimitCount"),
            ("X-RateLimit-Reset", "RateLimitCount"),
        ] {
            headers[name] = reference(component);
        }
    }
    headers
}
