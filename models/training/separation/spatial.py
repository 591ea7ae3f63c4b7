"""The lead package's graph: the late room is taken out by linear prediction (`room.py`), what stands in the middle is told from
what stands beside it by least squares, and the network then takes the rest of them and of the room out of the middle.

With M half the sum and S half the difference of the sides, a lead in the middle is in M alone, and a harmony beside it is
in S and, times a factor that its place gives, in M. The factor is the real b that makes M - b S smallest over a neighbourhood
of bins and frames; M - b S is then the lead, and (b S + S, b S - S) the harmony. A room's answer is in S too, but hardly
coherent with M: where the coherence is low nothing is taken for harmony. Early reflections are coherent, but as often out of phase
as in phase, and a voice that leaves nothing in the middle is the lead, wherever it stands: either way what was found in a piece
is not believed. The network, which hears what is left, takes out what is left of the room and what least squares missed of the
harmony.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from . import room
from .model import Separator

# Bins are taken in rows of eight; the neighbourhood is 0.95 kHz by 0.72 s.
ROW = 8
NEAR_ROWS = 11
NEAR_FRAMES = 31
LARGEST = 4.0
# Squared coherence of middle and side below which there is no voice beside the middle, and above which there is one.
COHERENT = (0.02, 0.10)
# What a level puts aside is in phase with the middle, what a room throws aside is not: least squares then help nobody. Of the two
# parts of the product of middle and side, summed over a piece, the power out of phase against that in phase from which on nothing is
# taken to the side, and below which everything is.
OUT_OF_PHASE = (0.2, 0.1)
# And if hardly anything of the middle stayed, that voice beside it would be the only one, and so the lead: the share of power that
# stays in the middle, likewise. On 220 examples of training's kind, pieces with a harmony gained nothing beyond either.
STAYS = (0.3, 0.5)
# How much of the room that the network hears is taken out: with all of it, one wet file in five got worse than it was, with
# this share none of the held-out ones (chosen on these files; 0.6 gives the best median).
ROOM_SHARE = 0.3


def _rows(values: torch.Tensor) -> torch.Tensor:
    """Means over rows of bins, summed over real and imaginary parts where there are both, [B, 1, BINS / ROW, T]."""
    return functional.avg_pool2d(values, (ROW, 1), (ROW, 1)).sum(1, keepdim=True)


def _near(rows: torch.Tensor) -> torch.Tensor:
    """Means over the neighbourhood, of the same shape."""
    rows = functional.avg_pool2d(rows, (NEAR_ROWS, 1), 1, (NEAR_ROWS // 2, 0))
    return functional.avg_pool2d(rows, (1, NEAR_FRAMES), 1, (0, NEAR_FRAMES // 2))


def _between(values: torch.Tensor, ends: tuple[float, float]) -> torch.Tensor:
    """0 at the first end and beyond it, 1 at the second."""
    return ((values - ends[0]) / (ends[1] - ends[0])).clamp(0, 1)


def beside(mix: torch.Tensor) -> torch.Tensor:
    """What stands beside the middle of [B, 4, BINS, T] (left real, left imaginary, right real, right imaginary), alike.

    All but the last step is worked out of products of middle and side that are summed in rows of bins, an eighth of a spectrum's
    numbers.
    """
    middle, side = (mix[:, 0:2] + mix[:, 2:4]) * 0.5, (mix[:, 0:2] - mix[:, 2:4]) * 0.5
    whole, alone, together = (_rows(one * other) for one, other in ((middle, middle), (side, side), (middle, side)))
    # The imaginary part of the product of middle and side.
    crosswise = _rows(mix[:, 0:1] * mix[:, 3:4] - mix[:, 1:2] * mix[:, 2:3]) * 0.5
    near = _near(torch.cat([together, crosswise, alone, whole], 1))
    together_near, crosswise_near, alone_near, whole_near = near.split(1, 1)
    alone_near, whole_near = alone_near + 1e-6, whole_near + 1e-6
    in_phase = together_near * together_near / whole_near
    factor = (together_near / alone_near).clamp(-LARGEST, LARGEST)
    there = _between(in_phase / alone_near, COHERENT)
    # Of M - b S, whose powers follow from those of M and S and from their product.
    taken = factor * there
    left = whole - 2 * taken * together + taken * taken * alone
    out_of_phase, in_phase, left, whole = (
        power.sum((1, 2, 3), keepdim=True) for power in (crosswise_near * crosswise_near / whole_near, in_phase, left, whole)
    )
    belief = _between(out_of_phase / (in_phase + 1e-9), OUT_OF_PHASE) * _between(left / (whole + 1e-9), STAYS)
    there, taken = there * belief, taken * belief
    side = side.unflatten(2, (-1, ROW))
    both = [(side * gain.unsqueeze(3)).flatten(2, 3) for gain in (taken + there, taken - there)]
    return torch.cat(both, 1)


class SpatialLead(nn.Module):
    """[1, 4, BINS, T] to [1, 2, 4, BINS, T]: harmony and reverb; the lead is what they leave of the input."""

    def __init__(self, network: Separator):
        super().__init__()
        self.network = network

    def forward(self, mix: torch.Tensor) -> torch.Tensor:
        late = room.late(mix)
        dry = torch.cat([mix[:, :, : room.BINS] - late, mix[:, :, room.BINS :]], 2)
        aside = beside(dry)
        parts = [part.unbind(1) for part in self.network.parts(dry - aside)]
        harmony = torch.cat([part for part, _ in parts], 2) + aside
        reverb = torch.cat([part for _, part in parts], 2) * ROOM_SHARE
        reverb = torch.cat([reverb[:, :, : room.BINS] + late, reverb[:, :, room.BINS :]], 2)
        return torch.stack([harmony, reverb], 1)
