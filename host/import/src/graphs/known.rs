//! MDX-Net models that UVR's users have, known by what they hold: the MD5 of their last 10,000 KiB, as UVR counts
//! (`model_data.json`, which carries no licence; hashes and numbers are facts about the files). Those of a single instrument
//! and of reverberation are left out: alone they make up no separator.

use md5::{Digest, Md5};

/// Bytes at the end of a file that are hashed.
const HASHED_BYTES: usize = 10_000 * 1_024;

/// What the graph of an MDX-Net model does not say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Known {
    pub(super) name: &'static str,
    pub(super) n_fft: u64,
    /// Bins that its spectra have; what its graph must say too.
    pub(super) bins: u64,
    pub(super) compensate: f64,
    /// What it estimates. `None` where `vocals` and `backing` would both be half true: of a karaoke model the backing vocals
    /// stay with the music.
    pub(super) stem: Option<&'static str>,
}

const fn known(
    name: &'static str,
    n_fft: u64,
    bins: u64,
    compensate: f64,
    stem: Option<&'static str>,
) -> Known {
    Known {
        name,
        n_fft,
        bins,
        compensate,
        stem,
    }
}

const TABLE: [(&str, Known); 12] = [
    (
        "77d07b2667ddf05b9e3175941b4454a0",
        known("UVR-MDX-NET Voc FT", 7_680, 3_072, 1.021, Some("vocals")),
    ),
    (
        "55657dd70583b0fedfba5f67df11d711",
        known(
            "UVR-MDX-NET Inst HQ 3",
            6_144,
            3_072,
            1.022,
            Some("backing"),
        ),
    ),
    (
        "cb790d0c913647ced70fc6b38f5bea1a",
        known(
            "UVR-MDX-NET Inst HQ 5",
            5_120,
            2_560,
            1.010,
            Some("backing"),
        ),
    ),
    (
        "1d64a6d2c30f709b8c9b4ce1366d96ee",
        known("UVR-MDX-NET Karaoke 2", 5_120, 2_048, 1.065, None),
    ),
    (
        "0ddfc0eb5792638ad5dc27850236c246",
        known(
            "UVR-MDX-NET 9482 and its kind",
            6_144,
            2_048,
            1.035,
            Some("vocals"),
        ),
    ),
    (
        "2f5501189a2f6db6349916fabe8c90de",
        known(
            "UVR-MDX-NET 9482 and its kind",
            6_144,
            2_048,
            1.035,
            Some("vocals"),
        ),
    ),
    (
        "d2a1376f310e4f7fa37fb9b5774eb701",
        known("UVR-MDX-NET Inst", 7_680, 3_072, 1.035, Some("backing")),
    ),
    (
        "488b3e6f8bd3717d9d7c428476be2d75",
        known("UVR-MDX-NET Inst", 7_680, 3_072, 1.035, Some("backing")),
    ),
    (
        "2cdd429caac38f0194b133884160f2c6",
        known("UVR-MDX-NET Inst", 7_680, 3_072, 1.045, Some("backing")),
    ),
    (
        "b6bccda408a436db8500083ef3491e8b",
        known("UVR-MDX-NET Inst", 7_680, 3_072, 1.02, Some("backing")),
    ),
    (
        "1c56ec0224f1d559c42fd6fd2a67b154",
        known("UVR-MDX-NET Inst HQ", 5_120, 2_048, 1.025, Some("backing")),
    ),
    (
        "970b3f9492014d18fefeedfe4773cb42",
        known(
            "Kim Vocal and its kind",
            7_680,
            3_072,
            1.009,
            Some("vocals"),
        ),
    ),
];

/// What is known of a file.
pub(super) fn known_by_content(file: &[u8]) -> Option<Known> {
    let from = file.len().saturating_sub(HASHED_BYTES);
    let digest = base16ct::lower::encode_string(&Md5::digest(&file[from..]));
    by_digest(&digest)
}

fn by_digest(digest: &str) -> Option<Known> {
    let of_digest = TABLE.iter().find(|(known, _)| *known == digest);
    of_digest.map(|(_, known)| *known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_whole_hashes_each_once_and_numbers_that_go_together() {
        for (place, (digest, known)) in TABLE.iter().enumerate() {
            assert_eq!(digest.len(), 32);
            assert!(TABLE[..place].iter().all(|(other, _)| other != digest));
            assert!(known.bins <= known.n_fft / 2 + 1, "{digest}");
        }
        let voc_ft = by_digest("77d07b2667ddf05b9e3175941b4454a0").expect("it is known");
        assert_eq!((voc_ft.n_fft, voc_ft.stem), (7_680, Some("vocals")));
    }

    #[test]
    fn only_the_end_of_a_long_file_counts() {
        // RFC 1321: the MD5 of "abc".
        let digest = base16ct::lower::encode_string(&Md5::digest(b"abc"));
        assert_eq!(digest, "900150983cd24fb0d6963f7d28e17f72");
        let mut long = vec![1_u8; HASHED_BYTES + 5];
        let of = |file: &[u8]| {
            let from = file.len().saturating_sub(HASHED_BYTES);
            Md5::digest(&file[from..])
        };
        let before = of(&long);
        long[4] = 9;
        assert_eq!(of(&long), before);
        long[5] = 9;
        assert_ne!(of(&long), before);
        assert_eq!(known_by_content(&long), None);
    }
}
