use std::ops::RangeInclusive;

use super::chain::{self, Library, Place};
use super::clean_form::{self, CLEAN};
use super::common::no_such_voice;
use super::{lossy_form, output_form};
use crate::rules::mistakes::{missing, no_number, no_whole_number, out_of_range};
use crate::rules::problem::FieldError;
use vocalhost_http::multipart::Form;
use vocalhost_job::ConversionSpec;

/// Every text field of a conversion alone; `pre` and `post` also in brackets.
pub const TEXT_FIELDS: &[&str] = &[
    "voiceModelId",
    "conversionStrength",
    "modelVolumeMix",
    "pitchShift",
    "autoPitch",
    "seed",
    ISOLATE,
    CLEAN,
    F0_METHOD,
    PROTECT,
    SPEAKER,
    SILENCE_GATE,
    output_form::FORMAT,
    output_form::BITRATE,
    output_form::LOUDNESS,
    lossy_form::FIELD,
    output_form::STRICT,
    Place::Pre.field(),
    Place::Post.field(),
];

/// The field that says whether only what is sung is converted.
pub const ISOLATE: &str = "isolateVocals";

/// The field of the F0 estimator, the two words in it that are not the id of a package, and the fields of a voice's
/// other settings.
pub const F0_METHOD: &str = "f0Method";
pub const AUTO: &str = "auto";
pub const PYIN: &str = "pyin";
const PROTECT: &str = "protect";
pub const SPEAKER: &str = "speakerId";
const SILENCE_GATE: &str = "silenceGate";

/// From 0.5 on nothing is protected.
const PROTECTION: RangeInclusive<f64> = 0.0..=0.5;

/// Share of retrieved features, and of the model's loudness.
const SHARE: RangeInclusive<f64> = 0.0..=1.0;

/// Two octaves down and up.
const SEMITONES: RangeInclusive<f64> = -24.0..=24.0;

/// More speakers than any voice has.
const MAX_SPEAKER: u32 = 65_535;

/// The largest integer that every JSON reader keeps exact: the seed is echoed.
const MAX_SEED: u64 = (1 << 53) - 1;

/// Reads the text fields; everything that is wrong with them is added to `mistakes`. The voice is 0 when the request
/// names none that could be.
pub fn parse(form: &Form, library: &Library<'_>, mistakes: &mut Vec<FieldError>) -> ConversionSpec {
    ConversionSpec {
        voice_model_id: voice(form, mistakes),
        voice_title: None,
        successions: Vec::new(),
        conversion_strength: number(form, "conversionStrength", 0.5, SHARE, mistakes),
        model_volume_mix: number(form, "modelVolumeMix", 0.5, SHARE, mistakes),
        pitch_shift: number(form, "pitchShift", 0.0, SEMITONES, mistakes),
        auto_pitch: form.toggle("autoPitch", mistakes).unwrap_or(false),
        seed: seed(form, mistakes),
        isolate_vocals: form.toggle(ISOLATE, mistakes).unwrap_or(false),
        clean: clean_form::steps(form, mistakes),
        f0_method: form
            .text(F0_METHOD)
            .filter(|text| !text.eq_ignore_ascii_case(AUTO))
            .map(str::to_owned),
        protect: form
            .text(PROTECT)
            .map(|_| number(form, PROTECT, 0.0, PROTECTION, mistakes)),
        speaker: speaker(form, mistakes),
        silence_gate: form.toggle(SILENCE_GATE, mistakes),
        pre: chain::parse(Place::Pre, &form.fields, library, mistakes),
        post: chain::parse(Place::Post, &form.fields, library, mistakes),
        output: output_form::output(form, mistakes),
        strict_input: output_form::strict(form, mistakes),
    }
}

fn voice(form: &Form, mistakes: &mut Vec<FieldError>) -> i64 {
    let Some(text) = form.text("voiceModelId") else {
        mistakes.push(missing("voiceModelId"));
        return 0;
    };
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        mistakes.push(no_whole_number("voiceModelId"));
        return 0;
    }
    // Numbers start at 1: anything else, or too long for a number, is a voice that nobody has.
    let id = text.parse().unwrap_or(0);
    if id < 1 {
        mistakes.push(no_such_voice("voiceModelId"));
        return 0;
    }
    id
}

fn number(
    form: &Form,
    name: &str,
    default: f64,
    range: RangeInclusive<f64>,
    mistakes: &mut Vec<FieldError>,
) -> f64 {
    let Some(text) = form.text(name) else {
        return default;
    };
    let Some(number) = text.parse::<f64>().ok().filter(|number| number.is_finite()) else {
        mistakes.push(no_number(name));
        return default;
    };
    if !range.contains(&number) {
        mistakes.push(out_of_range(name, range.into_inner()));
    }
    number
}

/// The number of a speaker; which ones there are is the voice's matter.
fn speaker(form: &Form, mistakes: &mut Vec<FieldError>) -> Option<i64> {
    let text = form.text(SPEAKER)?;
    let number = text
        .parse()
        .ok()
        .filter(|number: &u32| *number <= MAX_SPEAKER);
    if number.is_none() {
        let message = format!("`{SPEAKER}` must be a whole number from 0 to {MAX_SPEAKER}.");
        mistakes.push(FieldError::new(SPEAKER, "number", message));
    }
    number.map(i64::from)
}

/// The seed of a form: a whole number that every JSON reader keeps.
pub fn seed(form: &Form, mistakes: &mut Vec<FieldError>) -> u64 {
    let Some(text) = form.text("seed") else {
        return 0;
    };
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = "`seed` must be a whole number, 0 or more.";
        mistakes.push(FieldError::new("seed", "number", message));
        return 0;
    }
    match text.parse() {
        Ok(seed) if seed <= MAX_SEED => seed,
        _ => {
            mistakes.push(out_of_range("seed", (0, MAX_SEED)));
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::rules::problem::rules;

    fn read(fields: &[(&str, &str)]) -> (ConversionSpec, Vec<String>) {
        let mut form = Form::default();
        let fields = fields.iter();
        form.fields = fields
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        let mut mistakes = Vec::new();
        let library = Library {
            find: &|_| None,
            pipelines: &BTreeMap::new(),
        };
        let spec = parse(&form, &library, &mut mistakes);
        (spec, rules(&mistakes))
    }

    #[test]
    fn what_is_not_given_has_the_default_of_the_contract() {
        let (spec, mistakes) = read(&[("voiceModelId", " 3 "), ("pitchShift", ""), ("other", "x")]);
        assert_eq!(mistakes, Vec::<String>::new());
        assert_eq!(
            spec,
            ConversionSpec {
                voice_model_id: 3,
                voice_title: None,
                successions: Vec::new(),
                conversion_strength: 0.5,
                model_volume_mix: 0.5,
                pitch_shift: 0.0,
                auto_pitch: false,
                seed: 0,
                isolate_vocals: false,
                clean: vec![],
                f0_method: None,
                protect: None,
                speaker: None,
                silence_gate: None,
                pre: vec![],
                post: vec![],
                output: vocalhost_job::Output::default(),
                strict_input: false,
            }
        );
    }

    #[test]
    fn what_a_voice_may_have_is_left_to_it_unless_somebody_says_it() {
        let voice = ("voiceModelId", "3");
        let (spec, mistakes) = read(&[
            voice,
            ("f0Method", "pyin"),
            ("protect", "0.5"),
            ("speakerId", "7"),
            ("silenceGate", "TRUE"),
            ("strictInput", "1"),
        ]);
        assert_eq!(mistakes, Vec::<String>::new());
        assert_eq!(spec.f0_method.as_deref(), Some("pyin"));
        assert_eq!((spec.protect, spec.speaker), (Some(0.5), Some(7)));
        assert_eq!((spec.silence_gate, spec.strict_input), (Some(true), true));
        assert_eq!(read(&[voice, ("f0Method", "auto")]).0.f0_method, None);
        for (field, text, rule) in [
            ("protect", "0.51", "protect range"),
            ("speakerId", "-1", "speakerId number"),
            ("speakerId", "70000", "speakerId number"),
            ("silenceGate", "loud", "silenceGate boolean"),
            ("strictInput", "very", "strictInput boolean"),
        ] {
            assert_eq!(read(&[voice, (field, text)]).1, [rule], "{text}");
        }
    }

    #[test]
    fn numbers_are_read_from_text() {
        let (spec, mistakes) = read(&[
            ("voiceModelId", "3"),
            ("conversionStrength", "0"),
            ("modelVolumeMix", "1.0"),
            ("pitchShift", "-2.5"),
            ("autoPitch", "True"),
            ("seed", "9007199254740991"),
        ]);
        assert_eq!(mistakes, Vec::<String>::new());
        let numbers = [
            spec.conversion_strength,
            spec.model_volume_mix,
            spec.pitch_shift,
        ];
        assert_eq!(format!("{numbers:?}"), "[0.0, 1.0, -2.5]");
        assert_eq!((spec.seed, spec.auto_pitch), (MAX_SEED, true));
    }

    #[test]
    fn each_mistake_has_its_field_and_rule() {
        for (name, text, wanted) in [
            ("voiceModelId", "three", "voiceModelId number"),
            ("voiceModelId", "1.5", "voiceModelId number"),
            ("voiceModelId", "-", "voiceModelId number"),
            ("voiceModelId", "-1", "voiceModelId exists"),
            (
                "voiceModelId",
                "99999999999999999999",
                "voiceModelId exists",
            ),
            ("conversionStrength", "1.01", "conversionStrength range"),
            ("conversionStrength", "NaN", "conversionStrength number"),
            ("modelVolumeMix", "-0.1", "modelVolumeMix range"),
            ("modelVolumeMix", "infinity", "modelVolumeMix number"),
            ("pitchShift", "24.5", "pitchShift range"),
            ("pitchShift", "1e999", "pitchShift number"),
            ("autoPitch", "yes", "autoPitch boolean"),
            ("isolateVocals", "on", "isolateVocals boolean"),
            ("clean", "lead,gargle", "clean enum"),
            ("seed", "-1", "seed number"),
            ("seed", "1.0", "seed number"),
            ("seed", "9007199254740992", "seed range"),
        ] {
            let (_, mistakes) = read(&[("voiceModelId", "3"), (name, text)]);
            assert_eq!(mistakes, [wanted], "{name}={text}");
        }
        assert_eq!(read(&[]).1, ["voiceModelId required"]);
    }
}
