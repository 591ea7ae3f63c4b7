"""The late part of a room's answer, by weighted linear prediction: what of a frame follows from frames at least 70 ms before it
is taken for the room, for a voice itself does not repeat itself that long after, while a room does.

Nakatani, Yoshioka, Kinoshita, Miyoshi and Juang, 2010, "Speech dereverberation based on variance-normalized delayed linear
prediction": per bin, both sides are predicted from earlier frames of both, each frame weighted by one over its power, so that
loud ones do not count for more than quiet ones. What is found is a sum of what was heard before, so nothing new comes in, and its 24
complex numbers a bin are learned from the piece itself: of pieces of 256 frames it takes the room half as well as of 672.

Written out in real numbers and with a fixed number of steps, for ONNX has neither complex ones nor a solver.
"""

from __future__ import annotations

import torch
from torch.nn import functional

# Bins above (5.5 kHz) are left as they are: rooms absorb treble, and it makes no difference to the result.
BINS = 512
# Frames between a frame and the nearest that it is predicted from, and how many of these there are.
DELAY = 3
TAPS = 6
# Least weight of power, against the bin's mean; what is added to the equations' diagonal, against its mean.
POWER_FLOOR = 1e-3
RIDGE = 1e-3
# Steps of conjugate gradients: with so many the result is that of an exact solver within 0.05 dB.
STEPS = 10
# What is found in dry voices, as a share of their power (the held-out ones: -23 to -35 dB): as much is not believed of any.
FOUND_IN_DRY = 10**-2.5
# How much of the rest is taken out: with all of it, one held-out wet file in eighteen got 0.1 dB worse.
SHARE = 0.8


def _solve(matrix: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """`matrix` [F, N, N], symmetric and positive, `wanted` [F, N, M]: conjugate gradients, each column on its own."""
    solution = torch.zeros_like(wanted)
    rest = direction = wanted
    size = (rest * rest).sum(1, keepdim=True)
    for _ in range(STEPS):
        image = matrix @ direction
        length = size / ((direction * image).sum(1, keepdim=True) + 1e-20)
        solution = solution + length * direction
        rest = rest - length * image
        smaller = (rest * rest).sum(1, keepdim=True)
        direction = rest + smaller / (size + 1e-20) * direction
        size = smaller
    return solution


def late(mix: torch.Tensor) -> torch.Tensor:
    """The late room, [1, 4, BINS, T], in [1, 4, BINS or more, T] (left real, left imaginary, right real, right imaginary)."""
    frames = mix.shape[3]
    heard = mix[:, :, :BINS].reshape(2, 2, BINS, frames).permute(2, 1, 0, 3)
    taps = [functional.pad(heard[..., : frames - lag], (lag, 0)) for lag in range(DELAY, DELAY + TAPS)]
    # Rows: real parts of all taps and sides, then imaginary parts.
    rows = torch.cat(taps, 2).reshape(BINS, 4 * TAPS, frames)
    heard = heard.reshape(BINS, 4, frames)
    squares = heard * heard
    power = squares[:, 0] + squares[:, 1] + squares[:, 2] + squares[:, 3]
    power = torch.maximum(power, POWER_FLOOR * power.mean(1, keepdim=True)) + 1e-7
    weighted = rows / power[:, None]
    among = weighted @ rows.transpose(1, 2)
    towards = weighted @ heard.transpose(1, 2)
    half = 2 * TAPS
    real = among[:, :half, :half] + among[:, half:, half:]
    imaginary = among[:, half:, :half] - among[:, :half, half:]
    matrix = torch.cat([torch.cat([real, -imaginary], 2), torch.cat([imaginary, real], 2)], 1)
    identity = torch.eye(2 * half, dtype=mix.dtype)
    ridge = RIDGE * (matrix * identity).sum((1, 2), keepdim=True) / (2 * half) + 1e-9
    wanted = torch.cat(
        [
            towards[:, :half, :2] + towards[:, half:, 2:],
            towards[:, half:, :2] - towards[:, :half, 2:],
        ],
        1,
    )
    weights = _solve(matrix + ridge * identity, wanted)
    real, imaginary = weights[:, :half], weights[:, half:]
    filters = torch.cat([torch.cat([real, -imaginary], 2), torch.cat([imaginary, real], 2)], 1)
    predicted = filters.transpose(1, 2) @ rows
    found = (predicted * predicted).sum() / (squares.sum() + 1e-9)
    share = SHARE * (1.0 - FOUND_IN_DRY / (found + 1e-9)).clamp(0, 1)
    return share * predicted.reshape(BINS, 2, 2, frames).permute(2, 1, 0, 3).reshape(1, 4, BINS, frames)
