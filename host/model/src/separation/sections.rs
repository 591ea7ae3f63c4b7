use serde::Deserialize;

use super::task::Task;

/// Facts about a separator.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeparatorFacts {
    /// What it separates.
    pub task: Task,
    /// How the recording's level is brought to what the graph expects, and back.
    #[serde(default)]
    pub normalize: LevelNormalization,
    /// Factor on everything that the graph estimates, `compensate` in MDX-Net's tables; 1 changes nothing.
    #[serde(default = "one")]
    pub compensate: f64,
    /// Asks the graph twice, the second time with the sign turned, and takes half the difference: what does not follow
    /// the sign of its input is noise of the graph's own. Costs twice the time.
    #[serde(default)]
    pub denoise: bool,
}

fn one() -> f64 {
    1.0
}

/// How the level is brought to what the graph expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LevelNormalization {
    /// The graph hears the recording as it is.
    #[default]
    None,
    /// Mean and standard deviation (of all frames but one, as `torch.std` counts) of the mono mix over the whole
    /// recording are taken out before the graph and put back after it, as Demucs does.
    MeanStdMono,
    /// The mean of each channel over the whole recording is taken out before the graph and not put back: it is left to the residual, as
    /// no stem has the offset of a sound card in it.
    MeanOut,
    /// The graph hears magnitudes over the greatest of the whole recording, as the tools for UVR's VR models have it.
    PeakMagnitude,
}

/// The stems that the graph estimates.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stems {
    /// Their names, in the order of the graph's output.
    pub names: Vec<String>,
    /// The stem that is not estimated but is what the others leave of the whole, so that the sum is exact; an
    /// estimate of it is passed over.
    #[serde(default)]
    pub residual: Option<String>,
}

/// The host's short-time Fourier transform.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StftFormat {
    /// Length of the transform.
    pub n_fft: u32,
    /// Samples between frames.
    pub hop: u32,
    /// Length of the window, in the middle of the transform; `n_fft` when left out.
    #[serde(default)]
    pub win: Option<u32>,
    /// The window, before the transform and after the inverse one.
    #[serde(default)]
    pub window: AnalysisWindow,
    /// Whether frame `t` is centred on sample `t * hop` rather than beginning there.
    #[serde(default = "yes")]
    pub center: bool,
    /// What stands beyond both ends of a piece.
    #[serde(default)]
    pub pad: Padding,
    /// Samples that are put in front of a piece besides.
    #[serde(default)]
    pub extra_pad_left: u32,
    /// Samples of silence that stand behind a piece, before anything is mirrored.
    #[serde(default)]
    pub silence_behind: u32,
    /// Whether spectra are divided by the square root of `n_fft`.
    #[serde(default)]
    pub normalized: bool,
    /// Bins from the lowest on that the graph sees; the others come out as silence. `n_fft / 2 + 1` when left out.
    #[serde(default)]
    pub keep_bins: Option<u32>,
    /// Bins from the lowest on that the graph sees as zero.
    #[serde(default)]
    pub zero_low_bins: u32,
    /// Number of frames; as many as the piece has when left out.
    #[serde(default)]
    pub frames: Option<u32>,
    /// Frames that are left out in front.
    #[serde(default)]
    pub frame_offset: u32,
    /// Factor on the inverse transform in place of the division by the sum of the squared windows.
    #[serde(default)]
    pub inverse_scale: Option<f64>,
    /// What the graph's spectral outputs are.
    #[serde(default)]
    pub output: SpectralOutput,
}

fn yes() -> bool {
    true
}

impl StftFormat {
    /// Bins that the graph sees.
    #[must_use]
    pub fn bins(&self) -> usize {
        self.keep_bins.unwrap_or(self.n_fft / 2 + 1) as usize
    }

    /// Where the first sample of frame 0 lies, counted from the piece's first sample.
    #[must_use]
    pub(crate) fn first_sample(&self) -> i64 {
        let centred = if self.center { self.n_fft / 2 } else { 0 };
        i64::from(self.frame_offset) * i64::from(self.hop)
            - i64::from(self.extra_pad_left)
            - i64::from(centred)
    }

    /// Samples of a piece of `samples` samples with the silence behind it.
    #[must_use]
    pub(crate) fn heard_of(&self, samples: usize) -> usize {
        samples.saturating_add(self.silence_behind as usize)
    }

    /// Frames of a piece of `samples` samples.
    #[must_use]
    pub fn frames_of(&self, samples: usize) -> usize {
        if let Some(frames) = self.frames {
            return frames as usize;
        }
        let samples = self.heard_of(samples);
        let covered = if self.center {
            samples
        } else {
            samples.saturating_sub(self.n_fft as usize)
        };
        1 + covered / self.hop.max(1) as usize
    }
}

/// A window for spectra.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnalysisWindow {
    /// Hann, one sample short of symmetric, as spectra want it.
    #[default]
    HannPeriodic,
    /// Hann, zero at both ends.
    HannSymmetric,
    /// Hamming, symmetric.
    Hamming,
    /// None: every sample counts alike, as in `torch.stft` where no window is given.
    Rect,
}

/// What stands beyond the ends of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Padding {
    /// The piece, mirrored without repeating its end samples.
    #[default]
    Reflect,
    /// Silence.
    Zeros,
    /// Nothing: no frame may reach beyond.
    None,
}

/// What a spectral output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpectralOutput {
    /// The stem's spectrum.
    #[default]
    Spectrum,
    /// What the mix's spectrum is multiplied by: complex where the layout has `k`, real where it has none.
    Mask,
    /// The stem's magnitudes. Their squares share the mix's spectrum out, as Spleeter does.
    Magnitude,
}

/// How a recording is cut and joined.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chunk {
    /// Samples of a piece; or `frames`.
    #[serde(default)]
    pub samples: Option<u32>,
    /// Frames of a piece's spectrogram; or `samples`.
    #[serde(default)]
    pub frames: Option<u32>,
    /// Samples between the beginnings of neighbours; or `overlap`.
    #[serde(default)]
    pub step: Option<u32>,
    /// Share of a piece that it has in common with the next, 0 to below 1; or `step`.
    #[serde(default)]
    pub overlap: Option<f64>,
    /// What stands beyond both ends of the recording.
    #[serde(default)]
    pub edge: Edge,
    /// Samples by which the first piece begins before the recording, and the last one may end behind it; `trim` when
    /// left out.
    #[serde(default)]
    pub border: Option<u32>,
    /// Samples at both ends of each piece whose estimate does not count.
    #[serde(default)]
    pub trim: u32,
    /// How the estimate of a piece is weighted between its trimmed ends.
    #[serde(default)]
    pub window: JoinWindow,
    /// Share of a piece that each ramp of the window `linear-fade` takes.
    #[serde(default = "tenth")]
    pub fade_frac: f64,
    /// What happens at the end, where a whole piece does not fit any more.
    #[serde(default)]
    pub last: LastPiece,
    /// What the weighted sum is divided by.
    #[serde(default)]
    pub divisor: Divisor,
    /// For the policy `taper`: the recording, with silence behind it, is a multiple of so many samples long, and never
    /// ends with its sound.
    #[serde(default)]
    pub fill_to: Option<u32>,
    /// Number of passes over the recording, each with another silence of up to half a second in front of it, whose mean
    /// is the estimate (Demucs); 0 is one pass without.
    #[serde(default)]
    pub shifts: u32,
}

fn tenth() -> f64 {
    0.1
}

impl Chunk {
    /// Samples of a piece, if they are given or follow from the spectrogram.
    #[must_use]
    pub(crate) fn piece_samples(&self, stft: Option<&StftFormat>) -> Option<usize> {
        match (self.samples, self.frames, stft) {
            (Some(samples), None, _) => Some(samples as usize),
            (None, Some(frames), Some(stft)) => {
                let hops = frames.saturating_sub(1) as usize * stft.hop as usize;
                Some(if stft.center {
                    hops
                } else {
                    hops + stft.n_fft as usize
                })
            }
            _ => None,
        }
    }

    /// Samples between the beginnings of neighbours, if they are given.
    #[must_use]
    pub(crate) fn step_samples(&self, piece_samples: usize) -> Option<usize> {
        match (self.step, self.overlap) {
            (Some(step), None) => Some(step as usize),
            (None, Some(overlap)) => Some(((1.0 - overlap) * piece_samples as f64) as usize),
            _ => None,
        }
    }

    /// The same with few pieces: what counts of at most two lies over each other, in one pass.
    #[must_use]
    pub(crate) fn in_few_pieces(mut self, stft: Option<&StftFormat>) -> Self {
        let samples = self.piece_samples(stft);
        let step = samples.and_then(|samples| self.step_samples(samples));
        if let (Some(samples), Some(step)) = (samples, step) {
            let half = samples.saturating_sub(2 * self.trim as usize) / 2;
            if step < half {
                self.border = Some(self.border_samples().min(samples - half) as u32);
                (self.step, self.overlap) = (Some(half as u32), None);
            }
        }
        self.shifts = self.shifts.min(1);
        self
    }

    /// Samples by which the first piece begins before the recording.
    #[must_use]
    pub(crate) fn border_samples(&self) -> usize {
        self.border.unwrap_or(self.trim) as usize
    }
}

/// What stands beyond the ends of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edge {
    /// Silence.
    #[default]
    Zeros,
    /// The recording, mirrored without repeating its end samples, as often as needed.
    Reflect,
}

/// How a piece's estimate is weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JoinWindow {
    /// Evenly.
    Rect,
    /// Hann, zero at both ends, as MDX-Net's tools do.
    #[default]
    HannSymmetric,
    /// Hamming, as the tools for `RoFormer` models do.
    HammingSymmetric,
    /// Up to the middle and down again, as Demucs does.
    Triangle,
    /// Evenly, with a ramp at both ends.
    LinearFade,
}

/// What happens where a whole piece does not fit any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LastPiece {
    /// It is filled up with the edge.
    #[default]
    Pad,
    /// It is moved to the front until it ends where the recording ends.
    AlignEnd,
    /// It is moved to the middle of a whole piece, between sound of the recording, as Demucs does.
    Center,
    /// It is filled up with silence, and its window is as long as what is left of the recording and of the silence that
    /// `fill_to` puts behind it, as the tools for MDX-Net do.
    Taper,
    /// It is filled up with its own mirror image if more than half of it is there, else with silence; and recordings that
    /// are not longer than two borders are worked on without borders. So do MSST's tools.
    Mirror,
}

/// What the weighted sum is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Divisor {
    /// The sum of the weights.
    #[default]
    WindowSum,
    /// The number of pieces that lie over each other: `samples / step`, for the window `rect`.
    Constant,
    /// Nothing: pieces are added up, for the window `rect`. For transforms that sum to one across pieces, as Spleeter's.
    One,
}
