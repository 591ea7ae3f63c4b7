"""Gathers recordings of real persons, with the words that they say, out of ordinary Debian packages.

    python people.py FOLDER

They are for measuring only: nothing learns from them and none of them is kept in this repository. The packages are fetched with
`apt-get download` and unpacked into FOLDER, not installed. Recordings of a person are joined, with pauses between, into takes of
at most 27 s in FOLDER/takes; FOLDER/takes.json says who speaks and what.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import soundfile
import soxr
from recordings import PERSONS, Person

LONGEST_S = 27.0
"""A recogniser hears 30 s at once."""
PAUSE_S = 0.7


def unpack(folder: Path, package: str) -> Path:
    """The files of a Debian package, fetched and unpacked once."""
    target = folder / "unpacked" / package
    if not target.exists():
        fetched = folder / "debs"
        fetched.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", package], cwd=fetched, check=True)
        (archive,) = fetched.glob(f"{package}_*.deb")
        target.parent.mkdir(exist_ok=True)
        subprocess.run(["dpkg-deb", "-x", str(archive), str(target)], check=True)
    return target


def recordings(folder: Path, person: Person) -> list[tuple[np.ndarray, int, str]]:
    """Samples, rate and words of each; all of a person at the highest rate that one has."""
    root = unpack(folder, person.package)
    found = []
    for name, text in person.recordings(root):
        if name.suffix == ".raw":
            samples, rate_hz = np.fromfile(name, "<i2") / 32768.0, 16_000
        else:
            samples, rate_hz = soundfile.read(name, always_2d=True)
            samples = samples.mean(axis=1)
        found.append((samples, rate_hz, text))
    highest_hz = max(rate_hz for _, rate_hz, _ in found)
    return [(soxr.resample(samples, rate_hz, highest_hz), highest_hz, text) for samples, rate_hz, text in found]


def takes(said: list[tuple[np.ndarray, int, str]]) -> list[tuple[np.ndarray, int, str]]:
    """Joined in order, as long as they fit."""
    result: list[tuple[np.ndarray, int, str]] = []
    for samples, rate_hz, text in said:
        joined = None
        if result:
            before, _, words = result[-1]
            joined = np.concatenate([before, np.zeros(round(PAUSE_S * rate_hz)), samples]), rate_hz, f"{words} {text}"
        if joined and len(joined[0]) <= LONGEST_S * rate_hz:
            result[-1] = joined
        else:
            result.append((samples, rate_hz, text))
    return result


def main(folder: Path) -> None:
    """Writes the takes and the list of them."""
    (folder / "takes").mkdir(parents=True, exist_ok=True)
    listed = []
    for person in PERSONS:
        for number, (samples, rate_hz, text) in enumerate(takes(recordings(folder, person))):
            name = f"{person.name}-{number}"
            peak = max(float(np.abs(samples).max()), 1e-9)
            soundfile.write(folder / "takes" / f"{name}.wav", samples * min(1.0, 0.9 / peak), rate_hz, "PCM_16")
            listed.append({"name": name, "person": person.name, "text": text, "seconds": len(samples) / rate_hz})
    (folder / "takes.json").write_text(json.dumps(listed, indent=1) + "\n")
    words = sum(len(one["text"].split()) for one in listed)
    print(f"{len(PERSONS)} persons, {len(listed)} takes, {words} words, {sum(one['seconds'] for one in listed):.0f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
