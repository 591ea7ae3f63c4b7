"""Writes MIDI files and has fluidsynth play them."""

from __future__ import annotations

import struct
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soundfile

SOUND_FONT = Path("/usr/share/sounds/sf2/FluidR3_GM.sf2")
"""FluidR3 GM by Frank Wen, MIT licence; Debian package fluid-soundfont-gm."""
TICKS_PER_S = 960
"""480 ticks per beat at 120 beats per minute."""
DRUM_CHANNEL = 9


@dataclass
class Score:
    """Timed MIDI messages."""

    messages: list[tuple[float, bytes]] = field(default_factory=list)

    def program(self, channel: int, number: int, volume: int = 100) -> None:
        """Instrument of a channel, from the start."""
        self.messages += [(0.0, bytes([0xC0 | channel, number])), (0.0, bytes([0xB0 | channel, 7, volume]))]

    def control(self, channel: int, at_s: float, controller: int, value: int) -> None:
        """A controller's value."""
        self.messages.append((at_s, bytes([0xB0 | channel, controller, int(np.clip(value, 0, 127))])))

    def note(self, channel: int, start_s: float, end_s: float, key: int, velocity: int) -> None:
        """One note."""
        key, velocity = int(np.clip(key, 0, 127)), int(np.clip(velocity, 1, 127))
        self.messages += [
            (start_s, bytes([0x90 | channel, key, velocity])),
            (end_s, bytes([0x80 | channel, key, 0])),
        ]

    def file(self) -> bytes:
        """A standard MIDI file of one track; at the same time notes end before others begin."""
        body, last = b"", 0
        ordered = sorted(self.messages, key=lambda one: (round(one[0] * TICKS_PER_S), one[1][0] & 0xF0 == 0x90))
        for at_s, message in ordered:
            tick = round(at_s * TICKS_PER_S)
            body += _variable_length(tick - last) + message
            last = tick
        body += _variable_length(TICKS_PER_S) + b"\xff\x2f\x00"
        return b"MThd" + struct.pack(">IHHH", 6, 0, 1, 480) + b"MTrk" + struct.pack(">I", len(body)) + body


def _variable_length(number: int) -> bytes:
    digits = [number & 127]
    while number := number >> 7:
        digits.append(number & 127 | 128)
    return bytes(reversed(digits))


def play(score: Score, seconds: float, rate_hz: int, reverb: bool = False) -> np.ndarray:
    """[seconds * rate_hz] mono."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder) / "score.mid", Path(folder) / "score.wav"
        source.write_bytes(score.file())
        command = ["fluidsynth", "-ni", "-q", "-r", str(rate_hz), "-g", "0.5", "-R", str(int(reverb)), "-C", "0"]
        command += ["-o", "synth.dynamic-sample-loading=1", "-F", str(result), str(SOUND_FONT), str(source)]
        subprocess.run(command, check=True, capture_output=True)
        samples = soundfile.read(result)[0].mean(axis=1)
    wanted = round(seconds * rate_hz)
    return np.pad(samples, (0, max(0, wanted - len(samples))))[:wanted]
