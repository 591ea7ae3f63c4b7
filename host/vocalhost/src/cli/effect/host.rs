//! What effects run in, as the settings have it.

use std::path::PathBuf;

use vocalhost_config::Settings;
use vocalhost_effects::{EffectHost, EffectLimits, PluginError};

/// A host with the settings' limits.
pub(super) fn host(settings: &Settings) -> Result<EffectHost, PluginError> {
    EffectHost::open(compiled_effects(settings).as_deref(), limits(settings))
}

/// Where compiled effects are kept: the server's folder when there is one, for looking at effects makes no data folder, else one in
/// the caches of whoever runs the command.
pub fn compiled_effects(settings: &Settings) -> Option<PathBuf> {
    let of_server = settings.effect_cache_path();
    if of_server.is_dir() {
        return Some(of_server);
    }
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let caches = absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .filter(|folder| folder.is_absolute())?;
    let folder = caches.join("vocalhost").join("effects");
    // Without a cache the command takes longer, and that is all.
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder)
}

/// What effects may use.
pub(super) fn limits(settings: &Settings) -> EffectLimits {
    EffectLimits::of(
        settings.effect_memory_bytes as usize,
        settings.effect_work_per_audio,
    )
}
