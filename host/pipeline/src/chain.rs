use std::collections::BTreeMap;

use super::PipelineError;
use super::line::Line;
use vocalhost_job::{Chain, ChainItem, JobStage, Progress, SettingValue};

/// Appends a chain's effects to a line.
pub fn add_effects(
    line: &mut Line,
    chain: &Chain,
    effects: &vocalhost_effects::Catalog,
    sample_rate_hz: u32,
    channels: usize,
) -> Result<(), PipelineError> {
    for item in chain {
        let entry = effects
            .pinned(&item.id, &item.version, &item.digest)
            .ok_or_else(|| PipelineError::EffectMissing {
                id: item.id.clone(),
                version: item.version.clone(),
            })?;
        let settings = settings_of(item);
        line.push(entry.effect.start(&vocalhost_effects::StreamConfig {
            sample_rate_hz,
            channels,
            settings,
        })?);
    }
    Ok(())
}

/// What is set of an effect, as its host takes it.
pub fn settings_of(item: &ChainItem) -> BTreeMap<String, vocalhost_effects::SettingValue> {
    let settings = item.settings.iter();
    settings
        .map(|(id, value)| (id.clone(), setting(value)))
        .collect()
}

fn setting(value: &SettingValue) -> vocalhost_effects::SettingValue {
    match value {
        SettingValue::Toggle(on) => vocalhost_effects::SettingValue::Toggle(*on),
        SettingValue::Number(number) => vocalhost_effects::SettingValue::Number(*number),
        SettingValue::Choice(option) => vocalhost_effects::SettingValue::Choice(option.clone()),
    }
}

/// The progress at a share of the way between two percentages of a job.
pub fn between(stage: JobStage, from: f64, to: f64, share: f64) -> Progress {
    Progress {
        stage,
        percent: from + (to - from) * share.clamp(0.0, 1.0),
    }
}
