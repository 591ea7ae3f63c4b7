use wasmtime::{Store, Trap};
use wasmtime_wasi::I32Exit;

use super::PluginError;
use super::bindings::{PluginPre, interface};
use super::denormals::FlushDenormals;
use super::limits::{EffectLimits, MemoryExhausted};
use super::wasi::{Guest, WantedToWait};
use vocalhost_letters::is_hidden;
use vocalhost_system::work::Part;

/// Characters of a guest's own words in an error: enough for a sentence and the place of a panic.
const MAX_WORDS: usize = 400;

/// Bytes that the host allocates at most for what the guest passes in one call. Without the limit, a small guest could
/// list the same memory a million times.
const MAX_HANDOVER_BYTES: usize = 16 << 20;

/// Resources that a guest may hold handles to, its own processors included; far more than channels.
const MAX_HANDLES: usize = 1024;

/// One running component: a store of its own, and calls into it that are limited and checked.
pub(super) struct Instance {
    store: Store<Guest>,
    effect: interface::Guest,
    name: String,
    memory_bytes: usize,
    poisoned: bool,
}

impl Instance {
    /// Starts the component. `name` is how errors call it.
    pub(super) fn start(
        component: &PluginPre<Guest>,
        name: &str,
        limits: &EffectLimits,
    ) -> Result<Self, PluginError> {
        let mut store = Store::new(component.engine(), Guest::new(limits));
        store.limiter(|guest| &mut guest.limiter);
        store.set_hostcall_fuel(MAX_HANDOVER_BYTES);
        store.set_max_component_handles(MAX_HANDLES);
        store
            .set_fuel(limits.setup_fuel())
            .expect("the engine counts fuel");
        let started = {
            let _guard = FlushDenormals::new();
            component.instantiate(&mut store)
        };
        match started {
            Ok(plugin) => Ok(Self {
                effect: plugin.vocalhost_effect_effect().clone(),
                store,
                name: name.to_owned(),
                memory_bytes: limits.memory_bytes,
                poisoned: false,
            }),
            Err(error) => Err(explain(
                &error,
                store.data(),
                name,
                "start",
                limits.memory_bytes,
            )),
        }
    }

    /// Runs `work` with `fuel`. Any error poisons the instance, whose state can no longer be trusted.
    pub(super) fn call<R>(
        &mut self,
        call: &'static str,
        fuel: u64,
        work: impl FnOnce(&interface::Guest, &mut Store<Guest>) -> wasmtime::Result<R>,
    ) -> Result<R, PluginError> {
        if self.poisoned {
            return Err(PluginError::Poisoned {
                effect: self.name.clone(),
            });
        }
        self.store.set_fuel(fuel).expect("the engine counts fuel");
        let outcome = {
            let _guard = FlushDenormals::new();
            Part::Effects.count(|| work(&self.effect, &mut self.store))
        };
        outcome.map_err(|error| {
            self.poisoned = true;
            explain(
                &error,
                self.store.data(),
                &self.name,
                call,
                self.memory_bytes,
            )
        })
    }

    /// What the last call left of its fuel.
    pub(super) fn fuel_left(&self) -> u64 {
        self.store.get_fuel().expect("the engine counts fuel")
    }

    /// Bytes of all its memories, which never shrink.
    pub(super) fn memory_bytes_used(&self) -> usize {
        self.store.data().limiter.memory_bytes_used()
    }

    /// Gives the instance up because of an answer that it gave.
    pub(super) fn poison(&mut self) {
        self.poisoned = true;
    }
}

/// Turns what wasmtime reports into what went wrong.
fn explain(
    error: &wasmtime::Error,
    guest: &Guest,
    name: &str,
    call: &'static str,
    memory_bytes: usize,
) -> PluginError {
    let effect = name.to_owned();
    if let Some(MemoryExhausted { wanted_bytes }) = error.downcast_ref() {
        return PluginError::OutOfMemory {
            effect,
            call,
            wanted_bytes: *wanted_bytes,
            limit: memory_bytes,
        };
    }
    if error.downcast_ref::<WantedToWait>().is_some() {
        return PluginError::Waited { effect, call };
    }
    if error.downcast_ref::<I32Exit>().is_some() {
        return PluginError::Exited { effect, call };
    }
    let trap = error.downcast_ref::<Trap>();
    if trap == Some(&Trap::OutOfFuel) {
        return PluginError::OutOfTime { effect, call };
    }
    let words = bounded(&guest.last_words());
    let cause = trap.map_or_else(|| bounded(&error.root_cause().to_string()), Trap::to_string);
    let reason = if words.is_empty() {
        cause
    } else {
        format!("{words} ({cause})")
    };
    PluginError::Trapped {
        effect,
        call,
        reason,
    }
}

/// A guest's words on one line and of bounded length, fit for a log and for a person.
pub(super) fn bounded(words: &str) -> String {
    let mut line = String::new();
    for word in words.split(|letter: char| letter.is_whitespace() || is_hidden(letter)) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(MAX_WORDS));
        if line.len() >= MAX_WORDS {
            break;
        }
    }
    match line.char_indices().nth(MAX_WORDS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_words_becomes_one_bounded_line() {
        let line = bounded(&"no\n\u{1b}[31m way ".repeat(1_000));
        assert!(line.starts_with("no [31m way no"), "{line}");
        assert!(line.ends_with('…'));
        assert_eq!(line.chars().count(), MAX_WORDS + 1);
        assert_eq!(bounded("  a panic\n  at x "), "a panic at x");
    }
}
