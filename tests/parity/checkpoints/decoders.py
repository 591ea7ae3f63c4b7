"""The other decoders of Applio's voices, written for these tests from its description of them: MRF HiFi-GAN, and RefineGAN as it is
since August 2025. Modules carry the names that checkpoints use.

Random numbers are arguments. Where the original draws several rows of noise, they are made of the one row that is given, by the rules
that vocalhost has: see `Harmonics` and `Roughened`. Phases are exact, where the original sums them sample by sample in single
precision."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from network import middle

SINE, NOISE = 0.1, 0.003


def around(kernel, dilation=1):
    return dict(kernel_size=kernel, dilation=dilation, padding=middle(kernel, dilation))


def level(voiced):
    return voiced * NOISE + (1 - voiced) * SINE / 3


class Harmonics(nn.Module):
    """Nine sines at multiples of a pitch that is constant over a frame."""

    def __init__(self):
        super().__init__()
        self.l_linear = nn.Linear(9, 1)

    def forward(self, pitch, upp, rate, noise):
        pitch = pitch.double().repeat_interleave(upp, 1)[:, :, None]
        number = torch.arange(9, dtype=torch.float64)
        begins = (number * 0.618033988749895).frac()
        phase = (pitch / rate).cumsum(1) * (number + 1) + begins
        voiced = (pitch > 0).float()
        sines = torch.sin(2 * math.pi * phase.frac()).float() * SINE * voiced
        # What is mixed of nine rows of noise is noise of this deviation.
        weights = self.l_linear.weight
        rows = noise * weights / weights.norm()
        return self.l_linear(sines + level(voiced) * rows).tanh().transpose(1, 2)


class MrfLayer(nn.Module):
    def __init__(self, channels, kernel, dilation, norm):
        super().__init__()
        self.conv1 = norm(nn.Conv1d(channels, channels, **around(kernel, dilation)))
        self.conv2 = norm(nn.Conv1d(channels, channels, **around(kernel)))

    def forward(self, x):
        return x + self.conv2(F.leaky_relu(self.conv1(F.leaky_relu(x, 0.1)), 0.1))


class MrfBlock(nn.Module):
    def __init__(self, channels, kernel, dilations, norm):
        super().__init__()
        self.layers = nn.ModuleList(MrfLayer(channels, kernel, d, norm) for d in dilations)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class MrfDecoder(nn.Module):
    def __init__(self, s, norm):
        super().__init__()
        self.upp = math.prod(s.rates)
        self.m_source = Harmonics()
        self.conv_pre = norm(nn.Conv1d(s.inter, s.initial, **around(7)))
        self.cond = nn.Conv1d(s.speaker, s.initial, 1)
        self.upsamples, self.noise_convs, self.mrfs = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for stage, (rate, kernel) in enumerate(zip(s.rates, s.kernels)):
            wide, narrow = s.initial >> stage, s.initial >> (stage + 1)
            self.upsamples.append(
                norm(nn.ConvTranspose1d(wide, narrow, kernel, rate, padding=(kernel - rate) // 2))
            )
            step = math.prod(s.rates[stage + 1 :])
            size = 1 if step == 1 else 2 * step - step % 2
            self.noise_convs.append(nn.Conv1d(1, narrow, size, step, padding=(size - step) // 2))
            sizes = zip(s.block_kernels, s.dilations)
            self.mrfs.append(nn.ModuleList(MrfBlock(narrow, k, d, norm) for k, d in sizes))
        self.conv_post = norm(nn.Conv1d(narrow, 1, **around(7)))

    def forward(self, x, pitch, speaker, noise):
        source = self.m_source(pitch, self.upp, self.upp * 100, noise)
        x = self.conv_pre(x) + self.cond(speaker)
        for up, hear, blocks in zip(self.upsamples, self.noise_convs, self.mrfs):
            x = up(F.leaky_relu(x, 0.1)) + hear(source)
            x = sum(block(x) for block in blocks) / len(blocks)
        return self.conv_post(F.leaky_relu(x)).tanh()


class Roughened(nn.Module):
    """Noise of a level for each channel: the given row, read in a circle from another place for every channel and layer."""

    def __init__(self, channels, layer):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.start = (layer + 1) * 7919

    def forward(self, x, noise):
        channels, length = x.shape[1:]
        begins = self.start + torch.arange(channels)[:, None] * (length + 127)
        rows = noise.flatten()[(begins + torch.arange(length)) % noise.numel()]
        return F.leaky_relu(x + rows * self.weight[None, :, None], 0.2)


class RefineResidual(nn.Module):
    def __init__(self, channels, kernel, norm):
        super().__init__()
        make = lambda dilation: norm(nn.Conv1d(channels, channels, **around(kernel, dilation)))
        self.convs1 = nn.ModuleList(make(dilation) for dilation in (1, 3, 5))
        self.convs2 = nn.ModuleList(make(1) for _ in range(3))

    def forward(self, x):
        for first, second in zip(self.convs1, self.convs2):
            x = x + second(F.leaky_relu(first(F.leaky_relu(x, 0.2)), 0.2))
        return x


class RefineStage(nn.Module):
    def __init__(self, inputs, outputs, stage, norm):
        super().__init__()
        self.input_conv = nn.Conv1d(inputs, outputs, **around(7))
        self.blocks = nn.ModuleList()
        for number, kernel in enumerate((3, 7, 11)):
            layer = 2 * (3 * stage + number)
            parts = Roughened(outputs, layer), RefineResidual(outputs, kernel, norm), Roughened(outputs, layer + 1)
            self.blocks.append(nn.ModuleList(parts))

    def forward(self, x, noise):
        x = self.input_conv(x)
        return sum(last(middle(first(x, noise)), noise) for first, middle, last in self.blocks) / 3


class GlidingSine(nn.Module):
    """A sine at a pitch that goes in straight lines from the middle of a frame to that of the next."""

    def __init__(self):
        super().__init__()
        self.merge = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Tanh())

    def forward(self, pitch, upp, rate, noise):
        pitch = F.interpolate(pitch[:, None], size=pitch.shape[1] * upp, mode="linear").transpose(1, 2)
        phase = (pitch.double() / rate).cumsum(1).frac()
        voiced = (pitch > 0).float()
        sine = torch.sin(2 * math.pi * phase).float() * SINE * voiced
        return self.merge(sine + level(voiced) * noise).transpose(1, 2)


def shortened(x, rate):
    """What torchaudio 2.8 describes as `resample` with `sinc_interp_kaiser`, from a multiple of a rate to that rate."""
    crossings, edge, shape = 64, 0.9475937167399596, 14.769656459379492
    width = math.ceil(crossings * rate / edge)
    at = (torch.arange(-width, width + rate, dtype=torch.float64) / rate * edge).clamp(-crossings, crossings)
    window = torch.i0(shape * (1 - (at / crossings) ** 2).sqrt()) / torch.i0(torch.tensor(shape, dtype=torch.float64))
    kernel = (torch.sinc(at) * window * edge / rate).float()
    batch, channels, length = x.shape
    padded = F.pad(x.reshape(batch * channels, 1, length), (width, width + rate))
    short = F.conv1d(padded, kernel[None, None], stride=rate)[:, :, : math.ceil(length / rate)]
    return short.reshape(batch, channels, -1)


class RefineDecoder(nn.Module):
    def __init__(self, s, norm):
        super().__init__()
        self.rates, self.upp = s.rates, math.prod(s.rates)
        channels = s.initial >> (len(s.rates) + 1)
        self.m_source = GlidingSine()
        self.pre_conv = norm(nn.Conv1d(1, channels, **around(7)))
        self.downsample_blocks = nn.ModuleList()
        for _ in s.rates:
            self.downsample_blocks.append(norm(nn.Conv1d(channels, 2 * channels, **around(7))))
            channels *= 2
        self.mel_conv = norm(nn.Conv1d(s.inter, s.initial // 2, **around(7)))
        self.cond = nn.Conv1d(s.speaker, s.initial // 2, 1)
        channels = s.initial
        self.upsample_conv_blocks = nn.ModuleList()
        for stage, _ in enumerate(s.rates):
            inputs = channels + channels // 4
            channels //= 2
            self.upsample_conv_blocks.append(RefineStage(inputs, channels, stage, norm))
        self.conv_post = norm(nn.Conv1d(channels, 1, **around(7), bias=False))

    def forward(self, x, pitch, speaker, noise):
        source = self.pre_conv(self.m_source(pitch, self.upp, self.upp * 100, noise))
        heard = []
        for rate, block in zip(reversed(self.rates), self.downsample_blocks):
            source = F.leaky_relu(source, 0.2)
            heard.append(source)
            source = block(shortened(source, rate))
        x = torch.cat([self.mel_conv(x) + self.cond(speaker), source], 1)
        for rate, stage in zip(self.rates, self.upsample_conv_blocks):
            x = F.interpolate(F.leaky_relu(x, 0.2), scale_factor=float(rate), mode="linear")
            x = stage(torch.cat([x, heard.pop()], 1), noise)
        return self.conv_post(F.leaky_relu(x, 0.2)).tanh()
