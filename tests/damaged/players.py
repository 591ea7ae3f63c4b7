"""The two that play a file: PyAV, which is the reference, and the host's decoder in a process of its own."""

from __future__ import annotations

import json
import os
import resource
import select
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import av
import numpy as np

av.logging.set_level(None)

MEMORY_BYTES = 1 << 30
"""What the host's process may map; what it holds of it is told at the end."""


@dataclass
class Played:
    """What the reference plays."""

    container: str = ""
    codec: str = ""
    rate: int = 0
    channels: int = 0
    frames: int = 0
    packet_frames: int = 0
    """Frames of the longest packet."""
    packets: list[bytes] = field(default_factory=list, repr=False)
    """What gave sound or should have."""
    span_frames: int = 0
    """From the first frame to the last by their times: with the holes."""
    errors: int = 0
    """Packets that it did not decode."""
    sound: list[np.ndarray] = field(default_factory=list, repr=False)
    """The first channel, where it was asked for."""


def reference(path: Path, keep_sound: bool = False) -> Played:
    """Plays a file as FFmpeg's own programs do: a packet that cannot be decoded is left out, and what comes behind it is played."""
    played = Played()
    try:
        file = av.open(str(path), metadata_errors="ignore")
    except (av.FFmpegError, ValueError):
        return played
    with file:
        if not file.streams.audio:
            return played
        stream = file.streams.audio[0]
        played.container, played.codec = file.format.name, stream.codec_context.name if stream.codec_context else ""
        begin = end = None
        packets = file.demux(stream)
        while True:
            try:
                packet = next(packets, None)
            except (av.FFmpegError, ValueError):
                # The file cannot be read on.
                break
            if packet is None:
                break
            if packet.size:
                played.packets.append(bytes(packet))
            try:
                frames = packet.decode()
            except (av.FFmpegError, ValueError):
                played.errors += 1
                continue
            played.packet_frames = max(played.packet_frames, sum(frame.samples for frame in frames))
            for frame in frames:
                played.rate, played.channels = played.rate or frame.sample_rate, played.channels or frame.layout.nb_channels
                played.frames += frame.samples
                if frame.pts is not None:
                    begin = frame.time if begin is None else min(begin, frame.time)
                    end = max(end or 0.0, frame.time + frame.samples / frame.sample_rate)
                # NumPy has no name for whole numbers of 64 bits as FFmpeg calls them, which damage makes of WAV's codings.
                if keep_sound and not frame.format.name.startswith("s64"):
                    mono = frame.to_ndarray()
                    mono = mono[0] if frame.format.is_planar else mono[0][:: frame.layout.nb_channels]
                    with np.errstate(invalid="ignore"):
                        played.sound.append(mono.astype(np.float64))
        if begin is not None:
            played.span_frames = round((end - begin) * played.rate)
    return played


class Host:
    """The host's decoder, which is given one path after the other. One that crashes or hangs is started anew."""

    def __init__(self, program: str, longest_s: float = 20.0) -> None:
        self.program, self.longest_s = program, longest_s
        self.process: subprocess.Popen | None = None
        self.slowest_s = 0.0

    def start(self) -> subprocess.Popen:
        """A process with a limit on its memory."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))  # noqa: E731
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        return subprocess.Popen([self.program], **pipes, preexec_fn=limit)

    def heard(self, path: Path, sound: Path | None = None) -> dict:
        """Its answer, or `crash` with what became of it. The first channel goes to `sound`."""
        line = os.fsencode(path) + (b"\t" + os.fsencode(sound) if sound else b"")
        self.process = self.process or self.start()
        began = time.monotonic()
        try:
            self.process.stdin.write(line + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return self.crash()
        if not select.select([self.process.stdout], [], [], self.longest_s)[0]:
            self.process.kill()
            self.crash()
            return {"crash": f"no answer in {self.longest_s} s"}
        answer = self.process.stdout.readline()
        self.slowest_s = max(self.slowest_s, time.monotonic() - began)
        return json.loads(answer) if answer else self.crash()

    def crash(self) -> dict:
        """What the process ended with."""
        status = self.process.wait()
        self.process = None
        return {"crash": f"ended with status {status}"}

    def close(self) -> int:
        """Ends it, and gives the bytes that it, or one before it, held at most."""
        if self.process:
            self.process.stdin.close()
            self.process.wait()
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
