"""Rendered music: solo instruments (to become instrument packages, and known pitches) and backing to be ignored.

WORK/music holds

    solo-PROGRAM-NUMBER.npz   wave f32 [N] at 32 kHz, f0 f32 [T] (100 Hz; of the score, refined on the sound)
    backing-NUMBER.npz        wave int16 [N] at 16 kHz: chords, bass, drums
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyworld

from . import midi
from .generate import save, seed_of

RATE_HZ = 32_000
SOLO_S = 40.0
SOLOS = 5
BACKING_S = 20.0
BACKINGS, TEST_BACKINGS = 24, 6
SCALES = ((0, 2, 4, 5, 7, 9, 11), (0, 2, 3, 5, 7, 8, 10))
PROGRESSIONS = ((0, 4, 5, 3), (5, 3, 0, 4), (0, 5, 3, 4), (1, 4, 0, 0), (0, 2, 3, 4), (3, 0, 4, 5))
CHORD_PROGRAMS = (0, 2, 4, 5, 6, 11, 16, 18, 19, 21, 24, 25, 27, 28, 30, 46, 48, 50, 62, 81, 88, 90, 92)
BASS_PROGRAMS = (32, 33, 34, 36, 38, 39)
MELODY_PROGRAMS = (11, 40, 56, 61, 65, 71, 73, 80)


@dataclass(frozen=True)
class Instrument:
    """A package made from a rendered instrument."""

    id: str
    name: str
    program: int
    """General MIDI number, from 0."""
    lowest: int
    highest: int
    """MIDI keys."""
    character: str
    demo_speaker: str


INSTRUMENTS = (
    Instrument("vocalhost.violin-4", "Violin", 40, 55, 88, "strings", "slt"),
    Instrument("vocalhost.flute-4", "Flute", 73, 60, 91, "woodwind", "slt"),
    Instrument("vocalhost.saxophone-4", "Saxophone", 66, 44, 76, "reed", "rms"),
)


def melody(score: midi.Score, channel: int, low: int, high: int, seconds: float, generator) -> list[tuple]:
    """A line of long and short notes, mostly legato, with swells and pauses; returns (start s, end s, key)."""
    scale = SCALES[generator.integers(len(SCALES))]
    keys = [key for key in range(low, high + 1) if (key - low) % 12 in scale]
    place, at_s, notes = len(keys) // 2, 0.3, []
    while at_s < seconds - 2.5:
        length_s = float(np.clip(generator.lognormal(-0.9, 0.6), 0.12, 2.2))
        place = int(np.clip(place + generator.integers(-4, 5), 0, len(keys) - 1))
        if generator.random() < 0.06:
            place = int(generator.integers(len(keys)))
        score.note(channel, at_s, at_s + length_s, keys[place], int(generator.integers(45, 120)))
        if length_s > 0.5 and generator.random() < 0.6:
            swell = generator.uniform(60, 127, 2)
            for step in range(8):
                value = swell[0] + (swell[1] - swell[0]) * step / 7
                score.control(channel, at_s + length_s * step / 8, 11, int(value))
        notes.append((at_s, at_s + length_s, keys[place]))
        at_s += length_s + (generator.uniform(0.15, 0.8) if generator.random() < 0.12 else 0.0)
    return notes


def solo(program: int, low: int, high: int, seed: int, seconds: float = SOLO_S) -> tuple[np.ndarray, np.ndarray]:
    """Mono sound at 32 kHz and its fundamental at 100 Hz, 0 where nothing sounds."""
    generator = np.random.default_rng(seed)
    score = midi.Score()
    score.program(0, program)
    notes = melody(score, 0, low, high, seconds, generator)
    samples = midi.play(score, seconds, RATE_HZ)
    frames = round(seconds * 100)
    f0_hz = np.zeros(frames)
    for start_s, _, key in notes:
        f0_hz[round(start_s * 100) :] = 440.0 * 2.0 ** ((key - 69) / 12.0)
    times = np.arange(frames) * 0.01
    refined = pyworld.stonemask(samples, f0_hz, times, RATE_HZ)
    near = np.abs(1200.0 * np.log2(np.maximum(refined, 1.0) / np.maximum(f0_hz, 1.0))) < 70.0
    level = np.sqrt((samples.reshape(frames, -1) ** 2).mean(axis=1) + 1e-12)
    sounds = level > 0.01 * level.max()
    return samples, np.where(sounds, np.where(near, refined, f0_hz), 0.0)


def backing(seed: int, seconds: float = BACKING_S) -> np.ndarray:
    """Mono at 16 kHz: chords in one or two patterns, bass, drums, sometimes a melody."""
    generator = np.random.default_rng(seed)
    score = midi.Score()
    beat_s = 60.0 / generator.integers(72, 150)
    root, scale = int(generator.integers(36, 48)), SCALES[generator.integers(len(SCALES))]
    progression = PROGRESSIONS[generator.integers(len(PROGRESSIONS))]
    score.program(0, int(generator.choice(CHORD_PROGRAMS)), int(generator.integers(70, 110)))
    score.program(1, int(generator.choice(CHORD_PROGRAMS)), int(generator.integers(50, 100)))
    score.program(2, int(generator.choice(BASS_PROGRAMS)), int(generator.integers(90, 120)))
    score.program(midi.DRUM_CHANNEL, int(generator.choice([0, 8, 16, 25, 32])), int(generator.integers(90, 127)))
    pulses = generator.choice([1, 2, 4])
    for bar in range(int(seconds / (4 * beat_s))):
        start_s, degree = bar * 4 * beat_s, progression[bar % 4]
        chord = [root + 24 + scale[(degree + step) % 7] + 12 * ((degree + step) // 7) for step in (0, 2, 4)]
        for pulse in range(pulses):
            at_s = start_s + pulse * 4 * beat_s / pulses
            for key in chord:
                score.note(0, at_s, at_s + 3.6 * beat_s / pulses, key, int(generator.integers(60, 100)))
        for step in range(8):
            at_s = start_s + step * beat_s / 2
            score.note(1, at_s, at_s + 0.45 * beat_s, chord[step % 3] + 12 * (step // 4), int(generator.integers(50, 90)))
            score.note(midi.DRUM_CHANNEL, at_s, at_s + 0.1, 42, int(generator.integers(50, 100)))
        for step in (0, 1.5, 2, 3.5):
            at_s = start_s + step * beat_s
            score.note(2, at_s, at_s + 0.5 * beat_s, root + scale[degree % 7] - 12 * (root > 42), 100)
        for step, key in ((0, 36), (1, 38), (2, 36), (3, 38)):
            score.note(midi.DRUM_CHANNEL, start_s + step * beat_s, start_s + step * beat_s + 0.1, key, 110)
    if generator.random() < 0.4:
        score.program(3, int(generator.choice(MELODY_PROGRAMS)), int(generator.integers(60, 100)))
        melody(score, 3, root + 24, root + 48, seconds, generator)
    return midi.play(score, seconds, 16_000, reverb=bool(generator.random() < 0.5))


def main(work: Path) -> None:
    """Renders everything."""
    folder = work / "music"
    folder.mkdir(parents=True, exist_ok=True)
    for instrument in INSTRUMENTS:
        for number in range(SOLOS + 1):
            name = f"solo-{instrument.program}-{number}"
            samples, f0_hz = solo(instrument.program, instrument.lowest, instrument.highest, seed_of(name))
            save(folder, name, wave=samples.astype(np.float32), f0=f0_hz.astype(np.float32))
    for number in range(BACKINGS + TEST_BACKINGS):
        name = f"backing-{number:03d}"
        samples = backing(seed_of(name))
        save(folder, name, wave=np.round(samples / np.abs(samples).max() * 30000).astype(np.int16))
    print("music made", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
