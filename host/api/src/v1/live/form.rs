use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::rules::mistakes::{no_number, no_whole_number, not_among, out_of_range};
use crate::rules::problem::FieldError;
use crate::v1::chain::{self, KnownEffect, Library, Place};
use crate::v1::conversion_form;
use crate::v1::json_fields::member;
use vocalhost_catalogues::shelf::Listing;
use vocalhost_http::multipart::Form;
use vocalhost_job::{Chain, LiveKnobs, LivePace, LiveRecording, LiveSpec, SampleFormat};

/// The members that conversions have as well.
const OF_CONVERSIONS: [&str; 7] = [
    "voiceModelId",
    "pitchShift",
    "conversionStrength",
    "modelVolumeMix",
    "seed",
    Place::Pre.field(),
    Place::Post.field(),
];

/// The loudest that anybody is: full scale.
const MAX_RMS: f64 = 1.0;

/// The members of a request that conversions have too, as the fields of their form.
pub(super) fn fields(given: &Map<String, Value>) -> Vec<(String, String)> {
    texts(given, &OF_CONVERSIONS)
}

/// The members of these names, as the fields of a form.
pub(super) fn texts(given: &Map<String, Value>, names: &[&str]) -> Vec<(String, String)> {
    let known = names.iter().copied();
    let known = known.filter_map(|name| Some((name, given.get(name)?)));
    known
        .filter_map(|(name, value)| {
            let text = match value {
                Value::Null => return None,
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            Some((name.to_owned(), text))
        })
        .collect()
}

/// What a request asks for; `form` has its [`fields`]. What is wrong is added to `mistakes`.
pub(super) fn parse(
    (form, given): (&Form, &Map<String, Value>),
    (effects, pipelines): (&Listing, &BTreeMap<String, Value>),
    mistakes: &mut Vec<FieldError>,
) -> LiveSpec {
    let library = Library {
        find: &|name| effects.find(name).map(KnownEffect::from),
        pipelines,
    };
    let spec = conversion_form::parse(form, &library, mistakes);
    let rates = LiveSpec::SAMPLE_RATES_HZ;
    let bounds = (f64::from(*rates.start()), f64::from(*rates.end()));
    let rate = whole(given, "sampleRate", bounds, mistakes);
    let most = f64::from(LiveSpec::MAX_MINUTES);
    let minutes = whole(given, "maxMinutes", (1.0, most), mistakes);
    let paces = LivePace::ALL.map(|pace| (pace.as_str(), pace));
    let recordings = LiveRecording::ALL.map(|one| (one.as_str(), one));
    let formats = SampleFormat::ALL.map(|format| (format.as_str(), format));
    LiveSpec {
        voice_model_id: spec.voice_model_id,
        voice_title: String::new(),
        knobs: LiveKnobs {
            conversion_strength: spec.conversion_strength,
            model_volume_mix: spec.model_volume_mix,
            pitch_shift: spec.pitch_shift,
        },
        seed: spec.seed,
        pre: spec.pre,
        post: spec.post,
        pace: word(given, "latency", &paces, mistakes),
        sample_rate_hz: rate.map_or(48_000, |rate| rate as u32),
        sample_format: word(given, "sampleFormat", &formats, mistakes),
        input_rms: number(given, "inputLevelRms", (0.0, MAX_RMS), mistakes),
        record: word(given, "record", &recordings, mistakes),
        max_minutes: minutes.map_or(LiveSpec::MAX_MINUTES, |minutes| minutes as u32),
    }
}

/// What is to change: the knobs where one of them is named, and the chains that are.
pub(super) type Changes = (Option<LiveKnobs>, [Option<Chain>; 2]);

/// What of a running conversion, whose knobs are `now`, is to change. What is wrong is added to `mistakes`.
pub(super) fn changes(
    given: &Map<String, Value>,
    now: LiveKnobs,
    (effects, pipelines): (&Listing, &BTreeMap<String, Value>),
    mistakes: &mut Vec<FieldError>,
) -> Changes {
    let mut form = Form::default();
    form.fields = fields(given);
    form.fields.retain(|(name, _)| name != "voiceModelId");
    // The form wants one; which one says nothing.
    form.fields
        .push(("voiceModelId".to_owned(), "1".to_owned()));
    let library = Library {
        find: &|name| effects.find(name).map(KnownEffect::from),
        pipelines,
    };
    let spec = conversion_form::parse(&form, &library, mistakes);
    let is_given = |name: &str| member(given, name).is_some();
    let knob = |name, new, old| if is_given(name) { new } else { old };
    let knobs = LiveKnobs {
        conversion_strength: knob(
            "conversionStrength",
            spec.conversion_strength,
            now.conversion_strength,
        ),
        model_volume_mix: knob(
            "modelVolumeMix",
            spec.model_volume_mix,
            now.model_volume_mix,
        ),
        pitch_shift: knob("pitchShift", spec.pitch_shift, now.pitch_shift),
    };
    let chain = |place: chain::Place, chain| given.contains_key(place.field()).then_some(chain);
    let chains = [chain(Place::Pre, spec.pre), chain(Place::Post, spec.post)];
    ((knobs != now).then_some(knobs), chains)
}

/// A number within bounds, if one is given.
fn number(
    given: &Map<String, Value>,
    name: &'static str,
    (min, max): (f64, f64),
    mistakes: &mut Vec<FieldError>,
) -> Option<f64> {
    let Some(number) = member(given, name)?.as_f64() else {
        mistakes.push(no_number(name));
        return None;
    };
    if !(min..=max).contains(&number) {
        mistakes.push(out_of_range(name, (min, max)));
        return None;
    }
    Some(number)
}

/// A whole number within bounds, if one is given.
fn whole(
    given: &Map<String, Value>,
    name: &'static str,
    bounds: (f64, f64),
    mistakes: &mut Vec<FieldError>,
) -> Option<f64> {
    let number = number(given, name, bounds, mistakes)?;
    if number.fract() != 0.0 {
        mistakes.push(no_whole_number(name));
        return None;
    }
    Some(number)
}

/// One of some words, or what stands for none.
fn word<T: Copy + Default>(
    given: &Map<String, Value>,
    name: &'static str,
    all: &[(&'static str, T)],
    mistakes: &mut Vec<FieldError>,
) -> T {
    let Some(value) = member(given, name) else {
        return T::default();
    };
    let mut known = all.iter();
    if let Some((_, found)) = known.find(|(word, _)| value == word) {
        return *found;
    }
    let words: Vec<&str> = all.iter().map(|(word, _)| *word).collect();
    mistakes.push(not_among(name, &words));
    T::default()
}
