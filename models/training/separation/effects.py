"""Effects on whole sounds, [frames, 2] f32 at 44.1 kHz: equaliser, saturation, rooms, movement."""

from __future__ import annotations

import random

import numpy as np
from scipy import signal

from .store import RATE


def level(sound: np.ndarray) -> float:
    """RMS over everything."""
    return float(np.sqrt(np.mean(np.square(sound, dtype=np.float64))) + 1e-9)


def peaking(sound: np.ndarray, hz: float, gain_db: float, q: float) -> np.ndarray:
    """Peaking equaliser (Robert Bristow-Johnson's cookbook)."""
    amplitude = 10 ** (gain_db / 40)
    angle = 2 * np.pi * hz / RATE
    alpha = np.sin(angle) / (2 * q)
    forward = np.array([1 + alpha * amplitude, -2 * np.cos(angle), 1 - alpha * amplitude])
    back = np.array([1 + alpha / amplitude, -2 * np.cos(angle), 1 - alpha / amplitude])
    return signal.lfilter(forward / back[0], back / back[0], sound, axis=0).astype(np.float32)


def saturate(sound: np.ndarray, drive: float) -> np.ndarray:
    """Soft clipping that keeps the RMS; `drive` is the RMS in units of the knee."""
    before = level(sound)
    bent = np.tanh(sound / before * drive)
    return (bent * (before / level(bent))).astype(np.float32)


def room(rng: random.Random, noise: np.random.Generator, seconds: float) -> np.ndarray:
    """A stereo room of reverberation time `seconds` without the direct sound: early reflections and a darkening tail.

    [frames, 2], energy 1.
    """
    frames = int(min(seconds, 2.5) * RATE)
    time = np.arange(frames) / RATE
    tail = noise.normal(size=(frames, 2)) * np.exp(-6.9 * time / seconds)[:, None]
    dark = np.exp(-6.9 * time / (seconds * rng.uniform(0.3, 0.8)))[:, None]
    forward, back = signal.butter(1, rng.uniform(1500, 6000) / (RATE / 2))
    low = signal.lfilter(forward, back, tail, axis=0)
    tail = low + (tail - low) * dark * rng.uniform(0.2, 1.0)
    tail[: int(rng.uniform(0.004, 0.04) * RATE)] = 0
    for _ in range(rng.randint(0, 12)):
        place = min(frames - 1, int(rng.uniform(0.003, 0.06) * RATE))
        tail[place] += np.array([rng.uniform(-1, 1), rng.uniform(-1, 1)]) * rng.uniform(1, 6)
    narrow = rng.choice((0.0, 0.0, 0.5, 1.0))
    middle = tail.mean(1, keepdims=True)
    tail = tail * (1 - narrow) + middle * narrow
    return (tail / np.sqrt((tail**2).sum() / 2)).astype(np.float32)


def reverb(sound: np.ndarray, response: np.ndarray, wet: float) -> np.ndarray:
    """The wet part alone, as long as the sound."""
    sides = [signal.fftconvolve(sound[:, side], response[:, side])[: len(sound)] for side in (0, 1)]
    return (wet * np.stack(sides, 1)).astype(np.float32)


def instrument_chain(sound: np.ndarray, rng: random.Random, noise: np.random.Generator) -> np.ndarray:
    """What a mixer might do to one stem."""
    if level(sound) < 1e-6:
        return sound
    for _ in range(rng.randint(0, 2)):
        sound = peaking(sound, 10 ** rng.uniform(1.9, 3.95), rng.uniform(-7, 7), rng.uniform(0.4, 2))
    if rng.random() < 0.3:
        sound = saturate(sound, rng.uniform(0.2, 1.5))
    if rng.random() < 0.3:
        response = room(rng, noise, rng.uniform(0.2, 2.2))
        sound = sound + reverb(sound, response, 10 ** (rng.uniform(-20, -5) / 20))
    if rng.random() < 0.12:
        sound = _chorus(sound, rng)
    if rng.random() < 0.08:
        sound = _filter_sweep(sound, rng)
    return sound.astype(np.float32)


def wander(sound: np.ndarray, delays: np.ndarray) -> np.ndarray:
    """A mono sound [frames] read with a moving delay in samples."""
    frames = len(sound)
    return np.interp(np.arange(frames) - delays, np.arange(frames), sound).astype(np.float32)


def _chorus(sound: np.ndarray, rng: random.Random) -> np.ndarray:
    time = np.arange(len(sound)) / RATE
    out = sound.copy()
    for side in (0, 1):
        rate, depth = rng.uniform(0.2, 3), rng.uniform(0.0005, 0.004) * RATE
        delay = rng.uniform(0.005, 0.02) * RATE + depth * np.sin(2 * np.pi * (rate * time + rng.random()))
        out[:, side] += wander(sound[:, side], delay) * rng.uniform(0.4, 0.9)
    return out


def _filter_sweep(sound: np.ndarray, rng: random.Random) -> np.ndarray:
    """Crosses between the sound and its low part, slowly."""
    forward, back = signal.butter(2, rng.uniform(300, 2500) / (RATE / 2))
    low = signal.lfilter(forward, back, sound, axis=0)
    time = np.arange(len(sound)) / RATE
    open_ = 0.5 + 0.5 * np.sin(2 * np.pi * (rng.uniform(0.05, 0.4) * time + rng.random()))
    return low + (sound - low) * open_[:, None]
