//! A file of FAISS, read from its beginning on and held to its length.

/// The longest index that is read: 600,000 vectors of 768 channels are 1.8 GB. It is in memory twice while it is looked at.
pub(super) const MAX_FILE_BYTES: u64 = 2 << 30;
/// The largest number of a vector, far above those of any encoder, and far below those whose squares do not fit into 32 bits.
const LARGEST_VALUE: f32 = 1e15;

/// A file that is read from its beginning on.
pub(super) struct Reader<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, bytes: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(bytes).ok_or_else(cut_off)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or_else(cut_off)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn tag(&mut self) -> Result<[u8; 4], String> {
        self.array()
    }

    /// A 32-bit number.
    pub(super) fn small(&mut self) -> Result<i32, String> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    /// Whether something is so.
    pub(super) fn flag(&mut self) -> Result<bool, String> {
        let [flag] = self.array()?;
        Ok(flag != 0)
    }

    /// A number of things that follow in the file, so that it is at most the file's length.
    pub(super) fn count(&mut self) -> Result<usize, String> {
        let count = u64::from_le_bytes(self.array()?);
        let count = usize::try_from(count).ok();
        count.ok_or_else(cut_off)
    }

    /// A row of things of so many bytes each, behind their number.
    pub(super) fn row(&mut self, width: usize) -> Result<&'a [u8], String> {
        let count = self.count()?;
        self.take(count.checked_mul(width).ok_or_else(cut_off)?)
    }

    /// A row of numbers in single precision, behind their number.
    pub(super) fn singles(&mut self) -> Result<Vec<f32>, String> {
        let bytes = finite(self.row(4)?)?.as_chunks::<4>().0.iter();
        Ok(bytes.map(|number| f32::from_le_bytes(*number)).collect())
    }

    pub(super) fn end(&self) -> Result<(), String> {
        match self.rest {
            [] => Ok(()),
            _ => Err("goes on behind its end".to_owned()),
        }
    }
}

/// The vectors, when distances between them are numbers.
pub(super) fn finite(bytes: &[u8]) -> Result<&[u8], String> {
    let mut numbers = bytes.as_chunks::<4>().0.iter();
    if numbers.all(|number| f32::from_le_bytes(*number).abs() <= LARGEST_VALUE) {
        Ok(bytes)
    } else {
        Err(format!(
            "holds a value that is not a number of at most {LARGEST_VALUE:e}"
        ))
    }
}

pub(super) fn cut_off() -> String {
    "is damaged: it is cut off".to_owned()
}
