"""The training loss: for every stem, the one that is left over included, mean |error| weighted to favour high frequencies
a little, and the logarithm of the error's energy against the mix (as in a signal-to-distortion ratio).

Spectra at full size cost more time in memory than the network in arithmetic. So the low bins, whose masks are complex, have
their gradient written by hand, and for the high bins, where HIGH_POOL neighbours share a real mask m, the error's energy is
worked out from sums over the neighbours: |m x - s|^2 = m^2 |x|^2 - 2 m Re(x* s) + |s|^2.
"""

from __future__ import annotations

import torch

from . import spectrum
from .model import HIGH_PADDING

_LOW = spectrum.LOW_BINS
ABSOLUTE = 8.0
FLOOR = 1e-3


def _weights() -> torch.Tensor:
    """[BINS, 1], mean 1: (1 + f / 1 kHz) ^ 0.6."""
    hertz = torch.arange(spectrum.BINS) * (44100 / spectrum.FFT)
    weights = (1 + hertz / 1000) ** 0.6
    return (weights / weights.mean()).view(-1, 1)


def _rows(values: torch.Tensor, combine: torch.Tensor) -> list[torch.Tensor]:
    """Weighted sums over axis 1, one a row of `combine`."""
    out = []
    for row in combine:
        if int(row.abs().sum()) == 1:
            out.append(values[:, int(row.abs().argmax())] * float(row.sum()) if row.sum() < 0 else
                       values[:, int(row.argmax())])  # fmt: skip
        else:
            out.append(sum(values[:, place] * float(sign) for place, sign in enumerate(row) if sign))
    return out


class LowErrors(torch.autograd.Function):
    """(low masks [B, masked, 4, LOW_BINS, T], mix [B, 2, LOW_BINS, T] complex, targets [B, masked, 2, LOW_BINS, T]
    complex, share, combine [rows, masked], crossing [B, masked, 2, LOW_BINS, T] or None) to sums of weighted |error|
    [rows] and of error^2 [B, rows]."""

    @staticmethod
    def forward(ctx, low, mix, targets, share, combine, crossing):
        low = low.float()
        error = torch.complex(low[:, :, 0::2] + share, low[:, :, 1::2]).mul_(mix[:, None]).sub_(targets)
        ctx.crossed = crossing is not None
        if ctx.crossed:
            error.add_(mix.flip(1)[:, None] * crossing.float())
        rows = [row.contiguous() for row in _rows(torch.view_as_real(error), combine)]
        weights = _weights()[:_LOW].view(-1, 1, 1)
        bent = [row.sign().mul_(weights) for row in rows]
        absolute = torch.stack([torch.dot(b.reshape(-1), row.reshape(-1)) for b, row in zip(bent, rows)])
        flat = [row.reshape(len(row), 1, -1) for row in rows]
        squares = torch.stack([torch.bmm(row, row.mT).view(-1) for row in flat], 1)
        ctx.save_for_backward(mix, combine, *rows, *bent)
        return absolute, squares

    @staticmethod
    def backward(ctx, grad_absolute, grad_squares):
        mix, combine, *held = ctx.saved_tensors
        count = len(held) // 2
        rows, bent = held[:count], held[count:]
        parts = []
        for place, (row, sign) in enumerate(zip(rows, bent)):
            part = row.mul_(2 * grad_squares[:, place].view(-1, 1, 1, 1, 1))
            parts.append(part.add_(sign, alpha=float(grad_absolute[place])))
        grads, crossing = [], []
        other = torch.view_as_real(mix.flip(1)) if ctx.crossed else None
        for stem in range(combine.shape[1]):
            total = sum(part * float(sign) for part, sign in zip(parts, combine[:, stem]) if sign)
            if ctx.crossed:
                crossing.append((total * other).sum(-1))
            # d(mask * mix): conj(mix) * gradient.
            back = torch.view_as_real(torch.view_as_complex(total).mul_(mix.conj()))
            grads.append(back.permute(0, 1, 4, 2, 3).reshape(len(mix), 4, _LOW, -1))
        return torch.stack(grads, 1), None, None, None, None, torch.stack(crossing, 1) if ctx.crossed else None


def _pooled(values: torch.Tensor) -> torch.Tensor:
    """Sums of HIGH_POOL neighbours on the last axis but one."""
    values = torch.nn.functional.pad(values, (0, 0, 0, HIGH_PADDING))
    return values.unflatten(-2, (-1, spectrum.HIGH_POOL)).sum(-2)


def separation_loss(low: torch.Tensor, high: torch.Tensor, mix: torch.Tensor, targets: torch.Tensor, share: float,
                    weights: torch.Tensor, combine: torch.Tensor, crossing: torch.Tensor | None = None,
                    logarithm: float = 0.25) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    """The loss, and the rows' error energies over the mix's, [B, rows].

    low, high and crossing as Separator.masks gives them; mix [B, 2, BINS, T] complex, targets [B, masked, 2, BINS, T] complex of the
    masked stems. Each row of `combine` [rows, masked] says which masked stems' errors are summed and scored as one with
    its weight: a row of -1 is the stem that is left over. The mix has variance 1. `logarithm` is the share of the energies'
    logarithms in the loss.
    """
    batch, masked = targets.shape[:2]
    count = targets.numel() // masked * 2
    absolute, squares = LowErrors.apply(low, mix[:, :, :_LOW], targets[:, :, :, :_LOW], share, combine, crossing)
    with torch.no_grad():
        real = torch.view_as_real(mix[:, :, _LOW:])
        goal = [torch.view_as_real(stem) for stem in _rows(targets[:, :, :, _LOW:], combine)]
        mix_power = _pooled(real.square().sum(-1))
        cross = [_pooled((real * stem).sum(-1)) for stem in goal]
        power = [_pooled(stem.square().sum(-1)) for stem in goal]
        energy = torch.view_as_real(mix).square().flatten(1).sum(1) + 1e-3 * mix[0].numel()
        pooled_weights = _pooled(_weights()[_LOW:])
    absolutes, high_squares = [], []
    for place, mask in enumerate(_rows(high.float() + share, combine)):
        square = (mask * mask * mix_power - 2 * mask * cross[place] + power[place]).clamp(min=0)
        high_squares.append(square.flatten(1).sum(1))
        # The sum of |error| over real and imaginary parts of n numbers is about 0.8 sqrt(2 n) times their length.
        absolutes.append(0.8 * (2 / spectrum.HIGH_POOL) ** 0.5 * ((square + 1e-6).sqrt() * pooled_weights).sum())
    scaled = (squares + torch.stack(high_squares, 1)) / energy[:, None]
    loss = ABSOLUTE / count * (weights * (absolute + torch.stack(absolutes))).sum()
    loss = loss + logarithm / batch * (weights * (scaled + FLOOR).log10()).sum()
    return loss, scaled.detach()
