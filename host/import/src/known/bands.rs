use std::str::SplitWhitespace;

use super::table::{line, lines};

pub(super) const TABLE: &str = include_str!("bands.txt");

/// The bands that a VR model hears, and what its graph does not say of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bands {
    /// Bins of the network.
    pub(crate) bins: u64,
    /// Where the spectrum fades out.
    pub(crate) fade: [u64; 2],
    /// UVR's word for what the channels of an older model are, if they are not left and right.
    pub(crate) stereo: Option<&'static str>,
    /// From the lowest on.
    pub(crate) each: Vec<Band>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Band {
    pub(crate) sample_rate_hz: u64,
    pub(crate) n_fft: u64,
    pub(crate) hop: u64,
    pub(crate) crop: [u64; 2],
    pub(crate) high_pass: Option<[u64; 2]>,
    pub(crate) low_pass: Option<[u64; 2]>,
    /// UVR's word for what the channels of a newer model are, if they are not left and right.
    pub(crate) stereo: Option<&'static str>,
}

/// The bands of a name.
pub(crate) fn bands(name: &str) -> Option<Bands> {
    let mut words = line(TABLE, name)?;
    Some(Bands {
        bins: words.next()?.parse().ok()?,
        fade: pair(words.next()?)?,
        stereo: word(words.next()?),
        each: each(words)?,
    })
}

/// The names of all.
pub(crate) fn names_of_bands() -> impl Iterator<Item = &'static str> {
    lines(TABLE).filter_map(|line| line.split_whitespace().next())
}

fn each(words: SplitWhitespace<'static>) -> Option<Vec<Band>> {
    let band = |text: &'static str| {
        let mut parts = text.split(':');
        let mut number = || parts.next()?.parse().ok();
        Some(Band {
            sample_rate_hz: number()?,
            n_fft: number()?,
            hop: number()?,
            crop: pair(parts.next()?)?,
            high_pass: pair(parts.next()?),
            low_pass: pair(parts.next()?),
            stereo: word(parts.next()?),
        })
    };
    words.map(band).collect()
}

fn pair(text: &str) -> Option<[u64; 2]> {
    let (first, second) = text.split_once('-')?;
    Some([first.parse().ok()?, second.parse().ok()?])
}

fn word(text: &'static str) -> Option<&'static str> {
    (text != "-").then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_understood_and_its_numbers_go_together() {
        assert_eq!(names_of_bands().count(), 22);
        for name in names_of_bands() {
            let known = bands(name).expect("it is understood");
            let count = name.split_once("band").map(|(count, _)| count);
            assert_eq!(count, Some(&*known.each.len().to_string()), "{name}");
            let heard: u64 = known
                .each
                .iter()
                .map(|band| band.crop[1] - band.crop[0])
                .sum();
            assert!(heard <= known.bins, "{name}: {heard} of {}", known.bins);
            let last = known.each.last().expect("a band");
            for band in &known.each {
                assert_eq!(
                    band.hop * last.sample_rate_hz,
                    last.hop * band.sample_rate_hz,
                    "{name}"
                );
            }
        }
        assert_eq!(bands("4band_44100_reverse"), None);
        assert_eq!(bands("#"), None);
    }
}
