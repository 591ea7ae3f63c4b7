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
    /// Factor on all estimates, `compensate` in MDX-Net's tables; 1 changes nothing.
    #[serde(default = "one")]
    pub compensate: f64,
    /// Runs the graph twice, the second time with the sign inverted, and takes half the difference: what does not follow the sign of the
    /// input is the graph's own noise. Takes twice the time.
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
    /// The graph gets the recording unchanged.
    #[default]
    None,
    /// The mean and the standard deviation (over all frames, with n - 1 as in `torch.std`) of the mono mix of the whole recording are
    /// removed before the graph and restored after it, as in Demucs.
    MeanStdMono,
    /// The mean of each channel over the whole recording is removed before the graph and not restored. It stays in the residual, since no
    /// stem contains the DC offset of a sound card.
    MeanOut,
    /// The graph gets magnitudes divided by the greatest of the whole recording, as in the tools for UVR's VR models.
    PeakMagnitude,
}

/// The stems that the graph estimates.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stems {
    /// Their names, in the order of the graph's output.
    pub names: Vec<String>,
    /// The stem that is not estimated but is what the others leave of the whole, so that the sum is exact; an estimate of it is ignored.
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
    /// The window of the transform and of its inverse.
    #[serde(default)]
    pub window: AnalysisWindow,
    /// Whether frame `t` is centred on sample `t * hop` rather than beginning there.
    #[serde(default = "yes")]
    pub center: bool,
    /// What surrounds a piece.
    #[serde(default)]
    pub pad: Padding,
    /// Additional samples before a piece.
    #[serde(default)]
    pub extra_pad_left: u32,
    /// Samples of silence after a piece, added before anything is mirrored.
    #[serde(default)]
    pub silence_behind: u32,
    /// Whether spectra are divided by the square root of `n_fft`.
    #[serde(default)]
    pub normalized: bool,
    /// Number of lowest bins that the graph takes; the others come out as silence. `n_fft / 2 + 1` when left out.
    #[serde(default)]
    pub keep_bins: Option<u32>,
    /// Number of lowest bins that are zero for the graph.
    #[serde(default)]
    pub zero_low_bins: u32,
    /// Number of frames; as many as the piece has when left out.
    #[serde(default)]
    pub frames: Option<u32>,
    /// Frames that are left out at the beginning.
    #[serde(default)]
    pub frame_offset: u32,
    /// Factor on the inverse transform, replacing the division by the sum of the squared windows.
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
    /// Number of bins that the graph takes.
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

    /// Length of a piece of `samples` samples with the silence after it.
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
    /// Hann, periodic: one sample short of symmetric.
    #[default]
    HannPeriodic,
    /// Hann, zero at both ends.
    HannSymmetric,
    /// Hamming, symmetric.
    Hamming,
    /// None: every sample has the same weight, as in `torch.stft` without a window.
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
    /// Nothing: no frame may reach beyond the ends.
    None,
}

/// What a spectral output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpectralOutput {
    /// The stem's spectrum.
    #[default]
    Spectrum,
    /// A factor on the mix's spectrum: complex where the layout has `k`, otherwise real.
    Mask,
    /// The stem's magnitudes. Their squares divide up the mix's spectrum, as in Spleeter.
    Magnitude,
}

/// How a recording is cut and joined.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chunk {
    /// Length of a piece in samples; or `frames`.
    #[serde(default)]
    pub samples: Option<u32>,
    /// Length of a piece in frames of its spectrogram; or `samples`.
    #[serde(default)]
    pub frames: Option<u32>,
    /// Samples between the beginnings of neighbours; or `overlap`.
    #[serde(default)]
    pub step: Option<u32>,
    /// The overlapping share of a piece and the next, 0 to below 1; or `step`.
    #[serde(default)]
    pub overlap: Option<f64>,
    /// What surrounds the recording.
    #[serde(default)]
    pub edge: Edge,
    /// How many samples the first piece begins before the recording, and the last one may end after it; `trim` when left out.
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
    /// What happens at the end, where no whole piece fits any more.
    #[serde(default)]
    pub last: LastPiece,
    /// What the weighted sum is divided by.
    #[serde(default)]
    pub divisor: Divisor,
    /// For the policy `taper`: with the silence after it, the length of the recording is a multiple of this many samples, and there is
    /// always some silence.
    #[serde(default)]
    pub fill_to: Option<u32>,
    /// Number of passes over the recording, each after a different silence of up to half a second, whose mean is the estimate (Demucs); 0
    /// is one pass without silence.
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

    /// The same with few pieces: no more than two overlap in what counts, in a single pass.
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

    /// How many samples before the recording the first piece begins.
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

/// What happens to the last piece, where a whole one does not fit any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LastPiece {
    /// It is filled up with the edge.
    #[default]
    Pad,
    /// It is moved back until it ends with the recording.
    AlignEnd,
    /// It is centred in a whole piece, with sound of the recording around it, as in Demucs.
    Center,
    /// It is filled up with silence, and its window is as long as the rest of the recording and of the silence that `fill_to` adds, as in
    /// the tools for MDX-Net.
    Taper,
    /// It is filled up with its own mirror image if more than half of it is there, otherwise with silence; and recordings no longer than
    /// two borders are processed without borders. As in MSST's tools.
    Mirror,
}

/// What the weighted sum is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Divisor {
    /// The sum of the weights.
    #[default]
    WindowSum,
    /// The number of overlapping pieces: `samples / step`, for the window `rect`.
    Constant,
    /// Nothing: pieces are added up, for the window `rect`. For transforms that add up to one across pieces, as Spleeter's.
    One,
}
