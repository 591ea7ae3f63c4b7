use rubato::{
    Async, Fft, FixedAsync, FixedSync, Resampler, SincInterpolationParameters, WindowFunction,
    calculate_cutoff,
};

/// Why there is no converter for two rates.
pub type RateError = rubato::ResamplerConstructionError;

/// The most frames that the smallest block of whole periods of both rates may take for the FFT method.
///
/// Two rates coincide after `from / gcd` and `to / gcd` frames, and the method transforms whole multiples of that. For all rates that
/// equipment uses, this is at most 2,560 frames; for rates without a common divisor it is a second.
const MAX_FFT_UNIT_FRAMES: u32 = 8_192;

/// Filter length of the FFT method, in frames of the lower rate: flat to beyond 0.45 of that rate.
const FFT_FILTER_FRAMES: u32 = 1_024;

/// Filter length of the sinc method, in frames of the lower rate: flat to 0.45 of that rate.
const SINC_FILTER_FRAMES: usize = 384;

/// Filter length of the sinc method for live sound, in frames of the lower rate: at 16 kHz the delay is 5 ms, and frequencies above 0.4 of
/// that rate are lost.
const PROMPT_FILTER_FRAMES: usize = 160;

/// Entries in the table of sincs for each input frame; interpolation is cubic, over four of them.
const SINC_OVERSAMPLING: u64 = 128;

/// Input frames that the sinc method processes at a time.
const SINC_CHUNK_FRAMES: usize = 1_024;

/// The same for live sound: 2 ms at 32 kHz.
const PROMPT_CHUNK_FRAMES: usize = 64;

/// Entries for each input frame for live sound: it matters less then that the table is one entry off its centre.
const PROMPT_OVERSAMPLING: u64 = 512;

/// Side lobes below -180 dB, so that aliasing is lost in the rounding of 32-bit floats.
const WINDOW: WindowFunction = WindowFunction::BlackmanHarris2;

/// Parameters of the sinc method.
#[derive(Clone, Copy)]
struct Sincs {
    /// Length of the filter, in frames of the lower rate.
    filter_frames: usize,
    /// Input frames that are processed at a time.
    chunk_frames: usize,
    /// Entries in the table of sincs for each input frame.
    oversampling: u64,
}

/// For sound that nobody waits for.
const USUAL: Sincs = Sincs {
    filter_frames: SINC_FILTER_FRAMES,
    chunk_frames: SINC_CHUNK_FRAMES,
    oversampling: SINC_OVERSAMPLING,
};

/// For live sound.
const PROMPT: Sincs = Sincs {
    filter_frames: PROMPT_FILTER_FRAMES,
    chunk_frames: PROMPT_CHUNK_FRAMES,
    oversampling: PROMPT_OVERSAMPLING,
};

/// One of rubato's methods, and what aligns its output to its input.
pub struct RateConverter {
    /// The method itself.
    pub method: Box<dyn Resampler<f32>>,
    /// Silence to insert before the input.
    pub silence_frames: usize,
    /// Output frames still to be dropped.
    pub lead_frames: usize,
    /// The most input frames that have been taken before the output frame for the first of them is returned: a block and half of the
    /// filter.
    pub held_frames: usize,
}

impl RateConverter {
    /// Chooses the method for two rates from 8 to 192 kHz.
    ///
    /// Rates that coincide within [`MAX_FFT_UNIT_FRAMES`] are converted by FFT, which is faster; its blocks are at most 24 times
    /// [`FFT_FILTER_FRAMES`] and two units, 40,960 frames. All others are interpolated between windowed sincs, whose table is at most 24
    /// times [`SINC_FILTER_FRAMES`] times [`SINC_OVERSAMPLING`] floats (4.5 MiB), after at most a second of silence. For such rates the FFT
    /// method would put whole seconds into one transform.
    pub fn new(channels: usize, from_hz: u32, to_hz: u32) -> Result<Self, RateError> {
        let (from_unit, to_unit) = units_of(from_hz, to_hz);
        if from_unit.max(to_unit) > MAX_FFT_UNIT_FRAMES {
            return Self::by_sinc(channels, (from_hz, to_hz), USUAL);
        }
        let (method, lead_frames) = fft(channels, (from_unit, to_unit))?;
        let block_frames = method.input_frames_next();
        Ok(Self {
            method,
            silence_frames: 0,
            lead_frames,
            held_frames: block_frames + block_frames / 2,
        })
    }

    /// The same for live sound: by sincs, with a shorter filter, a wider transition band, and small blocks.
    pub fn prompt(channels: usize, from_hz: u32, to_hz: u32) -> Result<Self, RateError> {
        Self::by_sinc(channels, (from_hz, to_hz), PROMPT)
    }

    fn by_sinc(
        channels: usize,
        (from_hz, to_hz): (u32, u32),
        shape: Sincs,
    ) -> Result<Self, RateError> {
        let (from_unit, to_unit) = units_of(from_hz, to_hz);
        let (method, filter_frames) = sinc(channels, (from_hz, to_hz), shape)?;
        let units = (from_unit, to_unit);
        let (silence_frames, lead_frames) =
            sinc_alignment(filter_frames, units, shape.oversampling);
        Ok(Self {
            method,
            silence_frames,
            lead_frames,
            held_frames: shape.chunk_frames + filter_frames / 2,
        })
    }
}

/// The rates without their common divisor.
fn units_of(from_hz: u32, to_hz: u32) -> (u32, u32) {
    let divisor = greatest_common_divisor(from_hz, to_hz);
    (from_hz / divisor, to_hz / divisor)
}

/// The FFT method and its delay in output frames.
fn fft(
    channels: usize,
    (from_unit, to_unit): (u32, u32),
) -> Result<(Box<dyn Resampler<f32>>, usize), RateError> {
    // An even number of units, so that half a block, which is the delay, is a whole number of frames.
    let units = FFT_FILTER_FRAMES
        .div_ceil(from_unit.min(to_unit))
        .next_multiple_of(2);
    let converter = Fft::new_custom(
        from_unit as usize,
        to_unit as usize,
        (units * from_unit) as usize,
        1,
        channels,
        WINDOW,
        FixedSync::Both,
    )?;
    let delay_frames = converter.fft_size_out() / 2;
    Ok((Box::new(converter), delay_frames))
}

/// The sinc method and the length of its filter in input frames.
fn sinc(
    channels: usize,
    (from_hz, to_hz): (u32, u32),
    shape: Sincs,
) -> Result<(Box<dyn Resampler<f32>>, usize), RateError> {
    let decimation = (f64::from(from_hz) / f64::from(to_hz)).max(1.0);
    // Rubato rounds up to a multiple of 8, too; here the length is known.
    let cutoff = calculate_cutoff(shape.filter_frames, WINDOW);
    let filter_frames =
        ((shape.filter_frames as f64 * decimation).ceil() as usize).next_multiple_of(8);
    let parameters = SincInterpolationParameters::new(filter_frames, WINDOW)
        .f_cutoff(cutoff)
        .oversampling_factor(shape.oversampling as usize);
    let converter = Async::new_sinc(
        f64::from(to_hz) / f64::from(from_hz),
        1.0,
        &parameters,
        shape.chunk_frames,
        channels,
        FixedAsync::Input,
    )?;
    Ok((Box::new(converter), filter_frames))
}

/// Silence to insert before the input, and output frames to drop, so that the first remaining output frame coincides with the first input
/// frame.
///
/// Output frame `n` of rubato's sinc method is the input at `(n + 1) * from / to - filter / 2 + 1 / oversampling` frames (its first step
/// comes before its first output, and its table of sincs is one entry off the centre; both measured). Silence shifts that by whole input
/// frames until it meets the output's grid, as closely as the rates can: within half of `1 / from_unit` output frames.
fn sinc_alignment(
    filter_frames: usize,
    (from_unit, to_unit): (u32, u32),
    oversampling: u64,
) -> (usize, usize) {
    let (from, to) = (u64::from(from_unit), u64::from(to_unit));
    let half = filter_frames as u64 / 2;
    let off_centre = (to + oversampling / 2) / oversampling;
    let silence = (0..from)
        .find(|silence| ((half + silence) * to - off_centre).is_multiple_of(from))
        .expect("units without a common divisor meet every remainder");
    let lead = ((half + silence) * to - off_centre) / from - 1;
    (silence as usize, lead as usize)
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}
