use vocalhost_audio::{FileFormat, WavSamples};
use vocalhost_job::{FileRole, Output, OutputFormat, ResultFile};

/// The steps that the samples of a result are rounded to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    /// Those of a file of 16 bits.
    Of16Bits,
    /// Those of all other formats; floats are rounded to them too, where files have to add up.
    Of24Bits,
}

impl Steps {
    /// The size of a step, full scale being 1.
    pub fn size(self) -> f32 {
        match self {
            Self::Of16Bits => 1.0 / (1 << 15) as f32,
            Self::Of24Bits => 1.0 / (1 << 23) as f32,
        }
    }

    /// The largest magnitude that can be held; a result beyond it would clip.
    pub fn ceiling(self) -> f32 {
        1.0 - self.size()
    }

    /// Adding this to a 64-bit float and subtracting it again rounds the float to a step: at this magnitude floats are one step apart.
    pub fn rounding(self) -> f64 {
        1.5 * (1_u64 << 52) as f64 * f64::from(self.size())
    }
}

/// The formats that every sound of a job is written in.
#[derive(Debug, Clone, Copy)]
pub struct OutputFiles {
    main: FileFormat,
    leaves_lossy: bool,
}

impl OutputFiles {
    /// As it was asked for.
    pub fn of(output: Output) -> Self {
        let kbps = output.bitrate_kbps;
        let main = match output.format {
            OutputFormat::Wav16 => FileFormat::Wav(WavSamples::Int16),
            OutputFormat::Wav24 => FileFormat::Wav(WavSamples::Int24),
            OutputFormat::Wav32f => FileFormat::Wav(WavSamples::Float32),
            OutputFormat::Flac => FileFormat::Flac,
            #[cfg(feature = "mp3")]
            OutputFormat::Mp3 => FileFormat::Mp3 {
                kbps: kbps.unwrap_or(vocalhost_audio::MP3_DEFAULT_KBPS),
            },
            // New requests with it are refused, but an older job may still wait in the queue.
            #[cfg(not(feature = "mp3"))]
            OutputFormat::Mp3 => FileFormat::Wav(WavSamples::Int24),
            OutputFormat::Opus => FileFormat::Opus { kbps },
        };
        Self {
            main,
            leaves_lossy: output.leaves_lossy(),
        }
    }

    /// The steps of the main file.
    pub fn steps(self) -> Steps {
        match self.main {
            FileFormat::Wav(WavSamples::Int16) => Steps::Of16Bits,
            _ => Steps::Of24Bits,
        }
    }

    /// The formats of the main file, and of the MP3 that goes with it if an encoder is built in and the MP3 is not left for later.
    pub fn formats(self) -> [Option<FileFormat>; 2] {
        let lossy = lossy_format().filter(|_| !self.leaves_lossy);
        [Some(self.main), lossy]
    }

    /// The entry of the MP3 of a sound that is made later, with its name and its role.
    pub fn left(self, name: &str, role: FileRole) -> Option<ResultFile> {
        let format = lossy_format().filter(|_| self.leaves_lossy)?;
        Some(ResultFile {
            role,
            key: format!("{name}.{}", format.extension()),
            content: None,
        })
    }
}

/// The format of the MP3 that goes with a main file, if an encoder is built in.
pub fn lossy_format() -> Option<FileFormat> {
    #[cfg(feature = "mp3")]
    let lossy = Some(FileFormat::Mp3 {
        kbps: vocalhost_audio::MP3_DEFAULT_KBPS,
    });
    #[cfg(not(feature = "mp3"))]
    let lossy = None;
    lossy
}
