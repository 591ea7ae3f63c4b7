"""Makes `tests/fixtures/separators/`: small separators as their programs save them, and what torch's own run of the same weights gives.

    python tests/parity/separator_weights/golden.py
"""

import json
from pathlib import Path

import torch

from cases import CASES, write
from waves import spectrum

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "separators"
# Every so many numbers are kept.
EACH, EACH_OF_MANY, MANY = 7, 29, 3000


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    variants = {}
    for seed, name in enumerate(CASES):
        files, model, shape = write(name, False, seed, FOLDER)
        with torch.no_grad():
            given = model(spectrum(*shape)).flatten()
        each = EACH if len(given) < MANY else EACH_OF_MANY
        kept = [float(f"{value:.7g}") for value in given[::each].tolist()]
        variants[name] = {"files": [file.name for file in files], "shape": [1, *shape], "each": each, "given": kept}
    text = json.dumps({"about": {"torch": torch.__version__}, "variants": variants}, separators=(",", ":"))
    (FOLDER / "golden.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
