use serde_json::{Value, json};

use super::{conversions, job};
use crate::rules::describe::Description;
use crate::rules::describe::schema::{choice, named, object};
use crate::rules::page::JOB_PAGES;
use vocalhost_job::JobKind;

/// What may be done with a job of any kind: the tag under which its kind is listed, and its record.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    /// The tag.
    pub tag: &'static str,
    /// The name of the record's schema.
    pub record: &'static str,
    /// The status of the answer to a creation.
    pub created: u16,
}

/// Conversions.
pub const CONVERSION: Shown = Shown {
    tag: conversions::TAG,
    record: "VoiceConversion",
    created: 201,
};

/// Vocal separations.
pub const SEPARATION: Shown = Shown {
    tag: super::separations::VOCALS,
    record: "Separation",
    created: 200,
};

/// Stem splits.
pub const SPLIT: Shown = Shown {
    tag: super::separations::STEMS,
    ..SEPARATION
};

/// Blends.
pub const BLEND: Shown = Shown {
    tag: super::blender::TAG,
    record: "VoiceBlend",
    created: 200,
};

/// Trainings.
pub const TRAINING: Shown = Shown {
    tag: super::trainings::TAG,
    record: "VoiceTraining",
    created: 200,
};

/// `POST` of `/cancel`.
pub fn cancel(of: Shown) -> Description {
    job::may_wait(Description::of(of.tag))
        .says("A job that waits never starts; one that runs is stopped within two seconds, and nothing of it is published.")
        .gives(200, "The job.", named(of.record))
        .refuses(409, "E_JOB_NOT_RUNNING")
}

/// `POST` of `/retry`.
pub fn retry(of: Shown) -> Description {
    job::may_wait(Description::of(of.tag))
        .says("With the same recording, which is kept for a day after the job's end, and the same parameters.")
        .makes(of.created, "The new job is in the queue.", named(of.record))
        .refuses(409, "E_JOB_RUNNING")
        .refuses(410, "E_INPUT_EXPIRED")
        .refuses(422, "E_VALIDATION_FAILURE")
}

/// `GET` of a job.
pub fn get(of: Shown) -> Description {
    job::one_of(of.tag, of.record)
}

/// `DELETE` of a job.
pub fn delete(of: Shown) -> Description {
    Description::of(of.tag)
        .gives_nothing(204, "The job and its files are gone.")
        .refuses(409, "E_JOB_RUNNING")
}

/// `GET` of `/events`.
pub fn follow(of: Shown) -> Description {
    let last = json!({ "type": "string" });
    Description::of(of.tag)
        .says("What has happened first, then what happens; ends after the job has.")
        .header(
            "Last-Event-ID",
            last,
            "The last event that was seen; only later ones are sent.",
        )
        .gives_events("The events.", named("JobEvent"))
        .gives_nothing(204, "Nothing more will happen.")
}

/// `GET` of `/files.zip`.
pub fn archive(of: Shown) -> Description {
    Description::of(of.tag)
        .gives_bytes(200, "The archive.", &["application/zip"])
        .gives_nothing(
            304,
            "The archive is the one that the client has (If-None-Match).",
        )
        .refuses(410, "E_RESULT_EXPIRED")
}

/// `GET /jobs`.
pub fn list() -> Description {
    let kinds = JobKind::ALL.map(JobKind::as_str);
    let record = json!({ "anyOf": [
        with_kind(&named("VoiceConversion")),
        with_kind(&named("Separation")),
        with_kind(&named("VoiceBlend")),
        with_kind(&named("VoiceTraining")),
    ] });
    Description::of("Jobs")
        .pages(&JOB_PAGES)
        .query("status", job::status(), "Only jobs that stand like this.")
        .query("kind", choice(&kinds), "Only jobs of this kind.")
        .gives_page_of(record)
}

/// A job's record among those of other kinds.
fn with_kind(record: &Value) -> Value {
    let kinds = JobKind::ALL.map(JobKind::as_str);
    json!({ "allOf": [record, object(json!({ "kind": choice(&kinds) }))] })
}
