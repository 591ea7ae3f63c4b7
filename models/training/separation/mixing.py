"""Makes training examples from the stores: voices given rooms, microphones and places, over songs or mixtures of songs."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
from scipy import fft, signal

from . import effects, spectrum
from .store import RATE, Sound, sounds

ROOMS = 48
FFT_SIZE = 196608
STEMS = ("vocals", "drums", "bass", "other")


class Material:
    """What is in the stores now, by kind and by song."""

    def __init__(self, folder: Path, split: str):
        self.folder, self.split = folder, split
        self.rng = random.Random(0)
        self.noise = np.random.default_rng(0)
        self.rooms: list[tuple[np.ndarray, float]] = []
        self.reload()

    def reload(self) -> None:
        """Looks for new sounds."""
        self.by_kind: dict[str, list[Sound]] = {}
        self.songs: dict[str, dict[str, list[Sound]]] = {}
        for sound in sounds(self.folder, f"{self.split}-"):
            self.by_kind.setdefault(sound.kind, []).append(sound)
            self.songs.setdefault(sound.song, {}).setdefault(sound.kind, []).append(sound)
        self.backings = [song for song, kinds in self.songs.items() if "other" in kinds]
        self.sung = [song for song, kinds in self.songs.items() if "lead" in kinds]
        self.harmonised = [song for song in self.sung if "harmony" in self.songs[song]]

    def hours(self) -> str:
        """How much there is."""
        seconds = {kind: sum(s.frames for s in of) / RATE for kind, of in self.by_kind.items()}
        return ", ".join(f"{kind} {value / 60:.0f} min" for kind, value in sorted(seconds.items()))

    def room(self, rng: random.Random) -> tuple[np.ndarray, float]:
        """A room's spectrum [2, FFT_SIZE / 2 + 1] and its reverberation time; rooms are made as they are needed and replaced now
        and then."""
        if len(self.rooms) < ROOMS or self.rng.random() < 0.02:
            seconds = self.rng.choice((self.rng.uniform(0.15, 0.6), self.rng.uniform(0.4, 2.4)))
            response = effects.room(self.rng, self.noise, min(seconds, 1.4) if seconds > 1.4 else seconds)
            made = (fft.rfft(response.T, FFT_SIZE, axis=1).astype(np.complex64), seconds)
            if len(self.rooms) < ROOMS:
                self.rooms.append(made)
            else:
                self.rooms[self.rng.randrange(ROOMS)] = made
        return rng.choice(self.rooms)


def cut(sound: Sound, rng: random.Random, frames: int, speed: float = 1.0) -> np.ndarray:
    """A random stretch [2, frames], read `speed` times as fast."""
    needed = int(frames * speed) + 2
    part = sound.read(rng.randint(0, max(0, sound.frames - needed)), needed)
    return _at_speed(part, frames, speed)


def _at_speed(part: np.ndarray, frames: int, speed: float) -> np.ndarray:
    if speed == 1.0:
        return part[:, :frames]
    at = np.arange(frames, dtype=np.float32) * np.float32(speed)
    lower = at.astype(np.int32)
    share = at - lower
    return part[:, lower] * (1 - share) + part[:, lower + 1] * share


def loudness(sound: np.ndarray) -> float:
    """RMS of the blocks of a quarter of a second within 20 dB of the loudest, so that pauses do not count."""
    blocks = sound[:, : sound.shape[1] // 11025 * 11025].reshape(2, -1, 11025)
    power = np.square(blocks).mean((0, 2))
    return float(np.sqrt(power[power >= power.max() * 0.01].mean() + 1e-12))


def place(voice: np.ndarray, angle: float) -> np.ndarray:
    """A mono voice (both rows equal) between left (0) and right (pi / 2)."""
    return voice * np.array([[np.cos(angle)], [np.sin(angle)]], np.float32) * 1.414


def wet(voice: np.ndarray, response: np.ndarray) -> np.ndarray:
    """The room's answer to a placed voice."""
    frames = voice.shape[1]
    source = fft.rfft(voice.mean(0, keepdims=True), FFT_SIZE, axis=1)
    return fft.irfft(source * response, FFT_SIZE, axis=1)[:, :frames].astype(np.float32)


def character(voice: np.ndarray, rng: random.Random) -> np.ndarray:
    """Compression, overdrive, small speakers and telephones, on a mono voice."""
    chance = rng.random()
    mono = voice[:1]
    if chance < 0.06:
        band = (rng.uniform(150, 500), rng.uniform(2500, 6000))
        mono = signal.sosfilt(signal.butter(3, band, "bandpass", fs=RATE, output="sos"), mono).astype(np.float32)
        mono = np.tanh(mono / (effects.level(mono) * rng.uniform(1, 4))) * 0.1
    elif chance < 0.12:
        mono = np.tanh(mono / (effects.level(mono) * rng.uniform(0.5, 3))) * 0.1
    elif chance < 0.3:
        power = signal.lfilter([0.0005], [1, -0.9995], mono[0] ** 2) + 1e-7
        mono = mono * (power ** -rng.uniform(0.1, 0.35)).astype(np.float32)
    return np.repeat(mono, 2, 0)


def voices(material: Material, rng: random.Random, frames: int, speech_share: float) -> np.ndarray:
    """Everything sung or spoken in an example, [2, frames], loudness 0.1."""
    chance = rng.random()
    kinds = material.by_kind
    speed = rng.uniform(0.88, 1.14) if rng.random() < 0.5 else 1.0
    if chance < speech_share:
        out = place(character(cut(rng.choice(kinds["speech"]), rng, frames, speed), rng), _middle(rng))
    elif chance < speech_share + 0.08 and "choir" in kinds:
        out = cut(rng.choice(kinds["choir"]), rng, frames, speed)
    else:
        song = material.songs[rng.choice(material.sung)]
        lead = song["lead"][0]
        needed = int(frames * speed) + 2
        start = rng.randint(0, max(0, lead.frames - needed))
        out = place(character(_at_speed(lead.read(start, needed), frames, speed), rng), _middle(rng))
        for harmony in song.get("harmony", []):
            part = _at_speed(harmony.read(start, needed), frames, speed)
            out = out + place(part, rng.uniform(0.1, 1.47)) * rng.uniform(0.2, 0.9)
        if rng.random() < 0.1:
            shift = rng.randint(400, 1800)
            out[:, shift:] += place(out[:, :-shift], rng.uniform(0, 1.57)) * rng.uniform(0.3, 1)
    level = loudness(out)
    if level < 0.005:
        return out
    out = out * (0.1 / level)
    if rng.random() < 0.6:
        response, _ = material.room(rng)
        out = out + wet(out, response) * np.float32(10 ** (rng.uniform(-22, -2) / 20))
    return out


def _middle(rng: random.Random) -> float:
    return np.pi / 4 if rng.random() < 0.65 else rng.uniform(0.15, 1.42)


def example(material: Material, rng: random.Random, frames: int, speech_share: float = 0.28) -> np.ndarray:
    """[4, 2, frames]: the stems of STEMS, at random levels."""
    out = np.zeros((4, 2, frames), np.float32)
    for _ in range(3):
        out[0] = voices(material, rng, frames, speech_share)
        if effects.level(out[0]) > 0.01:
            break
    song = rng.choice(material.backings)
    together = rng.random() < 0.5
    start = rng.randint(0, max(0, material.songs[song]["other"][0].frames - frames))
    for index, (stem, low, high) in enumerate((("drums", -9, 6), ("bass", -10, 4), ("other", -8, 6)), 1):
        if together:
            found = material.songs[song].get(stem, [])
            sound = found[0].read(start, frames) if found else out[index]
        else:
            sound = cut(rng.choice(material.by_kind[stem]), rng, frames)
        if stem == "other" and rng.random() < 0.15:
            sound = sound + cut(rng.choice(material.by_kind["other"]), rng, frames)
        level = loudness(sound)
        if level > 1e-4:
            sound = sound * (0.1 / level * 10 ** (rng.uniform(low, high) / 20))
        if rng.random() < 0.5:
            sound = sound[::-1]
        if stem == "drums" and rng.random() < 0.3:
            width = rng.uniform(0, 1.5)
            sound = sound.mean(0) + width * (sound - sound.mean(0))
        out[index] = sound
    for index in range(4):
        if rng.random() < 0.07:
            out[index] = 0
    if rng.random() < 0.04:
        out[1:] = 0
    if rng.random() < 0.15:
        hiss = np.random.default_rng(rng.getrandbits(32)).normal(size=(2, frames)).astype(np.float32)
        if rng.random() < 0.5:
            hiss = signal.lfilter([0.1], [1, -0.95], hiss).astype(np.float32)
        out[3] += hiss * (0.1 / effects.level(hiss) * 10 ** (rng.uniform(-50, -22) / 20))
    if rng.random() < 0.12:
        out = np.repeat(out.mean(1, keepdims=True), 2, 1)
    return out


def colour(rng: random.Random, depth_db: float) -> np.ndarray:
    """A smooth random equaliser's gain, [BINS]."""
    octaves = np.log2(np.maximum(np.arange(spectrum.BINS), 1) * (RATE / spectrum.FFT) / 30)
    points = np.linspace(0, 9.6, 7)
    db = np.interp(octaves, points, [rng.uniform(-depth_db, depth_db) for _ in points])
    return (10 ** (db / 20)).astype(np.float32)


def proximity(rng: random.Random) -> np.ndarray:
    """The gain, [BINS], of a microphone close to a deep voice: the fundamental louder than all else."""
    hertz = np.maximum(np.arange(spectrum.BINS), 1) * (RATE / spectrum.FFT)
    db = rng.uniform(4, 16) / (1 + (hertz / rng.uniform(120, 260)) ** 3)
    return (10 ** (db / 20)).astype(np.float32)


def band_limit(rng: random.Random) -> np.ndarray:
    """The gain of a codec's or an old recording's band, [BINS]."""
    hertz = np.arange(spectrum.BINS) * (RATE / spectrum.FFT)
    cutoff = rng.choice((rng.uniform(3500, 9000), rng.uniform(10000, 17000)))
    return np.clip((cutoff - hertz) / 300 + 1, 0, 1).astype(np.float32)


def lead_example(material: Material, rng: random.Random, frames: int) -> np.ndarray:
    """[3, 2, frames]: dry lead, dry harmonies, and the room's answer to both."""
    out = np.zeros((3, 2, frames), np.float32)
    speed = rng.uniform(0.88, 1.14) if rng.random() < 0.5 else 1.0
    needed = int(frames * speed) + 2
    with_harmony = rng.random() < 0.7 and bool(material.harmonised)
    if with_harmony:
        song = material.songs[rng.choice(material.harmonised)]
        lead = song["lead"][0]
    else:
        song = {}
        lead = rng.choice(material.by_kind["lead"] + material.by_kind["speech"])
    for _ in range(4):
        start = rng.randint(0, max(0, lead.frames - needed))
        raw = _at_speed(lead.read(start, needed), frames, speed)
        if effects.level(raw) > 0.01:
            break
    angle = np.pi / 4 if rng.random() < 0.85 else rng.uniform(0.5, 1.07)
    raw = place(character(raw, rng), angle)
    out[0] = raw * (0.1 / max(1e-3, loudness(raw)))
    if with_harmony:
        side = rng.choice((-1, 1))
        for harmony in song["harmony"]:
            part = _at_speed(harmony.read(start, needed), frames, speed)
            if rng.random() < 0.3:
                part = _at_speed(cut(rng.choice(material.by_kind["harmony"]), rng, frames + 8), frames, 1.0)
            away = np.pi / 4 + side * rng.uniform(0.2, 0.75) if rng.random() < 0.9 else np.pi / 4
            side = -side
            placed = place(part, away)
            level = loudness(placed)
            if level > 1e-4:
                out[1] += placed * (0.1 / level * 10 ** (rng.uniform(-14, -2) / 20))
        if rng.random() < 0.25:
            shift = rng.randint(300, 1500)
            out[1, :, shift:] += out[1, ::-1, :-shift] * rng.uniform(0.5, 1)
        if "choir" in material.by_kind and rng.random() < 0.1:
            part = cut(rng.choice(material.by_kind["choir"]), rng, frames)
            out[1] += part * (0.1 / max(1e-3, loudness(part)) * 10 ** (rng.uniform(-12, -3) / 20))
    if rng.random() < 0.08 and with_harmony:
        out[0] = 0
    if rng.random() < 0.85:
        response, _ = material.room(rng)
        out[2] = wet(out[0] + out[1], response) * np.float32(10 ** (rng.uniform(-20, 0) / 20))
    if rng.random() < 0.5:
        out = out[:, ::-1]
    if rng.random() < 0.05:
        out = np.repeat(out.mean(1, keepdims=True), 2, 1)
    return np.ascontiguousarray(out)
