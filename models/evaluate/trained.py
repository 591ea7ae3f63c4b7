"""What trained voices are like: trains a voice for each of four real persons, converts the others to them, and compares.

    python trained.py FOLDER --program PROGRAM [--preset quick] [--worn room|music [--mended]]

The persons read telephone prompts in four languages (Debian's asterisk-core-sounds-…-g722, 16 kHz). They are for measuring only: nothing of
them is kept in this repository. Some 75 s of each are trained on, 35 s of others are converted, at the pitch of the person whose voice it
is. With --worn a room or music is in what is trained on, and with --mended the training takes it out again. Prints a line for each voice: likeness to its person, by cosine of the packaged speaker encoder's embeddings, of what the voice makes of
each of the others, and of what the voice that it began with makes of them; and the words of the English takes of people.py that it loses.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

import av
import converted
import numpy as np
import people
import soundfile
import soxr
import trials
import wrong_words
from paths import MODELS

import reference

RATE_HZ = 16_000
LANGUAGES = ("en", "fr", "it", "ru")
UNTYPICAL = {"digits", "letters", "phonetic", "silence"}
"""Folders of prompts that are no sentences."""
SHORTEST_S, LONGEST_S = 1.5, 12.0
TRAINED_S, CONVERTED_S = 75.0, 35.0
PAUSE_S = 0.5
WINDOW_S = 1.6
"""What the speaker encoder hears at once, half of it again in the next window."""
QUIET_DB = 35.0
"""Sound this far below the loud parts is cut off first, and what is nearer than `NEAR_S` to louder sound is not."""
NEAR_S = 0.1
LEVEL_RMS = 0.05
MUSIC, MUSIC_BELOW_DB = "Medieval1", 10.0
ROOM_S, ROOM_BELOW_DB = 0.4, 11.0
"""A room's decay to -60 dB, and how far the power of its tail is below that of the voice."""
MENDED = {"room": ("--clean", "dereverb"), "music": ("--isolate-vocals",)}
"""What takes out of a recording what it was worn by."""


@dataclass(frozen=True)
class Person:
    """Somebody's recordings."""

    language: str
    trained_on: list[Path]
    said: Path
    """What is converted."""


def decoded(file: Path) -> np.ndarray:
    """A prompt in G.722."""
    with av.open(str(file), format="g722") as container:
        frames = [frame.to_ndarray().reshape(-1) for frame in container.decode(audio=0)]
    return np.concatenate(frames).astype(np.float32) / 32_768.0


def person(folder: Path, language: str) -> Person:
    """Chooses prompts by chance, the same ones every time."""
    unpacked = people.unpack(folder, f"asterisk-core-sounds-{language}-g722")
    files = [file for file in sorted(unpacked.rglob("*.g722")) if not UNTYPICAL & set(file.parts)]
    # 8,000 bytes a second.
    files = [file for file in files if SHORTEST_S < file.stat().st_size / 8_000 < LONGEST_S]
    random.Random(1).shuffle(files)
    own = folder / "persons" / language
    own.mkdir(parents=True, exist_ok=True)
    trained_on, said, seconds = [], [], 0.0
    for file in files:
        sound = decoded(file)
        if seconds < TRAINED_S:
            trained_on.append(own / f"{len(trained_on):02}.wav")
            soundfile.write(trained_on[-1], sound, RATE_HZ)
            seconds += len(sound) / RATE_HZ
        elif sum(map(len, said)) < CONVERTED_S * RATE_HZ:
            said += [sound, np.zeros(int(PAUSE_S * RATE_HZ), np.float32)]
    soundfile.write(own / "said.wav", np.concatenate(said), RATE_HZ)
    return Person(language, trained_on, own / "said.wav")


def worn(folder: Path, one: Person, by: str) -> list[Path]:
    """What a person's voice is trained on, in a room or with music behind it; a file each, as before."""
    own = folder / "persons" / f"{one.language}-{by}"
    own.mkdir(exist_ok=True)
    sounds = people.unpack(folder, "scratch") / "usr/share/scratch/Media/Sounds/Music Loops"
    music, generator = trials.read(sounds / f"{MUSIC}.mp3"), np.random.default_rng(5)
    files = []
    for file in one.trained_on:
        said = trials.at_level(soundfile.read(file)[0], trials.VOICE_DBFS)
        if by == "room":
            said = trials.in_a_room(said, generator, ROOM_S, ROOM_BELOW_DB)
        else:
            music = np.roll(music, -len(said))
            said = said + trials.at_level(np.resize(music, len(said)), trials.VOICE_DBFS - MUSIC_BELOW_DB)
        files.append(own / file.name)
        soundfile.write(files[-1], said / max(1.0, np.abs(said).max()), RATE_HZ)
    return files


class Speaker:
    """The packaged speaker encoder."""

    def __init__(self):
        self.session = reference.open_session(MODELS / "vocalhost.speaker-1" / "speaker.onnx")

    def embed(self, *files: Path) -> np.ndarray:
        """[256], of unit length: the mean of all windows of all files."""
        sound = np.concatenate([self._sounding(file) for file in files])
        size = int(WINDOW_S * RATE_HZ)
        starts = range(0, max(1, len(sound) - size + 1), size // 2)
        windows = [self.session.run(None, {"source": sound[None, start : start + size]})[0][0] for start in starts]
        mean = np.mean([window / np.linalg.norm(window) for window in windows], axis=0)
        return mean / np.linalg.norm(mean)

    @staticmethod
    def _sounding(file: Path) -> np.ndarray:
        samples, rate_hz = converted.read(file)
        samples = samples if rate_hz == RATE_HZ else soxr.resample(samples, rate_hz, RATE_HZ)
        frame = RATE_HZ // 100
        frames = samples[: len(samples) // frame * frame].reshape(-1, frame)
        levels = np.sqrt((frames**2).mean(axis=1) + 1e-12)
        loud = levels > np.percentile(levels, 95) * 10.0 ** (-QUIET_DB / 20.0)
        near = np.ones(2 * int(100 * NEAR_S) + 1)
        kept = frames[np.convolve(loud, near, "same") > 0].reshape(-1)
        return (kept * (LEVEL_RMS / np.sqrt((kept**2).mean() + 1e-12))).astype(np.float32)


class Program:
    """`vocalhost` on the command line."""

    def __init__(self, program: Path, folder: Path):
        self.program, self.folder = program, folder

    def _run(self, *arguments: str | Path) -> None:
        command = [self.program, *arguments, "--models-dir", MODELS]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def train(self, name: str, recordings: list[Path], *flags: str) -> Path:
        """The folder of the voice's package; trained once."""
        out = self.folder / "voices" / name
        if not out.exists():
            out.parent.mkdir(exist_ok=True)
            consent = ("--consent", "licence", "--name", "a measurement")
            self._run("train", "--title", name, *consent, *flags, "--out", out, *recordings)
        return out

    def convert(self, recording: Path, voice: Path, semitones: float = 0.0) -> Path:
        """The result, which the next one replaces."""
        result = self.folder / "result.wav"
        self._run("convert", recording, result, "--voice", voice, "--pitch", f"{semitones:.2f}")
        return result


def manifest(package: Path) -> dict:
    """Of a voice."""
    return tomllib.loads((package / "package.toml").read_text())


def main() -> None:
    """A line for each voice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--preset", default="quick", choices=("quick", "standard", "long"))
    parser.add_argument("--worn", choices=tuple(MENDED), help="what is in the recordings that voices are trained on, besides the voice")
    parser.add_argument("--mended", action="store_true", help="the training takes that out again")
    options = parser.parse_args()
    if options.mended and options.worn is None:
        parser.error("--mended goes with --worn")
    folder: Path = options.folder.resolve()
    program, speaker = Program(options.program.resolve(), folder), Speaker()
    persons = [person(folder, language) for language in LANGUAGES]
    flags = ("--preset", options.preset, *(MENDED[options.worn] if options.mended else ()))
    kind = "-".join([options.preset, *([options.worn] if options.worn else []), *(["mended"] if options.mended else [])])
    voices = {}
    for one in persons:
        recordings = worn(folder, one, options.worn) if options.worn else one.trained_on
        voices[one.language] = program.train(f"{one.language}-{kind}", recordings, *flags)
    pitch_hz = {language: manifest(voice)["voice"]["mean_f0_hz"] for language, voice in voices.items()}
    people.main(folder)
    whisper = wrong_words.Whisper(folder)
    takes = converted.takes(folder)
    sources = wrong_words.wrong([(take.text, whisper.read(wrong_words.heard(take.path))) for take in takes])
    for one in persons:
        voice, own = voices[one.language], speaker.embed(*one.trained_on)
        began = re.search(r"from the weights of .+? \((vocalhost\.[\w.-]+)\)", manifest(voice)["trained_on"])
        assert began is not None
        base = MODELS / began[1]
        likeness: dict[Path, list[float]] = {voice: [], base: []}
        for other in persons:
            if other != one:
                semitones = 12.0 * np.log2(pitch_hz[one.language] / pitch_hz[other.language])
                for package, found in likeness.items():
                    found.append(float(speaker.embed(program.convert(other.said, package, semitones)) @ own))
        said = [(take, whisper.read(wrong_words.heard(program.convert(take.path, voice)))) for take in takes]
        lost = wrong_words.wrong([(take.text, read) for take, read in said])["share"] - sources["share"]
        shown = "; ".join(f"{np.mean(found):.2f} ({', '.join(f'{value:.2f}' for value in found)})" for found in likeness.values())
        print(f"{one.language}, from {began[1]}: {shown}; {100.0 * lost:.1f} points of words", flush=True)


if __name__ == "__main__":
    main()
