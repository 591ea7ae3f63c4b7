#![doc = include_str!("../README.md")]

use std::ffi::{CStr, c_void};
use std::io::{self, Seek, SeekFrom, Write};
use std::ptr::NonNull;
use std::slice;

use libflac_sys as sys;

/// The format of a FLAC stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// 1 to 8.
    pub channels: usize,
    /// Bits of a sample, 4 to 24.
    pub bits: u32,
    /// In Hz, 1 to 655,350.
    pub sample_rate_hz: u32,
    /// libFLAC's compression level: 0 is the fastest, 8 makes the smallest files, 5 is the default of its own program.
    pub level: u32,
}

/// Why a stream could not be written.
#[derive(Debug, thiserror::Error)]
pub enum FlacError {
    /// The output did not take the bytes.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// libFLAC refuses the format or the samples; the text is its own.
    #[error("{0}")]
    Refused(String),
}

/// A FLAC stream being written.
pub struct FlacEncoder<W: Write + Seek> {
    encoder: NonNull<sys::FLAC__StreamEncoder>,
    /// Made by [`Box`], and accessed only through this pointer, of which libFLAC has a copy.
    sink: NonNull<Sink<W>>,
    channels: usize,
}

/// Receives libFLAC's output.
struct Sink<W> {
    output: W,
    /// The first error: libFLAC itself only knows that there was one.
    error: Option<io::Error>,
}

// libFLAC keeps all that it knows of a stream in its encoder, and with one thread, which is what it is asked for, starts none.
#[allow(
    unsafe_code,
    reason = "an encoder may be used by one thread after another"
)]
unsafe impl<W: Write + Seek + Send> Send for FlacEncoder<W> {}

#[allow(unsafe_code, reason = "libFLAC is written in C")]
impl<W: Write + Seek> FlacEncoder<W> {
    /// Begins a stream at the current position of `output`, which has to be its beginning: at the end, the length and the checksum of the
    /// sound are written there.
    pub fn new(output: W, form: Form) -> Result<Self, FlacError> {
        let sink = Box::new(Sink {
            output,
            error: None,
        });
        // SAFETY: it takes nothing, and gives null when there is no memory.
        let encoder = NonNull::new(unsafe { sys::FLAC__stream_encoder_new() })
            .ok_or_else(|| FlacError::Refused("no memory".to_owned()))?;
        let this = Self {
            encoder,
            sink: NonNull::from(Box::leak(sink)),
            channels: form.channels,
        };
        let channels = u32::try_from(form.channels).unwrap_or(u32::MAX);
        let encoder = encoder.as_ptr();
        // SAFETY: the encoder is there and has not begun. The callbacks are those of this type of sink, which outlives the encoder.
        let status = unsafe {
            sys::FLAC__stream_encoder_set_channels(encoder, channels);
            sys::FLAC__stream_encoder_set_bits_per_sample(encoder, form.bits);
            sys::FLAC__stream_encoder_set_sample_rate(encoder, form.sample_rate_hz);
            sys::FLAC__stream_encoder_set_compression_level(encoder, form.level);
            sys::FLAC__stream_encoder_init_stream(
                encoder,
                Some(write::<W>),
                Some(seek::<W>),
                Some(tell::<W>),
                None,
                this.sink.as_ptr().cast(),
            )
        };
        if status == sys::FLAC__STREAM_ENCODER_INIT_STATUS_OK {
            Ok(this)
        } else {
            Err(this.failure(&format!("status {status} of its beginning")))
        }
    }

    /// Appends samples, one slice of equal length for each channel.
    ///
    /// # Panics
    /// When there are more or fewer channels than the stream has, or one is longer than another.
    pub fn write(&mut self, channels: &[Vec<i32>]) -> Result<(), FlacError> {
        assert_eq!(channels.len(), self.channels, "a stream keeps its channels");
        let samples = channels.first().map_or(0, Vec::len);
        assert!(
            channels.iter().all(|channel| channel.len() == samples),
            "channels are as long as each other"
        );
        let pointers: Vec<*const i32> = channels.iter().map(Vec::as_ptr).collect();
        let samples = u32::try_from(samples)
            .map_err(|_| FlacError::Refused("too many samples at once".to_owned()))?;
        // SAFETY: there is a pointer for each channel, each to so many samples.
        let taken = unsafe {
            sys::FLAC__stream_encoder_process(self.encoder.as_ptr(), pointers.as_ptr(), samples)
        };
        if taken == 0 {
            return Err(self.failure("samples that it does not take"));
        }
        Ok(())
    }

    /// Writes what the encoder still holds, then length and checksum at the beginning.
    pub fn finish(self) -> Result<(), FlacError> {
        // SAFETY: the encoder is there; what it writes goes into the sink, which is there, too.
        let done = unsafe { sys::FLAC__stream_encoder_finish(self.encoder.as_ptr()) };
        if done == 0 {
            return Err(self.failure("an end that failed"));
        }
        // SAFETY: nobody else has a reference to the sink while libFLAC does nothing.
        unsafe { &mut *self.sink.as_ptr() }.output.flush()?;
        Ok(())
    }

    /// Why the last call failed; `otherwise` if neither the sink nor libFLAC knows.
    fn failure(&self, otherwise: &str) -> FlacError {
        // SAFETY: nobody else has a reference to the sink while libFLAC does nothing.
        if let Some(error) = unsafe { &mut *self.sink.as_ptr() }.error.take() {
            return FlacError::Io(error);
        }
        // SAFETY: the encoder is there, and the text is a constant of libFLAC's.
        let said = unsafe {
            let text = sys::FLAC__stream_encoder_get_resolved_state_string(self.encoder.as_ptr());
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        };
        let of_no_use = |said: &String| {
            said == "FLAC__STREAM_ENCODER_OK" || said == "FLAC__STREAM_ENCODER_UNINITIALIZED"
        };
        FlacError::Refused(
            said.filter(|said| !of_no_use(said))
                .unwrap_or_else(|| otherwise.to_owned()),
        )
    }
}

#[allow(unsafe_code, reason = "libFLAC is written in C")]
impl<W: Write + Seek> Drop for FlacEncoder<W> {
    fn drop(&mut self) {
        // SAFETY: both were made by `new` and are given up here; the encoder, which may write a last time, goes first.
        unsafe {
            sys::FLAC__stream_encoder_delete(self.encoder.as_ptr());
            drop(Box::from_raw(self.sink.as_ptr()));
        }
    }
}

impl<W> Sink<W> {
    /// The result if it is good; the first error is kept.
    fn keep<T>(&mut self, result: io::Result<T>) -> Option<T> {
        result
            .map_err(|error| self.error.get_or_insert(error).kind())
            .ok()
    }
}

/// Called by libFLAC with bytes to write.
#[allow(unsafe_code, reason = "libFLAC calls it")]
unsafe extern "C" fn write<W: Write + Seek>(
    _: *const sys::FLAC__StreamEncoder,
    bytes: *const sys::FLAC__byte,
    count: usize,
    _: u32,
    _: u32,
    sink: *mut c_void,
) -> sys::FLAC__StreamEncoderWriteStatus {
    // SAFETY: `new` gave this sink, and libFLAC gives so many bytes.
    let (sink, bytes) = unsafe {
        (
            &mut *sink.cast::<Sink<W>>(),
            slice::from_raw_parts(bytes, count),
        )
    };
    let written = sink.output.write_all(bytes);
    match sink.keep(written) {
        Some(()) => sys::FLAC__STREAM_ENCODER_WRITE_STATUS_OK,
        None => sys::FLAC__STREAM_ENCODER_WRITE_STATUS_FATAL_ERROR,
    }
}

/// Called by libFLAC to go back to the beginning.
#[allow(unsafe_code, reason = "libFLAC calls it")]
unsafe extern "C" fn seek<W: Write + Seek>(
    _: *const sys::FLAC__StreamEncoder,
    place: sys::FLAC__uint64,
    sink: *mut c_void,
) -> sys::FLAC__StreamEncoderSeekStatus {
    // SAFETY: `new` gave this sink.
    let sink = unsafe { &mut *sink.cast::<Sink<W>>() };
    let sought = sink.output.seek(SeekFrom::Start(place));
    match sink.keep(sought) {
        Some(_) => sys::FLAC__STREAM_ENCODER_SEEK_STATUS_OK,
        None => sys::FLAC__STREAM_ENCODER_SEEK_STATUS_ERROR,
    }
}

/// Called by libFLAC to learn the position.
#[allow(unsafe_code, reason = "libFLAC calls it")]
unsafe extern "C" fn tell<W: Write + Seek>(
    _: *const sys::FLAC__StreamEncoder,
    place: *mut sys::FLAC__uint64,
    sink: *mut c_void,
) -> sys::FLAC__StreamEncoderTellStatus {
    // SAFETY: `new` gave this sink.
    let sink = unsafe { &mut *sink.cast::<Sink<W>>() };
    let position = sink.output.stream_position();
    match sink.keep(position) {
        Some(position) => {
            // SAFETY: libFLAC has room for the answer.
            unsafe { *place = position };
            sys::FLAC__STREAM_ENCODER_TELL_STATUS_OK
        }
        None => sys::FLAC__STREAM_ENCODER_TELL_STATUS_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    const FORM: Form = Form {
        channels: 1,
        bits: 24,
        sample_rate_hz: 48_000,
        level: 5,
    };

    /// Takes so many bytes, and may be seekable or not.
    struct Full {
        room: usize,
        inner: Cursor<Vec<u8>>,
        may_seek: bool,
    }

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.room = self
                .room
                .checked_sub(bytes.len())
                .ok_or(io::ErrorKind::StorageFull)?;
            self.inner.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Full {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            if !self.may_seek && to != SeekFrom::Current(0) {
                return Err(io::ErrorKind::NotSeekable.into());
            }
            self.inner.seek(to)
        }
    }

    fn noise(samples: usize) -> Vec<i32> {
        // Knuth's constants of a linear congruential generator.
        let next = |state: &u64| {
            Some(
                state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1),
            )
        };
        let states = std::iter::successors(Some(1_u64), next);
        states
            .map(|state| (state >> 40) as i32 - (1 << 23))
            .take(samples)
            .collect()
    }

    fn into(room: usize, may_seek: bool) -> Result<(), FlacError> {
        let output = Full {
            room,
            inner: Cursor::default(),
            may_seek,
        };
        let mut encoder = FlacEncoder::new(output, FORM)?;
        encoder.write(&[noise(48_000)])?;
        encoder.finish()
    }

    #[test]
    fn the_error_of_what_is_behind_it_comes_out() {
        into(1 << 20, true).expect("there is room");
        // At the beginning, in the middle, at the end.
        for (room, may_seek, kind) in [
            (3, true, io::ErrorKind::StorageFull),
            (100_000, true, io::ErrorKind::StorageFull),
            (1 << 20, false, io::ErrorKind::NotSeekable),
        ] {
            match into(room, may_seek) {
                Err(FlacError::Io(error)) => assert_eq!(error.kind(), kind, "{room}"),
                other => panic!("{room}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_libflac_does_not_write_is_refused_in_its_words() {
        let forms = [
            Form {
                channels: 9,
                ..FORM
            },
            Form { bits: 33, ..FORM },
            Form {
                sample_rate_hz: 2_000_000,
                ..FORM
            },
        ];
        for form in forms {
            let error = FlacEncoder::new(Cursor::new(Vec::new()), form).err();
            let Some(FlacError::Refused(reason)) = error else {
                panic!("{form:?}: {error:?}");
            };
            assert!(reason.contains("beginning"), "{form:?}: {reason}");
        }
        let mut encoder =
            FlacEncoder::new(Cursor::new(Vec::new()), FORM).expect("it can be written");
        let error = encoder.write(&[vec![1 << 23]]).expect_err("it has 25 bits");
        assert!(matches!(error, FlacError::Refused(_)), "{error:?}");
    }

    #[test]
    fn noise_takes_hardly_more_than_its_samples() {
        let mut output = Cursor::new(Vec::new());
        let mut encoder = FlacEncoder::new(&mut output, FORM).expect("it can be written");
        encoder.write(&[noise(480_000)]).expect("it is taken");
        encoder.finish().expect("it ends");
        let bytes = output.into_inner().len();
        assert!((1_440_000..1_450_000).contains(&bytes), "{bytes}");
    }

    #[test]
    fn one_given_up_in_the_middle_leaves_nothing() {
        let mut encoder =
            FlacEncoder::new(Cursor::new(Vec::new()), FORM).expect("it can be written");
        encoder.write(&[noise(10_000)]).expect("it is taken");
        drop(encoder);
    }
}
