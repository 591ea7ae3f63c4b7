//! Archives whose content is far larger than they are, or differs from what they say.

use crate::Crafted;
use crate::seeds::Seeds;
use vocalhost_testing::archive::{Member, zip, zip_of};

pub(crate) fn crafted(seeds: &mut Seeds) -> Crafted {
    let name = format!("{}.pth", seeds.word());
    // Megabytes of the same byte, a thousand times as long as what they are packed into.
    let zeros = vec![seeds.next() as u8; 4 << 20];
    let mut bomb = Member::deflated(&name, &zeros);
    let archive = match seeds.number % 10 {
        0 => zip(&[bomb]),
        1 => {
            // It says that it is as small as it should be.
            bomb.bytes = bomb.packed_bytes * (2 + seeds.below(40));
            zip(&[bomb])
        }
        2 => {
            bomb.bytes = u64::MAX - seeds.below(1 << 20);
            zip(&[bomb])
        }
        3 => {
            bomb.bytes = (1 << 40) + seeds.below(1 << 40);
            bomb.packed_bytes = bomb.bytes / 2;
            zip(&[bomb])
        }
        4 => {
            // A list that is far longer than the file could have.
            let count = 1_001 + seeds.below(60_000) as u16;
            zip_of(&[bomb], count)
        }
        5 => {
            // Many files that are one and the same place.
            let second = Member {
                name: format!("{}.index", seeds.word()).into_bytes(),
                shift: -((30 + name.len() + bomb.packed.len()) as i64),
                ..bomb.clone()
            };
            zip(&[bomb, second])
        }
        6 => {
            let above = format!("../../{name}").into_bytes();
            bomb.local_name.clone_from(&above);
            bomb.name = above;
            zip(&[bomb])
        }
        7 => {
            bomb.mode = 0o120_777;
            zip(&[bomb])
        }
        8 => {
            bomb.method = *seeds.one_of(&[1, 9, 12, 14, 93, 95, 99]);
            zip(&[bomb])
        }
        _ => {
            // A checkpoint of torch that is packed, which torch's never are.
            bomb.name = b"archive/data.pkl".to_vec();
            bomb.local_name.clone_from(&bomb.name);
            zip(&[bomb])
        }
    };
    Crafted::alone("download.zip", archive)
}
