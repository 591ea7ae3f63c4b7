use std::collections::BTreeSet;

use vocalhost_effects::{Descriptor, Kind, Parameter, is_reserved};

use super::report::Verdict;
use super::signals::ordinary;
use super::subject::{RATE_HZ, Stop, Subject, defaults};
use super::variants::bounds;

/// The interface's own search words.
const TAGS: [&str; 12] = [
    "gate",
    "filter",
    "equalizer",
    "compressor",
    "limiter",
    "chorus",
    "reverb",
    "delay",
    "pitch",
    "gain",
    "restoration",
    "utility",
];

/// Checks what the host's own check of a descriptor cannot know or lets pass: that it stays the same, and that people
/// can read it.
pub(super) fn check(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    let descriptor = subject.descriptor();
    wording(descriptor, verdict);
    for parameter in &descriptor.parameters {
        parameter_wording(parameter, verdict);
    }
    presets(descriptor, verdict);

    let setup = defaults(RATE_HZ, subject.layout());
    // An effect that does not start fails another check.
    let Ok(mut line) = subject.start(&setup) else {
        return Ok(());
    };
    let fresh = line.ask(vocalhost_effects::Processor::describe)?;
    // Failing in `process` is the next check's finding.
    let played = line.play_whole(&ordinary(setup.config.layout.inputs, 4_096, 1));
    let used = if played.is_ok() {
        line.ask(vocalhost_effects::Processor::describe)?
    } else {
        fresh.clone()
    };
    if &fresh != descriptor || &used != descriptor {
        verdict.fail(
            "`describe` does not give the same answer each time; build it from constants alone",
        );
    }
    Ok(())
}

fn wording(descriptor: &Descriptor, verdict: &mut Verdict) {
    for (what, text) in [
        ("name", &descriptor.name),
        ("vendor", &descriptor.vendor),
        ("summary", &descriptor.summary),
    ] {
        if text.trim().is_empty() {
            verdict.fail(format!("its {what} is empty; people choose by it"));
        }
    }
    if is_reserved(&descriptor.id) {
        verdict.note(
            "its id is one of the built-in effects', which no server installs; give it one of your own",
        );
    }
    if descriptor.tags.is_empty() {
        verdict.note("it has no tags, so no search finds it");
    }
    for tag in &descriptor.tags {
        if !TAGS.contains(&tag.as_str()) && !tag.contains(':') {
            verdict.note(format!(
                "the tag {tag:?} is none of the interface's; write it as `vendor:{tag}`"
            ));
        }
    }
    let layouts: BTreeSet<_> = descriptor
        .layouts
        .iter()
        .map(|layout| (layout.inputs, layout.outputs))
        .collect();
    if layouts.len() < descriptor.layouts.len() {
        verdict.note("it lists a layout twice");
    }
}

fn parameter_wording(parameter: &Parameter, verdict: &mut Verdict) {
    let id = &parameter.id;
    if parameter.name.trim().is_empty() {
        verdict.fail(format!(
            "the parameter {id} has no name; panels label it with that"
        ));
    }
    if parameter.summary.trim().is_empty() {
        verdict.note(format!(
            "the parameter {id} has no summary; one sentence would help people"
        ));
    }
    match &parameter.kind {
        Kind::Toggle { .. } => {}
        Kind::Number { min, max, .. } => {
            if min >= max {
                verdict.note(format!("the parameter {id} has only one legal value"));
            }
            if bounds(parameter).is_some_and(|(_, highest)| highest < max - 1e-9 * max.abs()) {
                verdict.note(format!(
                    "the maximum of {id} is not on a step, so nobody can choose it"
                ));
            }
        }
        Kind::Choice { options, .. } => {
            for option in options
                .iter()
                .filter(|option| option.name.trim().is_empty())
            {
                verdict.fail(format!("the option {} of {id} has no name", option.id));
            }
        }
    }
}

fn presets(descriptor: &Descriptor, verdict: &mut Verdict) {
    for (index, preset) in descriptor.presets.iter().enumerate() {
        let id = &preset.id;
        if preset.name.trim().is_empty() {
            verdict.fail(format!("the preset {id} has no name"));
        }
        let changes = preset.settings.iter().any(|(id, value)| {
            descriptor
                .parameter(id)
                .is_none_or(|parameter| parameter.default_value() != *value)
        });
        if !changes {
            verdict.note(format!("the preset {id} is the defaults"));
        }
        let twin = descriptor.presets[..index]
            .iter()
            .find(|other| other.settings == preset.settings);
        if let Some(twin) = twin {
            verdict.note(format!("the presets {} and {id} are the same", twin.id));
        }
    }
}
