"""Speech from speech programs: who can speak, what they say, and sentences of it at 44.1 kHz.

No recordings are used directly. The speakers of the test are never heard in training.
"""

from __future__ import annotations

import random
import re
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import soundfile
from scipy import signal

from . import effects, seeds
from .store import RATE, Writer

DICTIONARY = Path("/usr/share/festival/dicts/cmu")
COMMON = """the a of and to in is you that it he was for on are as with his they at be this have from or one had by but
not what all were we when your can said there use an each which she do how their if will up other about out many then
them these so some her would make like him into time has look two more write go see number no way could people my than
first water been call who oil its now find long down day did get come made may part sky love night heart dream light
fire rain never always again alone baby tonight home away hold feel believe dance""".split()
# Festival's names of its voices. kal_diphone is the same person as flite's kal16.
FESTIVAL = {
    "dita": "czech_dita", "ph": "czech_ph", "lj": "suo_fi_lj_diphone", "mv": "hy_fi_mv_diphone", "lp": "lp_diphone",
    "telugu": "telugu_NSK_diphone", "hindi": "hindi_NSK_diphone", "ru": "msu_ru_nsh_clunits",
    "ona": "upc_ca_ona_hts", "ked": "ked_diphone", "pc": "pc_diphone", "krb": "czech_krb", "machac": "czech_machac",
}  # fmt: skip
LANGUAGES = (
    "af", "an", "az", "bs", "ca", "cs", "cy", "da", "de", "en-029", "en-gb", "en-gb-scotland", "en-gb-x-gbclan",
    "en-gb-x-rp", "en-us", "eo", "es", "es-419", "et", "eu", "fi", "fr-be", "fr-fr", "ga", "hr", "hu", "id", "is", "it",
    "la", "lt", "lv", "ms", "nb", "nl", "pl", "pt", "pt-br", "ro", "sk", "sl", "sq", "sv", "sw", "tr", "vi",
)  # fmt: skip
VARIANTS = (
    "Alex", "Alicia", "Andrea", "Andy", "Annie", "Denis", "Diogo", "Gene", "Henrique", "Hugo", "Jacky", "Lee", "Marco",
    "Mario", "Michael", "Mike", "Nguyen", "Storm", "adam", "anika", "announcer", "antonio", "aunty", "belinda",
    "benjamin", "boris", "caleb", "david", "ed", "edward", "f1", "f2", "f3", "f4", "f5", "grandma", "grandpa",
    "gustave", "iven", "john", "kaukovalta", "klatt", "klatt2", "klatt3", "klatt4", "linda", "m1", "m2", "m3", "m4",
    "m5", "m6", "m7", "m8", "marcelo", "max", "michel", "miguel", "norbert", "pablo", "paul", "pedro", "quincy", "rob",
    "robert", "sandro", "shelby", "steph", "steph2", "travis", "victor", "whisper", "whisperf", "zac",
)  # fmt: skip


@dataclass(frozen=True)
class Speaker:
    """A voice of a program: flite, festival or espeak (name LANGUAGE+VARIANT)."""

    program: str
    name: str


RECORDED_TRAIN = tuple(
    [Speaker("flite", name) for name in ("kal16", "awb", "rms")]
    + [Speaker("festival", name) for name in ("dita", "ph", "lj", "mv", "lp", "telugu", "hindi", "ru", "ona")]
)
RECORDED_TEST = (
    Speaker("flite", "slt"), Speaker("festival", "ked"), Speaker("festival", "pc"), Speaker("festival", "krb"),
    Speaker("festival", "machac"),
)  # fmt: skip


@cache
def recorded_speakers(split: str) -> tuple[Speaker, ...]:
    """Voices made from recordings. Festival's Telugu and Hindi voices end in a segmentation fault on some machines, whatever they are
    to say: who cannot speak here is left out, and said to be."""
    able = []
    for speaker in RECORDED_TRAIN if split == "train" else RECORDED_TEST:
        try:
            say(speaker, ["we were here"], random.Random(0))
            able.append(speaker)
        except subprocess.CalledProcessError as error:
            print(f"left out, as it does not speak on this machine: {speaker} ({error})", flush=True)
    return tuple(able)


def formant_speakers(split: str) -> list[Speaker]:
    """About a hundred voices of espeak-ng; every ninth variant and language is kept for the test."""
    held = split == "test"
    variants = [name for place, name in enumerate(VARIANTS) if (place % 9 == 4) == held]
    languages = [name for place, name in enumerate(LANGUAGES) if (place % 9 == 4) == held]
    rng = seeds.rng("formant speakers", split)
    return [Speaker("espeak", f"{rng.choice(languages)}+{variant}") for variant in variants for _ in range(2)]


_dictionary: list[str] = []


def sentence(rng: random.Random, words: int) -> str:
    """Random words, half of them common ones, half from the dictionary that comes with Festival."""
    if not _dictionary:
        for file in sorted(DICTIONARY.glob("*")):
            _dictionary.extend(re.findall(r'^\("([a-z]{2,9})"', file.read_text(errors="ignore"), re.MULTILINE))
        _dictionary.sort()
    text = [rng.choice(COMMON if rng.random() < 0.5 or not _dictionary else _dictionary) for _ in range(words)]
    return " ".join(text)


def say(speaker: Speaker, texts: list[str], rng: random.Random) -> list[tuple[np.ndarray, int]]:
    """The sentences as the program says them, each with its sample rate."""
    stretch, pitch, speed = rng.uniform(0.8, 1.3), rng.randint(20, 80), rng.randint(110, 210)
    with tempfile.TemporaryDirectory() as folder:
        waves = [Path(folder, f"{place}.wav") for place in range(len(texts))]
        if speaker.program == "festival":
            script = f"(voice_{FESTIVAL[speaker.name]})\n(Parameter.set 'Duration_Stretch {stretch})\n"
            for text, wave in zip(texts, waves):
                script += f'(set! u (utt.synth (Utterance Text "{text}")))\n(utt.save.wave u "{wave}" "riff")\n'
            subprocess.run(["festival", "--pipe"], input=script, text=True, check=True, capture_output=True)
        else:
            for text, wave in zip(texts, waves):
                if speaker.program == "flite":
                    command = ["flite", "-voice", speaker.name, "--setf", f"duration_stretch={stretch}"]
                    command += ["-t", text, "-o", str(wave)]
                else:
                    command = ["espeak-ng", "-v", speaker.name, "-p", str(pitch), "-s", str(speed)]
                    command += ["-w", str(wave), text]
                subprocess.run(command, check=True, capture_output=True)
        return [soundfile.read(wave, dtype="float64") for wave in waves]


def to_full_band(sound: np.ndarray, rate: int, rng: random.Random, noise: np.random.Generator, speed: float = 1.0):
    """At 44.1 kHz, `speed` times as fast and high; above the old band edge, noise that follows the loudness below it
    (else a network learns that whatever is above 8 kHz is accompaniment)."""
    up, down = RATE, int(rate * speed)
    factor = np.gcd(up, down)
    if max(up, down) // factor > 4000:
        down = down // 100 * 100
        factor = np.gcd(up, down)
    full = signal.resample_poly(sound, up // factor, down // factor)
    edge = min(rate / 2 * speed * 0.94, 20000)
    if edge > 15000:
        return full
    below = signal.sosfilt(signal.butter(4, (edge * 0.6, edge), "bandpass", fs=RATE, output="sos"), full)
    shape = np.sqrt(np.maximum(0, signal.sosfiltfilt(signal.butter(2, 80, fs=RATE, output="sos"), below**2)))
    above = signal.sosfilt(signal.butter(6, edge, "highpass", fs=RATE, output="sos"), noise.normal(size=len(full)))
    slope = signal.butter(1, rng.uniform(edge, 16000), fs=RATE, output="sos")
    return full + signal.sosfilt(slope, above) * shape * rng.uniform(0.5, 1.2)


def breath(rng: random.Random, noise: np.random.Generator) -> np.ndarray:
    """A breath between sentences, at an RMS of about 0.01."""
    frames = int(rng.uniform(0.15, 0.5) * RATE)
    low = rng.uniform(300, 1500)
    band = signal.butter(1, (low, rng.uniform(4000, 12000)), "bandpass", fs=RATE, output="sos")
    shape = np.sin(np.pi * np.linspace(0, 1, frames) ** rng.uniform(0.7, 2)) ** 1.5
    return signal.sosfilt(band, noise.normal(size=frames)) * shape * rng.uniform(0.004, 0.02)


def talk(speaker: Speaker, seconds: float, rng: random.Random, noise: np.random.Generator) -> np.ndarray:
    """[frames] f32 of sentences and pauses (true silence, breaths) by one speaker."""
    pieces: list[np.ndarray] = []
    total = 0
    speed = rng.choice((1.0, rng.uniform(0.84, 1.2)))
    texts = [sentence(rng, rng.randint(3, 11)) for _ in range(int(seconds / 1.5) + 1)]
    for said, rate in say(speaker, texts, rng):
        if len(said) < rate // 5:
            continue
        full = to_full_band(said, rate, rng, noise, speed)
        full *= rng.uniform(0.05, 0.12) / effects.level(full)
        pause = np.zeros(int(rng.choice((0.05, 0.2, 0.5, 1.2)) * RATE))
        air = breath(rng, noise) if rng.random() < 0.3 else np.zeros(0)
        pieces += [full, pause, air]
        total += len(full) + len(pause) + len(air)
        if total > seconds * RATE:
            break
    return np.concatenate(pieces)[: int(seconds * RATE)].astype(np.float32)


def generate(folder: Path, split: str, first: int, count: int, seconds: float = 20.0) -> None:
    """Talks `first` to `first + count - 1`: half by voices made from recordings, half by formant voices."""
    writer = Writer(folder, f"{split}-speech-{first}")
    recorded = recorded_speakers(split)
    formant = formant_speakers(split)
    for number in range(first, first + count):
        if f"{split}-talk-{number}" in writer.songs:
            continue
        rng, noise = seeds.rng("talk", split, number), seeds.array_rng("talk", split, number)
        pool = recorded if number % 2 == 0 else formant
        speaker = pool[number // 2 % len(pool)]
        sound = talk(speaker, seconds, rng, noise)
        writer.add(sound, "speech", f"{split}-talk-{number}", speaker=f"{speaker.program}:{speaker.name}")
        print(number, speaker, flush=True)
