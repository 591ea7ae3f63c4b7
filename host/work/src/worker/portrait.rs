//! What a recording looks like: its peaks and its spectrogram, measured in a child process with limits of its own.

use std::path::Path;
use std::time::Duration;

use rustix::process::Resource;
use tokio::process::Command;

use super::child::{Answer, Fault, Look, absolute};
use vocalhost_audio::{AudioLimits, Decoder, PeakMeter, Peaks};
use vocalhost_kit::spectrogram_picture;
use vocalhost_sandbox::Walls;

/// Points in the table of peaks; coarser tables are computed from it.
pub const PEAK_POINTS: usize = 8_192;

/// Width and height of the spectrogram in pixels.
const SPECTROGRAM_SIZE: (usize, usize) = (1_024, 256);

/// Processor time: hours of FLAC at the highest rates take less. Files: the table of peaks of eight channels has about two megabytes.
const LOOK: Look = Look {
    wall: Duration::from_mins(3),
    limits: &[
        (Resource::As, 512 << 20),
        (Resource::Cpu, 150),
        (Resource::Fsize, 16 << 20),
    ],
    niceness: 0,
    max_answer_bytes: 64 << 10,
};

/// Why there is no portrait: a fault of ours, or a recording that is damaged beyond the part that the probe read.
#[derive(Debug, thiserror::Error)]
pub enum PortraitError {
    /// The recording cannot be read to its end.
    #[error("{0}")]
    Unreadable(String),
    /// The child could not be run, or did not do its work.
    #[error("cannot portray a recording: {0}")]
    Broken(String),
}

/// What the picture is called in the child's own folder.
const PICTURE: &str = "spectrogram.png";

/// The files of a portrait. The output files already exist, and are empty: the child may write nothing else in their folders.
#[derive(Debug, Clone, Copy)]
pub struct PortraitFiles<'a> {
    /// The recording.
    pub sound: &'a Path,
    /// Where the table of peaks goes, as JSON.
    pub peaks: &'a Path,
    /// Where the spectrogram goes, as PNG.
    pub spectrogram: &'a Path,
}

/// Portrays a recording in a child process, `program portray SOUND PEAKS SPECTROGRAM --max-duration-s N`.
pub async fn portray_in_child(
    program: &Path,
    files: PortraitFiles<'_>,
    limits: &AudioLimits,
) -> Result<(), PortraitError> {
    let mut command = Command::new(program);
    command
        .arg("portray")
        .args([files.sound, files.peaks, files.spectrogram].map(absolute))
        .arg("--max-duration-s")
        .arg(limits.max_duration_s.to_string());
    LOOK.ask(command, files.sound)
        .await
        .map_err(|fault| match fault {
            Fault::Rejected(reason) => PortraitError::Unreadable(reason),
            Fault::TooMuch | Fault::TooLong => {
                PortraitError::Unreadable("the file asks for too much time or memory".to_owned())
            }
            Fault::Panicked(reason) | Fault::Broken(reason) => PortraitError::Broken(reason),
        })
}

/// The child's side, to be called before anything else in a process of its own: limits this process for good, portrays
/// the recording, and returns the line to print.
#[must_use]
pub fn answer(files: PortraitFiles<'_>, limits: &AudioLimits) -> String {
    let walls = Walls::new().reading(files.sound);
    let walls = walls.writing(files.peaks).writing(files.spectrogram);
    LOOK.answer(walls, || match portray(files, *limits) {
        Ok(()) => Answer::Ok(()),
        Err(PortraitError::Unreadable(reason)) => Answer::Rejected(reason),
        Err(PortraitError::Broken(reason)) => Answer::Broken(reason),
    })
}

fn portray(files: PortraitFiles<'_>, limits: AudioLimits) -> Result<(), PortraitError> {
    let unreadable = PortraitError::Unreadable;
    let broken = PortraitError::Broken;
    let frames = count_frames(files.sound, limits).map_err(unreadable)?;
    let peaks = peaks(files.sound, frames, limits).map_err(unreadable)?;
    let table = serde_json::to_vec(&peaks).map_err(|error| broken(error.to_string()))?;
    std::fs::write(files.peaks, &table).map_err(|error| broken(error.to_string()))?;
    let picture = spectrogram_picture(files.sound, frames, SPECTROGRAM_SIZE, &limits);
    let picture = picture.map_err(|error| unreadable(error.to_string()))?;
    // A picture is written to a temporary file and renamed, which the child can only do in its own folder.
    let saved = picture.save(Path::new(PICTURE));
    saved.map_err(|error| broken(error.to_string()))?;
    let saved = std::fs::read(PICTURE).and_then(|png| std::fs::write(files.spectrogram, png));
    saved.map_err(|error| broken(error.to_string()))
}

/// The number of frames: from the header, or counted where the header does not say.
fn count_frames(sound: &Path, limits: AudioLimits) -> Result<u64, String> {
    let mut decoder = Decoder::open(sound, &limits).map_err(|error| error.to_string())?;
    if let Some(frames) = decoder.info().frames.filter(|frames| *frames > 0) {
        return Ok(frames);
    }
    let mut frames = 0;
    while let Some(block) = decoder.next_block().map_err(|error| error.to_string())? {
        frames += block.frames() as u64;
    }
    Ok(frames)
}

fn peaks(sound: &Path, frames: u64, limits: AudioLimits) -> Result<Peaks, String> {
    let mut decoder = Decoder::open(sound, &limits).map_err(|error| error.to_string())?;
    let (channels, rate) = (decoder.info().channels, decoder.info().sample_rate_hz);
    let mut meter = PeakMeter::new(channels, rate, frames, PEAK_POINTS);
    while let Some(block) = decoder.next_block().map_err(|error| error.to_string())? {
        meter.add(&block);
    }
    Ok(meter.finish())
}
