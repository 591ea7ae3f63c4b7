//! Vectors that FAISS keeps in fewer bits: scalar quantisers, number by number, and product quantisers ("Product Quantization for
//! Nearest Neighbor Search", Jégou and others 2011), part by part. (`impl/ScalarQuantizer.cpp`, `impl/ProductQuantizer.cpp`.)

use half::{bf16, f16};

use super::reader::{MAX_FILE_BYTES, Reader, cut_off};

/// The most bits of a code of a part.
const MOST_BITS: usize = 16;

/// How an index keeps a vector.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Codes {
    /// As it is.
    Flat,
    /// Each number by itself.
    Scalar(Scalar),
    /// Part by part, each as the number of the centre that is nearest.
    Product(Product),
}

/// A scalar quantiser.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scalar {
    kind: Kind,
    /// The smallest value of each channel, and how far it is to the largest.
    ranges: Vec<(f32, f32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// So many bits between a smallest and a largest value.
    Steps(u32),
    /// Half precision, and bfloat16.
    Half,
    Brain,
    /// A byte as it is, and one that stands for 128 less.
    Byte,
    Signed,
}

/// A product quantiser.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Product {
    parts: usize,
    bits: usize,
    /// Channels of a part.
    width: usize,
    /// The centres, part after part.
    centres: Vec<f32>,
}

impl Scalar {
    pub(super) fn read(reader: &mut Reader<'_>, dim: usize) -> Result<Self, String> {
        let number = reader.small()?;
        // How the ranges were found.
        reader.take(8)?;
        let channels = reader.count()?;
        // The bytes of a code, which follow from the rest.
        reader.count()?;
        let trained = reader.singles()?;
        let kind = match number {
            0 | 2 => Kind::Steps(8),
            1 | 3 => Kind::Steps(4),
            6 => Kind::Steps(6),
            4 => Kind::Half,
            7 => Kind::Brain,
            5 => Kind::Byte,
            8 => Kind::Signed,
            _ => {
                return Err(format!(
                    "is quantised in a way that is not known here ({number})"
                ));
            }
        };
        let is_uniform = matches!(number, 2 | 3);
        let ranges: Vec<(f32, f32)> = match (kind, is_uniform, &trained[..]) {
            (Kind::Steps(_), true, [low, span]) => vec![(*low, *span); dim],
            (Kind::Steps(_), false, trained) if trained.len() == 2 * dim => {
                let (low, span) = trained.split_at(dim);
                low.iter().copied().zip(span.iter().copied()).collect()
            }
            (Kind::Steps(_), ..) => Vec::new(),
            _ => vec![(0.0, 0.0); dim],
        };
        if channels != dim || ranges.len() != dim {
            return Err("is quantised for vectors of another length".to_owned());
        }
        Ok(Self { kind, ranges })
    }

    fn bytes(&self) -> usize {
        let bits = match self.kind {
            Kind::Steps(bits) => bits as usize,
            Kind::Half | Kind::Brain => 16,
            Kind::Byte | Kind::Signed => 8,
        };
        (self.ranges.len() * bits).div_ceil(8)
    }

    fn value(&self, code: &[u8], channel: usize) -> f32 {
        let pair = || [code[2 * channel], code[2 * channel + 1]];
        match self.kind {
            Kind::Half => f16::from_le_bytes(pair()).to_f32(),
            Kind::Brain => bf16::from_le_bytes(pair()).to_f32(),
            Kind::Byte => f32::from(code[channel]),
            Kind::Signed => f32::from(code[channel]) - 128.0,
            Kind::Steps(bits) => {
                let (low, span) = self.ranges[channel];
                let steps = ((1_u32 << bits) - 1) as f32;
                let step = part_of(code, channel * bits as usize, bits as usize) as f32;
                low + (step + 0.5) / steps * span
            }
        }
    }
}

impl Product {
    pub(super) fn read(reader: &mut Reader<'_>, dim: usize) -> Result<Self, String> {
        let (channels, parts, bits) = (reader.count()?, reader.count()?, reader.count()?);
        let centres = reader.singles()?;
        let is_even = channels == dim && (1..=dim).contains(&parts) && dim.is_multiple_of(parts);
        let is_small = (1..=MOST_BITS).contains(&bits);
        if !is_even || !is_small || Some(centres.len()) != dim.checked_mul(1 << bits) {
            return Err("is quantised for vectors of another length".to_owned());
        }
        Ok(Self {
            parts,
            bits,
            width: dim / parts,
            centres,
        })
    }

    fn centre(&self, code: &[u8], part: usize) -> &[f32] {
        let number = part_of(code, part * self.bits, self.bits);
        let place = (part << self.bits) + number;
        &self.centres[place * self.width..][..self.width]
    }
}

/// The number in some bits of a code, the lowest bit first.
fn part_of(code: &[u8], first: usize, bits: usize) -> usize {
    (0..bits).fold(0, |number, place| {
        let bit = first + place;
        number | usize::from(code[bit / 8] >> (bit % 8) & 1) << place
    })
}

impl Codes {
    /// The bytes that a vector takes.
    pub(super) fn bytes(&self, dim: usize) -> usize {
        match self {
            Self::Flat => dim * 4,
            Self::Scalar(scalar) => scalar.bytes(),
            Self::Product(product) => (product.parts * product.bits).div_ceil(8),
        }
    }

    /// Appends the vectors of some codes, each of them on top of `base`, to `rows`.
    pub(super) fn decode(
        &self,
        codes: &[u8],
        (dim, base): (usize, Option<&[f32]>),
        rows: &mut Vec<u8>,
    ) {
        let Some(base) = base else {
            return self.decode_onto(codes, (dim, &vec![0.0; dim]), rows);
        };
        self.decode_onto(codes, (dim, base), rows);
    }

    fn decode_onto(&self, codes: &[u8], (dim, base): (usize, &[f32]), rows: &mut Vec<u8>) {
        let mut put = |channel: usize, value: f32| {
            rows.extend_from_slice(&(value + base[channel]).to_le_bytes());
        };
        for code in codes.chunks_exact(self.bytes(dim)) {
            match self {
                Self::Flat => {
                    for (channel, value) in code.as_chunks::<4>().0.iter().enumerate() {
                        put(channel, f32::from_le_bytes(*value));
                    }
                }
                Self::Scalar(scalar) => {
                    (0..dim).for_each(|channel| put(channel, scalar.value(code, channel)));
                }
                Self::Product(product) => {
                    for part in 0..product.parts {
                        for (place, value) in product.centre(code, part).iter().enumerate() {
                            put(part * product.width + place, *value);
                        }
                    }
                }
            }
        }
    }

    /// For people, of vectors of `dim` channels.
    pub(super) fn text(&self, dim: usize) -> Option<String> {
        let how = match self {
            Self::Flat => return None,
            Self::Scalar(_) => "number by number (SQ)",
            Self::Product(_) => "part by part (PQ)",
        };
        Some(format!(
            "Its vectors are quantised {how} to {} bytes of {} and are used as far as that tells them apart.",
            self.bytes(dim),
            dim * 4
        ))
    }
}

/// The bytes of so many vectors in single precision, when they are no more than are read.
pub(super) fn room(rows: usize, dim: usize) -> Result<usize, String> {
    let bytes = rows
        .checked_mul(dim)
        .and_then(|numbers| numbers.checked_mul(4));
    let bytes = bytes.ok_or_else(cut_off)?;
    if bytes as u64 > MAX_FILE_BYTES {
        return Err(format!(
            "holds {rows} vectors, which are more than {MAX_FILE_BYTES} bytes when they are not quantised"
        ));
    }
    Ok(bytes)
}
