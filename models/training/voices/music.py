"""Music of many kinds, for the layer that tells voices from everything else: whatever is played by what instrument, alone or together.

    python -m voices.music WORK

WORK/pieces has `NUMBER.npy`, f32 [N] at 16 kHz and at the reference level. General MIDI's voices and choirs are left out.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import instruments, midi, worn
from .generate import REFERENCE_RMS, seed_of

PIECES, TEST_PIECES, PIECE_S = 300, 40, 8.0
STRUCK = (*range(9), *range(9, 16), *range(24, 32), 45, 46, *range(104, 109))
"""Programs, from 0, of what is struck or plucked."""
HELD = (*range(16, 24), *range(40, 45), *range(48, 52), *range(60, 85), *range(86, 91), *range(92, 96), *range(109, 112))
"""Of what is bowed, blown or held by a machine."""
BASSES = tuple(range(32, 40))
DRUM_KITS = (0, 8, 16, 24, 25, 32, 40)
DRUMS = (35, 36, 38, 39, 40, 41, 42, 44, 45, 46, 47, 49, 51, 54, 56, 60, 62, 63, 67, 69, 70, 75)
KINDS = ("chords", "chords", "arpeggio", "melody", "melody", "pad", "drums", "full", "full")


@dataclass
class Band:
    """A score that grows, instrument by instrument."""

    generator: np.random.Generator
    score: midi.Score = field(default_factory=midi.Score)
    channel: int = 0

    def __post_init__(self):
        choose = self.generator.integers
        self.beat_s = 60.0 / choose(60, 170)
        self.root, self.scale = int(choose(36, 50)), instruments.SCALES[choose(len(instruments.SCALES))]
        self.progression = instruments.PROGRESSIONS[choose(len(instruments.PROGRESSIONS))]
        self.octave, self.notes = int(choose(0, 3)), int(choose(2, 5))
        self.bars = int(PIECE_S / (4 * self.beat_s)) + 1

    def begin(self, programs: tuple[int, ...], quietest: int = 70) -> int:
        """Another instrument; its channel."""
        channel, self.channel = self.channel, self.channel + 1
        self.score.program(channel, int(self.generator.choice(programs)), int(self.generator.integers(quietest, 120)))
        return channel

    def chord(self, bar: int) -> list[int]:
        """Keys."""
        degree = self.progression[bar % 4]
        steps = (0, 2, 4, 6)[: self.notes]
        return [self.root + 12 * self.octave + self.scale[(degree + step) % 7] + 12 * ((degree + step) // 7) for step in steps]

    def loud(self) -> int:
        """A note's."""
        return int(self.generator.integers(50, 115))

    def chords(self, programs: tuple[int, ...], pulses: int) -> None:
        """Struck one after the other, or at once."""
        channel, strum_s, bar_s = self.begin(programs), self.generator.uniform(0.0, 0.04), 4 * self.beat_s
        for bar in range(self.bars):
            for pulse in range(pulses):
                start_s, end_s = (bar + pulse / pulses) * bar_s, (bar + (pulse + 0.9) / pulses) * bar_s
                for place, key in enumerate(self.chord(bar)):
                    self.score.note(channel, start_s + place * strum_s, end_s, key, self.loud())

    def arpeggio(self) -> None:
        """The notes of chords by turns."""
        channel, step_s = self.begin(STRUCK), self.beat_s / self.generator.choice([2, 3, 4])
        skip = int(self.generator.integers(1, 4))
        for number in range(int(PIECE_S / step_s)):
            keys = self.chord(int(number * step_s / (4 * self.beat_s)))
            key = keys[number * skip % len(keys)] + 12 * int(self.generator.random() < 0.3)
            length_s = step_s * self.generator.uniform(0.8, 3.0)
            self.score.note(channel, number * step_s, number * step_s + length_s, key, self.loud())

    def melody(self) -> None:
        """By anything, sometimes over a held note. What is bowed or blown stays low: alone and high it is hardly told from what is sung high."""
        is_struck = self.generator.random() < 1 / 3
        low = int(self.generator.integers(48, 76) if is_struck else self.generator.integers(40, 58))
        channel = self.begin(STRUCK if is_struck else HELD)
        instruments.melody(self.score, channel, low, low + 19, PIECE_S + 2.5, self.generator)
        if self.generator.random() < 0.5:
            channel = self.begin(HELD, 50)
            for bar in range(self.bars):
                key = self.root + 12 + self.scale[self.progression[bar % 4] % 7]
                self.score.note(channel, bar * 4 * self.beat_s, (bar + 1) * 4 * self.beat_s, key, 80)

    def bass(self) -> None:
        """On some of the beats."""
        channel = self.begin(BASSES)
        beats = (0, 1.5, 2, 3.5)[:: int(self.generator.integers(1, 3))]
        for bar in range(self.bars):
            for beat in beats:
                start_s = (4 * bar + beat) * self.beat_s
                key = self.root + self.scale[self.progression[bar % 4] % 7] - 12 * (self.root > 42)
                self.score.note(channel, start_s, start_s + 0.6 * self.beat_s, key, 100)

    def drums(self) -> None:
        """A few, each on its own count."""
        self.score.program(midi.DRUM_CHANNEL, int(self.generator.choice(DRUM_KITS)), int(self.generator.integers(90, 127)))
        for _ in range(int(self.generator.integers(2, 6))):
            key, every_s = int(self.generator.choice(DRUMS)), self.generator.integers(1, 9) / 2 * self.beat_s
            for at_s in np.arange(self.generator.integers(0, 4) * self.beat_s / 2, PIECE_S, every_s):
                self.score.note(midi.DRUM_CHANNEL, at_s, at_s + 0.1, key, int(self.generator.integers(60, 125)))


def piece(generator: np.random.Generator) -> np.ndarray:
    """[PIECE_S] at 16 kHz and the reference level, as a recording that may be coloured or driven too hard."""
    band, kind = Band(generator), generator.choice(KINDS)
    sometimes = generator.random(4)
    if kind in ("chords", "full"):
        band.chords(STRUCK + HELD, int(generator.choice([1, 2, 4, 8])))
    if kind == "pad":
        band.chords(HELD, 1)
    if kind == "arpeggio" or (kind == "full" and sometimes[0] < 0.5):
        band.arpeggio()
    if kind == "melody" or (kind == "full" and sometimes[1] < 0.5):
        band.melody()
    if kind == "full" or sometimes[2] < 0.3:
        band.bass()
    if kind == "drums" or (kind == "full" and sometimes[3] < 0.7):
        band.drums()
    samples = midi.play(band.score, PIECE_S, 16_000, reverb=bool(generator.random() < 0.6))
    if generator.random() < 0.5:
        samples = worn.coloured(samples, generator)
    if generator.random() < 0.3:
        samples = np.tanh(samples / max(worn.rms(samples), 1e-9) * generator.uniform(0.3, 1.5))
    return samples * (REFERENCE_RMS / max(worn.rms(samples), 1e-9))


def read(work: Path) -> list[np.ndarray]:
    """All pieces, those for testing last."""
    return [np.load(path) for path in sorted((work / "pieces").glob("*.npy"))]


def main(work: Path) -> None:
    """Plays what is missing."""
    folder = work / "pieces"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(PIECES):
        file = folder / f"{number:03d}.npy"
        if not file.exists():
            np.save(file, piece(np.random.default_rng(seed_of(f"piece-{number:03d}"))).astype(np.float32))
    print("pieces played", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
