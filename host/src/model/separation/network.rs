use realfft::num_complex::Complex32;

use super::super::manifest::{Direction, Manifest, TensorRole};
use super::super::session::{Input, Session, Values, View};
use super::super::{ModelError, Package, Runtime};
use super::check::sizes;
use super::layout::{Layout, Sizes};
use super::sections::SpectralOutput;
use super::spectrum::{Plane, Spectrum};
use super::stft::{Stft, Workspace};

/// Spleeter's floor under the sum of the stems' powers, shared among them: where nothing sounds, all get the same.
const POWER_FLOOR: f32 = 1e-10;

/// A separator's graph between the transforms that its tensors ask for: pieces of sound go in and come out.
pub(super) struct Network {
    session: Session,
    stft: Option<Stft>,
    tensors: Vec<Tensor>,
    sizes: Sizes,
    spectral_output: SpectralOutput,
    zero_low_bins: usize,
    /// Places of the stems that are wanted, in the graph's order.
    wanted: Vec<usize>,
}

struct Tensor {
    io: Direction,
    role: TensorRole,
    layout: Layout,
}

impl Network {
    /// Loads the graph of a separator whose manifest has been checked. Pieces have `samples` samples; only the stems at
    /// the places `wanted` are computed.
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
        samples: usize,
        wanted: Vec<usize>,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let session = Session::load(runtime, package, threads)?;
        let manifest = package.manifest();
        let stft = manifest.stft.as_ref().map(|stft| Stft::new(stft, samples));
        Ok(Self {
            tensors: tensors(manifest).map_err(|reason| session.fault(reason))?,
            sizes: sizes(manifest, samples),
            spectral_output: manifest
                .stft
                .map_or_else(Default::default, |stft| stft.output),
            zero_low_bins: manifest.stft.map_or(0, |stft| stft.zero_low_bins as usize),
            session,
            stft,
            wanted,
        })
    }

    /// Channels that a piece has.
    pub(super) fn channels(&self) -> usize {
        self.sizes.channels
    }

    /// What the graph makes of a piece, channel after channel: every channel of every wanted stem, one after the other.
    pub(super) fn estimate(&self, piece: &[f32]) -> Result<Vec<f32>, ModelError> {
        let mut work = self.stft.as_ref().map(Stft::workspace);
        let mix: Vec<Spectrum> = match (&self.stft, &mut work) {
            (Some(stft), Some(work)) => piece
                .chunks_exact(self.sizes.samples)
                .map(|channel| stft.analyse(channel, work))
                .collect(),
            _ => Vec::new(),
        };
        let inputs = self.of(Direction::In).map(|tensor| Input {
            role: tensor.role,
            shape: tensor.layout.shape(&self.sizes),
            values: Values::F32(self.input(tensor, piece, &mix)),
        });
        self.session.run_with(inputs.collect(), |outputs| {
            self.sound(outputs, &mix, work.as_mut())
        })
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

    /// The sum of what the waves and the spectra among the outputs say.
    fn sound(
        &self,
        outputs: &[View<'_>],
        mix: &[Spectrum],
        mut work: Option<&mut Workspace>,
    ) -> Result<Vec<f32>, ModelError> {
        let samples = self.sizes.samples;
        let rows = self.wanted.len() * self.sizes.channels;
        let mut sound = vec![0.0; rows * samples];
        for tensor in self.of(Direction::Out) {
            let output = self.output(outputs, tensor)?;
            for (row, sound) in sound.chunks_exact_mut(samples).enumerate() {
                let stem = self.wanted[row / self.sizes.channels];
                let channel = row % self.sizes.channels;
                match (tensor.role, &self.stft, work.as_deref_mut()) {
                    (TensorRole::StemsWave, _, _) => {
                        self.add_wave(tensor, output, stem, channel, sound);
                    }
                    // It belongs to the real part, which is read together with it.
                    (TensorRole::StemsSpecIm, _, _) => {}
                    (_, Some(stft), Some(work)) => {
                        let values =
                            self.spectrum(outputs, tensor, stem, channel, &mix[channel])?;
                        stft.synthesise(&values, work, sound);
                    }
                    _ => return Err(self.session.fault("has spectra and no [stft] section")),
                }
            }
        }
        Ok(sound)
    }

    fn add_wave(
        &self,
        tensor: &Tensor,
        output: &[f32],
        stem: usize,
        channel: usize,
        sound: &mut [f32],
    ) {
        let stride = |axis| tensor.layout.stride(axis, &self.sizes);
        let first = stem * stride('s') + channel * stride('c');
        let values = output[first..].iter().step_by(stride('n').max(1));
        for (sample, value) in sound.iter_mut().zip(values) {
            *sample += value;
        }
    }

    /// The spectrum of a stem's channel.
    fn spectrum(
        &self,
        outputs: &[View<'_>],
        tensor: &Tensor,
        stem: usize,
        channel: usize,
        mix: &Spectrum,
    ) -> Result<Spectrum, ModelError> {
        let output = self.output(outputs, tensor)?;
        if self.spectral_output == SpectralOutput::Magnitude {
            return Ok(self.share(tensor, output, stem, channel, mix));
        }
        let mut spectrum = Spectrum::zero(mix.frames, mix.bins);
        let plane = self.plane(&tensor.layout, stem, channel, 0);
        spectrum.read(output, plane, |value, read| value.re = read);
        if tensor.layout.has('k') {
            let plane = self.plane(&tensor.layout, stem, channel, 1);
            spectrum.read(output, plane, |value, read| value.im = read);
        } else if let Some(other) = self
            .of(Direction::Out)
            .find(|other| other.role == TensorRole::StemsSpecIm)
        {
            let plane = self.plane(&other.layout, stem, channel, 0);
            let imaginary = self.output(outputs, other)?;
            spectrum.read(imaginary, plane, |value, read| value.im = read);
        }
        if self.spectral_output == SpectralOutput::Mask {
            for (value, mix) in spectrum.values.iter_mut().zip(&mix.values) {
                *value *= mix;
            }
        }
        Ok(spectrum)
    }

    /// The mix's spectrum times the stem's share of the power of all stems (Spleeter's ratio mask, exponent 2).
    fn share(
        &self,
        tensor: &Tensor,
        output: &[f32],
        stem: usize,
        channel: usize,
        mix: &Spectrum,
    ) -> Spectrum {
        let mut power = Spectrum::zero(mix.frames, mix.bins);
        for other in 0..self.sizes.stems {
            let plane = self.plane(&tensor.layout, other, channel, 0);
            let is_own = other == stem;
            // The real part holds the stem's own power, the imaginary part that of all.
            power.read(output, plane, |value, magnitude| {
                let square = magnitude * magnitude;
                value.im += square;
                if is_own {
                    value.re = square;
                }
            });
        }
        let floor = POWER_FLOOR / self.sizes.stems as f32;
        for (value, mix) in power.values.iter_mut().zip(&mix.values) {
            *value = mix * ((value.re + floor) / (value.im + POWER_FLOOR));
        }
        power
    }

    fn output<'v>(&self, outputs: &[View<'v>], tensor: &Tensor) -> Result<&'v [f32], ModelError> {
        let view = outputs
            .iter()
            .find(|view| view.role == tensor.role)
            .ok_or_else(|| self.session.fault("gave an output too little"))?;
        if view.shape != tensor.layout.shape(&self.sizes) {
            let reason = format!(
                "gave {} values in the shape {:?}",
                view.values.len(),
                view.shape
            );
            return Err(self.session.fault(reason));
        }
        Ok(view.values)
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
