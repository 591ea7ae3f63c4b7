use std::sync::Arc;

use hyper::HeaderMap;
use hyper::body::Incoming;

use super::chain::{self, Library, Place};
use super::intake::{Intake, Opened, Wanted};
use super::{job_record, lossy_form, output_form};
use crate::Api;
use crate::rules::call::Call;
use crate::rules::page::JOB_PAGES;
use crate::rules::problem::{FieldError, Problem};
use crate::rules::route::{Class, Operation, Route};
use vocalhost_audio::InputFormat;
use vocalhost_http::multipart::Form;
use vocalhost_http::reply::Reply;
use vocalhost_job::{JobKind, JobSpec, SeparationSpec, Stem};
use vocalhost_store::{Caller, Scope};

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
        output_form::LOUDNESS,
        lossy_form::FIELD,
        output_form::STEMS,
        output_form::STRICT,
        Place::Pre.field(),
        Place::Post.field(),
    ],
};

/// What may be asked here.
pub const ROUTES: &[Route] = &[
    Route {
        path: "/vocal-separations",
        operations: &[
            Operation::get(
                "listVocalSeparations",
                "Your vocal separations",
                super::shapes::separations::list_vocals,
            )
            .counts_as(Class::FreeRead)
            .keyed(Scope::Read, |api, ask, caller| {
                Box::pin(async move {
                    let of = (JobKind::VocalSeparation, &JOB_PAGES);
                    job_record::list(api, &ask.call, caller, of).await
                })
            }),
            Operation::post(
                "createVocalSeparation",
                "Take what is sung out of a recording",
                super::shapes::separations::create_vocals,
            )
            .counts_as(Class::Creation)
            .keyed(Scope::Write, |api, ask, caller| {
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
        ],
    },
    Route {
        path: "/stem-splits",
        operations: &[
            Operation::get(
                "listStemSplits",
                "Your stem splits",
                super::shapes::separations::list_stems,
            )
            .counts_as(Class::FreeRead)
            .keyed(Scope::Read, |api, ask, caller| {
                Box::pin(async move {
                    let of = (JobKind::StemSplit, &JOB_PAGES);
                    job_record::list(api, &ask.call, caller, of).await
                })
            }),
            Operation::post(
                "createStemSplit",
                "Split a recording into its instruments",
                super::shapes::separations::create_stems,
            )
            .counts_as(Class::Creation)
            .keyed(Scope::Write, |api, ask, caller| {
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
    let mut spec =
        intake.read(|form, library, mistakes| parse(form, separation, library, mistakes));
    intake.settle_lossy(api, &mut spec.output);
    let spec = separation.of(spec);
    let job = intake.accept(api, call, caller, spec).await?;
    job_record::created(api, call, job).await
}

/// Reads the text fields of a form; everything that is wrong with them is added to `mistakes`.
pub fn parse(
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
        strict_input: output_form::strict(form, mistakes),
    }
}
