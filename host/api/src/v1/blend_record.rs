use serde_json::{Map, Value, json};

use super::records;
use super::timestamp::timestamp;
use vocalhost_job::{BlendSpec, JobState};
use vocalhost_store::JobRecord;

/// How the fields of a record are called, voice by voice.
const RECORD_FIELDS: [(&str, &str); 4] = [
    ("model1Id", "alpha"),
    ("model2Id", "alpha2"),
    ("model3Id", "alpha3"),
    ("model4Id", "alpha4"),
];

/// The record of a blend, as reads show it.
pub fn of(job: &JobRecord, spec: &BlendSpec) -> Value {
    let mut record = Map::new();
    let mut put = |name: &str, value: Value| record.insert(name.to_owned(), value);
    put("id", json!(job.id));
    put("createdAt", json!(timestamp(job.created_at_us)));
    let parts = || RECORD_FIELDS.iter().zip(&spec.parts);
    for ((id_field, _), part) in parts() {
        put(id_field, json!(part.model_id));
    }
    for ((_, share_field), part) in parts() {
        put(share_field, json!(part.share));
    }
    put("status", json!(job.state.status().as_str()));
    put("jobStartTime", json!(timestamp(job.started_at_us)));
    put("jobEndTime", json!(job.ended_at_us.map(timestamp)));
    put("outputModelId", json!(spec.output_model_id));
    let provider = match &job.state {
        JobState::Succeeded { result, .. } => json!(result.provider),
        _ => Value::Null,
    };
    let record = Value::Object(record);
    records::joined([
        record,
        records::progress_of(job),
        json!({ "provider": provider, "warnings": records::warnings_of(job) }),
    ])
}
