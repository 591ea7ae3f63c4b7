//! What the API says about itself: an OpenAPI 3.1 document made of the very tables that the router reads. A route
//! without a description does not compile.

mod operation;
mod refusals;
mod shared;
mod webhooks;

use hyper::StatusCode;
use serde_json::{Map, Value, json};

use refusals::Refusals;

use crate::routes::{AT_ROOT, UNDER_ROOT};
use crate::rules::describe::{Description, Named, common};
use crate::rules::route::{Class, Operation, Route};
use crate::rules::state::Api;
use crate::v1;
use vocalhost_http::reply;

/// What may be asked here.
pub const ROUTES: &[Route] = &[Route {
    path: "/openapi.json",
    operations: &[Operation::get("getOpenApi", "This document", || {
        Description::of("Server").gives(200, "OpenAPI 3.1.", json!({ "type": "object" }))
    })
    .counts_as(Class::Uncounted)
    .open(|api, _| Box::pin(async move { Ok(reply::json(StatusCode::OK, &document(api))) }))],
}];

/// Every schema that has a name. A resource lists its own.
const SCHEMAS: &[&[Named]] = &[common::SCHEMAS, v1::SCHEMAS];

/// The whole document.
#[must_use]
pub fn document(api: &Api) -> Value {
    let roots = api.settings.api_roots.iter();
    let servers: Vec<Value> = roots
        .map(|root| json!({ "url": format!("{}{root}", api.public_url) }))
        .collect();
    describe(&servers, &api.public_url)
}

fn describe(servers: &[Value], public_url: &str) -> Value {
    let mut refusals = Refusals::default();
    let mut paths = Map::new();
    for route in UNDER_ROOT.iter().copied().flatten() {
        let item = path_item(route, &mut refusals);
        paths.insert(operation::shown_path(route.path), item);
    }
    for route in AT_ROOT {
        let path = operation::shown_path(route.path);
        let mut item = path_item(route, &mut refusals);
        let everywhere = paths.get(&path).map_or(&[][..], |_| servers);
        item["servers"] = json!([everywhere, &[json!({ "url": public_url })]].concat());
        paths.insert(path, item);
    }
    let parameters = shared::parameters(&mut paths);
    let mut headers = common::headers();
    headers.extend(shared::headers(&mut paths));
    let schemas = SCHEMAS.iter().copied().flatten();
    let schemas = schemas.map(|(name, schema)| ((*name).to_owned(), schema()));
    let schemas: Map<String, Value> = schemas.chain(refusals.schemas()).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "vocalhost",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Voice processing as jobs: conversion to other voices, separation, splitting, blending and training; and conversion while somebody speaks.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": servers,
        "security": [{ "key": [] }],
        "paths": paths,
        "webhooks": webhooks::webhooks(),
        "components": {
            "schemas": schemas,
            "parameters": parameters,
            "headers": headers,
            "responses": refusals.responses(),
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A key of `vocalhost keys create`.",
                },
            },
        },
    })
}

fn path_item(route: &Route, refusals: &mut Refusals) -> Value {
    let operations = route.operations.iter().map(|one| {
        let method = one.method.as_str().to_ascii_lowercase();
        (method, operation::operation(route.path, one, refusals))
    });
    Value::Object(operations.collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn whole() -> Value {
        describe(
            &[json!({ "url": "http://a.example/api/v1" })],
            "http://a.example",
        )
    }

    fn references<'v>(value: &'v Value, found: &mut BTreeSet<&'v str>) {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(name)) = fields.get("$ref") {
                    found.insert(name);
                }
                fields.values().for_each(|one| references(one, found));
            }
            Value::Array(items) => items.iter().for_each(|one| references(one, found)),
            _ => {}
        }
    }

    #[test]
    fn every_name_that_is_used_is_there_and_every_name_that_is_there_is_used() {
        let document = whole();
        let mut used = BTreeSet::new();
        references(&document, &mut used);
        for name in &used {
            let pointer = name.trim_start_matches('#');
            assert!(document.pointer(pointer).is_some(), "{name}");
        }
        for kind in ["schemas", "parameters", "headers", "responses"] {
            let there = document["components"][kind].as_object();
            for name in there.expect("an object").keys() {
                let reference = format!("#/components/{kind}/{name}");
                assert!(used.contains(reference.as_str()), "{reference} is not used");
            }
        }
    }

    #[test]
    fn every_operation_has_its_own_name_a_summary_and_an_answer() {
        let mut names = BTreeSet::new();
        for route in UNDER_ROOT.iter().copied().flatten().chain(AT_ROOT) {
            for one in route.operations {
                // What lies at the server's root and at the API's is one operation.
                let is_first = names.insert(one.id) || route.path == "/";
                assert!(is_first, "{} is there twice", one.id);
                let shown = operation::operation(route.path, one, &mut Refusals::default());
                assert!(!one.summary.is_empty(), "{}", one.id);
                assert_ne!(shown["tags"][0], "", "{}", one.id);
                let answers = (one.describe)().answers;
                assert!(!answers.is_empty(), "{} has no answer", one.id);
            }
        }
    }

    #[test]
    fn a_keyed_path_with_a_number_says_what_can_be_refused() {
        let document = whole();
        let get = &document["paths"]["/voice-conversions/{id}"]["get"];
        let responses = get["responses"].as_object().expect("an object");
        let statuses: Vec<&str> = responses.keys().map(String::as_str).collect();
        assert_eq!(statuses, ["200", "401", "403", "404", "429", "500", "503"]);
        let refused = get["responses"]["404"]["$ref"].as_str();
        assert_eq!(refused, Some("#/components/responses/RowNotFound"));
        let id = get["parameters"][0]["$ref"].as_str().expect("it is shared");
        let id = document.pointer(id.trim_start_matches('#'));
        assert_eq!(id.expect("it is there")["schema"]["type"], "integer");
        assert_eq!(document["paths"]["/livez"]["get"]["security"], json!([]));
    }
}
