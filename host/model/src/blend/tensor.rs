use std::borrow::Cow;

use half::f16;

use vocalhost_onnx::wire::{Field, WireError, fields, put_bytes, put_number};

/// Numbers of the fields of ONNX's `TensorProto` (onnx.proto, version 1).
mod field {
    pub(super) const DIMS: u32 = 1;
    pub(super) const DATA_TYPE: u32 = 2;
    pub(super) const FLOAT_DATA: u32 = 4;
    pub(super) const INT32_DATA: u32 = 5;
    pub(super) const STRING_DATA: u32 = 6;
    pub(super) const INT64_DATA: u32 = 7;
    pub(super) const NAME: u32 = 8;
    pub(super) const RAW_DATA: u32 = 9;
    pub(super) const DOUBLE_DATA: u32 = 10;
    pub(super) const UINT64_DATA: u32 = 11;
    pub(super) const DATA_LOCATION: u32 = 14;
    /// The fields that may hold the values; a tensor uses one of them.
    pub(super) const VALUES: [u32; 7] = [
        FLOAT_DATA,
        INT32_DATA,
        STRING_DATA,
        INT64_DATA,
        RAW_DATA,
        DOUBLE_DATA,
        UINT64_DATA,
    ];
}

/// `TensorProto.DataLocation.EXTERNAL`.
const EXTERNAL: u64 = 1;

/// An initialiser of a graph: a tensor under a name.
#[derive(Debug, Clone)]
pub(super) struct Tensor<'a> {
    /// Its name in the graph.
    pub(super) name: String,
    /// Its dimensions; none for a single number.
    pub(super) dims: Vec<u64>,
    /// ONNX's number of its element type.
    data_type: u64,
    fields: Vec<Field<'a>>,
}

/// Element types that are interpolated. Everything else, such as a shape or a position, must be equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Float {
    /// IEEE 754 half precision.
    F16,
    /// IEEE 754 single precision.
    F32,
    /// IEEE 754 double precision.
    F64,
}

/// Why a tensor cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum TensorError {
    /// The encoding is broken.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// Its values are not in the graph's file.
    #[error("tensor {0:?} keeps its values in another file")]
    External(String),
    /// It has more or fewer values than its dimensions say.
    #[error("tensor {name:?} has {found} bytes of values instead of {expected}")]
    Length {
        /// The tensor.
        name: String,
        /// What there is.
        found: usize,
        /// What its dimensions ask for.
        expected: u64,
    },
    /// It holds a weight that is not a number.
    #[error("tensor {0:?} holds a value that is not a finite number")]
    NotFinite(String),
}

impl<'a> Tensor<'a> {
    /// Parses a `TensorProto` without reading its values.
    pub(super) fn parse(message: &'a [u8]) -> Result<Self, TensorError> {
        let mut tensor = Self {
            name: String::new(),
            dims: Vec::new(),
            data_type: 0,
            fields: Vec::new(),
        };
        let mut location = 0;
        for field in fields(message) {
            let field = field?;
            match field.number {
                field::DIMS => field.varints(&mut tensor.dims)?,
                field::DATA_TYPE => tensor.data_type = field.varint()?,
                field::NAME => tensor.name = field.text()?,
                field::DATA_LOCATION => location = field.varint()?,
                _ => {}
            }
            tensor.fields.push(field);
        }
        if location == EXTERNAL {
            return Err(TensorError::External(tensor.name));
        }
        Ok(tensor)
    }

    /// Its element type, if it is one that is interpolated.
    pub(super) fn float(&self) -> Option<Float> {
        match self.data_type {
            1 => Some(Float::F32),
            10 => Some(Float::F16),
            11 => Some(Float::F64),
            _ => None,
        }
    }

    /// Element type and dimensions for messages, such as `f16 [64, 3]`.
    pub(super) fn shape_text(&self) -> String {
        let element = match self.data_type {
            1 => "f32",
            2 => "u8",
            3 => "i8",
            6 => "i32",
            7 => "i64",
            9 => "bool",
            10 => "f16",
            11 => "f64",
            16 => "bf16",
            other => return format!("type {other} {:?}", self.dims),
        };
        format!("{element} {:?}", self.dims)
    }

    /// Whether all its numbers are finite; also `false` for values that cannot be read.
    pub(super) fn is_finite(&self) -> bool {
        let Some(float) = self.float() else {
            return true;
        };
        self.values().is_ok_and(|values| {
            let mut numbers = values.chunks_exact(float.width());
            numbers.all(|number| float.read(number).is_finite())
        })
    }

    /// The bytes of its values, row-major and little-endian, wherever the file keeps them. Values of an element type without a fixed width
    /// are returned as stored.
    pub(super) fn values(&self) -> Result<Cow<'a, [u8]>, TensorError> {
        let width = match self.data_type {
            2 | 3 | 9 | 17..=20 => 1,
            4 | 5 | 10 | 16 => 2,
            1 | 6 | 12 => 4,
            7 | 11 | 13 | 14 => 8,
            15 => 16,
            _ => return Ok(self.stored_values()),
        };
        let values = self.fixed_values(width)?;
        let count = self
            .dims
            .iter()
            .try_fold(1_u64, |count, dim| count.checked_mul(*dim));
        let expected = count.and_then(|count| count.checked_mul(width as u64));
        if expected == Some(values.len() as u64) {
            return Ok(values);
        }
        Err(TensorError::Length {
            name: self.name.clone(),
            found: values.len(),
            expected: expected.unwrap_or(u64::MAX),
        })
    }

    fn fixed_values(&self, width: usize) -> Result<Cow<'a, [u8]>, TensorError> {
        let raw = self
            .fields
            .iter()
            .rfind(|field| field.number == field::RAW_DATA);
        if let Some(raw) = raw {
            return Ok(Cow::Borrowed(raw.bytes()?));
        }
        let mut values = Vec::new();
        for field in &self.fields {
            match field.number {
                field::FLOAT_DATA => field.fixed(4, &mut values)?,
                field::DOUBLE_DATA => field.fixed(8, &mut values)?,
                field::INT32_DATA | field::INT64_DATA | field::UINT64_DATA => {
                    let mut integers = Vec::new();
                    field.varints(&mut integers)?;
                    let bytes = integers.iter().map(|integer| integer.to_le_bytes());
                    values.extend(bytes.flat_map(|bytes| bytes.into_iter().take(width)));
                }
                _ => {}
            }
        }
        Ok(Cow::Owned(values))
    }

    fn stored_values(&self) -> Cow<'a, [u8]> {
        let stored = self.fields.iter();
        let stored = stored.filter(|field| field::VALUES.contains(&field.number));
        Cow::Owned(stored.flat_map(|field| field.encoded).copied().collect())
    }

    /// Writes the tensor with new dimensions and values, row-major and little-endian. Everything else stays as it was, including the
    /// dimensions' encoding when they are the same.
    pub(super) fn with_values(&self, dims: &[u64], values: &[u8]) -> Vec<u8> {
        let mut message = Vec::with_capacity(values.len() + 64);
        let mut new_dims = (dims != self.dims).then_some(dims);
        let is_replaced = new_dims.is_some();
        let kept = self.fields.iter();
        for field in kept.filter(|field| !field::VALUES.contains(&field.number)) {
            if field.number == field::DIMS && is_replaced {
                for dim in new_dims.take().into_iter().flatten() {
                    put_number(&mut message, field::DIMS, *dim);
                }
                continue;
            }
            message.extend_from_slice(field.encoded);
        }
        put_bytes(&mut message, field::RAW_DATA, values);
        message
    }
}

impl Float {
    /// Bytes of a number.
    pub(super) fn width(self) -> usize {
        match self {
            Self::F16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Reads a number; `bytes` has its width.
    pub(super) fn read(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Self::F16, &[a, b]) => f64::from(f16::from_le_bytes([a, b])),
            (Self::F32, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
            (Self::F64, &[a, b, c, d, e, f, g, h]) => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => f64::NAN,
        }
    }

    /// Appends a number, rounded to the nearest of its type.
    pub(super) fn write(self, number: f64, into: &mut Vec<u8>) {
        match self {
            Self::F16 => into.extend(f16::from_f64(number).to_le_bytes()),
            Self::F32 => into.extend((number as f32).to_le_bytes()),
            Self::F64 => into.extend(number.to_le_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tensor of a type and dimensions with one field of values.
    fn tensor(data_type: u8, dims: &[u8], values: &[u8]) -> Vec<u8> {
        let mut message = vec![0x10, data_type];
        for dim in dims {
            message.extend([0x08, *dim]);
        }
        put_bytes(&mut message, field::NAME, b"w");
        message.extend_from_slice(values);
        message
    }

    fn field_of(number: u32, bytes: &[u8]) -> Vec<u8> {
        let mut field = Vec::new();
        put_bytes(&mut field, number, bytes);
        field
    }

    #[test]
    fn values_are_the_same_wherever_the_file_keeps_them() {
        let floats: Vec<u8> = [1.5_f32, -2.0]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let doubles: Vec<u8> = [1.5_f64, -2.0]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let halves = [0x00, 0x3e, 0x00, 0xc0];
        // 0x3e00 and 0xc000 as variable-length integers.
        let typed_halves = [0x80, 0x7c, 0x80, 0x80, 0x03];
        for (data_type, raw, typed) in [
            (1, &floats[..], field_of(field::FLOAT_DATA, &floats)),
            (11, &doubles, field_of(field::DOUBLE_DATA, &doubles)),
            (10, &halves, field_of(field::INT32_DATA, &typed_halves)),
        ] {
            let one = tensor(data_type, &[2], &field_of(field::RAW_DATA, raw));
            let other = tensor(data_type, &[2], &typed);
            let one = Tensor::parse(&one).expect("a tensor");
            let other = Tensor::parse(&other).expect("a tensor");
            let values = one.values().expect("values");
            assert_eq!(values, other.values().expect("values"), "type {data_type}");
            let float = one.float().expect("a float");
            let numbers: Vec<f64> = values
                .chunks(float.width())
                .map(|x| float.read(x))
                .collect();
            assert_eq!(numbers, [1.5, -2.0], "type {data_type}");
        }
    }

    #[test]
    fn integers_are_narrowed_to_the_width_of_their_type() {
        let message = tensor(6, &[2], &field_of(field::INT32_DATA, &[5, 0xac, 0x02]));
        let found = Tensor::parse(&message).expect("a tensor");
        assert_eq!(
            found.values().expect("values")[..],
            [5, 0, 0, 0, 0x2c, 1, 0, 0]
        );
        assert_eq!(found.float(), None);
    }

    #[test]
    fn other_values_leave_the_rest_alone() {
        let values = field_of(field::RAW_DATA, &1.0_f32.to_le_bytes());
        let message = tensor(1, &[], &values);
        let parsed = Tensor::parse(&message).expect("a tensor");
        let written = parsed.with_values(&[], &2.0_f32.to_le_bytes());
        let again = Tensor::parse(&written).expect("a tensor");
        assert_eq!(
            (again.name.as_str(), again.shape_text()),
            ("w", "f32 []".to_owned())
        );
        assert_eq!(again.values().expect("values")[..], 2.0_f32.to_le_bytes());
    }

    #[test]
    fn other_dimensions_replace_the_old_ones_where_they_stood() {
        let message = tensor(1, &[2, 1], &field_of(field::RAW_DATA, &[0; 8]));
        let parsed = Tensor::parse(&message).expect("a tensor");
        let written = parsed.with_values(&[1, 1], &1.5_f32.to_le_bytes());
        let expected = tensor(
            1,
            &[1, 1],
            &field_of(field::RAW_DATA, &1.5_f32.to_le_bytes()),
        );
        assert!(written == expected);
    }

    #[test]
    fn values_that_do_not_fit_the_dimensions_are_refused() {
        let raw = field_of(field::RAW_DATA, &[0; 8]);
        for dims in [&[3][..], &[2, 2], &[0]] {
            let message = tensor(1, dims, &raw);
            let error = Tensor::parse(&message).expect("read").values();
            assert!(matches!(error, Err(TensorError::Length { .. })), "{dims:?}");
        }
        let mut huge = tensor(1, &[], &raw);
        for _ in 0..3 {
            huge.extend([0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
        }
        assert!(Tensor::parse(&huge).expect("read").values().is_err());
    }

    #[test]
    fn values_in_another_file_are_refused() {
        let mut message = tensor(1, &[2], &[]);
        message.extend([0x70, 0x01]);
        let error = Tensor::parse(&message).expect_err("refused");
        assert_eq!(error, TensorError::External("w".to_owned()));
    }
}
