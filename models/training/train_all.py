"""Makes every starter model: data, training, measurement, gates, packages.

    python train_all.py WORK                    conversion models, then separation models
    python train_all.py WORK voices             one of the two
    python train_all.py WORK voices --from decoder --scale 0.5

WORK holds generated sound and checkpoints (about 1 GB for the voices). Processor time on one thread: about three hours
for the conversion models at scale 1; `--scale` multiplies every training time. Packages are written to the folder above
only when every gate is passed; the exit code is that of the first step that fails.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODELS = HERE.parent


def voice_steps(work: Path, scale: float, initial: Path | None) -> list[tuple[str, list[str]]]:
    """(name, arguments of python -m), in order."""

    def trained(module: str, seconds: float, published: str | None = None) -> list[str]:
        arguments = [f"voices.{module}", str(work), "--seconds", str(seconds * scale)]
        if initial and published is not None:
            arguments += ["--initial", str(initial / published)]
        return arguments

    return [
        ("speech", ["voices.generate", str(work)]),
        ("music", ["voices.instruments", str(work)]),
        ("pieces", ["voices.music", str(work)]),
        ("whisper", ["voices.fetch_whisper", str(work)]),
        ("content", trained("train_content", 900)),
        ("features", ["voices.whisper_features", str(work)]),
        ("takes", ["voices.takes", str(work)]),
        ("projection", trained("train_projection", 900)),
        ("recogniser", trained("recogniser", 1100)),
        ("decoder", trained("train_decoder", 900, "")),
        ("together", trained("train_together", 3600)),
        ("gate", trained("train_gate", 190)),
        ("decoder-again", [*trained("train_decoder", 330), "--resume", "--rate", "4e-4"]),
        ("instruments", trained("train_instrument", 60)),
        ("f0", ["voices.pitch_graph", str(work)]),
        ("packages", ["voices.packages", str(work)]),
        ("evaluate", ["voices.evaluate", str(work)]),
        ("real", [str(MODELS / "evaluate" / "real.py"), str(work / "real"), "--reference", "--models", str(work / "packages")]),
        ("publish", ["voices.publish", str(work), str(MODELS)]),
        ("live-sounds", ["voices.live_sounds", str(work), "--initial", str(MODELS)]),
        ("live", ["voices.train_live", str(work), "--initial", str(MODELS), "--seconds", str(4_500 * scale)]),
        ("live-pitch", ["voices.train_live_pitch", str(work), "--initial", str(MODELS), "--seconds", str(1_900 * scale)]),
        ("live-package", ["voices.live_package", str(work), str(MODELS)]),
    ]


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("parts", nargs="*", choices=[[], "voices", "separation"])
    parser.add_argument("--from", dest="first", help="the first step of the voices to run")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--initial", type=Path, help="a folder of packages whose weights the trainings go on from")
    options = parser.parse_args()
    parts = options.parts or ["voices", "separation"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    commands = []
    if "voices" in parts:
        steps = voice_steps(options.work / "voices", options.scale, options.initial)
        names = [name for name, _ in steps]
        first = names.index(options.first) if options.first else 0
        for name, arguments in steps[first:]:
            module = [] if arguments[0].endswith(".py") else ["-m"]
            commands.append((name, [sys.executable, *module, *arguments]))
    if "separation" in parts:
        folders = ["--data", str(options.work / "separation/data"), "--trained", str(options.work / "separation/trained")]
        separate = [sys.executable, "-m", "separation", *folders, "all", "--scale", str(options.scale)]
        commands.append(("separation", separate))
    for name, command in commands:
        print(f"== {name}", flush=True)
        code = subprocess.run(command, cwd=HERE, env=environment, check=False).returncode
        if code != 0:
            print(f"{name} ended with {code}", file=sys.stderr)
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
