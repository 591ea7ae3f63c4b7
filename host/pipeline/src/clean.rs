//! Cleaning a voice step by step: lead, reverb, echo, noise.

use std::ptr;
use std::sync::Arc;

use super::PipelineError;
use super::apart::{Bench, Part, apart, without};
use super::sound::Sound;
use vocalhost_job::CleanStep;
use vocalhost_model::Separator;

/// A step, and its separator.
#[derive(Clone, Copy)]
pub struct Cleaning<'a> {
    /// The step.
    pub step: CleanStep,
    /// The separator. Successive steps with the same separator are a single pass.
    pub separator: &'a Separator,
}

/// A voice, and what was taken out of it; together they add up to the original.
pub(super) struct Cleaned {
    /// The voice.
    pub(super) voice: Arc<Sound>,
    /// What each step took out.
    pub(super) taken: Vec<(CleanStep, Arc<Sound>)>,
}

impl Cleaned {
    /// What a step took out.
    pub(super) fn taken_by(&self, step: CleanStep) -> Option<Arc<Sound>> {
        let found = self.taken.iter().find(|(other, _)| *other == step);
        found.map(|(_, sound)| Arc::clone(sound))
    }
}

/// The separators of some steps, each once.
pub(super) fn separators<'a>(steps: &[Cleaning<'a>]) -> Vec<&'a Separator> {
    passes(steps).map(|pass| pass[0].separator).collect()
}

fn passes<'s, 'a>(steps: &'s [Cleaning<'a>]) -> impl Iterator<Item = &'s [Cleaning<'a>]> {
    steps.chunk_by(|one, next| ptr::eq(one.separator, next.separator))
}

/// Takes out of `sound` what the steps are for, one after the other. `progress` gets the share that is done.
pub(super) fn clean(
    bench: Bench<'_>,
    steps: &[Cleaning<'_>],
    sound: &Arc<Sound>,
    progress: &mut dyn FnMut(f64),
) -> Result<Cleaned, PipelineError> {
    let count = passes(steps).count() as f64;
    let mut cleaned = Cleaned {
        voice: Arc::clone(sound),
        taken: Vec::new(),
    };
    for (place, pass) in passes(steps).enumerate() {
        let whole = Arc::clone(&cleaned.voice);
        let mut rest = apart(bench, pass[0].separator, &whole, &mut |share| {
            progress((place as f64 + share) / count);
        })?;
        let mut taken = Vec::new();
        for cleaning in pass {
            let sound = take(&mut rest, cleaning.step)?;
            cleaned.taken.push((cleaning.step, Arc::clone(&sound)));
            taken.push(sound);
        }
        cleaned.voice = match &rest[..] {
            [Part { sound, .. }] => Arc::clone(sound),
            _ => without(&whole, taken),
        };
    }
    Ok(cleaned)
}

/// Takes the part that a step is about out of those of a sound.
fn take(parts: &mut Vec<Part>, step: CleanStep) -> Result<Arc<Sound>, PipelineError> {
    let names = called(step);
    let place = parts.iter().position(|part| names.contains(&part.name));
    let place = place.ok_or(PipelineError::SeparatorMissing {
        task: step.as_str(),
    })?;
    Ok(parts.remove(place).sound)
}

/// The names that separators for a step give to the part that it takes out.
fn called(step: CleanStep) -> &'static [&'static str] {
    match step {
        // In singing, everything but the lead is harmony.
        CleanStep::Lead => &["harmony", "backing"],
        CleanStep::Dereverb => &["reverb"],
        CleanStep::Deecho => &["echo"],
        CleanStep::Denoise => &["noise"],
    }
}
