"""Writes songs: parts of notes with General MIDI programs, and a melody in key for a singer. No sound is made here.

Times are in beats, pitches in MIDI keys. Everything follows from the seed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from . import seeds

MAJOR = (0, 2, 4, 5, 7, 9, 11)
MINOR = (0, 2, 3, 5, 7, 8, 10)
DORIAN = (0, 2, 3, 5, 7, 9, 10)
MIXOLYDIAN = (0, 2, 4, 5, 7, 9, 10)
# Degrees of the scale, one chord a bar.
PROGRESSIONS = (
    (0, 4, 5, 3), (5, 3, 0, 4), (0, 5, 3, 4), (0, 3, 4, 3), (1, 4, 0, 0), (0, 2, 3, 4), (5, 4, 3, 4), (0, 0, 3, 4),
    (3, 0, 4, 5), (0, 6, 3, 0), (0, 0, 0, 0), (0, 3, 0, 4), (5, 1, 4, 0), (0, 4, 3, 3), (5, 5, 3, 4), (0, 1, 3, 0),
)  # fmt: skip
STYLES = ("pop", "rock", "metal", "funk", "jazz", "electro", "chip", "orchestra", "ballad", "ambient", "folk", "latin")
STYLE_WEIGHTS = (16, 12, 6, 7, 7, 12, 6, 14, 8, 5, 7, 6)
# General MIDI programs, from 0. 52 to 54, 85 and 91 sound like voices and are never used.
KEYS = (0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
GUITARS = (24, 25, 26, 27, 28)
DISTORTED = (29, 30)
STRINGS = (40, 41, 42, 44, 48, 49, 50, 51)
BRASS = (56, 57, 58, 59, 60, 61, 62, 63)
REEDS = (64, 65, 66, 67, 68, 69, 70, 71)
PIPES = (72, 73, 74, 75, 76, 77, 78, 79)
LEADS = (80, 81, 82, 83, 84, 86, 87)
PADS = (88, 89, 90, 92, 93, 94, 95)
BELLS = (8, 9, 10, 11, 12, 13, 14, 15, 46, 108, 112, 114)
PLUCKED = (45, 46, 104, 105, 106, 107)
BASSES = (32, 33, 34, 35, 36, 37, 38, 39)


@dataclass
class Part:
    """Notes of one instrument: (beat, length, key, velocity), and controllers: (beat, controller, value)."""

    stem: str
    program: int
    volume: int
    pan: int
    kind: str
    notes: list[tuple[float, float, float, float]] = field(default_factory=list)
    controls: list[tuple[float, int, float]] = field(default_factory=list)
    bends: list[tuple[float, float]] = field(default_factory=list)


@dataclass
class Song:
    """A song: its parts and the melody, (beat, length, degree of the scale)."""

    seed: str
    style: str
    bpm: float
    beats: int
    seconds: float
    key: int
    scale: tuple[int, ...]
    parts: list[Part]
    melody: list[tuple[float, float, int]]

    def pitch(self, degree: int, base: int) -> int:
        """The key of a degree of the scale, counted from the tonic at or above `base`."""
        tonic = base + (self.key - base) % 12
        return tonic + self.scale[degree % 7] + 12 * (degree // 7)

    def melody_seconds(self) -> list[tuple[float, float, int]]:
        """The melody with times in seconds."""
        beat = 60 / self.bpm
        return [(start * beat, length * beat, degree) for start, length, degree in self.melody]


def compose(seed: str, seconds: float) -> Song:
    """A song of about that length."""
    rng = seeds.rng("song", seed)
    style = rng.choices(STYLES, STYLE_WEIGHTS)[0]
    slow = style in ("ballad", "ambient")
    bpm = rng.uniform(58, 92) if slow else rng.uniform(150, 200) if style == "metal" else rng.uniform(72, 168)
    beats = int(seconds * bpm / 60) + 1
    scale = rng.choice((MAJOR, MAJOR, MINOR, MINOR, DORIAN, MIXOLYDIAN))
    song = Song(seed, style, bpm, beats, seconds, rng.randrange(12), scale, [], [])
    progression = rng.choice(PROGRESSIONS)
    bars = beats // 4 + 2
    chords = [progression[bar % 4] for bar in range(bars)]
    # Layers come and go between sections of four bars: quiet and full stretches of the same song.
    sections = [rng.uniform(0.35, 1.0) if rng.random() < 0.5 else 1.0 for _ in range(bars // 4 + 1)]
    if rng.random() > {"orchestra": 0.6, "ambient": 0.8, "ballad": 0.35, "folk": 0.4}.get(style, 0.03):
        song.parts.append(_drums(rng, style, bars))
    if rng.random() > {"orchestra": 0.4, "ambient": 0.5, "folk": 0.25}.get(style, 0.05):
        song.parts.append(_bass(rng, song, chords))
    song.parts += _harmony(rng, song, chords, sections)
    song.melody = _melody(rng, song)
    return song


def _drums(rng: random.Random, style: str, bars: int) -> Part:
    kit = rng.choice({"jazz": (32, 40, 0), "electro": (24, 25, 24, 8), "metal": (16, 8), "orchestra": (48,)}.get(
        style, (0, 0, 8, 16, 25, 32, 40, 0)))  # fmt: skip
    part = Part("drums", kit, rng.randint(90, 127), 64, "drums")
    kick, snare = rng.choice((36, 35, 36)), rng.choice((38, 40, 38, 37, 39))
    hat = rng.choice((42, 42, 51, 44, 70, 54, 59))
    kicks = rng.choice(((0, 2, 2.5), (0, 0.75, 2.5), (0, 1.5, 2), (0, 2), (0, 1.66, 2), (0, 2.5, 3.5)))
    snares: tuple[float, ...] = rng.choice(((1, 3), (1, 3), (2,), (1, 3, 3.75)))
    step = rng.choice((0.5, 0.5, 0.25, 1, 1 / 3))
    if style == "electro":
        kicks, hat = (0, 1, 2, 3), rng.choice((42, 46))
    elif style == "metal":
        kicks, step = tuple(k / 2 for k in range(8)) if rng.random() < 0.5 else (0, 0.5, 2, 2.5), 0.5
    elif style == "jazz":
        hat, step, kicks = 51, rng.choice((2 / 3, 1)), (0,) if rng.random() < 0.5 else (0, 2.66)
    elif style == "orchestra":
        kicks, snares, step, kick = (0,), (), 0, rng.choice((35, 47, 41))
    loud = rng.uniform(0.55, 1.0)
    swing = rng.uniform(0, 0.08)
    add = part.notes.append
    for bar in range(bars):
        start = bar * 4
        fill = bar % 4 == 3 and rng.random() < 0.5
        if rng.random() < (0.6 if bar % 4 == 0 else 0.04):
            add((start, 1, rng.choice((49, 57, 52, 55)), rng.randint(70, 115) * loud))
        for beat in kicks:
            if not (fill and beat >= 3):
                add((start + beat + rng.gauss(0, 0.008), 0.3, kick, rng.randint(90, 125) * loud))
        if rng.random() < 0.3:
            add((start + rng.choice((1.5, 2.75, 3.5)), 0.3, kick, rng.randint(75, 110) * loud))
        for beat in snares:
            if not (fill and beat >= 3):
                add((start + beat + rng.gauss(0, 0.008), 0.3, snare, rng.randint(85, 125) * loud))
            if rng.random() < 0.15:
                add((start + beat + 0.75, 0.2, snare, rng.randint(25, 60) * loud))
        beat = 0.0
        while step and beat < 4 - fill:
            open_hat = hat == 42 and rng.random() < 0.06
            velocity = rng.randint(50, 95) if beat % 1 else rng.randint(70, 110)
            add((start + beat + (swing if beat % 1 else 0), 0.2, 46 if open_hat else hat, velocity * loud))
            beat += step
        if fill:
            count = rng.choice((4, 6, 8))
            for stroke in range(count):
                drum = rng.choice((38, 45, 47, 43, 50, 41))
                add((start + 3 + stroke / count, 0.2, drum, rng.randint(80, 120) * loud))
        if rng.random() < (0.7 if style == "latin" else 0.15):
            drum = rng.choice((56, 76, 75, 63, 62, 64, 39, 69, 82, 60, 61, 67, 54))
            for beat in rng.choice(((0.5, 2.5), (0, 1.5, 3), (1.5,), (0.75, 2.25, 3.5))):
                add((start + beat, 0.3, drum, rng.randint(60, 105) * loud))
    return part


def _bass(rng: random.Random, song: Song, chords: list[int]) -> Part:
    program = rng.choice({"jazz": (32, 32, 35), "orchestra": (43, 32, 43), "electro": (38, 39, 87, 38),
                          "ballad": (33, 35, 32), "folk": (32, 33)}.get(song.style, BASSES))  # fmt: skip
    part = Part("bass", program, rng.randint(90, 127), 64, "bass")
    figure = {"jazz": "walk", "orchestra": "long", "ambient": "long", "electro": rng.choice(("off", "eighths"))}.get(
        song.style, rng.choice(("eighths", "root", "walk", "octaves", "syncopated", "long", "root"))
    )
    low = rng.choice((28, 28, 31, 36))
    add = part.notes.append
    for bar, chord in enumerate(chords):
        start = bar * 4
        root = song.pitch(chord, low)
        root -= 12 * (root > low + 14)
        fifth = song.pitch(chord + 4, low)
        if rng.random() < 0.04:
            continue
        if figure == "eighths":
            for eighth in range(8):
                add((start + eighth / 2, 0.45, root, rng.randint(85, 115)))
        elif figure == "off":
            for beat in range(4):
                add((start + beat + 0.5, 0.4, root, rng.randint(90, 115)))
        elif figure == "root":
            add((start, rng.choice((2, 3.8)), root, 105))
            add((start + 2.5, 1.2, rng.choice((root, fifth)), 95))
        elif figure == "long":
            add((start, 3.95, root, rng.randint(70, 105)))
        elif figure == "walk":
            for beat in range(4):
                step = rng.choice((0, 2, 4, 1, 6)) if beat else 0
                add((start + beat, 0.9, song.pitch(chord + step, low), rng.randint(85, 108)))
        elif figure == "octaves":
            for eighth in range(8):
                add((start + eighth / 2, 0.4, root + 12 * (eighth % 2), 100))
        else:
            for beat, key in ((0, root), (0.75, root), (1.5, fifth), (2.5, root), (3.25, song.pitch(chord + 2, low))):
                add((start + beat, 0.6, key, rng.randint(88, 112)))
        if rng.random() < 0.08:
            part.bends += [(start + 3.5 + i / 16, -2 * i / 8) for i in range(8)] + [(start + 4, 0.0)]
    return part


def _layers(rng: random.Random, style: str) -> list[tuple[tuple[int, ...], str]]:
    """(programs, figure) of the harmonic layers."""
    if style == "orchestra":
        layers: list[tuple[tuple[int, ...], str]] = [((48, 49, 44), "pad"), (STRINGS, "pad"), (BRASS[:5], "swell")]
        layers += [(PIPES[:3] + REEDS[4:], "lead"), ((45, 46, 47, 12, 14), "arp"), (STRINGS[:3], "lead")]
        layers += [(STRINGS, "ostinato"), (BRASS[:5], "comp"), ((0, 46, 9, 11), "arp")]
        return rng.sample(layers, rng.randint(3, 7))
    if style == "metal":
        return [(DISTORTED, "power"), (DISTORTED, "power"), (DISTORTED + LEADS[:2], rng.choice(("lead", "riff")))]
    if style == "chip":
        return [((80,), "arp"), ((81, 80, 82), "lead"), ((80, 81, 87), "comp")][: rng.randint(2, 3)]
    if style == "ambient":
        layers = [(PADS, "pad"), (PADS + STRINGS[4:], "pad"), (BELLS, "arp"), (PADS, "swell"), (KEYS[:6], "arp")]
        return rng.sample(layers, rng.randint(2, 4))
    if style == "ballad":
        layers = [((0, 1, 2, 4, 5), rng.choice(("comp", "arp"))), (STRINGS[4:], "pad"), (PIPES + STRINGS[:3], "lead")]
        return layers[: rng.randint(1, 3)]
    if style == "jazz":
        return rng.sample(
            [(KEYS[:6], "comp"), (REEDS + BRASS[:4], "lead"), ((26, 27), "comp"), (BRASS, "comp"), ((11, 12), "lead")],
            rng.randint(1, 4),
        )
    if style == "folk":
        layers = [(GUITARS[:2], "strum"), (GUITARS[:2] + PLUCKED, "arp"), (PIPES + (40, 21, 22, 110), "lead")]
        return layers[: rng.randint(1, 3)]
    layers = [(KEYS, "comp"), (GUITARS, "strum"), (STRINGS[4:] + PADS, "pad"), (KEYS + BELLS + PLUCKED, "arp")]
    layers += [(LEADS + BRASS + REEDS + PIPES + DISTORTED, "lead"), (BRASS, "stab"), (LEADS + KEYS, "ostinato")]
    if style in ("rock", "latin", "funk"):
        layers += [(DISTORTED + GUITARS, "power"), (GUITARS, "riff")]
    if style == "electro":
        layers += [(LEADS + PADS, "stab"), (LEADS, "arp")]
    return rng.sample(layers, rng.randint(2, 5))


def _harmony(rng: random.Random, song: Song, chords: list[int], sections: list[float]) -> list[Part]:
    parts = []
    for programs, figure in _layers(rng, song.style):
        pan = rng.choice((64, 64, 40, 88, 20, 108, 2, 125, 50, 78))
        part = Part("other", rng.choice(programs), rng.randint(60, 110), pan, figure)
        _play(rng, song, chords, sections, part)
        parts.append(part)
    return parts


def _play(rng: random.Random, song: Song, chords: list[int], sections: list[float], part: Part) -> None:
    base = rng.choice((48, 55, 60, 60, 67))
    pattern = rng.choice(((0, 2), (0, 1.5, 3), (0, 1, 2, 3), (0.5, 1.5, 2.5, 3.5), (0,), (0, 0.75, 1.5, 2.5, 3.25)))
    lengths = rng.choice(((0.4,), (0.9,), (0.4, 0.9, 1.4), (0.2,)))
    step = rng.choice((0.5, 0.5, 0.25, 1 / 3))
    riff = [rng.choice((0, 0, 2, 4, 1, 3, 5, 7)) for _ in range(8)]
    degree = rng.randint(0, 9)
    vibrato = rng.choice((0, 30, 60, 90))
    add = part.notes.append
    for bar, chord in enumerate(chords):
        start = bar * 4
        full = sections[bar // 4]
        if rng.random() > 0.25 + full:
            continue
        triad = [song.pitch(chord + third, base) for third in (0, 2, 4)]
        if rng.random() < 0.25:
            triad.append(song.pitch(chord + 6, base))
        triad = [key - 12 * (key > base + 16) for key in triad]
        if part.kind == "pad":
            for key in triad:
                add((start, 3.95, key, rng.randint(60, 90) * full))
        elif part.kind == "swell":
            for eighth in range(8):
                part.controls.append((start + eighth / 2, 11, 35 + 92 * full * (eighth + 1) / 8))
            for key in triad:
                add((start, 3.9, key, 100))
        elif part.kind in ("comp", "strum", "stab"):
            for beat in pattern:
                for place, key in enumerate(triad):
                    late = place * 0.025 if part.kind == "strum" else rng.uniform(0, 0.01)
                    length = 0.25 if part.kind == "stab" else rng.choice(lengths)
                    add((start + beat + late, length, key, rng.randint(60, 105) * full))
        elif part.kind == "power":
            for eighth in range(8):
                if rng.random() < 0.75:
                    key = song.pitch(chord, 40)
                    for interval in (0, 7, 12):
                        add((start + eighth / 2, rng.choice((0.2, 0.48)), key + interval, rng.randint(90, 120)))
        elif part.kind == "arp":
            for place in range(int(4 / step)):
                key = triad[place % len(triad)] + 12 * (place // len(triad) % 2)
                add((start + place * step, step * rng.choice((0.5, 0.95)), key, rng.randint(55, 95) * full))
        elif part.kind in ("riff", "ostinato"):
            shift = chord if part.kind == "ostinato" else 0
            for eighth in range(8):
                if rng.random() < 0.85:
                    add((start + eighth / 2, 0.45, song.pitch(shift + riff[eighth], base), rng.randint(70, 110) * full))
        elif (bar // 2) % 2 or rng.random() < 0.4:
            degree = _solo(rng, song, part, start, degree, base, vibrato)


def _solo(rng: random.Random, song: Song, part: Part, start: float, degree: int, base: int, vibrato: int) -> int:
    """A bar of melody for an instrument, with vibrato and bent notes like a singer's, so that these are no cue alone."""
    beat = 0.0
    while beat < 4:
        length = rng.choice((0.25, 0.5, 0.5, 1, 1, 1.5, 2))
        degree = max(0, min(13, degree + rng.choice((-2, -1, -1, 0, 1, 1, 2))))
        if rng.random() < 0.85:
            part.notes.append((start + beat, length * rng.choice((0.7, 0.95, 1.02)), song.pitch(degree, base),
                               rng.randint(70, 115)))  # fmt: skip
            part.controls.append((start + beat, 1, 0))
            if length >= 1:
                part.controls.append((start + beat + 0.35, 1, vibrato))
            if rng.random() < 0.2:
                depth = rng.choice((-2, -1, 1))
                part.bends += [(start + beat + step / 40, depth * (1 - step / 8)) for step in range(9)]
        beat += length
    return degree


def _melody(rng: random.Random, song: Song) -> list[tuple[float, float, int]]:
    """Phrases of about two bars, with rests between."""
    melody = []
    start = float(rng.choice((0, 0, 4)))
    degree = rng.randint(2, 8)
    slow = song.bpm < 90
    while start < song.beats - 4:
        phrase = rng.choice((3, 6, 7, 7.5, 7.5))
        beat = 0.0
        while beat < phrase:
            choices = (0.25, 0.5, 0.5, 0.5, 1, 1.5) if slow else (0.5, 0.5, 0.5, 1, 1, 1.5, 2, 4)
            length = min(rng.choice(choices), phrase - beat + 0.25)
            degree = max(0, min(11, degree + rng.choice((-3, -2, -1, -1, 0, 0, 1, 1, 2, 3))))
            if length > 0.15:
                melody.append((start + beat, length, degree))
            beat += length
        start += 8 if rng.random() < 0.8 else 12
    return melody
