use super::shapes::actions as shapes;
use super::{actions, events, job_record, jobs};
use crate::rules::route::{Class, Operation, Route};
use crate::v1::archive;
use vocalhost_job::JobKind;
use vocalhost_store::Scope;

/// What may be done with one job, whatever its kind. `$named` is the kind in the names of operations, `$one` and `$forget`
/// what it is to read and to delete one, `$shown` how it is described, and `$reading` what its reads count as.
macro_rules! actions_of {
    (
        $collection:literal, $kind:expr, $named:literal, ($one:literal, $forget:literal), $shown:expr, $reading:expr
    ) => {
        [
            Route {
                path: concat!("/", $collection, "/{id}"),
                operations: &[
                    Operation::get(concat!("get", $named), $one, || shapes::get($shown))
                        .counts_as($reading)
                        .keyed(Scope::Read, |api, ask, caller| {
                            Box::pin(async move {
                                let job = jobs::own(api, $kind, ask.part("id"), caller).await?;
                                job_record::reply_with(api, &ask.call, job).await
                            })
                        }),
                    Operation::delete(concat!("delete", $named), $forget, || {
                        shapes::delete($shown)
                    })
                    .keyed(Scope::Write, |api, ask, caller| {
                        Box::pin(async move {
                            actions::delete(api, caller, ($kind, ask.part("id"))).await
                        })
                    }),
                ],
            },
            Route {
                path: concat!("/", $collection, "/{id}/cancel"),
                operations: &[
                    Operation::post(concat!("cancel", $named), "Stop a job", || {
                        shapes::cancel($shown)
                    })
                    .keyed(Scope::Write, |api, ask, caller| {
                        Box::pin(async move {
                            actions::cancel(api, &ask.call, caller, ($kind, ask.part("id"))).await
                        })
                    }),
                ],
            },
            Route {
                path: concat!("/", $collection, "/{id}/retry"),
                operations: &[Operation::post(
                    concat!("retry", $named),
                    "Try a job again: a new job that asks for the same",
                    || shapes::retry($shown),
                )
                .counts_as(Class::Creation)
                .keyed(Scope::Write, |api, ask, caller| {
                    Box::pin(async move {
                        actions::retry(api, &ask.call, caller, ($kind, ask.part("id"))).await
                    })
                })],
            },
            Route {
                path: concat!("/", $collection, "/{id}/events"),
                operations: &[Operation::get(
                    concat!("follow", $named),
                    "What happens to a job, as server-sent events",
                    || shapes::follow($shown),
                )
                .counts_as($reading)
                .keyed(Scope::Read, |api, ask, caller| {
                    Box::pin(async move {
                        let job = jobs::own(api, $kind, ask.part("id"), caller).await?;
                        events::stream(api, &ask.head.headers, job).await
                    })
                })],
            },
        ]
    };
}

/// The files of a job that makes sound.
macro_rules! archive_of {
    ($collection:literal, $kind:expr, $named:literal, $shown:expr, $reading:expr) => {
        Route {
            path: concat!("/", $collection, "/{id}/files.zip"),
            operations: &[Operation::get(
                concat!("getFilesOf", $named),
                "All files of a job in one archive",
                || shapes::archive($shown),
            )
            .counts_as($reading)
            .keyed(Scope::Read, |api, ask, caller| {
                Box::pin(async move {
                    let job = jobs::own(api, $kind, ask.part("id"), caller).await?;
                    archive::serve(api, ask.head, &job).await
                })
            })],
        }
    };
}

/// Conversions.
pub const OF_CONVERSIONS: &[Route] = &actions_of!(
    "voice-conversions",
    JobKind::VoiceConversion,
    "VoiceConversion",
    (
        "One voice conversion",
        "Forget a voice conversion and delete its files"
    ),
    shapes::CONVERSION,
    Class::Read
);

/// Vocal separations.
pub const OF_SEPARATIONS: &[Route] = &actions_of!(
    "vocal-separations",
    JobKind::VocalSeparation,
    "VocalSeparation",
    (
        "One vocal separation",
        "Forget a vocal separation and delete its files"
    ),
    shapes::SEPARATION,
    Class::FreeRead
);

/// Stem splits.
pub const OF_SPLITS: &[Route] = &actions_of!(
    "stem-splits",
    JobKind::StemSplit,
    "StemSplit",
    ("One stem split", "Forget a stem split and delete its files"),
    shapes::SPLIT,
    Class::FreeRead
);

/// Blends.
pub const OF_BLENDS: &[Route] = &actions_of!(
    "voice-blender",
    JobKind::VoiceBlend,
    "VoiceBlend",
    ("One voice blend", "Forget a voice blend; its voice stays"),
    shapes::BLEND,
    Class::Read
);

/// Trainings.
pub const OF_TRAININGS: &[Route] = &actions_of!(
    "voice-trainings",
    JobKind::VoiceTraining,
    "VoiceTraining",
    (
        "One training of a voice",
        "Forget a training and delete its files; its voice stays"
    ),
    shapes::TRAINING,
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
