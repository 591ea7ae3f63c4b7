"""Converts the takes of real persons to every voice, through a running server or by the numpy implementation.

    python converted.py FOLDER --url http://127.0.0.1:8080/api/v1 --key KEY [--strengths 0,0.5,1] [--voices Amber,Oak]
    python converted.py FOLDER --reference [--models MODELS]

FOLDER/takes is made by people.py; results go to FOLDER/results/STRENGTH/VOICE/TAKE.wav. What is there already is left.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import paths
import soundfile

STRENGTHS = (0.0, 0.5, 1.0)


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


def results(folder: Path, strength: float) -> list[Result]:
    """All results at a strength that are there."""
    root = folder / "results" / f"{strength:g}"
    return [
        Result(voice.name, take, voice / f"{take.name}.wav")
        for voice in sorted(root.iterdir())
        for take in takes(folder)
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


def by_reference(models: Path, package: Path, strength: float):
    """Take to samples and rate."""
    import reference
    import soxr

    converter = reference.VoiceConverter(models, package.name)
    parameters = reference.Parameters(conversion_strength=strength)

    def convert(take: Take) -> tuple[np.ndarray, int]:
        samples, rate_hz = read(take.path)
        heard = samples if rate_hz == reference.SAMPLE_RATE_HZ else soxr.resample(samples, rate_hz, reference.SAMPLE_RATE_HZ)
        return converter.convert(heard, parameters), converter.rate_hz

    return convert


def by_server(url: str, key: str, strength: float):
    """Title of a voice to a function from take to samples and rate."""
    from evaluate import Server

    server = Server(url, key, strength, 0.5)
    numbers = {title: number for number, title in server.voices()}

    def of(voice: str):
        return lambda take: server.convert(numbers[voice], take.path, 0)

    return of


def main() -> None:
    """Converts what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--url")
    parser.add_argument("--key")
    parser.add_argument("--reference", action="store_true")
    parser.add_argument("--models", type=Path, default=paths.MODELS)
    parser.add_argument("--strengths", default=",".join(f"{strength:g}" for strength in STRENGTHS))
    parser.add_argument("--voices")
    options = parser.parse_args()
    (options.folder / "models.json").write_text(json.dumps(str(options.models.resolve())))
    wanted = voices(options.models)
    names = options.voices.split(",") if options.voices else list(wanted)
    for strength in map(float, options.strengths.split(",")):
        serve = None if options.reference else by_server(options.url, options.key, strength)
        for voice in names:
            convert = serve(voice) if serve else by_reference(options.models, wanted[voice], strength)
            target = options.folder / "results" / f"{strength:g}" / voice
            target.mkdir(parents=True, exist_ok=True)
            for take in takes(options.folder):
                file = target / f"{take.name}.wav"
                if not file.exists():
                    samples, rate_hz = convert(take)
                    soundfile.write(file, np.clip(samples, -1.0, 1.0), rate_hz, "PCM_16")
            print(f"{voice} at {strength:g}", flush=True)


if __name__ == "__main__":
    main()
