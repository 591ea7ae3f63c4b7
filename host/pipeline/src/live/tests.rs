use super::joined::JoinedEffects;
use crate::line::Line;
use vocalhost_audio::Block;
use vocalhost_effects::{Catalog, Effect, EffectHost, EffectLimits, EffectStage, StreamConfig};

const RATE_HZ: u32 = 48_000;

fn effect(name: &str) -> Effect {
    let host = EffectHost::open(None, EffectLimits::default()).expect("it opens");
    let all = Catalog::builtin(&host).expect("they load");
    all.find(name).expect("it is built in").effect.clone()
}

fn stage(effect: &Effect) -> EffectStage {
    let stream = StreamConfig {
        sample_rate_hz: RATE_HZ,
        channels: 1,
        settings: std::collections::BTreeMap::new(),
    };
    effect.start(&stream).expect("it starts")
}

fn tone(frames: std::ops::Range<usize>) -> Vec<f32> {
    frames.map(|at| 0.3 * (at as f32 * 0.05).sin()).collect()
}

/// The largest step between neighbouring samples.
fn steepest(samples: &[f32]) -> f32 {
    let steps = samples.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    steps.fold(0.0, f32::max)
}

#[test]
fn effects_are_exchanged_without_a_click_and_nothing_is_lost() {
    let limiter = effect("vocalhost.limiter");
    let mut effects = JoinedEffects::none(RATE_HZ);
    let mut out = Vec::new();
    for block in 0..100 {
        match block {
            20 | 41 => effects.go_over_to(vec![stage(&limiter)]),
            40 => effects.go_over_to(Vec::new()),
            _ => {}
        }
        let samples = tone(block * 480..(block + 1) * 480);
        out.extend(effects.process(samples).expect("it runs"));
    }
    out.extend(effects.finish().expect("it ends"));
    assert_eq!(out.len(), 48_000);
    let plain = tone(0..48_000);
    let (heard, said) = (steepest(&out), steepest(&plain));
    assert!(heard < 1.2 * said, "{heard} of {said}");
    // A limiter leaves soft sound as it is, and adds no latency.
    let wrong = out.iter().zip(&plain).map(|(a, b)| (a - b).abs());
    let wrong = wrong.fold(0.0, f32::max);
    assert!(wrong < 0.02, "{wrong}");
}

#[test]
fn an_echo_is_heard_to_its_end_after_its_effect_has_gone() {
    let delay = effect("delay");
    let mut effects = JoinedEffects::none(RATE_HZ);
    effects.go_over_to(vec![stage(&delay)]);
    let mut out = effects.process(tone(0..4_800)).expect("it runs");
    effects.go_over_to(Vec::new());
    for _ in 0..40 {
        out.extend(effects.process(vec![0.0; 4_800]).expect("it runs"));
    }
    let mut line = Line::default();
    line.push(stage(&delay));
    let mut whole = Vec::new();
    let mut sink = |block: Block| -> Result<(), crate::PipelineError> {
        whole.extend_from_slice(block.as_planar());
        Ok(())
    };
    line.process(Block::from_planar(1, tone(0..4_800)), &mut sink)
        .expect("it runs");
    for _ in 0..40 {
        let silence = Block::from_planar(1, vec![0.0; 4_800]);
        line.process(silence, &mut sink).expect("it runs");
    }
    let loudest = |samples: &[f32]| samples.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    let (echo, wanted) = (&out[9_600..], &whole[9_600..out.len()]);
    assert!(loudest(wanted) > 0.02, "the delay gives no echo");
    let off = echo.iter().zip(wanted).map(|(a, b)| (a - b).abs());
    let off = off.fold(0.0, f32::max);
    assert!(off < 0.02 * loudest(wanted).max(0.01), "{off}");
}
