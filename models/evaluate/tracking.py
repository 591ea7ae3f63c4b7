"""An independent check of the fundamental: WORLD's harvest and stonemask, none of our own models."""

from __future__ import annotations

import numpy as np
import pyworld
from scipy.signal import resample_poly

HOP_S = 0.01
CHECK_RATE_HZ = 16_000


def mono_at_check_rate(samples: np.ndarray, rate_hz: int) -> np.ndarray:
    """The mean of the channels at 16 kHz."""
    mono = samples.mean(axis=1) if samples.ndim == 2 else samples
    common = int(np.gcd(rate_hz, CHECK_RATE_HZ))
    return np.ascontiguousarray(resample_poly(mono, CHECK_RATE_HZ // common, rate_hz // common), np.float64)


def f0_of(samples: np.ndarray, rate_hz: int) -> np.ndarray:
    """Hz every 10 ms, 0 = no pitch."""
    mono = mono_at_check_rate(samples, rate_hz)
    rough_hz, times = pyworld.harvest(mono, CHECK_RATE_HZ, f0_floor=60.0, f0_ceil=1000.0, frame_period=1000 * HOP_S)
    return pyworld.stonemask(mono, rough_hz, times, CHECK_RATE_HZ)
