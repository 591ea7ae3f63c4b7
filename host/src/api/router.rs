use std::sync::Arc;

use hyper::body::{Body, Incoming};
use hyper::header::{ALLOW, CONNECTION, EXPECT, HeaderValue};
use hyper::{Method, Request, StatusCode, Version};

use super::call::Call;
use super::problem::Problem;
use super::query::Query;
use super::reply::{self, Reply};
use super::v1::separations::Separation;
use super::{Api, auth, body, files, health, layers, v1};
use crate::store::{Caller, Scope};

/// What lies at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resource {
    Conversions,
    Conversion,
    Blends,
    Blend,
    Separations(Separation),
    Separation(Separation),
    VoiceModels,
    VoiceModel,
    Effects,
    AdminEffects,
    AdminEffect,
    Pipelines,
    Pipeline,
    File,
    Live,
    Ready,
}

/// The resources under each root of the API.
const UNDER_ROOT: [(&str, Resource); 16] = [
    ("/voice-conversions", Resource::Conversions),
    ("/voice-conversions/{id}", Resource::Conversion),
    (
        "/vocal-separations",
        Resource::Separations(Separation::Vocals),
    ),
    (
        "/vocal-separations/{id}",
        Resource::Separation(Separation::Vocals),
    ),
    ("/stem-splits", Resource::Separations(Separation::Stems)),
    ("/stem-splits/{id}", Resource::Separation(Separation::Stems)),
    ("/voice-blender", Resource::Blends),
    ("/voice-blender/{id}", Resource::Blend),
    ("/voice-models", Resource::VoiceModels),
    ("/voice-models/{id}", Resource::VoiceModel),
    ("/effects", Resource::Effects),
    ("/admin/effects", Resource::AdminEffects),
    ("/admin/effects/{id}", Resource::AdminEffect),
    ("/pipelines", Resource::Pipelines),
    ("/pipelines/{id}", Resource::Pipeline),
    ("/files/{expiry}/{signature}/{*target}", Resource::File),
];

/// The resources at the server's own root.
const AT_ROOT: [(&str, Resource); 2] = [("/livez", Resource::Live), ("/readyz", Resource::Ready)];

impl Resource {
    /// The `Allow` header.
    fn allow(self) -> &'static str {
        match self {
            Self::Conversions
            | Self::Separations(_)
            | Self::Blends
            | Self::AdminEffects
            | Self::Pipelines => "GET, HEAD, OPTIONS, POST",
            Self::AdminEffect => "DELETE, GET, HEAD, OPTIONS, PATCH",
            Self::Pipeline => "DELETE, GET, HEAD, OPTIONS, PUT",
            Self::Conversion
            | Self::Blend
            | Self::Separation(_)
            | Self::VoiceModels
            | Self::VoiceModel
            | Self::Effects
            | Self::File
            | Self::Live
            | Self::Ready => "GET, HEAD, OPTIONS",
        }
    }

    fn allows(self, method: &Method) -> bool {
        self.allow().split(", ").any(|allowed| allowed == method)
    }
}

/// Finds what lies at a path and answers.
pub struct Router {
    api: Arc<Api>,
    paths: matchit::Router<Resource>,
}

impl Router {
    /// The paths of all roots of `api`.
    #[must_use]
    pub fn new(api: Arc<Api>) -> Self {
        let mut paths = matchit::Router::new();
        let mut insert = |path: String, resource| {
            // Two roots may overlap; the first one that was given wins.
            if let Err(error) = paths.insert(path.as_str(), resource) {
                tracing::warn!(path, %error, "a path of the API is taken already");
            }
        };
        for (path, resource) in AT_ROOT {
            insert(path.to_owned(), resource);
        }
        for root in &api.settings.api_roots {
            for (path, resource) in UNDER_ROOT {
                insert(format!("{root}{path}"), resource);
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

    async fn route(
        &self,
        head: &hyper::http::request::Parts,
        body: &mut Incoming,
    ) -> Result<Reply, Problem> {
        let path = head.uri.path();
        let path = match path.trim_end_matches('/') {
            "" => "/",
            trimmed => trimmed,
        };
        let found = self.paths.at(path).map_err(|_| Problem::RouteNotFound)?;
        let resource = *found.value;
        if !resource.allows(&head.method) {
            return Err(Problem::MethodNotAllowed {
                allow: resource.allow(),
            });
        }
        if head.method == Method::OPTIONS {
            let mut reply = reply::empty(StatusCode::NO_CONTENT);
            let allow = HeaderValue::from_static(resource.allow());
            reply.headers_mut().insert(ALLOW, allow);
            return Ok(reply);
        }
        let part = |name| found.params.get(name).unwrap_or_default();
        let api = &self.api;
        match resource {
            Resource::Live => Ok(health::live()),
            Resource::Ready => Ok(health::ready(api).await),
            Resource::File => {
                let link = (part("expiry"), part("signature"), part("target"));
                files::serve(api, &head.headers, link).await
            }
            Resource::Conversions
            | Resource::Conversion
            | Resource::Blends
            | Resource::Blend
            | Resource::Separations(_)
            | Resource::Separation(_)
            | Resource::VoiceModels
            | Resource::VoiceModel
            | Resource::Effects
            | Resource::Pipelines
            | Resource::Pipeline => {
                let reading = matches!(head.method, Method::GET | Method::HEAD);
                let scope = if reading { Scope::Read } else { Scope::Write };
                let caller = auth::authenticate(api, &head.headers, scope).await?;
                let call = self.call(head, path);
                if reading {
                    self.read(resource, &call, &caller, part("id")).await
                } else if matches!(resource, Resource::Pipelines | Resource::Pipeline) {
                    self.change_pipeline((head, body), &call, &caller, part("id"))
                        .await
                } else {
                    self.create(resource, &call, &caller, (head, body)).await
                }
            }
            Resource::AdminEffects | Resource::AdminEffect => {
                let caller = auth::authenticate(api, &head.headers, Scope::Admin).await?;
                let call = self.call(head, path);
                self.administer(&call, &caller, part("id"), (head, body))
                    .await
            }
        }
    }

    fn call(&self, head: &hyper::http::request::Parts, path: &str) -> Call {
        Call {
            address: format!("{}{path}", self.api.public_url),
            query: Query::parse(head.uri.query()),
            request_id: layers::request_id(&head.headers),
        }
    }

    /// The effects of the installation, for operators; an empty `id` is all of them.
    async fn administer(
        &self,
        call: &Call,
        caller: &Caller,
        id: &str,
        (head, body): (&hyper::http::request::Parts, &mut Incoming),
    ) -> Result<Reply, Problem> {
        let api = &self.api;
        match head.method {
            Method::POST => {
                self.take_work()?;
                v1::admin_effects::install(api, call, caller, (&head.headers, body)).await
            }
            Method::PATCH => v1::admin_effects::change(api, id, (&head.headers, body)).await,
            Method::DELETE => v1::admin_effects::remove(api, id).await,
            _ if id.is_empty() => v1::admin_effects::list(api, call).await,
            _ => v1::admin_effects::get(api, id).await,
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

    /// A new job.
    async fn create(
        &self,
        resource: Resource,
        call: &Call,
        caller: &Caller,
        (head, body): (&hyper::http::request::Parts, &mut Incoming),
    ) -> Result<Reply, Problem> {
        self.take_work()?;
        let (api, sent) = (&self.api, (&head.headers, body));
        match resource {
            Resource::Conversions => v1::conversions::create(api, call, caller, sent).await,
            Resource::Separations(separation) => {
                v1::separations::create(api, separation, call, caller, sent).await
            }
            Resource::Blends => v1::blender::create(api, call, caller, sent).await,
            _ => Err(Problem::RouteNotFound),
        }
    }

    async fn change_pipeline(
        &self,
        (head, body): (&hyper::http::request::Parts, &mut Incoming),
        call: &Call,
        caller: &Caller,
        name: &str,
    ) -> Result<Reply, Problem> {
        let (api, sent) = (&self.api, (&head.headers, body));
        match head.method {
            Method::POST => v1::pipelines::create(api, call, caller, sent).await,
            Method::PUT => v1::pipelines::replace(api, name, caller, sent).await,
            _ => v1::pipelines::delete(api, name, caller).await,
        }
    }

    async fn read(
        &self,
        resource: Resource,
        call: &Call,
        caller: &Caller,
        id: &str,
    ) -> Result<Reply, Problem> {
        let api = &self.api;
        match resource {
            Resource::Conversions => v1::conversions::list(api, call, caller).await,
            Resource::Conversion => v1::conversions::get(api, id, caller).await,
            Resource::Blends => v1::blender::list(api, call, caller).await,
            Resource::Blend => v1::blender::get(api, id, caller).await,
            Resource::Separations(separation) => {
                v1::separations::list(api, separation, call, caller).await
            }
            Resource::Separation(separation) => {
                v1::separations::get(api, separation, id, caller).await
            }
            Resource::VoiceModels => v1::models::list(api, call, caller).await,
            Resource::VoiceModel => v1::models::get(api, id, caller).await,
            Resource::Effects => v1::effects::list(api, call).await,
            Resource::Pipelines => v1::pipelines::list(api, call, caller).await,
            Resource::Pipeline => v1::pipelines::get(api, id, caller).await,
            Resource::AdminEffects
            | Resource::AdminEffect
            | Resource::File
            | Resource::Live
            | Resource::Ready => Err(Problem::RouteNotFound),
        }
    }
}
