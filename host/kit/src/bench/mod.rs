//! How fast an effect is: what each second of sound costs by length of block, channels and rate, what starting costs,
//! and whether silence after sound costs more.

mod frames;
mod loading;
mod spread;

pub use frames::{BLOCK_LENGTHS, Rate, SilenceCost};
pub use loading::Loading;
pub use spread::Spread;

use super::KitError;
use super::settings::Settings;
use vocalhost_effects::{Effect, EffectLimits};

/// What a bench found. Times are seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchReport {
    /// Loading and starting.
    pub loading: Loading,
    /// Throughput, by rate, channels and length of block.
    pub rates: Vec<Rate>,
    /// What silence after sound costs.
    pub silence: SilenceCost,
    /// Bytes of memory of an instance in stereo at 48 kHz after it has worked.
    pub memory_bytes: usize,
}

/// Measures the component. `rounds` measurements are made of everything, one after the other over all lengths of block,
/// so that a disturbance meets all alike.
pub fn bench(
    component: &[u8],
    limits: EffectLimits,
    settings: impl FnOnce(&Effect) -> Result<Settings, KitError>,
    rounds: usize,
) -> Result<(Effect, BenchReport), KitError> {
    let (effect, mut loading) = loading::measure_loads(component, limits, rounds)?;
    let settings = settings(&effect)?;
    loading.start_s = loading::measure_start(&effect, &settings, rounds)?;
    let rates = frames::measure_rates(&effect, &settings, rounds)?;
    let (silence, memory_bytes) = frames::measure_silence(&effect, &settings, rounds)?;
    let report = BenchReport {
        loading,
        rates,
        silence,
        memory_bytes,
    };
    Ok((effect, report))
}
