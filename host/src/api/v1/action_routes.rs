use hyper::Method;

use super::shapes::actions as shapes;
use super::{actions, events, jobs};
use crate::api::archive;
use crate::api::route::{Class, Handler, Operation, Route};
use crate::job::JobKind;
use crate::store::Scope;

/// What may be done with one job, whatever its kind. `$named` is the kind in the names of operations, `$shown` how
/// it is described, and `$reading` what its reads count as.
macro_rules! actions_of {
    ($collection:literal, $kind:expr, $named:literal, $shown:expr, $reading:expr) => {
        [
            Route {
                path: concat!("/", $collection, "/{id}/cancel"),
                operations: &[Operation {
                    method: Method::POST,
                    id: concat!("cancel", $named),
                    summary: "Stop a job",
                    describe: || shapes::cancel($shown),
                    class: Class::Read,
                    handler: Handler::Keyed(Scope::Write, |api, ask, caller| {
                        Box::pin(async move {
                            actions::cancel(api, &ask.call, caller, ($kind, ask.part("id"))).await
                        })
                    }),
                }],
            },
            Route {
                path: concat!("/", $collection, "/{id}/retry"),
                operations: &[Operation {
                    method: Method::POST,
                    id: concat!("retry", $named),
                    summary: "Try a job again: a new job that asks for the same",
                    describe: || shapes::retry($shown),
                    class: Class::Creation,
                    handler: Handler::Keyed(Scope::Write, |api, ask, caller| {
                        Box::pin(async move {
                            actions::retry(api, &ask.call, caller, ($kind, ask.part("id"))).await
                        })
                    }),
                }],
            },
            Route {
                path: concat!("/", $collection, "/{id}/events"),
                operations: &[Operation {
                    method: Method::GET,
                    id: concat!("follow", $named),
                    summary: "What happens to a job, as server-sent events",
                    describe: || shapes::follow($shown),
                    class: $reading,
                    handler: Handler::Keyed(Scope::Read, |api, ask, caller| {
                        Box::pin(async move {
                            let job = jobs::own(api, $kind, ask.part("id"), caller).await?;
                            events::stream(api, &ask.head.headers, job).await
                        })
                    }),
                }],
            },
        ]
    };
}

/// The files of a job that makes sound.
macro_rules! archive_of {
    ($collection:literal, $kind:expr, $named:literal, $shown:expr, $reading:expr) => {
        Route {
            path: concat!("/", $collection, "/{id}/files.zip"),
            operations: &[Operation {
                method: Method::GET,
                id: concat!("getFilesOf", $named),
                summary: "All files of a job in one archive",
                describe: || shapes::archive($shown),
                class: $reading,
                handler: Handler::Keyed(Scope::Read, |api, ask, caller| {
                    Box::pin(async move {
                        let job = jobs::own(api, $kind, ask.part("id"), caller).await?;
                        archive::serve(api, &ask.head.headers, &job).await
                    })
                }),
            }],
        }
    };
}

/// Conversions.
pub const OF_CONVERSIONS: &[Route] = &actions_of!(
    "voice-conversions",
    JobKind::VoiceConversion,
    "VoiceConversion",
    shapes::CONVERSION,
    Class::Read
);

/// Vocal separations.
pub const OF_SEPARATIONS: &[Route] = &actions_of!(
    "vocal-separations",
    JobKind::VocalSeparation,
    "VocalSeparation",
    shapes::SEPARATION,
    Class::FreeRead
);

/// Stem splits.
pub const OF_SPLITS: &[Route] = &actions_of!(
    "stem-splits",
    JobKind::StemSplit,
    "StemSplit",
    shapes::SPLIT,
    Class::FreeRead
);

/// Blends.
pub const OF_BLENDS: &[Route] = &actions_of!(
    "voice-blender",
    JobKind::VoiceBlend,
    "VoiceBlend",
    shapes::BLEND,
    Class::Read
);

/// The archives of all kinds that have one: a blend makes a voice, no files.
pub const ARCHIVES: &[Route] = &[
    archive_of!(
        "voice-conversions",
        JobKind::VoiceConversion,
        "VoiceConversion",
        shapes::CONVERSION,
        Class::Read
    ),
    archive_of!(
        "vocal-separations",
        JobKind::VocalSeparation,
        "VocalSeparation",
        shapes::SEPARATION,
        Class::FreeRead
    ),
    archive_of!(
        "stem-splits",
        JobKind::StemSplit,
        "StemSplit",
        shapes::SPLIT,
        Class::FreeRead
    ),
];
