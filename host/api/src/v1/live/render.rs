//! The conversion of what was said live, as a recording.

use std::sync::Arc;

use futures_util::TryStreamExt as _;
use serde_json::{Map, Value};

use super::form;
use super::own::own;
use crate::Api;
use crate::rules::problem::Problem;
use crate::rules::route::Ask;
use crate::v1::chain::Place;
use crate::v1::intake::Intake;
use crate::v1::job_record::done_before;
use crate::v1::usable::check_effects;
use crate::v1::{common, conversion_form, conversions};
use vocalhost_files::FilesError;
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::multipart::Form;
use vocalhost_http::reply::Reply;
use vocalhost_http::{Upload, UploadWriter};
use vocalhost_job::{LiveFile, LiveSide, LiveSpec};
use vocalhost_store::Caller;

/// `POST /live-conversions/:id/render`: an ordinary conversion of what was said, with the same voice and the last settings,
/// unless the request says otherwise.
pub(super) async fn render(
    api: &Arc<Api>,
    mut ask: Ask<'_>,
    caller: &Caller,
) -> Result<Reply, Problem> {
    let given = ask.json(api).await?;
    if let Some(answer) = done_before(api, &ask.call, &Fingerprint::of_json(&given)).await? {
        return Ok(answer);
    }
    let live = own(api, &ask, caller).await?;
    let Some(input) = live.recorded.of(LiveSide::Input) else {
        return Err(Problem::Conflict {
            code: "E_NOT_RECORDED",
            detail: "What was said is not there: it is kept where `record` is `both`, once the stream has ended, as long as results are."
                .to_owned(),
        });
    };
    let mut form = Form::default();
    form.fields = fields(&live.spec, &given);
    let recording = fetched(api, input).await?;
    form.files.push((conversions::WANTED.recording, recording));
    let mut intake = Intake::of_form(api, caller, form, &conversions::WANTED).await?;
    let mut spec = intake.read(conversion_form::parse);
    // The pinned effects of the live conversion, unless the request has chains of its own.
    for (chain, last, place) in [
        (&mut spec.pre, &live.spec.pre, Place::Pre),
        (&mut spec.post, &live.spec.post, Place::Post),
    ] {
        if !given.contains_key(place.field()) {
            check_effects(api, last).await?;
            chain.clone_from(last);
        }
    }
    conversions::create_of(api, &ask.call, caller, (intake, spec)).await
}

/// The fields of a conversion with the settings of the live one, overridden by those of the request; without chains.
fn fields(spec: &LiveSpec, given: &Map<String, Value>) -> Vec<(String, String)> {
    let knobs = &spec.knobs;
    let as_set = [
        ("voiceModelId", spec.voice_model_id.to_string()),
        ("pitchShift", knobs.pitch_shift.to_string()),
        ("conversionStrength", knobs.conversion_strength.to_string()),
        ("modelVolumeMix", knobs.model_volume_mix.to_string()),
        ("seed", spec.seed.to_string()),
    ];
    let as_set = as_set.map(|(name, text)| (name.to_owned(), text));
    let names = [conversion_form::TEXT_FIELDS, &common::TEXT_FIELDS].concat();
    // Of several the last one counts.
    as_set
        .into_iter()
        .chain(form::texts(given, &names))
        .collect()
}

/// A copy of a recording, beside the uploads.
async fn fetched(api: &Api, file: &LiveFile) -> Result<Upload, Problem> {
    let mut copy = UploadWriter::create(&api.settings.uploads_path())?;
    let mut content = match api.files.read_range(&file.key, 0..file.bytes).await {
        Err(FilesError::NotFound { .. }) => return Err(Problem::RowNotFound),
        content => content?,
    };
    while let Some(bytes) = content.try_next().await? {
        copy.write(&bytes).await?;
    }
    Ok(copy.finish().await?)
}
