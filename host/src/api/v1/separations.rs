use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{HeaderMap, Method};

use super::chain::{self, Library, Place};
use super::intake::{Intake, Opened, Wanted};
use super::{actions, job_record, jobs, output_form, records};
use crate::api::Api;
use crate::api::call::Call;
use crate::api::multipart::Form;
use crate::api::page::{JOB_PAGES, Meta, list_reply};
use crate::api::problem::{FieldError, Problem};
use crate::api::reply::Reply;
use crate::api::route::{Class, Handler, Operation, Route};
use crate::audio::InputFormat;
use crate::job::{JobKind, JobSpec, SeparationSpec, Stem};
use crate::store::{Caller, Scope};

/// What a request looks like; 50 MB as clients count them.
const WANTED: Wanted = Wanted {
    recording: "inputFile",
    formats: &[
        InputFormat::Wav,
        InputFormat::Webm,
        InputFormat::Mp3,
        InputFormat::Flac,
    ],
    max_file_bytes: 50 << 20,
    backing: None,
    texts: &[
        output_form::FORMAT,
        output_form::BITRATE,
        output_form::STEMS,
        Place::Pre.field(),
        Place::Post.field(),
    ],
};

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
        operations: &[
            Operation {
                method: Method::GET,
                id: "getVocalSeparation",
                summary: "One vocal separation",
                describe: super::shapes::separations::get_vocals,
                class: Class::FreeRead,
                handler: Handler::Keyed(Scope::Read, |api, ask, caller| {
                    Box::pin(async move {
                        let kind = JobKind::VocalSeparation;
                        let job = jobs::own(api, kind, ask.part("id"), caller).await?;
                        job_record::reply_with(api, &ask.call, job).await
                    })
                }),
            },
            Operation {
                method: Method::DELETE,
                id: "deleteVocalSeparation",
                summary: "Forget a vocal separation and delete its files",
                describe: || super::shapes::actions::delete(super::shapes::actions::SEPARATION),
                class: Class::Read,
                handler: Handler::Keyed(Scope::Write, |api, ask, caller| {
                    Box::pin(async move {
                        let of = (JobKind::VocalSeparation, ask.part("id"));
                        actions::delete(api, caller, of).await
                    })
                }),
            },
        ],
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
        operations: &[
            Operation {
                method: Method::GET,
                id: "getStemSplit",
                summary: "One stem split",
                describe: super::shapes::separations::get_stems,
                class: Class::FreeRead,
                handler: Handler::Keyed(Scope::Read, |api, ask, caller| {
                    Box::pin(async move {
                        let kind = JobKind::StemSplit;
                        let job = jobs::own(api, kind, ask.part("id"), caller).await?;
                        job_record::reply_with(api, &ask.call, job).await
                    })
                }),
            },
            Operation {
                method: Method::DELETE,
                id: "deleteStemSplit",
                summary: "Forget a stem split and delete its files",
                describe: || super::shapes::actions::delete(super::shapes::actions::SPLIT),
                class: Class::Read,
                handler: Handler::Keyed(Scope::Write, |api, ask, caller| {
                    Box::pin(async move {
                        let of = (JobKind::StemSplit, ask.part("id"));
                        actions::delete(api, caller, of).await
                    })
                }),
            },
        ],
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

    /// The stems that there are, in the order of the record.
    fn stems(self) -> &'static [Stem] {
        match self {
            Self::Vocals => &Stem::OF_SEPARATION,
            Self::Stems => &Stem::OF_SPLIT,
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
    let of = (Some(separation.kind()), &JOB_PAGES);
    let (asked, found) = jobs::page(api, call, caller, of).await?;
    let rows = found.rows.iter();
    let data: Vec<_> = rows.map(|job| records::separation(api, job)).collect();
    let meta = Meta::new(&asked, found.total);
    Ok(list_reply(&call.address, &call.query, &meta, &data))
}

/// `POST`: reads the form, looks at the recording, and puts the job into the queue of its kind.
pub async fn create(
    api: &Arc<Api>,
    separation: Separation,
    call: &Call,
    caller: &Caller,
    request: (&HeaderMap, &mut Incoming),
) -> Result<Reply, Problem> {
    let mut intake = match Intake::open(api, call, caller, request, &WANTED).await? {
        Opened::New(intake) => intake,
        Opened::Seen(answer) => return Ok(answer),
    };
    let spec = intake.read(|form, library, mistakes| parse(form, separation, library, mistakes));
    let spec = separation.of(spec);
    let job = intake.accept(api, call, caller, spec).await?;
    job_record::created(api, call, job).await
}

fn parse(
    form: &Form,
    separation: Separation,
    library: &Library<'_>,
    mistakes: &mut Vec<FieldError>,
) -> SeparationSpec {
    SeparationSpec {
        pre: chain::parse(Place::Pre, &form.fields, library, mistakes),
        post: chain::parse(Place::Post, &form.fields, library, mistakes),
        output: output_form::output(form, mistakes),
        stems: output_form::stems(form, separation.stems(), mistakes),
    }
}
