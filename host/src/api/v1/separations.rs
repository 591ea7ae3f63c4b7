use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{HeaderMap, Method, StatusCode};

use super::chain::{self, KnownEffect, Library, Place};
use super::{jobs, metadata, pipelines, records};
use crate::api::Api;
use crate::api::call::Call;
use crate::api::multipart::{FormRules, read_form};
use crate::api::page::{JOB_PAGES, Meta, list_reply};
use crate::api::problem::Problem;
use crate::api::reply::{self, Reply};
use crate::api::resumable::put_in;
use crate::api::route::{Class, Handler, Operation, Route};
use crate::audio::InputFormat;
use crate::job::{JobKind, JobSpec, SeparationSpec};
use crate::store::{Caller, Scope};

/// 50 MB, as clients count it.
const MAX_INPUT_BYTES: u64 = 50 << 20;

/// What a recording to take apart may come as.
const FORMATS: [InputFormat; 4] = [
    InputFormat::Wav,
    InputFormat::Webm,
    InputFormat::Mp3,
    InputFormat::Flac,
];

/// The field of the recording.
const INPUT: &str = "inputFile";

/// Every text field that is read; `pre` and `post` also in brackets.
const TEXT_FIELDS: &[&str] = &[metadata::FIELD, Place::Pre.field(), Place::Post.field()];

/// What may be asked here.
pub const ROUTES: &[Route] = &[
    Route {
        path: "/vocal-separations",
        operations: &[
            Operation {
                method: Method::GET,
                id: "listVocalSeparations",
                summary: "Your vocal separations",
                describe: super::shapes::separations::list_vocals,
                class: Class::FreeRead,
                handler: Handler::Keyed(Scope::Read, |api, ask, caller| {
                    Box::pin(async move { list(api, Separation::Vocals, &ask.call, caller).await })
                }),
            },
            Operation {
                method: Method::POST,
                id: "createVocalSeparation",
                summary: "Take what is sung out of a recording",
                describe: super::shapes::separations::create_vocals,
                class: Class::Creation,
                handler: Handler::Keyed(Scope::Write, |api, ask, caller| {
                    Box::pin(async move {
                        create(
                            api,
                            Separation::Vocals,
                            &ask.call,
                            caller,
                            (&ask.head.headers, ask.body),
                        )
                        .await
                    })
                }),
            },
        ],
    },
    Route {
        path: "/vocal-separations/{id}",
        operations: &[Operation {
            method: Method::GET,
            id: "getVocalSeparation",
            summary: "One vocal separation",
            describe: super::shapes::separations::get_vocals,
            class: Class::FreeRead,
            handler: Handler::Keyed(Scope::Read, |api, ask, caller| {
                Box::pin(async move { get(api, Separation::Vocals, ask.part("id"), caller).await })
            }),
        }],
    },
    Route {
        path: "/stem-splits",
        operations: &[
            Operation {
                method: Method::GET,
                id: "listStemSplits",
                summary: "Your stem splits",
                describe: super::shapes::separations::list_stems,
                class: Class::FreeRead,
                handler: Handler::Keyed(Scope::Read, |api, ask, caller| {
                    Box::pin(async move { list(api, Separation::Stems, &ask.call, caller).await })
                }),
            },
            Operation {
                method: Method::POST,
                id: "createStemSplit",
                summary: "Split a recording into its instruments",
                describe: super::shapes::separations::create_stems,
                class: Class::Creation,
                handler: Handler::Keyed(Scope::Write, |api, ask, caller| {
                    Box::pin(async move {
                        create(
                            api,
                            Separation::Stems,
                            &ask.call,
                            caller,
                            (&ask.head.headers, ask.body),
                        )
                        .await
                    })
                }),
            },
        ],
    },
    Route {
        path: "/stem-splits/{id}",
        operations: &[Operation {
            method: Method::GET,
            id: "getStemSplit",
            summary: "One stem split",
            describe: super::shapes::separations::get_stems,
            class: Class::FreeRead,
            handler: Handler::Keyed(Scope::Read, |api, ask, caller| {
                Box::pin(async move { get(api, Separation::Stems, ask.part("id"), caller).await })
            }),
        }],
    },
];

/// The two ways to take a recording apart. They differ in their models and in which stems come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separation {
    /// `/vocal-separations`.
    Vocals,
    /// `/stem-splits`.
    Stems,
}

impl Separation {
    fn kind(self) -> JobKind {
        match self {
            Self::Vocals => JobKind::VocalSeparation,
            Self::Stems => JobKind::StemSplit,
        }
    }

    fn of(self, spec: SeparationSpec) -> JobSpec {
        match self {
            Self::Vocals => JobSpec::VocalSeparation(spec),
            Self::Stems => JobSpec::StemSplit(spec),
        }
    }
}

/// `GET` of the collection: the caller's own jobs.
pub async fn list(
    api: &Api,
    separation: Separation,
    call: &Call,
    caller: &Caller,
) -> Result<Reply, Problem> {
    let of = (separation.kind(), &JOB_PAGES);
    let (asked, found) = jobs::page(api, call, caller, of).await?;
    let rows = found.rows.iter();
    let data: Vec<_> = rows.map(|job| records::separation(api, job)).collect();
    let meta = Meta::new(&asked, found.total);
    Ok(list_reply(&call.address, &call.query, &meta, &data))
}

/// `GET` of one job.
pub async fn get(
    api: &Api,
    separation: Separation,
    id: &str,
    caller: &Caller,
) -> Result<Reply, Problem> {
    let job = jobs::own(api, separation.kind(), id, caller).await?;
    Ok(reply::json(StatusCode::OK, &records::separation(api, &job)))
}

/// `POST`: reads the form, looks at the recording, and puts the job into the queue of its kind.
pub async fn create(
    api: &Arc<Api>,
    separation: Separation,
    call: &Call,
    caller: &Caller,
    (headers, body): (&HeaderMap, &mut Incoming),
) -> Result<Reply, Problem> {
    let folder = api.settings.uploads_path();
    let rules = FormRules {
        files: &[INPUT],
        texts: TEXT_FIELDS,
        max_file_bytes: MAX_INPUT_BYTES,
        folder: &folder,
        times: api.body_times(),
    };
    let mut form = read_form(headers, body, &rules).await?;
    put_in(api, caller, &mut form, MAX_INPUT_BYTES).await?;
    let mut mistakes = std::mem::take(&mut form.mistakes);
    let effects = api.shelf.current().await?;
    let pipelines = pipelines::named_in(api, caller, &form.fields).await?;
    let spec = {
        let library = Library {
            find: &|name| effects.find(name).map(KnownEffect::from),
            pipelines: &pipelines,
        };
        SeparationSpec {
            pre: chain::parse(Place::Pre, &form.fields, &library, &mut mistakes),
            post: chain::parse(Place::Post, &form.fields, &library, &mut mistakes),
        }
    };
    let notes = metadata::parse(&form, &mut mistakes);
    let input = jobs::recording(api, &mut form, (INPUT, &FORMATS), &mut mistakes).await?;
    let Some(input) = input.filter(|_| mistakes.is_empty()) else {
        return Err(Problem::Invalid(mistakes));
    };
    let spec = separation.of(spec);
    let job = jobs::accept(api, call, caller, (spec, notes), input).await?;
    let record = records::separation(api, &job);
    Ok(jobs::created(StatusCode::OK, call, &job, &record))
}
