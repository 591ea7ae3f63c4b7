use hyper::Method;
use hyper::header::LOCATION;
use hyper::http::request::Parts;

use super::call::Call;
use super::noted::is_noted;
use super::problem::Problem;
use super::route::Operation;
use super::state::Api;
use vocalhost_http::reply::Reply;
use vocalhost_store::{Actor, Caller};
use vocalhost_system::clock;

/// Who asks, for the audit log.
#[must_use]
pub fn actor(call: &Call, caller: &Caller) -> Actor {
    Actor {
        name: Some(caller.user_name.clone()),
        key_id: Some(caller.key_id.clone()),
        request_id: Some(call.request_id.clone()),
        address: Some(call.client.to_string()),
    }
}

/// The most characters of a path that are noted; no path that exists is longer.
const LONGEST_TARGET: usize = 200;

/// What a key did or was refused.
pub struct Deed {
    action: &'static str,
    target: String,
    outcome: String,
}

impl Deed {
    /// What is to be noted of a request; nothing when it only read, or when its deed is noted already.
    #[must_use]
    pub fn of(
        head: &Parts,
        operation: &Operation,
        answered: &Result<Reply, Problem>,
    ) -> Option<Self> {
        if *operation.method == Method::GET {
            return None;
        }
        let (status, target) = match answered {
            Ok(reply) if is_noted(reply) => return None,
            Ok(reply) => {
                let made = reply.headers().get(LOCATION);
                let made = made.and_then(|address| address.to_str().ok());
                (reply.status(), made.unwrap_or(head.uri.path()))
            }
            Err(problem) => (problem.status(), head.uri.path()),
        };
        Some(Self {
            action: operation.id,
            target: target.chars().take(LONGEST_TARGET).collect(),
            outcome: if status.is_success() {
                "ok".to_owned()
            } else {
                status.as_u16().to_string()
            },
        })
    }

    /// Notes it. The answer goes out even when nothing can be noted: what was done is done.
    pub async fn note(self, api: &Api, actor: &Actor) {
        let Self {
            action,
            target,
            outcome,
        } = self;
        let noted = api
            .store
            .note(actor, (action, &target), &outcome, clock::now_us());
        if let Err(error) = noted.await {
            tracing::error!(cause = %error, action, target, "the audit log cannot be written");
        }
    }
}
