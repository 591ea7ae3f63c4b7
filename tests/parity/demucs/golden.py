"""Makes `tests/fixtures/demucs/`: small Demucs as their program saves them, and what the original's own network makes of a piece. Run it
with the packages of `tests/parity/requirements.txt` and `originals.txt`:

    python tests/parity/demucs/golden.py
"""

import json
from importlib.metadata import version
from pathlib import Path

import torch

import networks

FOLDER = Path(__file__).resolve().parents[2] / "fixtures/demucs"
FILES = ["955717e8-11223344.th", "5c90dfd2.th", "cross.th", "plain.th"]
# So that a test's file stays small; no divisor of a length of any axis.
EACH = 1009


def rounded(tensor):
    return [float(f"{value:.7g}") for value in tensor.flatten()[::EACH].tolist()]


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    variants = {}
    for seed, ((name, (sources, small, _, half)), file) in enumerate(zip(networks.CASES.items(), FILES, strict=True)):
        model = networks.save(networks.varied(sources, seed, **small), FOLDER / file, half)
        samples = networks.samples_of(model)
        found = networks.answers(model, *networks.heard(samples))
        given = {key: rounded(value) for key, value in found.items()}
        variants[name] = {"file": file, "samples": samples, "stems": sources, "peak": float(found["time"].abs().max()), "answers": given}
    about = {"torch": torch.__version__, "demucs": version("demucs"), "each": EACH}
    text = json.dumps({"about": about, "variants": variants}, separators=(",", ":"))
    (FOLDER / "golden.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
