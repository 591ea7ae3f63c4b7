use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, HeaderValue};
use serde_json::json;

use super::jobs;
use super::shapes::{actions as of, portraits as shapes};
use crate::Api;
use crate::rules::call::Call;
use crate::rules::problem::{FieldError, Problem};
use crate::rules::route::{Class, Operation, Route};
use crate::v1::portrait::{Half, half_of};
use vocalhost_audio::Peaks;
use vocalhost_http::reply::{self, Reply};
use vocalhost_job::JobKind;
use vocalhost_store::{Caller, Scope};
use vocalhost_work::worker::portrait::PEAK_POINTS;

/// Moments of a table of peaks when the request does not say how many.
const DEFAULT_POINTS: usize = 1_024;

/// The two routes of a kind of job.
macro_rules! portraits_of {
    ($kind:expr, $shown:expr, $reading:expr, $path:literal, $peaks:literal, $spectrogram:literal) => {
        [
            Route {
                path: concat!($path, "/{id}/peaks"),
                operations: &[Operation::get(
                    $peaks,
                    "How far the wave of a job's recording or result reaches at each moment",
                    || shapes::peaks($shown),
                )
                .counts_as($reading)
                .keyed(Scope::Read, |api, ask, caller| {
                    Box::pin(
                        async move { peaks(api, &ask.call, caller, ($kind, ask.part("id"))).await },
                    )
                })],
            },
            Route {
                path: concat!($path, "/{id}/spectrogram"),
                operations: &[Operation::get(
                    $spectrogram,
                    "A picture of the spectrum of a job's recording or result over time",
                    || shapes::spectrogram($shown),
                )
                .counts_as($reading)
                .keyed(Scope::Read, |api, ask, caller| {
                    Box::pin(async move {
                        spectrogram(api, &ask.call, caller, ($kind, ask.part("id"))).await
                    })
                })],
            },
        ]
    };
}

const CONVERSIONS: [Route; 2] = portraits_of!(
    JobKind::VoiceConversion,
    of::CONVERSION,
    Class::Read,
    "/voice-conversions",
    "getVoiceConversionPeaks",
    "getVoiceConversionSpectrogram"
);
const SEPARATIONS: [Route; 2] = portraits_of!(
    JobKind::VocalSeparation,
    of::SEPARATION,
    Class::FreeRead,
    "/vocal-separations",
    "getVocalSeparationPeaks",
    "getVocalSeparationSpectrogram"
);
const SPLITS: [Route; 2] = portraits_of!(
    JobKind::StemSplit,
    of::SPLIT,
    Class::FreeRead,
    "/stem-splits",
    "getStemSplitPeaks",
    "getStemSplitSpectrogram"
);

/// What may be asked here.
pub const ROUTES: [&[Route]; 3] = [&CONVERSIONS, &SEPARATIONS, &SPLITS];

/// `GET` of the peaks of a job's sound.
async fn peaks(
    api: &Api,
    call: &Call,
    caller: &Caller,
    (kind, id): (JobKind, &str),
) -> Result<Reply, Problem> {
    let job = jobs::own(api, kind, id, caller).await?;
    let points = points(call)?;
    let sound = sound(call);
    let table = half_of(api, &job, sound, Half::Peaks).await?;
    let table: Peaks = serde_json::from_slice(&table).map_err(|error| Problem::internal(&error))?;
    let table = table.folded(points);
    let channels = table.min.iter().zip(&table.max);
    let channels: Vec<_> = channels
        .map(|(min, max)| json!({"min": min, "max": max}))
        .collect();
    let record = json!({
        "file": sound,
        "sampleRate": table.sample_rate_hz,
        "frames": table.frames,
        "points": table.points(),
        "channels": channels,
    });
    Ok(kept(reply::json(StatusCode::OK, &record)))
}

/// `GET` of the spectrogram of a job's sound.
async fn spectrogram(
    api: &Api,
    call: &Call,
    caller: &Caller,
    (kind, id): (JobKind, &str),
) -> Result<Reply, Problem> {
    let job = jobs::own(api, kind, id, caller).await?;
    let picture = half_of(api, &job, sound(call), Half::Spectrogram).await?;
    Ok(kept(reply::bytes("image/png", picture)))
}

fn sound(call: &Call) -> &str {
    call.query.get("file").unwrap_or("input")
}

fn points(call: &Call) -> Result<usize, Problem> {
    let Some(text) = call.query.get("points") else {
        return Ok(DEFAULT_POINTS);
    };
    let number = text.parse().ok();
    number
        .filter(|points| (1..=PEAK_POINTS).contains(points))
        .ok_or_else(|| {
            let message = format!("`points` must be a whole number from 1 to {PEAK_POINTS}.");
            let mistake = FieldError::new("points", "range", message);
            Problem::Invalid(vec![mistake.with("min", 1).with("max", PEAK_POINTS)])
        })
}

/// What a sound looks like never changes.
fn kept(mut reply: Reply) -> Reply {
    let value = HeaderValue::from_static("private, max-age=3600");
    reply.headers_mut().insert(CACHE_CONTROL, value);
    reply
}
