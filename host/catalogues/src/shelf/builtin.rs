use super::ShelfError;
use vocalhost_effects::{Catalog, CatalogEntry};
use vocalhost_store::{EffectOverrides, NewEffect, Store};

/// Brings the rows of the built-in effects in line with this program. `builtin` holds those effects, and no others.
pub async fn sync_builtin(store: &Store, builtin: &Catalog, now_us: i64) -> Result<(), ShelfError> {
    let effects: Vec<NewEffect> = builtin
        .entries()
        .iter()
        .zip(Catalog::builtin_components())
        .map(|(entry, component)| row(entry, component.len()))
        .collect();
    Ok(store.sync_builtin_effects(&effects, now_us).await?)
}

fn row(entry: &CatalogEntry, bytes: usize) -> NewEffect {
    let effect = &entry.descriptor;
    NewEffect {
        digest: entry.digest.clone(),
        effect_id: effect.id.clone(),
        version: effect.version.clone(),
        vendor: effect.vendor.clone(),
        descriptor: serde_json::json!(effect),
        bytes: bytes as u64,
        overrides: EffectOverrides::default(),
    }
}
