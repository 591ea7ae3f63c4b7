use serde_json::{Value, json};

use super::recordings;
use crate::Api;
use crate::rules::problem::Problem;
use crate::v1::records;
use crate::v1::timestamp::timestamp;
use vocalhost_job::{EffectUsed, LiveFigures, LiveSide, LiveSpec, LiveState};
use vocalhost_store::LiveRecord;

/// The record of a live conversion, under this root.
pub(super) async fn shown(api: &Api, root: &str, live: &LiveRecord) -> Result<Value, Problem> {
    let voice = api.store.model(live.spec.voice_model_id).await?;
    // It may have become somebody else's since.
    let voice = voice.filter(|voice| voice.owner_id.is_none_or(|owner| owner == live.user_id));
    let voice = match &voice {
        Some(voice) => records::voice_model(api, voice),
        None => records::lost_voice(live.spec.voice_model_id, Some(&live.spec.voice_title)),
    };
    let input = recordings::link(api, live, LiveSide::Input).await?;
    let output = recordings::link(api, live, LiveSide::Output).await?;
    Ok(of(live, root, (&voice, [input, output])))
}

/// The record of a live conversion under this root, with the record of its voice and links to what was recorded.
fn of(
    live: &LiveRecord,
    root: &str,
    (voice, [input, output]): (&Value, [Option<String>; 2]),
) -> Value {
    let (spec, figures) = (&live.spec, &live.figures);
    let chain = |chain: &[vocalhost_job::ChainItem]| -> Vec<EffectUsed> {
        chain.iter().map(EffectUsed::from).collect()
    };
    let is_open = live.state != LiveState::Ended;
    json!({
        "id": live.id,
        "type": "live-conversion",
        "status": live.state.as_str(),
        "createdAt": timestamp(live.created_at_us),
        "startedAt": live.started_at_us.map(timestamp),
        "completedAt": live.ended_at_us.map(timestamp),
        "endReason": live.why.map(vocalhost_job::LiveEnd::as_str),
        "voiceModelId": spec.voice_model_id,
        "model": voice,
        "pitchShift": spec.knobs.pitch_shift,
        "conversionStrength": spec.knobs.conversion_strength,
        "modelVolumeMix": spec.knobs.model_volume_mix,
        "seed": spec.seed,
        "pre": chain(&spec.pre),
        "post": chain(&spec.post),
        "latency": spec.pace.as_str(),
        "latencyMs": latency(spec, figures),
        "sampleRate": spec.sample_rate_hz,
        "sampleFormat": spec.sample_format.as_str(),
        "maxMinutes": spec.max_minutes,
        "inputLevelRms": figures.input_rms.or(spec.input_rms),
        "seconds": figures.seconds,
        "droppedMs": figures.dropped_ms,
        "starvedMs": figures.starved_ms,
        "lateBlocks": figures.late_blocks,
        "blockMs": { "median": figures.block_ms_median, "p99": figures.block_ms_p99 },
        "record": spec.record.as_str(),
        "inputFileUrl": input,
        "outputFileUrl": output,
        "streamUrl": is_open.then(|| stream_url(root, live.id)),
    })
}

/// How late sound comes out, in milliseconds.
pub(super) fn latency(spec: &LiveSpec, figures: &LiveFigures) -> Value {
    let (block, look_ahead) = spec.pace.block_and_look_ahead_ms();
    let LiveFigures {
        effects_ms,
        resampling_ms,
        ..
    } = figures;
    json!({
        "block": block,
        "lookAhead": look_ahead,
        "effects": effects_ms,
        "resampling": resampling_ms,
        "total": block + look_ahead + effects_ms + resampling_ms,
    })
}

/// `http` becomes `ws`, and `https` becomes `wss`.
fn stream_url(root: &str, id: i64) -> String {
    let rest = root.strip_prefix("http").unwrap_or(root);
    format!("ws{rest}/live-conversions/{id}/stream")
}
