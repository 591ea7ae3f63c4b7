"""The networks. Shapes: B batch, T frames; content runs at 50 Hz inside, everything else at 100 Hz."""

from __future__ import annotations

import torch
from torch import nn

from . import spectra
from .phones import PHONES

CONTENT_DIM = 64
ENCODER_WIDTH = 160
ENCODER_DILATIONS = (1, 2, 1, 2, 4)


class GatedBlock(nn.Module):
    """Depthwise convolution of 7, a gated product, and the input added: [B, C, T] to [B, C, T]."""

    def __init__(self, width: int, dilation: int):
        super().__init__()
        self.norm = nn.BatchNorm1d(width)
        self.spread = nn.Conv1d(width, width, 7, padding=3 * dilation, dilation=dilation, groups=width)
        self.open = nn.Conv1d(width, 2 * width, 1)
        self.close = nn.Conv1d(width, width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        value, gate = self.open(self.spread(self.norm(x))).chunk(2, 1)
        return x + self.close(value * torch.sigmoid(gate))


class ContentNetwork(nn.Module):
    """Log mel [B, T, 64] at 100 Hz to content [B, T / 2, 64] within -1..1 and phone logits [B, T / 2, 41]."""

    def __init__(self, width: int = ENCODER_WIDTH):
        super().__init__()
        self.stem = nn.Conv1d(spectra.CONTENT_MELS, width, 5, padding=2)
        self.fine = nn.ModuleList([GatedBlock(width, 1), GatedBlock(width, 1)])
        self.halve = nn.Conv1d(width, width, 4, stride=2, padding=1)
        self.coarse = nn.ModuleList([GatedBlock(width, dilation) for dilation in ENCODER_DILATIONS])
        self.bottleneck = nn.Conv1d(width, CONTENT_DIM, 1)
        self.phones = nn.Conv1d(CONTENT_DIM, len(PHONES), 1)

    def forward(self, log_mel: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.stem(log_mel.transpose(1, 2) * 0.25 + 1.0)
        for block in self.fine:
            hidden = block(hidden)
        hidden = self.halve(hidden)
        for block in self.coarse:
            hidden = block(hidden)
        content = torch.tanh(self.bottleneck(hidden))
        return content.transpose(1, 2), self.phones(3.0 * content).transpose(1, 2)


class Recogniser(nn.Module):
    """Measures only, never shipped: cepstra [B, T, 20] at 100 Hz to phone logits [B, T / 2, 41].

    Other features, other layers (plain dilated convolutions with ReLU, a recurrent top) and other seeds than the
    content network, so that the two do not share their errors by design.
    """

    def __init__(self, width: int = 112):
        super().__init__()
        layers: list[nn.Module] = []
        inputs = 3 * 20
        for kernel, dilation, stride in ((5, 1, 1), (3, 1, 2), (3, 2, 1), (3, 3, 1)):
            padding = dilation * (kernel - 1) // 2
            layers += [
                nn.Conv1d(inputs, width, kernel, stride=stride, dilation=dilation, padding=padding),
                nn.ReLU(),
                nn.BatchNorm1d(width),
            ]
            inputs = width
        self.layers = nn.Sequential(*layers)
        self.recurrent = nn.LSTM(width, 64, batch_first=True, bidirectional=True)
        self.phones = nn.Linear(128, len(PHONES))

    def forward(self, cepstra: torch.Tensor) -> torch.Tensor:
        change = cepstra[:, 2:] - cepstra[:, :-2]
        change = nn.functional.pad(change, (0, 0, 1, 1))
        bend = nn.functional.pad(change[:, 2:] - change[:, :-2], (0, 0, 1, 1))
        hidden = self.layers(torch.cat([cepstra, change, bend], 2).transpose(1, 2))
        return self.phones(self.recurrent(hidden.transpose(1, 2))[0])
