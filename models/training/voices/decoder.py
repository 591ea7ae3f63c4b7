"""The voice decoder: a network that draws spectral envelopes, and a fixed harmonic-plus-noise synthesis at 32 kHz.

Per 10 ms frame the network gives two curves over 64 bands (natural logarithms of gains): one filters a pulse train with
all its harmonics at equal strength and unit power, with minimum phase; the other filters the noise that comes in.
Because the designed voices' envelopes are known, the network is trained on the curves themselves, without synthesis.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from . import spectra
from .networks import CONTENT_DIM

RATE_HZ = 32_000
HOP = 320
WINDOW = 960
"""Three hops; a squared square-root Hann window then sums to 1.5."""
BINS = WINDOW // 2 + 1
BANDS = 64
WIDTH = 144
DILATIONS = (1, 2, 4, 1, 2, 4)
STYLE = len(DILATIONS) * 2 * WIDTH + 2 * BANDS
"""Numbers that make one voice: a bias for every layer and for the result."""
LOWEST_GAIN = -11.5
"""Silence: about -100 dBFS."""
RESULT_OFFSET = -4.0
"""Where a fresh network's result starts."""


def band_centres_hz() -> np.ndarray:
    """[64] evenly spaced in mel from 0 to 16 kHz."""
    return spectra.from_mel(np.linspace(0.0, spectra.to_mel(RATE_HZ / 2), BANDS))


def bands_to_bins() -> np.ndarray:
    """[64, 481]: linear interpolation along the mel axis."""
    centres = np.linspace(0.0, spectra.to_mel(RATE_HZ / 2), BANDS)
    place = np.interp(spectra.to_mel(np.linspace(0.0, RATE_HZ / 2, BINS)), centres, np.arange(BANDS))
    low = np.minimum(place.astype(int), BANDS - 2)
    matrix = np.zeros((BANDS, BINS))
    matrix[low, np.arange(BINS)] = 1.0 - (place - low)
    matrix[low + 1, np.arange(BINS)] = place - low
    return matrix


def minimum_phase() -> np.ndarray:
    """[481, 481]: a log magnitude times this is the minimum phase that belongs to it (cepstral folding)."""
    identity = np.eye(BINS)
    both_sides = np.concatenate([identity, identity[:, -2:0:-1]], axis=1)
    cepstrum = np.fft.ifft(both_sides, axis=1).real
    fold = np.zeros(WINDOW)
    fold[1 : WINDOW // 2] = 2.0
    fold[0] = fold[WINDOW // 2] = 1.0
    return np.fft.fft(cepstrum * fold, axis=1).imag[:, :BINS]


class GatedConvolution(nn.Module):
    """Dilated convolution of 3, tanh times sigmoid with the voice's bias, and the input added."""

    def __init__(self, dilation: int):
        super().__init__()
        self.open = nn.Conv1d(WIDTH, 2 * WIDTH, 3, padding=dilation, dilation=dilation)
        self.close = nn.Conv1d(WIDTH, WIDTH, 1)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        value, gate = (self.open(x) + bias[..., None]).chunk(2, 1)
        return x + self.close(torch.tanh(value) * torch.sigmoid(gate))


class EnvelopeNetwork(nn.Module):
    """Content [B, T, 65], f0 [B, T] in Hz, style [B or 1, STYLE] to harmonic and noise gains [B, T, 64] each."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(CONTENT_DIM + 3, WIDTH, 5, padding=2)
        self.blocks = nn.ModuleList([GatedConvolution(dilation) for dilation in DILATIONS])
        self.result = nn.Conv1d(WIDTH, 2 * BANDS, 1)

    def forward(
        self, content: torch.Tensor, f0_hz: torch.Tensor, style: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        voiced = (f0_hz > 0).to(f0_hz.dtype)[..., None]
        octave = torch.log2(torch.clamp(f0_hz, min=50.0) / 200.0)[..., None] * voiced
        hidden = self.stem(torch.cat([content, octave, voiced], 2).transpose(1, 2))
        for number, block in enumerate(self.blocks):
            hidden = block(hidden, style[:, number * 2 * WIDTH : (number + 1) * 2 * WIDTH])
        gains = self.result(hidden).transpose(1, 2) + style[:, None, -2 * BANDS :] + RESULT_OFFSET
        return gains[..., :BANDS], gains[..., BANDS:]


class Synthesis(nn.Module):
    """Gains, fundamental, noise and start phase to sound; nothing in it is learned."""

    def __init__(self):
        super().__init__()
        bands = bands_to_bins()
        self.register_buffer("spread", torch.tensor(bands, dtype=torch.float32))
        self.register_buffer("spread_phase", torch.tensor(bands @ minimum_phase(), dtype=torch.float32))
        window = np.sqrt(np.hanning(WINDOW + 1)[:-1])
        angle = 2.0 * np.pi * np.arange(BINS)[:, None] * np.arange(WINDOW) / WINDOW
        kernel = np.concatenate([np.cos(angle), -np.sin(angle)])
        sides = np.full(BINS, 2.0)
        sides[0] = sides[-1] = 1.0
        back = kernel * np.concatenate([sides, sides])[:, None] / WINDOW / 1.5
        self.register_buffer("forward_kernel", torch.tensor((kernel * window)[:, None], dtype=torch.float32))
        self.register_buffer("back_kernel", torch.tensor((back * window)[:, None], dtype=torch.float32))

    def pulses(self, f0_hz: torch.Tensor, phase: torch.Tensor) -> torch.Tensor:
        """[B, T] Hz and [B] periods (f64) to [B, T * 320]: band-limited pulses of unit power, silence without pitch.

        The phase is summed per frame in double precision: in single it drifts by periods within a minute. Inside a
        frame the fundamental runs straight to the next. The sum of cosines up to 97 % of the band has a closed form;
        its last harmonic fades in and out so that gliding pitch makes no steps.
        """
        following = torch.cat([f0_hz[:, 1:], f0_hz[:, -1:]], 1)
        following = torch.where((following > 0) & (f0_hz > 0), following, f0_hz)
        periods = (f0_hz.double() + following.double()) * 0.5 / 100.0
        start = torch.cumsum(periods, 1) - periods + phase[:, None]
        start = (start - torch.floor(start)).to(torch.float32)
        time = (torch.arange(HOP, dtype=torch.float32) / HOP)[None, None]
        first, change = f0_hz[:, :, None], (following - f0_hz)[:, :, None]
        place = start[:, :, None] + (first * time + 0.5 * change * time * time) * 0.01
        place = place - torch.floor(place + 0.5)
        harmonics = (RATE_HZ * 0.5 * 0.97) / torch.clamp(first + change * time, min=20.0)
        whole = torch.floor(harmonics)
        angle = place * np.pi
        sine = torch.sin(angle)
        regular = sine.abs() > 1e-4
        kernel = torch.sin((2 * whole + 1) * angle) / (2 * torch.where(regular, sine, torch.ones_like(sine)))
        kernel = torch.where(regular, kernel, whole + 0.5) - 0.5
        kernel = kernel + (harmonics - whole) * torch.cos((whole + 1) * 2 * angle)
        level = torch.where(f0_hz > 0, torch.sqrt(2.0 / harmonics.mean(2)), torch.zeros_like(f0_hz))
        return (kernel * level[:, :, None]).flatten(1)

    def forward(
        self,
        harmonic: torch.Tensor,
        noisy: torch.Tensor,
        f0_hz: torch.Tensor,
        noise: torch.Tensor,
        phase: torch.Tensor,
    ) -> torch.Tensor:
        """`noise` [B, T * 320] of unit power; returns [B, T * 320]."""
        padding = (WINDOW - HOP) // 2
        pulse_real, pulse_imaginary = self._spectrum(self.pulses(f0_hz, phase), padding)
        noise_real, noise_imaginary = self._spectrum(noise, padding)
        gain = torch.exp(torch.matmul(harmonic, self.spread))
        angle = torch.matmul(harmonic, self.spread_phase)
        real, imaginary = gain * torch.cos(angle), gain * torch.sin(angle)
        noise_gain = torch.exp(torch.matmul(noisy, self.spread))
        mixed_real = pulse_real * real - pulse_imaginary * imaginary + noise_real * noise_gain
        mixed_imaginary = pulse_real * imaginary + pulse_imaginary * real + noise_imaginary * noise_gain
        spectrum = torch.cat([mixed_real, mixed_imaginary], 2).transpose(1, 2)
        samples = functional.conv_transpose1d(spectrum, self.back_kernel, stride=HOP)[:, 0]
        return samples[:, padding : samples.shape[1] - padding]

    def _spectrum(self, samples: torch.Tensor, padding: int) -> tuple[torch.Tensor, torch.Tensor]:
        padded = functional.pad(samples[:, None], (padding, padding))
        spectrum = functional.conv1d(padded, self.forward_kernel, stride=HOP).transpose(1, 2)
        return spectrum[..., :BINS], spectrum[..., BINS:]


class VoiceDecoder(nn.Module):
    """What is shipped: one voice. Content [1, T, 65], f0 [1, T], noise [1, 320, T], phase [1] to sound [1, 1, 320 T]."""

    def __init__(self, network: EnvelopeNetwork, style: torch.Tensor):
        super().__init__()
        self.network = network
        self.style = nn.Parameter(style.reshape(1, STYLE).clone())
        self.synthesis = Synthesis()

    def forward(
        self, content: torch.Tensor, f0_hz: torch.Tensor, noise: torch.Tensor, phase: torch.Tensor
    ) -> torch.Tensor:
        harmonic, noisy = self.network(content, f0_hz, self.style)
        return self.synthesis(harmonic, noisy, f0_hz, noise.transpose(1, 2).flatten(1), phase)[:, None]
