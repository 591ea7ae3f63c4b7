"""Makes the test recordings: nothing recorded, everything spoken or sung by speech programs.

    python make_recordings.py OUT              spoken.mp3, sung.wav and their fundamentals (*.f0.json) for evaluate.py
    python make_recordings.py --fixtures OUT   speech.mp3, speech.flac, sung.wav and sung.f0.json for the tests

Needs the Debian packages flite and espeak-ng. The result is the same on every run of the same program versions.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import paths  # noqa: F401  (finds the modules in models/training)
import singing
import soundfile
import speech
import tracking
import words
from scipy.signal import resample_poly

SPOKEN_RATE_HZ = 44_100
SPEAKERS = (("en-us+f3", 55), ("en-us+m3", 42), ("en-gb+f2", 48), ("en-us+m7", 35))
"""espeak-ng's voice and pitch setting; they speak in turn. None of the models learned from this program."""
SPOKEN_LEVEL_RMS = 0.08
SUNG_PEAK = 0.6
HIGH_SINGER = singing.Singer("slt", formant_warp=1.06, vibrato_hz=5.6, vibrato_cents=35.0, seed=5)
LOW_SINGER = singing.Singer("awb", formant_warp=0.94, vibrato_hz=5.1, vibrato_cents=25.0, seed=6)
VERSE = (
    (
        "Over the river the morning is golden",
        (
            (0, 0.4),
            (2, 0.3),
            (4, 0.5),
            (7, 0.5),
            (5, 0.3),
            (4, 0.5),
            (2, 0.4),
            (4, 0.4),
            (5, 0.35),
            (4, 0.35),
            (2, 1.1),
        ),
        0.7,
    ),
    (
        "Slowly the summer is moving along",
        ((4, 0.5), (5, 0.3), (7, 0.5), (9, 0.6), (7, 0.3), (5, 0.3), (4, 0.5), (2, 0.3), (5, 0.5), (4, 1.2)),
        0.9,
    ),
    (
        "Carry me under the branches again",
        (
            (7, 0.4),
            (9, 0.3),
            (11, 0.7),
            (12, 0.5),
            (11, 0.3),
            (9, 0.4),
            (7, 0.4),
            (5, 0.3),
            (4, 0.3),
            (2, 0.5),
            (0, 1.3),
        ),
        1.2,
    ),
)
"""Words, notes as (semitones above the key, seconds), and the rest behind, in seconds."""


def verse(key_midi: int) -> list[singing.Phrase]:
    """The verse in a key given by the MIDI number of its lowest note."""
    return [
        singing.Phrase(text, tuple((key_midi + step, duration_s) for step, duration_s in notes), rest_s)
        for text, notes, rest_s in VERSE
    ]


def spoken(seconds: float, seed: int) -> np.ndarray:
    """Stereo at 44.1 kHz: the speakers take turns, each a little to one side, with silent pauses between."""
    parts = [np.zeros((SPOKEN_RATE_HZ // 2, 2))]
    texts = iter(words.sentences(seed, 60))
    turn = 0
    while sum(len(part) for part in parts) < seconds * SPOKEN_RATE_HZ:
        voice, pitch = SPEAKERS[turn % len(SPEAKERS)]
        mono = at_spoken_rate(*speech.espeak(next(texts), voice, pitch))
        left = (1.0, 0.8)[turn % 2]
        parts.append(np.stack([mono * left, mono * (1.8 - left)], axis=1))
        parts.append(np.zeros((round((0.5 + 0.3 * (turn % 3)) * SPOKEN_RATE_HZ), 2)))
        turn += 1
    return np.concatenate(parts)


def at_spoken_rate(samples: np.ndarray, rate_hz: int) -> np.ndarray:
    """One sentence at 44.1 kHz and the common level."""
    common = np.gcd(rate_hz, SPOKEN_RATE_HZ)
    samples = resample_poly(samples, SPOKEN_RATE_HZ // common, rate_hz // common)
    return samples * (SPOKEN_LEVEL_RMS / np.sqrt(np.mean(samples**2)))


def write_mp3(path: Path, samples: np.ndarray, rate_hz: int) -> None:
    """MP3 at a constant rate (128 kbit/s)."""
    soundfile.write(
        path, samples, rate_hz, format="MP3", subtype="MPEG_LAYER_III", bitrate_mode="CONSTANT", compression_level=0.7
    )


def write_f0(path: Path, f0_hz: np.ndarray, how: str) -> None:
    """Hz every 10 ms (0 = no pitch), and how it is known."""
    path.write_text(json.dumps({"hop_s": 0.01, "how": how, "f0_hz": [round(float(hz), 3) for hz in f0_hz]}))


def song_by_both() -> singing.Sung:
    """The verse by the high singer, then by the low one an octave below."""
    parts = [singing.sing(HIGH_SINGER, verse(60)), singing.sing(LOW_SINGER, verse(48))]
    samples = np.concatenate([part.samples / np.abs(part.samples).max() * SUNG_PEAK for part in parts])
    return singing.Sung(samples, np.concatenate([part.f0_hz for part in parts]))


def make_recordings(out: Path) -> None:
    """The long recordings that evaluate.py sends to a server."""
    write_mp3(out / "spoken.mp3", spoken(32.0, seed=1), SPOKEN_RATE_HZ)
    samples, rate_hz = soundfile.read(out / "spoken.mp3")
    write_f0(out / "spoken.f0.json", tracking.f0_of(samples, rate_hz), "WORLD harvest and stonemask on spoken.mp3")
    song = song_by_both()
    soundfile.write(out / "sung.wav", song.samples, singing.RATE_HZ, subtype="PCM_24")
    write_f0(out / "sung.f0.json", song.f0_hz[::2], "exact: the fundamental that was synthesised")


def make_fixtures(out: Path) -> None:
    """The short recordings for the test suite."""
    write_mp3(out / "speech.mp3", spoken(6.0, seed=2)[: 6 * SPOKEN_RATE_HZ], SPOKEN_RATE_HZ)
    text = "The quiet river carried seven wooden boats."
    soundfile.write(
        out / "speech.flac",
        np.pad(at_spoken_rate(speech.flite(text, "slt"), speech.FLITE_RATE_HZ), (4410, 4410)),
        SPOKEN_RATE_HZ,
        subtype="PCM_16",
    )
    song = singing.sing(HIGH_SINGER, [singing.Phrase("Over the river the morning", verse(60)[0].notes[:8], 0.7)])
    soundfile.write(
        out / "sung.wav", song.samples / np.abs(song.samples).max() * SUNG_PEAK, singing.RATE_HZ, subtype="PCM_16"
    )
    write_f0(out / "sung.f0.json", song.f0_hz[::2], "exact: the fundamental that was synthesised")


def main() -> None:
    """Makes what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fixtures", action="store_true")
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    (make_fixtures if options.fixtures else make_recordings)(options.out)


if __name__ == "__main__":
    main()
