use std::ops::Range;

use super::ebml;

/// The bits of a block's flags that say how its packets are laced.
const LACING: u8 = 0b110;

/// Whether a block says that it holds several packets.
pub(super) fn is_laced(block: &[u8]) -> bool {
    let flags = ebml::number(block).and_then(|(_, bytes)| block.get(bytes + 2));
    flags.is_some_and(|flags| flags & LACING != 0)
}

/// Where the packets of a block lie within it (RFC 9559 section 10); none when they do not fit.
pub(super) fn packets(block: &[u8]) -> Option<Vec<Range<usize>>> {
    let (_, number_bytes) = ebml::number(block)?;
    // The number of the track is followed by a time of 2 bytes.
    let flags = *block.get(number_bytes + 2)?;
    let mut body = block.get(number_bytes + 3..)?;
    let sizes = if flags & LACING == 0 {
        Vec::new()
    } else {
        let (more, rest) = body.split_first()?;
        body = rest;
        sizes(flags & LACING, usize::from(*more), &mut body)?
    };
    let mut at = block.len() - body.len();
    let mut packets = Vec::with_capacity(sizes.len() + 1);
    for size in sizes {
        let end = at.checked_add(size).filter(|end| *end <= block.len())?;
        packets.push(at..end);
        at = end;
    }
    // The last one takes the rest.
    packets.push(at..block.len());
    Some(packets)
}

/// The sizes of all packets but the last, which are taken off `body`.
fn sizes(lacing: u8, count: usize, body: &mut &[u8]) -> Option<Vec<usize>> {
    const XIPH: u8 = 0b010;
    const FIXED: u8 = 0b100;
    match lacing {
        XIPH => (0..count).map(|_| take_xiph(body)).collect(),
        FIXED => {
            let equal = body.len() / (count + 1);
            // A packet has at least one byte: a damaged block could claim hundreds of empty ones, each of which would be silence.
            let is_whole = equal > 0 && body.len().is_multiple_of(count + 1);
            is_whole.then(|| vec![equal; count])
        }
        _ => {
            let mut size = 0;
            let sizes = (0..count).map(|index| {
                let (next, bytes) = if index == 0 {
                    let (first, bytes) = ebml::number(body)?;
                    (i64::try_from(first).ok()?, bytes)
                } else {
                    let (step, bytes) = ebml::difference(body)?;
                    (i64::checked_add(size, step)?, bytes)
                };
                size = next;
                *body = body.get(bytes..)?;
                usize::try_from(size).ok()
            });
            sizes.collect()
        }
    }
}

/// A size as a sum of bytes, of which only the last is below 255.
fn take_xiph(body: &mut &[u8]) -> Option<usize> {
    let mut size = 0;
    loop {
        let (byte, rest) = body.split_first()?;
        *body = rest;
        size += usize::from(*byte);
        if *byte != u8::MAX {
            return Some(size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unlaced(block: &[u8]) -> Option<Vec<Vec<u8>>> {
        let cuts = packets(block)?.into_iter();
        Some(cuts.map(|cut| block[cut].to_vec()).collect())
    }

    #[test]
    fn every_lacing_gives_the_same_packets() {
        let packets = [vec![1; 300], vec![2; 3], vec![3; 250], vec![4; 7]];
        let sound = packets.concat();
        let with = |flags: u8, sizes: &[u8]| [&[0x81, 0, 0, flags], sizes, &sound[..]].concat();
        let wanted = Some(packets.to_vec());
        assert_eq!(unlaced(&with(0x02, &[3, 255, 45, 3, 250])), wanted);
        // 300, then less by 297 and more by 247, each in two bytes.
        let steps = [3, 0x41, 0x2c, 0x5e, 0xd6, 0x60, 0xf6];
        assert_eq!(unlaced(&with(0x06, &steps)), wanted);
        assert_eq!(unlaced(&with(0x00, &[])), Some(vec![sound.clone()]));
        let halves = sound.chunks(sound.len() / 2).map(<[u8]>::to_vec);
        assert_eq!(unlaced(&with(0x04, &[1])), Some(halves.collect()));
    }

    #[test]
    fn packets_that_do_not_fit_are_none() {
        for block in [
            &b""[..],
            b"\x81\x00",
            b"\x81\x00\x00",
            b"\x81\x00\x00\x02",
            b"\x81\x00\x00\x02\x01\xff",
            b"\x81\x00\x00\x02\x01\x05abc",
            b"\x81\x00\x00\x04\x02abcd",
            b"\x81\x00\x00\x04\x80",
            b"\x81\x00\x00\x06\x02\x84\x80abcdefg",
            b"\x81\x00\x00\x06\x01\x01\xff\xff\xff\xff\xff\xff\xff",
        ] {
            assert_eq!(unlaced(block), None, "{block:x?}");
        }
    }
}
