"""Frames for the decoder: content as heard from several bodies and speakers, and the envelopes that it should give."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import torch

from . import decoder, items, phones, world
from .networks import ContentNetwork
from .spectra import content_log_mel, loudness

POINTS_PER_BAND = 5
"""The envelope is averaged over this many places per band."""
UNVOICED_BREATH_DB = -13.0
"""Pulses wanted where the fundamental says pitch and the phone has none, against the noise."""


@dataclass
class Utterance:
    """One text by one flite voice, spoken or sung. Arrays at 100 Hz."""

    voice: str
    kind: str
    number: int
    f0_hz: np.ndarray
    log_power: np.ndarray
    roughness_db: np.ndarray
    labels: np.ndarray
    contents: list[np.ndarray]
    """[T, 65] each: as uttered, and by the twin; f16."""


def hear(network: ContentNetwork, samples: np.ndarray) -> np.ndarray:
    """[N] at 16 kHz to content with loudness [T, 65] at 100 Hz (each vector twice), T even."""
    samples = torch.from_numpy(np.asarray(samples, np.float32))
    samples = torch.nn.functional.pad(samples, (0, -len(samples) % 320))
    with torch.no_grad():
        log_mel = content_log_mel(samples)
        content = network(log_mel[None])[0][0]
        whole = torch.cat([content, loudness(log_mel)[:, None]], 1)
    return whole.repeat_interleave(2, 0).numpy()


def load_content_network(work: Path) -> ContentNetwork:
    """The trained content encoder."""
    network = ContentNetwork()
    network.load_state_dict(torch.load(work / "content.pt"))
    return network.eval()


@dataclass
class Heard:
    """One text by a speaker who is no target. Arrays at 100 Hz."""

    voice: str
    number: int
    labels: np.ndarray
    contents: list[np.ndarray]
    """As in `Utterance`."""


Hear = Callable[[np.ndarray], np.ndarray]
"""[N] at 16 kHz to what is heard, with the loudness, [T, 65] at 100 Hz, T even."""


def read_parallel(work: Path, hear: Hear) -> list[Heard]:
    """The flite voices' texts as others say them."""
    result = []
    for path in items.paths(work, "train-parallel-"):
        _, _, voice, number = path.stem.split("-")
        with np.load(path) as item:
            frames = len(item["labels"]) // 2 * 2
            waves = [items.read_wave(item[key][: frames * 160]) for key in ("wave", "twin") if key in item]
            heard = [hear(wave).astype(np.float16) for wave in waves]
            result.append(Heard(voice, int(number), item["labels"][:frames], heard))
    return result


def read(work: Path, prefixes: tuple[str, ...], hear: Hear) -> list[Utterance]:
    """All utterances with envelopes."""
    result = []
    for prefix in prefixes:
        for path in items.paths(work, prefix):
            _, kind, voice, number = path.stem.split("-")
            with np.load(path) as item:
                frames = len(item["labels"]) // 2 * 2
                waves = [items.read_wave(item[key][: frames * 160]) for key in ("wave", "twin")]
                heard = [hear(wave).astype(np.float16) for wave in waves]
                result.append(
                    Utterance(
                        voice,
                        kind,
                        int(number),
                        item["f0"][:frames],
                        item["log_power"][:frames],
                        item["rough"][:frames].astype(np.float32),
                        item["labels"][:frames],
                        heard,
                    )
                )
    return result


def frame_map(one: Utterance, other: Utterance | Heard) -> np.ndarray:
    """For every frame of `one` the frame of `other` where the same part of the same phone sounds."""
    here, there = _runs(one.labels), _runs(other.labels)
    matcher = SequenceMatcher(None, [run[0] for run in here], [run[0] for run in there], autojunk=False)
    anchors = [(0, 0)]
    for first, second, length in matcher.get_matching_blocks():
        for step in range(length):
            anchors += [
                (here[first + step][1], there[second + step][1]),
                (here[first + step][2], there[second + step][2]),
            ]
    anchors.append((len(one.labels), len(other.labels)))
    points = np.array(sorted(set(anchors)))
    place = np.interp(np.arange(len(one.labels)) + 0.5, points[:, 0], points[:, 1])
    return np.clip(place.astype(int), 0, len(other.labels) - 1)


def phone_runs(labels: np.ndarray) -> list[int]:
    """The phones one after another."""
    return [run[0] for run in _runs(labels)]


def _runs(labels: np.ndarray) -> list[tuple[int, int, int]]:
    """(phone, first frame, frame behind the last) of each stretch of one phone."""
    edges = np.flatnonzero(np.diff(labels)) + 1
    bounds = [0, *edges.tolist(), len(labels)]
    return [(int(labels[start]), start, end) for start, end in zip(bounds[:-1], bounds[1:], strict=True)]


def _sample_points_hz() -> np.ndarray:
    """[64 * 5] frequencies, five around each band's centre."""
    centres = np.linspace(0.0, decoder.spectra.to_mel(decoder.RATE_HZ / 2), decoder.BANDS)
    around = (np.arange(POINTS_PER_BAND) - POINTS_PER_BAND // 2) / POINTS_PER_BAND * (centres[1] - centres[0])
    points = np.clip(centres[:, None] + around, 0.0, centres[-1])
    return decoder.spectra.from_mel(points).reshape(-1)


_POINTS_HZ = _sample_points_hz()
_CENTRES_HZ = decoder.band_centres_hz()


def wanted_gains(
    log_power: np.ndarray, roughness_db: np.ndarray, design: world.Design
) -> tuple[np.ndarray, np.ndarray]:
    """The designed voice's total log gain [T, 64] and its aperiodicity [T, 64]."""
    wide = world.envelope(log_power.astype(np.float32), design, _POINTS_HZ, decoder.RATE_HZ)
    total = 0.5 * wide.reshape(len(wide), decoder.BANDS, POINTS_PER_BAND).mean(axis=2)
    return np.maximum(total, decoder.LOWEST_GAIN), world.roughness(roughness_db, design, _CENTRES_HZ)


def split(total: np.ndarray, rough: np.ndarray, voiced: np.ndarray, believed: np.ndarray):
    """Total gain to harmonic and noise gains, for frames that have pitch or not, and are said to have it or not."""
    both = voiced & believed
    harmonic = total + np.where(both[:, None], 0.5 * np.log1p(-(rough**2)), UNVOICED_BREATH_DB / 8.686)
    noisy = total + np.where(both[:, None], np.log(rough), 0.0)
    return np.maximum(harmonic, decoder.LOWEST_GAIN), np.maximum(noisy, decoder.LOWEST_GAIN)


def disturbed(voiced: np.ndarray) -> np.ndarray:
    """What an estimator might say instead: now and then pitch where there is none, or none where there is."""
    believed = voiced.copy()
    for _ in range(random.choice([0, 0, 1, 2])):
        start, length = random.randrange(len(voiced)), random.randint(1, 12)
        believed[start : start + length] = random.random() < 0.5
    if random.random() < 0.03:
        believed[:] = False
    return believed


def is_sounding(labels: np.ndarray) -> np.ndarray:
    """Frames of a phone."""
    return labels != phones.SILENCE
