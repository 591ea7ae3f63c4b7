//! Protocol Buffers as stored in a file: fields with a number and a value, read in place and written again.
//!
//! This implements only the encoding's specification (protobuf.dev, "Encoding") and does not know what a number means. Other fields are
//! copied byte for byte. Whatever the C++ library that ONNX Runtime uses would read differently is refused, or the graph checked here would
//! not be the one that runs there.

/// The most bytes of a tag or a length: the C++ library takes 32 bits of these and reads no further. Bits beyond would count here but not
/// there.
const MAX_SHORT_BYTES: usize = 5;

/// A field of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field<'a> {
    /// Its number in the message's definition.
    pub number: u32,
    /// What it holds.
    pub value: Value<'a>,
    /// The whole field as stored in the file, including its tag.
    pub encoded: &'a [u8],
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// An integer, an enumeration or a truth value.
    Varint(u64),
    /// Eight bytes, such as a double.
    Fixed64([u8; 8]),
    /// Four bytes, such as a float.
    Fixed32([u8; 4]),
    /// A text, a message or packed numbers.
    Bytes(&'a [u8]),
}

/// The bytes are not a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// A field goes on behind the end.
    #[error("it is cut off")]
    CutOff,
    /// A variable-length number is longer than 64 bits.
    #[error("it holds a number of more than 64 bits")]
    LongNumber,
    /// A tag or a length is longer than 32 bits.
    #[error("it holds the tag or the length of a field in more than 32 bits")]
    LongHead,
    /// A field has the number 0 or a wire type that does not exist any more.
    #[error("it holds a field of an unknown kind")]
    Tag,
    /// A field holds something else than its definition says.
    #[error("field {0} is of another type than it must be")]
    Type(u32),
}

/// Iterates over the fields of a message, in the order of the file; ends after the first error.
#[must_use]
pub fn fields(message: &[u8]) -> Fields<'_> {
    Fields { rest: message }
}

/// See [`fields`].
pub struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let start = self.rest;
        let field = self.field(start);
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

impl<'a> Fields<'a> {
    fn field(&mut self, start: &'a [u8]) -> Result<Field<'a>, WireError> {
        let tag = take_short(&mut self.rest)?;
        let number = tag >> 3;
        if number == 0 {
            return Err(WireError::Tag);
        }
        let value = match tag & 7 {
            0 => Value::Varint(take_varint(&mut self.rest)?),
            1 => Value::Fixed64(take_array(&mut self.rest)?),
            2 => {
                let length = take_short(&mut self.rest)?;
                let length = usize::try_from(length).map_err(|_| WireError::CutOff)?;
                Value::Bytes(take(&mut self.rest, length)?)
            }
            5 => Value::Fixed32(take_array(&mut self.rest)?),
            _ => return Err(WireError::Tag),
        };
        let encoded = &start[..start.len() - self.rest.len()];
        Ok(Field {
            number,
            value,
            encoded,
        })
    }
}

impl<'a> Field<'a> {
    /// The bytes of a text, a message or packed numbers.
    pub fn bytes(&self) -> Result<&'a [u8], WireError> {
        match self.value {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(WireError::Type(self.number)),
        }
    }

    /// A text; bytes that are not UTF-8 become replacement characters, which only appear in messages.
    pub fn text(&self) -> Result<String, WireError> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    /// An integer.
    pub fn varint(&self) -> Result<u64, WireError> {
        match self.value {
            Value::Varint(number) => Ok(number),
            _ => Err(WireError::Type(self.number)),
        }
    }

    /// Appends the integers of a repeated field, which may come one by one or packed.
    pub fn varints(&self, into: &mut Vec<u64>) -> Result<(), WireError> {
        match self.value {
            Value::Varint(number) => into.push(number),
            Value::Bytes(mut packed) => {
                while !packed.is_empty() {
                    into.push(take_varint(&mut packed)?);
                }
            }
            _ => return Err(WireError::Type(self.number)),
        }
        Ok(())
    }

    /// Appends the bytes of a repeated field of floats or doubles, which may come one by one or packed. `width` is 4 or 8.
    pub fn fixed(&self, width: usize, into: &mut Vec<u8>) -> Result<(), WireError> {
        let bytes: &[u8] = match &self.value {
            Value::Bytes(packed) if packed.len().is_multiple_of(width) => packed,
            Value::Fixed32(one) if width == 4 => one,
            Value::Fixed64(one) if width == 8 => one,
            _ => return Err(WireError::Type(self.number)),
        };
        into.extend_from_slice(bytes);
        Ok(())
    }
}

/// Appends a field that holds bytes.
pub fn put_bytes(message: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    put_head(message, number, bytes.len() as u64);
    message.extend_from_slice(bytes);
}

/// Appends a field that holds an integer.
pub fn put_number(message: &mut Vec<u8>, number: u32, value: u64) {
    put_varint(message, u64::from(number) << 3);
    put_varint(message, value);
}

/// Appends a field that holds a number in single precision.
pub(crate) fn put_float(message: &mut Vec<u8>, number: u32, value: f32) {
    put_varint(message, u64::from(number) << 3 | 5);
    message.extend_from_slice(&value.to_le_bytes());
}

/// Appends the tag and the length of a field of `length` bytes, which have to follow.
pub(crate) fn put_head(message: &mut Vec<u8>, number: u32, length: u64) {
    put_varint(message, u64::from(number) << 3 | 2);
    put_varint(message, length);
}

fn put_varint(message: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        message.push(number as u8 | 0x80);
        number >>= 7;
    }
    message.push(number as u8);
}

/// A tag or a length.
fn take_short(rest: &mut &[u8]) -> Result<u32, WireError> {
    let before = rest.len();
    let number = take_varint(rest)?;
    if before - rest.len() > MAX_SHORT_BYTES {
        return Err(WireError::LongHead);
    }
    u32::try_from(number).map_err(|_| WireError::LongHead)
}

fn take_varint(rest: &mut &[u8]) -> Result<u64, WireError> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let [byte] = take_array(rest)?;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return Err(WireError::LongNumber);
        }
        number |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(WireError::LongNumber)
}

fn take_array<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], WireError> {
    let (array, behind) = rest.split_first_chunk().ok_or(WireError::CutOff)?;
    *rest = behind;
    Ok(*array)
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8], WireError> {
    let (taken, behind) = rest.split_at_checked(length).ok_or(WireError::CutOff)?;
    *rest = behind;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Field 1: 300; field 2: a text; field 5: a float; field 9: packed integers 1 and 200.
    const MESSAGE: [u8; 18] = [
        0x08, 0xac, 0x02, 0x12, 0x02, b'h', b'i', 0x2d, 0, 0, 0x80, 0x3f, 0x4a, 0x03, 1, 0xc8, 1,
        // A stray byte, cut off where a whole message is needed.
        0x80,
    ];

    #[test]
    fn fields_are_read_with_their_numbers_and_their_bytes() {
        let message = &MESSAGE[..17];
        let found: Vec<Field<'_>> = fields(message)
            .collect::<Result<_, _>>()
            .expect("a message");
        let numbers: Vec<u32> = found.iter().map(|field| field.number).collect();
        assert_eq!(numbers, [1, 2, 5, 9]);
        assert_eq!(found[0].varint(), Ok(300));
        assert_eq!(found[1].text(), Ok("hi".to_owned()));
        let (mut floats, mut integers) = (Vec::new(), Vec::new());
        found[2].fixed(4, &mut floats).expect("a float");
        assert_eq!(floats, 1.0_f32.to_le_bytes());
        found[3].varints(&mut integers).expect("integers");
        assert_eq!(integers, [1, 200]);
        assert_eq!(found[0].bytes(), Err(WireError::Type(1)));
        let again: Vec<u8> = found
            .iter()
            .flat_map(|field| field.encoded)
            .copied()
            .collect();
        assert_eq!(again, message);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut message = Vec::new();
        let content = vec![7; 300];
        put_bytes(&mut message, 1_000, &content);
        let field = fields(&message)
            .next()
            .expect("a field")
            .expect("a good one");
        assert_eq!((field.number, field.bytes()), (1_000, Ok(&content[..])));
    }

    #[test]
    fn a_tag_or_a_length_of_more_than_32_bits_is_refused() {
        let one = |bytes: &[u8]| {
            fields(bytes)
                .next()
                .map(|field| field.map(|field| field.number))
        };
        // Field 13 with a bit beyond the 32 that the C++ library takes, with six bytes, and in its valid form.
        assert_eq!(
            one(b"\xea\x80\x80\x80\x10\x00"),
            Some(Err(WireError::LongHead))
        );
        assert_eq!(
            one(b"\xea\x80\x80\x80\x80\x00\x00"),
            Some(Err(WireError::LongHead))
        );
        assert_eq!(one(b"\xea\x80\x80\x80\x00\x00"), Some(Ok(13)));
        // The same for lengths.
        assert_eq!(
            one(b"\x6a\x81\x80\x80\x80\x10z"),
            Some(Err(WireError::LongHead))
        );
        assert_eq!(
            one(b"\x6a\x81\x80\x80\x80\x80\x00z"),
            Some(Err(WireError::LongHead))
        );
        assert_eq!(one(b"\x6a\x81\x00z"), Some(Ok(13)));
    }

    #[test]
    fn no_bytes_make_it_read_beyond_the_end() {
        assert_eq!(fields(&MESSAGE).last(), Some(Err(WireError::CutOff)));
        for end in 0..MESSAGE.len() {
            assert!(fields(&MESSAGE[..end]).count() <= 4, "cut at {end}");
        }
        for hostile in [
            &[0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f][..],
            &[0x12, 0xff, 0xff, 0xff, 0xff, 0x0f],
            &[
                0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
            ],
            // A number of eleven bytes, the number 0, the beginning and the end of a group, kinds that there never were.
            &[
                0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00,
            ],
            &[0x00, 0x01],
            &[0x0b, 0x01],
            &[0x0c],
            &[0x0e, 0x01],
            &[0x0f, 0x01],
        ] {
            let results: Vec<_> = fields(hostile).collect();
            assert!(matches!(results[..], [Err(_)]), "{hostile:?}: {results:?}");
        }
    }
}
