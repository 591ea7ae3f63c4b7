use std::path::Path;

use sha2::{Digest as _, Sha256};
use wasmtime::component::{Component, Linker};
use wasmtime::{Config, Engine};

use super::bindings::PluginPre;
use super::cache::{self, Cache, Entry};
use super::effect::Effect;
use super::instance::{Instance, bounded};
use super::wasi::{self, Guest};
use super::{Descriptor, EffectLimits, PluginError};

/// Bytes of native stack that a guest may use. Deep recursion traps long before the thread's own 2 MiB end.
const STACK_BYTES: usize = 512 << 10;

/// How every component begins: the magic number, then version 13 in layer 1 (core modules are version 1 in layer 0).
const COMPONENT_PREAMBLE: [u8; 8] = [0x00, b'a', b's', b'm', 0x0d, 0x00, 0x01, 0x00];
/// How every core module begins.
const MODULE_PREAMBLE: [u8; 8] = [0x00, b'a', b's', b'm', 0x01, 0x00, 0x00, 0x00];

/// What compiles and runs effects. One is enough for a process; effects loaded from it keep it alive.
pub struct EffectHost {
    engine: Engine,
    linker: Linker<Guest>,
    cache: Option<Cache>,
    limits: EffectLimits,
}

impl EffectHost {
    /// Sets up the compiler. `cache_folder` holds compiled code between starts; it is made when missing and must be
    /// writable by this user alone, because what lies in it runs without further checks. Without a folder every load
    /// compiles.
    pub fn open(cache_folder: Option<&Path>, limits: EffectLimits) -> Result<Self, PluginError> {
        let refused = |error: wasmtime::Error| PluginError::Engine(format!("{error:#}"));
        let engine = Engine::new(&config()).map_err(refused)?;
        let mut linker = Linker::new(&engine);
        wasi::add_to_linker(&mut linker).map_err(refused)?;
        let cache = cache_folder
            .map(|folder| Cache::open(folder, &engine))
            .transpose()
            .map_err(PluginError::Cache)?;
        Ok(Self {
            engine,
            linker,
            cache,
            limits,
        })
    }

    /// Makes the folder for compiled code, or makes it private to this user. In a process that may change no permissions,
    /// [`open`](Self::open) can no longer do that.
    pub fn own_cache(folder: &Path) -> Result<(), PluginError> {
        cache::make_private(folder).map_err(PluginError::Cache)
    }

    /// A host with the same compiler and cache, whose effects have other limits.
    #[must_use]
    pub fn with_limits(&self, limits: EffectLimits) -> Self {
        Self {
            engine: self.engine.clone(),
            linker: self.linker.clone(),
            cache: self.cache.clone(),
            limits,
        }
    }

    /// The limits of the effects that it loads.
    #[must_use]
    pub fn limits(&self) -> EffectLimits {
        self.limits
    }

    /// The permanent name of a component: the SHA-256 of its bytes, in lower-case hexadecimal.
    #[must_use]
    pub fn digest(wasm: &[u8]) -> String {
        base16ct::lower::encode_string(&Sha256::digest(wasm))
    }

    /// Compiles the component in `wasm` and asks it what it is, or takes both from the cache.
    pub fn load(&self, wasm: &[u8]) -> Result<Effect, PluginError> {
        let digest = Self::digest(wasm);
        let name = format!("component sha256:{}", &digest[..12]);
        self.check_form(wasm, &name)?;
        if let Some(cache) = &self.cache
            && let Some(Entry {
                component,
                descriptor,
            }) = cache.read(&digest, &self.engine)
        {
            let component = self.link(&component, &name)?;
            return Ok(Effect::new(
                component,
                descriptor,
                digest,
                self.limits,
                true,
            ));
        }

        let component = Component::from_binary(&self.engine, wasm).map_err(|error| {
            PluginError::NotAComponent {
                effect: name.clone(),
                reason: bounded(&format!("{error:#}")),
            }
        })?;
        let linked = self.link(&component, &name)?;
        let descriptor = self.describe(&linked, &name)?;
        if let Some(cache) = &self.cache {
            // A full disk costs time at the next start, not this effect.
            if let Err(error) = cache.write(&digest, &component, &descriptor) {
                tracing::warn!(effect = %descriptor.id, %error, "compiled effect could not be kept");
            }
        }
        Ok(Effect::new(linked, descriptor, digest, self.limits, false))
    }

    /// What can be said before compiling.
    fn check_form(&self, wasm: &[u8], name: &str) -> Result<(), PluginError> {
        let effect = name.to_owned();
        if wasm.len() > self.limits.component_bytes {
            return Err(PluginError::TooLarge {
                effect,
                bytes: wasm.len(),
                limit: self.limits.component_bytes,
            });
        }
        let reason = if wasm.starts_with(&COMPONENT_PREAMBLE) {
            return Ok(());
        } else if wasm.starts_with(&MODULE_PREAMBLE) {
            "it is a core module; build for wasm32-wasip2, or complete it with `vocalhost effect wrap`"
        } else {
            "it does not begin like one"
        };
        Err(PluginError::NotAComponent {
            effect,
            reason: reason.to_owned(),
        })
    }

    /// Connects the component's imports and finds its exports.
    fn link(&self, component: &Component, name: &str) -> Result<PluginPre<Guest>, PluginError> {
        let ty = component.component_type();
        let exports = ty.exports(&self.engine).map(|(export, _)| export);
        check_version(exports).map_err(|reason| PluginError::NotAnEffect {
            effect: name.to_owned(),
            reason,
        })?;
        for (import, _) in ty.imports(&self.engine) {
            if !is_granted(import) {
                return Err(PluginError::UnknownImport {
                    effect: name.to_owned(),
                    import: bounded(import),
                });
            }
        }
        let linked =
            self.linker
                .instantiate_pre(component)
                .map_err(|error| PluginError::UnknownImport {
                    effect: name.to_owned(),
                    import: bounded(&format!("{error:#}")),
                })?;
        PluginPre::new(linked).map_err(|error| PluginError::NotAnEffect {
            effect: name.to_owned(),
            reason: bounded(&format!("{error:#}")),
        })
    }

    /// Asks the component what it is, in an instance that is thrown away.
    fn describe(
        &self,
        component: &PluginPre<Guest>,
        name: &str,
    ) -> Result<Descriptor, PluginError> {
        let mut instance = Instance::start(component, name, &self.limits)?;
        let answer = instance.call("describe", self.limits.setup_fuel(), |effect, store| {
            effect.call_describe(store)
        })?;
        Descriptor::from_guest(answer).map_err(|reason| PluginError::Descriptor {
            effect: name.to_owned(),
            reason,
        })
    }
}

/// The engine's settings; each changes what guests can do or how fast they are.
fn config() -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .wasm_simd(true)
        // The same samples on every processor are worth more than the last percent of speed.
        .relaxed_simd_deterministic(true)
        // Guests are called one at a time and run to their end; without the bookkeeping a call costs a third.
        .concurrency_support(false)
        .consume_fuel(true)
        .max_wasm_stack(STACK_BYTES);
    // NaN canonicalisation stays off (4 to 6.5 times as slow): the host checks every answer for finite samples instead.
    config
}

/// The interface that effects export, as far as its version.
const INTERFACE: &str = "vocalhost:effect/effect@";
/// The published versions of the interface, oldest first. Each is found by components of the same minor version too.
const SPOKEN_VERSIONS: [&str; 1] = ["0.1.0"];

/// Whether one of the exports is the interface in a version that this host supports. A component that exports no version at all passes: the
/// error comes where the export is looked up.
fn check_version<'a>(exports: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let offered: Vec<&str> = exports
        .filter_map(|export| export.strip_prefix(INTERFACE))
        .collect();
    let is_spoken = |version: &&str| {
        let minor = |version: &str| {
            let (minor, patch) = version.rsplit_once('.')?;
            let released = patch.bytes().all(|letter| letter.is_ascii_digit());
            released.then(|| minor.to_owned())
        };
        let wanted = minor(version);
        wanted.is_some() && SPOKEN_VERSIONS.iter().any(|spoken| minor(spoken) == wanted)
    };
    if offered.is_empty() || offered.iter().any(is_spoken) {
        return Ok(());
    }
    Err(format!(
        "it speaks version {} of the interface, and this host speaks {}",
        bounded(&offered.join(", ")),
        SPOKEN_VERSIONS.join(", ")
    ))
}

/// Whether a component may import the interface: WASI 0.2 without HTTP; the host answers it without giving access to anything.
fn is_granted(import: &str) -> bool {
    const GRANTED: [&str; 6] = [
        "wasi:cli/",
        "wasi:clocks/",
        "wasi:filesystem/",
        "wasi:io/",
        "wasi:random/",
        "wasi:sockets/",
    ];
    GRANTED.iter().any(|package| import.starts_with(package))
}
