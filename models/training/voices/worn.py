"""Sound as microphones, rooms, telephones and bystanders leave it."""

from __future__ import annotations

import numpy as np
import soxr
from scipy import signal

from . import bystanders

RATE_HZ = 16_000


def worn(samples: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """[N] at 16 kHz, changed at random, as long and about as loud as before."""
    result = samples
    if generator.random() < 0.25:
        result = in_a_room(result, generator)
    if generator.random() < 0.6:
        result = coloured(result, generator)
    if generator.random() < 0.6:
        level = rms(result) * 10.0 ** (-generator.uniform(10.0, 45.0) / 20.0)
        result = result + bystanders.noise(len(result), generator) * level
    if generator.random() < 0.3:
        level = rms(result) * 10.0 ** (-generator.uniform(4.0, 25.0) / 20.0)
        result = result + bystanders.any_kind(len(result), generator) * level
    if generator.random() < 0.3:
        result = by_telephone(result, generator)
    return result * (rms(samples) / max(rms(result), 1e-9)) * 10.0 ** (generator.uniform(-4.0, 4.0) / 20.0)


def rms(samples: np.ndarray) -> float:
    """Of all samples."""
    return float(np.sqrt(np.mean(np.square(samples))))


def in_a_room(samples: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """With an exponentially decaying tail of noise, 0.1 to 0.7 s to -60 dB, whose power is 3 to 18 dB below the sound's."""
    decay_s = generator.uniform(0.1, 0.7)
    times = np.arange(round(decay_s * RATE_HZ)) / RATE_HZ
    tail = generator.standard_normal(len(times)) * 10.0 ** (-3.0 * times / decay_s)
    tail *= 10.0 ** (-generator.uniform(3.0, 18.0) / 20.0) / np.sqrt(np.sum(tail**2))
    tail[0] = 1.0
    return signal.fftconvolve(samples, tail)[: len(samples)]


def coloured(samples: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Through a filter of linear phase whose gain wanders by some decibels along the mel scale."""
    gains_db = generator.normal(0.0, 3.0, 7) + np.linspace(0.0, generator.uniform(-9.0, 6.0), 7)
    points_hz = np.array([0.0, 250.0, 600.0, 1_200.0, 2_200.0, 4_000.0, 8_000.0])
    taps = signal.firwin2(255, points_hz, 10.0 ** (gains_db / 20.0), fs=RATE_HZ)
    return signal.fftconvolve(samples, taps, mode="same")


def by_telephone(samples: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """At 8 kHz, with the band of a telephone half of the time, in 8 bits by mu-law half of the time."""
    narrow = soxr.resample(samples, RATE_HZ, 8_000)
    if generator.random() < 0.5:
        narrow = signal.sosfilt(signal.butter(3, (250.0, 3_500.0), "bandpass", fs=8_000, output="sos"), narrow)
    if generator.random() < 0.5:
        peak = max(float(np.abs(narrow).max()), 1e-9)
        squeezed = np.sign(narrow) * np.log1p(255.0 * np.abs(narrow) / peak) / np.log(256.0)
        steps = np.round(squeezed * 127.0) / 127.0
        narrow = np.sign(steps) * np.expm1(np.abs(steps) * np.log(256.0)) / 255.0 * peak
    wide = soxr.resample(narrow, 8_000, RATE_HZ)
    return np.pad(wide, (0, max(0, len(samples) - len(wide))))[: len(samples)]
