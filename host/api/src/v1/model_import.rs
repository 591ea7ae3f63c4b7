use std::path::PathBuf;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{HeaderMap, StatusCode};
use serde_json::json;

use super::job_record::done_before;
use super::model_form::{self, MODEL_FILES};
use super::{admin_packages, records};
use crate::Api;
use crate::rules::audit::actor;
use crate::rules::call::Call;
use crate::rules::mistakes::missing;
use crate::rules::noted::noted;
use crate::rules::once;
use crate::rules::problem::Problem;
use crate::v1::uploads::put_in;
use vocalhost_catalogues::library::{Import, ImportAsk, LibraryError, OnlySome, Wanted};
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::multipart::{Form, FormRules, read_form_within};
use vocalhost_http::reply::Reply;
use vocalhost_model::{MAX_DEMO_BYTES, MAX_PICTURE_BYTES};
use vocalhost_store::{AnswerOf, Caller, KeptAnswer, StoreError, VoiceOwner};
use vocalhost_system::clock;
use vocalhost_system::disk;
use vocalhost_system::token;
use vocalhost_work::worker::import::ImportFault;

/// The text fields of the form.
const TEXT_FIELDS: [&str; 9] = [
    "title",
    "tags",
    model_form::ANSWERS,
    "packageId",
    "license",
    "attribution",
    "trainedOn",
    "consent",
    "sourceUrl",
];

/// `POST /voice-models`: a voice of the caller's own.
pub async fn own_voice(
    api: &Arc<Api>,
    call: &Call,
    caller: &Caller,
    sent: (&HeaderMap, &mut Incoming),
) -> Result<Reply, Problem> {
    let whose = (Wanted::Voice, VoiceOwner::User(caller.user_id));
    import(api, call, caller, whose, sent).await
}

/// `POST /admin/models`: a model of any kind for everybody.
pub async fn for_everybody(
    api: &Arc<Api>,
    call: &Call,
    caller: &Caller,
    sent: (&HeaderMap, &mut Incoming),
) -> Result<Reply, Problem> {
    let whose = (Wanted::Any, VoiceOwner::Everybody(Some(caller.user_id)));
    import(api, call, caller, whose, sent).await
}

async fn import(
    api: &Arc<Api>,
    call: &Call,
    caller: &Caller,
    (wanted, owner): (Wanted, VoiceOwner),
    (headers, body): (&HeaderMap, &mut Incoming),
) -> Result<Reply, Problem> {
    // Before the files are read, which take room and time, too.
    let place = if call.once.was_done() {
        // Nothing is imported again.
        None
    } else {
        Some(api.library.take_place(caller.user_id)?)
    };
    let mut form = read(api, (headers, body)).await?;
    if let Some(answer) = done_before(api, call, &Fingerprint::of_form(&form)).await? {
        return Ok(answer);
    }
    put_in(api, caller, &mut form, api.settings.max_model_bytes).await?;
    let mut mistakes = std::mem::take(&mut form.mistakes);
    let mut answers = model_form::answers(&form, &mut mistakes);
    let picture = model_form::picture(&mut form, &mut mistakes).await?;
    let demo = model_form::demo(api, &mut form, &mut mistakes).await?;
    let (fields, files) = model_files(&form);
    answers.called = fields.iter().map(|field| called(&form, field)).collect();
    let is_named = mistakes.iter().any(|one| one.field == MODEL_FILES[0]);
    if fields.first() != Some(&MODEL_FILES[0]) && !is_named {
        mistakes.push(missing(MODEL_FILES[0]));
    }
    if !mistakes.is_empty() {
        return Err(Problem::Invalid(mistakes));
    }
    let ask = ImportAsk {
        files,
        answers,
        wanted,
        owner,
        token: token::draw().map_err(|error| Problem::internal(&error))?,
        picture: picture.as_ref().map(|picture| picture.file.clone()),
        demo: demo.as_ref().map(|demo| demo.file.clone()),
    };
    let looked = api.library.look(ask, clock::now_us()).await;
    let looked = looked.map_err(|error| problem(&error, &fields))?;
    // From here on the model is made even when the client hangs up. Its idempotency key stays taken until then, or it could
    // get the model twice.
    let (api, call, actor) = (api.clone(), call.clone(), actor(call, caller));
    let keeping = async move {
        let answer = |import: &Import| answer(&api, &call, import);
        let done = call.once.completion();
        let request = done
            .as_ref()
            .map(|done| (done, &answer as &AnswerOf<'_, Import>));
        let imported = looked.keep(request, &actor, clock::now_us()).await;
        let imported = imported.map_err(|error| problem(&error, &fields))?;
        drop((place, picture, demo));
        let reply = noted(once::given(&answer(&imported))?);
        call.once.settle(Ok(reply)).await
    };
    let kept = tokio::spawn(keeping).await;
    kept.map_err(|error| Problem::internal(&error))?
}

async fn read(api: &Api, (headers, body): (&HeaderMap, &mut Incoming)) -> Result<Form, Problem> {
    let folder = api.settings.uploads_path();
    let beside = [model_form::IMAGE, model_form::DEMO];
    let max_bytes = api.settings.max_model_bytes;
    let rules = FormRules {
        files: &[MODEL_FILES.as_slice(), &beside].concat(),
        texts: &TEXT_FIELDS,
        max_file_bytes: max_bytes,
        folder: &folder,
        times: api.body_times(),
    };
    let smaller = [
        (model_form::IMAGE, MAX_PICTURE_BYTES),
        (model_form::DEMO, MAX_DEMO_BYTES),
    ];
    // However small the models must be, these are no larger.
    let smaller = smaller.map(|(field, most)| (field, most.min(max_bytes)));
    Ok(read_form_within(headers, body, &rules, &smaller).await?)
}

/// The files of the model, the main one first, with their fields.
fn model_files(form: &Form) -> (Vec<&'static str>, Vec<PathBuf>) {
    let given = |field: &'static str| {
        let found = form.files.iter().find(|(name, _)| *name == field);
        found.map(|(_, upload)| (field, upload.path().to_owned()))
    };
    MODEL_FILES.into_iter().filter_map(given).unzip()
}

/// What the client calls the file of a field; empty if it does not say.
fn called(form: &Form, field: &str) -> String {
    let found = form.files.iter().find(|(name, _)| *name == field);
    let called = found.and_then(|(_, upload)| upload.name.clone());
    called.unwrap_or_default()
}

fn answer(api: &Api, call: &Call, import: &Import) -> KeptAnswer {
    let findings = &import.findings;
    let found = json!({ "family": findings.family, "found": findings.found });
    let (record, path) = if let Some(voice) = &import.voice {
        let record = records::joined([records::voice_model(api, voice), found]);
        (record, format!("voice-models/{}", voice.id))
    } else {
        let models = api.library.known();
        let package = models.find(&findings.id);
        let package = package.map(|package| {
            admin_packages::record(package.manifest(), api.library.used_for(&models, package))
        });
        let record = records::joined([package.unwrap_or_default(), found]);
        (record, format!("admin/packages/{}", findings.id))
    };
    KeptAnswer {
        status: StatusCode::CREATED.as_u16(),
        location: Some(format!("{}/{path}", call.root)),
        body: record.to_string(),
    }
}

/// What a client is told of a model that was not imported; `fields` are those of its files, in their order.
pub fn problem(error: &LibraryError, fields: &[&'static str]) -> Problem {
    let main = MODEL_FILES[0];
    match error {
        LibraryError::Import(ImportFault::Rejected { file, reason }) => {
            let field = file.and_then(|position| fields.get(position).copied());
            let field = field.unwrap_or(main);
            // Reasons have the file for their subject.
            Problem::field(field, "model", format!("`{field}`: {reason}."))
        }
        LibraryError::Import(ImportFault::Missing(questions)) => {
            Problem::Invalid(questions.iter().map(model_form::asked).collect())
        }
        LibraryError::Import(ImportFault::NotWanted { kind }) => {
            let message = format!(
                "It is no voice, but a model of the kind {}: an administrator imports it for everybody, at /admin/models.",
                kind.as_str()
            );
            Problem::field(main, "kind", message)
        }
        LibraryError::Pointless { kind, what } => {
            let field = match what {
                OnlySome::Id => "packageId",
                OnlySome::Tags => "tags",
                OnlySome::Picture => model_form::IMAGE,
                OnlySome::Demo => model_form::DEMO,
                // There is no field for it.
                OnlySome::Owner => main,
            };
            Problem::field(field, "kind", format!("`{field}`: {}.", what.rule(kind)))
        }
        LibraryError::IdTaken(id) => Problem::Conflict {
            code: "E_MODEL_ID_TAKEN",
            detail: format!(
                "There is a package {id} already: remove it first, or give this one another `packageId`."
            ),
        },
        LibraryError::Crowded(detail) => Problem::QuotaExceeded {
            detail: detail.clone(),
        },
        LibraryError::Missing(_) => Problem::RowNotFound,
        LibraryError::NotImported { id, .. } => Problem::Conflict {
            code: "E_MODEL_NOT_IMPORTED",
            detail: format!(
                "Package {id} was not imported but lies in a model folder: remove it there."
            ),
        },
        LibraryError::Needed { .. } | LibraryError::Named { .. } => Problem::Conflict {
            code: "E_MODEL_NEEDED",
            detail: format!("The {error}; with `force=true` it is removed all the same."),
        },
        LibraryError::Store(StoreError::StorageQuota { used, more, quota }) => {
            Problem::storage_used_up(*used, *more, *quota)
        }
        LibraryError::Store(StoreError::ReservationLost) => StoreError::ReservationLost.into(),
        LibraryError::Store(cause) if cause.may_pass() => Problem::database_away(error),
        LibraryError::Store(cause) => Problem::failed(error, cause.is_full()),
        LibraryError::Files(cause) if cause.may_pass() => Problem::files_failed(error),
        LibraryError::Import(ImportFault::Broken(_))
        | LibraryError::Unbindable { .. }
        | LibraryError::Io { .. }
        | LibraryError::Interrupted(_)
        | LibraryError::Model(_)
        | LibraryError::Files(_) => Problem::failed(error, disk::is_full(error)),
    }
}

impl From<LibraryError> for Problem {
    fn from(error: LibraryError) -> Self {
        problem(&error, &[])
    }
}
