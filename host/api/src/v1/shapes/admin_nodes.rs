//! The servers that share the database.

use serde_json::{Value, json};

use super::account::count;
use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    boolean, choice, list as list_of, named, object, says, string, timestamp,
};
use crate::v1::admin::ADMIN_PAGES;
use vocalhost_config::Role;
use vocalhost_job::JobKind;

/// The record of a server.
pub fn record() -> Value {
    object(json!({
        "id": says(string(), "Kept in its data folder."),
        "name": says(string(), "The setting `node_name`, or what its machine is called."),
        "role": choice(&Role::ALL.map(Role::as_str)),
        "queues": says(
            list_of(choice(&JobKind::ALL.map(JobKind::as_str))),
            "The kinds of job that it runs.",
        ),
        "release": says(string(), "The version of the program."),
        "startedAt": timestamp(),
        "lastSeenAt": says(timestamp(), "When it last said that it is there."),
        "isSilent": says(boolean(), "It has not said so for a while: it is dead, or cut off from the database."),
        "isDraining": says(boolean(), "It was told to stop, and ends with the jobs that it has."),
        "runningJobs": count(),
    }))
}

/// `GET /admin/nodes`.
pub fn list() -> Description {
    Description::of("Administration")
        .says("In the order of their names. One that ends leaves the list; one that was not heard of for an hour goes by itself.")
        .pages(&ADMIN_PAGES)
        .gives_page_of(named("Node"))
}
