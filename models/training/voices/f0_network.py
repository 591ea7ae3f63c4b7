"""The pitch network: log mel in, salience of 360 pitches out, as in RMVPE's tensor contract."""

from __future__ import annotations

from functools import cache

import numpy as np
import torch
from torch import nn

from . import spectra
from .networks import GatedBlock

N_FFT, HOP, MELS = 1024, 160, 128
MEL_RANGE_HZ = (30.0, 8_000.0)
LOG_FLOOR = 1e-5
PITCHES, CENTS_BASE, CENTS_STEP = 360, 1997.3794084376191, 20.0
"""Cents above 10 Hz."""
WIDTH, CHANNELS = 192, 32
DILATIONS = (1, 2, 4, 8, 1)


@cache
def _filters() -> np.ndarray:
    """[513, 128]: triangles on the HTK scale, Slaney's area normalisation."""
    points = spectra.from_mel(np.linspace(*spectra.to_mel(MEL_RANGE_HZ), MELS + 2))
    hz = np.linspace(0.0, 8_000.0, N_FFT // 2 + 1)[:, None]
    rising = (hz - points[:-2]) / (points[1:-1] - points[:-2])
    falling = (points[2:] - hz) / (points[2:] - points[1:-1])
    filters = np.maximum(0.0, np.minimum(rising, falling)) * (2.0 / (points[2:] - points[:-2]))
    return filters.astype(np.float32)


def log_mel(samples: torch.Tensor) -> torch.Tensor:
    """[B, N] to [B, 128, N / 160], natural logarithm of mel magnitudes."""
    window = torch.hann_window(N_FFT)
    spectrum = torch.stft(samples, N_FFT, HOP, window=window, center=True, return_complex=True).abs()
    mel = torch.matmul(spectrum.transpose(1, 2), torch.from_numpy(_filters()))
    return torch.log(torch.clamp(mel, min=LOG_FLOOR)).transpose(1, 2)[:, :, : samples.shape[1] // HOP]


class PitchNetwork(nn.Module):
    """Two-dimensional convolutions keep the pattern of harmonics alike at every pitch; then context over time.

    Salience is the product of what each pitch claims and one decision whether there is a pitch at all.
    """

    def __init__(self):
        super().__init__()
        self.front = nn.Sequential(
            nn.Conv2d(1, 16, (7, 3), padding=(3, 1)),
            nn.SiLU(),
            nn.Conv2d(16, CHANNELS, (7, 3), stride=(2, 1), padding=(3, 1)),
            nn.SiLU(),
            nn.Conv2d(CHANNELS, CHANNELS, (5, 3), stride=(2, 1), padding=(2, 1)),
            nn.SiLU(),
        )
        self.project = nn.Conv1d(CHANNELS * MELS // 4, WIDTH, 1)
        self.blocks = nn.ModuleList([GatedBlock(WIDTH, dilation) for dilation in DILATIONS])
        self.result = nn.Conv1d(WIDTH, PITCHES, 1)
        self.voicing = nn.Conv1d(WIDTH, 1, 1)
        for block in self.blocks[3:]:
            nn.init.zeros_(block.close.weight)
            nn.init.zeros_(block.close.bias)
        nn.init.zeros_(self.voicing.weight)
        nn.init.constant_(self.voicing.bias, 2.0)

    def logits(self, mel: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """[B, 128, T] to pitches [B, T, 360] and voicing [B, T, 1]."""
        hidden = self.front(((mel + 4.0) * 0.3)[:, None])
        hidden = self.project(hidden.flatten(1, 2))
        for block in self.blocks:
            hidden = block(hidden)
        return self.result(hidden).transpose(1, 2), self.voicing(hidden).transpose(1, 2)

    def forward(self, mel: torch.Tensor) -> torch.Tensor:
        pitches, voicing = self.logits(mel)
        return torch.sigmoid(pitches) * torch.sigmoid(voicing)


def decode(salience: np.ndarray, threshold: float) -> np.ndarray:
    """[T, 360] to Hz: the salience-weighted mean of nine pitches around the best; 0 below the threshold."""
    best = salience.argmax(axis=1)
    offsets = np.clip(best[:, None] + np.arange(-4, 5), 0, PITCHES - 1)
    weights = np.take_along_axis(salience, offsets, axis=1).astype(np.float64)
    cents = CENTS_BASE + CENTS_STEP * (weights * offsets).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-9)
    return np.where(salience.max(axis=1) >= threshold, 10.0 * 2.0 ** (cents / 1200.0), 0.0)
