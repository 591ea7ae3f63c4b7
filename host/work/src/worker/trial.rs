//! Running a new model briefly before anybody can choose it.

use std::f64::consts::TAU;
use std::fs;
use std::path::Path;

use vocalhost_audio::{Block, Spool, SpoolWriter};
use vocalhost_model::{
    Catalog, ConversionParameters, Kind, ModelError, Package, Runtime, Separator, VoiceConverter,
    try_graph,
};

/// How much sound a new model hears.
const TRIAL_S: f64 = 1.0;

/// A note in the range of every voice.
const TONE_HZ: f64 = 220.0;

/// Runs a model once on a short sound; the output must be finite. Returns remarks for the person who imports it. `scratch` is a folder that
/// is made and removed.
///
/// # Errors
/// Those of loading and running it.
pub(super) fn run(
    runtime: &Runtime,
    package: &Package,
    models: &Catalog,
    scratch: &Path,
) -> Result<Vec<String>, ModelError> {
    fs::create_dir_all(scratch)?;
    let manifest = package.manifest();
    let tried = match (manifest.kind, manifest.live_of()) {
        (_, Some(of)) => {
            let said = format!(
                "Where it is installed, live conversions of voices that listen with {of} use it, unless there is a newer one."
            );
            try_graph(runtime, package).map(|()| vec![said])
        }
        (Kind::Voice, _) => voice(runtime, package, models, scratch),
        (Kind::Separator, _) => separator(runtime, package, models, scratch),
        (Kind::Content, _) => try_graph(runtime, package).map(|()| vec![CONTENT_TAKEN.to_owned()]),
        (Kind::Speaker, _) => try_graph(runtime, package).map(|()| Vec::new()),
        (Kind::F0, _) => {
            let said = taken(models.estimator_before(package));
            try_graph(runtime, package).map(|()| vec![said])
        }
    };
    fs::remove_dir_all(scratch)?;
    tried
}

/// The effect of a new content encoder: none for voices that are bound to another.
const CONTENT_TAKEN: &str = "Voices that are bound to another content encoder keep that. Where it is installed, voices of RVC that name no content encoder use it \
     if they were trained on it and nothing else fits them, and those that are imported later are bound to it.";

/// What a new F0 estimator changes for the installed voices, or which one they keep.
fn taken(before: Option<&Package>) -> String {
    if let Some(before) = before {
        let id = &before.manifest().id;
        return format!(
            "Voices of RVC that name no F0 estimator go on with {id}, unless the setting `voice_parts` names this one."
        );
    }
    "Where it is installed, voices of RVC that name no F0 estimator use it, unless the setting `voice_parts` names another.".to_owned()
}

fn voice(
    runtime: &Runtime,
    package: &Package,
    models: &Catalog,
    scratch: &Path,
) -> Result<Vec<String>, ModelError> {
    let lacking = match models.parts(package.manifest()) {
        // Errors that their damage causes would be blamed on the new voice.
        Ok(parts) => {
            let damaged = parts.packages().find(|part| part.verify().is_err());
            damaged.map(|part| {
                let id = &part.manifest().id;
                format!("a file of the package {id}, which it needs, is not what its manifest says")
            })
        }
        Err(missing) => Some(missing.to_string()),
    };
    if let Some(lacking) = lacking {
        return alone(runtime, package, &lacking);
    }
    let id = &package.manifest().id;
    match converted(runtime, package, models, scratch) {
        // The graph of another package does not do what its manifest says.
        Err(
            ref error @ ModelError::Inference {
                package: ref at, ..
            },
        ) if at != id => alone(runtime, package, &error.to_string()),
        tried => tried.map(|()| Vec::new()),
    }
}

/// Tries the graph of a voice that cannot be converted to because a package is missing, and says which.
fn alone(runtime: &Runtime, package: &Package, lacking: &str) -> Result<Vec<String>, ModelError> {
    try_graph(runtime, package)?;
    Ok(vec![format!("It cannot be used yet: {lacking}.")])
}

fn converted(
    runtime: &Runtime,
    package: &Package,
    models: &Catalog,
    scratch: &Path,
) -> Result<(), ModelError> {
    let voice = VoiceConverter::load(runtime, package, models, 1)?;
    let source = tone(scratch, 1, voice.source_rate_hz())?;
    let parameters = ConversionParameters {
        conversion_strength: 0.5,
        model_volume_mix: 0.5,
        pitch_shift: 0.0,
        auto_pitch: false,
        seed: 0,
    };
    let id = &package.manifest().id;
    voice.convert(
        &source,
        &parameters,
        &mut |block: Block| finite(id, &block),
        &mut |_| {},
    )?;
    Ok(())
}

fn separator(
    runtime: &Runtime,
    package: &Package,
    models: &Catalog,
    scratch: &Path,
) -> Result<Vec<String>, ModelError> {
    let separator = Separator::load(runtime, &package.clone().for_a_trial(), models, 1)?;
    let source = tone(scratch, 2, separator.sample_rate_hz())?;
    let id = &package.manifest().id;
    separator.separate(
        &source,
        &mut |stems: Vec<Block>| stems.iter().try_for_each(|stem| finite(id, stem)),
        &mut |_| {},
    )?;
    Ok(Vec::new())
}

fn finite(id: &str, block: &Block) -> Result<(), ModelError> {
    if block.as_planar().iter().all(|sample| sample.is_finite()) {
        return Ok(());
    }
    Err(ModelError::Inference {
        package: id.to_owned(),
        reason: "a short tone comes out as samples that are no numbers".to_owned(),
    })
}

/// A note with a few overtones, so that every kind of model finds something.
fn tone(folder: &Path, channels: usize, sample_rate_hz: u32) -> Result<Spool, ModelError> {
    let frames = (TRIAL_S * f64::from(sample_rate_hz)) as usize;
    let mut block = Block::silent(channels, frames);
    for channel in 0..channels {
        for (frame, sample) in block.channel_mut(channel).iter_mut().enumerate() {
            let phase = TAU * TONE_HZ * frame as f64 / f64::from(sample_rate_hz);
            let sum: f64 = (1..=4)
                .map(|overtone| (phase * f64::from(overtone)).sin() / f64::from(overtone))
                .sum();
            *sample = (0.1 * sum) as f32;
        }
    }
    let mut spool = SpoolWriter::create(&folder.join("tone.f32"), channels, sample_rate_hz)?;
    spool.write(&block)?;
    Ok(spool.finish()?)
}
