//! Processors as they are, without the stream around them.

use std::collections::BTreeMap;

use vocalhost_effects::{Layout, PluginError, Processor, ProcessorConfig, SettingValue, Tail};

use super::rig::{CATALOG, HOSTILE, SAMPLE_RATE_HZ, choice};

/// A stream with as many channels out as in and no settings.
pub fn config(channels: u32) -> ProcessorConfig {
    ProcessorConfig {
        sample_rate_hz: SAMPLE_RATE_HZ,
        layout: Layout {
            inputs: channels,
            outputs: channels,
        },
        max_frames: 4_096,
        settings: BTreeMap::new(),
    }
}

fn with(setting: (&str, SettingValue)) -> ProcessorConfig {
    let mut config = config(1);
    config.settings.insert(setting.0.to_owned(), setting.1);
    config
}

#[test]
fn a_latency_is_told_and_left_as_it_is() {
    let config = with(("latency", SettingValue::Number(2.0)));
    let mut processor = Processor::start(&HOSTILE, &config).expect("starts");
    assert_eq!(processor.latency().expect("answers"), 2);
    assert_eq!(processor.tail().expect("answers"), Tail::Frames(0));
    let answer = processor.process(&[1.0, 2.0, 3.0]).expect("processes");
    assert_eq!(answer, [0.0, 0.0, 1.0]);
    processor.reset().expect("forgets");
    let answer = processor.process(&[4.0, 5.0, 6.0]).expect("processes");
    assert_eq!(answer, [0.0, 0.0, 4.0]);
}

#[test]
fn work_and_memory_are_counted() {
    let entry = CATALOG.find("reverb").expect("it is built in");
    let mut processor = Processor::start(&entry.effect, &config(2)).expect("starts");
    let constructing = processor.fuel_used();
    assert!(constructing > 0);
    processor.process(&[0.0; 512]).expect("processes");
    let once = processor.fuel_used() - constructing;
    processor.process(&[0.0; 512]).expect("processes");
    let again = processor.fuel_used() - constructing - once;
    assert!(again > once / 2 && again < 2 * once, "{once}, {again}");
    assert!(processor.memory_bytes() >= 1 << 16);
    assert!(processor.memory_bytes() <= 64 << 20);
}

#[test]
fn an_illegal_setting_reaches_no_processor() {
    let config = with(("volume", SettingValue::Number(1.0)));
    let outcome = Processor::start(&HOSTILE, &config).err();
    assert!(matches!(outcome, Some(PluginError::Setting { .. })));
}

#[test]
fn a_failure_ends_the_siblings_of_the_same_instance_too() {
    let first = Processor::start(&HOSTILE, &config(1)).expect("starts");
    let mut second = first
        .sibling(&with(("deed", choice("panic"))))
        .expect("starts");
    assert!(second.process(&[0.0]).is_err());
    let mut first = first;
    assert!(matches!(
        first.process(&[0.0]),
        Err(PluginError::Poisoned { .. })
    ));
}

#[test]
fn a_processor_that_ended_leaves_its_siblings_alone() {
    let mut first = Processor::start(&HOSTILE, &config(1)).expect("starts");
    let second = first.sibling(&config(1)).expect("starts");
    second.end().expect("ends");
    assert_eq!(first.process(&[0.5]).expect("goes on"), [0.5]);
}
