"""The lead package's graph: what stands in the middle is told from what stands beside it by least squares, and the network
then takes the rest of them and the room out of the middle.

With M half the sum and S half the difference of the sides, a lead in the middle is in M alone, and a harmony beside it is
in S and, times a factor that its place gives, in M. The factor is the real b that makes M - b S smallest over a neighbourhood
of bins and frames; M - b S is then the lead, and (b S + S, b S - S) the harmony. A room's answer is in S too, but hardly
coherent with M: where the coherence is low nothing is taken for harmony. The network, which hears what is left, takes out the
room and what least squares missed of the harmony.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

# Bins are taken in rows of eight; the neighbourhood is 0.95 kHz by 0.72 s.
ROW = 8
NEAR_ROWS = 11
NEAR_FRAMES = 31
LARGEST = 4.0
# Squared coherence of middle and side below which there is no voice beside the middle, and above which there is one.
COHERENT = (0.02, 0.10)
# How much of the room that the network hears is taken out: with all of it, one wet file in five got worse than it was, with
# this share none of the held-out ones (chosen on these files; 0.6 gives the best median).
ROOM_SHARE = 0.3


def _near(values: torch.Tensor) -> torch.Tensor:
    """Means over the neighbourhood, [B, 1, BINS / ROW, T]."""
    values = functional.avg_pool2d(values, (ROW, 1), (ROW, 1))
    values = functional.avg_pool2d(values, (NEAR_ROWS, 1), 1, (NEAR_ROWS // 2, 0))
    return functional.avg_pool2d(values, (1, NEAR_FRAMES), 1, (0, NEAR_FRAMES // 2))


def _to_bins(rows: torch.Tensor) -> torch.Tensor:
    batch, one, count, frames = rows.shape
    return rows.unsqueeze(3).expand(-1, -1, -1, ROW, -1).reshape(batch, one, count * ROW, frames)


def beside(mix: torch.Tensor) -> torch.Tensor:
    """What stands beside the middle of [B, 4, BINS, T] (left real, left imaginary, right real, right imaginary), alike."""
    middle = (mix[:, 0:2] + mix[:, 2:4]) * 0.5
    side = (mix[:, 0:2] - mix[:, 2:4]) * 0.5
    together = _near((middle * side).sum(1, keepdim=True))
    alone = _near((side * side).sum(1, keepdim=True)) + 1e-6
    whole = _near((middle * middle).sum(1, keepdim=True)) + 1e-6
    factor = _to_bins((together / alone).clamp(-LARGEST, LARGEST))
    coherence = together * together / (alone * whole)
    share = _to_bins(((coherence - COHERENT[0]) / (COHERENT[1] - COHERENT[0])).clamp(0, 1))
    return torch.cat([factor * side + side, factor * side - side], 1) * share


class SpatialLead(nn.Module):
    """[B, 4, BINS, T] to [B, 3, 4, BINS, T]: lead, harmony, reverb; they sum to the input. The network was trained on what
    `beside` leaves."""

    def __init__(self, network: nn.Module):
        super().__init__()
        self.network = network

    def forward(self, mix: torch.Tensor) -> torch.Tensor:
        aside = beside(mix)
        rest = mix - aside
        parts = self.network(rest)
        harmony = aside + parts[:, 1]
        reverb = parts[:, 2] * ROOM_SHARE
        return torch.stack([mix - harmony - reverb, harmony, reverb], 1)
