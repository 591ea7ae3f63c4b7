use std::sync::Arc;

use futures_util::future::BoxFuture;
use hyper::Method;
use hyper::body::Incoming;
use hyper::http::request::Parts;
use serde_json::{Map, Value};

use super::call::{Call, row_id};
pub use super::class::Class;
use super::describe::Description;
use super::problem::Problem;
use super::state::Api;
use vocalhost_http::reply::Reply;
use vocalhost_http::small_body::read_json;
use vocalhost_store::{Caller, Scope};

/// A path and what may be asked there. The router, the limits and the API's description all read the same tables.
pub struct Route {
    /// The path, with its variables in braces.
    pub path: &'static str,
    /// One operation per method. `HEAD` goes where `GET` goes, `OPTIONS` is answered everywhere.
    pub operations: &'static [Operation],
}

/// What is done when a path is asked with a method.
pub struct Operation {
    /// The method.
    pub method: &'static Method,
    /// The name that generated clients give their function.
    pub(crate) id: &'static str,
    /// What it does, in a few words.
    pub(crate) summary: &'static str,
    /// What it takes and gives, for the API's description of itself.
    pub(crate) describe: fn() -> Description,
    /// Which limit counts it.
    pub(crate) class: Class,
    /// Who may ask, and the answer.
    pub handler: Handler,
}

impl Operation {
    /// Whether it may change something.
    #[must_use]
    pub(crate) fn writes(&self) -> bool {
        self.method != Method::GET
    }
}

/// Who may ask, and the answer.
pub enum Handler {
    /// Anybody.
    Open(OpenAnswer),
    /// A caller whose key has the scope. A `POST` that is sent twice under an idempotency key is done once.
    Keyed(Scope, KeyedAnswer),
    /// The same without idempotency keys: the answer shows a secret, which is kept nowhere, or a protocol has means of
    /// its own.
    Repeated(Scope, KeyedAnswer),
}

impl Handler {
    /// What a key needs; `None` when none is needed.
    #[must_use]
    pub fn scope(&self) -> Option<Scope> {
        match self {
            Self::Open(_) => None,
            Self::Keyed(scope, _) | Self::Repeated(scope, _) => Some(*scope),
        }
    }
}

/// What answers anybody.
pub type OpenAnswer = for<'a> fn(&'a Arc<Api>, Ask<'a>) -> Answer<'a>;

/// What answers a caller.
pub type KeyedAnswer = for<'a> fn(&'a Arc<Api>, Ask<'a>, &'a Caller) -> Answer<'a>;

/// What a handler comes to.
pub type Answer<'a> = BoxFuture<'a, Result<Reply, Problem>>;

/// A request on its way to its handler.
pub struct Ask<'a> {
    /// Method, address and headers.
    pub head: &'a Parts,
    /// What has not been read of the body yet.
    pub body: &'a mut Incoming,
    /// Address, query and id.
    pub call: Call,
    /// The variables of the path.
    pub path: matchit::Params<'a, 'a>,
}

impl Ask<'_> {
    /// The number of a row that the path names.
    pub fn id(&self) -> Result<i64, Problem> {
        row_id(self.part("id"))
    }

    /// The body, which is a JSON object.
    pub async fn json(&mut self, api: &Api) -> Result<Map<String, Value>, Problem> {
        let times = api.body_times();
        Ok(read_json(&self.head.headers, self.body, times).await?)
    }

    /// A variable of the path; empty when the path has none of this name.
    pub fn part(&self, name: &str) -> &str {
        self.path.get(name).unwrap_or_default()
    }
}

/// An operation that has no handler yet. It counts as a read unless [`Self::counts_as`] says otherwise.
#[derive(Clone, Copy)]
pub struct Unanswered {
    method: &'static Method,
    id: &'static str,
    summary: &'static str,
    describe: fn() -> Description,
    class: Class,
}

impl Unanswered {
    const fn new(
        method: &'static Method,
        id: &'static str,
        summary: &'static str,
        describe: fn() -> Description,
    ) -> Self {
        Self {
            method,
            id,
            summary,
            describe,
            class: Class::Read,
        }
    }

    /// Which limit counts it.
    #[must_use]
    pub const fn counts_as(self, class: Class) -> Self {
        Self { class, ..self }
    }

    /// Anybody may ask.
    #[must_use]
    pub const fn open(self, answer: OpenAnswer) -> Operation {
        self.answered(Handler::Open(answer))
    }

    /// A caller with the scope may ask: [`Handler::Keyed`].
    #[must_use]
    pub const fn keyed(self, scope: Scope, answer: KeyedAnswer) -> Operation {
        self.answered(Handler::Keyed(scope, answer))
    }

    /// A caller with the scope may ask, without idempotency keys: [`Handler::Repeated`].
    #[must_use]
    pub const fn repeated(self, scope: Scope, answer: KeyedAnswer) -> Operation {
        self.answered(Handler::Repeated(scope, answer))
    }

    const fn answered(self, handler: Handler) -> Operation {
        Operation {
            method: self.method,
            id: self.id,
            summary: self.summary,
            describe: self.describe,
            class: self.class,
            handler,
        }
    }
}

/// Begins the operations of each method: a name for generated clients, what it does, and its description.
macro_rules! begun_by {
    ($($begin:ident $method:ident),*) => {
        impl Operation {
            $(
                #[doc = concat!("Begins an operation of the method `", stringify!($method), "`.")]
                #[must_use]
                pub(crate) const fn $begin(
                    id: &'static str,
                    summary: &'static str,
                    describe: fn() -> Description,
                ) -> Unanswered {
                    Unanswered::new(&Method::$method, id, summary, describe)
                }
            )*
        }
    };
}

begun_by!(get GET, post POST, put PUT, patch PATCH, delete DELETE);

impl Operation {
    /// Whether a request may be sent twice under a key and is done once.
    #[must_use]
    pub(crate) fn takes_key(&self) -> bool {
        *self.method == Method::POST && matches!(self.handler, Handler::Keyed(..))
    }
}

impl Route {
    /// The operation for a method.
    #[must_use]
    pub(crate) fn operation(&self, method: &Method) -> Option<&'static Operation> {
        let method = if method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        self.operations
            .iter()
            .find(|operation| operation.method == method)
    }

    /// The `Allow` header: every method in the order of the alphabet.
    #[must_use]
    pub(crate) fn allow(&self) -> String {
        let methods = self.operations.iter().map(|one| one.method.as_str());
        let mut methods: Vec<&str> = methods.chain(["OPTIONS"]).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.sort_unstable();
        methods.join(", ")
    }
}
