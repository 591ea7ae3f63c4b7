use super::route::{Class, Operation, Route};
use super::{figures, files, health, openapi, resumable, shapes, v1};

/// The tables of all resources under each root of the API.
pub const UNDER_ROOT: &[&[Route]] = &[
    v1::conversions::ROUTES,
    v1::action_routes::OF_CONVERSIONS,
    v1::separations::ROUTES,
    v1::action_routes::OF_SEPARATIONS,
    v1::action_routes::OF_SPLITS,
    v1::blender::ROUTES,
    v1::action_routes::OF_BLENDS,
    v1::models::ROUTES,
    v1::effects::ROUTES,
    v1::account::ROUTES,
    v1::admin_audit::ROUTES,
    v1::admin_effects::ROUTES,
    v1::admin_jobs::ROUTES,
    v1::admin_keys::ROUTES,
    v1::admin_models::ROUTES,
    v1::admin_packages::ROUTES,
    v1::admin_users::ROUTES,
    v1::pipelines::ROUTES,
    openapi::ROUTES,
    v1::all_jobs::ROUTES,
    v1::action_routes::ARCHIVES,
    v1::webhooks::ROUTES,
    v1::webhook_deliveries::ROUTES,
    v1::portraits::ROUTES[0],
    v1::portraits::ROUTES[1],
    v1::portraits::ROUTES[2],
    resumable::ROUTES,
    &[Route {
        path: "/files/{expiry}/{signature}/{*target}",
        operations: &[
            Operation::get("getFile", "A file that a record links to", shapes::file)
                .counts_as(Class::Uncounted)
                .open(|api, ask| {
                    Box::pin(async move {
                        let link = (
                            ask.part("expiry"),
                            ask.part("signature"),
                            ask.part("target"),
                        );
                        files::serve(api, &ask.head.headers, link).await
                    })
                }),
        ],
    }],
];

/// What lies at the server's own root.
pub const AT_ROOT: &[Route] = &[
    Route {
        path: "/metrics",
        operations: &[Operation::get(
            "getMetrics",
            "Figures about the server, for Prometheus",
            shapes::metrics,
        )
        .counts_as(Class::Uncounted)
        .open(|api, _| Box::pin(async move { figures::show(api).await }))],
    },
    Route {
        path: "/livez",
        operations: &[
            Operation::get("isAlive", "Whether the process answers", shapes::live)
                .counts_as(Class::Uncounted)
                .open(|_, _| Box::pin(async { Ok(health::live()) })),
        ],
    },
    Route {
        path: "/readyz",
        operations: &[
            Operation::get("isReady", "Whether the server takes work", shapes::ready)
                .counts_as(Class::Uncounted)
                .open(|api, _| Box::pin(async move { Ok(health::ready(api).await) })),
        ],
    },
];
