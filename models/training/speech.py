"""Speech made by the speech programs flite and espeak-ng, as mono float64 arrays."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import soundfile

FLITE_RATE_HZ = 16_000


def flite(text: str, voice: str, stretch: float = 1.0) -> np.ndarray:
    """Speech at 16 kHz by one of flite's built-in 16 kHz voices (slt, rms, awb, kal16)."""
    return flite_with_phones(text, voice, stretch)[0]


def flite_with_phones(text: str, voice: str, stretch: float = 1.0) -> tuple[np.ndarray, list[tuple[str, float, float]]]:
    """Speech at 16 kHz and its phones as (name, start in s, end in s), silence being `pau`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        command = [
            "flite",
            "-voice",
            voice,
            "-psdur",
            "--setf",
            f"duration_stretch={stretch}",
            "-t",
            text,
            "-o",
            str(path),
        ]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        samples, rate_hz = soundfile.read(path)
    if rate_hz != FLITE_RATE_HZ:
        raise ValueError(f"the flite voice {voice} speaks at {rate_hz} Hz")
    phones = []
    start_s = 0.0
    for name, end in re.findall(r"([a-z]+):([\d.]+)", output):
        phones.append((name, start_s, float(end)))
        start_s = float(end)
    return samples, phones


def espeak(text: str, voice: str, pitch: int = 50, words_per_minute: int = 160) -> tuple[np.ndarray, int]:
    """Speech by espeak-ng (a formant synthesiser: no recorded person behind it), and its sample rate in Hz."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        command = ["espeak-ng", "-v", voice, "-p", str(pitch), "-s", str(words_per_minute), "-w", str(path), text]
        subprocess.run(command, check=True, capture_output=True)
        return soundfile.read(path)
