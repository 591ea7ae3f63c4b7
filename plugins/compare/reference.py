"""The reference effects, and how to get hold of them.

The reference is the Python package `pedalboard`, whose effects the built-in
ones share names, parameters and sound with. It is measured from outside only:
it is GPL and no part of this project.
"""

import os
import subprocess
import sys
import tempfile
import venv
from importlib import metadata
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
REPOSITORY = FOLDER.parent.parent
REQUIREMENTS = FOLDER / "requirements.txt"


def ensure_packages() -> None:
    """Restarts the program in an environment with the pinned packages.

    The environment is made once, outside the repository, and kept.
    """
    pins = dict(line.split("==") for line in REQUIREMENTS.read_text().split())
    try:
        if all(metadata.version(name) == version for name, version in pins.items()):
            return
    except metadata.PackageNotFoundError:
        pass
    name = "vocalhost-compare-" + "-".join(pins.values())
    folder = Path(tempfile.gettempdir()) / name
    python = folder / "bin" / "python"
    if Path(sys.prefix) == folder:
        sys.exit(f"{folder} is broken: remove it and start again")
    if not python.exists():
        venv.create(folder, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", REQUIREMENTS], check=True)
    os.execv(python, [str(python), *sys.argv])


def reference_effect(effect: str, settings: dict[str, float]):
    """The pedalboard effect of our name `effect`."""
    import pedalboard

    names = {
        "noise-gate": "NoiseGate",
        "high-pass": "HighpassFilter",
        "low-pass": "LowpassFilter",
        "compressor": "Compressor",
        "chorus": "Chorus",
        "reverb": "Reverb",
        "delay": "Delay",
    }
    return getattr(pedalboard, names[effect])(**settings)
