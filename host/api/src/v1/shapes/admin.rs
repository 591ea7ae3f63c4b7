//! The operators' part, but for the effects.

use serde_json::{Value, json};

use super::account::{count, used};
use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    boolean, choice, id, integer_in, list, named, nullable, number_in, object, or, says, string,
    timestamp,
};
use crate::v1::admin::ADMIN_PAGES;
use crate::v1::admin_keys::{MAX_DAYS, MAX_GRACE_S};
use crate::v1::names::collection_of;
use vocalhost_job::{JobKind, JobStatus};
use vocalhost_model::MAX_TITLE_CHARACTERS;

const TAG: &str = "Administration";

fn closed(mut body: Value) -> Value {
    body["additionalProperties"] = json!(false);
    body
}

/// A change has at least one field.
fn change(body: Value) -> Value {
    let mut body = closed(body);
    body["minProperties"] = json!(1);
    body
}

fn name() -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": 128 })
}

fn pages_of(name: &str) -> Description {
    Description::of(TAG)
        .pages(&ADMIN_PAGES)
        .gives_page_of(named(name))
}

/// The record of a user.
pub fn user() -> Value {
    let limit = || nullable(count());
    object(json!({
        "id": id(),
        "name": string(),
        "enabled": boolean(),
        "createdAt": timestamp(),
        "disabledAt": nullable(timestamp()),
        "limits": says(
            object(json!({
                "maxRunning": limit(),
                "maxQueued": limit(),
                "storageQuotaBytes": limit(),
                "audioMinutesQuota": limit(),
            })),
            "Limits of the user's own; null where the settings' hold.",
        ),
        "usage?": says(used(), "Only when one user is asked for."),
    }))
}

/// `GET /admin/users`.
pub fn list_users() -> Description {
    pages_of("User")
}

/// `POST /admin/users`.
pub fn create_user() -> Description {
    Description::of(TAG)
        .json(closed(object(json!({ "name": name() }))))
        .makes(201, "The user.", named("User"))
}

/// `GET /admin/users/{id}`.
pub fn get_user() -> Description {
    Description::of(TAG).gives(200, "The user.", named("User"))
}

/// `PATCH /admin/users/{id}`.
pub fn change_user() -> Description {
    let limit = |least: i64| nullable(integer_in(least, 1 << 50));
    let body = change(object(json!({
        "enabled?": nullable(boolean()),
        "maxRunning?": limit(1),
        "maxQueued?": limit(1),
        "storageQuotaBytes?": limit(0),
        "audioMinutesQuota?": limit(0),
    })));
    Description::of(TAG)
        .says("A limit of null is the setting's again.")
        .json(body)
        .gives(200, "The user as it is now.", named("User"))
        .refuses(409, "E_LAST_ADMIN")
}

/// `DELETE /admin/users/{id}`.
pub fn delete_user() -> Description {
    Description::of(TAG)
        .says(
            "Keys, jobs, files, voices, pipelines, webhooks and uploads go along; voices that were made public and the \
             audit log stay. Jobs that are at work are stopped first.",
        )
        .gives_nothing(204, "The user is gone.")
        .refuses(409, "E_LAST_ADMIN")
        .refuses(409, "E_JOB_RUNNING")
}

/// The record of a key.
pub fn key() -> Value {
    object(json!({
        "id": says(string(), "The part of the key before the dot."),
        "user": string(),
        "label": string(),
        "scopes": scopes(),
        "createdAt": timestamp(),
        "expiresAt": nullable(timestamp()),
        "revokedAt": nullable(timestamp()),
        "lastUsedAt": nullable(timestamp()),
        "key?": says(string(), "The whole key, only when it was just made."),
    }))
}

fn scopes() -> Value {
    list(choice(&["read", "write", "admin"]))
}

fn one_key() -> Description {
    let part = says(string(), "The part of the key before the dot.");
    Description::of(TAG).part("id", part)
}

/// `GET /admin/keys`.
pub fn list_keys() -> Description {
    pages_of("Key").query("user", string(), "Only this user's, by name.")
}

/// `POST /admin/keys`.
pub fn create_key() -> Description {
    let mut some = scopes();
    some["minItems"] = json!(1);
    let body = closed(object(json!({
        "user": says(name(), "The user is made when there is none of that name."),
        "label?": json!({ "type": ["string", "null"], "maxLength": 128 }),
        "scopes?": or(nullable(some), json!(["read", "write"])),
        "expiresInDays?": nullable(integer_in(1, MAX_DAYS as i64)),
    })));
    Description::of(TAG).json(body).makes(
        201,
        "The key, the only time that it is shown.",
        named("Key"),
    )
}

/// `GET /admin/keys/{id}`.
pub fn get_key() -> Description {
    one_key().gives(200, "The key.", named("Key"))
}

/// `DELETE /admin/keys/{id}`.
pub fn revoke_key() -> Description {
    one_key()
        .gives_nothing(204, "It works no more.")
        .refuses(409, "E_LAST_ADMIN")
}

/// `POST /admin/keys/{id}/rotate`.
pub fn rotate_key() -> Description {
    let grace = or(nullable(integer_in(0, MAX_GRACE_S as i64)), 0);
    let grace = says(grace, "How long the old key works on.");
    one_key()
        .says("The body may be left out. The new key has the user, label, scopes and end of the old one.")
        .may_json(closed(object(json!({ "graceSeconds?": grace }))))
        .makes(201, "The new key, the only time that it is shown.", named("Key"))
}

/// The record of a voice as an operator sees it.
pub fn model() -> Value {
    object(json!({
        "id": id(),
        "packageId": string(),
        "title": string(),
        "tags": list(string()),
        "instrument": boolean(),
        "owner": nullable(string()),
        "public": boolean(),
        "publishedFrom": nullable(says(string(), "Whose it was before it was made public.")),
        "enabled": boolean(),
        "isUsable": boolean(),
        "unusableReason": says(nullable(string()), "Why it cannot be used, if it cannot."),
        "createdAt": timestamp(),
        "package?": says(nullable(named("Package")), "What its package says about itself; only where one voice is read."),
    }))
}

/// `GET /admin/models`.
pub fn list_models() -> Description {
    pages_of("ListedVoiceModel")
}

/// `GET /admin/models/{id}`.
pub fn get_model() -> Description {
    Description::of(TAG).gives(200, "The voice.", named("ListedVoiceModel"))
}

/// `PATCH /admin/models/{id}`.
pub fn change_model() -> Description {
    let title = json!({ "type": "string", "minLength": 1, "maxLength": MAX_TITLE_CHARACTERS });
    let body = change(object(json!({
        "enabled?": nullable(boolean()),
        "title?": nullable(title),
        "public?": nullable(boolean()),
    })));
    Description::of(TAG)
        .json(body)
        .gives(200, "The voice as it is now.", named("ListedVoiceModel"))
        .refuses(409, "E_MODEL_NEVER_OWNED")
        .refuses(409, "E_JOB_RUNNING")
}

/// `DELETE /admin/models/{id}`.
pub fn remove_model() -> Description {
    Description::of(TAG)
        .says("Whoever owns it. Jobs that wait for it fail.")
        .gives_nothing(204, "It is gone, with its files.")
        .refuses(409, "E_MODEL_NOT_IMPORTED")
        .refuses(409, "E_JOB_RUNNING")
}

/// The record of a job as an operator sees it.
pub fn job() -> Value {
    object(json!({
        "id": id(),
        "kind": choice(&JobKind::ALL.map(collection_of)),
        "user": string(),
        "status": statuses(),
        "state": choice(&["queued", "running", "cancelling", "succeeded", "failed", "cancelled"]),
        "stage": string(),
        "progress": number_in(0.0, 100.0),
        "attempts": count(),
        "failures": count(),
        "workerDeaths": count(),
        "createdAt": timestamp(),
        "jobStartTime": timestamp(),
        "jobEndTime": nullable(timestamp()),
        "inputBytes": nullable(count()),
        "inputDurationS": nullable(json!({ "type": "number" })),
        "requestId": string(),
        "retryOf": nullable(id()),
        "error": nullable(named("JobFailure")),
    }))
}

fn statuses() -> Value {
    choice(&JobStatus::ALL.map(JobStatus::as_str))
}

/// `GET /admin/jobs`.
pub fn list_jobs() -> Description {
    let kinds = choice(&JobKind::ALL.map(collection_of));
    pages_of("ListedJob")
        .query("user", string(), "Only this user's, by name.")
        .query("kind", kinds, "Only of this kind.")
        .query("status", statuses(), "Only with this status.")
}

/// `GET /admin/jobs/{id}`.
pub fn get_job() -> Description {
    Description::of(TAG).gives(200, "The job.", named("ListedJob"))
}

/// `DELETE /admin/jobs/{id}`.
pub fn delete_job() -> Description {
    Description::of(TAG)
        .gives_nothing(204, "It is gone, with its files.")
        .refuses(409, "E_JOB_RUNNING")
}

/// `POST /admin/jobs/{id}/cancel` and `/requeue`.
pub fn stop_job() -> Description {
    Description::of(TAG)
        .gives(200, "The job as it is now.", named("ListedJob"))
        .refuses(409, "E_JOB_NOT_RUNNING")
}

/// A line of the audit log.
pub fn audit_line() -> Value {
    object(json!({
        "id": id(),
        "at": timestamp(),
        "user": nullable(says(string(), "null for the server itself.")),
        "keyId": nullable(says(string(), "null on the command line.")),
        "requestId": nullable(string()),
        "address": nullable(string()),
        "action": says(string(), "The operation's id."),
        "target": string(),
        "outcome": says(string(), "`ok`, or the status of the refusal."),
    }))
}

/// `GET /admin/audit`.
pub fn audit() -> Description {
    pages_of("AuditLine")
        .query("user", string(), "Only what this user did, by name.")
        .query("action", string(), "Only this action.")
}
