"""Mel filters and transforms shared by training and export. Torch tensors; 16 kHz, 100 frames per second."""

from __future__ import annotations

import numpy as np
import torch

HOP = 160
CONTENT_FFT, CONTENT_MELS = 512, 64
CONTENT_MEL_RANGE_HZ = (50.0, 7_800.0)
CONTENT_FLOOR = 1e-5
"""Power of a mel band; speech at the reference level has about 1."""


def to_mel(hz):
    """HTK's mel scale."""
    return 2595.0 * np.log10(1.0 + np.asarray(hz) / 700.0)


def from_mel(mel):
    """Inverse of `to_mel`."""
    return 700.0 * (10.0 ** (np.asarray(mel) / 2595.0) - 1.0)


def triangles(low_hz: float, high_hz: float, count: int, bins: int, nyquist_hz: float) -> np.ndarray:
    """[bins, count], each triangle's weights summing to 1."""
    points = from_mel(np.linspace(to_mel(low_hz), to_mel(high_hz), count + 2))
    hz = np.linspace(0.0, nyquist_hz, bins)[:, None]
    rising = (hz - points[:-2]) / (points[1:-1] - points[:-2])
    falling = (points[2:] - hz) / (points[2:] - points[1:-1])
    filters = np.maximum(0.0, np.minimum(rising, falling))
    return (filters / (filters.sum(axis=0) + 1e-8)).astype(np.float32)


def content_filters() -> np.ndarray:
    """[257, 64]."""
    return triangles(*CONTENT_MEL_RANGE_HZ, CONTENT_MELS, CONTENT_FFT // 2 + 1, 8000.0)


def content_log_mel(samples: torch.Tensor) -> torch.Tensor:
    """[N] to [N / 160, 64]: log mel power, frame t being centred on sample 160 t + 80, zeros beyond the ends."""
    padding = (CONTENT_FFT - HOP) // 2
    frames = torch.nn.functional.pad(samples, (padding, padding)).unfold(0, CONTENT_FFT, HOP)
    power = torch.fft.rfft(frames * torch.hann_window(CONTENT_FFT)).abs().pow(2)
    return torch.log(power @ torch.from_numpy(content_filters()) + CONTENT_FLOOR)


def loudness(log_mel: torch.Tensor) -> torch.Tensor:
    """[..., T, 64] at 100 Hz to [..., T / 2] at 50 Hz: the content's 65th channel, about 1 for loud, -1 for silence."""
    power = (torch.exp(log_mel) - CONTENT_FLOOR).clamp(min=0.0).mean(-1)
    pairs = power.unflatten(-1, (-1, 2)).mean(-1)
    return torch.log(pairs + 1e-8) * 0.11 + 1.0
