"""SCNet, from the paper and from the names that Music-Source-Separation-Training saves weights under. Takes and gives spectra, or gives masks
in the form that has a mask layer."""

import math

import torch
from torch import nn
from torch.nn import functional


class Branch(nn.Sequential):
    def __init__(self, channels, narrow, kernel):
        super().__init__(
            nn.GroupNorm(1, channels),
            nn.Conv1d(channels, 2 * narrow, kernel, padding=kernel // 2),
            nn.GLU(1),
            nn.Conv1d(narrow, narrow, kernel, padding=kernel // 2, groups=narrow),
            nn.GroupNorm(1, narrow),
            nn.SiLU(),
            nn.Conv1d(narrow, channels, 1),
        )


class Branches(nn.Module):
    def __init__(self, depth, *sizes):
        super().__init__()
        self.layers = nn.ModuleList([Branch(*sizes) for _ in range(depth)])

    def forward(self, band):
        """Each bin is a row."""
        rows = band[0].transpose(0, 1)
        for layer in self.layers:
            rows = rows + layer(rows)
        return rows.transpose(0, 1)[None]


class Down(nn.Module):
    def __init__(self, before, behind, bands, narrowing, kernel):
        super().__init__()
        self.bands = bands
        self.SDlayer = nn.Module()
        self.SDlayer.convs = nn.ModuleList([nn.Conv2d(before, behind, (width, 1), (stride, 1)) for _, stride, width, _ in bands])
        self.conv_modules = nn.ModuleList([Branches(depth, behind, behind // narrowing, kernel) for *_, depth in bands])
        self.globalconv = nn.Conv2d(behind, behind, 3, padding=1)

    def forward(self, x):
        bins, (low, middle, _) = x.shape[2], [share for share, *_ in self.bands]
        ends = [0, math.ceil(bins * low), math.ceil(bins * (low + middle)), bins]
        lengths = [end - start for start, end in zip(ends, ends[1:])]
        shorter = []
        for part, length, (_, stride, width, _), conv in zip(x.split(lengths, 2), lengths, self.bands, self.SDlayer.convs):
            silent = width - 1 if stride == 1 else -length % stride
            shorter.append(conv(functional.pad(part, (0, 0, silent // 2, silent - silent // 2))))
        heard = [functional.gelu(branches(band)) for branches, band in zip(self.conv_modules, shorter)]
        passed = torch.cat(heard, 2)
        return self.globalconv(passed), passed, lengths, [band.shape[2] for band in heard]


class Fused(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(2 * channels, 2 * channels, 3, padding=1)

    def forward(self, x, passed):
        return functional.glu(self.conv(torch.cat([x + passed] * 2, 1)), 1)


class Up(nn.Module):
    def __init__(self, before, behind, bands):
        super().__init__()
        self.convtrs = nn.ModuleList([nn.ConvTranspose2d(before, behind, (width, 1), (stride, 1)) for _, stride, width, _ in bands])

    def forward(self, x, lengths, shorter):
        longer = []
        for part, length, conv in zip(x.split(shorter, 2), lengths, self.convtrs):
            whole = conv(part)
            cut = (whole.shape[2] - length) // 2
            longer.append(whole[:, :, cut : cut + length])
        return torch.cat(longer, 2)


class Reader(nn.Module):
    """Reads along the bins, then along the frames."""

    def __init__(self, channels, hidden):
        super().__init__()
        self.lstm_layers = nn.ModuleList([nn.LSTM(channels, hidden, bidirectional=True, batch_first=True) for _ in range(2)])
        self.linear_layers = nn.ModuleList([nn.Linear(2 * hidden, channels) for _ in range(2)])
        self.norm_layers = nn.ModuleList([nn.GroupNorm(1, channels) for _ in range(2)])

    def forward(self, x):
        for way, (there, back) in enumerate([((2, 1, 0), (2, 1, 0)), ((1, 2, 0), (2, 0, 1))]):
            rows = self.norm_layers[way](x)[0].permute(there)
            x = x + self.linear_layers[way](self.lstm_layers[way](rows)[0]).permute(back)[None]
        return x


class Scnet(nn.Module):
    """`bands` are their share of the bins, stride and kernel along them, and number of branches; `hidden` counts units for each channel."""

    def __init__(self, channels, bands, layers, stems, narrowing=4, kernel=3, hidden=1, masked_bins=None):
        super().__init__()
        steps = list(zip(channels, channels[1:]))
        self.encoder = nn.ModuleList([Down(before, behind, bands, narrowing, kernel) for before, behind in steps])
        self.separation_net = nn.Module()
        widths = [channels[-1] * (1 + layer % 2) for layer in range(layers)]
        self.separation_net.dp_modules = nn.ModuleList([Reader(width, hidden * width) for width in widths])
        steps[0] = (channels[0] * stems, channels[1])
        self.decoder = nn.ModuleList([nn.Sequential(Fused(behind), Up(behind, before, bands)) for before, behind in steps[::-1]])
        if masked_bins:
            self.pos_embed_f = nn.Parameter(torch.zeros(1, channels[0], masked_bins, 1))
            width = channels[0] * stems
            self.mask_layer = nn.Sequential(nn.Conv2d(width, 64, 3, padding=1), nn.GELU(), nn.Conv2d(64, width, 1), nn.Tanh())

    def forward(self, spectrum):
        """`[4, bins, frames]`, of each channel real and imaginary part; gives `[4 stems, bins, frames]`."""
        x, frames = spectrum[None], spectrum.shape[2]
        if hasattr(self, "mask_layer"):
            x = x + self.pos_embed_f
        kept = []
        for level in self.encoder:
            x, *passed = level(x)
            kept.append(passed)
        for layer, reader in enumerate(self.separation_net.dp_modules):
            x = reader(x)
            if layer % 2:
                x = torch.fft.irfft(torch.complex(*x.chunk(2, 1)), n=frames, norm="ortho")
            else:
                bins = torch.fft.rfft(x, norm="ortho")
                x = torch.cat([bins.real, bins.imag], 1)
        for fused, up in self.decoder:
            passed, lengths, shorter = kept.pop()
            x = up(fused(x, passed), lengths, shorter)
        return (self.mask_layer(x) if hasattr(self, "mask_layer") else x)[0]
