use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{HeaderMap, StatusCode};
use serde_json::json;

use super::common::{self, Common, no_such_voice};
use super::intake::new_job;
use super::job_record::{self, done_before};
use super::training_form::{self, BASE, Parameters};
use super::usable::is_visible;
use super::{separators, spoken_consent, training_recordings};
use crate::Api;
use crate::rules::call::Call;
use crate::rules::page::JOB_PAGES;
use crate::rules::problem::{FieldError, Problem, refuse};
use crate::rules::route::{Class, Operation, Route};
use crate::v1::uploads::put_in;
use vocalhost_catalogues::library::LibraryError;
use vocalhost_config::Training;
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::multipart::{FormRules, read_form_of_several};
use vocalhost_http::reply::{self, Reply};
use vocalhost_job::{By, Consent, JobKind, JobSpec, TrainingSpec};
use vocalhost_model::Family;
use vocalhost_store::{Caller, JobRecord, ModelQuery, ModelRecord, NewJob, NewVoice, Scope};
use vocalhost_system::{clock, token};

/// The largest recording; 100 MB as clients count them.
const MAX_FILE_BYTES: u64 = 100 << 20;

/// The most voices among which the nearest is looked for: each costs its decoder's run on some of the recordings.
const MAX_BASES: usize = 32;

/// What may be asked here.
pub const ROUTES: &[Route] = &[
    Route {
        path: "/voice-trainings",
        operations: &[
            Operation::get(
                "listVoiceTrainings",
                "Your trainings of voices",
                super::shapes::trainings::list,
            )
            .keyed(Scope::Read, |api, ask, caller| {
                Box::pin(async move {
                    let of = (JobKind::VoiceTraining, &JOB_PAGES);
                    job_record::list(api, &ask.call, caller, of).await
                })
            }),
            Operation::post(
                "createVoiceTraining",
                "Train a voice on recordings of it",
                super::shapes::trainings::create,
            )
            .counts_as(Class::Creation)
            .keyed(Scope::Write, |api, ask, caller| {
                Box::pin(async move {
                    create(api, &ask.call, caller, (&ask.head.headers, ask.body)).await
                })
            }),
        ],
    },
    Route {
        path: "/voice-trainings/consent",
        operations: &[Operation::get(
            "getTrainingConsent",
            "What has to be declared before a voice is trained, and whether you may train one",
            super::shapes::trainings::consent,
        )
        .keyed(Scope::Read, |api, _, caller| {
            Box::pin(async move { statement(api, caller) })
        })],
    },
];

/// `GET /voice-trainings/consent`.
fn statement(api: &Api, caller: &Caller) -> Result<Reply, Problem> {
    let record = json!({
        "version": Consent::VERSION,
        "statement": Consent::STATEMENT,
        "by": By::ALL.map(By::as_str),
        "training": api.settings.training.as_str(),
        "allowed": allowed(api, caller).is_ok(),
        "spoken": spoken_consent::to_say(api, caller)?,
    });
    Ok(reply::json(StatusCode::OK, &record))
}

/// Whether the caller may train voices on this server.
fn allowed(api: &Api, caller: &Caller) -> Result<(), Problem> {
    let detail = match api.settings.training {
        Training::Off => "This server trains no voices: its operator has not switched that on.",
        Training::Admins if !caller.may(Scope::Admin) => {
            "On this server voices are trained by its operators alone."
        }
        Training::Admins | Training::Users | Training::Review => return Ok(()),
    };
    Err(Problem::Forbidden {
        detail: detail.to_owned(),
    })
}

/// `POST /voice-trainings`: reads the form, looks at every recording, gives the new voice its number, and puts the job into the queue.
pub async fn create(
    api: &Arc<Api>,
    call: &Call,
    caller: &Caller,
    (headers, body): (&HeaderMap, &mut Incoming),
) -> Result<Reply, Problem> {
    // Before the body: nobody sends recordings for nothing.
    allowed(api, caller)?;
    let folder = api.settings.uploads_path();
    let texts = [&training_form::TEXT_FIELDS[..], &common::TEXT_FIELDS].concat();
    let rules = FormRules {
        files: &[training_recordings::FIELD, spoken_consent::RECORDING],
        texts: &texts,
        max_file_bytes: MAX_FILE_BYTES,
        folder: &folder,
        times: api.body_times(),
    };
    let most = TrainingSpec::MAX_RECORDINGS;
    let mut form = read_form_of_several(headers, body, &rules, most).await?;
    let asked = Fingerprint::of_form(&form);
    if let Some(answer) = done_before(api, call, &asked).await? {
        return Ok(answer);
    }
    put_in(api, caller, &mut form, MAX_FILE_BYTES).await?;
    let mut mistakes = std::mem::take(&mut form.mistakes);
    let mut parameters = training_form::parse(&form, &mut mistakes);
    let common = Common::of_form(&form, &api.webhook_addresses, &mut mistakes);
    let bases = bases(api, caller, parameters.base, &mut mistakes).await?;
    separators::check_steps(api, &parameters.clean, &mut mistakes).await?;
    let mut recordings = training_recordings::of_form(api, &mut form, &mut mistakes).await?;
    let spoken = form.take_files(spoken_consent::RECORDING);
    let said = (parameters.consent_token.as_deref(), !spoken.is_empty());
    let number = spoken_consent::number(api, caller, said, &mut mistakes);
    let spoken = training_recordings::of_consent(api, spoken, &mut mistakes).await?;
    refuse(mistakes)?;
    if let Some(consent) = &mut parameters.consent {
        consent.spoken = number;
    }
    let names = training_recordings::names(&recordings);
    recordings.extend(spoken);
    let (spec, voice) = training_of(api, parameters, &bases, names)?;
    let spec = JobSpec::VoiceTraining(spec);
    separators::are_there(api, &spec).await?;
    let new = new_job(api, call, caller, (spec, common));
    let job = training_recordings::accept(api, (new, voice), recordings).await?;
    job_record::created(api, call, job).await
}

/// Tries a training again, as the job `new`: it makes a voice of its own, on the same recordings.
pub async fn again(
    api: &Api,
    caller: &Caller,
    old: &TrainingSpec,
    new: NewJob,
) -> Result<JobRecord, Problem> {
    allowed(api, caller)?;
    let mut mistakes = Vec::new();
    spoken_consent::check_old(api, &old.consent, &mut mistakes);
    let bases = bases(api, caller, old.base, &mut mistakes).await?;
    separators::check_steps(api, &old.clean, &mut mistakes).await?;
    refuse(mistakes)?;
    let parameters = Parameters {
        title: old.title.clone(),
        tags: old.tags.clone(),
        base: old.base,
        preset: old.preset,
        seed: old.seed,
        isolate_vocals: old.isolate_vocals,
        clean: old.clean.clone(),
        consent: Some(old.consent.clone()),
        consent_token: None,
        keep_recordings: old.keep_recordings,
    };
    let (spec, voice) = training_of(api, parameters, &bases, old.recordings.clone())?;
    let spec = JobSpec::VoiceTraining(spec);
    separators::are_there(api, &spec).await?;
    let new = NewJob { spec, ..new };
    let made = api.store.create_voice(&new, &voice, clock::now_us()).await;
    Ok(made?)
}

/// What a training is to do, and the voice that it is to make.
fn training_of(
    api: &Api,
    parameters: Parameters,
    bases: &[ModelRecord],
    recordings: Vec<String>,
) -> Result<(TrainingSpec, NewVoice), Problem> {
    let token = token::draw().map_err(|error| Problem::internal(&error))?;
    let consent = parameters.consent;
    let consent = consent.ok_or_else(|| Problem::internal(&"nothing was declared"))?;
    let chosen = bases.iter().filter(|_| parameters.base.is_some());
    let spec = TrainingSpec {
        title: parameters.title,
        tags: parameters.tags,
        base: parameters.base,
        bases: bases.iter().map(|voice| voice.id).collect(),
        successions: chosen.filter_map(ModelRecord::succession).collect(),
        preset: parameters.preset,
        seed: parameters.seed,
        isolate_vocals: parameters.isolate_vocals,
        clean: parameters.clean,
        consent,
        keep_recordings: parameters.keep_recordings,
        recordings,
        review: api.settings.training == Training::Review,
        // The store assigns it.
        output_model_id: 0,
        output_package_id: format!("trained.{token}"),
    };
    let voice = NewVoice {
        package_id: spec.output_package_id.clone(),
        title: spec.title.clone(),
        tags: spec.tags.clone(),
        instrument: false,
    };
    Ok((spec, voice))
}

/// The voices that a training may start from: the one that is asked for, or else those of the model folders.
async fn bases(
    api: &Api,
    caller: &Caller,
    base: Option<i64>,
    mistakes: &mut Vec<FieldError>,
) -> Result<Vec<ModelRecord>, Problem> {
    // Models that were removed since the last look take the voices that need them with them.
    let known = api.library.current(clock::now_us()).await?;
    let Some(id) = base else {
        let query = ModelQuery {
            user_id: caller.user_id,
            page: 1,
            per_page: 1_000,
            ..ModelQuery::default()
        };
        let mut voices = api.store.models(&query).await?.rows;
        voices.retain(|voice| {
            let package = known.find(&voice.package_id);
            let fits = package.is_some_and(|package| package.manifest().family == Family::DdspRvc);
            voice.usable && voice.owner_id.is_none() && !voice.instrument && fits
        });
        voices.truncate(MAX_BASES);
        if voices.is_empty() {
            return Err(Problem::Unavailable {
                detail: "No voice from which a training could start is installed on this server."
                    .to_owned(),
            });
        }
        return Ok(voices);
    };
    let voice = api.store.model(id).await?;
    let voice = voice.filter(|voice| voice.usable && is_visible(voice, caller));
    let Some(voice) = voice else {
        mistakes.push(no_such_voice(BASE));
        return Ok(Vec::new());
    };
    match api.library.manifest(&voice).await {
        Ok(manifest) if manifest.family == Family::DdspRvc => Ok(vec![voice]),
        Ok(manifest) => {
            let family = manifest.family.as_str();
            let message = format!(
                "A training cannot start from a voice of the family {family}: it trains voices of {}. What other programs have trained can be imported.",
                Family::DdspRvc.as_str()
            );
            mistakes.push(FieldError::new(BASE, "family", message));
            Ok(Vec::new())
        }
        // Removed since it was looked up.
        Err(LibraryError::Missing(_)) => {
            mistakes.push(no_such_voice(BASE));
            Ok(Vec::new())
        }
        Err(error) => Err(error.into()),
    }
}
