"""The network: bands of the spectrum as vectors, blocks of convolutions over time and bands, and masks.

Bins are first gathered into bands whose width grows with frequency. A block narrows the stream of each (band, frame),
convolves it, mixes all bands (one matrix over bands), convolves again and adds the result to the stream. Masks are complex up
to 8 kHz (one bin each up to 4 kHz, two above) and real beyond (four bins each). One stem has no mask: it is what the masked ones leave of
the mix, so stems sum to it.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from . import deep, places, spectrum

# (bands, bins of each, bins pooled). Low: up to 1.03, 4.05 and 8.07 kHz. High: up to 22.05 kHz; two bins are padding.
LOW_GROUPS = ((16, 6, 1), (14, 20, 1), (11, 34, 2))
HIGH_GROUPS = ((5, 260, spectrum.HIGH_POOL),)
GROUPS = LOW_GROUPS + HIGH_GROUPS
BANDS = sum(bands for bands, _, _ in GROUPS)
HIGH_PADDING = sum(bands * width for bands, width, _ in HIGH_GROUPS) - (spectrum.BINS - spectrum.LOW_BINS)
# What a mask of zero lets through.
SHARE = 0.25
assert sum(bands * width for bands, width, _ in LOW_GROUPS) == spectrum.LOW_BINS
assert 0 <= HIGH_PADDING < spectrum.HIGH_POOL


class Gather(nn.Module):
    """Features of the low and of the high bins to a stream [B, size, BANDS, T], one matrix a band."""

    def __init__(self, size: int):
        super().__init__()
        self.weights = nn.ParameterList()
        for group in GROUPS:
            bands, width, pool = group
            inputs = (spectrum.LOW_FEATURES if group in LOW_GROUPS else spectrum.HIGH_FEATURES) * width // pool
            self.weights.append(nn.Parameter(torch.randn(bands, inputs, size) * inputs**-0.5))
        self.bias = nn.Parameter(torch.zeros(BANDS, 1, size))

    def forward(self, low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
        batch, _, _, frames = low.shape
        out, first = [], 0
        for group, weight in zip(GROUPS, self.weights):
            bands, width, pool = group
            if group in LOW_GROUPS:
                part = low[:, :, first : first + bands * width]
                first += bands * width
            else:
                part, width, pool = high, width // pool, 1
            kinds = part.shape[1]
            if pool > 1:
                part = part.reshape(batch, kinds, bands * width // pool, pool, frames).mean(3)
            if torch.onnx.is_in_onnx_export():
                # Frames stay together in memory: what is turned round are whole rows of them.
                part = part.reshape(batch, kinds, bands, width // pool, frames).transpose(1, 2)
                part = part.reshape(batch, bands, kinds * width // pool, frames)
                out.append(torch.matmul(weight.transpose(1, 2), part))
                continue
            part = part.reshape(batch, kinds, bands, width // pool, frames).permute(0, 2, 4, 1, 3)
            out.append(torch.matmul(part.reshape(batch, bands, frames, kinds * width // pool), weight))
        if torch.onnx.is_in_onnx_export():
            return (torch.cat(out, 1) + self.bias.transpose(1, 2)).transpose(1, 2)
        return (torch.cat(out, 1) + self.bias).permute(0, 3, 1, 2)


class Spread(nn.Module):
    """A stream [B, size, BANDS, T] to masks, one tensor a group of bands: [B, masked, 4, bins, T] (left real, left imaginary, right real,
    right imaginary) in the low ones, [B, masked, 2, bins, T] (left, right) in the high one; bins are those that are left when pooled."""

    def __init__(self, masked: int, size: int):
        super().__init__()
        self.masked = masked
        self.weights = nn.ParameterList()
        self.biases = nn.ParameterList()
        for group in GROUPS:
            bands, width, pool = group
            outputs = masked * (4 if group in LOW_GROUPS else 2) * width // pool
            self.weights.append(nn.Parameter(torch.randn(bands, size, outputs) * size**-0.5 * 0.3))
            self.biases.append(nn.Parameter(torch.zeros(bands, 1, outputs)))

    def forward(self, stream: torch.Tensor) -> list[torch.Tensor]:
        batch, _, _, frames = stream.shape
        stream = stream.transpose(1, 2) if torch.onnx.is_in_onnx_export() else stream.permute(0, 2, 3, 1)
        masks, first = [], 0
        for group, weight, bias in zip(GROUPS, self.weights, self.biases):
            bands, width, pool = group
            kinds = 4 if group in LOW_GROUPS else 2
            part = stream[:, first : first + bands]
            if torch.onnx.is_in_onnx_export():
                part = torch.matmul(weight.transpose(1, 2), part) + bias.transpose(1, 2)
                part = part.reshape(batch, bands, self.masked, kinds, width // pool, frames).permute(0, 2, 3, 1, 4, 5)
            else:
                part = torch.matmul(part, weight) + bias
                part = part.reshape(batch, bands, frames, self.masked, kinds, width // pool).permute(0, 3, 4, 1, 5, 2)
            part = 2 * torch.tanh(0.5 * part)
            masks.append(part.reshape(batch, self.masked, kinds, bands * width // pool, frames))
            first += bands
        return masks


def _wide(pooled: torch.Tensor, width: int) -> torch.Tensor:
    """[..., bins, T] to [..., bins * width, T]: each bin several times."""
    return pooled.repeat_interleave(width, -2) if width > 1 else pooled


class Block(nn.Module):
    """Stream [B, size, BANDS, T] (channels last in memory) to the same."""

    def __init__(self, size: int, inner: int, dilation: int):
        super().__init__()
        self.narrow = nn.Conv2d(size, inner, 1, bias=False)
        self.norm_narrow = nn.BatchNorm2d(inner)
        self.first = nn.Conv2d(inner, inner, 3, padding=(1, dilation), dilation=(1, dilation), bias=False)
        self.norm_first = nn.BatchNorm2d(inner)
        self.bands = nn.Parameter(torch.randn(BANDS, BANDS) * BANDS**-0.5 * 0.5)
        self.second = nn.Conv2d(inner, inner, 3, padding=1, bias=False)
        self.norm_second = nn.BatchNorm2d(inner)
        self.widen = nn.Conv2d(inner, size, 1)
        nn.init.zeros_(self.widen.bias)

    def forward(self, stream: torch.Tensor) -> torch.Tensor:
        h = functional.silu(self.norm_narrow(self.narrow(stream)))
        h = functional.silu(self.norm_first(self.first(h)))
        if torch.onnx.is_in_onnx_export():
            # The same product without turning the memory round, which there is not channels-last, and with what it is added to.
            h = torch.matmul(self.bands + torch.eye(BANDS), h)
            return stream + self.widen(functional.silu(self.norm_second(self.second(h))))
        batch, inner, bands, frames = h.shape
        rows = h.permute(0, 2, 3, 1).reshape(batch, bands, frames * inner)
        mixed = torch.matmul(self.bands, rows).reshape(batch, bands, frames, inner).permute(0, 3, 1, 2)
        h = functional.silu(self.norm_second(self.second(h + mixed)))
        return stream + self.widen(h)


class Separator(nn.Module):
    """[B, 4, BINS, T] to [B, masked, 4, BINS, T]."""

    def __init__(self, masked: int, size: int = 96, inner: int = 48, head: int = 64,
                 dilations: tuple[int, ...] = (1, 2, 4, 8, 16, 2), crossed: bool = False):  # fmt: skip
        super().__init__()
        self.masked = masked
        self.gather = Gather(size)
        self.blocks = nn.ModuleList([Block(size, inner, dilation) for dilation in dilations])
        self.norm = nn.BatchNorm2d(size)
        self.head = nn.Conv2d(size, head, 1)
        self.spread = Spread(masked, head)
        # How much of the other side goes into each side, one number a band: what stands in the middle cancels.
        self.cross = nn.Conv2d(head, masked * 2, 1) if crossed else None
        # Trained on its own; in the lowest bins the second and third stem are for the larger part what it finds.
        self.deep: deep.Deep | None = None

    def masks(self, mix: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Low masks [B, masked, 4, LOW_BINS, T] and high ones [B, masked, 2, HIGH_POOLED, T]; SHARE is to be
        added to their real parts. And, where the network has it, what to take of the other side, [B, masked, 2, LOW_BINS, T]."""
        masks, crossing = self._masks(mix)
        low = torch.cat([_wide(mask, pool) for mask, (_, _, pool) in zip(masks, LOW_GROUPS)], 3)
        if crossing is not None:
            crossing = torch.cat([_wide(part, width) for part, (_, width, _) in zip(crossing, LOW_GROUPS)], 3)
        return low, masks[-1], crossing

    def _masks(self, mix: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.Tensor] | None]:
        """Masks as of Spread, and for each low group what to take of the other side, [B, masked, 2, bands, T]."""
        stream = self.gather(*spectrum.features(mix))
        if torch.onnx.is_in_onnx_export():
            # Changes nothing. But from here on the stream has the layout in which ONNX Runtime convolves, and every block can add to it
            # there, instead of turning it round and back.
            stream = functional.max_pool2d(stream, 1)
        for block in self.blocks:
            stream = block(stream)
        stream = functional.silu(self.head(functional.silu(self.norm(stream))))
        if self.cross is None:
            return self.spread(stream), None
        crossing = 2 * torch.tanh(0.5 * self.cross(stream))
        crossing = crossing.reshape(crossing.shape[0], self.masked, 2, BANDS, crossing.shape[-1])
        return self.spread(stream), list(crossing.split([bands for bands, _, _ in GROUPS], 3))[: len(LOW_GROUPS)]

    def _settled(self, masked: torch.Tensor, mix: torch.Tensor) -> torch.Tensor:
        """The lowest bins of the masked stems with what the waves know of the second and third, [B, 3, 4, deep.BINS, T]. What these two
        lose or gain goes to the first and to the rest, by the masks' shares of power."""
        pair = masked[:, 1:3] * self.deep.masked.unsqueeze(1) + self.deep(mix)
        change = (masked[:, 1:3] - pair).sum(1)
        first, rest = masked[:, 0], mix[:, :, : deep.BINS] - masked.sum(1)
        sides = []
        for side in (0, 2):
            power, other = (part[:, side].square() + part[:, side + 1].square() for part in (first, rest))
            share = (power / (power + other + 1e-9)).unsqueeze(1)
            sides.append(first[:, side : side + 2] + share * change[:, side : side + 2])
        return torch.cat([torch.cat(sides, 1).unsqueeze(1), pair], 1)

    def _placed(self, low: torch.Tensor, mix: torch.Tensor) -> torch.Tensor:
        """The lowest bins of the masked stems nearer to what the places of all stems say, [B, 3, 4, deep.BINS, T]."""
        heard = mix[:, :, : deep.BINS]
        rest = (heard - low.sum(1)).unsqueeze(1)
        found = places.placed(torch.cat([low, rest], 1), heard)[:, :-1]
        return low + self.deep.placed.unsqueeze(1) * (found - low)

    def _repeated(self, low: torch.Tensor, masked: torch.Tensor, mix: torch.Tensor) -> torch.Tensor:
        """The lowest bins of the masked stems, the drums' with what their strokes have in common, [B, 3, 4, deep.BINS, T]. What these gain
        all others lose, by their shares of power."""
        gain = self.deep.repeated(low[:, 1], masked[:, 1], mix)
        stems = [low[:, 0], low[:, 2], mix[:, :, : deep.BINS] - low.sum(1)]
        powers = [stem.reshape(-1, 2, 2, *stem.shape[2:]).square().sum(2, keepdim=True) + 1e-9 for stem in stems]
        whole = sum(powers)
        lost = [gain.reshape(-1, 2, 2, *gain.shape[2:]) * power / whole for power in powers[:2]]
        vocals, bass = (stem - part.reshape(stem.shape) for stem, part in zip(stems, lost))
        return torch.stack([vocals, low[:, 1] + gain, bass], 1)

    def _low(self, mix: torch.Tensor, masks: torch.Tensor, crossing: torch.Tensor | None, group: tuple[int, int, int]) -> torch.Tensor:
        """What complex masks leave of a group's bins, [B, 4, bins, T] to [B, masked, 4, bins, T].

        Every mask and every number of `crossing` meets all of its bins by broadcasting: nothing this large is put together or taken
        apart on the way.
        """
        bands, width, pool = group
        batch, _, bins, frames = mix.shape
        heard = mix.reshape(batch, 1, 2, 2, bins // pool, pool, frames)
        turned = torch.stack([-heard[:, :, :, 1], heard[:, :, :, 0]], 3)
        real, imaginary = masks.reshape(batch, self.masked, 2, 2, bins // pool, 1, frames).split(1, 3)
        found = heard * (real + SHARE) + turned * imaginary
        found = found.reshape(batch, self.masked, 4, bins, frames)
        if crossing is not None:
            other = torch.cat([mix[:, 2:], mix[:, :2]], 1).reshape(batch, 1, 2, 2, bands, width, frames)
            other = other * crossing[:, :, :, None, :, None]
            found = found + other.reshape(batch, self.masked, 4, bins, frames)
        return found

    def _high(self, mix: torch.Tensor, masks: torch.Tensor) -> list[torch.Tensor]:
        """What real masks leave of [B, 4, BINS - LOW_BINS, T], [B, masked, 4, bins, T] of all whole groups of HIGH_POOL bins and of what is
        left of the last one."""
        masks = masks + SHARE
        batch, masked, _, groups, frames = masks.shape
        whole = mix.shape[2] // spectrum.HIGH_POOL
        out = []
        for first, last, pool in ((0, whole, spectrum.HIGH_POOL), (whole, groups, spectrum.HIGH_POOL - HIGH_PADDING)):
            heard = mix[:, :, first * spectrum.HIGH_POOL : first * spectrum.HIGH_POOL + (last - first) * pool]
            heard = heard.reshape(batch, 1, 2, 2, last - first, pool, frames)
            found = heard * masks[:, :, :, None, first:last, None]
            out.append(found.reshape(batch, masked, 4, (last - first) * pool, frames))
        return out

    def _lowest(self, masked: torch.Tensor, mix: torch.Tensor) -> torch.Tensor:
        """The lowest bins of the masked stems, [B, 3, 4, deep.BINS, T], with what is found in waves, what places say and what strokes have
        in common."""
        return self._repeated(self._placed(self._settled(masked, mix), mix), masked, mix)

    def parts(self, mix: torch.Tensor) -> list[torch.Tensor]:
        """What `forward` gives, [B, masked, 4, bins, T] from the lowest bins to the highest. Who needs more than one of these can put
        them together once: copies took ONNX Runtime a tenth of its time."""
        masks, crossing = self._masks(mix)
        out, first = [], 0
        for place, group in enumerate(LOW_GROUPS):
            bands, width, _ = group
            heard = mix[:, :, first : first + bands * width]
            out.append(self._low(heard, masks[place], None if crossing is None else crossing[place], group))
            first += bands * width
        if self.deep is not None:
            lowest, above = out[0].split([deep.BINS, out[0].shape[3] - deep.BINS], 3)
            out[:1] = [self._lowest(lowest, mix), above]
        return out + self._high(mix[:, :, first:], masks[-1])

    def forward(self, mix: torch.Tensor) -> torch.Tensor:
        return torch.cat(self.parts(mix), 3)
