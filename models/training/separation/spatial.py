"""The lead package's graph: the late room is taken out by linear prediction (`room.py`), what stands in the middle is told from
what stands beside it by least squares, and the network then takes the rest of them and of the room out of the middle.

With M half the sum and S half the difference of the sides, a lead in the middle is in M alone, and a harmony beside it is
in S and, times a factor that its place gives, in M. The factor is the real b that makes M - b S smallest over a neighbourhood
of bins and frames; M - b S is then the lead, and (b S + S, b S - S) the harmony. A room's answer is in S too, but hardly
coherent with M: where the coherence is low nothing is taken for harmony. The network, which hears what is left, takes out what
is left of the room and what least squares missed of the harmony.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from . import room

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
# Frames.
WINDOW = 256
OVERLAP = 48


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
    """[1, 4, BINS, T] to [1, 3, 4, BINS, T]: lead, harmony, reverb; they sum to the input. All but the late room is found in
    windows of WINDOW frames, which keeps memory low; the network was trained on such, of what `beside` leaves. T is as long as some
    of them that overlap by OVERLAP."""

    def __init__(self, network: nn.Module):
        super().__init__()
        self.network = network
        self.register_buffer("fade", (torch.arange(OVERLAP) + 0.5) / OVERLAP)

    def forward(self, mix: torch.Tensor) -> torch.Tensor:
        late = room.late(mix)
        starts = range(0, mix.shape[3] - OVERLAP, WINDOW - OVERLAP)
        windows = [self._window(mix[..., start : start + WINDOW], late[..., start : start + WINDOW]) for start in starts]
        found = windows[0]
        for window in windows[1:]:
            between = found[..., -OVERLAP:] * (1 - self.fade) + window[..., :OVERLAP] * self.fade
            found = torch.cat([found[..., :-OVERLAP], between, window[..., OVERLAP:]], 4)
        return torch.cat([mix[:, None] - found.sum(1, keepdim=True), found], 1)

    def _window(self, mix: torch.Tensor, late: torch.Tensor) -> torch.Tensor:
        """Harmony and reverb, [1, 2, 4, BINS, WINDOW]."""
        late = functional.pad(late, (0, 0, 0, mix.shape[2] - late.shape[2]))
        dry = mix - late
        aside = beside(dry)
        parts = self.network(dry - aside)
        return torch.stack([aside + parts[:, 1], late + parts[:, 2] * ROOM_SHARE], 1)
