use crate::manifest::Manifest;
use crate::sections::{IndexFormat, SegmentLengths, Voice};

use super::provenance::{joined, license, sources};
use super::speakers::blended_rvc;

/// The most tags of a voice.
const MAX_TAGS: usize = 32;
/// The tag that every blend has.
const TAG: &str = "blend";

/// The tag that only a blend of instruments keeps: a blend of an instrument and a singer is no instrument.
const INSTRUMENT_TAG: &str = "instrument";

/// The manifest of a blend, without its files. `voices` are of one family and their shares, all over 0, add up to 1.
///
/// Pitch and level are averaged on perceptual scales, semitones and decibels. Segments are as long as the most demanding voice needs. The
/// creation date is that of the newest voice, so that a blend does not depend on the day it is made.
pub(super) fn manifest(
    id: &str,
    title: &str,
    voices: &[(&Manifest, f64)],
    index: Option<IndexFormat>,
) -> Option<Manifest> {
    let (first, _) = voices.first()?;
    let sources = sources(voices);
    let created = voices.iter().map(|(manifest, _)| &manifest.created).max()?;
    Some(Manifest {
        schema: first.schema,
        id: id.to_owned(),
        name: title.to_owned(),
        version: "1.0.0".to_owned(),
        kind: first.kind,
        family: first.family,
        license: license(&sources),
        attribution: joined(&sources, |source| &source.attribution),
        trained_on: joined(&sources, |source| &source.trained_on),
        consent: joined(&sources, |source| &source.consent),
        created: created.clone(),
        source_url: None,
        source_sha256: None,
        imported_us: None,
        files: std::collections::BTreeMap::new(),
        audio: first.audio,
        tensors: first.tensors.clone(),
        voice: Some(blended_voice(voices)?),
        rvc: blended_rvc(voices),
        index,
        segment: segment(voices),
        blended: sources,
        ..(*first).clone()
    })
}

/// The facts of a blend as a voice, including its tags, as far as the manifests of its parts tell; their shares add up to 1. A part without
/// a share contributes nothing. Where the pitch or the level of one is not known (0), that of the blend is not either. `None` when one of
/// them is no voice.
#[must_use]
pub fn blended_voice(parts: &[(&Manifest, f64)]) -> Option<Voice> {
    let facts: Option<Vec<(&Voice, f64)>> = parts
        .iter()
        .filter(|(_, share)| *share > 0.0)
        .map(|(manifest, share)| Some((manifest.voice.as_ref()?, *share)))
        .collect();
    let facts = facts?;
    let (first, _) = *facts.first()?;
    let mean = |value: fn(&Voice) -> f64| {
        facts
            .iter()
            .map(|(voice, share)| share * value(voice))
            .sum::<f64>()
    };
    let instrument = facts.iter().all(|(voice, _)| voice.instrument);
    let mut tags: Vec<String> = Vec::new();
    for tag in facts.iter().flat_map(|(voice, _)| &voice.tags) {
        let is_wrong = tag == INSTRUMENT_TAG && !instrument;
        if tag != TAG && !is_wrong && tags.len() < MAX_TAGS - 1 && !tags.contains(tag) {
            tags.push(tag.clone());
        }
    }
    tags.push(TAG.to_owned());
    let named = |id: fn(&Voice) -> &Option<String>| {
        let mut ids = facts.iter().map(|(voice, _)| id(voice));
        ids.find_map(Clone::clone)
    };
    Some(Voice {
        tags,
        content: named(|voice| &voice.content),
        f0: named(|voice| &voice.f0),
        instrument,
        noise_scale: mean(|voice| voice.noise_scale),
        level_rms: mean(|voice| voice.level_rms.ln()).exp(),
        mean_f0_hz: mean(|voice| voice.mean_f0_hz.log2()).exp2(),
        ..first.clone()
    })
}

fn segment(voices: &[(&Manifest, f64)]) -> Option<SegmentLengths> {
    let segments = voices.iter().filter_map(|(manifest, _)| manifest.segment);
    segments.reduce(|longest, other| SegmentLengths {
        core_s: longest.core_s.max(other.core_s),
        context_s: longest.context_s.max(other.context_s),
        crossfade_s: longest.crossfade_s.max(other.crossfade_s),
    })
}
