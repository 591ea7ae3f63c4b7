"""Makes `tests/fixtures/encoders/` and `tests/fixtures/estimators/`: small content encoders and estimators of pitch as their programs save
them, and what torch's own run of the same weights gives. Run it with the packages of `tests/parity/requirements.txt`:

    python tests/parity/listeners/golden.py
"""

import json
from pathlib import Path

import torch
import transformers

import encoders
import estimators

FOLDER = Path(__file__).resolve().parents[2] / "fixtures"
# One frame, two, and as many as the attention has to tell apart.
SAMPLES = [400, 1000, 6500]
# RMVPE wants multiples of 32.
FRAMES = {"bands": [32, 64], "frames": [1, 40], "sound": [1, 3]}
EACH = 17


def rounded(tensor, each):
    return [float(f"{value:.7g}") for value in tensor.flatten()[::each].tolist()]


def write(folder, variants):
    about = {"torch": torch.__version__, "transformers": transformers.__version__}
    text = json.dumps({"about": about, "variants": variants}, separators=(",", ":"))
    (folder / "golden.json").write_text(text + "\n")


def make_encoders():
    variants = {}
    for seed, (name, (kind, save, where)) in enumerate(encoders.CASES.items()):
        if name not in encoders.PINNED:
            continue
        folder = FOLDER / "encoders" / where
        folder.mkdir(parents=True, exist_ok=True)
        model = encoders.encoder(kind, seed, False)
        files = save(model, folder)
        runs = []
        for samples in SAMPLES:
            given = encoders.vectors(model, samples)
            each = 1 if samples < 5000 else 5
            runs.append({"samples": samples, "each": each} | {key: rounded(one, each) for key, one in given.items()})
        paths = [str(Path(where) / file) for file in files]
        variants[name] = {"files": paths, "outputs": list(given), "runs": runs}
    write(FOLDER / "encoders", variants)


def make_estimators():
    folder, variants = FOLDER / "estimators", {}
    folder.mkdir(parents=True, exist_ok=True)
    for seed, (name, (make, save, file, axes)) in enumerate(estimators.CASES.items()):
        if name not in estimators.PINNED:
            continue
        model = estimators.varied(make(False), seed)
        save(model, folder / file)
        runs = []
        for frames in FRAMES[axes]:
            given = estimators.salience(model, axes, frames)
            runs.append({"frames": frames, "each": EACH, "salience": rounded(given, EACH)})
        variants[name] = {"file": file, "axes": axes, "runs": runs}
    write(folder, variants)


if __name__ == "__main__":
    make_encoders()
    make_estimators()
