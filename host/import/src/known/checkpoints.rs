use std::fmt::{self, Display, Formatter};
use std::path::Path;

use super::digest::digest_of;
use super::table::line;

pub(super) const SEPARATORS: &str = include_str!("separators.txt");
pub(super) const VR: &str = include_str!("vr.txt");

/// A checkpoint that UVR's users have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Checkpoint {
    /// A separator with a configuration: `RoFormer`, `MDX23C`, `SCNet`, Bandit.
    Separator(Separator),
    /// A model of UVR's VR architecture.
    Vr(Vr),
}

/// What the weights of such a separator do not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Separator {
    /// `bs-roformer`, `mel-roformer`, `mdx23c`, `scnet` or `bandit`.
    pub(crate) architecture: &'static str,
    pub(crate) sample_rate_hz: u64,
    /// Samples of a piece.
    pub(crate) piece: u64,
    /// Samples of the transform.
    pub(crate) n_fft: u64,
    /// Samples between its frames.
    pub(crate) hop: u64,
    /// How many pieces overlap.
    pub(crate) pieces: u64,
    /// Whether the recording's level is normalised before and put back behind.
    pub(crate) is_normalised: bool,
    /// Its stems, in the order of the configuration.
    pub(crate) stems: Vec<&'static str>,
    /// The only one of them that it estimates, if there is one.
    pub(crate) target: Option<&'static str>,
    /// The name of its configuration.
    pub(crate) name: &'static str,
    /// Of an `SCNet` the shares of the bins in its bands, with commas between them.
    pub(crate) shares: Option<&'static str>,
}

/// What the weights of a model of the VR architecture do not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Vr {
    /// The name of the parameters of its bands.
    pub(crate) bands: &'static str,
    /// What it estimates.
    pub(crate) stem: &'static str,
    /// What it takes apart.
    pub(crate) kind: VrKind,
}

/// What a model of the VR architecture takes apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VrKind {
    /// What its stem says.
    Plain,
    /// The lead, which it counts as vocals, and the rest.
    Karaoke,
    /// The voices behind the lead, which it counts as vocals, and the rest.
    BackingVocals,
}

/// What is known of the file at `path`; nothing of one that cannot be read.
pub(crate) fn checkpoint(path: &Path) -> Option<Checkpoint> {
    by_digest(&digest_of(path).ok()?)
}

/// What is known of a file with this digest.
pub(crate) fn by_digest(digest: &str) -> Option<Checkpoint> {
    separator(digest)
        .map(Checkpoint::Separator)
        .or_else(|| vr(digest).map(Checkpoint::Vr))
}

fn separator(digest: &str) -> Option<Separator> {
    let mut words = line(SEPARATORS, digest)?;
    let architecture = words.next()?;
    let mut number = || words.next()?.parse().ok();
    Some(Separator {
        architecture,
        sample_rate_hz: number()?,
        piece: number()?,
        n_fft: number()?,
        hop: number()?,
        pieces: number()?,
        is_normalised: words.next()? == "normalized",
        stems: words.next()?.split(',').collect(),
        target: words.next().filter(|target| *target != "-"),
        name: words.next()?,
        shares: words.next(),
    })
}

fn vr(digest: &str) -> Option<Vr> {
    let mut words = line(VR, digest)?;
    let (bands, stem) = (words.next()?, words.next()?);
    // The weights have the channels, which stand between.
    let kind = match words.nth(2)? {
        "karaoke" => VrKind::Karaoke,
        "backing-vocals" => VrKind::BackingVocals,
        _ => VrKind::Plain,
    };
    Some(Vr { bands, stem, kind })
}

/// The rest of a sentence about the file.
impl Display for Checkpoint {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Separator(known) => {
                let estimates = match known.target {
                    Some(target) => format!("of which it gives {target} alone"),
                    None => "in this order".to_owned(),
                };
                write!(
                    out,
                    "{} of the configuration {}, known by its content: stems {}, {estimates}; pieces of {} samples at {} Hz, {} over each \
                     other; a transform of {} samples every {}",
                    known.architecture,
                    known.name,
                    known.stems.join(","),
                    known.piece,
                    known.sample_rate_hz,
                    known.pieces,
                    known.n_fft,
                    known.hop
                )?;
                if known.is_normalised {
                    out.write_str("; it wants recordings of normalised level")?;
                }
                Ok(())
            }
            Self::Vr(known) => write!(
                out,
                "a VR model of UVR's, known by its content: bands {}, it estimates {}",
                known.bands, known.stem
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::lines;
    use super::*;

    #[test]
    fn every_line_is_understood() {
        for row in lines(SEPARATORS) {
            let (digest, _) = row.split_once(' ').expect("a hash and more");
            let known = separator(digest).expect("it is known");
            assert!(
                known
                    .target
                    .is_none_or(|target| known.stems.contains(&target))
            );
            assert!(
                known.hop < known.n_fft && known.n_fft < known.piece,
                "{row}"
            );
            assert!([44_100, 48_000].contains(&known.sample_rate_hz), "{row}");
            let is_scnet = known.architecture == "scnet";
            assert_eq!(known.shares.is_some(), is_scnet, "{row}");
        }
        for row in lines(VR) {
            let (digest, _) = row.split_once(' ').expect("a hash and more");
            let known = vr(digest).expect("it is known");
            assert!(super::super::bands(known.bands).is_some(), "{row}");
        }
    }

    #[test]
    fn what_is_known_is_said() {
        let said = |digest| by_digest(digest).expect("it is known").to_string();
        let viperx = said("53f707017bfcbb56f5e1bfac420d6732");
        assert!(
            viperx.starts_with("bs-roformer of the configuration model_bs_roformer_ep_317"),
            "{viperx}"
        );
        assert!(
            viperx.contains("gives vocals alone; pieces of 352800 samples"),
            "{viperx}"
        );
        let scnet = said("6e749f5803b8baa7988a10393bb96df1");
        assert!(
            scnet.contains("drums,bass,other,vocals, in this order")
                && scnet.ends_with("normalised level")
        );
    }

    #[test]
    fn what_a_vr_model_takes_apart_is_known() {
        let known = |digest| match by_digest(digest) {
            Some(Checkpoint::Vr(known)) => (known.bands, known.stem, known.kind),
            other => panic!("{digest}: {other:?}"),
        };
        assert_eq!(
            known("f200a145434efc7dcf0cd093f517ed52"),
            ("4band_v3", "no-echo", VrKind::Plain)
        );
        assert_eq!(known("6b5916069a49be3fe29d4397ecfd73fa").2, VrKind::Karaoke);
        assert_eq!(
            known("944950a9c5963a5eb70b445d67b7068a").2,
            VrKind::BackingVocals
        );
        assert_eq!(by_digest(""), None);
    }
}
