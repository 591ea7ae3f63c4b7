use std::time::Instant;

use super::Spread;
use crate::KitError;
use crate::settings::Settings;
use vocalhost_effects::{Effect, EffectHost, EffectLimits, StreamConfig};

/// Loading cold takes long, and its spread says little: so many rounds at most.
const MAX_COLD_ROUNDS: usize = 3;
/// Frames per second of the streams that are started.
const SAMPLE_RATE_HZ: u32 = 48_000;

/// What it takes until an effect can work, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Loading {
    /// Bytes of the component.
    pub component_bytes: usize,
    /// Compiling and describing, with nothing in the cache.
    pub cold_s: Spread,
    /// Out of the cache.
    pub warm_s: Spread,
    /// Starting a stream in stereo: instantiating and constructing.
    pub start_s: Spread,
}

/// Loads the component in caches of its own, which vanish again.
pub(super) fn measure_loads(
    component: &[u8],
    limits: EffectLimits,
    rounds: usize,
) -> Result<(Effect, Loading), KitError> {
    let folder = tempfile::tempdir().map_err(|source| KitError::File {
        path: std::env::temp_dir(),
        source,
    })?;
    let host = |name: &str| EffectHost::open(Some(&folder.path().join(name)), limits);
    let mut cold = Vec::new();
    for round in 0..rounds.clamp(1, MAX_COLD_ROUNDS) {
        cold.push(timed_load(&host(&round.to_string())?, component)?.1);
    }
    let mut warm = Vec::new();
    let host = host("0")?;
    let mut effect = host.load(component)?;
    for _ in 0..rounds.max(1) {
        let (loaded, seconds) = timed_load(&host, component)?;
        effect = loaded;
        warm.push(seconds);
    }
    let loading = Loading {
        component_bytes: component.len(),
        cold_s: Spread::of(cold),
        warm_s: Spread::of(warm),
        start_s: Spread::of(vec![0.0]),
    };
    Ok((effect, loading))
}

pub(super) fn measure_start(
    effect: &Effect,
    settings: &Settings,
    rounds: usize,
) -> Result<Spread, KitError> {
    let config = StreamConfig {
        sample_rate_hz: SAMPLE_RATE_HZ,
        channels: 2,
        settings: settings.clone(),
    };
    let mut seconds = Vec::new();
    for _ in 0..rounds.max(1) {
        let begun = Instant::now();
        let stage = effect.start(&config)?;
        seconds.push(begun.elapsed().as_secs_f64());
        drop(stage);
    }
    Ok(Spread::of(seconds))
}

fn timed_load(host: &EffectHost, component: &[u8]) -> Result<(Effect, f64), KitError> {
    let begun = Instant::now();
    let effect = host.load(component)?;
    Ok((effect, begun.elapsed().as_secs_f64()))
}
