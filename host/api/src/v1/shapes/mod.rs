//! What the resources look like from outside: the schemas of their records and forms, and the description of each of
//! their operations, one file a resource.

pub mod account;
pub mod actions;
pub mod admin;
pub mod admin_effects;
pub mod admin_nodes;
pub mod blender;
#[cfg(feature = "console")]
pub mod console;
pub mod conversions;
pub mod effects;
mod forms;
mod job;
pub mod live;
pub mod models;
pub mod packages;
pub mod pipelines;
pub mod portraits;
pub mod separations;
pub mod server;
pub mod sessions;
pub mod trainings;
pub mod webhooks;

use crate::rules::describe::Named;

/// Every schema here that has a name.
pub const SCHEMAS: &[Named] = &[
    ("VoiceConversion", conversions::record),
    ("Separation", separations::record),
    ("VoiceBlend", blender::record),
    ("VoiceTraining", trainings::record),
    ("LiveConversion", live::record),
    ("TrainingPoint", trainings::point),
    ("TrainingTest", trainings::test),
    ("TrainingRecording", trainings::recording),
    ("VoiceModel", models::record),
    ("VoiceModelWithTerms", models::with_terms),
    ("Terms", models::terms),
    ("ImportedVoiceModel", packages::imported_voice),
    ("ImportedModel", packages::imported_model),
    ("ImportedPackage", packages::imported_package),
    ("Package", packages::record),
    ("Effect", effects::record),
    ("InstalledEffect", admin_effects::record),
    ("Pipeline", pipelines::record),
    ("User", admin::user),
    ("Key", admin::key),
    ("ListedVoiceModel", admin::model),
    ("ListedJob", admin::job),
    ("Node", admin_nodes::record),
    ("ConsoleSession", sessions::signed_in),
    ("ListedConsoleSession", sessions::record),
    ("AuditLine", admin::audit_line),
    ("JobFailure", job::failure),
    ("Timings", job::timings),
    ("JobEvent", job::event),
    ("Peaks", portraits::table),
    ("JobWarning", job::warning),
    ("EffectUsed", job::effect_used),
    ("ModelUsed", job::model_used),
    ("Stem", separations::stem),
    ("Webhook", webhooks::record),
    ("WebhookDelivery", webhooks::delivery),
    ("Chain", forms::chain),
    ("EffectsByName", forms::effects_by_name),
    ("EffectList", forms::effect_list),
    ("ListedEffect", forms::listed_effect),
    ("SavedChain", forms::saved_chain),
];
