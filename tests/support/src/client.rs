//! A client whose every answer is held against the server's description.

use std::time::Duration;

use reqwest::Method;
use reqwest::blocking::multipart::Form;
use reqwest::blocking::{Body, Client, RequestBuilder, Response};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;

use crate::contract;

/// A request whose answer is held against the server's OpenAPI document.
#[must_use]
pub struct Request(RequestBuilder);

impl From<RequestBuilder> for Request {
    fn from(request: RequestBuilder) -> Self {
        Self(request)
    }
}

impl Request {
    /// Sends it.
    pub fn send(self) -> reqwest::Result<Response> {
        let (client, request): (Client, _) = self.0.build_split();
        let request = request?;
        let said = request.headers().get("x-http-method-override");
        // Uploads alone take it.
        let said = said.filter(|_| request.url().path().contains("/uploads/"));
        let meant = said.and_then(|said| Method::from_bytes(said.as_bytes()).ok());
        let method = meant.unwrap_or_else(|| request.method().clone());
        let answer = client.execute(request)?;
        contract::checked(&client, &method, answer)
    }

    /// With the key `key`.
    pub fn bearer_auth(self, key: impl std::fmt::Display) -> Self {
        Self(self.0.bearer_auth(key))
    }

    /// With a header.
    pub fn header<N, V>(self, name: N, value: V) -> Self
    where
        HeaderName: TryFrom<N>,
        <HeaderName as TryFrom<N>>::Error: Into<hyper::http::Error>,
        HeaderValue: TryFrom<V>,
        <HeaderValue as TryFrom<V>>::Error: Into<hyper::http::Error>,
    {
        Self(self.0.header(name, value))
    }

    /// With headers.
    pub fn headers(self, headers: HeaderMap) -> Self {
        Self(self.0.headers(headers))
    }

    /// With a body.
    pub fn body(self, body: impl Into<Body>) -> Self {
        Self(self.0.body(body))
    }

    /// With a body in JSON.
    pub fn json<T: Serialize + ?Sized>(self, body: &T) -> Self {
        Self(self.0.json(body))
    }

    /// With a query.
    pub fn query<T: Serialize + ?Sized>(self, query: &T) -> Self {
        Self(self.0.query(query))
    }

    /// With a form.
    pub fn multipart(self, form: Form) -> Self {
        Self(self.0.multipart(form))
    }

    /// With a time limit.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self(self.0.timeout(timeout))
    }
}
