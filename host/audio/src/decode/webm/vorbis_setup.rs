//! Repairs a Vorbis setup header with a few damaged bits.
//!
//! Many of its fields have only one valid value (Vorbis I, sections 4.2.4, 3.2.1, 6.2.2, 7.2.2 and 8.6.1). Where a header has another, the
//! valid one is put back. What the other fields should hold cannot be known.

/// What every codebook begins with (section 3.2.1).
const SYNC: u32 = 0x0056_4342;
const SYNC_BITS: usize = 24;

/// Codebooks have no more dimensions: those of libvorbis have 8 at most, and Symphonia refuses more.
const MOST_DIMENSIONS: u32 = 32;
const DIMENSION_BITS: usize = 5;

/// The kinds of floor are 0 and 1, those of residue 0 to 2.
const FLOOR_KIND_BITS: usize = 1;
const RESIDUE_KIND_BITS: usize = 2;

/// Bytes in front of the first bit: the kind of the packet, and `vorbis`.
const SIGNATURE_BYTES: usize = 7;

/// What is read of a setup header.
pub(super) struct Setup {
    /// The header with those values put back.
    pub(super) bytes: Vec<u8>,
    /// Whether one was put back.
    pub(super) is_mended: bool,
    /// For each mode, whether its packets are long blocks.
    pub(super) modes: Vec<bool>,
}

impl Setup {
    /// Reads a header for so many channels; none when it makes no sense.
    pub(super) fn read(setup: &[u8], channels: u8) -> Option<Self> {
        let mut reader = Reader {
            read: setup,
            place: 8 * SIGNATURE_BYTES,
            setup: Self {
                bytes: setup.to_vec(),
                is_mended: false,
                modes: Vec::new(),
            },
        };
        reader.all(u32::from(channels))?;
        Some(reader.setup)
    }
}

/// Bits, the lowest of each byte first.
struct Reader<'s> {
    read: &'s [u8],
    place: usize,
    setup: Setup,
}

impl Reader<'_> {
    fn all(&mut self, channels: u32) -> Option<()> {
        for _ in 0..self.count(8)? {
            self.codebook()?;
        }
        for _ in 0..self.count(6)? {
            self.must_be(0, 16)?;
        }
        for _ in 0..self.count(6)? {
            self.floor()?;
        }
        for _ in 0..self.count(6)? {
            self.residue()?;
        }
        for _ in 0..self.count(6)? {
            self.mapping(channels)?;
        }
        for _ in 0..self.count(6)? {
            let is_long = self.bits(1)? == 1;
            self.setup.modes.push(is_long);
            // The kinds of the window and of the transform.
            self.must_be(0, 16)?;
            self.must_be(0, 16)?;
            self.skip(8)?;
        }
        // This bit tells a whole header from one whose end is zeros, so it is not put back.
        (self.bits(1)? == 1).then_some(())
    }

    /// A number of at most 32 bits.
    fn bits(&mut self, count: usize) -> Option<u32> {
        let end = self.place + count;
        let bit = |at: usize| u32::from(self.read[at / 8] >> (at % 8) & 1);
        let number = (end <= 8 * self.read.len())
            .then(|| (self.place..end).rfold(0, |number, at| number << 1 | bit(at)))?;
        self.place = end;
        Some(number)
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        let end = self.place.checked_add(count)?;
        (end <= 8 * self.read.len()).then(|| self.place = end)
    }

    fn count(&mut self, bits: usize) -> Option<u32> {
        Some(self.bits(bits)? + 1)
    }

    /// Reads a field that has only one valid value.
    fn must_be(&mut self, value: u32, bits: usize) -> Option<()> {
        self.put_right(bits, |_| value).map(|_| ())
    }

    /// Reads a number of `bits` bits, all but the lowest `low` of which are zero.
    fn of_low_bits(&mut self, low: usize, bits: usize) -> Option<u32> {
        self.put_right(bits, |read| read & ((1 << low) - 1))
    }

    fn put_right(&mut self, bits: usize, right: impl Fn(u32) -> u32) -> Option<u32> {
        let first = self.place;
        let read = self.bits(bits)?;
        let right = right(read);
        for bit in (0..bits).filter(|bit| (read ^ right) >> bit & 1 == 1) {
            let place = first + bit;
            self.setup.bytes[place / 8] ^= 1 << (place % 8);
            self.setup.is_mended = true;
        }
        Some(right)
    }

    fn codebook(&mut self) -> Option<()> {
        self.must_be(SYNC, SYNC_BITS)?;
        let low = (1 << DIMENSION_BITS) - 1;
        let likely = |read| {
            if read <= MOST_DIMENSIONS {
                read
            } else {
                read & low
            }
        };
        let dimensions = self.put_right(16, likely)?;
        let entries = self.bits(24)?;
        if self.bits(1)? == 1 {
            self.skip(5)?;
            let mut known = 0;
            while known < entries {
                known += self.bits(bits_of(entries - known))?;
            }
        } else {
            let is_sparse = self.bits(1)? == 1;
            for _ in 0..entries {
                if !is_sparse || self.bits(1)? == 1 {
                    self.skip(5)?;
                }
            }
        }
        let lookup = self.bits(4)?;
        if lookup == 0 {
            return Some(());
        }
        self.skip(64)?;
        let value_bits = self.count(4)?;
        self.skip(1)?;
        let values = match lookup {
            1 => values_of(entries, dimensions)?,
            2 => u64::from(entries) * u64::from(dimensions),
            _ => return None,
        };
        self.skip(usize::try_from(values * u64::from(value_bits)).ok()?)
    }

    fn floor(&mut self) -> Option<()> {
        if self.of_low_bits(FLOOR_KIND_BITS, 16)? == 0 {
            self.skip(8 + 16 + 16 + 6 + 8)?;
            let books = self.count(4)?;
            return self.skip(8 * books as usize);
        }
        let mut classes = Vec::new();
        for _ in 0..self.bits(5)? {
            classes.push(self.bits(4)? as usize);
        }
        let mut points = Vec::new();
        for _ in 0..classes.iter().max().map_or(0, |last| last + 1) {
            points.push(self.count(3)?);
            let sub_bits = self.bits(2)?;
            let master = usize::from(sub_bits > 0);
            self.skip(8 * (master + (1 << sub_bits)))?;
        }
        self.skip(2)?;
        let point_bits = self.bits(4)?;
        let all: u32 = classes.iter().map(|class| points[*class]).sum();
        self.skip((all * point_bits) as usize)
    }

    fn residue(&mut self) -> Option<()> {
        self.of_low_bits(RESIDUE_KIND_BITS, 16)?;
        self.skip(24 + 24 + 24)?;
        let classes = self.count(6)?;
        self.skip(8)?;
        let mut books = 0;
        for _ in 0..classes {
            books += self.bits(3)?.count_ones();
            if self.bits(1)? == 1 {
                books += self.bits(5)?.count_ones();
            }
        }
        self.skip(8 * books as usize)
    }

    fn mapping(&mut self, channels: u32) -> Option<()> {
        self.must_be(0, 16)?;
        let submaps = match self.bits(1)? {
            1 => self.count(4)?,
            _ => 1,
        };
        if self.bits(1)? == 1 {
            let steps = self.count(8)? as usize;
            self.skip(2 * steps * bits_of(channels.saturating_sub(1)))?;
        }
        self.must_be(0, 2)?;
        if submaps > 1 {
            self.skip(4 * channels as usize)?;
        }
        self.skip(submaps as usize * (8 + 8 + 8))
    }
}

/// `ilog` of section 9.2.1: the bits that a number takes.
fn bits_of(number: u32) -> usize {
    (u32::BITS - number.leading_zeros()) as usize
}

/// `lookup1_values` of section 9.2.3: the greatest number whose power by the dimensions is no more than the entries.
fn values_of(entries: u32, dimensions: u32) -> Option<u64> {
    if dimensions == 0 {
        return None;
    }
    let fits = |value: &u64| {
        let power = value.checked_pow(dimensions);
        power.is_some_and(|power| power <= u64::from(entries))
    };
    let root = f64::from(entries).powf(1.0 / f64::from(dimensions)) as u64;
    (root.saturating_sub(1)..=root + 1).rev().find(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers, each of so many bits.
    #[derive(Default)]
    struct Packed(Vec<(u32, usize)>);

    impl Packed {
        fn put(&mut self, numbers: &[(u32, usize)]) -> usize {
            let place = self.0.iter().map(|(_, bits)| bits).sum();
            self.0.extend_from_slice(numbers);
            place
        }

        fn bytes(&self) -> Vec<u8> {
            let bits = self
                .0
                .iter()
                .flat_map(|(number, count)| (0..*count).map(move |bit| number >> bit & 1));
            let bits: Vec<u32> = bits.collect();
            let byte = |bits: &[u32]| bits.iter().rfold(0, |byte, bit| byte << 1 | *bit as u8);
            bits.chunks(8).map(byte).collect()
        }
    }

    /// A header with one of everything, and the places of the bits that can have one value only.
    fn header(modes: &[bool]) -> (Vec<u8>, Vec<usize>) {
        let mut packed = Packed::default();
        let mut sure = Vec::new();
        packed.put(&[(5, 8); SIGNATURE_BYTES]);
        packed.put(&[(2, 8)]);
        // A scalar book whose lengths are in order, one with lookup of kind 1, and a sparse one.
        let books: [&[(u32, usize)]; 3] = [
            &[(1, 16), (4, 24), (1, 1), (1, 5), (4, 3), (0, 4)],
            &[
                (2, 16),
                (4, 24),
                (0, 1),
                (0, 1),
                (1, 5),
                (1, 5),
                (1, 5),
                (1, 5),
                (1, 4),
                (0, 32),
                (0, 32),
                (3, 4),
                (0, 1),
                (0x5a, 8),
            ],
            &[
                (1, 16),
                (2, 24),
                (0, 1),
                (1, 1),
                (1, 1),
                (0, 5),
                (0, 1),
                (0, 4),
            ],
        ];
        for book in books {
            let place = packed.put(&[(SYNC, SYNC_BITS)]);
            sure.extend(place..place + SYNC_BITS);
            let place = packed.put(book);
            sure.extend(place + DIMENSION_BITS + 1..place + 16);
        }
        packed.put(&[(0, 6)]);
        let place = packed.put(&[(0, 16)]);
        sure.extend(place..place + 16);
        packed.put(&[(0, 6)]);
        let place = packed.put(&[(1, 16)]);
        sure.extend(place + 1..place + 16);
        // Two partitions of one class with a master book and two others, at points of 7 bits.
        packed.put(&[
            (2, 5),
            (0, 4),
            (0, 4),
            (1, 3),
            (1, 2),
            (0, 8),
            (1, 8),
            (2, 8),
            (0, 2),
            (7, 4),
        ]);
        packed.put(&[(0x55, 14), (0x2a, 14)]);
        packed.put(&[(0, 6)]);
        let place = packed.put(&[(2, 16)]);
        sure.extend(place + 2..place + 16);
        packed.put(&[
            (0, 24),
            (64, 24),
            (7, 24),
            (1, 6),
            (0, 8),
            (1, 3),
            (0, 1),
            (2, 3),
            (1, 1),
            (1, 5),
            (1, 24),
        ]);
        packed.put(&[(0, 6)]);
        let place = packed.put(&[(0, 16)]);
        sure.extend(place..place + 16);
        packed.put(&[(1, 1), (1, 4), (1, 1), (0, 8), (0, 1), (1, 1)]);
        let place = packed.put(&[(0, 2)]);
        sure.extend(place..place + 2);
        packed.put(&[(0, 4), (1, 4), (0, 24), (0, 24)]);
        packed.put(&[(modes.len() as u32 - 1, 6)]);
        for is_long in modes {
            packed.put(&[(u32::from(*is_long), 1)]);
            let place = packed.put(&[(0, 32)]);
            sure.extend(place..place + 32);
            packed.put(&[(0, 8)]);
        }
        packed.put(&[(1, 1)]);
        (packed.bytes(), sure)
    }

    #[test]
    fn what_can_have_one_value_only_is_put_back() {
        let modes = [false, true, true];
        let (whole, sure) = header(&modes);
        let read = Setup::read(&whole, 2).expect("it makes sense");
        assert!(!read.is_mended && read.bytes == whole);
        assert_eq!(read.modes, modes);
        for place in sure {
            let mut damaged = whole.clone();
            damaged[place / 8] ^= 1 << (place % 8);
            let read = Setup::read(&damaged, 2).expect("it makes sense");
            assert!(read.is_mended && read.bytes == whole, "bit {place}");
            assert_eq!(read.modes, modes);
        }
    }

    #[test]
    fn a_header_that_is_cut_noise_or_zeros_makes_no_sense() {
        let (whole, _) = header(&[false]);
        for length in 0..whole.len() {
            assert!(Setup::read(&whole[..length], 2).is_none(), "{length}");
        }
        assert!(Setup::read(&[0xff; 4_000], 2).is_none());
        for zeros in 1..whole.len() - SIGNATURE_BYTES {
            let mut damaged = whole.clone();
            damaged[whole.len() - zeros..].fill(0);
            assert!(Setup::read(&damaged, 2).is_none(), "{zeros}");
        }
    }
}
