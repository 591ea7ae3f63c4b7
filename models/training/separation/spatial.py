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
# Frames.
WINDOW = 256
OVERLAP = 48


def _near(values: torch.Tensor) -> torch.Tensor:
    """Means over the neighbourhood, [B, 1, BINS / ROW, T]."""
    values = functional.avg_pool2d(values, (ROW, 1), (ROW, 1))
    values = functional.avg_pool2d(values, (NEAR_ROWS, 1), 1, (NEAR_ROWS // 2, 0))
    return functional.avg_pool2d(values, (1, NEAR_FRAMES), 1, (0, NEAR_FRAMES // 2))


def _product(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Real parts of two spectra's products, [B, 1, BINS, T]. ONNX Runtime is slow at sums over so short an axis."""
    product = one * other
    return product[:, 0:1] + product[:, 1:2]


def _between(values: torch.Tensor, ends: tuple[float, float]) -> torch.Tensor:
    """0 at the first end and beyond it, 1 at the second."""
    return ((values - ends[0]) / (ends[1] - ends[0])).clamp(0, 1)


def _to_bins(rows: torch.Tensor) -> torch.Tensor:
    batch, one, count, frames = rows.shape
    return rows.unsqueeze(3).expand(-1, -1, -1, ROW, -1).reshape(batch, one, count * ROW, frames)


def _beside(mix: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """What least squares finds beside the middle of [B, 4, BINS, T] (left real, left imaginary, right real, right imaginary), alike,
    and the four powers [B, 4] that `_belief` is told from."""
    middle = (mix[:, 0:2] + mix[:, 2:4]) * 0.5
    side = (mix[:, 0:2] - mix[:, 2:4]) * 0.5
    together = _near(_product(middle, side))
    crosswise = _near(middle[:, 1:2] * side[:, 0:1] - middle[:, 0:1] * side[:, 1:2])
    alone = _near(_product(side, side)) + 1e-6
    whole = _near(_product(middle, middle)) + 1e-6
    in_phase = together * together / whole
    factor = _to_bins((together / alone).clamp(-LARGEST, LARGEST))
    side = side * _to_bins(_between(in_phase / alone, COHERENT))
    to_middle = factor * side
    left = middle - to_middle
    powers = (crosswise * crosswise / whole, in_phase, left * left, middle * middle)
    return torch.cat([to_middle + side, to_middle - side], 1), torch.stack([power.sum((1, 2, 3)) for power in powers], 1)


def _belief(powers: torch.Tensor) -> torch.Tensor:
    """How much of what `_beside` finds is a voice: [B, 1, 1, 1] from 0 to 1."""
    out_of_phase, in_phase, left, whole = powers[:, :, None, None, None].unbind(1)
    return _between(out_of_phase / (in_phase + 1e-9), OUT_OF_PHASE) * _between(left / (whole + 1e-9), STAYS)


def beside(mix: torch.Tensor) -> torch.Tensor:
    """What stands beside the middle of [B, 4, BINS, T] (left real, left imaginary, right real, right imaginary), alike."""
    found, powers = _beside(mix)
    return found * _belief(powers)


class SpatialLead(nn.Module):
    """[1, 4, BINS, T] to [1, 3, 4, BINS, T]: lead, harmony, reverb; they sum to the input. All but the late room is found in
    windows of WINDOW frames, which keeps memory low; the network was trained on such, of what `beside` leaves. T is as long as some
    of them that overlap by OVERLAP."""

    def __init__(self, network: Separator):
        super().__init__()
        self.network = network
        # What its masks leave is the lead with what `beside` and `room` found, so it is worked out here.
        network.rest = None
        self.register_buffer("fade", (torch.arange(OVERLAP) + 0.5) / OVERLAP)

    def forward(self, mix: torch.Tensor) -> torch.Tensor:
        late = room.late(mix)
        windows = []
        for start in range(0, mix.shape[3] - OVERLAP, WINDOW - OVERLAP):
            whole, room_part = mix[..., start : start + WINDOW], late[..., start : start + WINDOW]
            room_part = functional.pad(room_part, (0, 0, 0, mix.shape[2] - late.shape[2]))
            windows.append((whole, room_part, *_beside(whole - room_part)))
        belief = _belief(torch.stack([powers for *_, powers in windows]).sum(0))
        pieces, end = [], None
        for whole, room_part, aside, _ in windows:
            window = self._window(whole, room_part, aside * belief)
            if end is None:
                pieces.append(window[..., :-OVERLAP])
            else:
                pieces += [end + self.fade * (window[..., :OVERLAP] - end), window[..., OVERLAP:-OVERLAP]]
            end = window[..., -OVERLAP:]
        return torch.cat([*pieces, end], 4)

    def _window(self, mix: torch.Tensor, late: torch.Tensor, aside: torch.Tensor) -> torch.Tensor:
        """The three parts, [1, 3, 4, BINS, WINDOW]."""
        parts = self.network(mix - late - aside)
        harmony, reverb = aside + parts[:, 0], late + parts[:, 1] * ROOM_SHARE
        return torch.stack([mix - harmony - reverb, harmony, reverb], 1)
