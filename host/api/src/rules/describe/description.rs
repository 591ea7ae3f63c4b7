use serde_json::{Map, Value, json};

use super::schema::{binary, choice, integer_in, list, named, object, or, string};
use crate::rules::page::PageRules;

/// What a client has to know about an operation beside its path and its summary. What follows from the path, the key
/// and the limit that counts it (401, 403, 404 for a path with variables, 415 and 422 for a body, 429, 500, 503) is
/// added automatically.
#[derive(Debug, Clone, Default)]
pub struct Description {
    /// The group under which it is listed.
    pub tag: &'static str,
    /// More than the summary, or empty.
    pub text: String,
    /// Schemas of the path's variables; one that is not here is the number of a row.
    pub parts: Vec<(&'static str, Value)>,
    /// The parameters in the query and in headers, as OpenAPI writes them.
    pub parameters: Vec<Value>,
    /// The request's body: media type and schema.
    pub body: Option<(&'static str, Value)>,
    /// The same as a multipart form, where a client may send either.
    pub form_instead: Option<Value>,
    /// Whether the body may be left out.
    pub body_is_optional: bool,
    /// The answers that are no problems.
    pub answers: Vec<Good>,
    /// Status and code of what can be refused here alone.
    pub problems: Vec<(u16, &'static str)>,
}

/// An answer that is no problem.
#[derive(Debug, Clone)]
pub struct Good {
    /// The status.
    pub status: u16,
    /// When it is given.
    pub text: &'static str,
    /// The media types that the body may have, each with its schema; none without a body.
    pub content: Vec<(&'static str, Value)>,
    /// Headers, with what they say and whether they are always there.
    pub headers: Vec<(&'static str, &'static str, bool)>,
}

impl Description {
    /// The description of an operation of this group.
    #[must_use]
    pub fn of(tag: &'static str) -> Self {
        Self {
            tag,
            ..Self::default()
        }
    }

    /// Adds a paragraph to the summary.
    #[must_use]
    pub fn says(mut self, text: &str) -> Self {
        text.clone_into(&mut self.text);
        self
    }

    /// A variable of the path that is not the number of a row.
    #[must_use]
    pub fn part(mut self, name: &'static str, schema: Value) -> Self {
        self.parts.push((name, schema));
        self
    }

    /// An optional parameter of the query.
    #[must_use]
    pub fn query(self, name: &str, schema: Value, text: &str) -> Self {
        self.parameter("query", name, schema, text)
    }

    /// An optional header of the request.
    #[must_use]
    pub fn header(self, name: &str, schema: Value, text: &str) -> Self {
        self.parameter("header", name, schema, text)
    }

    /// A header without which the request is refused.
    #[must_use]
    pub fn needs_header(self, name: &str, schema: Value, text: &str) -> Self {
        let mut whole = self.header(name, schema, text);
        if let Some(parameter) = whole.parameters.last_mut() {
            parameter["required"] = Value::from(true);
        }
        whole.refuses(422, "E_VALIDATION_FAILURE")
    }

    /// The parameters of a list with pages.
    #[must_use]
    pub fn pages(self, rules: &PageRules) -> Self {
        let most = rules.max_per_page.to_string();
        let per_page = or(
            json!({ "type": "integer", "minimum": 1 }),
            rules.default_per_page,
        );
        self.query(
            "order",
            or(choice(&["asc", "desc"]), "asc"),
            "By creation: oldest or newest first.",
        )
        .query(
            "page",
            or(integer_in(1, 1_000_000_000_000), 1),
            "Counts from 1.",
        )
        .query(
            "perPage",
            per_page,
            &format!("Records on a page; more than {most} gives {most}."),
        )
    }

    /// A multipart form.
    #[must_use]
    pub fn form(mut self, schema: Value) -> Self {
        self.body = Some(("multipart/form-data", schema));
        self
    }

    /// A multipart form in the place of a body in JSON.
    #[must_use]
    pub fn or_form(mut self, schema: Value) -> Self {
        self.form_instead = Some(schema);
        self
    }

    /// A body in JSON.
    #[must_use]
    pub fn json(mut self, schema: Value) -> Self {
        self.body = Some(("application/json", schema));
        self
    }

    /// A body in JSON, or none at all.
    #[must_use]
    pub fn may_json(mut self, schema: Value) -> Self {
        self.body_is_optional = true;
        self.json(schema)
    }

    /// A body that is one file.
    #[must_use]
    pub fn file(mut self, media_type: &'static str) -> Self {
        self.body = Some((media_type, binary()));
        self
    }

    /// A body that is one file, or none at all.
    #[must_use]
    pub fn may_file(mut self, media_type: &'static str) -> Self {
        self.body_is_optional = true;
        self.file(media_type)
    }

    /// An answer in JSON.
    #[must_use]
    pub fn gives(mut self, status: u16, text: &'static str, schema: Value) -> Self {
        self.answers.push(Good {
            status,
            text,
            content: vec![("application/json", schema)],
            headers: vec![],
        });
        self
    }

    /// The last answer may be an HTML page instead, for clients that prefer one.
    #[must_use]
    pub fn or_html(mut self) -> Self {
        if let Some(answer) = self.answers.last_mut() {
            answer.content.push(("text/html", string()));
        }
        self
    }

    /// An answer in JSON about what the request made.
    #[must_use]
    pub fn makes(self, status: u16, text: &'static str, schema: Value) -> Self {
        self.gives(status, text, schema)
            .with_header("Location", "Its own address.")
    }

    /// One page of a list.
    #[must_use]
    pub fn gives_page_of(self, schema: Value) -> Self {
        let page = object(json!({ "data": list(schema), "meta": named("PageMeta") }));
        self.gives(200, "One page.", page).with_header(
            "Link",
            "The first, previous, next and last page (RFC 8288).",
        )
    }

    /// An answer that is a file or a stream of one of these media types.
    #[must_use]
    pub fn gives_bytes(
        mut self,
        status: u16,
        text: &'static str,
        media_types: &[&'static str],
    ) -> Self {
        self.answers.push(Good {
            status,
            text,
            content: media_types.iter().map(|one| (*one, binary())).collect(),
            headers: vec![],
        });
        self
    }

    /// An answer that is a stream of server-sent events; the schema is that of one event's fields.
    #[must_use]
    pub fn gives_events(mut self, text: &'static str, schema: Value) -> Self {
        self.answers.push(Good {
            status: 200,
            text,
            content: vec![("text/event-stream", schema)],
            headers: vec![],
        });
        self
    }

    /// An answer without a body.
    #[must_use]
    pub fn gives_nothing(mut self, status: u16, text: &'static str) -> Self {
        self.answers.push(Good {
            status,
            text,
            content: vec![],
            headers: vec![],
        });
        self
    }

    /// A header that the last answer always has.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, text: &'static str) -> Self {
        if let Some(answer) = self.answers.last_mut() {
            answer.headers.push((name, text, true));
        }
        self
    }

    /// A header that the last answer has at times.
    #[must_use]
    pub fn may_have_header(mut self, name: &'static str, text: &'static str) -> Self {
        if let Some(answer) = self.answers.last_mut() {
            answer.headers.push((name, text, false));
        }
        self
    }

    /// Adds a refusal to those that are added automatically.
    #[must_use]
    pub fn refuses(mut self, status: u16, code: &'static str) -> Self {
        self.problems.push((status, code));
        self
    }

    /// Whether there are parameters in the query.
    #[must_use]
    pub fn has_query(&self) -> bool {
        self.parameters.iter().any(|one| one["in"] == "query")
    }

    fn parameter(mut self, place: &str, name: &str, schema: Value, text: &str) -> Self {
        let mut parameter = Map::new();
        parameter.insert("name".to_owned(), Value::from(name));
        parameter.insert("in".to_owned(), Value::from(place));
        parameter.insert("description".to_owned(), Value::from(text));
        parameter.insert("schema".to_owned(), schema);
        self.parameters.push(Value::Object(parameter));
        self
    }
}
