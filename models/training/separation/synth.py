"""A small synthesiser of our own, unlike the soundfonts: subtractive and FM notes, plucked strings, made-up drums.

Sounds are [frames, 2] f32 at 44.1 kHz. A patch is drawn once a part; its notes share it.
"""

from __future__ import annotations

import random

import numpy as np
from scipy import signal

from .compose import Part, Song
from .store import RATE


def render(parts: list[Part], song: Song, rng: random.Random, noise: np.random.Generator) -> np.ndarray:
    """All parts together."""
    frames = int(song.seconds * RATE)
    out = np.zeros((frames, 2), np.float32)
    for part in parts:
        line = np.zeros(frames + RATE * 4, np.float32)
        voice = _drum_kit(rng, noise) if part.stem == "drums" else _patch(rng, noise, part)
        for beat, length, key, velocity in part.notes:
            start = int(beat * 60 / song.bpm * RATE)
            if not 0 <= start < frames:
                continue
            note = voice(key, length * 60 / song.bpm, velocity / 127)
            line[start : start + len(note)] += note[: len(line) - start]
        angle = (part.pan / 127) * np.pi / 2 if part.stem == "other" else np.pi / 4
        line = line[:frames] * (part.volume / 127)
        if part.stem == "other" and rng.random() < 0.5:
            shift = rng.randint(200, 900)
            wide = np.concatenate([np.zeros(shift, np.float32), line[:-shift]])
            out += np.stack([line * np.cos(angle) + 0.5 * wide, line * np.sin(angle) - 0.5 * wide], 1)
        else:
            out += np.stack([line * np.cos(angle), line * np.sin(angle)], 1)
    return out


def _envelope(frames: int, attack: float, decay: float, sustain: float, hold: int) -> np.ndarray:
    """Attack and decay in seconds; a release of `frames - hold` samples."""
    time = np.arange(frames, dtype=np.float32) / RATE
    shape = np.minimum(1, time / max(attack, 0.001)) * (sustain + (1 - sustain) * np.exp(-time / decay))
    release = np.clip((frames - np.arange(frames)) / max(1, frames - hold), 0, 1)
    return (shape * np.minimum(1, release)).astype(np.float32)


def _patch(rng: random.Random, noise: np.random.Generator, part: Part):
    """A function (key, seconds, velocity) -> note."""
    low = part.stem == "bass"
    kind = rng.choice(("saw", "saw", "square", "fm", "pluck", "organ", "noise_pad") if not low else
                      ("saw", "square", "sine", "fm", "pluck"))  # fmt: skip
    soft = part.kind in ("pad", "swell")
    attack = rng.uniform(0.05, 0.6) if soft else rng.uniform(0.001, 0.03)
    decay, sustain = rng.uniform(0.1, 2.0), rng.choice((0.0, 0.3, 0.7, 1.0)) if not soft else 1.0
    release = rng.uniform(0.02, 0.8 if soft else 0.25)
    detune = [2 ** (rng.uniform(-12, 12) / 1200) for _ in range(rng.choice((1, 2, 3, 5)))]
    cutoff, sweep, resonance = rng.uniform(1.5, 14), rng.uniform(0, 12), rng.uniform(0.5, 5)
    ratio, index = rng.choice((0.5, 1, 2, 3, 1.41, 3.5, 7)), rng.uniform(0.3, 6)
    vibrato_rate, vibrato = rng.uniform(4, 7), rng.choice((0, 0, 5, 15, 35))
    glide, drawbars = rng.choice((0, 0, 0.05)), [rng.random() for _ in range(6)]
    drive = rng.choice((0, 0, 0, 2, 6))
    last = [0.0]

    def play(key: float, seconds: float, velocity: float) -> np.ndarray:
        hold = int(seconds * RATE)
        frames = hold + int(release * RATE)
        hertz = 440 * 2 ** ((key - 69) / 12)
        time = np.arange(frames) / RATE
        cents = vibrato * np.sin(2 * np.pi * vibrato_rate * time) * np.clip(time / 0.4 - 0.4, 0, 1)
        if glide and last[0]:
            cents = cents + 100 * (last[0] - key) * np.exp(-time / glide)
        last[0] = key
        phase = np.cumsum(hertz / RATE * 2 ** (cents / 1200))
        if kind == "fm":
            wave = np.sin(2 * np.pi * phase + index * velocity * np.exp(-time / decay) * np.sin(2 * np.pi * ratio * phase))
        elif kind == "pluck":
            wave = _pluck(hertz, frames, noise, rng.uniform(0.4, 0.6))
        elif kind == "organ":
            wave = sum(bar * np.sin(2 * np.pi * (place + 1) * phase) for place, bar in enumerate(drawbars)) / 2
        elif kind == "sine":
            wave = np.sin(2 * np.pi * phase)
        elif kind == "noise_pad":
            wave = noise.normal(size=frames) * 0.7 + np.sin(2 * np.pi * phase)
        else:
            wave = sum(_oscillator(phase * tune + place * 0.37, hertz, kind) for place, tune in enumerate(detune))
            wave = wave / np.sqrt(len(detune))
        if kind in ("saw", "square", "noise_pad"):
            wave = _low_pass(wave, hertz, cutoff, sweep * velocity, resonance, decay)
        wave = wave * _envelope(frames, attack, decay, sustain, hold)
        if drive:
            wave = np.tanh(drive * wave) / np.sqrt(drive)
        return (wave * (0.25 * (0.3 + 0.7 * velocity))).astype(np.float32)

    return play


def _oscillator(phase: np.ndarray, hertz: float, kind: str) -> np.ndarray:
    """Saw or square with the corner smoothed (polyBLEP), which keeps most aliasing away."""
    step = hertz / RATE

    def saw(turn: np.ndarray) -> np.ndarray:
        wave = 2 * turn - 1
        early, late = turn < step, turn > 1 - step
        position = turn[early] / step
        wave[early] -= position + position - position * position - 1
        position = (turn[late] - 1) / step
        wave[late] -= position * position + position + position + 1
        return wave

    turn = phase % 1
    return saw(turn) if kind == "saw" else (saw(turn) - saw((phase + 0.5) % 1)) * 0.8


def _low_pass(wave: np.ndarray, hertz: float, cutoff: float, sweep: float, q: float, decay: float) -> np.ndarray:
    """A resonant low-pass whose corner falls from (cutoff + sweep) to cutoff times the pitch, in a few steps."""
    out = np.empty(len(wave))
    state = np.zeros(2)
    block = 2048
    for start in range(0, len(wave), block):
        corner = hertz * (cutoff + sweep * np.exp(-start / RATE / decay))
        angle = 2 * np.pi * min(corner, 18000) / RATE
        alpha = np.sin(angle) / (2 * q)
        forward = np.array([(1 - np.cos(angle)) / 2, 1 - np.cos(angle), (1 - np.cos(angle)) / 2]) / (1 + alpha)
        back = np.array([1 + alpha, -2 * np.cos(angle), 1 - alpha]) / (1 + alpha)
        out[start : start + block], state = signal.lfilter(forward, back, wave[start : start + block], zi=state)
    return out


def _pluck(hertz: float, frames: int, noise: np.random.Generator, damp: float) -> np.ndarray:
    """Karplus and Strong's string, as one recursive filter."""
    period = max(4, int(RATE / hertz))
    burst = np.zeros(frames)
    burst[:period] = noise.uniform(-1, 1, min(period, frames))[: len(burst[:period])]
    back = np.zeros(period + 2)
    back[0], back[period], back[period + 1] = 1, -0.996 * damp * 1.0, -0.996 * (1 - damp)
    return signal.lfilter([1.0], back, burst)


def _drum_kit(rng: random.Random, noise: np.random.Generator):
    """A function (key, seconds, velocity) -> stroke, by General MIDI drum keys."""
    kick_hz, kick_drop, kick_decay = rng.uniform(38, 65), rng.uniform(2, 8), rng.uniform(0.08, 0.4)
    snare_hz, snare_decay, snare_noise = rng.uniform(150, 260), rng.uniform(0.06, 0.2), rng.uniform(0.5, 1.5)
    hat_decay, hat_corner = rng.uniform(0.02, 0.08), rng.uniform(5000, 9000)
    partials = [rng.uniform(2000, 9000) for _ in range(6)]
    bits = rng.choice((0, 0, 0, 64))

    def noisy(seconds: float, low: float, high: float | None) -> np.ndarray:
        frames = int(seconds * 6 * RATE)
        edges = low / (RATE / 2) if high is None else (low / (RATE / 2), high / (RATE / 2))
        forward, back = signal.butter(2, edges, "highpass" if high is None else "bandpass")
        return signal.lfilter(forward, back, noise.normal(size=frames)) * np.exp(-np.arange(frames) / RATE / seconds)

    def tone(hertz: float, drop: float, seconds: float) -> np.ndarray:
        time = np.arange(int(seconds * 6 * RATE)) / RATE
        phase = np.cumsum(hertz * (1 + drop * np.exp(-time / 0.02))) / RATE
        return np.sin(2 * np.pi * phase) * np.exp(-time / seconds)

    def add(*waves: np.ndarray) -> np.ndarray:
        out = np.zeros(max(map(len, waves)))
        for wave in waves:
            out[: len(wave)] += wave
        return out

    def stroke(key: float, _seconds: float, velocity: float) -> np.ndarray:
        drum = int(key)
        if drum in (35, 36):
            wave = add(tone(kick_hz, kick_drop, kick_decay) * 1.3, noisy(0.004, 1000, None) * 0.3)
        elif drum in (37, 38, 39, 40):
            burst = noisy(snare_decay, 900, 9000) * snare_noise
            wave = burst if drum == 39 else add(tone(snare_hz, 0.5, snare_decay * 0.7) * 0.7, burst)
        elif drum in (41, 43, 45, 47, 48, 50):
            wave = tone(70 + (drum - 41) * 14, 0.8, 0.18)
        elif drum in (49, 52, 55, 57):
            wave = noisy(0.35, 3000, None) * 0.6
        elif drum in (42, 44, 46, 51, 53, 59, 70, 69, 82, 54):
            seconds = hat_decay * (6 if drum in (46, 51, 59) else 1)
            time = np.arange(int(seconds * 6 * RATE)) / RATE
            metal = sum(np.sign(np.sin(2 * np.pi * hertz * time)) for hertz in partials) / 6
            wave = noisy(seconds, hat_corner, None) * 0.5 + metal * np.exp(-time / seconds) * 0.1
        else:
            wave = tone(300 + 25 * (drum - 54), 0.1, 0.06) * 0.8
        if bits:
            wave = np.round(wave * bits) / bits
        return (wave * (0.5 * velocity)).astype(np.float32)

    return stroke
