"""Sings what a speech program said: phones laid on the notes of a score, legato, with breaths and true silence.

Each syllable takes a note; consonants keep their length, vowels are stretched in their middle; the fundamental glides
between notes, scoops, trembles and drifts. The result is WORLD parameters on the 10 ms grid, so phone, fundamental and
envelope of every frame are known exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import phones as phone_set
from .world import BINS, Analysis

FRAME_S = 0.01
SILENT_LOG_POWER = np.float32(np.log(1e-14))
SCALES = ((0, 2, 4, 5, 7, 9, 11), (0, 2, 3, 5, 7, 8, 10), (0, 2, 4, 7, 9))
SHORT_CONSONANT_S = 0.13


@dataclass
class Sung:
    """Like an analysis, with the phone of each frame; f0_hz is what the synthesiser is told."""

    f0_hz: np.ndarray
    log_power: np.ndarray
    roughness_db: np.ndarray
    labels: np.ndarray


def syllables(phones: list[tuple[str, float, float]]) -> list[list[tuple[str, float, float]]]:
    """Groups with one vowel each; the consonants before a vowel belong to it, those at the end to the last."""
    sounding = [phone for phone in phones if phone[0] != "pau" and phone[2] - phone[1] > 0.01]
    groups: list[list] = []
    waiting: list = []
    for phone in sounding:
        waiting.append(phone)
        if phone[0] in phone_set.VOWELS:
            groups.append(waiting)
            waiting = []
    if groups:
        groups[-1] += waiting
    return groups


def sing(analysis: Analysis, phones: list[tuple[str, float, float]], centre_hz: float, generator) -> Sung:
    """One phrase around `centre_hz`, with silence and perhaps a breath around it."""
    groups = syllables(phones)
    place, labels, voiced, since_s, line = [], [], [], [], []
    scale = SCALES[generator.integers(len(SCALES))]
    centre = 69.0 + 12.0 * np.log2(centre_hz / 440.0)
    key, degree = round(centre) - generator.integers(0, 7), 3
    mean_s = generator.uniform(0.22, 0.6)
    for number, group in enumerate(groups):
        length_s = float(np.clip(mean_s * generator.lognormal(0.0, 0.4), 0.14, 1.6))
        if number == len(groups) - 1:
            length_s += generator.uniform(0.2, 0.9)
        notes = 1 + int(generator.random() < 0.12) + int(length_s > 1.2)
        _lay(group, length_s, place, labels, voiced)
        frames = len(place) - len(line)
        for note in range(notes):
            degree = int(np.clip(degree + generator.integers(-3, 4), -1, 9))
            midi = key + scale[degree % len(scale)] + 12 * (degree // len(scale))
            here = frames * (note + 1) // notes - frames * note // notes
            line += [float(midi)] * here
            since_s += list(np.arange(here) * FRAME_S)
    f0_hz = np.where(voiced, _melody(np.array(line), np.array(since_s), generator), 0.0)
    rows = np.array(place)
    low = np.clip(np.floor(rows).astype(int), 0, len(analysis.log_power) - 2)
    share = np.clip(rows - low, 0.0, 1.0).astype(np.float32)[:, None]
    log_power = analysis.log_power[low] * (1.0 - share) + analysis.log_power[low + 1] * share
    swell = 0.7 + 0.3 * np.sin(np.pi * np.linspace(0.0, 1.0, len(rows)) ** generator.uniform(0.6, 1.6))
    log_power += (2.0 * np.log(swell))[:, None].astype(np.float32)
    rough = analysis.roughness_db[low]
    rough = np.where(f0_hz > 0, np.minimum(rough, -6.0), 0.0)
    return _with_rests(Sung(f0_hz, log_power, rough.astype(np.float32), np.array(labels, np.int8)), generator)


def _lay(group: list, length_s: float, place: list, labels: list, voiced: list) -> None:
    """Appends, for each frame of a syllable, the place in the analysis (frames), the phone, and whether it has pitch."""
    consonants_s = sum(min(end - start, SHORT_CONSONANT_S) for name, start, end in group if name not in phone_set.VOWELS)
    squeeze = min(1.0, 0.45 * length_s / consonants_s) if consonants_s > 0 else 1.0
    for name, start, end in group:
        is_vowel = name in phone_set.VOWELS
        phone_s = length_s - consonants_s * squeeze if is_vowel else min(end - start, SHORT_CONSONANT_S) * squeeze
        steps = np.linspace(0.0, 1.0, max(1, round(phone_s / FRAME_S)), endpoint=False)
        if is_vowel:
            edge = min(0.35, 0.06 / max(phone_s, 0.06))
            steps = np.interp(steps, [0.0, edge, 1.0 - edge, 1.0], [0.05, 0.4, 0.65, 0.95])
        place += list((start + steps * (end - start)) / FRAME_S)
        labels += [phone_set.NUMBER.get(name, phone_set.UNKNOWN)] * len(steps)
        voiced += [name not in phone_set.UNVOICED] * len(steps)


def _melody(midi: np.ndarray, since_s: np.ndarray, generator) -> np.ndarray:
    """Hertz per frame: glides of 40 to 120 ms, scoops, vibrato from 0.2 s into a note on, a drift of some cents."""
    cents = midi * 100.0
    glide = np.hanning(int(generator.integers(5, 14)) + 2)[1:-1]
    left, right = len(glide) // 2, len(glide) - 1 - len(glide) // 2
    cents = np.convolve(np.pad(cents, (left, right), "edge"), glide / glide.sum(), "valid")
    if generator.random() < 0.5:
        cents -= generator.uniform(20.0, 150.0) * np.exp(-since_s / 0.04)
    depth = generator.uniform(0.0, 70.0)
    time_s = np.arange(len(cents)) * FRAME_S
    phase = 2 * np.pi * generator.uniform(4.6, 6.8) * time_s + generator.uniform(0, 6)
    cents += depth * np.clip((since_s - 0.2) / 0.3, 0.0, 1.0) * np.sin(phase)
    kernel = np.hanning(31)
    drift = np.convolve(generator.normal(0.0, 1.0, len(cents) + 30), kernel / np.sqrt((kernel**2).sum()), "valid")
    return 440.0 * 2.0 ** ((cents + generator.uniform(0.0, 18.0) * drift - 6900.0) / 1200.0)


def _with_rests(sung: Sung, generator) -> Sung:
    """Digital silence before and after, and half of the time a breath before the phrase."""
    before = int(generator.integers(10, 40))
    after = int(generator.integers(10, 40))
    lead = np.full((before, BINS), SILENT_LOG_POWER, np.float32)
    if generator.random() < 0.5:
        frames = min(before, int(generator.integers(12, 30)))
        hz = np.linspace(0.0, 8000.0, BINS)
        colour = -2.0 * np.log(1.0 + (hz / generator.uniform(1500.0, 4000.0)) ** 2)
        level = np.log(sung_power(sung)) - generator.uniform(4.5, 8.0)
        swell = 2.0 * np.log(np.sin(np.pi * (np.arange(frames) + 0.5) / frames) + 1e-3)
        lead[before - frames :] = colour - colour.mean() + level + swell[:, None]
    tail = np.full((after, BINS), SILENT_LOG_POWER, np.float32)
    zeros_before, zeros_after = np.zeros(before, np.float32), np.zeros(after, np.float32)
    return Sung(
        np.concatenate([zeros_before, sung.f0_hz, zeros_after]),
        np.concatenate([lead, sung.log_power, tail]),
        np.concatenate([zeros_before, sung.roughness_db, zeros_after]),
        np.concatenate([np.zeros(before, np.int8), sung.labels, np.zeros(after, np.int8)]),
    )


def sung_power(sung: Sung) -> float:
    """Mean power density over time and frequency."""
    return float(np.exp(sung.log_power.astype(np.float64)).mean())
