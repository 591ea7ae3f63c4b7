use serde_json::{Map, Value, json};

use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    choice, id, integer_in, list, map, nullable, number, object, says, string, timestamp,
};
use vocalhost_job::JobStatus;

const TAG: &str = "Account";

/// A number that is never negative.
pub fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn rate_limits() -> Value {
    let class = || {
        nullable(object(
            json!({ "perMinute": count(), "remaining": count() }),
        ))
    };
    object(json!({ "create": class(), "read": class() }))
}

/// `GET /me`.
pub fn me() -> Description {
    let scopes = list(choice(&["read", "write", "admin"]));
    let key = object(json!({
        "id": says(string(), "The part of the key before the dot."),
        "label": string(),
        "scopes": scopes,
        "createdAt": timestamp(),
        "expiresAt": nullable(timestamp()),
        "lastUsedAt": nullable(says(timestamp(), "To the minute.")),
    }));
    let record = object(json!({
        "user": object(json!({ "id": id(), "name": string() })),
        "key": key,
        "rateLimits": rate_limits(),
    }));
    Description::of(TAG).gives(200, "You.", record)
}

/// What a user has used, without the limits on requests.
pub fn used() -> Value {
    let mut statuses = Map::new();
    for status in JobStatus::ALL {
        statuses.insert(status.as_str().to_owned(), count());
    }
    let quota = || nullable(says(integer_in(1, i64::MAX), "null when there is none."));
    object(json!({
        "storage": object(json!({ "bytes": count(), "quotaBytes": quota() })),
        "audio": object(json!({
            "days": says(count(), "The days that are counted, today among them."),
            "minutes": number(),
            "quotaMinutes": quota(),
            "jobs": says(count(), "Jobs that were accepted in these days."),
        })),
        "jobs": object(json!({
            "running": count(),
            "maxRunning": count(),
            "queued": count(),
            "maxQueued": count(),
            "byKind": says(map(object(Value::Object(statuses))), "Jobs whose records are there."),
        })),
    }))
}

/// `GET /usage`.
pub fn usage() -> Description {
    let mut record = used();
    record["properties"]["rateLimits"] = rate_limits();
    if let Some(required) = record["required"].as_array_mut() {
        required.push(json!("rateLimits"));
    }
    Description::of(TAG).gives(200, "What you have used.", record)
}
