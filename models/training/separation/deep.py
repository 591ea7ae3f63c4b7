"""Drums and bass in the deep: a network of its own that works on waves.

Half of what drums are lies between 60 and 120 Hz, where the bass is too. A spectrum of 93 ms frames has some five bins there, and what
tells a kick from a bass, the course of a wave from one hundredth of a second to the next, stands in their phases. So the lowest bins go
back to waves at 1,378 Hz, in which convolutions find drums and bass; what they find goes back to the bins and is put together with what
the masks find there. Everything is part of the graph: waves from spectra and spectra from waves are convolutions with fixed weights.

As in Conv-TasNet (Luo and Mesgarani, 2019), filters take the wave apart, a stack of dilated convolutions decides how much of each filter's
output is whose, and filters put the parts together. Here the convolutions are gated and full, and may add what is in no filter's
output. From above the lowest bins they only hear how loud some bands are. Between them each moment looks at moments like itself in the
whole piece (Vaswani and others, "Attention is all you need", 2017): a kick sounds alike every time, whatever the bass plays with it.
"""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional

from . import repeats, spectrum

DECIMATION = 32
FFT = spectrum.FFT // DECIMATION
HOP = spectrum.HOP // DECIMATION
RATE = 44100 / DECIMATION
BINS = FFT // 2
"""Bins that a wave at RATE can have; the Nyquist bin is left out."""
FULL, END = 46, 58
"""Up to bin FULL (495 Hz) everything is the waves' matter, from bin END (625 Hz) on nothing; between, in growing part the masks'."""
EDGES = (58, 80, 112, 160, 232, 340, 500, 740, 1100, 2048)
"""Bins between which the bands above lie whose loudness is heard (0.6 kHz to 22 kHz)."""
BANDS = len(EDGES) - 1
WEIGHT = 0.9
"""How much of the lowest bins' estimate is the waves'; the rest is the masks'. Both err, but not alike."""
PLACED = 0.5
"""How much of that is then shared out anew by where stems lie between the sides (`places.py`)."""
STRIDE = 16
KERNEL = 64
LAYERS_TO_A_LOOK = 4
HEADS = 4


def fade() -> torch.Tensor:
    """[BINS]: how much of a bin is heard as a wave."""
    return ((END - torch.arange(BINS, dtype=torch.float32)) / (END - FULL)).clamp(0, 1)


class Bridge(nn.Module):
    """Between the lowest bins of spectra and waves at RATE. A frame's middle lies at its number times HOP; waves have frames * HOP
    samples."""

    def __init__(self):
        super().__init__()
        window = torch.hann_window(FFT, dtype=torch.float64)
        at = torch.arange(FFT, dtype=torch.float64)
        turns = 2 * math.pi / FFT * torch.outer(torch.arange(BINS, dtype=torch.float64), at - FFT // 2)
        # spectrum.analyse has its frames begin where the phase is zero; here that is their middle: every other bin turns by half.
        sign = (1 - 2 * (torch.arange(BINS) % 2))[:, None].double()
        real, imaginary = turns.cos() * sign, -turns.sin() * sign
        # Windows a quarter of their length apart add up to 2. A bin stands for itself and its mirror image, bin 0 for itself.
        scale = torch.full((BINS, 1), 2.0, dtype=torch.float64)
        scale[0] = 1
        backwards = torch.cat([real * scale, imaginary * scale]) / (2 * FFT * DECIMATION)
        self.register_buffer("to_waves", backwards.float().unsqueeze(1), persistent=False)
        forwards = torch.cat([real, imaginary]) * window * DECIMATION
        self.register_buffer("to_bins", forwards.float().unsqueeze(1), persistent=False)

    def waves(self, spectra: torch.Tensor) -> torch.Tensor:
        """[B, 2 * BINS, frames] (real parts, then imaginary) to [B, 1, frames * HOP]."""
        frames = spectra.shape[-1]
        out = functional.conv_transpose1d(spectra, self.to_waves, stride=HOP)
        return out[..., FFT // 2 : FFT // 2 + frames * HOP]

    def spectra(self, waves: torch.Tensor) -> torch.Tensor:
        """[B, 1, frames * HOP] to [B, 2 * BINS, frames]."""
        return functional.conv1d(functional.pad(waves, (FFT // 2, FFT // 2 - HOP)), self.to_bins, stride=HOP)


class Layer(nn.Module):
    """[B, size, 1, steps] to the same: a gated convolution, dilated, added to what came in. Convolutions of images with channels last
    take a third of the time of those of rows where processors multiply bfloat16."""

    def __init__(self, size: int, dilation: int):
        super().__init__()
        self.norm = nn.BatchNorm2d(size)
        self.gated = nn.Conv2d(size, 2 * size, (1, 3), padding=(0, dilation), dilation=(1, dilation))
        self.out = nn.Conv2d(size, size, 1)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, stream: torch.Tensor) -> torch.Tensor:
        value, gate = self.gated(self.norm(stream)).chunk(2, 1)
        return stream + self.out(value * torch.sigmoid(gate))


class Look(nn.Module):
    """[B, size, 1, steps] to the same: each step takes from the steps like itself what it lacks. It adds nothing at first."""

    def __init__(self, size: int):
        super().__init__()
        self.norm = nn.BatchNorm2d(size)
        self.ask = nn.Conv2d(size, 3 * size, 1)
        self.out = nn.Conv2d(size, size, 1)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, stream: torch.Tensor) -> torch.Tensor:
        batch, size, _, steps = stream.shape
        rows = self.ask(self.norm(stream)).reshape(batch, 3, HEADS, size // HEADS, steps).transpose(3, 4)
        query, key, value = rows.unbind(1)
        if torch.onnx.is_in_onnx_export():
            found = torch.softmax(query @ key.transpose(2, 3) * (size // HEADS) ** -0.5, -1) @ value
        else:
            found = functional.scaled_dot_product_attention(query, key, value)
        return stream + self.out(found.transpose(2, 3).reshape(batch, size, 1, steps))


class Waves(nn.Module):
    """Waves [B, 2, frames * HOP] (middle, side), of variance 1 or less, and bands [B, BANDS, frames] to the waves of drums and bass,
    [B, 2, 2, frames * HOP]."""

    STEMS = 2

    def __init__(self, size: int = 192, filters: int = 256, dilations: tuple[int, ...] = (1, 2, 4, 8, 16, 32) * 3):
        super().__init__()
        self.analysis = nn.Conv1d(2, filters, KERNEL, stride=STRIDE, padding=(KERNEL - STRIDE) // 2, bias=False)
        self.bands = nn.Conv1d(BANDS, size, 3, padding=1)
        self.enter = nn.Conv2d(filters, size, 1)
        self.layers = nn.ModuleList([Layer(size, dilation) for dilation in dilations])
        self.looks = nn.ModuleList([Look(size) for _ in range(len(dilations) // LAYERS_TO_A_LOOK)])
        self.norm = nn.BatchNorm2d(size)
        self.leave = nn.Conv2d(size, 2 * self.STEMS * filters, 1)
        self.synthesis = nn.ConvTranspose1d(filters, 2, KERNEL, stride=STRIDE, padding=(KERNEL - STRIDE) // 2, bias=False)

    def forward(self, waves: torch.Tensor, bands: torch.Tensor) -> torch.Tensor:
        batch, _, samples = waves.shape
        # In bfloat16 strided convolutions of two channels come out wrong, and so do the gradients of their opposites (PyTorch 2.15 on
        # processors with AMX).
        with torch.autocast("cpu", enabled=False):
            parts = self.analysis(waves)
        steps = HOP // STRIDE
        above = self.bands(bands).unsqueeze(3).expand(-1, -1, -1, steps).flatten(2)
        stream = self.enter(parts.unsqueeze(2)) + above.unsqueeze(2)
        stream = stream.contiguous(memory_format=torch.channels_last)
        for number, layer in enumerate(self.layers, start=1):
            stream = layer(stream)
            if number % LAYERS_TO_A_LOOK == 0:
                stream = self.looks[number // LAYERS_TO_A_LOOK - 1](stream)
        told = self.leave(functional.silu(self.norm(stream))).reshape(batch, self.STEMS, 2, -1, samples // STRIDE)
        found = parts.unsqueeze(1) * torch.sigmoid(told[:, :, 0]) + 0.1 * told[:, :, 1]
        with torch.autocast("cpu", enabled=False):
            return self.synthesis(found.float().flatten(0, 1)).reshape(batch, self.STEMS, 2, samples)


class Deep(nn.Module):
    """[B, 4, spectrum.BINS, T] to what drums and bass have in the lowest bins, [B, 2, 4, BINS, T], faded out from FULL to END and
    times WEIGHT. The masks' estimate is to have the rest of each bin, `masked`."""

    def __init__(self):
        super().__init__()
        self.bridge = Bridge()
        self.network = Waves()
        self.register_buffer("fade", fade().view(1, 1, BINS, 1), persistent=False)
        self.register_buffer("masked", 1 - WEIGHT * self.fade, persistent=False)
        above = torch.zeros(BANDS, spectrum.BINS)
        for band, (low, high) in enumerate(zip(EDGES, EDGES[1:])):
            above[band, low:high] = 1
        self.register_buffer("above", above, persistent=False)
        self.register_buffer("placed", PLACED * self.fade, persistent=False)

    def waves(self, bins: torch.Tensor) -> torch.Tensor:
        """[B, 4, BINS, T] to what is heard of it as waves of middle and side, [B, 2, T * HOP]."""
        batch, _, _, frames = bins.shape
        deep = bins * self.fade
        left, right = deep[:, :2], deep[:, 2:]
        both = torch.stack([(left + right) * 0.5, (left - right) * 0.5], 1)
        return self.bridge.waves(both.reshape(batch * 2, 2 * BINS, frames)).reshape(batch, 2, frames * HOP)

    def bins(self, waves: torch.Tensor) -> torch.Tensor:
        """The way back, of several stems, [B, stems, 2, T * HOP] to [B, stems, 4, BINS, T]."""
        batch, stems, _, samples = waves.shape
        spectra = self.bridge.spectra(waves.reshape(batch * stems * 2, 1, samples))
        spectra = spectra.reshape(batch, stems, 2, 2, BINS, samples // HOP)
        middle, side = spectra[:, :, 0], spectra[:, :, 1]
        return torch.cat([middle + side, middle - side], 2)

    def repeated(self, drums: torch.Tensor, masked: torch.Tensor, mix: torch.Tensor) -> torch.Tensor:
        """What the drums' lowest bins, [B, 4, BINS, T], are to gain of what their strokes have in common, as much; `masked` is what
        masks alone find of them, the mix as in `forward`."""
        heard = self.waves(mix[:, :, :BINS])
        loud = _loud(heard, mix)
        waves = self.waves(drums)
        gain = repeats.change(waves / loud, (heard - waves) / loud, self.waves(masked) / loud) * loud
        return self.bins(gain.unsqueeze(1))[:, 0]

    def forward(self, mix: torch.Tensor) -> torch.Tensor:
        waves = self.waves(mix[:, :, :BINS])
        loud = _loud(waves, mix)
        bands = spectrum.summed(spectrum.power(mix), self.above)
        return self.bins(self.network(waves / loud, hear(bands, loud)) * (WEIGHT * loud.unsqueeze(1)))


def _loud(waves: torch.Tensor, mix: torch.Tensor) -> torch.Tensor:
    """[B, 1, 1]: what makes a mix's lowest waves, [B, 2, samples], have the variance 1 / 2 while it sounds."""
    return torch.sqrt(waves.square().mean((1, 2), keepdim=True) * 2 / spectrum.sounding(mix).squeeze(3)) + 1e-6


def hear(bands: torch.Tensor, loud: torch.Tensor) -> torch.Tensor:
    """Sums of squares of a band's bins, both sides', against the loudness of the deep wave ([B, 1, 1]), as the network hears them."""
    unit = (loud * (FFT * DECIMATION)).square()
    return 0.25 * torch.log(bands / unit + 1e-7) + 2.0
