//! What the effect tests share: a host, the hostile component, and sound to send through.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use vocalhost_audio::{Block, Stage, StageError};
use vocalhost_effects::{
    Catalog, Effect, EffectHost, EffectLimits, EffectStage, SettingValue, StreamConfig,
};
use vocalhost_testing::guests::HOSTILE_COMPONENT;

pub const SAMPLE_RATE_HZ: u32 = 44_100;

/// A host with small limits, so that runaways end soon.
pub static HOST: LazyLock<EffectHost> = LazyLock::new(|| host(brisk_limits()));

/// The built-in effects, under the limits that a server gives them.
pub static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    Catalog::builtin(&host(EffectLimits::default())).expect("the built-in effects load")
});

/// A host whose cache outlives the suite.
fn host(limits: EffectLimits) -> EffectHost {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("effects");
    EffectHost::open(Some(&cache), limits).expect("the host opens")
}

/// The hostile effect, loaded.
pub static HOSTILE: LazyLock<Effect> = LazyLock::new(|| {
    HOST.load(&HOSTILE_COMPONENT)
        .expect("the hostile effect loads")
});

/// Limits under which an endless loop ends within a fraction of a second.
pub fn brisk_limits() -> EffectLimits {
    EffectLimits {
        least_work_s: 0.1,
        work_per_audio: 1.0,
        setup_work_s: 0.1,
        ..EffectLimits::default()
    }
}

/// A stream of `channels` channels without settings.
pub fn stream(channels: usize) -> StreamConfig {
    StreamConfig {
        sample_rate_hz: SAMPLE_RATE_HZ,
        channels,
        settings: BTreeMap::new(),
    }
}

/// A stream with settings.
pub fn stream_with(channels: usize, settings: &[(&str, SettingValue)]) -> StreamConfig {
    StreamConfig {
        settings: settings
            .iter()
            .map(|(id, value)| ((*id).to_owned(), value.clone()))
            .collect(),
        ..stream(channels)
    }
}

/// A stereo stream of the hostile effect that will do `deed` in `process`.
pub fn about_to(deed: &str) -> EffectStage {
    HOSTILE
        .start(&stream_with(2, &[("deed", choice(deed))]))
        .expect("it starts as if nothing were wrong")
}

pub fn choice(id: &str) -> SettingValue {
    SettingValue::Choice(id.to_owned())
}

/// Sound with something in it everywhere: a sum of sines that differs between channels.
pub fn sound(channels: usize, frames: usize) -> Block {
    let mut block = Block::silent(channels, frames);
    for channel in 0..channels {
        let pitch = 0.03 + 0.011 * channel as f32;
        for (frame, sample) in block.channel_mut(channel).iter_mut().enumerate() {
            let time = frame as f32;
            *sample = 0.4 * (pitch * time).sin() + 0.2 * (pitch * 3.7 * time).sin();
        }
    }
    block
}

/// Some frames of a block.
pub fn slice(block: &Block, frames: std::ops::Range<usize>) -> Block {
    let mut piece = Block::silent(block.channels(), frames.len());
    for channel in 0..block.channels() {
        piece
            .channel_mut(channel)
            .copy_from_slice(&block.channel(channel)[frames.clone()]);
    }
    piece
}

/// Sends `sound` through in blocks of these lengths, over and over, and gives all that comes out, channel by channel.
pub fn run(
    stage: &mut EffectStage,
    sound: &Block,
    lengths: &[usize],
) -> Result<Vec<Vec<f32>>, StageError> {
    let mut out = vec![Vec::new(); sound.channels()];
    let mut keep = |block: &Block| {
        for (channel, kept) in out.iter_mut().enumerate() {
            kept.extend_from_slice(block.channel(channel));
        }
    };
    let mut first = 0;
    for length in lengths.iter().cycle() {
        let end = sound.frames().min(first + length);
        keep(&stage.process(slice(sound, first..end))?);
        first = end;
        if first == sound.frames() {
            break;
        }
    }
    keep(&stage.flush()?);
    Ok(out)
}
