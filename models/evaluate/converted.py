"""Converts the takes of real persons to every voice, through a running server, by the numpy implementation, or while they are heard.

    python converted.py FOLDER --url http://127.0.0.1:8080/api/v1 --key KEY [--ways 0,0.5,1,0.5-auto] [--voices Amber,Oak]
    python converted.py FOLDER --reference [--models MODELS]
    python converted.py FOLDER --live vocalhost --ways live-80-80 [--models MODELS]

FOLDER/takes is made by people.py. A way is a conversionStrength, with autoPitch where it ends so, or the milliseconds of
a block and of the look-ahead of `vocalhost live`, which is told the speaker's level where it ends in `-level`; results go to
FOLDER/results/WAY/VOICE/TAKE.wav. What is there already is left.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import paths
import soundfile
import soxr

STANDARD, REGISTER = "0.5", "0.5-auto"
WAYS = ("0", STANDARD, "1", REGISTER)
WHOLE = (STANDARD,)
"""Ways in which every take is converted, beside the live ones; in the others the first of each person."""
LIVE = "live-"


def strength_of(way: str) -> float:
    """Its conversionStrength."""
    return float(way.split("-")[0])


@dataclass(frozen=True)
class Take:
    """A person's recording of known words."""

    name: str
    person: str
    text: str
    path: Path


@dataclass(frozen=True)
class Result:
    """A take in a voice."""

    voice: str
    take: Take
    path: Path


def takes(folder: Path) -> list[Take]:
    """All takes, in order."""
    listed = json.loads((folder / "takes.json").read_text())
    return [Take(one["name"], one["person"], one["text"], folder / "takes" / f"{one['name']}.wav") for one in listed]


def takes_for(folder: Path, way: str) -> list[Take]:
    """Those that are converted in this way."""
    everything = takes(folder)
    if way in WHOLE or way.startswith(LIVE):
        return everything
    firsts = {take.person: take for take in reversed(everything)}
    return [take for take in everything if firsts[take.person] is take]


def results(folder: Path, way: str) -> list[Result]:
    """All results that are there."""
    root = folder / "results" / way
    if not root.exists():
        return []
    return [
        Result(voice.name, take, voice / f"{take.name}.wav")
        for voice in sorted(root.iterdir())
        for take in takes_for(folder, way)
        if (voice / f"{take.name}.wav").exists()
    ]


def read(path: Path) -> tuple[np.ndarray, int]:
    """Mono samples and their rate."""
    samples, rate_hz = soundfile.read(path, always_2d=True)
    return samples.mean(axis=1), rate_hz


def voices(models: Path) -> dict[str, Path]:
    """The designed voices' packages by title; instruments have no words."""
    found = {}
    for path in sorted(models.glob("*/package.toml")):
        manifest = tomllib.loads(path.read_text())
        if manifest["kind"] == "voice" and not manifest["voice"]["instrument"]:
            found[manifest["name"]] = path.parent
    return found


def demo(folder: Path, voice: str) -> Path:
    """What the voice itself sounds like."""
    models = json.loads((folder / "models.json").read_text()) if (folder / "models.json").exists() else str(paths.MODELS)
    return voices(Path(models))[voice] / "demo.mp3"


def by_reference(models: Path, package: Path, way: str):
    """Path of a recording to samples and rate."""
    import reference

    converter = reference.VoiceConverter(models, package.name)
    parameters = reference.Parameters(conversion_strength=strength_of(way), auto_pitch=way == REGISTER)

    def convert(recording: Path) -> tuple[np.ndarray, int]:
        samples, rate_hz = read(recording)
        heard = samples if rate_hz == reference.SAMPLE_RATE_HZ else soxr.resample(samples, rate_hz, reference.SAMPLE_RATE_HZ)
        return converter.convert(heard, parameters), converter.rate_hz

    return convert


def by_server(url: str, key: str, way: str):
    """Title of a voice to a function from the path of a recording to samples and rate."""
    from evaluate import Server

    server = Server(url, key, strength_of(way), 0.5)
    server.fields["autoPitch"] = json.dumps(way == REGISTER)
    numbers = {title: number for number, title in server.voices()}

    def of(voice: str):
        return lambda recording: server.convert(numbers[voice], recording, 0)

    return of


def by_program(program: Path, models: Path, way: str):
    """Title of a voice to a function from the path of a recording to samples and rate: what `vocalhost live` speaks while it hears it."""
    import reference

    block_ms, look_ahead_ms, *level = way.removeprefix(LIVE).split("-")

    def of(voice: str):
        def convert(recording: Path) -> tuple[np.ndarray, int]:
            samples, rate_hz = read(recording)
            if not 16_000 <= rate_hz <= 48_000:
                samples, rate_hz = soxr.resample(samples, rate_hz, 16_000), 16_000
            command = [program, "live", "--models-dir", models, "--voice", voice, "--rate", str(rate_hz), "--format", "f32le"]
            command += ["--block-ms", block_ms, "--look-ahead-ms", look_ahead_ms]
            if level:
                command += ["--input-rms", str(reference.sounding_rms(soxr.resample(samples, rate_hz, 16_000)))]
            heard = samples.astype("<f4").tobytes()
            spoken = subprocess.run(command, input=heard, stdout=subprocess.PIPE, check=True).stdout
            return np.frombuffer(spoken, "<f4"), rate_hz

        return convert

    return of


def converter(options: argparse.Namespace, way: str):
    """Title of a voice to a function from the path of a recording to samples and rate: what the options ask for."""
    if way.startswith(LIVE):
        return by_program(options.live, options.models, way)
    if not options.reference:
        return by_server(options.url, options.key, way)
    wanted = voices(options.models)
    return lambda voice: by_reference(options.models, wanted[voice], way)


def write(path: Path, samples: np.ndarray, rate_hz: int) -> None:
    """16 bits, mono or not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.clip(samples, -1.0, 1.0), rate_hz, "PCM_16")


def parser(description: str | None) -> argparse.ArgumentParser:
    """FOLDER, what converts, and which voices."""
    result = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("folder", type=Path)
    result.add_argument("--url")
    result.add_argument("--key")
    result.add_argument("--reference", action="store_true")
    result.add_argument("--models", type=Path, default=paths.MODELS)
    result.add_argument("--voices", type=lambda text: text.split(","), help="titles; all when left out")
    return result


def main() -> None:
    """Converts what is missing."""
    options_of = parser(__doc__)
    options_of.add_argument("--ways", default=",".join(WAYS))
    options_of.add_argument("--live", type=Path, help="the program, for the live ways")
    options = options_of.parse_args()
    (options.folder / "models.json").write_text(json.dumps(str(options.models.resolve())))
    for way in options.ways.split(","):
        convert = converter(options, way)
        for voice in options.voices or list(voices(options.models)):
            files = {take.path: options.folder / "results" / way / voice / take.path.name for take in takes_for(options.folder, way)}
            missing = {path: file for path, file in files.items() if not file.exists()}
            one = convert(voice) if missing else None
            for path, file in missing.items():
                write(file, *one(path))
            print(f"{voice} at {way}", flush=True)


if __name__ == "__main__":
    main()
