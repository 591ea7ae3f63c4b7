"""The training loss, from masks to one number with its gradient written by hand: with the spectra at full size, plain
automatic differentiation spends more time on memory than the network on arithmetic.

For every stem, the one that is left over included: mean |error| of real and imaginary parts, weighted to favour high
frequencies a little, and the logarithm of the error's energy against the mix (as in a signal-to-distortion ratio).
"""

from __future__ import annotations

import torch

from . import spectrum
from .model import HIGH_PADDING, HIGH_POOL

_LOW = spectrum.LOW_BINS
ABSOLUTE = 8.0
LOGARITHM = 0.25
FLOOR = 1e-3


def _weights() -> torch.Tensor:
    """[BINS, 1, 1], mean 1: (1 + f / 1 kHz) ^ 0.6."""
    hertz = torch.arange(spectrum.BINS) * (44100 / spectrum.FFT)
    weights = (1 + hertz / 1000) ** 0.6
    return (weights / weights.mean()).view(-1, 1, 1)


class MaskLoss(torch.autograd.Function):
    """(low, high, mix, targets, share, row weights, rows) to (loss, error energies over the mix's [B, rows]).

    low and high as model.Spread gives them; mix [B, 2, BINS, T] complex, targets [B, masked, 2, BINS, T] complex of the
    masked stems. Each row of `combine` [rows, masked] says which masked stems' errors are summed and scored as one with its
    weight: a row of -1 is the stem that is left over. Mix and targets have been scaled so that the mix has variance 1.
    """

    @staticmethod
    def forward(ctx, low, high, mix, targets, share, row_weights, combine):
        batch, masked, _, bins, frames = targets.shape
        low, high = low.float(), high.float()
        weights = _weights()
        error_low = torch.complex(low[:, :, 0::2] + share, low[:, :, 1::2])
        error_low = error_low.mul_(mix[:, None, :, :_LOW]).sub_(targets[:, :, :, :_LOW])
        spread = high.unsqueeze(4).expand(-1, -1, -1, -1, HIGH_POOL, -1)
        spread = spread.reshape(batch, masked, 2, -1, frames)[:, :, :, : bins - _LOW] + share
        error_high = (spread * mix[:, None, :, _LOW:]).sub_(targets[:, :, :, _LOW:])
        energy = torch.view_as_real(mix).square().sum((1, 2, 3, 4))
        count = targets.numel() // masked * 2
        absolute = torch.zeros(())
        errors = [torch.view_as_real(error_low), torch.view_as_real(error_high)]
        weight_parts = [weights[:_LOW], weights[_LOW:]]
        rows = combine.shape[0]
        squares = torch.zeros(batch, rows)
        views = []
        for error in errors:
            summed = []
            for row in range(rows):
                if int(combine[row].abs().sum()) == 1:
                    summed.append(error[:, int(combine[row].abs().argmax())])
                else:
                    summed.append(torch.einsum("m,bm...->b...", combine[row], error))
            views.append(summed)
        for part, summed in enumerate(views):
            for row, error in enumerate(summed):
                squares[:, row] += error.square().sum((1, 2, 3, 4))
        scaled = squares / energy[:, None] + FLOOR
        logarithm = (row_weights * scaled.log10()).sum() / batch
        grad_square = row_weights * LOGARITHM * 2 / (2.302585 * batch) / (scaled * energy[:, None])
        result = []
        for part, summed in enumerate(views):
            gradient = torch.zeros_like(errors[part])
            for row, error in enumerate(summed):
                bent = error.sign() * (weight_parts[part] * (float(row_weights[row]) * ABSOLUTE / count))
                absolute = absolute + (bent * error).sum()
                bent.addcmul_(error, grad_square[:, row].view(-1, 1, 1, 1, 1).expand_as(error))
                for stem in range(masked):
                    sign = float(combine[row, stem])
                    if sign:
                        gradient[:, stem].add_(bent, alpha=sign)
            result.append(torch.view_as_complex(gradient))
        # d(mask * mix): conj(mix) * gradient.
        back = result[0].mul_(mix[:, None, :, :_LOW].conj())
        grad_low = torch.stack([back.real, back.imag], 3).reshape(batch, masked, 4, _LOW, frames)
        back = torch.view_as_real(result[1]) * torch.view_as_real(mix[:, None, :, _LOW:])
        back = torch.nn.functional.pad(back.sum(-1), (0, 0, 0, HIGH_PADDING))
        grad_high = back.reshape(batch, masked, 2, -1, HIGH_POOL, frames).sum(4)
        ctx.save_for_backward(grad_low, grad_high)
        return absolute + LOGARITHM * logarithm, squares / energy[:, None]

    @staticmethod
    def backward(ctx, grad, _parts):
        grad_low, grad_high = ctx.saved_tensors
        return grad_low * grad, grad_high * grad, None, None, None, None, None
