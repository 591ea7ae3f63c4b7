//! Parameters and headers that many operations have stand once in the document, and operations point at them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Replaces every parameter that several operations of `paths` share by a reference, and returns what the references point
/// at.
pub fn parameters(paths: &mut Map<String, Value>) -> Map<String, Value> {
    let lists = operations(paths).filter_map(|one| one.get_mut("parameters")?.as_array_mut());
    let named = lists.flatten().map(|one| {
        let name = one["name"].as_str().unwrap_or_default();
        (component_name(name), one)
    });
    once(named.collect(), "parameters")
}

/// The same for the headers of their answers.
pub fn headers(paths: &mut Map<String, Value>) -> Map<String, Value> {
    let answers = operations(paths).filter_map(|one| one.get_mut("responses")?.as_object_mut());
    let headers = answers
        .flat_map(Map::values_mut)
        .filter_map(|answer| answer.get_mut("headers")?.as_object_mut())
        .flatten();
    // What is named already stays as it is.
    let plain = headers.filter(|(_, header)| header.get("$ref").is_none());
    let named = plain.map(|(name, header)| (component_name(name), header));
    once(named.collect(), "headers")
}

fn operations(paths: &mut Map<String, Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    let items = paths.values_mut().filter_map(Value::as_object_mut);
    items
        .flat_map(Map::values_mut)
        .filter_map(Value::as_object_mut)
}

/// `IdempotencyKey` for `Idempotency-Key`, `PerPage` for `perPage`.
fn component_name(name: &str) -> String {
    let words = name.split(['-', '_']).map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    words.collect()
}

/// For each name, replaces its most frequent definition by a reference; other definitions, and those used only once, stay as
/// they are.
fn once(named: Vec<(String, &mut Value)>, kind: &str) -> Map<String, Value> {
    let mut forms: BTreeMap<String, Vec<(Value, usize)>> = BTreeMap::new();
    for (name, value) in &named {
        let forms = forms.entry(name.clone()).or_default();
        match forms.iter_mut().find(|(form, _)| form == *value) {
            Some((_, count)) => *count += 1,
            None => forms.push(((*value).clone(), 1)),
        }
    }
    let mut components = Map::new();
    for (name, forms) in forms {
        let most = forms.into_iter().max_by_key(|(_, count)| *count);
        if let Some((form, 2..)) = most {
            components.insert(name, form);
        }
    }
    for (name, value) in named {
        if components.get(&name) == Some(&*value) {
            *value = json!({ "$ref": format!("#/components/{kind}/{name}") });
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_operations_have_stands_once_and_its_other_forms_stay() {
        let page = |text: &str| json!({ "name": "perPage", "in": "query", "description": text });
        let only = json!({ "name": "q", "in": "query" });
        let location =
            json!({ "headers": { "Location": { "required": true }, "X": { "$ref": "#/x" } } });
        let operation = |parameters: Value| json!({ "get": { "parameters": parameters, "responses": { "201": location } } });
        let mut paths = Map::new();
        paths.insert("/a".to_owned(), operation(json!([page("10"), only])));
        paths.insert("/b".to_owned(), operation(json!([page("50")])));
        paths.insert("/c".to_owned(), operation(json!([page("10")])));
        let found = parameters(&mut paths);
        assert_eq!(Value::Object(found), json!({ "PerPage": page("10") }));
        let left = |path: &str| paths[path]["get"]["parameters"].clone();
        let reference = json!({ "$ref": "#/components/parameters/PerPage" });
        assert_eq!(left("/a"), json!([reference, only]));
        assert_eq!(left("/b"), json!([page("50")]));
        let found = headers(&mut paths);
        assert_eq!(found["Location"], json!({ "required": true }));
        assert_eq!(
            paths["/a"]["get"]["responses"]["201"]["headers"]["Location"]["$ref"],
            "#/components/headers/Location"
        );
    }
}
