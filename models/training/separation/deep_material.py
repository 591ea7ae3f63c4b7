"""Examples for the network of the lowest bins, mixed from sounds as it hears them: waves at 2,756 Hz and how loud the bands above are.

Nothing of the spectra above is needed, so an example takes milliseconds, and each is mixed and read at speeds of its own. Bands of a
mix are taken to be the sums of its stems' bands.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import torch
from scipy import fft

from . import deep, spectrum
from .store import Sound, sounds

STEP = 16
"""Samples of a sound for one of its deep wave: twice the rate that the network works at, so that a sound can be read slower."""
HOP = spectrum.HOP // STEP
PARTS = deep.BANDS + 1
"""Bands above, and before them everything below."""
_SQUARES = 2.0 / 2 / (spectrum.FFT * spectrum.FFT * 3 / 8)
"""From the sum of a frame's squared bins, both sides, to the mean square of its samples (Hann's window has 3/8 of the power)."""


class DeepSound:
    """One sound: `wave` [frames of HOP, HOP, 2] and `bands` [frames, PARTS] in dB."""

    def __init__(self, sound: Sound, wave: np.ndarray, bands: np.ndarray):
        self.kind, self.song, self.wave, self.bands = sound.kind, sound.song, wave, bands

    def read(self, rng: random.Random, start: int | None, frames: int, speed: float) -> tuple[np.ndarray, np.ndarray]:
        """A stretch's spectrum, [2, frames * deep.HOP / 2 + 1], as of samples at deep.RATE, and its bands' power [frames, PARTS], read `speed`
        times as fast from the frame `start` or anywhere."""
        needed = max(1, round(frames * speed))
        if start is None:
            start = rng.randint(0, max(0, len(self.wave) - needed))
        wave = np.zeros((needed * HOP, 2), np.float32)
        here = self.wave[start : start + needed].reshape(-1, 2)
        wave[: len(here)] = here
        samples = frames * deep.HOP
        # As many periods in fewer or more samples: the same sound at another speed.
        whole = fft.rfft(wave.T, axis=1)[:, : samples // 2 + 1] * np.float32(samples / len(wave))
        out = np.zeros((2, samples // 2 + 1), np.complex64)
        out[:, : whole.shape[1]] = whole
        bands = np.full((frames, PARTS), -120, np.float32)
        at = np.minimum((np.arange(frames) * speed).astype(int), needed - 1) + start
        inside = at < len(self.bands)
        bands[inside] = self.bands[at[inside]]
        return out, np.power(10, bands / 10)


def _write(store: Path, of: list[Sound]) -> None:
    """Writes the deep waves and bands of a store beside it."""
    waves, bands = [], []
    for sound in of:
        samples = sound.read()
        frames = sound.frames // spectrum.HOP
        samples = samples[:, : frames * spectrum.HOP]
        length = samples.shape[1] // STEP
        whole = fft.rfft(samples, axis=1)[:, : length // 2 + 1]
        waves.append((fft.irfft(whole, length, axis=1) / STEP).T.astype(np.float16))
        spectra = spectrum.analyse(torch.from_numpy(samples)[None])[0, :, :, :frames].square().sum(0)
        edges = (0, *deep.EDGES)
        sums = torch.stack([spectra[low:high].sum(0) for low, high in zip(edges, edges[1:])], 1)
        bands.append((10 * torch.log10(sums + 1e-12)).numpy().astype(np.float16))
    for name, parts, width in (("wave", waves, HOP * 2), ("bands", bands, PARTS)):
        file = store.with_suffix(f".{name}.npy")
        temporary = file.with_suffix(".part")
        with open(temporary, "wb") as out:
            np.save(out, np.concatenate([part.reshape(-1, width) for part in parts]))
        temporary.rename(file)


def _derived(store: Path, of: list[Sound]) -> tuple[np.ndarray, np.ndarray]:
    """What lies beside a store, made anew where the store has grown since."""
    files = [store.with_suffix(f".{name}.npy") for name in ("wave", "bands")]
    frames = sum(sound.frames // spectrum.HOP for sound in of)
    if not all(file.exists() and len(np.load(file, "r")) == frames for file in files):
        _write(store, of)
    waves, bands = (np.load(file, "r") for file in files)
    return waves, bands


class Material:
    """The sounds of a split by kind and by song."""

    def __init__(self, folder: Path, split: str):
        self.by_kind: dict[str, list[DeepSound]] = {}
        self.songs: dict[str, dict[str, DeepSound]] = {}
        for index in sorted(folder.glob(f"{split}-*.jsonl")):
            of = [sound for sound in sounds(folder, index.stem) if sound.frames > spectrum.FFT]
            if not of or index.stem.startswith(f"{split}-coded"):
                continue
            waves, bands = _derived(index, of)
            first = 0
            for sound in of:
                frames = sound.frames // spectrum.HOP
                made = DeepSound(sound, waves[first : first + frames].reshape(frames, HOP, 2), bands[first : first + frames])
                first += frames
                self.by_kind.setdefault(sound.kind, []).append(made)
                self.songs.setdefault(sound.song, {}).setdefault(sound.kind, made)
        self.backings = [song for song, kinds in self.songs.items() if "bass" in kinds and "other" in kinds]


STEMS = ("drums", "bass", "rest")
_FREQUENCIES: dict[int, np.ndarray] = {}


def _colour(rng: random.Random, samples: int, depth_db: float) -> tuple[np.ndarray, np.ndarray]:
    """A smooth equaliser's gain for the frequencies of a deep wave and for PARTS."""
    points = np.linspace(np.log2(25), np.log2(20000), 8)
    gains = [rng.uniform(-depth_db, depth_db) for _ in points]
    if samples not in _FREQUENCIES:
        _FREQUENCIES[samples] = np.log2(np.maximum(fft.rfftfreq(samples, 1 / deep.RATE), 20))
    edges = np.array((1, *deep.EDGES)) * (44100 / spectrum.FFT)
    middles = np.log2(np.sqrt(edges[:-1] * edges[1:]))
    return tuple(10 ** (np.interp(at, points, gains) / 20).astype(np.float32) for at in (_FREQUENCIES[samples], middles))


def _turn(rng: random.Random, samples: int) -> np.ndarray:
    """An all-pass filter for the frequencies of a deep wave: some come up to 15 ms later than others, so that a kick of one spectrum has
    many waves."""
    hertz = fft.rfftfreq(samples, 1 / deep.RATE)
    points = np.linspace(np.log2(25), np.log2(700), 7)
    delays = [rng.uniform(0, 0.015) for _ in points]
    delay = np.interp(np.log2(np.maximum(hertz, 20)), points, delays)
    return np.exp(-2j * np.pi * np.cumsum(delay) * hertz[1]).astype(np.complex64)


def _part(sound: DeepSound, rng: random.Random, start: int | None, frames: int, speed: float, db: float,
          depth_db: float) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """A sound's stretch at a level of `db` against an RMS of 0.1, pauses apart."""
    wave, bands = sound.read(rng, start, frames, speed)
    power = bands.sum(1) * _SQUARES
    active = power[power >= power.max() * 0.01].mean()
    if active < 1e-8:
        return wave * 0, bands * 0
    gain = 0.1 * 10 ** (db / 20) / np.sqrt(active)
    if rng.random() < 0.6:
        deep_gains, part_gains = _colour(rng, frames * deep.HOP, depth_db)
        wave, bands = wave * deep_gains, bands * part_gains**2
    if rng.random() < 0.6:
        wave = wave * _turn(rng, frames * deep.HOP)
    if rng.random() < 0.5:
        wave = wave[::-1]
    if rng.random() < 0.25:
        wave = -wave
    return wave * np.float32(gain), bands * gain**2


def _speed(rng: random.Random, widest: float) -> float:
    """A factor between 1 / widest and widest, in steps of a 32nd; often 1."""
    if rng.random() < 0.35:
        return 1.0
    return round(32 * widest ** rng.uniform(-1, 1)) / 32


def example(material: Material, rng: random.Random, frames: int) -> tuple[np.ndarray, np.ndarray]:
    """Spectra of the deep waves of STEMS, [3, 2, frames * deep.HOP / 2 + 1], and the mix's bands, [frames, PARTS]."""
    kinds = material.by_kind
    waves = np.zeros((3, 2, frames * deep.HOP // 2 + 1), np.complex64)
    bands = np.zeros((frames, PARTS), np.float32)

    def add(stem: int, sound: DeepSound, start: int | None, speed: float, db: float, depth_db: float = 6) -> None:
        wave, loud = _part(sound, rng, start, frames, speed, db, depth_db)
        waves[stem] += wave
        bands[:] += loud

    song = material.songs[rng.choice(material.backings)]
    start, tempo = rng.randint(0, max(0, len(song["bass"].wave) - frames)), _speed(rng, 1.2)
    together = rng.random() < 0.5
    if rng.random() > 0.07:
        whole = together and "drums" in song and rng.random() < 0.7
        sound = song["drums"] if whole else rng.choice(kinds["drums"])
        add(0, sound, start if whole else None, tempo if whole else _speed(rng, 1.45), rng.uniform(-9, 7))
    if rng.random() > 0.07:
        sound = song["bass"] if together else rng.choice(kinds["bass"])
        add(1, sound, start if together else None, tempo if together else _speed(rng, 1.3), rng.uniform(-10, 5))
    if rng.random() > 0.05:
        sound = song["other"] if together else rng.choice(kinds["other"])
        add(2, sound, start if together else None, tempo if together else _speed(rng, 1.3), rng.uniform(-8, 6))
    if rng.random() < 0.15:
        add(2, rng.choice(kinds["other"]), None, _speed(rng, 1.3), rng.uniform(-12, 0))
    if rng.random() > 0.07:
        kind = rng.choice([kind for kind in ("lead", "lead", "speech", "speech", "harmony", "choir") if kind in kinds])
        add(2, rng.choice(kinds[kind]), None, _speed(rng, 1.14), rng.uniform(-3, 3), 9)
    if rng.random() < 0.12:
        waves[:] = waves.mean(1, keepdims=True)
    return waves, bands
