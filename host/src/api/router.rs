use std::sync::Arc;

use hyper::body::{Body, Incoming};
use hyper::header::{ALLOW, CONNECTION, EXPECT, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode, Version};

use super::call::Call;
use super::problem::Problem;
use super::query::Query;
use super::reply::{self, Reply};
use super::route::{Ask, Class, Handler, Route};
use super::routes::{AT_ROOT, UNDER_ROOT};
use super::{Api, auth, body, layers, resumable};

/// Finds what lies at a path and answers.
pub struct Router {
    api: Arc<Api>,
    paths: matchit::Router<&'static Route>,
}

impl Router {
    /// The paths of all roots of `api`.
    #[must_use]
    pub fn new(api: Arc<Api>) -> Self {
        let mut paths = matchit::Router::new();
        let mut insert = |path: String, route| {
            // Two roots may overlap; the first one that was given wins.
            if let Err(error) = paths.insert(path.as_str(), route) {
                tracing::warn!(path, %error, "a path of the API is taken already");
            }
        };
        for route in AT_ROOT {
            insert(route.path.to_owned(), route);
        }
        for root in &api.settings.api_roots {
            for route in UNDER_ROOT.iter().copied().flatten() {
                insert(format!("{root}{}", route.path), route);
            }
        }
        Self { api, paths }
    }

    /// Answers a request; problems leave unrendered.
    pub async fn answer(&self, request: Request<Incoming>) -> Reply {
        let (head, mut body) = request.into_parts();
        let version = head.version;
        let waits_for_go_ahead = head.headers.contains_key(EXPECT);
        let answered = self.route(&head, &mut body).await;
        let mut reply = answered.unwrap_or_else(Problem::unrendered);
        if !body.is_end_stream() {
            // Answered before the request was read to its end.
            if version < Version::HTTP_2 {
                let close = HeaderValue::from_static("close");
                reply.headers_mut().insert(CONNECTION, close);
            }
            // Reading on would tell a client that asked first to go ahead.
            if !waits_for_go_ahead {
                tokio::spawn(body::linger(body));
            }
        }
        reply
    }

    async fn route(&self, head: &Parts, body: &mut Incoming) -> Result<Reply, Problem> {
        let path = head.uri.path();
        let path = match path.trim_end_matches('/') {
            "" => "/",
            trimmed => trimmed,
        };
        let found = self.paths.at(path).map_err(|_| Problem::RouteNotFound)?;
        let route: &'static Route = found.value;
        if head.method == Method::OPTIONS {
            return Ok(options(route));
        }
        let Some(operation) = route.operation(&head.method) else {
            return Err(Problem::MethodNotAllowed {
                allow: route.allow(),
            });
        };
        tracing::Span::current().record("operation", operation.id);
        let api = &self.api;
        let ask = Ask {
            head,
            body,
            call: Call {
                address: format!("{}{path}", api.public_url),
                query: Query::parse(head.uri.query()),
                request_id: layers::request_id(&head.headers),
            },
            path: found.params,
        };
        match operation.handler {
            Handler::Open(answer) => answer(api, ask).await,
            Handler::Keyed(scope, answer) => {
                let caller = auth::authenticate(api, &head.headers, scope).await?;
                if operation.class == Class::Creation {
                    self.take_work()?;
                }
                answer(api, ask, &caller).await
            }
        }
    }

    /// Whether new work is taken.
    fn take_work(&self) -> Result<(), Problem> {
        if self.api.is_draining() {
            return Err(Problem::Unavailable {
                detail: "The server is about to stop; try again in a moment.".to_owned(),
            });
        }
        Ok(())
    }
}

fn options(route: &Route) -> Reply {
    let mut reply = reply::empty(StatusCode::NO_CONTENT);
    if let Ok(allow) = HeaderValue::from_str(&route.allow()) {
        reply.headers_mut().insert(ALLOW, allow);
    }
    resumable::discover(route.path, reply.headers_mut());
    reply
}
