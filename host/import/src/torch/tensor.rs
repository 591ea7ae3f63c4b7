use half::{bf16, f16};

use super::error::TorchError;

/// The most dimensions of a tensor.
pub(super) const MAX_RANK: usize = 8;

/// A type of numbers that torch stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    /// IEEE 754 half precision.
    F16,
    /// The upper half of single precision.
    Bf16,
    /// IEEE 754 single precision.
    F32,
    /// IEEE 754 double precision.
    F64,
    /// Integers and truth values of so many bytes, which no weight has.
    Integer(u8),
}

impl Element {
    /// The type of a class of storages.
    pub(super) fn of_storage(class: &str) -> Option<Self> {
        let element = match class {
            "HalfStorage" => Self::F16,
            "BFloat16Storage" => Self::Bf16,
            "FloatStorage" => Self::F32,
            "DoubleStorage" => Self::F64,
            "LongStorage" => Self::Integer(8),
            "IntStorage" => Self::Integer(4),
            "ShortStorage" => Self::Integer(2),
            "CharStorage" | "ByteStorage" | "BoolStorage" => Self::Integer(1),
            _ => return None,
        };
        Some(element)
    }

    /// The type that safetensors have under a name.
    pub(super) fn of_safetensors(name: &str) -> Option<Self> {
        let element = match name {
            "F16" => Self::F16,
            "BF16" => Self::Bf16,
            "F32" => Self::F32,
            "F64" => Self::F64,
            "I64" | "U64" => Self::Integer(8),
            "I32" | "U32" => Self::Integer(4),
            "I16" | "U16" => Self::Integer(2),
            "I8" | "U8" | "BOOL" => Self::Integer(1),
            _ => return None,
        };
        Some(element)
    }

    /// Bytes of a number.
    pub(crate) fn width(self) -> u64 {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
            Self::Integer(width) => u64::from(width),
        }
    }
}

/// A tensor whose numbers lie in an entry of the archive.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredTensor {
    /// The entry's name below `data/`.
    pub(super) storage: String,
    /// How many numbers the entry holds.
    pub(super) stored: u64,
    /// Their type.
    pub(crate) element: Element,
    /// Where the first number of the tensor is.
    pub(super) offset: u64,
    /// The dimensions.
    pub(crate) dims: Vec<u64>,
    /// How many numbers lie between neighbours along each dimension.
    pub(super) strides: Vec<u64>,
}

/// The numbers of a tensor, row-major and little-endian.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Values {
    /// Half precision, as stored.
    F16(Vec<u8>),
    /// Single precision: as stored, or bf16 widened, or double precision rounded.
    F32(Vec<u8>),
}

impl StoredTensor {
    /// Makes sure that the tensor lies within its storage and is no larger than it, since a stride of zero would repeat numbers without
    /// end.
    pub(super) fn checked(self) -> Result<Self, TorchError> {
        let damaged = |reason: &str| Err(TorchError::damaged(reason));
        if self.dims.len() > MAX_RANK || self.dims.len() != self.strides.len() {
            return damaged("a tensor has too many dimensions");
        }
        let product = |numbers: &[u64]| {
            let mut numbers = numbers.iter();
            numbers.try_fold(1_u64, |product, number| product.checked_mul(*number))
        };
        let Some(count) = product(&self.dims).filter(|count| *count <= self.stored) else {
            return damaged("a tensor is larger than the numbers that it is made of");
        };
        if count == 0 {
            return Ok(self);
        }
        let steps = self.dims.iter().zip(&self.strides);
        let last = steps
            .into_iter()
            .try_fold(self.offset, |last, (dim, stride)| {
                last.checked_add((dim - 1).checked_mul(*stride)?)
            });
        match last {
            Some(last) if last < self.stored => Ok(self),
            _ => damaged("a tensor lies beyond the numbers that it is made of"),
        }
    }

    /// Whether its numbers lie one behind the other in the order of its dimensions, as those of nearly all tensors do.
    fn is_in_order(&self) -> bool {
        let mut behind = 1;
        let mut axes = self.dims.iter().zip(&self.strides).rev();
        axes.all(|(dim, stride)| {
            let next = *dim == 1 || *stride == behind;
            behind *= dim;
            next
        })
    }

    /// Picks the tensor's numbers out of the bytes of its storage.
    pub(super) fn gather(&self, storage: &[u8]) -> Result<Values, TorchError> {
        let width = self.element.width() as usize;
        if self.stored.checked_mul(width as u64) != Some(storage.len() as u64) {
            let reason = format!("entry {} is not as long as it must be", self.storage);
            return Err(TorchError::damaged(&reason));
        }
        let count: u64 = self.dims.iter().product();
        if count > 0 && self.is_in_order() {
            let start = self.offset as usize * width;
            return self.widen(storage[start..start + count as usize * width].to_vec());
        }
        let mut bytes = Vec::with_capacity(count as usize * width);
        let mut position = vec![0; self.dims.len()];
        for _ in 0..count {
            let steps = position.iter().zip(&self.strides);
            let at: u64 = self.offset + steps.map(|(index, stride)| index * stride).sum::<u64>();
            let start = at as usize * width;
            bytes.extend_from_slice(&storage[start..start + width]);
            for (index, dim) in position.iter_mut().zip(&self.dims).rev() {
                *index += 1;
                if *index < *dim {
                    break;
                }
                *index = 0;
            }
        }
        self.widen(bytes)
    }

    fn widen(&self, bytes: Vec<u8>) -> Result<Values, TorchError> {
        let values = match self.element {
            Element::F16 => Values::F16(bytes),
            Element::F32 => Values::F32(bytes),
            Element::Bf16 => Values::F32(
                bytes
                    .chunks_exact(2)
                    .flat_map(|pair| {
                        bf16::from_le_bytes([pair[0], pair[1]])
                            .to_f32()
                            .to_le_bytes()
                    })
                    .collect(),
            ),
            Element::F64 => Values::F32(
                bytes
                    .as_chunks::<8>()
                    .0
                    .iter()
                    .flat_map(|number| (f64::from_le_bytes(*number) as f32).to_le_bytes())
                    .collect(),
            ),
            Element::Integer(_) => {
                let reason = "has integers where weights must be".to_owned();
                return Err(TorchError::refused(reason));
            }
        };
        Ok(values)
    }
}

/// The square root of what is still a normal number in single precision, with room for the squares of a thousand numbers.
const LEAST_NORM: f64 = 1e-15;

impl Values {
    /// The numbers in single precision.
    pub(crate) fn singles(&self) -> Vec<f32> {
        match self {
            Self::F16(bytes) => {
                let halves = bytes.as_chunks::<2>().0.iter();
                halves
                    .map(|half| f16::from_le_bytes(*half).to_f32())
                    .collect()
            }
            Self::F32(bytes) => {
                let singles = bytes.as_chunks::<4>().0.iter();
                singles.map(|single| f32::from_le_bytes(*single)).collect()
            }
        }
    }

    /// Numbers in single precision, as values of a weight.
    pub(crate) fn of_singles(singles: &[f32]) -> Self {
        Self::F32(singles.iter().flat_map(|one| one.to_le_bytes()).collect())
    }

    /// The norm of each of `rows` equal rows, and the numbers again. A row of zeros, which points nowhere, becomes one of ones: times a
    /// norm of zero it is the same. So does a row that is so small that single precision cannot hold its squares, which nobody hears.
    pub(crate) fn apart(self, rows: usize) -> (Vec<f32>, Self) {
        let singles = self.singles();
        let width = (singles.len() / rows).max(1);
        let norm = |row: &[f32]| {
            row.iter()
                .map(|one| f64::from(*one).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        let norms = singles.chunks(width).map(norm);
        let norms: Vec<f32> = norms
            .map(|norm| if norm < LEAST_NORM { 0.0 } else { norm as f32 })
            .collect();
        let (mut bytes, one) = match self {
            Self::F16(bytes) => (bytes, f16::ONE.to_le_bytes().to_vec()),
            Self::F32(bytes) => (bytes, 1.0_f32.to_le_bytes().to_vec()),
        };
        let row_bytes = width * one.len();
        for (row, norm) in bytes.chunks_mut(row_bytes).zip(&norms) {
            if *norm == 0.0 {
                row.chunks_mut(one.len())
                    .for_each(|number| number.copy_from_slice(&one));
            }
        }
        let whole = if one.len() == 2 {
            Self::F16(bytes)
        } else {
            Self::F32(bytes)
        };
        (norms, whole)
    }

    /// Whether each of them is a finite number.
    pub(crate) fn are_finite(&self) -> bool {
        match self {
            Self::F16(bytes) => {
                let mut halves = bytes.as_chunks::<2>().0.iter();
                halves.all(|half| f16::from_le_bytes(*half).is_finite())
            }
            Self::F32(bytes) => {
                let mut singles = bytes.as_chunks::<4>().0.iter();
                singles.all(|single| f32::from_le_bytes(*single).is_finite())
            }
        }
    }
}
