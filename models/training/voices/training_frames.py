"""Frames for the decoder: content as heard from several bodies and speakers, and the envelopes that it should give."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import torch

from . import decoder, items, phones, world
from .networks import ContentNetwork
from .projection import Projection, WhisperContent, kept_down
from .spectra import content_log_mel, loudness
from .whisper_features import VARIANTS, load_encoder, samples_of
from .worn import rms

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


LONGEST = 16_000 * 24
"""Samples that Whisper's encoder hears at once; a little less than it could."""


def hear(network: ContentNetwork | WhisperContent, samples: np.ndarray) -> np.ndarray:
    """[N] at 16 kHz to content with loudness [T, 65] at 100 Hz (each vector twice), T even."""
    samples = torch.from_numpy(np.asarray(samples, np.float32))
    samples = torch.nn.functional.pad(samples, (0, -len(samples) % 320))
    with torch.no_grad():
        if isinstance(network, WhisperContent):
            pieces = [network(piece[None, None])[0] for piece in samples.split(LONGEST)]
            return torch.cat(pieces).repeat_interleave(2, 0).numpy()
        log_mel = content_log_mel(samples)
        content = network(log_mel[None])[0][0]
        whole = torch.cat([content, loudness(log_mel)[:, None]], 1)
    return whole.repeat_interleave(2, 0).numpy()


def hear_as_voice(network: WhisperContent, samples: np.ndarray) -> np.ndarray:
    """As `hear`, with the loudness left as it is also where nobody speaks: an instrument's own sound stands for the voice."""
    heard = hear(network, samples)
    samples = torch.from_numpy(np.asarray(samples, np.float32))
    log_mel = content_log_mel(torch.nn.functional.pad(samples, (0, -len(samples) % 320)))
    heard[:, 64] = loudness(log_mel).repeat_interleave(2).numpy()[: len(heard)]
    return heard


def load_teacher(work: Path) -> ContentNetwork:
    """The small encoder that knows the programs' speech only."""
    network = ContentNetwork()
    network.load_state_dict(torch.load(work / "content.pt"))
    return network.eval()


def load_content_network(work: Path) -> WhisperContent:
    """The content encoder of the voices: Whisper's as far as it is used, and the projection."""
    projection = Projection()
    projection.load_state_dict(torch.load(work / "projection.pt"))
    return WhisperContent(load_encoder(work), projection).eval()


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


class Listener:
    """How generated utterances are heard: as uttered, and by the twin."""

    def __init__(self, hear: Hear):
        self.hear = hear

    def contents(self, path: Path, item, frames: int) -> list[np.ndarray]:
        """f16 [T, 65] at 100 Hz for each way of hearing an item; `frames` of 10 ms, an even number."""
        waves = [items.read_wave(item[key][: frames * 160]) for key in ("wave", "twin") if key in item]
        return [self.hear(wave).astype(np.float16) for wave in waves]


class StoredListener(Listener):
    """By Whisper's features in WORK/whisper, so that Whisper need not hear everything again in every training."""

    def __init__(self, work: Path):
        network = load_content_network(work)
        super().__init__(functools.partial(hear, network))
        self.work, self.projection = work, network.network

    def contents(self, path: Path, item, frames: int) -> list[np.ndarray]:
        result = []
        for variant in VARIANTS:
            file = self.work / "whisper" / f"{path.stem}.{variant}.npy"
            if not file.exists():
                continue
            features = torch.from_numpy(np.load(file).astype(np.float32))
            # Noise and rooms are part of the loudness that the decoder is told, another level of the whole is not.
            samples = samples_of(self.work, item, variant, path.stem)
            clean = items.read_wave(item["twin" if variant == "twin" else "wave"][: frames * 160])
            samples = torch.from_numpy((samples * (rms(clean) / rms(samples))).astype(np.float32))
            loud = loudness(content_log_mel(samples))
            with torch.no_grad():
                content, _, voice = self.projection(features[None])
                whole = torch.cat([content[0], kept_down(loud[None], voice)[0][:, None]], 1).repeat_interleave(2, 0)
            result.append(whole.numpy().astype(np.float16))
        return result


def read_parallel(work: Path, listener: Listener) -> list[Heard]:
    """The flite voices' texts as others say them."""
    result = []
    for path in items.paths(work, "train-parallel-"):
        _, _, voice, number = path.stem.split("-")
        with np.load(path) as item:
            frames = len(item["labels"]) // 2 * 2
            heard = listener.contents(path, item, frames)
            if heard:
                result.append(Heard(voice, int(number), item["labels"][:frames], heard))
    return result


def read(work: Path, prefixes: tuple[str, ...], listener: Listener) -> list[Utterance]:
    """All utterances with envelopes."""
    result = []
    for prefix in prefixes:
        for path in items.paths(work, prefix):
            _, kind, voice, number = path.stem.split("-")
            with np.load(path) as item:
                frames = len(item["labels"]) // 2 * 2
                heard = listener.contents(path, item, frames)
                if not heard:
                    continue
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
