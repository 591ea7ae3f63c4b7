use std::time::Instant;

use hyper::StatusCode;
use serde_json::{Map, Value, json};

use super::timestamp::timestamp;
use crate::Api;
use crate::rules::problem::Problem;
use crate::rules::route::{Class, Operation, Route};
use crate::v1::names::collection_of;
use vocalhost_config::Settings;
use vocalhost_http::reply::{self, Reply};
use vocalhost_job::JobKind;
use vocalhost_store::{Caller, Scope, USAGE_DAYS, Usage};
use vocalhost_system::clock;

/// States by the words of records: a job that waits is running for a client.
const STATUS_OF: [(&str, &str); 6] = [
    ("queued", "running"),
    ("running", "running"),
    ("cancelling", "running"),
    ("succeeded", "success"),
    ("failed", "error"),
    ("cancelled", "cancelled"),
];

/// What may be asked here.
pub const ROUTES: &[Route] = &[
    Route {
        path: "/me",
        operations: &[Operation::get(
            "getMe",
            "Who you are, and what your key may do",
            super::shapes::account::me,
        )
        .keyed(Scope::Read, |api, _, caller| {
            Box::pin(async move { me(api, caller).await })
        })],
    },
    Route {
        path: "/usage",
        operations: &[Operation::get(
            "getUsage",
            "What you have used, and how much you may",
            super::shapes::account::usage,
        )
        .keyed(Scope::Read, |api, _, caller| {
            Box::pin(async move { usage(api, caller).await })
        })],
    },
];

/// `GET /me`.
async fn me(api: &Api, caller: &Caller) -> Result<Reply, Problem> {
    let key = api.store.key(&caller.key_id).await?;
    let key = key.ok_or(Problem::Unauthorized)?;
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    let record = json!({
        "user": { "id": caller.user_id, "name": caller.user_name },
        "key": {
            "id": key.id,
            "label": key.label,
            "scopes": scopes,
            "createdAt": timestamp(key.created_at_us),
            "expiresAt": key.expires_at_us.map(timestamp),
            "lastUsedAt": key.last_used_at_us.map(timestamp),
        },
        "rateLimits": rate_limits(api, caller),
    });
    Ok(reply::json(StatusCode::OK, &record))
}

/// `GET /usage`.
async fn usage(api: &Api, caller: &Caller) -> Result<Reply, Problem> {
    let usage = api.store.usage(caller.user_id, clock::now_us()).await?;
    let mut record = usage_record(&api.settings, &usage);
    record["rateLimits"] = rate_limits(api, caller);
    Ok(reply::json(StatusCode::OK, &record))
}

/// How the limits on requests stand; `null` where there is none.
fn rate_limits(api: &Api, caller: &Caller) -> Value {
    let now = Instant::now();
    let class = |class| {
        let standing = api.limits.look(caller.user_id, class, now)?;
        Some(json!({ "perMinute": standing.quota, "remaining": standing.remaining }))
    };
    json!({ "create": class(Class::Creation), "read": class(Class::Read) })
}

/// What a user has used, beside the limits in force. A quota of `null` is none.
#[must_use]
pub fn usage_record(settings: &Settings, usage: &Usage) -> Value {
    let own = &usage.limits;
    let quota = |limit: Option<u64>, setting: u64| {
        Some(limit.unwrap_or(setting)).filter(|quota| *quota > 0)
    };
    let in_state = |state: &str| -> u64 {
        let counts = usage.jobs.iter().filter(|((_, given), _)| given == state);
        counts.map(|(_, count)| count).sum()
    };
    json!({
        "storage": {
            "bytes": usage.storage_bytes,
            "quotaBytes": quota(own.storage_quota_bytes, settings.storage_quota_bytes),
        },
        "audio": {
            "days": USAGE_DAYS,
            "minutes": usage.audio_s / 60.0,
            "quotaMinutes": quota(own.audio_minutes_quota, settings.audio_minutes_quota),
            "jobs": usage.jobs_accepted,
        },
        "jobs": {
            "running": in_state("running") + in_state("cancelling"),
            "maxRunning": own.max_running.unwrap_or(settings.max_running_per_user),
            "queued": in_state("queued"),
            "maxQueued": own.max_queued.unwrap_or(settings.max_queued_per_user),
            "byKind": by_kind(usage),
        },
    })
}

/// The jobs whose records are there, by kind as in paths and by status as in records.
fn by_kind(usage: &Usage) -> Value {
    let kinds = JobKind::ALL.into_iter().map(|kind| {
        let mut counts = Map::new();
        for (state, status) in STATUS_OF {
            let key = (kind.as_str().to_owned(), state.to_owned());
            let more = usage.jobs.get(&key).copied().unwrap_or(0);
            let before = counts.get(status).and_then(Value::as_u64).unwrap_or(0);
            counts.insert(status.to_owned(), json!(before + more));
        }
        (collection_of(kind).to_owned(), Value::Object(counts))
    });
    Value::Object(kinds.collect())
}
