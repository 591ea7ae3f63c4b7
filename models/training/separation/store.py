"""Sounds on disk: 16-bit samples in one growing file, and a line of JSON about each, so that training can read
what is there while the generators still write.

A store NAME in a folder is NAME.i16 (samples, little-endian, frame by frame, one or two channels) and NAME.jsonl, whose
lines hold `kind` (speech, lead, harmony, choir, drums, bass, other), `song` (sounds of one song belong together, start
together and have one length), `offset` (in samples), `frames`, `channels`, and whatever else the generator says.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

RATE = 44100


class Writer:
    """Appends sounds; a line is written after its samples, so that a reader never sees half a sound. `songs` are those
    that were there before, for a generator that goes on."""

    def __init__(self, folder: Path, name: str):
        folder.mkdir(parents=True, exist_ok=True)
        index = folder / f"{name}.jsonl"
        lines = index.read_text().splitlines() if index.exists() else []
        self.songs = {json.loads(line)["song"] for line in lines}
        self.samples = open(folder / f"{name}.i16", "ab")
        self.lines = open(index, "a")

    def add(self, sound: np.ndarray, kind: str, song: str, **more: object) -> None:
        """`sound` is [frames] or [frames, 2], in -1..1; louder is clipped."""
        channels = 1 if sound.ndim == 1 else sound.shape[1]
        whole = np.clip(np.round(sound * 32767), -32768, 32767).astype("<i2")
        offset = self.samples.tell() // 2
        self.samples.write(whole.tobytes())
        self.samples.flush()
        line = {"kind": kind, "song": song, "offset": offset, "frames": len(whole), "channels": channels, **more}
        self.lines.write(json.dumps(line) + "\n")
        self.lines.flush()


class Sound:
    """One sound of a store, read when asked for."""

    def __init__(self, memory: np.ndarray, line: dict):
        self.memory = memory
        self.line = line
        self.kind: str = line["kind"]
        self.song: str = line["song"]
        self.frames: int = line["frames"]
        self.channels: int = line["channels"]

    def read(self, start: int = 0, frames: int | None = None) -> np.ndarray:
        """[2, frames] f32; zeros beyond its end."""
        frames = self.frames if frames is None else frames
        end = min(start + frames, self.frames)
        first = self.line["offset"] + start * self.channels
        part = self.memory[first : self.line["offset"] + end * self.channels].astype(np.float32) / 32768
        out = np.zeros((2, frames), np.float32)
        out[:, : max(0, end - start)] = part.reshape(-1, self.channels).T
        return out


def sounds(folder: Path, prefix: str) -> list[Sound]:
    """All sounds of the stores whose name begins so, in the order of the stores' names."""
    found = []
    for index in sorted(folder.glob(f"{prefix}*.jsonl")):
        lines = [json.loads(line) for line in index.read_text().splitlines()]
        if lines:
            memory = np.memmap(index.with_suffix(".i16"), "<i2", "r")
            found += [Sound(memory, line) for line in lines]
    return found
