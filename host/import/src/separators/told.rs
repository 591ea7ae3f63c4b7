//! What all separators have in common that their weights do not tell.

use toml::Value;

use super::settings::Settings;
use crate::asked::Asked;
use crate::drawing::DrawFault;
use crate::graphs::{Stems, pieces_of};

/// The longest piece, as manifests have it.
const MAX_SAMPLES: u64 = 1 << 22;
/// The most frames of a piece: a network that compares them in pairs must not grow as a stranger likes.
const MAX_FRAMES: u64 = 10_000;

/// What settings tell of a separator, where there are any.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// What comes out, in the graph's order, when that has a name here.
    stems: Option<Stems>,
    /// Samples of a piece.
    samples: Option<u64>,
    /// How many pieces overlap.
    pieces: Option<u64>,
    /// Whether the level of the whole recording is normalised before.
    pub(super) levels: bool,
}

/// What is known once everything was asked.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) stems: Stems,
    pub(super) samples: u64,
    pub(super) pieces: u64,
}

impl Told {
    /// Reads the settings; `frames` is the number of samples between frames, for settings that count a piece's frames.
    pub(super) fn of(settings: &Settings, hop: Option<u64>) -> Result<Self, DrawFault> {
        settings.check_sound()?;
        let instruments = settings.list("training.instruments")?.unwrap_or_default();
        let target = settings.text("training.target_instrument")?;
        let chunk = settings.whole("inference.chunk_size")?;
        let chunk = chunk.or(settings.whole("audio.chunk_size")?);
        let frames = settings.whole("inference.dim_t")?;
        let counted = frames.zip(hop).map(|(frames, hop)| {
            let hops = frames.saturating_sub(1);
            hops.saturating_mul(hop)
        });
        Ok(Self {
            stems: Stems::named(&instruments, target),
            samples: chunk.or(counted),
            pieces: settings.whole("inference.num_overlap")?,
            levels: settings.truth("inference.normalize")?.unwrap_or(false),
        })
    }

    /// Asks for what is missing. `count` is the number of stems that the network gives, `hop` the samples between its frames and
    /// `usual` those of a piece where nobody says it.
    pub(super) fn ask(
        self,
        asked: &mut Asked<'_>,
        count: u64,
        (hop, usual): (u64, u64),
    ) -> Option<Known> {
        let stems = self.stems.filter(|stems| stems.count() == count);
        let stems = Stems::ask(asked, Some(count), stems);
        let text = "Samples of a piece that the network is shown at once; more take more memory.";
        let samples = asked.option("samples", text, &[], self.samples.unwrap_or(usual));
        let most = MAX_SAMPLES.min(MAX_FRAMES.saturating_mul(hop));
        let least = hop.saturating_mul(2);
        let reason = format!("with {hop} samples between frames, pieces have {least} to {most}");
        let fits = |samples: &u64| (least..=most).contains(samples);
        let samples = asked.fitting("samples", samples, fits, &reason);
        let pieces = pieces_of(asked, self.pieces);
        Some(Known {
            stems: stems?,
            samples: samples?,
            pieces: pieces?,
        })
    }
}

/// A number as manifests have it.
pub(super) fn number(value: u64) -> Value {
    Value::from(i64::try_from(value).unwrap_or(i64::MAX))
}
