use serde_json::{Value, json};

use super::admin;
use super::timestamp::timestamp;
use crate::Api;
use crate::rules::page::page_reply;
use crate::rules::problem::Problem;
use crate::rules::route::{Ask, Operation, Route};
use vocalhost_http::reply::Reply;
use vocalhost_store::{AuditQuery, AuditRecord, Scope};

/// What may be asked here.
pub(crate) const ROUTES: &[Route] = &[Route {
    path: "/admin/audit",
    operations: &[Operation::get(
        "listAuditLog",
        "What was done, by whom and from where",
        super::shapes::admin::audit,
    )
    .keyed(Scope::Admin, |api, ask, _| Box::pin(list(api, ask)))],
}];

async fn list(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let call = &ask.call;
    let asked = admin::asked(call)?;
    let query = AuditQuery {
        actor: call.query.get("user").map(str::to_owned),
        action: call.query.get("action").map(str::to_owned),
        descending: asked.descending,
        page: asked.page,
        per_page: asked.per_page,
    };
    let found = api.store.audit_log(&query).await?;
    Ok(page_reply(call, &asked, &found, record))
}

/// A line of the audit log. Without a key it was done on the command line, without a user by the server itself.
#[must_use]
pub fn record(line: &AuditRecord) -> Value {
    json!({
        "id": line.id,
        "at": timestamp(line.at_us),
        "user": line.actor.name,
        "keyId": line.actor.key_id,
        "requestId": line.actor.request_id,
        "address": line.actor.address,
        "action": line.action,
        "target": line.target,
        "outcome": line.outcome,
    })
}
