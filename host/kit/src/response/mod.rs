//! The behaviour of an effect, measured from outside: sound goes in, and the output is analysed. Only the settings of
//! the effect are known, so this works for any effect.

mod burst;
mod harmonics;
mod level;
mod magnitude;
mod rig;

pub use burst::{BURST_S, envelope_of_input};
pub use harmonics::HARMONICS;
pub use level::{HIGHEST_DB, LOWEST_DB};
pub use rig::SAMPLE_RATE_HZ;

use super::KitError;
use super::settings::Settings;
use rig::Rig;
use vocalhost_effects::Effect;

/// Curves at most: more cannot be told apart.
const MAX_CURVES: usize = 8;

/// Settings to be measured, and what to call them.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// For the legend.
    pub name: String,
    /// Parameters that are not left at their default.
    pub settings: Settings,
}

/// How an effect answers with one set of settings. Points are pairs of where and what.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The settings.
    pub tuned: Tuned,
    /// Hz, dB: how much louder noise comes out than it goes in.
    pub magnitude: Vec<(f64, f64)>,
    /// Hz, dB: the same from the left channel to the right one; empty unless measured in stereo.
    pub crosstalk: Vec<(f64, f64)>,
    /// dBFS, dBFS: what becomes of the level of a sine.
    pub level: Vec<(f64, f64)>,
    /// dBFS of the first harmonics of a sine.
    pub harmonics: Vec<f64>,
    /// s, dBFS: what becomes of a tone burst.
    pub burst: Vec<(f64, f64)>,
}

/// The defaults and every preset of an effect, as many as can be shown.
#[must_use]
pub fn defaults_and_presets(effect: &Effect) -> Vec<Tuned> {
    let defaults = Tuned {
        name: "defaults".to_owned(),
        settings: Settings::new(),
    };
    let presets = effect.descriptor().presets.iter().map(|preset| Tuned {
        name: preset.id.clone(),
        settings: preset.settings.clone(),
    });
    std::iter::once(defaults)
        .chain(presets)
        .take(MAX_CURVES)
        .collect()
}

/// Measures an effect with each of the settings.
///
/// It is measured in mono. If all the settings leave a mono signal as it is, and the effect can run in stereo, it gets
/// the sound on the left channel only.
pub fn responses(effect: &Effect, tunings: Vec<Tuned>) -> Result<Vec<Response>, KitError> {
    let is_plain = is_plain_in_mono(effect, &tunings)?;
    let takes_stereo = Rig::stereo(effect, &Settings::new()).is_ok();
    let mut responses = Vec::with_capacity(tunings.len());
    for tuned in tunings {
        let make = || {
            if is_plain && takes_stereo {
                Rig::stereo(effect, &tuned.settings)
            } else {
                Rig::mono(effect, &tuned.settings)
            }
        };
        let (magnitude, crosstalk) = magnitude::measure(make()?)?;
        responses.push(Response {
            magnitude,
            crosstalk,
            level: level::measure(make)?,
            harmonics: harmonics::measure(make()?)?,
            burst: burst::measure(make()?)?,
            tuned,
        });
    }
    Ok(responses)
}

/// Whether a tone of -6 dBFS, which most effects would touch, comes out of mono as it went in.
fn is_plain_in_mono(effect: &Effect, tunings: &[Tuned]) -> Result<bool, KitError> {
    let tone = rig::tone(0.5, SAMPLE_RATE_HZ as usize);
    for tuned in tunings {
        if Rig::mono(effect, &tuned.settings)?.run(&tone)?.left != tone {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::LazyLock;

    use super::*;
    use vocalhost_effects::{Catalog, EffectHost, EffectLimits, SettingValue};

    static HOST: LazyLock<EffectHost> =
        LazyLock::new(|| EffectHost::open(None, EffectLimits::default()).expect("it opens"));

    fn response(name: &str, settings: &[(&str, f64)]) -> Response {
        let component = Catalog::builtin_component(name).expect("it is built in");
        let effect = HOST.load(component).expect("it loads");
        let settings = settings
            .iter()
            .map(|(id, value)| ((*id).to_owned(), SettingValue::Number(*value)));
        let tuned = Tuned {
            name: "as set".to_owned(),
            settings: settings.collect(),
        };
        responses(&effect, vec![tuned])
            .expect("it is measured")
            .remove(0)
    }

    fn at(points: &[(f64, f64)], place: f64) -> f64 {
        let point = points.iter().find(|point| (point.0 - place).abs() < 1e-6);
        point.expect("it was measured there").1
    }

    #[test]
    fn a_first_order_low_pass_has_its_textbook_magnitude_within_a_tenth_of_a_decibel() {
        let cutoff_hz = 1_000.0;
        let response = response("lowPassFilter", &[("cutoff_frequency_hz", cutoff_hz)]);
        assert!(response.magnitude.len() > 150);
        // The bilinear transform bends the frequency axis (J. O. Smith, Introduction to Digital Filters).
        let bent = |hertz: f64| (std::f64::consts::PI * hertz / f64::from(SAMPLE_RATE_HZ)).tan();
        for (hertz, measured) in response.magnitude.iter().filter(|point| point.0 < 18_000.0) {
            let ratio = bent(*hertz) / bent(cutoff_hz);
            let textbook = -10.0 * (1.0 + ratio * ratio).log10();
            assert!(
                (measured - textbook).abs() < 0.1,
                "{hertz} Hz: {measured}, not {textbook}"
            );
        }
    }

    #[test]
    fn the_level_curve_of_a_compressor_has_its_threshold_and_ratio() {
        let settings = [
            ("threshold_db", -40.0),
            ("ratio", 4.0),
            ("release_ms", 1_000.0),
        ];
        let level = response("compressor", &settings).level;
        assert!((at(&level, -60.0) + 60.0).abs() < 0.1);
        let slope = (at(&level, 0.0) - at(&level, -20.0)) / 20.0;
        assert!((slope - 0.25).abs() < 0.01, "{slope}");
    }

    #[test]
    fn a_clean_effect_has_no_harmonics_and_a_saturated_one_odd_ones() {
        let clean = response("vocalhost.gain", &[("gain_db", -6.0)]).harmonics;
        assert!((clean[0] + 12.0).abs() < 0.05, "{clean:?}");
        assert!(clean[1..].iter().all(|level| *level < -110.0), "{clean:?}");
        let warm = response("vocalhost.saturation", &[("drive_db", 12.0)]).harmonics;
        assert!(warm[2] > -40.0 && warm[1] < -90.0, "{warm:?}");
    }

    #[test]
    fn an_echo_comes_when_it_should_and_as_loud() {
        let settings = [("delay_seconds", 0.75), ("mix", 0.5)];
        let burst = response("delay", &settings).burst;
        // The loud part from 0.1 to 0.4 s, half as loud, over silence from 0.9 s on.
        assert!((at(&burst, 1.0) + 12.0).abs() < 0.2);
        assert!(at(&burst, 2.0) < -90.0);
    }

    #[test]
    fn what_leaves_mono_alone_is_measured_in_stereo() {
        let narrow = response("vocalhost.stereo-width", &[("width", 0.0)]);
        for points in [&narrow.magnitude, &narrow.crosstalk] {
            assert!(points.iter().all(|point| (point.1 + 6.02).abs() < 0.05));
        }
        assert!(
            response("vocalhost.gain", &[("gain_db", 1.0)])
                .crosstalk
                .is_empty()
        );
    }
}
