"""Sounds that are no plain speech, and what may not happen to them: made for trial.py out of the takes, and of sounds that lie in the
Debian package scratch (music, a sung note, laughter, coughs, sneezes). All are mono at 16 kHz; nothing learns from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import paths  # noqa: F401  (finds the modules in models/training)
import people
import pyworld
import soundfile
import soxr
from recordings import PERSONS
from scipy import signal

import reference

RATE_HZ = 16_000
VOICE_DBFS = -20.0
"""RMS of a voice's sounding parts."""
PAUSE_S = 2.0
SENTENCES = {"prompts": ("check-number-dial-again", "tt-weasels", "cannot-complete-as-dialed"), "reading": (0, 1)}
MUSIC = ("Medieval1", "GuitarChords2", "Garden")
HUMAN = {"laughter": ("Laugh-female", "Laugh-male1", "Laugh-male2", "Laugh-male3"), "cough": ("Cough-female", "Cough-male"),
         "sneeze": ("Sneeze-female", "Sneeze-male")}  # fmt: skip
SINGER = "Singer2"
LOWEST_HZ, HIGHEST_HZ, RISE_S = 800.0, 1_400.0, 6.0
TAIL_S = 1.2
"""A room's decay to -60 dB."""
TAIL_BELOW_DB = 6.0
"""The power of the tail, below that of the sound itself."""


@dataclass(frozen=True)
class Trial:
    """A sound to convert."""

    name: str
    samples: np.ndarray
    pauses: list[tuple[float, float]] = field(default_factory=list)
    """Seconds from and to which nobody speaks."""
    f0_hz: np.ndarray | None = None
    """100 a second, where it is known."""


def dbfs(level: float) -> float:
    """As a factor."""
    return 10.0 ** (level / 20.0)


def at_level(samples: np.ndarray, level_dbfs: float) -> np.ndarray:
    """With this RMS over the sounding parts."""
    return samples * (dbfs(level_dbfs) / reference.sounding_rms(samples))


def sentences(folder: Path, name: str, stems: tuple) -> list[np.ndarray]:
    """Recordings of a person, by file name or number, each at the voice's level."""
    (person,) = (person for person in PERSONS if person.name == name)
    files = [file for file, _ in person.recordings(people.unpack(folder, person.package))]
    chosen = [files[stem] if isinstance(stem, int) else next(file for file in files if file.stem == stem) for stem in stems]
    return [at_level(read(file), VOICE_DBFS) for file in chosen]


def read(file: Path) -> np.ndarray:
    """Mono at 16 kHz."""
    samples, rate_hz = soundfile.read(file, always_2d=True)
    return soxr.resample(samples.mean(axis=1), rate_hz, RATE_HZ)


def with_pauses(said: list[np.ndarray]) -> tuple[np.ndarray, list[tuple[float, float]]]:
    """Joined with pauses between and behind, and where these are."""
    parts, pauses, place = [], [], 0
    for samples in said:
        parts += [samples, np.zeros(round(PAUSE_S * RATE_HZ))]
        place += len(samples)
        pauses.append((place / RATE_HZ, place / RATE_HZ + PAUSE_S))
        place += len(parts[-1])
    return np.concatenate(parts), pauses


def noise(count: int, generator: np.random.Generator) -> np.ndarray:
    """Pink from 50 Hz on, of unit power."""
    spectrum = np.fft.rfft(generator.standard_normal(count))
    spectrum /= np.sqrt(np.maximum(np.arange(len(spectrum)), 50.0 * count / RATE_HZ))
    samples = np.fft.irfft(spectrum, count)
    return samples / samples.std()


def in_a_room(
    samples: np.ndarray, generator: np.random.Generator, decay_s: float = TAIL_S, below_db: float = TAIL_BELOW_DB
) -> np.ndarray:
    """With a tail of noise that decays exponentially."""
    times = np.arange(round(decay_s * RATE_HZ)) / RATE_HZ
    tail = generator.standard_normal(len(times)) * 10.0 ** (-3.0 * times / decay_s)
    tail *= dbfs(-below_db) / np.sqrt(np.sum(tail**2))
    tail[0] = 1.0
    return signal.fftconvolve(samples, tail)[: len(samples)]


def rising(note: np.ndarray) -> Trial:
    """A note that rises from 800 to 1,400 Hz, always as loud: a singer's, taken apart by WORLD, stretched and put on another pitch."""
    f0_hz, times = pyworld.harvest(note, RATE_HZ, f0_floor=300.0, f0_ceil=1_000.0, frame_period=10.0)
    envelope = pyworld.cheaptrick(note, f0_hz, times, RATE_HZ)
    rough = pyworld.d4c(note, f0_hz, times, RATE_HZ)
    frames = round(100 * RISE_S)
    steady = np.flatnonzero(f0_hz > 0)[10:-10]
    rows = steady[np.linspace(0, len(steady) - 1, frames).astype(int)]
    place = np.clip((np.arange(frames) - 50) / (frames - 100), 0.0, 1.0)
    hz = LOWEST_HZ * (HIGHEST_HZ / LOWEST_HZ) ** place
    samples = pyworld.synthesize(hz, envelope[rows], rough[rows], RATE_HZ, 10.0)[: frames * reference.FRAME]
    window = reference.FRAME * 5
    level = np.sqrt(np.convolve(samples**2, np.ones(window) / window, "same"))
    fade = np.clip(np.minimum(np.arange(len(samples)), np.arange(len(samples))[::-1]) / (0.03 * RATE_HZ), 0.0, 1.0)
    return Trial("rising note", samples / level * fade * dbfs(VOICE_DBFS), f0_hz=hz)


def breath(generator: np.random.Generator) -> np.ndarray:
    """Three breaths, made: noise between 300 and 4,000 Hz that swells and ebbs for 1.2 s each."""
    count = round(1.2 * RATE_HZ)
    band = signal.butter(2, (300.0, 4_000.0), "bandpass", fs=RATE_HZ, output="sos")
    swell = np.sin(np.pi * np.arange(count) / count) ** 2
    one = [signal.sosfilt(band, generator.standard_normal(count)) * swell for _ in range(3)]
    return np.concatenate([np.pad(part / part.std(), (0, RATE_HZ // 2)) for part in one]) * dbfs(VOICE_DBFS - 12.0)


def trials(folder: Path) -> Iterator[Trial]:
    """All, in order."""
    generator = np.random.default_rng(3)
    sounds = people.unpack(folder, "scratch") / "usr/share/scratch/Media/Sounds"
    said, pauses = with_pauses(sentences(folder, "prompts", SENTENCES["prompts"]))
    yield Trial("silence in pauses", said, pauses)
    loops = [read(sounds / "Music Loops" / f"{name}.mp3") for name in MUSIC]
    for name, loop in zip(MUSIC, loops, strict=True):
        music = at_level(np.resize(loop, len(said)), VOICE_DBFS - 10.0)
        yield Trial(f"music 10 dB below ({name})", said + music, pauses)
    room_noise = noise(len(said), generator) * dbfs(VOICE_DBFS - 25.0)
    yield Trial("noise 25 dB below", said + room_noise, pauses)
    yield Trial("room of 1.2 s", in_a_room(said, generator), pauses)
    yield Trial("noise alone", noise(6 * RATE_HZ, generator) * dbfs(-30.0), [(0.0, 6.0)])
    alone = at_level(np.resize(loops[0], 6 * RATE_HZ), VOICE_DBFS)
    yield Trial("music alone", alone, [(0.0, 6.0)])
    yield rising(read(sounds / "Vocals" / f"{SINGER}.wav"))
    for kind, names in HUMAN.items():
        found = [file for name in names for file in sorted((sounds / "Human").glob(f"{name}.*"))]
        one, silences = with_pauses([at_level(read(file), VOICE_DBFS) for file in found])
        yield Trial(kind, one, [(start + 0.3, end) for start, end in silences])
    yield Trial("breath", breath(generator))
    one, other = (np.concatenate(sentences(folder, name, stems)) for name, stems in SENTENCES.items())
    count = min(len(one), len(other))
    yield Trial("two at once", one[:count] + other[:count])
    yield Trial("soft, -50 dBFS", at_level(one, -50.0))
    yield Trial("clipped", np.clip(one * dbfs(26.0), -1.0, 1.0))
