use wasmtime::{Error, ResourceLimiter, Result};

/// The most frames that one call into an effect carries; longer blocks are split. From 1,024 to 16,384 frames the
/// measured cost per frame is alike.
pub const MAX_FRAMES: usize = 4096;

/// What an effect may use. Every figure is a limit for hostile components, far above what the built-in effects need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EffectLimits {
    /// Bytes of a component. Compiling cannot be interrupted; built-in effects have up to a
    /// quarter of a mebibyte, one in JavaScript brings its engine along in 12.
    pub component_bytes: usize,
    /// Bytes of all linear memories of one instance. A ten-second delay at 192 kHz in stereo takes 15 MiB.
    pub memory_bytes: usize,
    /// Elements of all tables of one instance: the functions that it may call indirectly.
    pub table_elements: usize,
    /// Seconds of work that a call may take for each second of audio that it carries. Effects run at hundredths; beyond
    /// ten no worker would finish a recording within its job's time.
    pub work_per_audio: f64,
    /// Seconds of work that a call may take at least, however little audio it carries: an effect may gather frames and
    /// do the work of many calls in one.
    pub least_work_s: f64,
    /// Seconds of work for describing and for constructing: tables of filters and delay lines are filled then, and the
    /// longest room of a convolution reverb at 192 kHz is transformed.
    pub setup_work_s: f64,
}

impl Default for EffectLimits {
    fn default() -> Self {
        Self {
            component_bytes: 16 << 20,
            memory_bytes: 64 << 20,
            table_elements: 20_000,
            work_per_audio: 10.0,
            least_work_s: 0.5,
            setup_work_s: 10.0,
        }
    }
}

/// Fuel for a second of work: about one unit per WebAssembly instruction, of which compiled DSP loops run 1 to 3
/// thousand million in a second. Fuel, unlike a clock, stops a runaway at the same instruction on every machine.
const FUEL_PER_SECOND_OF_WORK: f64 = 1e9;

/// Seconds of audio whose work every call may take, so that an effect may gather frames: half a second of work under
/// the default limit.
const LEAST_AUDIO_S: f64 = 0.05;

impl EffectLimits {
    /// The limits of an effect that may use `memory_bytes` and take `work_per_audio` seconds of work per second of audio.
    #[must_use]
    pub fn of(memory_bytes: usize, work_per_audio: f64) -> Self {
        Self {
            memory_bytes,
            work_per_audio,
            least_work_s: LEAST_AUDIO_S * work_per_audio,
            ..Self::default()
        }
    }

    /// Fuel for instantiating, describing or constructing.
    pub(super) fn setup_fuel(&self) -> u64 {
        fuel(self.setup_work_s)
    }

    /// Fuel for a call that carries `frames` frames.
    pub(super) fn process_fuel(&self, frames: usize, sample_rate_hz: u32) -> u64 {
        let audio_s = frames as f64 / f64::from(sample_rate_hz);
        fuel((audio_s * self.work_per_audio).max(self.least_work_s))
    }
}

fn fuel(work_s: f64) -> u64 {
    (work_s * FUEL_PER_SECOND_OF_WORK) as u64
}

/// Core instances of one component: a component of Rust has three or four (itself and the shims of its adapter).
const MAX_INSTANCES: usize = 16;
/// Tables of one component: one or two are usual.
const MAX_TABLES: usize = 16;
/// Memories of one component: more than one is already unusual.
const MAX_MEMORIES: usize = 4;

/// An instance asked for more memory than it may have.
#[derive(Debug, thiserror::Error)]
#[error("asked for {wanted_bytes} bytes of memory")]
pub(super) struct MemoryExhausted {
    pub(super) wanted_bytes: usize,
}

/// Keeps one instance within its memory; growing beyond it traps, because a guest that is told of the failure may try
/// again for ever.
pub(super) struct Limiter {
    memory_bytes_left: usize,
    table_elements_left: usize,
    memory_bytes: usize,
}

impl Limiter {
    pub(super) fn new(limits: &EffectLimits) -> Self {
        Self {
            memory_bytes_left: limits.memory_bytes,
            table_elements_left: limits.table_elements,
            memory_bytes: limits.memory_bytes,
        }
    }

    /// Bytes of all memories together.
    pub(super) fn memory_bytes_used(&self) -> usize {
        self.memory_bytes - self.memory_bytes_left
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> Result<bool> {
        let grown = desired.saturating_sub(current);
        let Some(left) = self.memory_bytes_left.checked_sub(grown) else {
            let wanted_bytes = self.memory_bytes - self.memory_bytes_left + grown;
            return Err(Error::new(MemoryExhausted { wanted_bytes }));
        };
        self.memory_bytes_left = left;
        Ok(true)
    }

    fn memory_grow_failed(&mut self, error: Error) -> Result<()> {
        Err(error)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> Result<bool> {
        let grown = desired.saturating_sub(current);
        let Some(left) = self.table_elements_left.checked_sub(grown) else {
            return Err(wasmtime::format_err!(
                "asked for a table of {desired} elements"
            ));
        };
        self.table_elements_left = left;
        Ok(true)
    }

    fn table_grow_failed(&mut self, error: Error) -> Result<()> {
        Err(error)
    }

    fn instances(&self) -> usize {
        MAX_INSTANCES
    }

    fn tables(&self) -> usize {
        MAX_TABLES
    }

    fn memories(&self) -> usize {
        MAX_MEMORIES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_of_one_instance_share_one_limit() {
        let limits = EffectLimits {
            memory_bytes: 3 << 16,
            ..EffectLimits::default()
        };
        let mut limiter = Limiter::new(&limits);
        assert!(limiter.memory_growing(0, 2 << 16, None).is_ok());
        assert!(limiter.memory_growing(0, 1 << 16, None).is_ok());
        let error = limiter
            .memory_growing(1 << 16, 2 << 16, None)
            .expect_err("the limit is reached");
        let exhausted = error
            .downcast_ref::<MemoryExhausted>()
            .expect("the error says so");
        assert_eq!(exhausted.wanted_bytes, 4 << 16);
    }

    #[test]
    fn fuel_follows_the_length_of_the_audio_but_never_falls_below_the_least() {
        let limits = EffectLimits {
            work_per_audio: 2.0,
            least_work_s: 0.5,
            ..EffectLimits::default()
        };
        assert_eq!(limits.process_fuel(44_100, 44_100), 2_000_000_000);
        assert_eq!(limits.process_fuel(1, 44_100), 500_000_000);
    }
}
