"""The figures that the gates look at, as functions of samples at 16 kHz."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyworld

from . import spectra

RATE_HZ = 16_000
COEFFICIENTS, WARPING = 24, 0.42
"""Mel cepstrum without its zeroth coefficient; the all-pass constant that is usual at 16 kHz."""
SOUNDING_WITHIN_DB = 40.0
MIXTURES = 24


def sounding_frames(samples: np.ndarray, hop: int = 160) -> np.ndarray:
    """Which 10 ms frames are within 40 dB of the loudest."""
    frames = len(samples) // hop
    power = (samples[: frames * hop].reshape(frames, hop) ** 2).mean(axis=1)
    return power > power.max() * 10 ** (-SOUNDING_WITHIN_DB / 10)


@cache
def _warped_places(bins: int) -> np.ndarray:
    """Where on the linear axis (0 to bins - 1) evenly spaced points of the all-pass axis lie."""
    warped = np.linspace(0.0, np.pi, bins)
    linear = warped - 2.0 * np.arctan2(WARPING * np.sin(warped), 1.0 + WARPING * np.cos(warped))
    return np.clip(linear / np.pi, 0.0, 1.0) * (bins - 1)


def mel_cepstra(samples: np.ndarray, f0_hz: np.ndarray) -> np.ndarray:
    """[T, 24] of the sounding frames, of WORLD's envelope; minimum phase convention, as SPTK's mcep has it."""
    samples = np.ascontiguousarray(samples, np.float64)
    times = np.arange(len(f0_hz)) * 0.01
    power = pyworld.cheaptrick(samples, np.ascontiguousarray(f0_hz, np.float64), times, RATE_HZ)
    log_amplitude = 0.5 * np.log(power + 1e-12)
    place = _warped_places(log_amplitude.shape[1])
    low = np.minimum(place.astype(int), log_amplitude.shape[1] - 2)
    warped = log_amplitude[:, low] * (1 - (place - low)) + log_amplitude[:, low + 1] * (place - low)
    cepstrum = np.fft.irfft(warped, axis=1)[:, 1 : COEFFICIENTS + 1] * 2.0
    sounding = sounding_frames(samples)
    frames = min(len(sounding), len(cepstrum))
    return cepstrum[:frames][sounding[:frames]]


def f0_of(samples: np.ndarray, lowest_hz: float = 55.0, highest_hz: float = 1100.0) -> np.ndarray:
    """WORLD's DIO and StoneMask, every 10 ms."""
    samples = np.ascontiguousarray(samples, np.float64)
    rough_hz, times = pyworld.dio(samples, RATE_HZ, lowest_hz, highest_hz, frame_period=10.0)
    return pyworld.stonemask(samples, rough_hz, times, RATE_HZ)


def distortion_db(one: np.ndarray, other: np.ndarray) -> float:
    """Mel cepstral distortion of two sequences along the best warping path."""
    cost = np.sqrt(((one[:, None] - other[None]) ** 2).sum(axis=2))
    total = np.full((len(one) + 1, len(other) + 1), np.inf)
    steps = np.zeros_like(total, dtype=int)
    total[0, 0] = 0.0
    for row in range(1, len(one) + 1):
        before, steps_before = total[row - 1], steps[row - 1]
        here, steps_here = total[row], steps[row]
        for column in range(1, len(other) + 1):
            best, taken = before[column - 1], steps_before[column - 1]
            if before[column] < best:
                best, taken = before[column], steps_before[column]
            if here[column - 1] < best:
                best, taken = here[column - 1], steps_here[column - 1]
            here[column] = best + cost[row - 1, column - 1]
            steps_here[column] = taken + 1
    return float(10.0 / np.log(10.0) * np.sqrt(2.0) * total[-1, -1] / steps[-1, -1])


def long_term_db(samples: np.ndarray, rate_hz: int = RATE_HZ, bands: int = 40) -> np.ndarray:
    """Mean level per mel band between 200 Hz and 7.6 kHz over the sounding frames, its mean removed."""
    hop, window = rate_hz // 100, rate_hz // 25
    starts = np.arange(0, len(samples) - window, hop)
    spectrum = np.fft.rfft(samples[starts[:, None] + np.arange(window)] * np.hanning(window), axis=1)
    power = np.abs(spectrum) ** 2
    loud = power.sum(axis=1)
    sounding = loud > loud.max() * 10 ** (-SOUNDING_WITHIN_DB / 10)
    filters = spectra.triangles(200.0, 7_600.0, bands, power.shape[1], rate_hz / 2)
    level = (10.0 * np.log10(power[sounding] @ filters + 1e-9)).mean(axis=0)
    return level - level.mean()


def speaker_features(samples: np.ndarray) -> np.ndarray:
    """[T, 19] cepstra of the log mel spectrum without the zeroth, of the sounding frames."""
    from scipy.fft import dct

    window, hop = 512, 160
    starts = np.arange(0, len(samples) - window, hop)
    spectrum = np.fft.rfft(samples[starts[:, None] + np.arange(window)] * np.hanning(window), axis=1)
    mel = np.log(np.abs(spectrum) ** 2 @ spectra.triangles(50.0, 7_800.0, 64, 257, 8_000.0) + 1e-6)
    sounding = sounding_frames(samples)[: len(mel)]
    return dct(mel, norm="ortho", axis=1)[: len(sounding), 1:20][sounding]


class Mixture:
    """A Gaussian mixture with diagonal covariances, by expectation maximisation from a seeded k-means."""

    def __init__(self, frames: np.ndarray, seed: int = 5):
        generator = np.random.default_rng(seed)
        self.means = frames[generator.choice(len(frames), MIXTURES, replace=False)].copy()
        self.variances = np.tile(frames.var(axis=0), (MIXTURES, 1))
        self.log_weights = np.full(MIXTURES, -np.log(MIXTURES))
        floor = 0.02 * frames.var(axis=0)
        for _ in range(25):
            scores = self._scores(frames)
            shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
            mass = shares.sum(axis=0) + 1e-6
            self.means = shares.T @ frames / mass[:, None]
            self.variances = np.maximum(shares.T @ frames**2 / mass[:, None] - self.means**2, floor)
            self.log_weights = np.log(mass / mass.sum())

    def _scores(self, frames: np.ndarray) -> np.ndarray:
        inverse = 1.0 / self.variances
        distance = frames**2 @ inverse.T - 2.0 * frames @ (self.means * inverse).T + (self.means**2 * inverse).sum(1)
        return self.log_weights - 0.5 * (distance + np.log(self.variances).sum(1))

    def likelihood(self, frames: np.ndarray) -> float:
        """Mean log likelihood per frame."""
        return float(np.logaddexp.reduce(self._scores(frames), axis=1).mean())
