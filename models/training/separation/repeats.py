"""What a drum's strokes have in common: it sounds alike every time it is struck, and what other stems leave in its strokes does not.

Where the wave that was found for the drums rises, a piece of it is laid over every other such piece, moved until both agree best, and
becomes for the larger part the mean of those that are like it: a non-local mean (Buades, Coll and Morel, "A non-local algorithm for image
denoising", 2005) over strokes alone.
"""

from __future__ import annotations

import torch
from torch.nn import functional

STROKES = 128
"""How many pieces of a chunk are looked at, the loudest first: seven a second."""
BEFORE, LENGTH, FALL = 16, 256, 60
"""Samples of a piece before the wave rises, in all, and while it fades out (at deep.RATE: 12, 186 and 44 ms)."""
MOVED = 5
"""Samples by which pieces are moved against each other at most (4 ms)."""
SMOOTH, STEP, NEAR = 33, 8, 20
"""Samples over which loudness is a mean, half of those between which it is compared, and those around a rise that hold no other."""
RISE = 0.7
"""By how much the logarithm of the loudness rises where a drum is struck."""
FAINT = 0.02
"""Of the loudest moment's power: what stays below is no stroke."""
ALIKE = 0.5
"""Correlation below which pieces have nothing to do with each other."""
SURE, UNSURE, MOST_UNSURE = 0.02, 0.1, 0.2
"""By how much lower the correlation of a piece is that counts e times less, where a piece is not in doubt; how much more where all of it is;
the largest part in doubt that counts."""
SUPPORT = 0.02
"""The sum of weights (1 for a piece just the same) below which the mean counts less."""
TINY = 1e-9


def change(drums: torch.Tensor, rest: torch.Tensor, otherwise: torch.Tensor) -> torch.Tensor:
    """Waves of drums, of the rest of a mix and of the drums as another network has them, [B, 2, samples] each (middle and side), the mix's of
    variance 1 or less, to what the drums' is to gain, as much.

    How wrong a piece may be is guessed by the geometric mean of what networks do not agree on and of what drums and others could
    share. A piece that differs by more from its mean was struck in another way.
    """
    batch, sides, samples = drums.shape
    at, there = _strokes(drums)
    steps = (at.unsqueeze(2) + torch.arange(LENGTH)).reshape(batch, 1, STROKES * LENGTH)

    def pieces(wave: torch.Tensor, moved: int = 0) -> torch.Tensor:
        """[B, STROKES, sides * LENGTH]"""
        lines = wave.shape[1]
        cut = torch.gather(_padded(wave), 2, steps.expand(-1, lines, -1) + (MOVED + moved))
        return cut.reshape(batch, lines, STROKES, LENGTH).transpose(1, 2).reshape(batch, STROKES, lines * LENGTH)

    own = pieces(drums)
    energy = own.square().sum(2, keepdim=True)
    power, other = _loudness(drums), _loudness(rest)
    doubt = torch.sqrt(power * other / (power + other + TINY) * _loudness(drums - otherwise))
    doubt = pieces(doubt).sum(2, keepdim=True)
    width = SURE + UNSURE * (doubt / (energy + TINY)).clamp(max=MOST_UNSURE)
    # Of all ways to move a piece the one that makes it most alike.
    others = [pieces(drums, moved) for moved in range(-MOVED, MOVED + 1)]
    others = [(piece, piece.square().sum(2, keepdim=True).sqrt() + TINY) for piece in others]
    size = energy.sqrt() + TINY
    alike = torch.stack([torch.matmul(own / size, (piece / theirs).transpose(1, 2)) for piece, theirs in others], 1)
    best = alike.amax(1, keepdim=True)
    each = torch.arange(STROKES)
    two = there.unsqueeze(1) & there.unsqueeze(2) & (each.unsqueeze(1) != each)
    weights = torch.where(two.unsqueeze(1) & (best > ALIKE), torch.exp((best - 1) / width.unsqueeze(1)), 0.0)
    weights = weights * (alike == best)
    whole = weights.sum((1, 3)).unsqueeze(2)
    louder = weights * alike * size.unsqueeze(1)
    mean = sum(torch.matmul(louder[:, move] / theirs.transpose(1, 2), piece) for move, (piece, theirs) in enumerate(others))
    mean = mean / (whole + TINY)
    # To how many pieces of one weight they come.
    several = whole.square() / (weights.square().sum((1, 3)).unsqueeze(2) + TINY**2)
    share = several / (several + 1) * (whole / SUPPORT).clamp(max=1)
    share = share * doubt / (doubt + (mean - own).square().sum(2, keepdim=True) + TINY)
    window = (torch.arange(LENGTH) + 1).clamp(max=BEFORE + 1) / (BEFORE + 1)
    window = window * (LENGTH - torch.arange(LENGTH)).clamp(max=FALL + 1) / (FALL + 1)
    gain = (share * (mean - own)).reshape(batch, STROKES, sides, LENGTH).transpose(1, 2) * window
    gain = gain.reshape(batch, sides, STROKES * LENGTH)
    shown = (there.unsqueeze(2).to(window) * window).reshape(batch, 1, STROKES * LENGTH)
    # Where pieces lie over each other, the mean of what they want.
    silence = torch.zeros_like(_padded(drums))
    gained = silence.scatter_add(2, steps.expand(-1, sides, -1) + MOVED, gain)
    shown = silence[:, :1].scatter_add(2, steps + MOVED, shown)
    return (gained / shown.clamp(min=1))[..., BEFORE + MOVED : BEFORE + MOVED + samples]


def _strokes(wave: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """[B, 2, samples] to where strokes begin, [B, STROKES], and which of these there are."""
    loud = _loudness(wave)
    loudest = loud.amax(2, keepdim=True)
    level = torch.log(loud + 1e-4 * loudest + TINY)
    rise = functional.pad(level[..., 2 * STEP :] - level[..., : -2 * STEP], (STEP, STEP))
    steepest = functional.max_pool1d(rise, 2 * NEAR + 1, 1, NEAR)
    soon = functional.max_pool1d(functional.pad(loud, (0, FALL - 1)), FALL, 1)
    begins = (rise == steepest) & (rise > RISE) & (soon > FAINT * loudest + TINY)
    found, at = torch.topk(torch.where(begins, soon, 0.0)[:, 0], STROKES)
    return at, found > 0


def _loudness(wave: torch.Tensor) -> torch.Tensor:
    """[B, 2, samples] to the power of both sides, smoothed, [B, 1, samples]."""
    window = torch.hann_window(SMOOTH + 2, periodic=False)[1:-1]
    return functional.conv1d(wave.square().sum(1, keepdim=True), (window / window.sum()).view(1, 1, -1), padding=SMOOTH // 2)


def _padded(wave: torch.Tensor) -> torch.Tensor:
    """With room for pieces that begin with the wave or end after it."""
    return functional.pad(wave, (BEFORE + MOVED, LENGTH + MOVED))
