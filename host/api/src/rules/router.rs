use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Instant;

use hyper::body::{Body, Incoming};
use hyper::header::{ALLOW, AUTHORIZATION, CONNECTION, EXPECT, HeaderValue};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, StatusCode, Version};

use super::call::Call;
use super::limits::Verdict;
use super::once::Once;
use super::problem::Problem;
use super::request_id::request_id;
use super::route::{Ask, Class, Handler, KeyedAnswer, Route};
use super::state::Api;
use super::surface::Surface;
use super::timed::Timed;
use super::{audit, auth};
use vocalhost_http::body::linger;
use vocalhost_http::origin::Client;
use vocalhost_http::preference::wait_asked;
use vocalhost_http::query::Query;
use vocalhost_http::reply::{self, Reply};
use vocalhost_http::tus;
use vocalhost_store::{Caller, Scope};

/// What may be asked, as the resources list it.
#[derive(Clone, Copy)]
pub struct Tables {
    /// What lies at the server's own root.
    pub at_root: &'static [Route],
    /// What lies under each root of the API.
    pub under_root: &'static [&'static [Route]],
    /// The paths that speak the protocol of resumable uploads.
    pub uploads: Uploads,
}

/// The paths of resumable uploads.
#[derive(Clone, Copy)]
pub struct Uploads {
    /// The paths, with their variables in braces.
    pub paths: &'static [Route],
    /// The largest upload that is told of.
    pub max_bytes: u64,
}

impl Uploads {
    fn has(&self, path: &str) -> bool {
        self.paths.iter().any(|route| route.path == path)
    }
}

/// Finds what lies at a path and answers.
pub struct Router {
    api: Arc<Api>,
    surface: Surface,
    paths: matchit::Router<&'static Route>,
    uploads: Uploads,
}

impl Router {
    /// The paths of all roots of `api` that belong to `surface`.
    #[must_use]
    pub fn new(api: Arc<Api>, surface: Surface, tables: Tables) -> Self {
        let mut paths = matchit::Router::new();
        let mut insert = |path: String, route: &'static Route| {
            if !surface.has(route.path) {
                return;
            }
            // Two roots may overlap; the first one that was given wins.
            if let Err(error) = paths.insert(path.as_str(), route) {
                tracing::warn!(path, %error, "a path of the API is taken already");
            }
        };
        for route in tables.at_root {
            insert(route.path.to_owned(), route);
        }
        for root in &api.settings.api_roots {
            for route in tables.under_root.iter().copied().flatten() {
                insert(format!("{root}{}", route.path), route);
            }
        }
        Self {
            api,
            surface,
            paths,
            uploads: tables.uploads,
        }
    }

    /// Whether a request is done to its end although its client hangs up: what it changes, its line in the audit log and its idempotency
    /// key belong together. Requests that make jobs and models see to that themselves, and may be dropped while nothing is made yet.
    #[must_use]
    pub fn is_seen_through(&self, request: &Request<Incoming>) -> bool {
        let Ok(found) = self.paths.at(without_slash(request.uri().path())) else {
            return false;
        };
        let method = self.method_of(found.value, (request.method(), request.headers()));
        let operation = found.value.operation(method);
        operation.is_some_and(|operation| operation.writes() && operation.class != Class::Creation)
    }

    /// Answers a request; problems leave unrendered.
    pub async fn answer(&self, request: Request<Incoming>) -> Reply {
        let (head, mut body) = request.into_parts();
        let version = head.version;
        let waits_for_go_ahead = head.headers.contains_key(EXPECT);
        let mut timed = Timed::start(&self.api, &head.headers);
        let mut counted = None;
        let answered = self
            .route((&head, &mut body), &mut timed, &mut counted)
            .await;
        let mut reply = answered.unwrap_or_else(Problem::unrendered);
        if let Some(verdict) = counted {
            verdict.describe(reply.headers_mut());
        }
        timed.status = Some(reply.status());
        drop(timed);
        if !body.is_end_stream() {
            // Answered before the request was read to its end.
            if version < Version::HTTP_2 {
                let close = HeaderValue::from_static("close");
                reply.headers_mut().insert(CONNECTION, close);
            }
            // Reading on would tell a client that asked first to go ahead.
            if !waits_for_go_ahead {
                tokio::spawn(linger(body));
            }
        }
        reply
    }

    /// `counted` is what a limit said of the request, if one counted it.
    async fn route(
        &self,
        (head, body): (&Parts, &mut Incoming),
        timed: &mut Timed<'_>,
        counted: &mut Option<Verdict>,
    ) -> Result<Reply, Problem> {
        let path = without_slash(head.uri.path());
        let Ok(found) = self.paths.at(path) else {
            self.count_stray(head, counted).await;
            return Err(Problem::RouteNotFound);
        };
        let route: &'static Route = found.value;
        if head.method == Method::OPTIONS {
            return Ok(self.options(route));
        }
        let method = self.method_of(route, (&head.method, &head.headers));
        let Some(operation) = route.operation(method) else {
            self.count_stray(head, counted).await;
            return Err(Problem::MethodNotAllowed {
                allow: route.allow(),
            });
        };
        timed.operation = operation.id;
        tracing::Span::current().record("operation", operation.id);
        let api = &self.api;
        let ask = Ask {
            head,
            body,
            call: Call {
                operation: operation.id,
                address: format!("{}{path}", api.public_url),
                root: self.root_of(path),
                client: client_of(head),
                surface: self.surface,
                query: Query::parse(head.uri.query()),
                request_id: request_id(&head.headers),
                wait: wait_asked(&head.headers),
                once: Once::default(),
                trace_parent: timed.trace_parent(),
            },
            path: found.params,
        };
        match operation.handler {
            Handler::Open(answer) => answer(api, ask).await,
            Handler::Keyed(scope, answer) | Handler::Repeated(scope, answer) => {
                let caller = self
                    .admit(head, (operation.class, operation.writes()), counted)
                    .await?;
                let actor = audit::actor(&ask.call, &caller);
                let answered = match self.permit(&caller, scope, operation.class) {
                    Ok(()) if operation.takes_key() => {
                        once(api, (operation.id, answer), ask, &caller).await
                    }
                    Ok(()) => answer(api, ask, &caller).await,
                    Err(refused) => Err(refused),
                };
                if let Some(deed) = audit::Deed::of(head, operation, &answered) {
                    deed.note(api, &actor).await;
                }
                answered
            }
        }
    }

    /// The method that a request means, which clients of resumable uploads may name in a header.
    fn method_of<'h>(
        &self,
        route: &Route,
        (sent, headers): (&'h Method, &HeaderMap),
    ) -> &'h Method {
        if self.uploads.has(route.path) {
            tus::method_of(sent, headers)
        } else {
            sent
        }
    }

    fn options(&self, route: &Route) -> Reply {
        let mut reply = reply::empty(StatusCode::NO_CONTENT);
        if let Ok(allow) = HeaderValue::from_str(&route.allow()) {
            reply.headers_mut().insert(ALLOW, allow);
        }
        if self.uploads.has(route.path) {
            tus::discover(reply.headers_mut(), self.uploads.max_bytes);
        }
        reply
    }

    /// The absolute address of the root that a path lies under; of roots that overlap, the longest.
    fn root_of(&self, path: &str) -> String {
        let roots = self.api.settings.api_roots.iter();
        let root = roots
            .filter(|root| {
                path.strip_prefix(root.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
            .max_by_key(|root| root.len());
        let root = root.map_or("", String::as_str);
        format!("{}{root}", self.api.public_url)
    }

    /// Who is calling, unless a limit is reached. A good key is served even when its address has shown too many bad ones: secrets are
    /// too long to be guessed, and one program with an old key must not shut out all others that share its address.
    async fn admit(
        &self,
        head: &Parts,
        (class, writes): (Class, bool),
        counted: &mut Option<Verdict>,
    ) -> Result<Caller, Problem> {
        let now = Instant::now();
        let limits = &self.api.limits;
        let caller = auth::authenticate(&self.api, head, writes).await;
        *counted = match &caller {
            Ok(caller) => limits.count(caller.user_id, class, now).await,
            Err(Problem::Unauthorized) => limits.count_failure(client_of(head), now).await,
            Err(_) => None,
        };
        match counted.as_ref().and_then(Verdict::refusal) {
            Some(retry_after_s) => Err(Problem::TooManyRequests { retry_after_s }),
            None => caller,
        }
    }

    /// Counts a request with a key as a read when nothing lies at its path, so that its answer says what is left, too. It is not
    /// refused: it costs nothing, and the answer tells nothing about the key.
    async fn count_stray(&self, head: &Parts, counted: &mut Option<Verdict>) {
        if head.headers.contains_key(AUTHORIZATION) {
            let _ = self.admit(head, (Class::FreeRead, false), counted).await;
        }
    }

    /// Whether the caller may go on.
    fn permit(&self, caller: &Caller, scope: Scope, class: Class) -> Result<(), Problem> {
        auth::require(caller, scope)?;
        if class == Class::Creation {
            self.take_work()?;
        }
        Ok(())
    }

    /// Whether new work is taken.
    fn take_work(&self) -> Result<(), Problem> {
        if self.api.is_draining() {
            return Err(Problem::Unavailable {
                detail: "The server is about to stop; try again in a moment.".to_owned(),
            });
        }
        if !self.api.reserve.is_kept() {
            return Err(Problem::no_room());
        }
        Ok(())
    }
}

/// Answers a request that is done once however often it comes, when it has a key for that.
async fn once<'a>(
    api: &'a Arc<Api>,
    (id, answer): (&'static str, KeyedAnswer),
    mut ask: Ask<'a>,
    caller: &'a Caller,
) -> Result<Reply, Problem> {
    let of = (&ask.head.headers, &ask.path);
    let once = Once::begin(api, caller, id, of).await?;
    ask.call.once = once.clone();
    let answered = answer(api, ask, caller).await;
    once.settle(answered).await
}

/// A path may end with a slash or without.
fn without_slash(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => "/",
        trimmed => trimmed,
    }
}

/// Where a request comes from, as the layers have noted it.
fn client_of(head: &Parts) -> IpAddr {
    let client = head.extensions.get::<Client>();
    client.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |client| client.0)
}
