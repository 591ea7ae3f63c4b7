use serde_json::{Value, json};

use super::{conversions, forms, job};
use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    choice, id, integer, integer_in, joined, list as list_schema, named, nullable, number,
    number_in, object, or, says, string, timestamp,
};
use crate::rules::page::JOB_PAGES;
use vocalhost_job::{LiveEnd, LivePace, LiveRecording, LiveSpec, LiveState, SampleFormat};

/// The tag of its operations.
const TAG: &str = "Live conversions";

fn rate() -> Value {
    let rates = LiveSpec::SAMPLE_RATES_HZ;
    integer_in(i64::from(*rates.start()), i64::from(*rates.end()))
}

fn format() -> Value {
    says(
        choice(&SampleFormat::ALL.map(SampleFormat::as_str)),
        "How samples are written both ways: mono, little-endian, whole numbers of 16 bits or floats of 32.",
    )
}

fn pace() -> Value {
    choice(&LivePace::ALL.map(LivePace::as_str))
}

fn recording() -> Value {
    says(
        choice(&LiveRecording::ALL.map(LiveRecording::as_str)),
        "What is kept: nothing, what comes out, or what is said, too.",
    )
}

/// The record of a live conversion.
pub fn record() -> Value {
    let voice = says(
        named("VoiceModel"),
        "The voice as it is now; one that is gone has its number, the title that it had, and nothing else.",
    );
    object(json!({
        "id": id(),
        "type": choice(&["live-conversion"]),
        "status": says(choice(&LiveState::ALL.map(LiveState::as_str)), "`waiting` until its stream is opened, within 30 seconds."),
        "createdAt": timestamp(),
        "startedAt": nullable(timestamp()),
        "completedAt": nullable(timestamp()),
        "endReason": says(nullable(choice(&LiveEnd::ALL.map(LiveEnd::as_str))), "Why it ended."),
        "voiceModelId": id(),
        "model": voice,
        "pitchShift": number(),
        "conversionStrength": number_in(0.0, 1.0),
        "modelVolumeMix": number_in(0.0, 1.0),
        "seed": integer_in(0, (1 << 53) - 1),
        "pre": list_schema(named("EffectUsed")),
        "post": list_schema(named("EffectUsed")),
        "latency": pace(),
        "latencyMs": says(latency(), "How late sound comes out, in milliseconds; the time of computing comes on top."),
        "sampleRate": rate(),
        "sampleFormat": format(),
        "maxMinutes": integer(),
        "record": recording(),
        "inputFileUrl": says(nullable(string()), "What was said, as a WAV file; null while it runs, where it was not kept, and once it is as old as results may be."),
        "outputFileUrl": says(nullable(string()), "What came out, likewise; what was dropped is silence."),
        "inputLevelRms": says(nullable(number()), "The level of the speaker over what sounded: given with the next one, it is right from the first word on."),
        "seconds": says(number(), "Sound that was heard."),
        "droppedMs": says(number(), "Sound that was dropped because the server or the client was behind."),
        "starvedMs": says(number(), "Time in which no sound came."),
        "lateBlocks": says(integer(), "Blocks that took longer to compute than they last."),
        "blockMs": says(object(json!({ "median": nullable(number()), "p99": nullable(number()) })), "The time of computing of a block."),
        "streamUrl": says(nullable(string()), "Where the stream is opened, as a WebSocket; null once it ended."),
        "ticket?": says(string(), "Opens the stream, once, within 30 seconds. Only in the answer to the request that made it."),
    }))
}

fn latency() -> Value {
    object(json!({
        "block": integer(),
        "lookAhead": integer(),
        "effects": says(integer(), "Of its effects, known once the stream is open."),
        "resampling": says(integer(), "Of the way between rates, known once the stream is open."),
        "total": integer(),
    }))
}

fn one() -> Description {
    Description::of(TAG)
}

/// `POST`.
pub fn create() -> Description {
    let body = object(json!({
        "voiceModelId": id(),
        "pitchShift?": or(number_in(-24.0, 24.0), 0),
        "conversionStrength?": or(number_in(0.0, 1.0), 0.5),
        "modelVolumeMix?": or(number_in(0.0, 1.0), 0.5),
        "seed?": or(json!({ "type": "integer", "minimum": 0 }), 0),
        "pre?": forms::chain(),
        "post?": forms::chain(),
        "latency?": says(or(pace(), "balanced"), "`low` waits 120 ms, `balanced` 160, `best` 480."),
        "sampleRate?": or(rate(), 48_000),
        "sampleFormat?": or(format(), "s16le"),
        "record?": or(recording(), "none"),
        "inputLevelRms?": says(nullable(number()), "The level of the speaker, as an earlier record says it."),
        "maxMinutes?": or(integer_in(1, i64::from(LiveSpec::MAX_MINUTES)), LiveSpec::MAX_MINUTES),
    }));
    one()
        .says("Its stream is a WebSocket, described in the page `live`. It takes a place of the server's for as long as the stream is open.")
        .json(body)
        .makes(201, "Its stream can be opened.", named("LiveConversion"))
        .refuses(429, "E_QUOTA_EXCEEDED")
}

/// `GET` of the collection.
pub fn list() -> Description {
    one()
        .pages(&JOB_PAGES)
        .gives_page_of(named("LiveConversion"))
}

/// `GET` of one.
pub fn get() -> Description {
    one().gives(200, "The live conversion.", named("LiveConversion"))
}

/// `DELETE` of one.
pub fn delete() -> Description {
    one()
        .says("One that runs ends within seconds.")
        .gives_nothing(204, "It is gone.")
}

/// The settings of a conversion, of which those that the live one had hold as it had them.
fn as_they_were(mut settings: Value) -> Value {
    for name in ["pitchShift", "conversionStrength", "modelVolumeMix", "seed"] {
        if let Some(schema) = settings["properties"][name].as_object_mut() {
            schema.remove("default");
        }
    }
    settings
}

/// `POST` of `/render`.
pub fn render() -> Description {
    let voice = object(json!({
        "voiceModelId?": says(id(), "Without it the voice of the live conversion."),
    }));
    job::may_wait(one())
        .says("A voice conversion of what was said, which was kept because `record` was `both`: by the same voice, with the same seed, and with the knobs and effects that it had at its end, unless the request says otherwise. It has all that is ahead to look at, so it is what the live conversion could not be.")
        .json(joined([voice, as_they_were(conversions::settings())]))
        .makes(201, "The job is in the queue.", named("VoiceConversion"))
        .refuses(409, "E_NOT_RECORDED")
        .refuses(410, "E_INPUT_EXPIRED")
        .refuses(422, "E_VALIDATION_FAILURE")
}

/// `GET` of the stream.
pub fn stream() -> Description {
    one()
        .says("A WebSocket: browsers give the subprotocols `vocalhost.live.v1` and `ticket.` with the ticket, programs may give the first alone and a key.")
        .gives_nothing(101, "The stream is open.")
        .with_header("Upgrade", "websocket")
        .with_header("Sec-WebSocket-Accept", "The answer to the client's key.")
        .with_header("Sec-WebSocket-Protocol", "vocalhost.live.v1")
        .refuses(401, "E_UNAUTHORIZED_ACCESS")
        .refuses(403, "E_FORBIDDEN_EXCEPTION")
        .refuses(409, "E_LIVE_NOT_WAITING")
        .refuses(422, "E_VALIDATION_FAILURE")
        .refuses(503, "E_SERVICE_UNAVAILABLE")
}
