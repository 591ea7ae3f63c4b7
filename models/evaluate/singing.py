"""A small singing synthesiser: phones of a speech program, sung to a score with the WORLD vocoder.

The speech program (flite) says the words and names its phones; WORLD takes the speech apart into fundamental, spectral
envelope and aperiodicity; each syllable is laid on its note with the vowel stretched in its middle; a new fundamental
is drawn (notes joined legato, vibrato, slow drift) and WORLD puts it together again at 48 kHz. Formants are warped, so
that the singer is none of the voices that the models were trained on. The fundamental is known exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import paths  # noqa: F401  (finds the speech module)
import pyworld
import speech

FRAME_S = 0.005
RATE_HZ = 48_000
SPEECH_RATE_HZ = speech.FLITE_RATE_HZ
SPEECH_BAND_EDGE_HZ = 7_500.0
"""The speech programs' 16 kHz voices carry nothing above; the envelope falls from here on."""
FALL_DB_PER_KHZ = 4.0
VOWELS = set("aa ae ah ao aw ax ay eh er ey ih iy ow oy uh uw".split())
UNVOICED = set("pau ch f hh k p s sh t th".split())


@dataclass(frozen=True)
class Singer:
    """Whose phones are sung, and how the instrument is changed."""

    flite_voice: str
    formant_warp: float
    """Above 1 the formants move up, as of a smaller head."""
    vibrato_hz: float
    vibrato_cents: float
    seed: int


@dataclass(frozen=True)
class Phrase:
    """Words and the notes (MIDI number, seconds) they are sung on; the last syllable takes all notes that are left."""

    words: str
    notes: tuple[tuple[int, float], ...]
    rest_after_s: float


@dataclass(frozen=True)
class Sung:
    """Mono samples at 48 kHz and the fundamental that was sung: Hz every 5 ms, 0 where no pitch sounds."""

    samples: np.ndarray
    f0_hz: np.ndarray


def sing(singer: Singer, phrases: list[Phrase]) -> Sung:
    """Sings the phrases one after the other; rests are digital silence."""
    generator = np.random.default_rng(singer.seed)
    samples, f0_hz = [], []
    for phrase in phrases:
        sung = _sing_phrase(singer, phrase, generator)
        rest_frames = round(phrase.rest_after_s / FRAME_S)
        samples += [sung.samples, np.zeros(round(rest_frames * FRAME_S * RATE_HZ))]
        f0_hz += [sung.f0_hz, np.zeros(rest_frames)]
    return Sung(np.concatenate(samples), np.concatenate(f0_hz))


def _sing_phrase(singer: Singer, phrase: Phrase, generator: np.random.Generator) -> Sung:
    spoken, phones = speech.flite_with_phones(phrase.words, singer.flite_voice)
    spoken_f0, times = pyworld.harvest(spoken, SPEECH_RATE_HZ, f0_floor=60.0, f0_ceil=500.0)
    envelope = pyworld.cheaptrick(spoken, spoken_f0, times, SPEECH_RATE_HZ)
    aperiodicity = pyworld.d4c(spoken, spoken_f0, times, SPEECH_RATE_HZ)
    source, voiced = _lay_on_notes(_syllables(phones), phrase.notes)
    f0_hz = np.where(voiced, _melody_hz(phrase.notes, singer, generator), 0.0)
    row = np.clip(np.round(source).astype(int), 0, len(envelope) - 1)
    bins = pyworld.get_cheaptrick_fft_size(RATE_HZ) // 2 + 1
    log_envelope = _widen(_between_rows(np.log(envelope + 1e-16), source), bins, singer.formant_warp)
    loudness = _loudness(len(f0_hz))
    log_envelope += 2.0 * np.log(loudness + 1e-6)[:, None]
    rough = _widen_aperiodicity(aperiodicity[row], bins)
    rough = np.where(f0_hz[:, None] > 0, np.minimum(rough, 0.7), 1.0)
    samples = pyworld.synthesize(
        f0_hz, np.ascontiguousarray(np.exp(log_envelope)), np.ascontiguousarray(rough), RATE_HZ, FRAME_S * 1000
    )
    length = round(len(f0_hz) * FRAME_S * RATE_HZ)
    samples = np.pad(samples, (0, max(0, length - len(samples))))[:length]
    fade = np.clip(np.minimum(np.arange(length), np.arange(length)[::-1]) / (0.01 * RATE_HZ), 0.0, 1.0)
    return Sung(samples * fade, f0_hz)


def _syllables(phones: list[tuple[str, float, float]]) -> list[list[tuple[str, float, float]]]:
    """Phones grouped so that each group has one vowel; a consonant before a vowel belongs to that vowel."""
    sounding = [phone for phone in phones if phone[0] != "pau" and phone[2] - phone[1] > 0.01]
    vowels = [place for place, phone in enumerate(sounding) if phone[0] in VOWELS]
    groups = []
    start = 0
    for number, place in enumerate(vowels):
        following = vowels[number + 1] if number + 1 < len(vowels) else len(sounding) + 1
        end = max(place + 1, following - 1)
        groups.append(sounding[start:end])
        start = end
    return groups


def _lay_on_notes(syllables: list, notes: tuple[tuple[int, float], ...]) -> tuple[np.ndarray, np.ndarray]:
    """For each 5 ms: the place in the spoken phrase (in 5 ms frames), and whether the phone there has a pitch."""
    places, voiced = [], []
    lengths_s = [duration_s for _, duration_s in notes]
    if len(syllables) < len(notes):
        lengths_s = lengths_s[: len(syllables) - 1] + [sum(lengths_s[len(syllables) - 1 :])]
    for syllable, length_s in zip(syllables, lengths_s, strict=False):
        consonants_s = sum(min(end - start, 0.12) for name, start, end in syllable if name not in VOWELS)
        squeeze = min(1.0, 0.45 * length_s / consonants_s) if consonants_s > 0 else 1.0
        for name, start, end in syllable:
            is_vowel = name in VOWELS
            phone_s = length_s - consonants_s * squeeze if is_vowel else min(end - start, 0.12) * squeeze
            steps = np.linspace(0.0, 1.0, max(1, round(phone_s / FRAME_S)), endpoint=False)
            if is_vowel:
                edge = min(0.35, 0.06 / max(phone_s, 0.06))
                steps = np.interp(steps, [0.0, edge, 1.0 - edge, 1.0], [0.05, 0.4, 0.65, 0.95])
            places.append((start + steps * (end - start)) / FRAME_S)
            voiced.append(np.full(len(steps), name not in UNVOICED))
    frames = round(sum(length_s for _, length_s in notes) / FRAME_S)
    place, has_pitch = np.concatenate(places), np.concatenate(voiced)
    short = max(0, frames - len(place))
    return np.pad(place, (0, short), "edge")[:frames], np.pad(has_pitch, (0, short), "edge")[:frames]


def _melody_hz(notes: tuple[tuple[int, float], ...], singer: Singer, generator: np.random.Generator) -> np.ndarray:
    """The sung fundamental: notes joined in about 80 ms, vibrato from 0.25 s into a note, a drift of a few cents."""
    cents, since_s = [], []
    for midi, duration_s in notes:
        frames = round(duration_s / FRAME_S)
        cents.append(np.full(frames, midi * 100.0))
        since_s.append(np.arange(frames) * FRAME_S)
    line, since = np.concatenate(cents), np.concatenate(since_s)
    glide = np.hanning(18)[1:-1]
    line = np.convolve(np.pad(line, (8, 7), "edge"), glide / glide.sum(), "valid")
    time_s = np.arange(len(line)) * FRAME_S
    line += (
        singer.vibrato_cents * np.clip((since - 0.25) / 0.3, 0.0, 1.0) * np.sin(2 * np.pi * singer.vibrato_hz * time_s)
    )
    drift = np.convolve(generator.normal(0.0, 30.0, len(line) + 60), np.hanning(61) / np.hanning(61).sum(), "valid")
    return 440.0 * 2.0 ** ((line + drift[: len(line)] - 6900.0) / 1200.0)


def _between_rows(rows: np.ndarray, place: np.ndarray) -> np.ndarray:
    low = np.clip(np.floor(place).astype(int), 0, len(rows) - 2)
    share = np.clip(place - low, 0.0, 1.0)[:, None]
    return rows[low] * (1.0 - share) + rows[low + 1] * share


def _widen(log_power: np.ndarray, bins: int, warp: float) -> np.ndarray:
    """Moves the formants and continues the envelope to 24 kHz with a steady fall."""
    hz = np.linspace(0.0, RATE_HZ / 2, bins) / warp
    known_hz = np.linspace(0.0, SPEECH_RATE_HZ / 2, log_power.shape[1])
    place = np.interp(np.minimum(hz, SPEECH_BAND_EDGE_HZ), known_hz, np.arange(len(known_hz)))
    low = np.minimum(place.astype(int), len(known_hz) - 2)
    share = place - low
    wide = log_power[:, low] * (1.0 - share) + log_power[:, low + 1] * share
    wide -= np.maximum(hz - SPEECH_BAND_EDGE_HZ, 0.0) / 1000.0 * FALL_DB_PER_KHZ * np.log(10.0) / 10.0
    # The envelope is a power density per bin of another transform size and rate: keep the sound's level.
    return wide + np.log(RATE_HZ / SPEECH_RATE_HZ)


def _widen_aperiodicity(aperiodicity: np.ndarray, bins: int) -> np.ndarray:
    hz = np.linspace(0.0, RATE_HZ / 2, bins)
    known_hz = np.linspace(0.0, SPEECH_RATE_HZ / 2, aperiodicity.shape[1])
    place = np.round(np.interp(np.minimum(hz, SPEECH_BAND_EDGE_HZ), known_hz, np.arange(len(known_hz)))).astype(int)
    wide = aperiodicity[:, place]
    return np.clip(np.maximum(wide, np.clip((hz - 4000.0) / 6000.0, 0.0, 0.95)), 0.001, 0.999)


def _loudness(frames: int) -> np.ndarray:
    """A phrase swells and falls a little; 30 ms fades at its ends."""
    swell = 0.75 + 0.25 * np.sin(np.pi * np.linspace(0.0, 1.0, frames))
    edge = np.minimum(np.arange(frames) + 1, np.arange(frames)[::-1] + 1) * FRAME_S / 0.03
    return swell * np.clip(edge, 0.0, 1.0)
