"""Speech programs that also say when each phone sounds: flite, festival and espeak-ng.

All return mono float64 at 16 kHz and phones as (name, start in s, end in s), names as in `phones.py`.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import soundfile
import soxr

from . import texts  # noqa: F401  (finds the module speech in the folder above)

import speech  # noqa: E402  isort: skip

RATE_HZ = 16_000
FLITE_VOICES = ("slt", "rms", "awb", "kal16")
FESTIVAL_VOICES = {"ked": "voice_ked_diphone", "slt_hts": "voice_cmu_us_slt_arctic_hts"}
"""Held out: no network here hears them before the evaluation."""
TRAINING_FESTIVAL_VOICES = {"kal": "voice_kal_diphone"}
"""The person of flite's kal16, said by festival: heard in training, never a target."""
Phones = list[tuple[str, float, float]]


def at_16_khz(samples: np.ndarray, rate_hz: int) -> np.ndarray:
    """Resampled with a steep filter."""
    return np.asarray(samples if rate_hz == RATE_HZ else soxr.resample(samples, rate_hz, RATE_HZ), np.float64)


def flite(text: str, voice: str, stretch: float = 1.0) -> tuple[np.ndarray, Phones]:
    """One of flite's built-in voices."""
    return speech.flite_with_phones(text, voice, stretch)


def in_turn(parts: list[tuple[np.ndarray, Phones]], pauses_s: list[float]) -> tuple[np.ndarray, Phones]:
    """Utterances one after the other, each with silence behind it."""
    sounds, phones, start_s = [], [], 0.0
    for (samples, said), pause_s in zip(parts, pauses_s, strict=True):
        sounds += [samples, np.zeros(round(pause_s * RATE_HZ))]
        phones += [(name, start_s + first_s, start_s + last_s) for name, first_s, last_s in said]
        end_s = start_s + len(samples) / RATE_HZ
        start_s = end_s + len(sounds[-1]) / RATE_HZ
        phones.append(("pau", end_s, start_s))
    return np.concatenate(sounds), phones


def festival(sentences: list[str], voice: str) -> list[tuple[np.ndarray, Phones]]:
    """Several sentences by one process."""
    with tempfile.TemporaryDirectory() as folder:
        script = [f"({(FESTIVAL_VOICES | TRAINING_FESTIVAL_VOICES)[voice]})"]
        for number, text in enumerate(sentences):
            script.append(f'(set! u (utt.synth (Utterance Text "{text}")))')
            script.append(f'(utt.save.wave u "{folder}/{number}.wav" "riff")')
            script.append(f'(utt.save.segs u "{folder}/{number}.seg")')
        subprocess.run(["festival", "--pipe"], input="\n".join(script), capture_output=True, text=True, check=True)
        result = []
        for number in range(len(sentences)):
            samples, rate_hz = soundfile.read(f"{folder}/{number}.wav")
            result.append((at_16_khz(samples, rate_hz), _segments(Path(f"{folder}/{number}.seg"))))
        return result


def _segments(file: Path) -> Phones:
    """Festival's segment file: end time, colour, name."""
    phones, start_s = [], 0.0
    for line in file.read_text().splitlines():
        cells = line.split()
        if len(cells) == 3 and cells[0] != "#":
            end_s, name = float(cells[0]), {"axr": "er", "h#": "pau", "brth": "pau", "pau": "pau"}.get(cells[2], cells[2])
            phones.append((name, start_s, end_s))
            start_s = end_s
    return phones


# espeak-ng's library tells phones as they are spoken (its command line does so for mbrola voices only).

_SYNCHRONOUS, _PHONEME_EVENTS, _PHONEME, _RATE, _PITCH, _RANGE = 2, 1, 7, 1, 3, 4
_ESPEAK_PHONES = {
    "a": "ae", "aa": "ae", "a#": "ax", "A:": "aa", "A": "aa", "0": "aa", "E": "eh", "e": "eh", "eI": "ey",
    "I": "ih", "I2": "ih", "I#": "ih", "i": "iy", "i:": "iy", "@": "ax", "@2": "ax", "@5": "ax", "3": "er",
    "3:": "er", "V": "ah", "O:": "ao", "O": "ao", "oU": "ow", "U": "uh", "u:": "uw", "u": "uw", "aI": "ay",
    "aU": "aw", "OI": "oy", "t": "t", "t2": "t", "t#": "d", "d": "d", "p": "p", "b": "b", "k": "k", "g": "g",
    "f": "f", "v": "v", "T": "th", "D": "dh", "s": "s", "z": "z", "S": "sh", "Z": "zh", "h": "hh", "tS": "ch",
    "dZ": "jh", "m": "m", "n": "n", "N": "ng", "l": "l", "l#": "l", "r": "r", "r-": "r", "j": "y", "w": "w",
    "_": "pau", "_:": "pau", "O2": "ao",
}  # fmt: skip


class _Name(ctypes.Union):
    _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]


class _Event(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position_ms", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _Name),
    ]


_HEARD: list[np.ndarray] = []
_EVENTS: list[tuple[str, float]] = []


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))
def _collect(samples, count, events):  # noqa: ANN001, ANN202
    if samples and count:
        _HEARD.append(np.ctypeslib.as_array(samples, (count,)).copy())
    place = 0
    while events[place].type != 0:
        if events[place].type == _PHONEME:
            name = events[place].id.string.decode("utf-8", "ignore")
            _EVENTS.append((name, events[place].audio_position_ms / 1000.0))
        place += 1
    return 0


@cache
def _library() -> tuple[ctypes.CDLL, int]:
    library = ctypes.CDLL(ctypes.util.find_library("espeak-ng") or "libespeak-ng.so.1")
    rate_hz = library.espeak_Initialize(_SYNCHRONOUS, 0, None, _PHONEME_EVENTS)
    library.espeak_SetSynthCallback(_collect)
    return library, rate_hz


def espeak(
    text: str, voice: str, pitch: int = 50, words_per_minute: int = 160, intonation: int = 50
) -> tuple[np.ndarray, Phones]:
    """A formant synthesiser: no recorded person behind it. `voice` such as en-us+f3."""
    library, rate_hz = _library()
    _HEARD.clear()
    _EVENTS.clear()
    if library.espeak_SetVoiceByName(voice.encode()) != 0:
        raise ValueError(f"espeak-ng has no voice {voice}")
    for parameter, value in ((_RATE, words_per_minute), (_PITCH, pitch), (_RANGE, intonation)):
        library.espeak_SetParameter(parameter, value, 0)
    encoded = text.encode() + b"\0"
    library.espeak_Synth(encoded, len(encoded), 0, 1, 0, 1, None, None)
    library.espeak_Synchronize()
    samples = np.concatenate(_HEARD).astype(np.float64) / 32768.0
    ends_s = [start_s for _, start_s in _EVENTS[1:]] + [len(samples) / rate_hz]
    phones = [
        (_ESPEAK_PHONES.get(name.strip("'`,%=;"), "?"), start_s, end_s)
        for (name, start_s), end_s in zip(_EVENTS, ends_s, strict=True)
    ]
    return at_16_khz(samples, rate_hz), phones
