"""WORLD analysis, formant warping, continuation above the band of 16 kHz voices, and resynthesis.

An analysis has a frame every 10 ms. Spectral envelopes are natural logarithms of power density on 257 bins up to 8 kHz;
the aperiodicity of a 16 kHz voice is one number per frame (WORLD's coded band at 3 kHz, in dB).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyworld

RATE_HZ = 16_000
FRAME_MS = 10.0
FFT_SIZE = 1024
BINS = 257
"""Every second bin of the 513 that WORLD gives: its envelopes are smooth on the scale of the fundamental."""
KNOWN_HZ = 7_400.0
"""Above, the 16 kHz voices fall off by their own filters; the envelope is continued from here."""
EDGE_BAND_HZ = 1_200.0
"""The continuation starts at the mean level of this band below the edge."""
F0_RANGE_HZ = (60.0, 500.0)


@dataclass(frozen=True)
class Design:
    """How a voice is changed. The identity is `Design()`."""

    formant_warp: float = 1.0
    """Above 1 the formants move up, as of a smaller head."""
    pitch_factor: float = 1.0
    tilt_db: float = 0.0
    """Gain that grows linearly in hertz to this value at 8 kHz and stays there."""
    breath: float = 0.0
    """Added to the aperiodicity, growing with frequency; below 0 the voice is clearer than its source."""
    fall_db_per_khz: float = 3.0
    """How the envelope goes on above what the source knows."""


@dataclass
class Analysis:
    """f0_hz [T] (0 = unvoiced), log_power f32 [T, 257], roughness_db [T] (WORLD's coded aperiodicity, at most 0)."""

    f0_hz: np.ndarray
    log_power: np.ndarray
    roughness_db: np.ndarray


def analyse(samples: np.ndarray) -> Analysis:
    """Of mono sound at 16 kHz."""
    samples = np.ascontiguousarray(samples, np.float64)
    rough_hz, times = pyworld.dio(samples, RATE_HZ, *F0_RANGE_HZ, frame_period=FRAME_MS)
    f0_hz = pyworld.stonemask(samples, rough_hz, times, RATE_HZ)
    power = pyworld.cheaptrick(samples, f0_hz, times, RATE_HZ, fft_size=FFT_SIZE)
    rough = pyworld.d4c(samples, f0_hz, times, RATE_HZ, fft_size=FFT_SIZE)
    coded = pyworld.code_aperiodicity(rough, RATE_HZ)[:, 0]
    return Analysis(f0_hz, np.log(power[:, ::2] + 1e-14).astype(np.float32), coded.astype(np.float32))


def envelope(log_power: np.ndarray, design: Design, hz: np.ndarray, rate_hz: int) -> np.ndarray:
    """Log power density [T, len(hz)] of the designed voice at these frequencies, for synthesis at `rate_hz`."""
    known_hz = np.linspace(0.0, RATE_HZ / 2, log_power.shape[1])
    source_hz = hz / design.formant_warp
    place = np.interp(np.minimum(source_hz, KNOWN_HZ), known_hz, np.arange(len(known_hz)))
    low = np.minimum(place.astype(int), len(known_hz) - 2)
    share = (place - low).astype(np.float32)
    wide = log_power[:, low] * (1.0 - share) + log_power[:, low + 1] * share
    beyond = source_hz > KNOWN_HZ
    if beyond.any():
        edge = (known_hz > KNOWN_HZ - EDGE_BAND_HZ) & (known_hz <= KNOWN_HZ)
        start = log_power[:, edge].mean(axis=1, keepdims=True)
        fall = (source_hz[beyond] - KNOWN_HZ) / 1000.0 * design.fall_db_per_khz
        wide[:, beyond] = start - fall * np.log(10.0) / 10.0
    wide += design.tilt_db * np.minimum(hz / 8000.0, 1.0) * np.log(10.0) / 10.0
    # A density per bin: the same sound at twice the rate has twice the density in half of the bins.
    return wide + np.log(rate_hz / RATE_HZ)


def roughness(roughness_db: np.ndarray, design: Design, hz: np.ndarray) -> np.ndarray:
    """Aperiodicity (amplitude ratio, 0 to 1) [T, len(hz)]: WORLD's straight lines in dB, and noise towards 9 kHz."""
    coded = np.minimum(roughness_db, 0.0)[:, None]
    below = -60.0 + (coded + 60.0) * np.minimum(hz / 3000.0, 1.0)
    above = coded * (1.0 - np.clip((hz - 3000.0) / 5000.0, 0.0, 1.0))
    rough = 10.0 ** (np.where(hz <= 3000.0, below, above) / 20.0)
    rough = np.maximum(rough, 0.95 * np.clip((hz - 4000.0) / 5000.0, 0.0, 1.0))
    return np.clip(rough + design.breath * np.clip(0.2 + hz / 10_000.0, 0.0, 1.0), 0.001, 0.999)


def synthesise(
    f0_hz: np.ndarray, log_power: np.ndarray, roughness_db: np.ndarray, design: Design, rate_hz: int
) -> np.ndarray:
    """Sound of the designed voice with this fundamental (`design.pitch_factor` is not applied)."""
    bins = pyworld.get_cheaptrick_fft_size(rate_hz, F0_RANGE_HZ[0]) // 2 + 1
    hz = np.linspace(0.0, rate_hz / 2, bins)
    power = np.ascontiguousarray(np.exp(envelope(log_power, design, hz, rate_hz).astype(np.float64)))
    rough = np.ascontiguousarray(roughness(roughness_db.astype(np.float64), design, hz))
    samples = pyworld.synthesize(np.ascontiguousarray(f0_hz, np.float64), power, rough, rate_hz, FRAME_MS)
    wanted = len(f0_hz) * rate_hz // 100
    return np.pad(samples, (0, max(0, wanted - len(samples))))[:wanted]
