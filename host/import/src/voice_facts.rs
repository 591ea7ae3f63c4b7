use toml::Value;

use super::asked::Asked;
use super::draft::Draft;
use vocalhost_letters::words::quoted;
use vocalhost_model::{MEAN_F0_HZ, Profile, USUAL_ENCODER, encoder_identity, has_id_letters};

/// Frames per second.
const FRAMES_PER_S: u64 = 100;
/// What the files of a voice of RVC say about it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FromFiles<'f> {
    /// Length of its content vectors.
    pub(super) channels: Option<u64>,
    /// Samples of a frame of 10 ms.
    pub(super) upp: Option<u64>,
    /// Samples per second as its maker says, which counts if nothing else says it.
    pub(super) noted_rate_hz: Option<u64>,
    /// Layer of the encoder as its maker says.
    pub(super) layer: Option<u64>,
    /// Speakers that it knows.
    pub(super) speakers: Option<u64>,
    /// Whether it is told the pitch.
    pub(super) pitched: bool,
    /// What it calls the encoder that it was trained on.
    pub(super) encoder: Option<&'f str>,
    /// The identities of the encoders that are installed.
    pub(super) identities: &'f [String],
}

/// What is known of a voice of RVC once everything was asked that its files do not say.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct VoiceFacts {
    /// Length of a content vector: 256 or 768.
    pub(super) channels: u64,
    /// Samples of a frame of 10 ms.
    pub(super) upp: u64,
    /// Layer of the content encoder that it was trained on.
    pub(super) layer: u64,
    /// The speaker that is heard.
    pub(super) speaker: u64,
    instrument: bool,
    mean_f0_hz: f64,
    /// The identity of the encoder that it was trained on.
    trained_on: String,
    /// Speakers that it knows.
    speakers: Option<u64>,
    /// The pipeline that it speaks through, as manifests call it.
    profile: String,
    encoder: Option<String>,
    estimator: Option<String>,
}

impl VoiceFacts {
    /// Asks what the files do not say; `None` when something is left to be asked.
    pub(super) fn ask(asked: &mut Asked<'_>, files: &FromFiles<'_>) -> Option<Self> {
        let channels = asked.settled(
            "content_dim",
            "Length of the content vectors that it takes: 256 in the first generation of RVC, 768 in the second.",
            &["256", "768"],
            files.channels,
        );
        let text = "Samples per second that it speaks at.";
        let settled = files.upp.map(|upp| upp * FRAMES_PER_S);
        let rate = if settled.is_some() {
            asked.settled("sample_rate", text, &[], settled)
        } else {
            let noted = files.noted_rate_hz;
            let noted = noted.filter(|rate| rate.is_multiple_of(FRAMES_PER_S));
            asked.fact("sample_rate", text, &[], noted)
        };
        let usual = files.channels.or(channels);
        let usual = usual.map(|channels| if channels == 256 { 9 } else { 12 });
        let layer = asked.fact(
            "content_layer",
            "Layer of the content encoder that it was trained on, 1 to 48: 9 in the first generation of RVC, 12 in the \
             second.",
            &[],
            files.layer.or(usual),
        );
        let fits = |layer: &u64| (1..=48).contains(layer);
        let layer = asked.fitting("content_layer", layer, fits, "it is out of this range");
        let (speaker, mean_f0_hz) = (speaker(asked, files.speakers), mean_f0(asked));
        let text = "Whether it is an instrument rather than a voice.";
        let instrument = asked.option("instrument", text, &["true", "false"], false);
        let profile = profile(asked);
        let trained_on = trained_on(asked, files.encoder);
        let encoder = encoder(asked, (trained_on.as_deref(), files));
        let estimator = if files.pitched {
            estimator(asked)
        } else {
            Some(String::new())
        };
        let whole = |rate: &u64| rate.is_multiple_of(FRAMES_PER_S);
        let rate = asked.fitting("sample_rate", rate, whole, "it is no multiple of 100");
        Some(Self {
            channels: channels?,
            upp: rate? / FRAMES_PER_S,
            layer: layer?,
            speaker: speaker?,
            instrument: instrument?,
            mean_f0_hz: mean_f0_hz?,
            trained_on: trained_on?,
            speakers: files.speakers,
            profile: profile?,
            encoder: Some(encoder?).filter(|id| !id.is_empty()),
            estimator: Some(estimator?).filter(|id| !id.is_empty()),
        })
    }

    /// Samples per second.
    pub(super) fn sample_rate_hz(&self) -> u64 {
        self.upp * FRAMES_PER_S
    }

    /// The generation of the architecture, as RVC counts.
    pub(super) fn version(&self) -> &'static str {
        if self.channels == 256 { "v1" } else { "v2" }
    }

    /// Writes them down, with the tags, the factor that the host puts on the noise of the prior, and whether the voice is
    /// told the pitch.
    pub(super) fn write(
        &self,
        draft: &mut Draft<'_>,
        tags: &[String],
        (noise_scale, f0): (f64, bool),
    ) {
        let tags = tags.iter().map(|tag| Value::from(tag.as_str()));
        let number = |number: u64| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
        draft.section(
            "audio",
            [
                ("sample_rate_hz", number(self.sample_rate_hz())),
                ("channels", Value::from(1)),
            ],
        );
        draft.section(
            "voice",
            [
                ("tags", Value::Array(tags.collect())),
                ("instrument", Value::from(self.instrument)),
                ("upp", number(self.upp)),
                ("noise_scale", Value::from(noise_scale)),
                ("speaker", number(self.speaker)),
                ("content_dim", number(self.channels)),
                ("energy_channels", Value::from(0)),
                ("mean_f0_hz", Value::from(self.mean_f0_hz)),
            ],
        );
        if let Some(encoder) = &self.encoder {
            draft.entry("voice", "content", encoder.as_str());
        }
        if let Some(estimator) = &self.estimator {
            draft.entry("voice", "f0", estimator.as_str());
        }
        draft.section(
            "rvc",
            [
                ("version", Value::from(self.version())),
                ("f0", Value::from(f0)),
                ("content_layer", number(self.layer)),
                ("content_dim", number(self.channels)),
                ("profile", Value::from(self.profile.as_str())),
            ],
        );
        if let Some(count) = self.speakers.and_then(|count| u32::try_from(count).ok()) {
            draft.entry("rvc", "speaker_count", i64::from(count));
        }
        if self.trained_on != USUAL_ENCODER {
            draft.entry("rvc", "encoder", self.trained_on.as_str());
        }
    }
}

fn speaker(asked: &mut Asked<'_>, speakers: Option<u64>) -> Option<u64> {
    let text = "Number of the speaker that is heard.";
    let speaker = asked.option("speaker", text, &[], 0_u64);
    let count = speakers.unwrap_or(u64::MAX);
    let reason = format!("it has {count} speakers, 0 to {}", count.saturating_sub(1));
    asked.fitting("speaker", speaker, |speaker| *speaker < count, &reason)
}

/// The pipeline that the voice is to speak through: releases of RVC treat unvoiced frames differently.
fn profile(asked: &mut Asked<'_>) -> Option<String> {
    let text = "Release of RVC whose pipeline it speaks through: rvc-2.2, or rvc-2.3, which fills the pitch in between voiced frames.";
    let known = Profile::ALL.map(Profile::as_str);
    asked.option("profile", text, &known, known[0].to_owned())
}

fn mean_f0(asked: &mut Asked<'_>) -> Option<f64> {
    let text = "Mean pitch of the voice in hertz, 20 to 2000; 0 says nothing.";
    let mean_f0_hz = asked.option("mean_f0_hz", text, &[], 0.0);
    let fits = |mean_f0_hz: &f64| *mean_f0_hz == 0.0 || MEAN_F0_HZ.contains(mean_f0_hz);
    asked.fitting("mean_f0_hz", mean_f0_hz, fits, "it is out of this range")
}

/// The identity of the encoder that it was trained on, as somebody says or as its files call it.
fn trained_on(asked: &mut Asked<'_>, named: Option<&str>) -> Option<String> {
    let text = "Name of the content encoder that it was trained on, such as contentvec, which RVC itself uses.";
    let named = named.filter(|name| !name.trim().is_empty());
    let known = named.unwrap_or(USUAL_ENCODER).to_owned();
    let said = asked.option("encoder", text, &[], known)?;
    let identity = encoder_identity(&said);
    if identity.is_none() {
        asked.wrong("encoder", "it is no name of an encoder");
    }
    identity
}

/// The id of the package with the encoder; empty for one that is found by its identity. Where that is not the usual one and nothing of
/// the kind is installed, whoever imports the voice may know better.
fn encoder(
    asked: &mut Asked<'_>,
    (trained_on, files): (Option<&str>, &FromFiles<'_>),
) -> Option<String> {
    let is_there = |identity: &str| files.identities.iter().any(|one| one == identity);
    let unusual = trained_on.filter(|identity| *identity != USUAL_ENCODER && !is_there(identity));
    let text = match unusual {
        Some(name) => format!(
            "The voice was trained on the content encoder {}. What is the id of the package with it?",
            quoted(files.encoder.map_or(name, str::trim))
        ),
        None => "What is the id of the package with its content encoder?".to_owned(),
    };
    let usual = unusual.is_none().then(String::new);
    let said = asked.fact("content", &text, &[], usual);
    asked.fitting("content", said, |said| may_be_id(said), NO_ID)
}

/// The id of the package with the F0 estimator; empty for the best that is there.
fn estimator(asked: &mut Asked<'_>) -> Option<String> {
    let text =
        "What is the id of the package with its F0 estimator, or is it pyin, which needs none?";
    let said = asked.option("f0", text, &[], String::new());
    asked.fitting("f0", said, |said| may_be_id(said), NO_ID)
}

/// What an answer is not that names no package.
const NO_ID: &str =
    "it is no id of a package, which has lower-case letters, digits, dots and hyphens";

/// Whether an answer can be the id of a package; empty, it names none.
fn may_be_id(said: &str) -> bool {
    said.is_empty() || has_id_letters(said)
}
