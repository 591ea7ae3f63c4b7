"""The network: bands of the spectrum as vectors, blocks of convolutions over time and bands, and masks.

Bins are first gathered into bands whose width grows with frequency. A block narrows the stream of each (band, frame),
convolves it, mixes all bands (one matrix over bands), convolves again and adds the result to the stream. Masks are complex up
to 8 kHz (one bin each up to 4 kHz, two above) and real beyond (four bins each). The last stem is what the masked ones leave of
the mix, so stems sum to it.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from . import deep, places, spectrum

# (bands, bins of each, bins pooled). Low: up to 1.03, 4.05 and 8.07 kHz. High: up to 22.05 kHz; two bins are padding.
LOW_GROUPS = ((16, 6, 1), (14, 20, 1), (11, 34, 2))
HIGH_GROUPS = ((5, 260, 4),)
GROUPS = LOW_GROUPS + HIGH_GROUPS
BANDS = sum(bands for bands, _, _ in GROUPS)
HIGH_PADDING = sum(bands * width for bands, width, _ in HIGH_GROUPS) - (spectrum.BINS - spectrum.LOW_BINS)
HIGH_POOL = 4
# What a mask of zero lets through.
SHARE = 0.25
assert sum(bands * width for bands, width, _ in LOW_GROUPS) == spectrum.LOW_BINS
assert 0 <= HIGH_PADDING < 8


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
        high = functional.pad(high, (0, 0, 0, HIGH_PADDING))
        out, first = [], 0
        for group, weight in zip(GROUPS, self.weights):
            bands, width, pool = group
            if group in LOW_GROUPS:
                part = low[:, :, first : first + bands * width]
                first += bands * width
            else:
                part = high
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
    """A stream [B, size, BANDS, T] to masks: low [B, masked, 4, LOW_BINS, T] (left real, left imaginary, right real, right imaginary),
    high [B, masked, 2, (BINS - LOW_BINS + HIGH_PADDING) / HIGH_POOL, T] (left, right)."""

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

    def forward(self, stream: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        batch, _, _, frames = stream.shape
        stream = stream.transpose(1, 2) if torch.onnx.is_in_onnx_export() else stream.permute(0, 2, 3, 1)
        low, high, first = [], [], 0
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
            part = part.reshape(batch, self.masked, kinds, bands * width // pool, frames)
            if group in HIGH_GROUPS:
                high.append(part)
            elif pool > 1:
                part = part.unsqueeze(4).expand(-1, -1, -1, -1, pool, -1)
                low.append(part.reshape(batch, self.masked, kinds, bands * width, frames))
            else:
                low.append(part)
            first += bands
        return torch.cat(low, 3), torch.cat(high, 3)


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
            # The same product without turning the memory round, which there is not channels-last.
            return stream + self.widen(functional.silu(self.norm_second(self.second(h + torch.matmul(self.bands, h)))))
        batch, inner, bands, frames = h.shape
        rows = h.permute(0, 2, 3, 1).reshape(batch, bands, frames * inner)
        mixed = torch.matmul(self.bands, rows).reshape(batch, bands, frames, inner).permute(0, 3, 1, 2)
        h = functional.silu(self.norm_second(self.second(h + mixed)))
        return stream + self.widen(h)


class Separator(nn.Module):
    """[B, 4, BINS, T] to [B, stems, 4, BINS, T]; `rest` is the place of the stem that the others leave (None: only the
    masked stems are given)."""

    def __init__(self, masked: int, rest: int | None, size: int = 96, inner: int = 48, head: int = 64,
                 dilations: tuple[int, ...] = (1, 2, 4, 8, 16, 2), crossed: bool = False):  # fmt: skip
        super().__init__()
        self.masked, self.rest = masked, rest
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
        """Low and high masks as in Spread; SHARE is to be added to their real parts. And, where the network has it, what
        to take of the other side, [B, masked, 2, LOW_BINS, T]."""
        stream = self.gather(*spectrum.features(mix))
        if torch.onnx.is_in_onnx_export():
            # Changes nothing. But from here on the stream has the layout in which ONNX Runtime convolves, and every block can add to it
            # there, instead of turning it round and back.
            stream = functional.max_pool2d(stream, 1)
        for block in self.blocks:
            stream = block(stream)
        stream = functional.silu(self.head(functional.silu(self.norm(stream))))
        crossing = None if self.cross is None else self._crossing(stream)
        return *self.spread(stream), crossing

    def _crossing(self, stream: torch.Tensor) -> torch.Tensor:
        batch, _, _, frames = stream.shape
        values = 2 * torch.tanh(0.5 * self.cross(stream))
        values = values.reshape(batch, self.masked, 2, BANDS, 1, frames)
        out, first = [], 0
        for bands, width, _ in LOW_GROUPS:
            part = values[:, :, :, first : first + bands].expand(-1, -1, -1, -1, width, -1)
            out.append(part.reshape(batch, self.masked, 2, bands * width, frames))
            first += bands
        return torch.cat(out, 3)

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

    def _complete(self, masked: torch.Tensor, whole: float) -> torch.Tensor:
        """Masks [B, masked, ...] with those of the rest in its place, which sum with them to `whole`. Sums over the masks are shorter than over
        what they are multiplied with."""
        if self.rest is None:
            return masked
        rest = whole - masked.sum(1, keepdim=True)
        return torch.cat([part for part in (masked[:, : self.rest], rest, masked[:, self.rest :]) if part.shape[1]], 1)

    def _low(self, mix: torch.Tensor, masks: torch.Tensor, crossing: torch.Tensor | None) -> torch.Tensor:
        """What complex masks leave of [B, 4, LOW_BINS, T], [B, stems, 4, LOW_BINS, T]."""
        real = self._complete(masks[:, :, 0::2] + SHARE, 1)
        imaginary = self._complete(masks[:, :, 1::2], 0)
        parts = []
        for side in (0, 1):
            mix_re, mix_im = mix[:, None, 2 * side], mix[:, None, 2 * side + 1]
            re, im = real[:, :, side], imaginary[:, :, side]
            parts += [mix_re * re - mix_im * im, mix_re * im + mix_im * re]
        if crossing is not None:
            crossing = self._complete(crossing, 0)
            for part in range(4):
                parts[part] = parts[part] + crossing[:, :, part // 2] * mix[:, None, (part + 2) % 4]
        return torch.stack(parts, 2)

    def _high(self, mix: torch.Tensor, masks: torch.Tensor) -> list[torch.Tensor]:
        """What real masks leave of [B, 4, BINS - LOW_BINS, T], [B, stems, 4, bins, T] of all whole groups of HIGH_POOL bins and of what is
        left of the last one."""
        masks = self._complete(masks + SHARE, 1)
        batch, stems, _, groups, frames = masks.shape
        whole = mix.shape[2] // HIGH_POOL
        out = []
        for first, last, pool in ((0, whole, HIGH_POOL), (whole, groups, HIGH_POOL - HIGH_PADDING)):
            heard = mix[:, :, first * HIGH_POOL : first * HIGH_POOL + (last - first) * pool]
            heard = heard.reshape(batch, 1, 2, 2, last - first, pool, frames)
            found = heard * masks[:, :, :, None, first:last, None]
            out.append(found.reshape(batch, stems, 4, (last - first) * pool, frames))
        return out

    def _lowest(self, low: torch.Tensor, mix: torch.Tensor) -> torch.Tensor:
        """The lowest bins of all stems, with what is found in waves, what places say and what strokes have in common, [B, 4, 4, deep.BINS, T]."""
        masked = low[:, :-1]
        found = self._repeated(self._placed(self._settled(masked, mix), mix), masked, mix)
        return torch.cat([found, mix[:, None, :, : deep.BINS] - found.sum(1, keepdim=True)], 1)

    def forward(self, mix: torch.Tensor) -> torch.Tensor:
        low, high, crossing = self.masks(mix)
        parts = [self._low(mix[:, :, : spectrum.LOW_BINS], low, crossing)]
        if self.deep is not None:
            lowest, above = parts[0].split([deep.BINS, spectrum.LOW_BINS - deep.BINS], 3)
            parts = [self._lowest(lowest, mix), above]
        # All that is put together from parts this large is put together once: copies took ONNX Runtime a tenth of its time.
        return torch.cat([*parts, *self._high(mix[:, :, spectrum.LOW_BINS :], high)], 3)
