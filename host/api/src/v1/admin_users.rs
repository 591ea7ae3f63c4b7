use std::time::{Duration, Instant};

use hyper::StatusCode;
use serde_json::{Value, json};

use super::account::usage_record;
use super::admin;
use super::job_record::done_before;
use super::json_fields::Fields;
use super::timestamp::timestamp;
use crate::Api;
use crate::rules::audit::actor;
use crate::rules::created::created;
use crate::rules::noted::noted;
use crate::rules::page::page_reply;
use crate::rules::problem::{FieldError, Problem, refuse};
use crate::rules::route::{Ask, Operation, Route};
use vocalhost_files::{FileStore, FilesError, upload_prefix};
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::reply::{self, Reply};
use vocalhost_store::{
    Caller, RemovedUser, Scope, UserChange, UserLimits, UserRecord, UserRemoval,
};
use vocalhost_system::clock;

/// Why a user whose jobs take their time to stop is still there.
pub const STILL_STOPPING: &str = "The user's keys do not work any more and the jobs are being stopped: delete once more in a moment.";

/// How long a deletion waits for jobs to stop, and how often it looks.
const STOP_LIMIT: Duration = Duration::from_secs(3);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// No limit is larger, so that everything fits into a database's integers.
const LARGEST_LIMIT: u64 = 1 << 50;

/// The fields of a user's limits, and the least that makes sense for each.
pub(crate) const LIMIT_FIELDS: [(&str, u64); 4] = [
    ("maxRunning", 1),
    ("maxQueued", 1),
    ("storageQuotaBytes", 0),
    ("audioMinutesQuota", 0),
];

/// What may be asked here.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        path: "/admin/users",
        operations: &[
            Operation::get("listUsers", "Every user", super::shapes::admin::list_users)
                .keyed(Scope::Admin, |api, ask, _| Box::pin(list(api, ask))),
            Operation::post(
                "createUser",
                "Make a user without keys",
                super::shapes::admin::create_user,
            )
            .keyed(Scope::Admin, |api, ask, caller| {
                Box::pin(create(api, ask, caller))
            }),
        ],
    },
    Route {
        path: "/admin/users/{id}",
        operations: &[
            Operation::get(
                "getUser",
                "One user, with what is used",
                super::shapes::admin::get_user,
            )
            .keyed(Scope::Admin, |api, ask, _| Box::pin(get(api, ask))),
            Operation::patch(
                "changeUser",
                "Enable, disable or limit a user",
                super::shapes::admin::change_user,
            )
            .keyed(Scope::Admin, |api, ask, caller| {
                Box::pin(change(api, ask, caller))
            }),
            Operation::delete(
                "deleteUser",
                "Delete a user with everything that is theirs",
                super::shapes::admin::delete_user,
            )
            .keyed(Scope::Admin, |api, ask, caller| {
                Box::pin(delete(api, ask, caller))
            }),
        ],
    },
];

async fn list(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let asked = admin::asked(&ask.call)?;
    let place = (asked.page, asked.per_page);
    let found = api.store.users(asked.descending, place).await?;
    Ok(page_reply(&ask.call, &asked, &found, record))
}

async fn get(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let id = ask.id()?;
    let user = api.store.user(id).await?.ok_or(Problem::RowNotFound)?;
    let mut answer = record(&user);
    let usage = api.store.usage(id, clock::now_us()).await?;
    answer["usage"] = usage_record(&api.settings, &usage);
    Ok(reply::json(StatusCode::OK, &answer))
}

async fn create(api: &Api, mut ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let given = ask.json(api).await?;
    if let Some(answer) = done_before(api, &ask.call, &Fingerprint::of_json(&given)).await? {
        return Ok(answer);
    }
    let mut fields = Fields::new(&given, &["name"]);
    let name = fields.text("name");
    fields.require("name", name.is_some());
    let name = name.unwrap_or_default();
    if fields.mistakes.is_empty() && !admin::is_user_name(&name) {
        fields.wrong("name", "pattern", &admin::name_rule());
    }
    refuse(fields.mistakes)?;
    let actor = actor(&ask.call, caller);
    let made = api
        .store
        .create_user(&name, &actor, clock::now_us())
        .await?;
    let Some(made) = made else {
        let message = "There is a user of this name already.";
        return Err(Problem::Invalid(vec![FieldError::new(
            "name", "unique", message,
        )]));
    };
    let address = format!("{}/{}", ask.call.address, made.id);
    Ok(noted(created(&address, &record(&made))))
}

async fn change(api: &Api, mut ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let id = ask.id()?;
    let given = ask.json(api).await?;
    let names = LIMIT_FIELDS.iter().map(|(name, _)| *name);
    let known: Vec<&str> = names.chain(["enabled"]).collect();
    let mut fields = Fields::new(&given, &known);
    if given.is_empty() {
        fields.wrong("body", "required", "is empty");
    }
    let before = api.store.user(id).await?.ok_or(Problem::RowNotFound)?;
    let change = UserChange {
        enabled: fields.toggle("enabled"),
        limits: changed_limits(&mut fields, before.limits),
        seen: Some(before.limits),
    };
    refuse(fields.mistakes)?;
    let actor = actor(&ask.call, caller);
    let now_us = clock::now_us();
    let after = api.store.change_user(id, &change, &actor, now_us).await?;
    let after = after.ok_or(Problem::RowNotFound)?;
    Ok(noted(reply::json(StatusCode::OK, &record(&after))))
}

/// `DELETE /admin/users/:id`. Jobs that are at work are stopped first.
async fn delete(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let (id, actor) = (ask.id()?, actor(&ask.call, caller));
    let patience = Instant::now() + STOP_LIMIT;
    loop {
        match api.store.remove_user(id, &actor, clock::now_us()).await? {
            UserRemoval::Unknown => return Err(Problem::RowNotFound),
            UserRemoval::Stopping if Instant::now() < patience => {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
            UserRemoval::Stopping => {
                return Err(Problem::Conflict {
                    code: "E_JOB_RUNNING",
                    detail: STILL_STOPPING.to_owned(),
                });
            }
            UserRemoval::Removed(removed) => {
                // The user is gone for good; files that cannot be deleted now are found by the cleanup.
                if let Err(error) = delete_files(&api.files, &removed).await {
                    tracing::warn!(user = id, %error, "files of a deleted user are left");
                }
                return Ok(noted(reply::empty(StatusCode::NO_CONTENT)));
            }
        }
    }
}

/// Deletes the files that a deleted user leaves. Everything is tried, and the first error told.
pub async fn delete_files(files: &FileStore, removed: &RemovedUser) -> Result<(), FilesError> {
    let mut deleted = Ok(());
    for job in &removed.jobs {
        deleted = deleted.and(files.delete_job(job.job_id, &job.input_keys).await);
    }
    for key in &removed.keys {
        deleted = deleted.and(files.delete(key).await);
    }
    for upload in &removed.uploads {
        deleted = deleted.and(files.delete_prefix(&upload_prefix(upload)).await);
    }
    deleted
}

/// The limits after the change; `null` is the setting again.
fn changed_limits(fields: &mut Fields<'_>, before: UserLimits) -> Option<UserLimits> {
    let mut limits = before;
    let targets = [
        &mut limits.max_running,
        &mut limits.max_queued,
        &mut limits.storage_quota_bytes,
        &mut limits.audio_minutes_quota,
    ];
    let mut any = false;
    for ((name, least), target) in LIMIT_FIELDS.into_iter().zip(targets) {
        if fields.has(name) {
            any = true;
            *target = fields.count(name, (least, LARGEST_LIMIT));
        }
    }
    any.then_some(limits)
}

/// The record of a user.
#[must_use]
pub fn record(user: &UserRecord) -> Value {
    json!({
        "id": user.id,
        "name": user.name,
        "enabled": user.disabled_at_us.is_none(),
        "createdAt": timestamp(user.created_at_us),
        "disabledAt": user.disabled_at_us.map(timestamp),
        "limits": {
            "maxRunning": user.limits.max_running,
            "maxQueued": user.limits.max_queued,
            "storageQuotaBytes": user.limits.storage_quota_bytes,
            "audioMinutesQuota": user.limits.audio_minutes_quota,
        },
    })
}
