use serde_json::{Value, json};

use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    boolean, choice, digest, id, integer, integer_in, list, map, named, nullable, number,
    number_in, object, says, string, timestamp, url,
};
use crate::rules::page::PageRules;
use crate::v1::blender_form::MODEL_FIELDS;
use vocalhost_job::{JobStage, JobStatus, LossyFiles, OutputFormat, Succession, WarningCode};
use vocalhost_store::EventKind;
use vocalhost_system::work::{Part, REST};

/// `status` of every job.
pub fn status() -> Value {
    choice(&JobStatus::ALL.map(JobStatus::as_str))
}

/// The moments that every record of a job has.
pub fn times() -> Value {
    object(json!({
        "jobStartTime": says(timestamp(), "When it was accepted; once it runs, when it was started."),
        "jobEndTime": nullable(timestamp()),
    }))
}

/// The fields that every record of a job has about where it stands.
pub fn progress() -> Value {
    let stages = [
        JobStage::Queued,
        JobStage::Decoding,
        JobStage::Effects,
        JobStage::Inference,
        JobStage::Encoding,
        JobStage::Done,
    ];
    object(json!({
        "stage": choice(&stages.map(JobStage::as_str)),
        "progress": says(number_in(0.0, 100.0), "Share of the whole job in per cent."),
        "queuePosition": says(nullable(id()), "Its place among the waiting jobs of its kind; 1 is next."),
        "error": nullable(named("JobFailure")),
        "metadata": says(nullable(map(string())), "Your own notes."),
        "priority": integer_in(-10, 10),
        "retryOf": says(nullable(id()), "The job that this one tries again."),
        "webhookUrl": says(nullable(url()), "Where its end is told."),
        "timings": says(nullable(named("Timings")), "What it took; null before its end."),
    }))
}

/// The fields that the record of a job on a recording has about how its result was made.
pub fn outcome() -> Value {
    let loudness = object(json!({
        "integratedLufs": says(nullable(number()), "ITU-R BS.1770; null below -70 LUFS."),
        "truePeakDbtp": says(nullable(number()), "Null for digital silence."),
    }));
    object(json!({
        "effects": says(nullable(list(named("EffectUsed"))), "Every effect that ran, in order. Of a job that failed those that it was to run, once it had begun with them; null before."),
        "provider": says(nullable(string()), "What ran the model, such as `cpu`."),
        "models": says(nullable(list(string())), "The ids of the packages that ran, for whoever asks which models a result is of: of a conversion those of the voice, its content encoder and its F0 estimator. An id says nothing of the version: `modelsUsed` does."),
        "modelsUsed": says(nullable(list(named("ModelUsed"))), "The same packages in the same order with their versions, for whoever asks whether two results are of the very same models, or wants to make one again: a package may be replaced under its id."),
        "filesExpired": says(nullable(boolean()), "Whether the files of the result were deleted because their time was over; there are no links then."),
        "gainDb": says(nullable(number()), "What was done to the level of all files of the job: to come to `outputLoudness`, or what the peak guard took off when it had to."),
        "warnings": warnings(),
        "archiveUrl": says(nullable(url()), "All files of the job in one ZIP."),
        "loudness": says(nullable(map(loudness)), "Of the `input` and of every sound of the result."),
    }))
}

/// What the files of a job were asked to be.
pub fn output() -> Value {
    object(json!({
        "outputFormat": choice(&OutputFormat::ALL.map(OutputFormat::as_str)),
        "outputBitrate": says(nullable(integer()), "In kbit/s, when it was given."),
        "outputLoudness": says(nullable(number_in(-40.0, -5.0)), "In LUFS, when it was given."),
        "lossy": says(choice(&LossyFiles::ALL.map(LossyFiles::as_str)), "When the MP3 files are made. With `on-demand` their links are here as ever, and the first request for each has it made."),
    }))
}

/// The time that a job took of its worker.
pub fn timings() -> Value {
    let parts = Part::ALL
        .map(|part| format!("`{}`", part.name()))
        .join(", ");
    let parts = format!(
        "What the processor worked, summed up over threads, for those of the parts that there were: {parts}. `{REST}` is what is no other part, `wait` the time for which threads waited for a device.",
    );
    object(json!({
        "wallSeconds": says(number(), "From its begin on a worker to its end."),
        "threadSeconds": says(map(number()), &parts),
    }))
}

/// Why a job ended in `error`.
pub fn failure() -> Value {
    object(json!({
        "code": choice(&[
            "input_damaged", "effect_failed", "effect_refused", "model_unavailable", "model_failed",
            "models_differ", "recordings_unfit", "timeout", "out_of_memory", "out_of_space", "worker_died", "internal",
        ]),
        "message": string(),
        "retryable": says(boolean(), "Whether the same request may succeed when it is tried again."),
    }))
}

/// An event of a job, as a stream of server-sent events has it.
pub fn event() -> Value {
    object(json!({
        "id?": says(string(), "Its number, for `Last-Event-ID`."),
        "event?": choice(&EventKind::ALL.map(EventKind::as_str)),
        "data?": says(string(), "JSON: `at`, `status`, `stage`, `progress`, and what there is to say beside them."),
        "retry?": integer(),
    }))
}

/// `warnings` of every job.
pub fn warnings() -> Value {
    let text = "What is to be known of the job: what was wrong with a recording that was taken all the same, as a first look saw it, and when the job is done all of it; and voices that took the places of earlier ones.";
    says(list(named("JobWarning")), text)
}

/// Something that is to be known of a job.
pub fn warning() -> Value {
    let codes = WarningCode::ALL.map(WarningCode::as_str);
    object(json!({
        "code": says(
            choice(&[&codes[..], &[Succession::CODE]].concat()),
            "`voice_replaced`: the number of the voice stood for an earlier generation of it, whose package is gone; the later one is used. `input_cut`: the file ends before its header or tag says, and is heard as far as it goes. `input_damaged`: a stretch cannot be decoded and is silent. `input_not_finite`: samples are no finite numbers and are zero. `input_monotone`: the pitch of the recordings that a voice is trained on hardly moves. `input_too_long`: more was given to train a voice on than is used. `input_several_speakers`: the recordings that a voice is trained on may be of more than one person.",
        ),
        "message": string(),
        "atSeconds": says(nullable(number()), "Where it begins in what is heard; null where it is about no recording."),
        "seconds": says(nullable(number()), "How much of the sound is not heard, where that is known."),
        "field": says(choice(&[&["soundFile", "backingSoundFile", "inputFile", "voiceModelId", "base"], &MODEL_FIELDS[..]].concat()), "The field of the request that it is about."),
    }))
}

/// An effect that ran.
pub fn effect_used() -> Value {
    object(json!({ "id": string(), "version": string(), "digest": digest() }))
}

/// A model package that ran.
pub fn model_used() -> Value {
    let version = says(
        nullable(string()),
        "Null in records from before it was kept.",
    );
    object(json!({ "id": string(), "version": version }))
}

/// The description of a list of jobs.
pub fn list_of(tag: &'static str, record: &str, rules: &PageRules) -> Description {
    Description::of(tag)
        .pages(rules)
        .query("status", status(), "Only jobs that stand like this.")
        .gives_page_of(named(record))
}

/// The description of one job.
pub fn one_of(tag: &'static str, record: &str) -> Description {
    may_wait(Description::of(tag)).gives(200, "The job.", named(record))
}

/// Adds what a client says who would rather wait than ask again.
pub fn may_wait(description: Description) -> Description {
    let text =
        "`wait=N` answers once the job has ended, after N seconds (at most 60) at the latest.";
    description.header("Prefer", string(), text)
}
