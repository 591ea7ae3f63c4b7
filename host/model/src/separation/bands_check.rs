//! Cross-checks of the bands of a separator's manifest.

use super::super::fault::{Fault, require, section};
use super::super::manifest::Manifest;
use super::bands::{Band, BandsFormat};
use super::check::{MAX_FRAME_SAMPLES, MAX_N_FFT};
use super::polyphase::greatest_common_divisor;

/// The most bands; UVR's models have four at the most.
const MOST_BANDS: usize = 8;
/// The largest number in the ratio of two bands' rates, which decides the length of the filter between them; known models have 16 : 3 at
/// most.
const MOST_OF_RATIO: u32 = 64;

/// Checks the bands of pieces of `samples` samples.
pub(super) fn check(bands: &BandsFormat, manifest: &Manifest, samples: usize) -> Result<(), Fault> {
    require(
        manifest.audio.channels == 2,
        "audio.channels",
        "must be 2 for this family",
    )?;
    require(
        (1..=MOST_BANDS).contains(&bands.band.len()),
        "bands.band",
        format!("there must be 1 to {MOST_BANDS}"),
    )?;
    let rate = manifest.audio.sample_rate_hz;
    let top = section(bands.band.last(), "bands.band")?;
    require(
        top.sample_rate_hz == rate,
        "bands.band.sample_rate_hz",
        format!("the last band must have the rate of the recording, {rate}"),
    )?;
    for band in &bands.band {
        numbers(band)?;
    }
    for (band, above) in bands.band.iter().zip(bands.band.iter().skip(1)) {
        let common = greatest_common_divisor(band.sample_rate_hz, above.sample_rate_hz);
        let most = above.sample_rate_hz / common;
        require(
            band.sample_rate_hz <= above.sample_rate_hz && most <= MOST_OF_RATIO,
            "bands.band.sample_rate_hz",
            format!(
                "must not be above that of the next band, with a ratio of at most {MOST_OF_RATIO}"
            ),
        )?;
    }
    let is_in_step = |band: &Band| {
        u64::from(band.hop) * u64::from(top.sample_rate_hz)
            == u64::from(top.hop) * u64::from(band.sample_rate_hz)
    };
    require(
        bands.band.iter().all(is_in_step),
        "bands.band.hop",
        "frames must take as long in all bands",
    )?;
    let frames = bands.frames_of(samples);
    let hop = top.hop as usize;
    require(
        frames > 0 && samples == frames * hop,
        "chunk.samples",
        format!("must be a multiple of {hop}, the samples between frames"),
    )?;
    let longest = bands.band.iter().map(|band| band.n_fft).max().unwrap_or(0) as usize;
    require(
        frames
            .checked_mul(longest)
            .is_some_and(|all| all <= MAX_FRAME_SAMPLES),
        "bands.band.hop",
        format!("a piece must have at most {MAX_FRAME_SAMPLES} samples in all its frames together"),
    )?;
    let least = bands.bins_of_bands();
    require(
        (least..=MAX_N_FFT as usize).contains(&bands.bins()),
        "bands.bins",
        format!("must be {least}, which the bands have, to {MAX_N_FFT}"),
    )?;
    falls(bands.fade, bands.bins() as u32, "bands.fade")
}

fn numbers(band: &Band) -> Result<(), Fault> {
    let within = |value: u32, low: u32, high: u32, key: &str| {
        require(
            (low..=high).contains(&value),
            &format!("bands.band.{key}"),
            format!("must be {low} to {high}, is {value}"),
        )
    };
    within(band.sample_rate_hz, 1_000, 192_000, "sample_rate_hz")?;
    within(band.n_fft, 16, MAX_N_FFT, "n_fft")?;
    require(
        band.n_fft.is_multiple_of(2),
        "bands.band.n_fft",
        "must be even",
    )?;
    within(band.hop, 1, band.n_fft, "hop")?;
    let bins = band.n_fft / 2 + 1;
    let [first, end] = band.crop;
    require(
        first < end && end <= bins,
        "bands.band.crop",
        format!("must be a bin and a later one, at most {bins}"),
    )?;
    falls(band.low_pass, bins, "bands.band.low_pass")?;
    let turned = band.high_pass.map(|[start, stop]| [stop, start]);
    falls(turned, bins, "bands.band.high_pass")
}

/// Where a gain falls, in the order of the bins.
fn falls(ends: Option<[u32; 2]>, bins: u32, key: &str) -> Result<(), Fault> {
    let is_one = |[start, stop]: [u32; 2]| (1..=stop).contains(&start) && stop <= bins;
    require(
        ends.is_none_or(is_one),
        key,
        format!("must be two bins from 1 to {bins}, in the order that its description says"),
    )
}
