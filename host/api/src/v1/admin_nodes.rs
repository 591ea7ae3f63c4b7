//! Servers, for operators.

use std::time::Duration;

use serde_json::{Value, json};

use super::admin;
use super::timestamp::timestamp;
use crate::Api;
use crate::rules::page::list_reply;
use crate::rules::problem::Problem;
use crate::rules::route::{Ask, Operation, Route};
use vocalhost_http::reply::Reply;
use vocalhost_store::{ListedNode, Scope};
use vocalhost_system::clock;

/// Servers report every few seconds: one that has been silent for so long is dead or cut off from the database.
const SILENT_AFTER: Duration = Duration::from_secs(20);

/// What may be asked here.
pub const ROUTES: &[Route] = &[Route {
    path: "/admin/nodes",
    operations: &[Operation::get(
        "listNodes",
        "The servers that share the database",
        super::shapes::admin_nodes::list,
    )
    .keyed(Scope::Admin, |api, ask, _| Box::pin(list(api, ask)))],
}];

async fn list(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let asked = admin::asked(&ask.call)?;
    let nodes = api.store.nodes().await?;
    // A server without others is the one that answers.
    let silent_before_us = if api.store.is_shared() {
        clock::now_us() - SILENT_AFTER.as_micros() as i64
    } else {
        i64::MIN
    };
    let page = asked.cut(&nodes).into_iter();
    let records: Vec<Value> = page.map(|node| record(node, silent_before_us)).collect();
    Ok(list_reply(&ask.call, &asked, nodes.len() as u64, &records))
}

/// The record of a server.
fn record(listed: &ListedNode, silent_before_us: i64) -> Value {
    let node = &listed.node;
    json!({
        "id": node.id,
        "name": node.name,
        "role": node.role,
        "queues": node.queues,
        "release": node.release,
        "startedAt": timestamp(node.started_at_us),
        "lastSeenAt": timestamp(node.seen_at_us),
        "isSilent": node.seen_at_us < silent_before_us,
        "isDraining": node.draining,
        "runningJobs": listed.running_jobs,
    })
}
