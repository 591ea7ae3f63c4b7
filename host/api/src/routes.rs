use crate::document;
use crate::rules::route::{Class, Operation, Route};
use crate::rules::router::{Tables, Uploads};
#[cfg(feature = "console")]
use crate::v1::console;
use crate::v1::shapes::server as shapes;
use crate::v1::{
    account, action_routes, admin_audit, admin_effects, admin_jobs, admin_keys, admin_models,
    admin_nodes, admin_packages, admin_users, all_jobs, blender, conversions, docs, effects,
    figures, files, health, index, live, models, pipelines, portraits, separations, sessions,
    trainings, uploads, webhook_deliveries, webhooks,
};

/// The tables of all resources under each root of the API.
pub const UNDER_ROOT: &[&[Route]] = &[
    conversions::ROUTES,
    action_routes::OF_CONVERSIONS,
    separations::ROUTES,
    action_routes::OF_SEPARATIONS,
    action_routes::OF_SPLITS,
    blender::ROUTES,
    action_routes::OF_BLENDS,
    trainings::ROUTES,
    live::ROUTES,
    action_routes::OF_TRAININGS,
    models::ROUTES,
    effects::ROUTES,
    account::ROUTES,
    sessions::ROUTES,
    admin_audit::ROUTES,
    admin_effects::ROUTES,
    admin_jobs::ROUTES,
    admin_keys::ROUTES,
    admin_models::ROUTES,
    admin_nodes::ROUTES,
    admin_packages::ROUTES,
    admin_users::ROUTES,
    pipelines::ROUTES,
    index::ROUTES,
    document::ROUTES,
    docs::ROUTES,
    all_jobs::ROUTES,
    action_routes::ARCHIVES,
    webhooks::ROUTES,
    webhook_deliveries::ROUTES,
    portraits::ROUTES[0],
    portraits::ROUTES[1],
    portraits::ROUTES[2],
    uploads::ROUTES,
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
                        files::serve(api, ask.head, link).await
                    })
                }),
        ],
    }],
];

/// What the router reads.
pub(crate) const TABLES: Tables = Tables {
    at_root: AT_ROOT,
    under_root: UNDER_ROOT,
    uploads: Uploads {
        paths: uploads::ROUTES,
        max_bytes: uploads::MAX_BYTES,
    },
};

/// What lies at the server's own root.
pub(crate) const AT_ROOT: &[Route] = &[
    index::AT_ROOT,
    #[cfg(feature = "console")]
    console::ASSETS,
    #[cfg(feature = "console")]
    console::CONFIG,
    sessions::SESSION,
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
