"""Standard MIDI files, just enough to hand notes to a synthesiser."""

from __future__ import annotations

import struct

TICKS_PER_BEAT = 480


class Track:
    """Events of one file: (tick, bytes)."""

    def __init__(self) -> None:
        self.events: list[tuple[int, bytes]] = []

    def program(self, channel: int, program: int, volume: int, pan: int, bank: int = 0) -> None:
        """Sound, volume and place of a channel, from the start."""
        if bank:
            self.events.append((0, bytes([0xB0 | channel, 0, bank])))
        self.events.append((0, bytes([0xC0 | channel, program])))
        self.control(channel, 0.0, 7, volume)
        self.control(channel, 0.0, 10, pan)

    def control(self, channel: int, beat: float, controller: int, value: float) -> None:
        """A controller's value from `beat` on."""
        self.events.append((_tick(beat), bytes([0xB0 | channel, controller, _seven_bits(value)])))

    def bend(self, channel: int, beat: float, semitones: float) -> None:
        """Pitch bend; synthesisers begin with a range of two semitones."""
        value = max(0, min(16383, round(8192 + semitones / 2 * 8191)))
        self.events.append((_tick(beat), bytes([0xE0 | channel, value & 127, value >> 7])))

    def note(self, channel: int, beat: float, length: float, pitch: float, velocity: float) -> None:
        """A note of `length` beats."""
        start = _tick(beat)
        key = _seven_bits(pitch)
        self.events.append((start, bytes([0x90 | channel, key, max(1, _seven_bits(velocity))])))
        self.events.append((max(start + 10, _tick(beat + length)), bytes([0x80 | channel, key, 0])))

    def file(self, beats_per_minute: float) -> bytes:
        """The whole file. At one tick, notes end before others begin and controllers come first."""
        order = {0x80: 0, 0xB0: 1, 0xC0: 2, 0xE0: 3, 0x90: 4}
        tempo = struct.pack(">I", int(6e7 / beats_per_minute))[1:]
        body = b"\x00\xff\x51\x03" + tempo
        last = 0
        for tick, message in sorted(self.events, key=lambda event: (event[0], order[event[1][0] & 0xF0])):
            body += _variable_length(tick - last) + message
            last = tick
        body += _variable_length(TICKS_PER_BEAT) + b"\xff\x2f\x00"
        head = b"MThd" + struct.pack(">IHHH", 6, 0, 1, TICKS_PER_BEAT)
        return head + b"MTrk" + struct.pack(">I", len(body)) + body


def _tick(beat: float) -> int:
    return max(0, round(beat * TICKS_PER_BEAT))


def _seven_bits(value: float) -> int:
    return int(max(0, min(127, round(value))))


def _variable_length(number: int) -> bytes:
    out = [number & 127]
    number >>= 7
    while number:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(reversed(out))
