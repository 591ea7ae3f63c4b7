use hyper::HeaderMap;
use hyper::body::Incoming;

use super::blender_form::{self, MODEL_FIELDS};
use super::common::no_such_voice;
use super::intake::new_job;
use super::job_record;
use super::job_record::done_before;
use super::usable::is_visible;
use crate::Api;
use crate::rules::call::Call;
use crate::rules::page::BLEND_PAGES;
use crate::rules::problem::{FieldError, Problem, refuse};
use crate::rules::route::{Class, Operation, Route};
use vocalhost_catalogues::library::LibraryError;
use vocalhost_files::FilesError;
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::reply::Reply;
use vocalhost_http::small_body::read_json;
use vocalhost_job::{BlendPart, BlendSpec, JobKind, JobSpec};
use vocalhost_model::Manifest;
use vocalhost_store::{Caller, JobRecord, ModelRecord, NewJob, NewVoice, Scope};
use vocalhost_system::clock;
use vocalhost_system::token;

/// What may be asked here.
pub const ROUTES: &[Route] = &[Route {
    path: "/voice-blender",
    operations: &[
        Operation::get(
            "listVoiceBlends",
            "Your voice blends",
            super::shapes::blender::list,
        )
        .keyed(Scope::Read, |api, ask, caller| {
            Box::pin(async move {
                let of = (JobKind::VoiceBlend, &BLEND_PAGES);
                job_record::list(api, &ask.call, caller, of).await
            })
        }),
        Operation::post(
            "createVoiceBlend",
            "Make a voice out of two to four others",
            super::shapes::blender::create,
        )
        .counts_as(Class::Creation)
        .keyed(Scope::Write, |api, ask, caller| {
            Box::pin(
                async move { create(api, &ask.call, caller, (&ask.head.headers, ask.body)).await },
            )
        }),
    ],
}];

/// `POST /voice-blender`: looks whether the voices fit, gives the new one its number, and puts the job into the queue.
pub async fn create(
    api: &Api,
    call: &Call,
    caller: &Caller,
    (headers, body): (&HeaderMap, &mut Incoming),
) -> Result<Reply, Problem> {
    let body = read_json(headers, body, api.body_times()).await?;
    let asked = Fingerprint::of_json(&body);
    if let Some(answer) = done_before(api, call, &asked).await? {
        return Ok(answer);
    }
    let mut mistakes = Vec::new();
    let parameters = blender_form::parse(&body, &api.webhook_addresses, &mut mistakes);
    let voices = usable_voices(api, &parameters.models, caller, &mut mistakes).await?;
    refuse(mistakes)?;
    let titles: Vec<&str> = voices.iter().map(|voice| voice.title.as_str()).collect();
    let title = parameters.title;
    let title = title.unwrap_or_else(|| blender_form::default_title(&titles));
    let (spec, voice) = blend_of(api, title, &voices, &parameters.shares).await?;
    let spec = JobSpec::VoiceBlend(spec);
    let new = new_job(api, call, caller, (spec, parameters.common));
    let job = api
        .store
        .create_voice(&new, &voice, clock::now_us())
        .await?;
    tracing::info!(job = job.id, "a voice blend was accepted");
    job_record::created(api, call, job).await
}

/// Tries a blend again, as the job `new`. It makes a new voice, as the old one may be gone or in use.
pub async fn again(
    api: &Api,
    caller: &Caller,
    old: &BlendSpec,
    new: NewJob,
) -> Result<JobRecord, Problem> {
    let ids: Vec<i64> = old.parts.iter().map(|part| part.model_id).collect();
    let shares: Vec<f64> = old.parts.iter().map(|part| part.share).collect();
    let mut mistakes = Vec::new();
    let voices = usable_voices(api, &ids, caller, &mut mistakes).await?;
    refuse(mistakes)?;
    let (spec, voice) = blend_of(api, old.title.clone(), &voices, &shares).await?;
    let new = NewJob {
        spec: JobSpec::VoiceBlend(spec),
        ..new
    };
    let made = api.store.create_voice(&new, &voice, clock::now_us()).await;
    Ok(made?)
}

/// What a blend of these voices is to do, and the voice that it is to make.
async fn blend_of(
    api: &Api,
    title: String,
    voices: &[ModelRecord],
    shares: &[f64],
) -> Result<(BlendSpec, NewVoice), Problem> {
    let mut manifests = Vec::with_capacity(voices.len());
    for (field, voice) in MODEL_FIELDS.iter().zip(voices) {
        let manifest = api.library.manifest(voice).await;
        let mut manifest = manifest.map_err(|error| match error {
            // Removed since it was looked up.
            LibraryError::Missing(_) | LibraryError::Files(FilesError::NotFound { .. }) => {
                Problem::Invalid(vec![no_such_voice(field)])
            }
            error => error.into(),
        })?;
        // What people call it today.
        manifest.rename(&voice.title, Some(&voice.tags));
        manifests.push(manifest);
    }
    // A voice that is bound to no encoder is blended as if bound to the one that it listens with today.
    let known = api.library.known();
    let bound: Vec<Manifest> = manifests.iter().map(|voice| known.bound(voice)).collect();
    check_family(&bound)?;
    let whole: Vec<(&Manifest, f64)> = manifests.iter().zip(shares.iter().copied()).collect();
    if let Err(error) = vocalhost_model::check_size(&whole) {
        let last = MODEL_FIELDS[voices.len().clamp(1, MODEL_FIELDS.len()) - 1];
        return Err(Problem::field(last, "family", format!("{error}.")));
    }
    let voice = new_voice(&title, &whole)?;
    let parts = voices.iter().zip(shares);
    let spec = BlendSpec {
        title,
        parts: parts
            .map(|(voice, share)| BlendPart {
                model_id: voice.id,
                title: Some(voice.title.clone()),
                tags: Some(voice.tags.clone()),
                share: *share,
            })
            .collect(),
        successions: voices.iter().filter_map(ModelRecord::succession).collect(),
        // The store assigns it.
        output_model_id: 0,
        output_package_id: voice.package_id.clone(),
    };
    Ok((spec, voice))
}

/// The voices with these numbers that the caller may use; for each other one a mistake, unless it has one already.
async fn usable_voices(
    api: &Api,
    ids: &[i64],
    caller: &Caller,
    mistakes: &mut Vec<FieldError>,
) -> Result<Vec<ModelRecord>, Problem> {
    // Models that were removed since the last look take the voices that need them with them.
    api.library.current(clock::now_us()).await?;
    let mut voices = Vec::with_capacity(ids.len());
    for (field, id) in MODEL_FIELDS.iter().zip(ids) {
        // 0 stands for a mistake that is reported already.
        if *id > 0 {
            let voice = api.store.model(*id).await?;
            match voice.filter(|voice| voice.usable && is_visible(voice, caller)) {
                Some(voice) => voices.push(voice),
                None => mistakes.push(no_such_voice(field)),
            }
        }
    }
    Ok(voices)
}

fn check_family(manifests: &[Manifest]) -> Result<(), Problem> {
    let others = MODEL_FIELDS.iter().zip(manifests).enumerate();
    let mistakes: Vec<FieldError> = others
        .filter_map(|(place, (field, other))| {
            let mut before = manifests[..place].iter();
            let mismatch =
                before.find_map(|first| vocalhost_model::check_family(&[first, other]).err())?;
            let message = format!("{mismatch}.");
            Some(FieldError::new(*field, "family", message))
        })
        .collect();
    if mistakes.is_empty() {
        return Ok(());
    }
    Err(Problem::Invalid(mistakes))
}

fn new_voice(title: &str, parts: &[(&Manifest, f64)]) -> Result<NewVoice, Problem> {
    let token = token::draw().map_err(|error| Problem::internal(&error))?;
    let facts = vocalhost_model::blended_voice(parts)
        .ok_or_else(|| Problem::internal(&"what is blended is no voice"))?;
    Ok(NewVoice {
        package_id: format!("blend.{token}"),
        title: title.to_owned(),
        tags: facts.tags,
        instrument: facts.instrument,
    })
}
