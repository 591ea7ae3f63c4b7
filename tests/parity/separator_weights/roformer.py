"""BS-RoFormer and Mel-Band RoFormer, from the papers and from the names that Music-Source-Separation-Training saves weights under. Takes
spectra and gives masks; its transforms are left to whoever calls it."""

import torch
from torch import nn
from torch.nn import functional

from mel import mel_bands


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return functional.normalize(x, dim=-1) * self.gamma * len(self.gamma) ** 0.5


class Places(nn.Module):
    """Turns neighbouring channels by an angle that grows with the place."""

    def __init__(self, head):
        super().__init__()
        self.freqs = nn.Parameter(1e4 ** -(torch.arange(0, head, 2) / head), requires_grad=False)

    def forward(self, x):
        angles = torch.arange(x.shape[-2])[:, None] * self.freqs
        turned = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * torch.polar(torch.ones_like(angles), angles)
        return torch.view_as_real(turned).flatten(-2)


class Attention(nn.Module):
    def __init__(self, dim, heads, head, places):
        super().__init__()
        self.norm = Norm(dim)
        self.rotary_embed = places
        self.to_qkv = nn.Linear(dim, 3 * heads * head, bias=False)
        self.to_gates = nn.Linear(dim, heads)
        self.to_out = nn.Sequential(nn.Linear(heads * head, dim, bias=False))
        self.heads = heads

    def forward(self, x):
        x = self.norm(x)
        queries, keys, values = self.to_qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        heard = functional.scaled_dot_product_attention(self.rotary_embed(queries), self.rotary_embed(keys), values)
        heard = heard * self.to_gates(x).sigmoid().transpose(1, 2)[..., None]
        return self.to_out(heard.transpose(1, 2).flatten(2))


class Feed(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(Norm(dim), nn.Linear(dim, 4 * dim), nn.GELU(), nn.Identity(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        return self.net(x)


class Transformer(nn.Module):
    def __init__(self, dim, depth, heads, head, places, normed):
        super().__init__()
        self.layers = nn.ModuleList([nn.ModuleList([Attention(dim, heads, head, places), Feed(dim)]) for _ in range(depth)])
        self.norm = Norm(dim) if normed else nn.Identity()

    def forward(self, x):
        for attention, feed in self.layers:
            x = x + attention(x)
            x = x + feed(x)
        return self.norm(x)


class Split(nn.Module):
    def __init__(self, dim, widths):
        super().__init__()
        self.to_features = nn.ModuleList([nn.Sequential(Norm(width), nn.Linear(width, dim)) for width in widths])

    def forward(self, parts):
        return torch.stack([one(part) for one, part in zip(self.to_features, parts)], -2)


class Estimator(nn.Module):
    def __init__(self, dim, widths, hidden):
        super().__init__()

        def connected(width):
            sizes = [dim] + [4 * dim] * hidden
            layers = [layer for a, b in zip(sizes, sizes[1:]) for layer in (nn.Linear(a, b), nn.Tanh())]
            return nn.Sequential(*layers, nn.Linear(sizes[-1], 2 * width))

        self.to_freqs = nn.ModuleList([nn.Sequential(connected(width), nn.GLU()) for width in widths])

    def forward(self, x):
        return [one(x[..., band, :]) for band, one in enumerate(self.to_freqs)]


class Roformer(nn.Module):
    """`bands` are lists of bins. With `mel` the transformers' answers are normalised and with the other form the last one's."""

    def __init__(self, bands, mel, dim, depth, heads, head, hidden, stems=1, depths=(1, 1), skips=False, silences_lowest=True):
        super().__init__()
        self.bands, self.bins = bands, max(map(max, bands)) + 1
        widths = [4 * len(band) for band in bands]
        self.band_split = Split(dim, widths)
        time, band = Places(head), Places(head)
        self.layers = nn.ModuleList(
            [nn.ModuleList([Transformer(dim, count, heads, head, places, mel) for count, places in zip(depths, (time, band))]) for _ in range(depth)]
        )
        if not mel:
            self.final_norm = Norm(dim)
        self.mask_estimators = nn.ModuleList([Estimator(dim, widths, hidden) for _ in range(stems)])
        self.skips, self.silences_lowest = skips, silences_lowest

    def forward(self, spectrum):
        """`[2 bins, frames, 2]`, of each bin left and right; gives `[stems, 2 bins, frames, 2]`."""
        by_bin = spectrum.unflatten(0, (self.bins, 2)).permute(2, 0, 1, 3)
        x = self.band_split([by_bin[:, band].flatten(1) for band in self.bands])
        earlier = []
        for time, band in self.layers:
            for before in earlier:
                x = x + before
            x = band(time(x.transpose(0, 1)).transpose(0, 1))
            if self.skips:
                earlier.append(x)
        if hasattr(self, "final_norm"):
            x = self.final_norm(x)
        counts = torch.zeros(self.bins)
        for band in self.bands:
            counts[band] += 1
        masks = []
        for estimator in self.mask_estimators:
            mask = torch.zeros_like(by_bin)
            for band, part in zip(self.bands, estimator(x)):
                mask[:, band] += part.unflatten(-1, (len(band), 2, 2))
            mask = mask / counts[:, None, None]
            if self.silences_lowest:
                mask[:, 0] = 0
            masks.append(mask.permute(1, 2, 0, 3).flatten(0, 1))
        return torch.stack(masks)


def bs(widths, **sizes):
    starts = [sum(widths[:place]) for place in range(len(widths))]
    return Roformer([list(range(start, start + width)) for start, width in zip(starts, widths)], False, **sizes)


def mel(count, n_fft, **sizes):
    return Roformer(mel_bands(count, n_fft), True, **sizes)
