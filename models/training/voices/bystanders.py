"""Sounds that are no voice, made from formulas: noise that swells and ebbs, chords that are struck or held, hum, clicks."""

from __future__ import annotations

import numpy as np

RATE_HZ = 16_000


def noise(count: int, generator: np.random.Generator) -> np.ndarray:
    """Between white and brown, of unit power."""
    spectrum = np.fft.rfft(generator.standard_normal(count))
    spectrum /= np.maximum(np.arange(len(spectrum)), 8.0) ** generator.uniform(0.0, 1.0)
    return _unit(np.fft.irfft(spectrum, count))


def swelling(count: int, generator: np.random.Generator) -> np.ndarray:
    """Noise whose level wanders by up to 30 dB, as wind, traffic and a crowd do."""
    points = generator.uniform(-30.0, 0.0, max(3, count // 6_000))
    level_db = np.interp(np.linspace(0.0, len(points) - 1.0, count), np.arange(len(points)), points)
    return _unit(noise(count, generator) * 10.0 ** (level_db / 20.0))


def chords(count: int, generator: np.random.Generator) -> np.ndarray:
    """Chord after chord of three or four notes with their harmonics, struck or held."""
    result = np.zeros(count)
    beat = int(generator.uniform(0.2, 0.9) * RATE_HZ)
    decay_s = generator.choice([0.15, 0.4, 1.0, 20.0])
    fall = generator.uniform(0.8, 2.2)
    for start in range(0, count, beat):
        time = np.arange(min(2 * beat, count - start)) / RATE_HZ
        root_hz = 55.0 * 2.0 ** (generator.integers(0, 36) / 12.0)
        attack = np.clip(time / generator.uniform(0.002, 0.08), 0.0, 1.0)
        release = np.clip((len(time) / RATE_HZ - time) / 0.05, 0.0, 1.0)
        envelope = attack * release * np.exp(-time / decay_s)
        for semitones in generator.choice([0, 3, 4, 7, 10, 11, 12, 16, 19], generator.integers(2, 5), replace=False):
            note_hz = root_hz * 2.0 ** (semitones / 12.0)
            harmonics = np.arange(1, min(16, int(7_500.0 / note_hz)) + 1)
            phases = generator.uniform(0.0, 2.0 * np.pi, len(harmonics))
            waves = np.sin(2.0 * np.pi * note_hz * harmonics[:, None] * time + phases[:, None])
            result[start : start + len(time)] += envelope * (harmonics ** (-fall) @ waves)
    return _unit(result)


def clicks(count: int, generator: np.random.Generator) -> np.ndarray:
    """Short bursts of noise: keys, steps, drums."""
    result = np.zeros(count)
    place = 0
    while place < count:
        length = int(generator.uniform(0.01, 0.15) * RATE_HZ)
        burst = noise(length, generator) * np.exp(-np.arange(length) / (0.25 * length))
        end = min(count, place + length)
        result[place:end] += burst[: end - place] * generator.uniform(0.2, 1.0)
        place += int(generator.uniform(0.08, 0.8) * RATE_HZ)
    return _unit(result)


def hum(count: int, generator: np.random.Generator) -> np.ndarray:
    """Mains and its harmonics, with hiss."""
    time = np.arange(count) / RATE_HZ
    tones = sum(generator.uniform(0.0, 1.0) / k * np.sin(2.0 * np.pi * 50.0 * k * time) for k in range(1, 12))
    return _unit(tones + noise(count, generator) * generator.uniform(0.05, 0.5))


KINDS = (noise, swelling, chords, chords, clicks, hum)


def any_kind(count: int, generator: np.random.Generator) -> np.ndarray:
    """One of them, of unit power."""
    return KINDS[generator.integers(len(KINDS))](count, generator)


def _unit(sound: np.ndarray) -> np.ndarray:
    return sound / max(float(np.sqrt(np.mean(sound**2))), 1e-9)
