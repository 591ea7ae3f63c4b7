use std::ops::Range;

use vocalhost_fourier::num_complex::Complex32;

use super::super::manifest::{Direction, Manifest, TensorRole};
use super::super::session::{Input, Session, Values, View};
use super::super::{ModelError, Package, Runtime};
use super::bands::Bands;
use super::check::sizes;
use super::layout::{Layout, Sizes};
use super::sections::SpectralOutput;
use super::spectrum::{Plane, Spectrum};
use super::stft::{Stft, Workspace};
use vocalhost_system::work::Part;

/// Spleeter's floor under the sum of the stems' powers, divided among them, so that all get the same share of silence.
const POWER_FLOOR: f32 = 1e-10;

/// A separator's graph with the transforms that its tensors need: pieces of sound go in and come out.
pub(super) struct Network {
    /// One that gives every stem, or one for each stem.
    sessions: Vec<Session>,
    stft: Option<Stft>,
    /// The transforms of several bands, in place of a single one.
    bands: Option<Bands>,
    tensors: Vec<Tensor>,
    /// Of each graph's tensors.
    sizes: Sizes,
    /// Stems that all graphs together give.
    stems: usize,
    spectral_output: SpectralOutput,
    zero_low_bins: usize,
    /// Indices of the wanted stems, in the graph's order.
    wanted: Vec<usize>,
    /// Whether it runs on a device.
    is_shared: bool,
}

/// What a network is made of.
pub(super) struct NetworkPlan<'p> {
    /// The files: one whose graph gives every stem, or one for each stem.
    pub(super) graphs: &'p [String],
    /// Length of a piece.
    pub(super) samples: usize,
    /// Indices of the stems to be computed, in the manifest's order.
    pub(super) wanted: Vec<usize>,
    /// How many pieces may be worked on side by side.
    pub(super) threads: usize,
}

/// The outputs of one of the graphs.
type Answer<'v> = &'v [View<'v>];

struct Tensor {
    io: Direction,
    role: TensorRole,
    layout: Layout,
}

impl Network {
    /// Loads graphs of a separator whose manifest has been checked.
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
        plan: NetworkPlan<'_>,
    ) -> Result<Self, ModelError> {
        let manifest = package.manifest();
        let sessions = plan
            .graphs
            .iter()
            .map(|graph| Session::load_file(runtime, package, graph, plan.threads))
            .collect::<Result<Vec<_>, _>>()?;
        let fault = |reason: String| ModelError::Inference {
            package: manifest.id.clone(),
            reason,
        };
        let stft = manifest.stft.as_ref();
        let mut sizes = sizes(manifest, plan.samples);
        let stems = sizes.stems;
        if sessions.len() > 1 {
            sizes.stems = 1;
        }
        Ok(Self {
            tensors: tensors(manifest).map_err(fault)?,
            sizes,
            stems,
            spectral_output: match &manifest.bands {
                Some(_) => SpectralOutput::Mask,
                None => stft.map_or_else(Default::default, |stft| stft.output),
            },
            zero_low_bins: manifest.stft.map_or(0, |stft| stft.zero_low_bins as usize),
            is_shared: sessions.iter().any(Session::is_apart),
            sessions,
            stft: stft.map(|stft| Stft::new(stft, plan.samples)),
            bands: (manifest.bands.as_ref()).map(|bands| Bands::new(bands, plan.samples)),
            wanted: plan.wanted,
        })
    }

    /// Whether it runs on a device, one piece at a time, while other pieces are prepared and read.
    pub(super) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Channels that a piece has.
    pub(super) fn channels(&self) -> usize {
        self.sizes.channels
    }

    /// The estimate for a piece, given channel after channel: every channel of every wanted stem, one after another.
    pub(super) fn estimate(&self, piece: &[f32]) -> Result<Vec<f32>, ModelError> {
        let mut work = self.stft.as_ref().map(Stft::workspace);
        let mix: Vec<Spectrum> = match (&self.stft, &mut work, &self.bands) {
            (Some(stft), Some(work), _) => piece
                .chunks_exact(self.sizes.samples)
                .map(|channel| Part::Transforms.count(|| stft.analyse(channel, work)))
                .collect(),
            (_, _, Some(bands)) => Part::Transforms.count(|| bands.analyse(piece)),
            _ => Vec::new(),
        };
        let inputs = || -> Vec<Input> {
            let tensors = self.of(Direction::In).map(|tensor| Input {
                role: tensor.role,
                shape: tensor.layout.shape(&self.sizes),
                values: Values::F32(self.input(tensor, piece, &mix)),
            });
            tensors.collect()
        };
        if let [session] = &self.sessions[..]
            && !self.is_shared
        {
            return session.run_with(inputs(), |outputs| {
                self.sound(&[outputs], &mix, work.as_mut())
            });
        }
        // All outputs are needed together, or others wait for the device, so they are copied.
        let mut kept: Vec<Vec<Kept>> = Vec::with_capacity(self.sessions.len());
        for session in &self.sessions {
            kept.push(
                session.run_with(inputs(), |outputs| Ok(outputs.iter().map(keep).collect()))?,
            );
        }
        let views: Vec<Vec<View<'_>>> = kept
            .iter()
            .map(|outputs| outputs.iter().map(view).collect())
            .collect();
        let answers: Vec<Answer<'_>> = views.iter().map(Vec::as_slice).collect();
        self.sound(&answers, &mix, work.as_mut())
    }

    /// The greatest magnitude that the graph would get for a piece; none for a graph without bands.
    pub(super) fn peak(&self, piece: &[f32]) -> f32 {
        let bands = self.bands.as_ref();
        bands.map_or(0.0, |bands| Part::Transforms.count(|| bands.peak(piece)))
    }

    /// The graph that gives a stem, and the stem's index among its outputs.
    fn place_of(&self, stem: usize) -> (usize, usize) {
        if self.sessions.len() == 1 {
            (0, stem)
        } else {
            (stem, 0)
        }
    }

    fn fault(&self, reason: impl std::fmt::Display) -> ModelError {
        match self.sessions.first() {
            Some(session) => session.fault(reason),
            None => ModelError::Inference {
                package: String::new(),
                reason: reason.to_string(),
            },
        }
    }

    fn of(&self, io: Direction) -> impl Iterator<Item = &Tensor> {
        self.tensors.iter().filter(move |tensor| tensor.io == io)
    }

    fn plane(&self, layout: &Layout, stem: usize, channel: usize, part: usize) -> Plane {
        let stride = |axis| layout.stride(axis, &self.sizes);
        Plane {
            first: stem * stride('s') + channel * stride('c') + part * stride('k'),
            bin_stride: stride('f'),
            frame_stride: stride('t'),
        }
    }

    fn input(&self, tensor: &Tensor, piece: &[f32], mix: &[Spectrum]) -> Vec<f32> {
        let length = tensor.layout.shape(&self.sizes).iter().product();
        let mut values = vec![0.0; length];
        if tensor.role == TensorRole::MixWave {
            let (channel_stride, stride) = (
                tensor.layout.stride('c', &self.sizes),
                tensor.layout.stride('n', &self.sizes),
            );
            for (channel, sound) in piece.chunks_exact(self.sizes.samples).enumerate() {
                for (place, sample) in sound.iter().enumerate() {
                    values[channel * channel_stride + place * stride] = *sample;
                }
            }
            return values;
        }
        for (channel, spectrum) in mix.iter().enumerate() {
            let heard = self.without_low_bins(spectrum);
            let plane = |part| self.plane(&tensor.layout, 0, channel, part);
            match tensor.role {
                TensorRole::MixMagnitude => heard.write(&mut values, plane(0), Complex32::norm),
                TensorRole::MixSpecIm => heard.write(&mut values, plane(0), |value| value.im),
                TensorRole::MixSpecRe => heard.write(&mut values, plane(0), |value| value.re),
                _ => {
                    heard.write(&mut values, plane(0), |value| value.re);
                    heard.write(&mut values, plane(1), |value| value.im);
                }
            }
        }
        values
    }

    fn without_low_bins<'s>(&self, spectrum: &'s Spectrum) -> std::borrow::Cow<'s, Spectrum> {
        let mut heard = std::borrow::Cow::Borrowed(spectrum);
        if self.zero_low_bins > 0 {
            let bins = spectrum.bins;
            for frame in heard.to_mut().values.chunks_exact_mut(bins) {
                frame[..self.zero_low_bins.min(bins)].fill(Complex32::ZERO);
            }
        }
        heard
    }

    /// The sum of the sound from the wave and the spectral outputs.
    fn sound(
        &self,
        answers: &[Answer<'_>],
        mix: &[Spectrum],
        mut work: Option<&mut Workspace>,
    ) -> Result<Vec<f32>, ModelError> {
        let samples = self.sizes.samples;
        let rows = self.wanted.len() * self.sizes.channels;
        if let Some(bands) = &self.bands {
            return self.of_bands(bands, answers, mix);
        }
        let mut sound = vec![0.0; rows * samples];
        for tensor in self.of(Direction::Out) {
            for (row, sound) in sound.chunks_exact_mut(samples).enumerate() {
                let stem = self.wanted[row / self.sizes.channels];
                let channel = row % self.sizes.channels;
                match (tensor.role, &self.stft, work.as_deref_mut()) {
                    (TensorRole::StemsWave, _, _) => {
                        let (graph, place) = self.place_of(stem);
                        let output = self.output(answers[graph], tensor)?;
                        self.add_wave(tensor, output, (place, channel), sound);
                    }
                    // It is read together with the real part.
                    (TensorRole::StemsSpecIm, _, _) => {}
                    (_, Some(stft), Some(work)) => {
                        let read = |frames, tile: &mut Spectrum| {
                            let wanted = (stem, channel, frames);
                            self.spectrum(answers, tensor, wanted, &mix[channel], tile)
                        };
                        Part::Transforms.count(|| stft.synthesise(read, work, sound))?;
                    }
                    _ => return Err(self.fault("has spectra and no [stft] section")),
                }
            }
        }
        Ok(sound)
    }

    /// The sound of every stem of a graph with bands: both channels of a stem are computed together.
    fn of_bands(
        &self,
        bands: &Bands,
        answers: &[Answer<'_>],
        mix: &[Spectrum],
    ) -> Result<Vec<f32>, ModelError> {
        let mut sound = Vec::new();
        for tensor in self.of(Direction::Out) {
            for stem in &self.wanted {
                let spectra = mix.iter().enumerate().map(|(channel, mix)| {
                    let mut spectrum = Spectrum::zero(mix.frames, mix.bins);
                    let wanted = (*stem, channel, 0..mix.frames);
                    self.spectrum(answers, tensor, wanted, mix, &mut spectrum)?;
                    Ok::<_, ModelError>(spectrum)
                });
                let spectra: Vec<Spectrum> = spectra.collect::<Result<_, _>>()?;
                sound.extend(Part::Transforms.count(|| bands.synthesise(&spectra)));
            }
        }
        Ok(sound)
    }

    fn add_wave(
        &self,
        tensor: &Tensor,
        output: &[f32],
        (stem, channel): (usize, usize),
        sound: &mut [f32],
    ) {
        let stride = |axis| tensor.layout.stride(axis, &self.sizes);
        let first = stem * stride('s') + channel * stride('c');
        let values = output[first..].iter().step_by(stride('n').max(1));
        for (sample, value) in sound.iter_mut().zip(values) {
            *sample += value;
        }
    }

    /// The spectrum of some frames of a stem's channel.
    fn spectrum(
        &self,
        answers: &[Answer<'_>],
        tensor: &Tensor,
        (stem, channel, frames): (usize, usize, Range<usize>),
        mix: &Spectrum,
        spectrum: &mut Spectrum,
    ) -> Result<(), ModelError> {
        if self.spectral_output == SpectralOutput::Magnitude {
            return self.share(answers, tensor, (stem, channel, frames), mix, spectrum);
        }
        let (graph, stem) = self.place_of(stem);
        let output = self.output(answers[graph], tensor)?;
        let plane =
            |layout: &Layout, part| self.plane(layout, stem, channel, part).behind(frames.start);
        let real = (output, plane(&tensor.layout, 0));
        if tensor.layout.has('k') {
            spectrum.read_both(real, (output, plane(&tensor.layout, 1)));
        } else if let Some(other) = self
            .of(Direction::Out)
            .find(|other| other.role == TensorRole::StemsSpecIm)
        {
            let imaginary = self.output(answers[graph], other)?;
            spectrum.read_both(real, (imaginary, plane(&other.layout, 0)));
        } else {
            spectrum.read(real.0, real.1, |value, read| *value = read.into());
        }
        if self.spectral_output == SpectralOutput::Mask {
            for (value, mix) in spectrum.values.iter_mut().zip(mix.of_frames(frames)) {
                *value *= mix;
            }
        }
        Ok(())
    }

    /// The mix's spectrum times the stem's share of the power of all stems (Spleeter's ratio mask, exponent 2).
    fn share(
        &self,
        answers: &[Answer<'_>],
        tensor: &Tensor,
        (stem, channel, frames): (usize, usize, Range<usize>),
        mix: &Spectrum,
        power: &mut Spectrum,
    ) -> Result<(), ModelError> {
        power.values.fill(Complex32::ZERO);
        for other in 0..self.stems {
            let (graph, place) = self.place_of(other);
            let output = self.output(answers[graph], tensor)?;
            let plane = self.plane(&tensor.layout, place, channel, 0);
            let is_own = other == stem;
            // The real part holds the stem's own power, the imaginary part the sum over all stems.
            power.read(output, plane.behind(frames.start), |value, magnitude| {
                let square = magnitude * magnitude;
                value.im += square;
                if is_own {
                    value.re = square;
                }
            });
        }
        let floor = POWER_FLOOR / self.stems as f32;
        for (value, mix) in power.values.iter_mut().zip(mix.of_frames(frames)) {
            *value = mix * ((value.re + floor) / (value.im + POWER_FLOOR));
        }
        Ok(())
    }

    fn output<'v>(&self, outputs: &[View<'v>], tensor: &Tensor) -> Result<&'v [f32], ModelError> {
        let view = outputs
            .iter()
            .find(|view| view.role == tensor.role)
            .ok_or_else(|| self.fault("gave an output too little"))?;
        if view.shape != tensor.layout.shape(&self.sizes) {
            let reason = format!(
                "gave {} values in the shape {:?}",
                view.values.len(),
                view.shape
            );
            return Err(self.fault(reason));
        }
        Ok(view.values)
    }
}

/// An output that outlives its run.
struct Kept {
    role: TensorRole,
    shape: Vec<usize>,
    values: Vec<f32>,
}

fn keep(view: &View<'_>) -> Kept {
    Kept {
        role: view.role,
        shape: view.shape.clone(),
        values: view.values.to_vec(),
    }
}

fn view(kept: &Kept) -> View<'_> {
    View {
        role: kept.role,
        shape: kept.shape.clone(),
        values: &kept.values,
    }
}

fn tensors(manifest: &Manifest) -> Result<Vec<Tensor>, String> {
    let layout = |text: &Option<String>| Layout::parse(text.as_deref().unwrap_or_default());
    let all = manifest.tensors.iter().map(|tensor| {
        Ok(Tensor {
            io: tensor.io,
            role: tensor.role,
            layout: layout(&tensor.layout)?,
        })
    });
    all.collect()
}
