"""Singing: WORLD takes a spoken sentence apart, and it is put together again on the notes of a melody.

Syllables are found in the loudness of the voiced sound, so that any program and language will do. A note holds the
nucleus of a syllable; consonants keep their pace. Notes join without gaps (legato), with glides, vibrato, drift and jitter;
phrases have dynamics and breaths, and rests are silent.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyworld
from scipy import signal

from . import backing, compose, effects, seeds, speech
from .store import RATE, Writer

FRAME_S = 0.005
BINS = pyworld.get_cheaptrick_fft_size(RATE, 71.0) // 2 + 1
UTTERANCES_PER_SPEAKER = 5


@dataclass
class Utterance:
    """Envelope (log power) and aperiodicity [frames, bins at the source's rate], voicing, and the syllables' frames
    (start, nucleus, end)."""

    rate: int
    envelope: np.ndarray
    aperiodicity: np.ndarray
    voiced: np.ndarray
    median_hz: float
    syllables: list[tuple[int, int, int]]


@dataclass
class Singer:
    """A speaker and how this one sings."""

    speaker: speech.Speaker
    base: int
    formants: float
    tilt_db_per_khz: float
    bright: float
    breathy: float
    vibrato_cents: float
    vibrato_hz: float
    glide_s: float
    legato: float
    whisper: bool


@lru_cache(maxsize=400)
def utterance(speaker: speech.Speaker, number: int) -> Utterance:
    """A sentence, analysed."""
    rng = seeds.rng("utterance", speaker, number)
    [(sound, rate)] = speech.say(speaker, [speech.sentence(rng, 7)], rng)
    if rate > 24000:
        sound, rate = signal.resample_poly(sound, 22050, rate), 22050
    sound = np.ascontiguousarray(sound[: rate * 7])
    pitch, times = pyworld.dio(sound, rate, f0_floor=60, f0_ceil=500, frame_period=FRAME_S * 1000)
    pitch = pyworld.stonemask(sound, pitch, times, rate)
    envelope = np.log(pyworld.cheaptrick(sound, pitch, times, rate) + 1e-16).astype(np.float32)
    aperiodicity = pyworld.d4c(sound, pitch, times, rate).astype(np.float32)
    voiced = pitch > 0
    low, high = (int(hertz / (rate / 2) * envelope.shape[1]) for hertz in (200, 4000))
    loud = np.log(np.exp(envelope[:, low:high]).sum(1)) * (10 / np.log(10))
    window = np.hanning(13) / np.hanning(13).sum()
    smooth = np.convolve(np.where(voiced, loud, loud - 12), window, "same")
    peaks, _ = signal.find_peaks(smooth, distance=18, prominence=2, height=smooth.max() - 30)
    peaks = [int(peak) for peak in peaks if voiced[max(0, peak - 4) : peak + 5].mean() > 0.7]
    syllables = []
    for place, peak in enumerate(peaks):
        before = peaks[place - 1] if place else max(0, peak - 50)
        after = peaks[place + 1] if place + 1 < len(peaks) else min(len(smooth) - 1, peak + 50)
        start = before + int(np.argmin(smooth[before:peak])) if peak > before else peak
        end = peak + int(np.argmin(smooth[peak:after])) if after > peak else peak + 1
        syllables.append((max(start, peak - 50), peak, min(end, peak + 50)))
    median = float(np.median(pitch[voiced])) if voiced.any() else 0.0
    return Utterance(rate, envelope, aperiodicity, voiced, median, syllables)


def singer(rng: random.Random, pool: list[speech.Speaker]) -> Singer:
    """A random way to sing with a random speaker, in a range that suits the voice."""
    speaker = rng.choice(pool)
    hertz = utterance(speaker, 0).median_hz or 150.0
    formants = rng.uniform(0.85, 1.25) if hertz < 160 else rng.uniform(0.82, 1.12)
    centre = 69 + 12 * np.log2(hertz / 440) + 12 * np.log2(formants) * 1.5
    return Singer(speaker, round(centre + rng.uniform(-8, 3)), formants, rng.uniform(1.5, 5.5), rng.uniform(-0.6, 0.9),
                  rng.choice((0, 0, 0.05, 0.15, 0.3)), rng.uniform(0, 70), rng.uniform(4.6, 6.8),
                  rng.uniform(0.03, 0.14), rng.random(), rng.random() < 0.04)  # fmt: skip


def sing(melody: list[tuple[float, float, float]], seconds: float, who: Singer, rng: random.Random,
         noise: np.random.Generator) -> np.ndarray:  # fmt: skip
    """`melody` is (start s, length s, MIDI key). [frames] f32 with an RMS of about 0.1 where it sounds."""
    out = np.zeros(int(seconds * RATE) + RATE, np.float32)
    phrases: list[list[tuple[float, float, float]]] = []
    for note in melody:
        if phrases and note[0] - phrases[-1][-1][0] - phrases[-1][-1][1] < 0.25 and len(phrases[-1]) < 16:
            phrases[-1].append(note)
        else:
            phrases.append([note])
    for phrase in phrases:
        origin = max(0.0, phrase[0][0] - 0.08)
        voice = utterance(who.speaker, rng.randrange(UTTERANCES_PER_SPEAKER))
        if len(voice.syllables) < 2:
            continue
        sound = _phrase(voice, [(start - origin, length, key) for start, length, key in phrase], who, rng, noise)
        sound = sound * (0.1 * rng.uniform(0.5, 1.2) / effects.level(sound))
        start = int(origin * RATE)
        part = sound[: max(0, len(out) - start)]
        out[start : start + len(part)] += part
        if rng.random() < 0.5:
            air = speech.breath(rng, noise).astype(np.float32)
            first = start - len(air) - rng.randint(0, 3000)
            if first > 0:
                out[first : first + len(air)] += air
    return out[: int(seconds * RATE)]


def _phrase(voice: Utterance, notes: list[tuple[float, float, float]], who: Singer, rng: random.Random,
            noise: np.random.Generator) -> np.ndarray:  # fmt: skip
    frames = int((max(start + length for start, length, _ in notes) + 0.15) / FRAME_S)
    source = np.full(frames, -1.0)
    cents = np.full(frames, np.nan)
    gain = np.zeros(frames)
    place = rng.randrange(len(voice.syllables))
    for number, (start, length, key) in enumerate(notes):
        first, last = int(start / FRAME_S), min(frames, int((start + length) / FRAME_S))
        if last - first < 3:
            continue
        joined = number > 0 and rng.random() < 0.25 * who.legato
        place = place if joined else (place + 1) % len(voice.syllables)
        source[first:last] = _pace(voice.syllables[place], last - first, vowel_only=joined)
        time = np.arange(last - first) * FRAME_S
        vibrato = who.vibrato_cents * np.clip((time - 0.2) / 0.3, 0, 1)
        wave = vibrato * np.sin(2 * np.pi * who.vibrato_hz * time + rng.random() * 6)
        scoop = rng.uniform(20, 200) * np.exp(-time / 0.05) if rng.random() < 0.4 else 0.0
        cents[first:last] = key * 100 + wave - scoop
        shape = np.minimum(1, (length - time) / 0.06 + 0.15) if rng.random() > who.legato else np.ones(last - first)
        gain[first:last] = shape * rng.uniform(0.7, 1)
    known = ~np.isnan(cents)
    if not known.any():
        return np.zeros(frames, np.float32)
    index = np.arange(frames)
    width = 2 * int(who.glide_s / FRAME_S / 2) + 3
    window = np.hanning(width + 2)[1:-1]
    track = np.interp(index, index[known], cents[known])
    track = np.convolve(np.pad(track, width // 2, "edge"), window / window.sum(), "valid")[:frames]
    drift = np.cumsum(noise.normal(0, 1.5, frames))
    track += drift - np.convolve(np.pad(drift, 40, "edge"), np.ones(81) / 81, "valid") + noise.normal(0, 4, frames)
    hertz = 440 * 2 ** ((track / 100 - 69) / 12)
    dynamics = 10 ** (np.interp(index, np.linspace(0, frames, 4), [rng.uniform(-6, 3) for _ in range(4)]) / 20)
    loudness = np.convolve(np.where(source < 0, 0, gain * dynamics), np.ones(7) / 7, "same")
    at = np.clip(source, 0, len(voice.envelope) - 1.001)
    lower = at.astype(int)
    part = (at - lower)[:, None].astype(np.float32)
    envelope = voice.envelope[lower] * (1 - part) + voice.envelope[lower + 1] * part
    envelope = _to_full_band(envelope, voice.rate, who)
    envelope += 2 * np.log(loudness + 1e-5)[:, None]
    aperiodicity = _spread(voice.aperiodicity[lower], voice.rate, 1.0)
    hertz = np.where(voice.voiced[lower] & (source >= 0), hertz, 0.0)
    axis = np.linspace(0, RATE / 2, BINS)
    aperiodicity = np.maximum(aperiodicity, np.clip((axis - 4000) / 5000, 0, 1) * 0.9)
    aperiodicity[hertz > 0] = np.minimum(aperiodicity[hertz > 0], 0.25 + 0.75 * np.clip((axis - 2500) / 6000, 0, 1))
    aperiodicity = np.clip(aperiodicity + who.breathy * np.linspace(0.2, 1, BINS), 0.001, 0.999)
    if who.whisper:
        hertz = np.zeros(frames)
    power = np.ascontiguousarray(np.exp(envelope.astype(np.float64)))
    aperiodicity = np.ascontiguousarray(aperiodicity.astype(np.float64))
    sound = pyworld.synthesize(np.ascontiguousarray(hertz), power, aperiodicity, RATE, FRAME_S * 1000)
    return sound.astype(np.float32)


def _pace(syllable: tuple[int, int, int], frames: int, vowel_only: bool) -> np.ndarray:
    """Source frame for each frame of a note: consonants at their own pace (shortened if they must), nucleus held."""
    start, nucleus, end = syllable
    if vowel_only:
        return np.linspace(max(start, nucleus - 4), min(end, nucleus + 4), frames)
    onset = min(nucleus - start, int(frames * 0.4))
    coda = min(end - nucleus, int(frames * 0.3))
    into, hold, out = onset, frames - onset - coda, coda
    return np.concatenate([
        np.linspace(start, max(start, nucleus - 3), into, endpoint=False),
        np.linspace(max(start, nucleus - 3), min(end, nucleus + 3), hold, endpoint=False),
        np.linspace(min(end, nucleus + 3), end, out, endpoint=False),
    ])  # fmt: skip


def _spread(values: np.ndarray, rate: int, formants: float) -> np.ndarray:
    """Rows over the source's bins to rows over ours, formants moved; the last value stands above the source's band."""
    top = rate / 2 * 0.94
    wanted = np.minimum(np.linspace(0, RATE / 2, BINS) / formants, top) / (rate / 2) * (values.shape[1] - 1)
    lower = np.minimum(wanted.astype(int), values.shape[1] - 2)
    part = (wanted - lower).astype(np.float32)
    return values[:, lower] * (1 - part) + values[:, lower + 1] * part


def _to_full_band(envelope: np.ndarray, rate: int, who: Singer) -> np.ndarray:
    """Formants moved; above the source's band the envelope falls at the singer's tilt; brightness on top."""
    out = _spread(envelope, rate, who.formants)
    top = rate / 2 * 0.94
    axis = np.linspace(0, RATE / 2, BINS) / who.formants
    above = axis > top
    low, high = (int(hertz / (rate / 2) * envelope.shape[1]) for hertz in (top - 1200, top))
    edge = envelope[:, low:high].mean(1, keepdims=True)
    db = np.log(10) / 10
    out[:, above] = edge - (axis[above] - top) / 1000 * who.tilt_db_per_khz * db
    return out + who.bright * np.linspace(0, 1, BINS, dtype=np.float32) * 10 * db


def choir(melody: list[tuple[float, float, int]], song: compose.Song, pool: list[speech.Speaker], rng: random.Random,
          noise: np.random.Generator) -> np.ndarray:  # fmt: skip
    """Several singers on the notes of chords, each as a few copies that wander apart. [frames, 2]."""
    frames = int(song.seconds * RATE)
    out = np.zeros((frames, 2), np.float32)
    time = np.arange(0, frames + 441, 441)
    for shift in rng.sample((0, 2, 4, -3, 7, -5), rng.randint(2, 4)):
        who = singer(rng, pool)
        notes = [(start, length, song.pitch(degree + shift, who.base - 4)) for start, length, degree in melody]
        line = sing(notes, song.seconds, who, rng, noise)
        for _ in range(rng.randint(2, 4)):
            walk = np.cumsum(noise.normal(0, 4, len(time)))
            walk += rng.uniform(200, 1500) - walk.min()
            copy = effects.wander(line, np.interp(np.arange(frames), time, walk))
            angle = rng.uniform(0, np.pi / 2)
            out += np.stack([copy * np.cos(angle), copy * np.sin(angle)], 1)
    return out * (0.1 / effects.level(out))


def voices(split: str, number: int, kinds: tuple[str, ...] | None = None):
    """Yields (kind, sound, words about it) of a song's singers: a lead, sometimes harmonies or a choir."""
    seed = backing.song_seed(split, number)
    song = compose.compose(seed, backing.SECONDS)
    rng, noise = seeds.rng("voices", seed), seeds.array_rng("voices", seed)
    recorded = list(speech.recorded_speakers(split))
    formant = speech.formant_speakers(split)
    pool = recorded * 3 + formant[: len(recorded) * 2] if split == "train" else recorded * 2 + formant[:4]
    melody = song.melody_seconds()
    if kinds is None:
        kinds = ("lead",) + rng.choices([(), ("harmony",), ("harmony", "harmony"), ("choir",)], (10, 3, 4, 2))[0]
    lead = singer(rng, pool)
    shifts = rng.sample((2, 4, -3, -5, 5), 2)
    for kind in kinds:
        if kind == "choir":
            part = [note for note in melody if int(note[0] / 8) % 2 == 0] or melody
            yield kind, choir(part, song, pool, rng, noise), {"speaker": "several"}
            continue
        who = lead if kind == "lead" or rng.random() < 0.5 else singer(rng, pool)
        shift = 0 if kind == "lead" else shifts.pop()
        part = melody if kind == "lead" or rng.random() < 0.5 else [n for n in melody if int(n[0] / 6) % 2]
        late = 0.0 if kind == "lead" else rng.uniform(0, 0.03)
        notes = [(start + late, length, song.pitch(degree + shift, who.base)) for start, length, degree in part]
        about = {"speaker": f"{who.speaker.program}:{who.speaker.name}", "formants": round(who.formants, 3)}
        yield kind, sing(notes, song.seconds, who, rng, noise), about


def generate(folder: Path, split: str, first: int, count: int, kinds: tuple[str, ...] | None = None) -> None:
    """The singers of songs `first` to `first + count - 1`."""
    writer = Writer(folder, f"{split}-voices-{first}")
    for number in range(first, first + count):
        if backing.song_seed(split, number) in writer.songs:
            continue
        for kind, sound, about in voices(split, number, kinds):
            if effects.level(sound) > 1e-4:
                peak = np.abs(sound).max()
                writer.add(sound * min(1, 0.95 / peak), kind, backing.song_seed(split, number), **about)
                print(number, kind, about, flush=True)
