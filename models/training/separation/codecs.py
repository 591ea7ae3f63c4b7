"""Sends sounds of the training store through lossy codecs, telephones and clipping, into a store of their own.

All sounds of a song go through the same codec, so that they still belong together; what the codec adds to each counts as
part of it.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import soundfile
from scipy import signal

from . import seeds
from .store import RATE, Sound, Writer, sounds

# Names of damage with their chances. Opus and GSM work at rates of their own.
DAMAGES = (("mp3", 0.35), ("vorbis", 0.15), ("opus", 0.2), ("gsm", 0.1), ("clip", 0.2))
# Codecs' padding in front shifts a sound by less than this.
LONGEST_SHIFT = 4096


def generate(folder: Path, first: int, count: int) -> None:
    """Damages songs `first` to `first + count - 1` of the training store, counted in the order of a shuffle by seed."""
    by_song: dict[str, list[Sound]] = {}
    for sound in sounds(folder, "train-"):
        if not sound.song.startswith("coded-"):
            by_song.setdefault(sound.song, []).append(sound)
    order = sorted(by_song, key=lambda song: seeds.number("coded", song))
    writer = Writer(folder, f"train-coded-{first}")
    for song in order[first : first + count]:
        name = f"coded-{song}"
        if name in writer.songs:
            continue
        rng = seeds.rng("codec", song)
        has_music = any(sound.kind in ("drums", "bass", "other") for sound in by_song[song])
        damage = rng.choices([name for name, _ in DAMAGES], [chance for _, chance in DAMAGES])[0]
        if damage == "gsm" and has_music:
            damage = "mp3"
        strength = rng.random()
        for sound in by_song[song]:
            clean = sound.read()[: sound.channels]
            writer.add(damaged(clean, damage, strength).T, sound.kind, name, damage=damage)
        print(name, damage, f"{strength:.2f}", flush=True)


def damaged(sound: np.ndarray, damage: str, strength: float) -> np.ndarray:
    """`sound` [channels, frames] with its length and alignment; `strength` from 0 (hardly audible) to 1."""
    if damage == "clip":
        peak = np.abs(sound).max() + 1e-9
        ceiling = peak * 10 ** (-(2 + 10 * strength) / 20)
        return np.clip(sound, -ceiling, ceiling)
    if damage == "gsm":
        # A telephone has one channel.
        sound = np.repeat(sound.mean(0, keepdims=True), len(sound), 0)
    rate = {"opus": 48000, "gsm": 8000}.get(damage, RATE)
    there = _at_rate(sound, RATE, rate)
    back = _at_rate(_coded(there, rate, damage, strength), rate, RATE)
    return _aligned(back, sound)


def _coded(sound: np.ndarray, rate: int, damage: str, strength: float) -> np.ndarray:
    buffer = io.BytesIO()
    if damage == "gsm":
        soundfile.write(buffer, sound[0], rate, format="WAV", subtype="GSM610")
    elif damage == "mp3":
        soundfile.write(buffer, sound.T, rate, format="MP3", subtype="MPEG_LAYER_III",
                        bitrate_mode="CONSTANT", compression_level=0.35 + 0.6 * strength)  # fmt: skip
    else:
        subtype = "OPUS" if damage == "opus" else "VORBIS"
        soundfile.write(buffer, sound.T, rate, format="OGG", subtype=subtype, compression_level=0.4 + 0.6 * strength)
    buffer.seek(0)
    back, _ = soundfile.read(buffer, dtype="float32", always_2d=True)
    return np.broadcast_to(back.T, (len(sound), len(back)))


def _at_rate(sound: np.ndarray, old: int, new: int) -> np.ndarray:
    if old == new:
        return sound
    common = np.gcd(old, new)
    return signal.resample_poly(sound, new // common, old // common, axis=1).astype(np.float32)


def _aligned(coded: np.ndarray, clean: np.ndarray) -> np.ndarray:
    """The coded sound moved to where it correlates best with the clean one, and cut or padded to its length."""
    frames = min(clean.shape[1], coded.shape[1], 2**19)
    size = 2 * frames
    product = np.fft.rfft(coded[:, :frames].mean(0), size) * np.conj(np.fft.rfft(clean[:, :frames].mean(0), size))
    correlation = np.fft.irfft(product, size)
    shifts = np.r_[0:LONGEST_SHIFT, size - LONGEST_SHIFT : size]
    best = int(shifts[np.argmax(correlation[shifts])])
    shift = best if best < LONGEST_SHIFT else best - size
    out = np.zeros_like(clean)
    source = coded[:, max(0, shift) :]
    start = max(0, -shift)
    length = min(source.shape[1], out.shape[1] - start)
    out[:, start : start + length] = source[:, :length]
    return out
