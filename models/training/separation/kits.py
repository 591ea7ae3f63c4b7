"""Drums of every size: a kit is drawn for each track, electronic or of skins, so that no two tracks share one.

Sound banks have few kits, which a network learns by heart: read at another speed, their own drums came out 2 dB worse.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import signal

from . import compose, effects, seeds
from .store import RATE, Writer

SECONDS = 40.0
MEMBRANE = (1.0, 1.594, 2.136, 2.296, 2.653, 2.918, 3.156, 3.501)
"""Frequencies of an ideal round skin's modes against the lowest (zeros of Bessel functions: Fletcher and Rossing, The Physics of
Musical Instruments, table 3.1)."""

Stroke = Callable[[float], np.ndarray]
"""From how hard it is struck (0 to 1) to a wave."""


def _time(seconds: float) -> np.ndarray:
    return np.arange(int(seconds * RATE)) / RATE


def _between(rng: random.Random, low: float, high: float) -> float:
    """Evenly on a logarithmic scale."""
    return float(low * (high / low) ** rng.random())


def _swept(rng: random.Random, noise: np.random.Generator, low: float, high: float) -> Stroke:
    """A sine that falls to its pitch, as analogue drum machines have it."""
    hertz, drop, fall = _between(rng, low, high), _between(rng, 0.2, 9), _between(rng, 0.004, 0.06)
    decay, curve, drive = _between(rng, 0.05, 0.8), rng.choice((1.0, 1.0, 0.6, 2.0)), rng.choice((0, 0, 1.5, 4))
    click, corner = rng.uniform(0, 0.8), _between(rng, 500, 6000)
    sink = rng.choice((0, 0, rng.uniform(0, 0.3)))

    def stroke(force: float) -> np.ndarray:
        at = _time(min(2.5, decay * 5))
        pitch = hertz * (1 + drop * (0.5 + 0.5 * force) * np.exp(-at / fall)) * (1 - sink * at / at[-1])
        wave = np.sin(2 * np.pi * np.cumsum(pitch) / RATE) * np.exp(-((at / decay) ** curve))
        if drive:
            wave = np.tanh(drive * wave) / np.tanh(drive)
        tap = _tap(noise, corner, 0.003)
        wave[: len(tap)] += click * tap[: len(wave)]
        return wave

    return stroke


def _skin(rng: random.Random, noise: np.random.Generator, low: float, high: float) -> Stroke:
    """A struck skin with air: modes that ring the shorter the higher they are, a little too high while the skin is bent."""
    hertz, decay, damp = _between(rng, low, high), _between(rng, 0.08, 0.9), rng.uniform(0.5, 2.0)
    modes = [(ratio * rng.uniform(0.97, 1.03), rng.uniform(0.1, 1) / (1 + place) ** rng.uniform(0.3, 1.5), rng.random())
             for place, ratio in enumerate(MEMBRANE)]  # fmt: skip
    bend, slap, corner = rng.uniform(0, 0.15), rng.uniform(0.05, 0.8), _between(rng, 300, 5000)
    room = _between(rng, 0.01, 0.12)

    def stroke(force: float) -> np.ndarray:
        at = _time(min(2.5, decay * 5))
        glide = np.cumsum(hertz * (1 + bend * force * np.exp(-at / 0.06))) / RATE
        wave = np.zeros(len(at))
        for ratio, share, phase in modes:
            wave += share * np.sin(2 * np.pi * (ratio * glide + phase)) * np.exp(-at / decay * ratio**damp)
        wave *= np.minimum(1, at / 0.0015)
        tap = _tap(noise, corner, room)
        wave[: len(tap)] += slap * tap[: len(wave)]
        return wave * 0.7

    return stroke


def _tap(noise: np.random.Generator, corner: float, decay: float) -> np.ndarray:
    at = _time(decay * 6)
    forward, back = signal.butter(1, min(corner, 18000) / (RATE / 2), "highpass" if corner > 2500 else "lowpass")
    return signal.lfilter(forward, back, noise.normal(size=len(at))) * np.exp(-at / decay)


def _snare(rng: random.Random, noise: np.random.Generator) -> Stroke:
    skin = (_skin if rng.random() < 0.5 else _swept)(rng, noise, 130, 330)
    rattle, decay, edge = rng.uniform(0.3, 2.0), _between(rng, 0.03, 0.3), _between(rng, 300, 2500)
    band = signal.butter(1, (edge, _between(rng, 6000, 16000)), "bandpass", fs=RATE, output="sos")

    def stroke(force: float) -> np.ndarray:
        body = skin(force) * 0.6
        at = _time(decay * 6)
        wires = signal.sosfilt(band, noise.normal(size=len(at))) * np.exp(-at / decay) * rattle
        out = np.zeros(max(len(body), len(wires)))
        out[: len(body)] += body
        out[: len(wires)] += wires
        return out

    return stroke


def _metal(rng: random.Random, noise: np.random.Generator, shortest: float, longest: float) -> Stroke:
    """Cymbals and hats: clusters of partials and noise."""
    decay, edge = _between(rng, shortest, longest), _between(rng, 1500, 9000)
    partials = [_between(rng, 300, 12000) for _ in range(rng.randint(4, 14))]
    hiss = rng.uniform(0.2, 1.0)
    high = signal.butter(2, edge, "highpass", fs=RATE, output="sos")

    def stroke(force: float) -> np.ndarray:
        at = _time(min(3.0, decay * 6))
        ring = sum(np.sign(np.sin(2 * np.pi * hertz * at + place)) for place, hertz in enumerate(partials)) / len(partials)
        return signal.sosfilt(high, ring + hiss * noise.normal(size=len(at))) * np.exp(-at / decay) * 0.5

    return stroke


def kit(rng: random.Random, noise: np.random.Generator) -> Callable[[int], Stroke]:
    """A stroke for each General MIDI drum key."""
    electronic = rng.random() < 0.5
    deep = _swept if electronic else _skin
    kicks = deep(rng, noise, 34, 125)
    toms = {key: (deep if rng.random() < 0.8 else _skin)(rng, noise, 55, 260) for key in (41, 43, 45, 47, 48, 50)}
    snares = {key: _snare(rng, noise) for key in (37, 38, 39, 40)}
    crashes, closed, opened = (_metal(rng, noise, *span) for span in ((0.2, 1.0), (0.01, 0.08), (0.05, 0.5)))
    hands = {key: _skin(rng, noise, 150, 700) for key in (60, 61, 62, 63, 64)}
    sticks = _metal(rng, noise, 0.01, 0.1)

    def of(key: int) -> Stroke:
        if key in (35, 36):
            return kicks
        if key in (49, 52, 55, 57):
            return crashes
        if key in (42, 44, 54, 69, 70, 82):
            return closed
        if key in (46, 51, 53, 59):
            return opened
        return toms.get(key) or snares.get(key) or hands.get(key) or sticks

    return of


def render(part: compose.Part, song: compose.Song, rng: random.Random, noise: np.random.Generator) -> np.ndarray:
    """[frames, 2] f32: the part's strokes, each kind of drum in a place of its own."""
    frames = int(song.seconds * RATE)
    drums, out = kit(rng, noise), np.zeros((frames, 2))
    width, levels = rng.uniform(0, 0.6), {}
    for beat, _, key, velocity in part.notes:
        start = int(beat * 60 / song.bpm * RATE)
        if not 0 <= start < frames:
            continue
        force = velocity / 127
        deep = int(key) in (35, 36)
        level, angle = levels.setdefault(
            int(key), (10 ** (rng.uniform(-8, 4) / 20), np.pi / 4 + (0 if deep else rng.uniform(-width, width)))
        )
        wave = drums(int(key))(force)[: frames - start] * (level * force)
        out[start : start + len(wave)] += wave[:, None] * np.array([np.cos(angle), np.sin(angle)])
    return (out * 0.2).astype(np.float32)


def generate(folder: Path, split: str, first: int, count: int) -> None:
    """Tracks `first` to `first + count - 1`, the drums of songs that nothing else is made of."""
    writer = Writer(folder, f"{split}-drums-{first}")
    began = time.process_time()
    for number in range(first, first + count):
        name = f"{split}-kit-{number}"
        if name in writer.songs:
            continue
        song = compose.compose(name, SECONDS)
        parts = [part for part in song.parts if part.stem == "drums"]
        rng, noise = seeds.rng("kit", name), seeds.array_rng("kit", name)
        if not parts:
            continue
        sound = effects.instrument_chain(render(parts[0], song, rng, noise), rng, noise)
        if effects.level(sound) > 1e-6:
            sound *= min(0.05 / effects.level(sound), 0.95 / (np.abs(sound).max() + 1e-9))
            writer.add(sound, "drums", name, engine="kits", style=song.style)
        print(number, song.style, f"{time.process_time() - began:.0f} s", flush=True)
