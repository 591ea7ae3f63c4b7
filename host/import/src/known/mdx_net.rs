use super::digest::digest;
use super::table::line;

pub(super) const TABLE: &str = include_str!("mdx_net.txt");

/// What the graph of an MDX-Net model does not say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MdxNet {
    /// What its users call it.
    pub(crate) name: Option<&'static str>,
    /// Samples of its transform.
    pub(crate) n_fft: u64,
    /// Bins that its spectra have; what its graph must say too.
    pub(crate) bins: u64,
    /// Frames of a piece; what its graph must say too.
    pub(crate) frames: u64,
    /// The factor on what it estimates.
    pub(crate) compensate: f64,
    /// What it estimates.
    pub(crate) estimate: Estimate,
}

/// What a model estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Estimate {
    /// A stem that leaves another one, in the words in which stems are asked for.
    Stem(&'static str),
    /// A single instrument: alone it makes up no separator.
    Part(&'static str),
}

/// What is known of a file.
pub(crate) fn mdx_net(file: &[u8]) -> Option<MdxNet> {
    by_digest(&digest(file))
}

fn by_digest(digest: &str) -> Option<MdxNet> {
    let mut words = line(TABLE, digest)?;
    let mut number = || words.next()?.parse().ok();
    let (n_fft, bins, frames) = (number()?, number()?, number()?);
    let compensate = words.next()?.parse().ok()?;
    let estimate = match words.next()? {
        stem @ ("vocals" | "backing" | "lead" | "no-lead" | "reverb" | "no-crowd") => {
            Estimate::Stem(stem)
        }
        part => Estimate::Part(part),
    };
    let row = TABLE.lines().find(|line| line.starts_with(digest))?;
    Some(MdxNet {
        name: row.splitn(7, ' ').nth(6),
        n_fft,
        bins,
        frames,
        compensate,
        estimate,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_numbers_that_go_together() {
        for row in super::super::table::lines(TABLE) {
            let (digest, _) = row.split_once(' ').expect("a hash and more");
            let known = by_digest(digest).expect("it is known");
            assert!(known.bins <= known.n_fft / 2 + 1, "{row}");
            assert!(1_024 * (known.frames - 1) > known.n_fft, "{row}");
            assert!((0.9..2.0).contains(&known.compensate), "{row}");
        }
    }

    #[test]
    fn models_are_told_by_what_they_estimate() {
        let voc_ft = by_digest("77d07b2667ddf05b9e3175941b4454a0").expect("it is known");
        assert_eq!(voc_ft.name, Some("UVR-MDX-NET Voc FT"));
        assert_eq!((voc_ft.n_fft, voc_ft.frames), (7_680, 256));
        assert_eq!(voc_ft.estimate, Estimate::Stem("vocals"));
        let karaoke = by_digest("2f5501189a2f6db6349916fabe8c90de").expect("it is known");
        assert_eq!(karaoke.estimate, Estimate::Stem("lead"));
        let drums = by_digest("dc41ede5961d50f277eb846db17f5319").expect("it is known");
        assert_eq!(
            (drums.name, drums.estimate),
            (None, Estimate::Part("drums"))
        );
        assert_eq!(by_digest("dc41"), None);
        assert_eq!(by_digest("#"), None);
    }
}
