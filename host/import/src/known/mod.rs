//! Separators that UVR's users have, known by what they hold: the MD5 of their last 10,000 KiB, as UVR counts. So a known file
//! needs nobody to say what it does not say itself.

mod bands;
mod checkpoints;
mod digest;
mod mdx_net;
mod table;

pub(crate) use bands::{Band, Bands, bands, names_of_bands};
pub(crate) use checkpoints::{Checkpoint, Separator, Vr, VrKind, by_digest, checkpoint};
pub(crate) use digest::digest_of;
pub(crate) use mdx_net::{Estimate, MdxNet, mdx_net};

#[cfg(test)]
mod tests {
    use super::table::lines;
    use super::{checkpoints, mdx_net};

    #[test]
    fn the_tables_have_whole_hashes_and_each_once() {
        let all = [mdx_net::TABLE, checkpoints::SEPARATORS, checkpoints::VR];
        let all: Vec<&str> = all.into_iter().flat_map(lines).collect();
        assert_eq!(all.len(), 44 + 42 + 30);
        for (place, text) in all.iter().enumerate() {
            let (digest, _) = text.split_once(' ').expect("a hash and more");
            let is_hash = digest.len() == 32 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_hash && digest == digest.to_lowercase(), "{text}");
            assert!(all[..place].iter().all(|other| !other.starts_with(digest)));
        }
    }
}
