use std::collections::BTreeMap;
use std::sync::Arc;

use super::bindings::PluginPre;
use super::wasi::Guest;
use super::{Descriptor, EffectLimits, EffectStage, ParameterError, PluginError, SettingValue};

/// An effect that is ready to start streams. Cloning it is cheap, and clones may be used from several threads.
#[derive(Clone)]
pub struct Effect {
    loaded: Arc<Loaded>,
}

/// What all clones share.
struct Loaded {
    component: PluginPre<Guest>,
    descriptor: Descriptor,
    digest: String,
    limits: EffectLimits,
    from_cache: bool,
}

/// The stream that an effect is started for.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamConfig {
    /// Frames per second, 8,000 to 192,000.
    pub sample_rate_hz: u32,
    /// Channels in, and as many out.
    pub channels: usize,
    /// Parameters that differ from their default, by id.
    pub settings: BTreeMap<String, SettingValue>,
}

impl Effect {
    pub(super) fn new(
        component: PluginPre<Guest>,
        descriptor: Descriptor,
        digest: String,
        limits: EffectLimits,
        from_cache: bool,
    ) -> Self {
        Self {
            loaded: Arc::new(Loaded {
                component,
                descriptor,
                digest,
                limits,
                from_cache,
            }),
        }
    }

    /// The same effect under other limits.
    #[must_use]
    pub fn with_limits(&self, limits: EffectLimits) -> Self {
        let loaded = &self.loaded;
        Self::new(
            loaded.component.clone(),
            loaded.descriptor.clone(),
            loaded.digest.clone(),
            limits,
            loaded.from_cache,
        )
    }

    /// What it is.
    #[must_use]
    pub fn descriptor(&self) -> &Descriptor {
        &self.loaded.descriptor
    }

    /// The SHA-256 of its component, in lower-case hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.loaded.digest
    }

    /// Whether it was neither compiled nor described, because the cache held both.
    #[must_use]
    pub fn is_from_cache(&self) -> bool {
        self.loaded.from_cache
    }

    /// Checks the settings and starts a stream, in an instance of its own.
    pub fn start(&self, stream: &StreamConfig) -> Result<EffectStage, PluginError> {
        self.check(&stream.settings)?;
        EffectStage::start(self, stream)
    }

    /// Whether every setting is one of the effect's and legal.
    pub(super) fn check(
        &self,
        settings: &BTreeMap<String, SettingValue>,
    ) -> Result<(), PluginError> {
        let descriptor = self.descriptor();
        for (id, value) in settings {
            let parameter = descriptor.parameter(id).ok_or(ParameterError::Unknown);
            parameter
                .and_then(|parameter| parameter.check(value))
                .map_err(|reason| PluginError::Setting {
                    effect: descriptor.id.clone(),
                    parameter: id.clone(),
                    reason,
                })?;
        }
        Ok(())
    }

    pub(super) fn component(&self) -> &PluginPre<Guest> {
        &self.loaded.component
    }

    pub(super) fn limits(&self) -> &EffectLimits {
        &self.loaded.limits
    }
}
