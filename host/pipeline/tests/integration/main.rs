//! Whole jobs with real models and effects, in this process.

mod blend;
mod cleaning;
mod conversion;
mod separation;
mod threads;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use vocalhost_audio::{AudioLimits, Decoder};
use vocalhost_effects::{EffectHost, EffectLimits};
use vocalhost_job::{ChainItem, JobResult, SettingValue};

const LIMITS: AudioLimits = AudioLimits {
    max_duration_s: 600.0,
};

static EFFECTS: LazyLock<vocalhost_effects::Catalog> = LazyLock::new(|| {
    let host = EffectHost::open(None, EffectLimits::default()).expect("the host opens");
    vocalhost_effects::Catalog::builtin(&host).expect("the built-in effects load")
});

/// The packages that ran, each of which has a version.
fn used(result: &JobResult) -> Vec<&str> {
    assert!(result.models.iter().all(|model| model.version.is_some()));
    let models = result.models.iter();
    models.map(|model| model.id.as_str()).collect()
}

fn item(name: &str, settings: &[(&str, f64)]) -> ChainItem {
    let entry = EFFECTS.find(name).expect("the effect is built in");
    let settings: BTreeMap<_, _> = settings
        .iter()
        .map(|(id, value)| ((*id).to_owned(), SettingValue::Number(*value)))
        .collect();
    ChainItem {
        id: entry.descriptor.id.clone(),
        version: entry.descriptor.version.clone(),
        digest: entry.digest.clone(),
        settings,
    }
}

fn decoded(path: &Path) -> (u32, Vec<Vec<f32>>) {
    let mut decoder = Decoder::open(path, &LIMITS).expect("the result decodes");
    let mut channels = vec![Vec::new(); decoder.info().channels];
    while let Some(block) = decoder.next_block().expect("the result decodes") {
        for (index, channel) in channels.iter_mut().enumerate() {
            channel.extend_from_slice(block.channel(index));
        }
    }
    (decoder.info().sample_rate_hz, channels)
}

fn rms(samples: &[f32]) -> f64 {
    let sum: f64 = samples
        .iter()
        .map(|sample| f64::from(*sample).powi(2))
        .sum();
    (sum / samples.len() as f64).sqrt()
}
