//! What the weights of a separator do not tell: the settings that Music-Source-Separation-Training and UVR keep beside them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::drawing::DrawFault;
use crate::known;
use crate::yaml::Yaml;
use vocalhost_letters::words::quoted;

/// The longest file of settings that is read; known ones have some thousand bytes.
const MAX_BYTES: u64 = 256 << 10;
/// Samples per second that separators work at here.
pub(super) const RATE_HZ: u64 = 44_100;

/// Settings, or none.
#[derive(Debug)]
pub(super) struct Settings(Yaml);

impl Settings {
    /// Settings that say nothing.
    pub(super) fn none() -> Self {
        Self(Yaml::Nothing)
    }

    /// Those of a separator that is known by its content, under the names that any architecture has for them.
    pub(super) fn of_known(known: &known::Separator) -> Self {
        let text = |text: &str| Yaml::Text(text.to_owned());
        let number = |number: u64| Yaml::Text(number.to_string());
        let list = |words: &mut dyn Iterator<Item = &str>| Yaml::List(words.map(text).collect());
        let section = |name: &str, values: Vec<(&str, Yaml)>| {
            let values = values
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value));
            (name.to_owned(), Yaml::Map(values.collect()))
        };
        let (n_fft, hop) = (known.n_fft, known.hop);
        let mut model = vec![
            ("stft_n_fft", number(n_fft)),
            ("stft_hop_length", number(hop)),
            ("nfft", number(n_fft)),
            ("hop_size", number(hop)),
        ];
        if let Some(shares) = known.shares {
            model.push(("band_SR", list(&mut shares.split(','))));
        }
        let normalizes = if known.is_normalised { "true" } else { "false" };
        let mut training = vec![("instruments", list(&mut known.stems.iter().copied()))];
        training.extend(
            known
                .target
                .map(|target| ("target_instrument", text(target))),
        );
        Self(Yaml::Map(vec![
            section(
                "audio",
                vec![
                    ("sample_rate", number(known.sample_rate_hz)),
                    ("chunk_size", number(known.piece)),
                    ("n_fft", number(n_fft)),
                    ("hop_length", number(hop)),
                ],
            ),
            section("model", model),
            section("training", training),
            section(
                "inference",
                vec![
                    ("num_overlap", number(known.pieces)),
                    ("normalize", text(normalizes)),
                ],
            ),
        ]))
    }

    /// Reads a file of settings.
    pub(super) fn of_file(path: &Path) -> Result<Self, DrawFault> {
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(DrawFault::Io)?;
        file.take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(DrawFault::Io)?;
        let refused = |reason: &str| {
            Err(DrawFault::refused(format!(
                "{reason}; beside the weights of a separator there may be its settings (.yaml)"
            )))
        };
        if bytes.len() as u64 > MAX_BYTES {
            return refused(&format!("has more than {MAX_BYTES} bytes"));
        }
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return refused("is of no known kind");
        };
        match Yaml::read(text) {
            Ok(read @ Yaml::Map(_)) => Ok(Self(read)),
            Ok(_) => refused("has no settings"),
            Err(reason) => refused(&reason),
        }
    }

    /// The value of a setting, by the names of its sections and its own with points between.
    fn at(&self, name: &str) -> Option<&Yaml> {
        let mut parts = name.split('.');
        let found = parts.try_fold(&self.0, |value, part| value.member(part));
        found.filter(|value| **value != Yaml::Nothing)
    }

    /// Whether a setting is there.
    pub(super) fn has(&self, name: &str) -> bool {
        self.at(name).is_some()
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, DrawFault> {
        match self.at(name) {
            None => Ok(None),
            Some(Yaml::Text(text)) => Ok(Some(text)),
            Some(_) => Err(is_no(name, "a list", "text")),
        }
    }

    /// A whole number.
    pub(super) fn whole(&self, name: &str) -> Result<Option<u64>, DrawFault> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let whole = text.parse().ok();
        let whole = whole.ok_or_else(|| is_no(name, &quoted(text), "whole number, 0 or more"))?;
        Ok(Some(whole))
    }

    /// A truth value, in any of the words that YAML has for it.
    pub(super) fn truth(&self, name: &str) -> Result<Option<bool>, DrawFault> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Ok(Some(true)),
            "false" | "no" | "off" => Ok(Some(false)),
            _ => Err(is_no(name, &quoted(text), "truth value")),
        }
    }

    /// A list of texts.
    pub(super) fn list(&self, name: &str) -> Result<Option<Vec<&str>>, DrawFault> {
        let values = match self.at(name) {
            None => return Ok(None),
            Some(Yaml::List(values)) => values.iter(),
            Some(_) => return Err(is_no(name, "one value", "list")),
        };
        let texts = values.map(|value| match value {
            Yaml::Text(text) => Ok(text.as_str()),
            _ => Err(is_no(
                name,
                "a list with more lists in it",
                "list of values",
            )),
        });
        texts.collect::<Result<_, _>>().map(Some)
    }

    /// Refuses settings that are for another number of channels or another rate than separators have here.
    pub(super) fn check_sound(&self) -> Result<(), DrawFault> {
        for name in ["audio.sample_rate", "training.samplerate"] {
            match self.whole(name)? {
                Some(rate) if rate != RATE_HZ => {
                    return Err(DrawFault::refused(format!(
                        "says that {name} is {rate}, and separators work at {RATE_HZ} here"
                    )));
                }
                _ => {}
            }
        }
        let is_mono = self.truth("model.stereo")? == Some(false);
        let channels = self.whole("audio.num_channels")?;
        let audio_channels = self.whole("model.audio_channels")?;
        let is_other = [channels, audio_channels]
            .iter()
            .flatten()
            .any(|count| *count != 2);
        if is_mono || is_other {
            return Err(DrawFault::refused(
                "is of a separator of other than two channels, which is not supported".to_owned(),
            ));
        }
        Ok(())
    }
}

/// A setting that is something else than it must be.
fn is_no(name: &str, found: &str, wanted: &str) -> DrawFault {
    DrawFault::refused(format!("says that {name} is {found}, which is no {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::Separator;

    #[test]
    fn a_known_separator_has_the_settings_that_each_architecture_asks_for() {
        let known = Separator {
            architecture: "scnet",
            sample_rate_hz: RATE_HZ,
            piece: 485_100,
            n_fft: 4_096,
            hop: 1_024,
            pieces: 4,
            is_normalised: true,
            stems: vec!["vocals", "other"],
            target: Some("vocals"),
            name: "config",
            shares: Some("0.225,0.372,0.403"),
        };
        let settings = Settings::of_known(&known);
        settings.check_sound().expect("it is of stereo");
        let whole = |name| settings.whole(name).expect("a number");
        for name in ["model.stft_n_fft", "model.nfft", "audio.n_fft"] {
            assert_eq!(whole(name), Some(4_096), "{name}");
        }
        for name in [
            "model.stft_hop_length",
            "model.hop_size",
            "audio.hop_length",
        ] {
            assert_eq!(whole(name), Some(1_024), "{name}");
        }
        assert_eq!(whole("audio.chunk_size"), Some(485_100));
        assert_eq!(whole("inference.num_overlap"), Some(4));
        let list = |name| settings.list(name).expect("a list");
        assert_eq!(list("training.instruments"), Some(vec!["vocals", "other"]));
        assert_eq!(list("model.band_SR"), Some(vec!["0.225", "0.372", "0.403"]));
        let target = settings.text("training.target_instrument");
        assert_eq!(target.expect("a text"), Some("vocals"));
        let normalizes = settings.truth("inference.normalize");
        assert_eq!(normalizes.expect("a truth"), Some(true));
    }
}
